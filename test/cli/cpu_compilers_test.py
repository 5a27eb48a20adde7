"""The compilers of cpu:0: which of them runs, what they are told, and what they leave."""

import os
import pathlib
import signal
import subprocess
import time

from command_line import PROGRAM, CommandLineTest, main

ROWS = 400_000  # some 50 ms in the quick compiler's code


class CpuCompilers(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.environment.update(PENSTOCK_CACHE_DIR=str(self.cache))
        for name in ("PENSTOCK_CPU_COMPILER", "PENSTOCK_TCC", "PENSTOCK_CC", "PENSTOCK_HIDE"):
            self.environment.pop(name, None)

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    def total(self, *arguments, **changes):
        """The answer and the message of a sum over a few rows."""
        ended = self.query(
            f"SELECT sum(a * 2) AS total FROM '{self.csv_file()}'",
            *("--format", "csv", "--stats", "--device", "cpu:0", *arguments),
            **changes,
        )
        self.assertEqual((ended.returncode, ended.out), (0, "total\n12\n"), ended.err)
        return ended.err

    def entries(self):
        return sorted(self.cache.glob("*.jit"))

    def folders(self):
        return list(self.cache.glob("compile-*"))

    def processes_of(self, group):
        """Processes of a group that have not ended; nobody may wait for those that have."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, its_group = path.read_text().rsplit(")", 1)[1].split()[:3]
            except OSError:
                continue
            if int(its_group) == group and state not in "ZX":
                found.append(path.parent.name)
        return found

    def test_few_rows_run_the_quick_compilers_code_and_keep_none(self):
        self.assertIn("quick compiler", self.total())
        self.assertEqual(self.entries(), [])
        self.assertEqual(self.folders(), [])

    def test_the_choice_is_taken_from_the_option_and_from_the_environment(self):
        self.assertIn("optimising compiler", self.total("--cpu-compiler", "optimising"))
        self.assertIn("quick compiler", self.total("--cpu-compiler", "quick"))
        self.assertIn("optimising compiler", self.total(PENSTOCK_CPU_COMPILER="optimising"))
        ended = self.query("SELECT 1", "--cpu-compiler", "fast")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("quick, optimising, auto", ended.err)

    def test_where_one_compiler_is_missing_the_other_serves(self):
        self.assertIn("optimising compiler", self.total(PENSTOCK_TCC=""))
        self.assertIn("quick compiler", self.total(PENSTOCK_CC=""))

    def test_where_both_are_missing_opencl_serves_or_the_error_says_what_to_install(self):
        none = {"PENSTOCK_TCC": "", "PENSTOCK_CC": ""}
        statement = f"SELECT sum(a) AS total FROM '{self.csv_file()}'"
        self.assert_fails(
            self.query(statement, "--device", "cpu", PENSTOCK_HIDE="opencl,sycl", **none),
            "apt install tcc gcc",
        )
        ended = self.query(statement, "--device", "cpu", PENSTOCK_HIDE="cuda", **none)
        if ended.returncode == 0:  # OpenCL is there
            self.assertIn("opencl:", ended.err)
        self.assert_fails(
            self.query(statement, "--device", "cpu:0", "--cpu-compiler", "quick", PENSTOCK_TCC=""),
            "apt install tcc",
        )

    def test_long_work_changes_over_and_keeps_the_optimised_code(self):
        files = ", ".join([f"'{self.parquet_file(ROWS)}'"] * 20)
        statement = f"SELECT sum(n * r), count(*) FROM read_parquet([{files}]) WHERE n % 3 = 1"
        for _ in range(
            20
        ):  # a process may end before the compiler, which the next one starts at once
            ended = self.query(statement, "--device", "cpu:0", "--stats")
            self.assertEqual(ended.returncode, 0, ended.err)
            if "disk in" in ended.err:
                break
        self.assertIn("disk in", ended.err)
        self.assertIn("optimising compiler", ended.err)

    def test_a_command_line_has_no_text_of_the_statement(self):
        log = self.folder / "arguments"
        real = subprocess.run(["which", "tcc"], capture_output=True, text=True).stdout.strip()
        script = self.script("compiler", f'echo "$@" >> {log}; exec {real or "tcc"} "$@"\n')
        statement = f"SELECT sum(a + 987654) AS hidden_name FROM '{self.csv_file()}'"
        ended = self.query(statement, "--device", "cpu:0", PENSTOCK_TCC=script, PENSTOCK_CC="")
        self.assertEqual(ended.returncode, 0, ended.err)
        told = log.read_text()
        self.assertIn("program.c", told)
        for word in ("987654", "hidden_name", "SELECT", "sum"):
            self.assertNotIn(word, told)

    def test_a_damaged_or_foreign_object_is_a_miss(self):
        def compiled(change):
            (entry,) = self.entries()
            change(entry)
            return "compiled in" in self.total("--cpu-compiler", "optimising")

        self.total("--cpu-compiler", "optimising")
        self.assertFalse(compiled(lambda entry: None))
        size = self.entries()[0].stat().st_size
        for at in (0, 40, size // 2, size - 1):

            def flip(entry, at=at):
                content = bytearray(entry.read_bytes())
                content[at] ^= 1
                entry.write_bytes(content)

            self.assertTrue(compiled(flip), f"byte {at}")
        self.assertTrue(compiled(lambda entry: entry.write_bytes(entry.read_bytes()[: size // 3])))
        self.assertTrue(compiled(lambda entry: entry.chmod(0o666)))

    def test_only_the_user_can_read_the_cache(self):
        self.total("--cpu-compiler", "optimising")
        self.assertEqual(self.cache.stat().st_mode & 0o077, 0)
        self.assertEqual(self.entries()[0].stat().st_mode & 0o077, 0)

    def test_a_compiler_that_is_at_work_ends_with_the_process_and_leaves_nothing(self):
        mark = self.folder / "running"
        script = self.script("slow", f"echo $$ > {mark}; sleep 77 & wait\n")
        statement = f"SELECT sum(n * r), max(r) FROM '{self.numbers_file(ROWS)}' WHERE n % 3 = 1"
        ended = self.query(statement, "--device", "cpu:0", PENSTOCK_CC=script)
        self.assertEqual(ended.returncode, 0, ended.err)
        self.assertTrue(mark.exists(), "the compiler did not start: the test shows nothing")
        self.assertEqual(self.folders(), [])
        self.assertEqual(self.processes_of(int(mark.read_text())), [])

    def test_what_a_killed_process_leaves_the_next_one_removes(self):
        mark = self.folder / "running"
        script = self.script("slow", f"echo $$ > {mark}; sleep 5\n")
        command = [PROGRAM, "query", f"SELECT sum(a) FROM '{self.csv_file()}'", "--device", "cpu:0"]
        process = subprocess.Popen(
            command,
            env={**self.environment, "PENSTOCK_TCC": script},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(500):
            if mark.exists() and mark.read_text():
                break
            time.sleep(0.01)
        process.kill()
        process.wait()
        os.killpg(int(mark.read_text()), signal.SIGKILL)
        (left,) = self.folders()
        os.utime(left, (0, 0))
        self.total()
        self.assertEqual(self.folders(), [])

    def test_a_compiler_that_fails_is_named_with_its_message(self):
        script = self.script("broken", "echo 'no such instruction' >&2; exit 1\n")
        ended = self.query(
            f"SELECT sum(a) FROM '{self.csv_file()}'", "--device", "cpu:0", PENSTOCK_TCC=script
        )
        self.assert_fails(ended, "no such instruction")

    def test_compilers_in_relative_folders_of_the_path_are_passed_over(self):
        (self.folder / "tcc").write_text("#!/bin/sh\ntouch was_run\nexit 1\n")
        (self.folder / "tcc").chmod(0o755)
        ended = subprocess.run(
            [PROGRAM, "query", f"SELECT sum(a) FROM '{self.csv_file()}'", "--device", "cpu:0"],
            cwd=self.folder,
            capture_output=True,
            env={**self.environment, "PATH": f".:{os.environ['PATH']}"},
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertFalse((self.folder / "was_run").exists())


main()
