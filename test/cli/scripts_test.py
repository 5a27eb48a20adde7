"""The messages of scripts/*.sh, in a copy of that folder with nothing to set up or build."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command_line import main

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class Scripts(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-scripts-")
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "scripts").mkdir()
        for path in SCRIPTS.glob("*.sh"):
            shutil.copy(path, self.folder / "scripts")
        for name in ("apt-get", "cmake", "python3"):
            self.program(name, f'echo "{name} was called" >&2; exit 7')

    def tearDown(self):
        self._folder.cleanup()

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return path

    def run_script(self, *words, **changes):
        """The ended process; its stderr is read from the file SAID, which the script sees too."""
        said = self.folder / "said"
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", **changes}
        with said.open("w") as stderr:
            ended = subprocess.run(
                ["bash", *map(str, words)],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env={**environment, "SAID": str(said)},
                timeout=60,
            )
        ended.stderr = said.read_text()
        return ended

    def test_help_starts_nothing(self):
        for name in ("test.sh", "quickstart.sh", "packages.sh", "release.sh"):
            ended = self.run_script(self.folder / "scripts" / name, "--help")
            self.assertEqual((ended.returncode, ended.stderr), (0, ""), name)
            self.assertTrue(ended.stdout.startswith(f"usage: scripts/{name}"), ended.stdout)

    def test_unknown_arguments_start_nothing(self):
        for name in ("test.sh", "quickstart.sh", "setup.sh", "packages.sh", "release.sh"):
            ended = self.run_script(self.folder / "scripts" / name, "--tests")
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(f"scripts/{name}", ended.stderr)
            self.assertNotIn("was called", ended.stderr)

    def step(self, command, **changes):
        """A step named Working that runs `command`, and then another."""
        script = self.program(
            "scripts/work.sh",
            f'source "$(dirname "$0")/steps.sh"\nstep Working {self.program("work", command)}\n'
            "step Resting true",
        )
        return self.run_script(script, **changes)

    def test_a_long_step_says_how_far_it_is(self):
        # The command ends when its progress was shown: no second is too late on a busy machine.
        wait = 'until grep -q "3 of 12" "$SAID"; do sleep 0.1; done'
        for said in ("[3/12] Building CXX object", "  3/12 Test  #1: first ..."):
            ended = self.step(f'echo "{said}"; {wait}', PENSTOCK_QUIET_SECONDS="1")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertRegex(
                ended.stderr,
                r"(?m)^Working +\n(  Working: running +\d+ s +)+3 of 12\n(.*\n)*"
                r"Working +\d+ s\nResting +\d+ s\n$",
            )

    def test_a_short_step_is_one_line(self):
        self.assertRegex(self.step("true").stderr, r"^Working +\d+ s\nResting +\d+ s\n$")

    def test_a_failed_step_shows_its_log_and_ends_the_script(self):
        ended = self.step("echo the reason; exit 5")
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(
            ended.stderr, r"^Working +FAILED after \d+ s \(exit code 5\)\nthe reason\n"
        )
        self.assertNotIn("Resting", ended.stderr)


main()
