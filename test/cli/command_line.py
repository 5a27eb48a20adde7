"""Runs the penstock program the way a shell does, with a folder of its own for each test.

A test script defines TestCase classes over CommandLineTest and ends with main(). The program's path
is the first argument.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
# One for all tests of a script, since OpenCL takes a second per kernel; never the user's.
CACHE = tempfile.TemporaryDirectory(prefix="penstock-cli-cache-")


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-cli-")
        self.folder = pathlib.Path(self._folder.name)
        self.rows = self.folder / "rows"
        self.rows.mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": CACHE.name}
        self.environment.pop("PENSTOCK_CACHE_DIR", None)

    def tearDown(self):
        self._folder.cleanup()

    def run_program(self, *arguments, **changes):
        """Ended by a signal (a crash) is a failure in every test, so it is checked here."""
        ended = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True,
            env={**self.environment, **changes},
            timeout=120,
        )
        ended.out, ended.err = (
            text.decode(errors="replace") for text in (ended.stdout, ended.stderr)
        )
        self.assertIn(
            ended.returncode, (0, 1, 2), f"{arguments} ended with {ended.returncode}: {ended.err}"
        )
        self.assertNotIn("AddressSanitizer", ended.err)
        self.assertNotIn("runtime error", ended.err)
        return ended

    def query(self, statement, *arguments, **changes):
        return self.run_program("query", statement, *arguments, **changes)

    def answer(self, statement, *arguments):
        ended = self.query(statement, "--format", "json", *arguments)
        self.assertEqual(ended.returncode, 0, ended.err)
        return json.loads(ended.out)

    def assert_fails(self, ended, *words, code=1):
        """Exit code, words on stderr, nothing on stdout."""
        self.assertEqual(ended.returncode, code, ended.err)
        self.assertEqual(ended.out, "")
        for word in words:
            self.assertIn(word, ended.err)

    def csv_file(self, name="table.csv", text='a,b,name\n1,1.5,x\n2,2.5,y\n3,,"z, w"\n'):
        path = self.rows / name
        path.write_text(text)
        return path

    def numbers_file(self, count, name="numbers.csv"):
        return self.csv_file(name, "n,r\n" + "".join(f"{i},{i / 4}\n" for i in range(count)))

    def parquet_file(self, count=5000):
        path = self.rows / "numbers.parquet"
        ended = self.query(f"SELECT n, r FROM '{self.numbers_file(count)}'", "--output", path)
        self.assertEqual(ended.returncode, 0, ended.err)
        return path


class _Result(unittest.TextTestResult):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main():
    runner = unittest.TextTestRunner(stream=sys.stdout, resultclass=_Result, verbosity=2)
    result = runner.run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.passed} passed, {failed} failed")
    sys.exit(1 if failed or not result.passed else 0)
