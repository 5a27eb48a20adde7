"""Asks statements by each planner, and looks at refusals. Without DuckDB the script that imports it is skipped.

DuckDB's planner is the module of the Python that runs this. The planner "none" is "auto" without it.
"""

import itertools
import os
import pathlib
import shutil
import subprocess
import sys

try:
    import duckdb
except ImportError as missing:
    print(f"skipped: {missing}\n1 passed, 0 failed")
    sys.exit(0)

from command_line import CACHE, PROGRAM, CommandLineTest

TABLES = {
    "t": "SELECT i::INT AS a, (i % 3)::BIGINT AS b, i / 2.0::DOUBLE AS d, 's' || i % 4 AS s, "
    "DATE '2024-01-01' + i::INT AS dt, TIMESTAMP '2024-01-01 10:00:00' + to_hours(i) AS ts, "
    "i % 2 = 0 AS f, (i * 1.25)::DECIMAL(10,2) AS dc FROM range(10) t(i)",
    "u": "SELECT i::INT AS a, 'u' || i AS name, (i * 10)::INT AS x FROM range(3, 8) t(i)",
    "n": "SELECT * FROM (VALUES (1, [1, 2, 3], {'p': 1, 'q': 'x'}), (2, [], {'p': NULL, 'q': 'y'})) v(a, l, st)",
}


def program_alone():
    """A copy of the program that finds no environment of Python above itself."""
    copy = pathlib.Path(CACHE.name) / "alone" / "penstock"
    if not copy.exists():
        copy.parent.mkdir()
        shutil.copy2(PROGRAM, copy)
    return str(copy)


class RefusalTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.back = os.getcwd()
        os.chdir(self.folder)

    def tearDown(self):
        os.chdir(self.back)
        super().tearDown()

    def table(self, name):
        self.write(TABLES[name], f"{name}.parquet")

    def write(self, select, path):
        duckdb.sql(f"COPY ({select}) TO '{path}'")

    def ask(self, statement, planner="auto", *arguments):
        options = ["--device", "cpu:0", "--format", "csv", *arguments]
        if planner != "none":
            return self.query(statement, "--planner", planner, *options, VIRTUAL_ENV=sys.prefix)
        ended = subprocess.run(
            [program_alone(), "query", statement, *options],
            check=False,
            capture_output=True,
            text=True,
            env={**self.environment, "VIRTUAL_ENV": "", "PATH": "/bin", "HOME": "/nowhere"},
        )
        ended.out, ended.err = ended.stdout, ended.stderr
        return ended

    def value(self, statement, planner="auto"):
        """The text of the one value."""
        ended = self.ask(statement, planner)
        self.assertEqual(ended.returncode, 0, ended.err)
        return ended.out.split("\n", 1)[1].strip()

    def assert_refused(self, statement, *words, planner="auto", lacks=()):
        ended = self.ask(statement, planner)
        self.assert_fails(ended, *words)
        for word in lacks:
            self.assertNotIn(word, ended.err)

    def caret(self, statement, planner="auto"):
        """The text from the place on at which the error points; None where it points nowhere."""
        lines = self.ask(statement, planner).err.splitlines()
        for line, below in itertools.pairwise(lines):
            if below.strip() == "^":
                return line[below.index("^") :]
        return None
