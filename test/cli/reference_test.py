"""Completion scripts and manual pages, read by the shells and by man themselves."""

import os
import pty
import select
import shutil
import subprocess
import time

from command_line import CommandLineTest, main

COMMANDS = [
    "query",
    "shell",
    "profile",
    "emit",
    "encode",
    "decompress",
    "compress",
    "video",
    "devices",
    "tune",
    "cache",
    "completion",
    "bench",
]
# Answers with the words that were completed.
ECHO = 'penstock() { print -r -- "GOT:$*" }\n'


class Terminal:
    """A program that believes it talks to a person."""

    def __init__(self, *words):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="dumb", PS1="> ")
            os.execvp(words[0], words)
        self.said = ""

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def wait_for(self, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in self.said:
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} never came:\n{self.said}")
            if select.select([self.descriptor], [], [], 0.2)[0]:
                self.said += os.read(self.descriptor, 65536).decode(errors="replace")

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.process, 0)


class Reference(CommandLineTest):
    def need(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed")

    def written(self):
        """The folder with every script and page."""
        folder = self.folder / "reference"
        if not folder.exists():
            self.assertEqual(self.run_program("completion", "--into", folder).returncode, 0)
        return folder

    def said_by(self, *words):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def completed_by_bash(self, *words):
        command = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _penstock; '
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        script = self.written() / "penstock.bash"
        return self.said_by("bash", "-c", command, "bash", script, "penstock", *words).split()

    def completed_by_fish(self, line):
        said = self.said_by(
            "fish",
            "--no-config",
            "-c",
            'source $argv[1]; complete -C "$argv[2]"',
            self.written() / "penstock.fish",
            f"penstock {line}",
        )
        return [word.split("\t")[0] for word in said.splitlines()]

    def completed_by_zsh(self, line):
        """The line after a tab, as zsh hands it to the program."""
        start = self.folder / "start.zsh"
        script = self.written() / "_penstock"
        start.write_text(f"autoload -U compinit; compinit -u -D; source {script}\n{ECHO}")
        zsh = Terminal("zsh", "-f", "-i")
        try:
            zsh.send(f"source {start}; print READY$((1 + 1))\n")
            zsh.wait_for("READY2")
            zsh.send(f"penstock {line}\t")
            time.sleep(0.5)
            zsh.send("\n")
            zsh.wait_for("GOT:")
            zsh.wait_for("\n", 1)
            time.sleep(0.2)
            zsh.send("print END$((1 + 1))\n")
            zsh.wait_for("END2")
            return zsh.said.rpartition("GOT:")[2].splitlines()[0].rstrip()
        finally:
            zsh.send("exit\n")
            zsh.close()

    def test_every_shell_reads_its_script_without_an_error(self):
        for shell, name in (
            ("bash", "penstock.bash"),
            ("zsh", "_penstock"),
            ("fish", "penstock.fish"),
        ):
            with self.subTest(shell):
                self.need(shell)
                self.assertEqual(self.said_by(shell, "-n", self.written() / name), "")

    def test_bash_completes_commands_options_and_their_values(self):
        self.assertEqual(self.completed_by_bash("dec"), ["decompress"])
        self.assertEqual(self.completed_by_bash("bench", "so"), ["sort"])
        self.assertEqual(self.completed_by_bash("query", "--val"), ["--validate"])
        self.assertEqual(self.completed_by_bash("profile", "query", "--val"), ["--validate"])
        self.assertEqual(self.completed_by_bash("query", "--format", ""), ["table", "csv", "json"])
        self.assertEqual(self.completed_by_bash("query", "sales.pa"), [])  # a file, left to bash

    def test_fish_completes_commands_options_and_their_values(self):
        self.need("fish")
        self.assertEqual(self.completed_by_fish("dec"), ["decompress"])
        self.assertEqual(self.completed_by_fish("bench so"), ["sort"])
        self.assertEqual(self.completed_by_fish("query --val"), ["--validate"])
        self.assertEqual(self.completed_by_fish("profile query --val"), ["--validate"])
        self.assertEqual(
            sorted(self.completed_by_fish("query --format ")), ["csv", "json", "table"]
        )

    def test_zsh_completes_commands_options_and_their_values(self):
        self.need("zsh")
        for typed, completed in (
            ("decom", "decompress"),
            ("bench wind", "bench windows"),
            ("query --valid", "query --validate"),
            ("profile query --valid", "profile query --validate"),
            ("query --planner du", "query --planner duckdb"),
        ):
            with self.subTest(typed):
                self.assertEqual(self.completed_by_zsh(typed), completed)

    def test_every_command_has_a_page_that_man_shows_without_a_warning(self):
        self.need("man")
        pages = sorted(page.name for page in self.written().glob("*.1"))
        self.assertEqual(
            pages, sorted(["penstock.1", *(f"penstock-{command}.1" for command in COMMANDS)])
        )
        for page in pages:
            with self.subTest(page):
                shown = self.said_by("man", "-l", "--warnings", self.written() / page)
                self.assertIn("SEE ALSO", shown)

    def test_pages_have_no_line_that_roff_would_obey(self):
        known = (".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".br", ".B", ".BR")
        for page in self.written().glob("*.1"):
            for line in page.read_text().splitlines():
                if line.startswith((".", "'")):
                    self.assertIn(line.split()[0], known)

    def test_the_page_of_a_command_has_its_options_and_those_below_it(self):
        page = self.run_program("completion", "man", "query").out
        self.assertIn("\\fB\\-\\-validate\\fR", page)
        self.assertIn(
            '.SS "penstock bench sort"', self.run_program("completion", "man", "bench").out
        )

    def test_a_page_of_another_kind_is_refused(self):
        self.assert_fails(self.run_program("completion", "tcsh"), "neither bash, zsh, fish nor man")
        self.assert_fails(self.run_program("completion", "man", "tea"), "no command 'tea'")
        self.assert_fails(self.run_program("completion"), "either KIND or --into", code=2)


main()
