"""Uses the installed wheel in one way of each kind, with nothing else installed. Its module has code
of its own for an older system's missing functions: files, threads, clocks, numbers, exceptions.

Ends with "N passed, N failed". The device is the CPU: tcc or a C compiler has to be there.
"""

import concurrent.futures
import gzip
import math
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

import pyarrow
import pyarrow.parquet

import penstock

ROWS = pyarrow.table({"shop": ["a", "b", "a", None], "price": [1.5, 2.5, 3.0, 4.0]})


def run(statement, **tables):
    return penstock.query(statement, tables, device="cpu").to_pydict()


def run_program(*arguments, **options):
    command = [sys.executable, "-m", "penstock", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


class InstalledWheel(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def refused(self, statement, **tables):
        with self.assertRaises(penstock.PenstockError) as raised:
            run(statement, **tables)
        return raised.exception

    def test_a_statement_over_a_table(self):
        totals = run("SELECT shop, sum(price) AS p FROM t GROUP BY shop ORDER BY shop", t=ROWS)
        self.assertEqual(totals, {"shop": ["a", "b", None], "p": [4.5, 2.5, 4.0]})

    def test_a_statement_over_a_parquet_file(self):
        pyarrow.parquet.write_table(ROWS, self.folder / "t.parquet")
        rows = run(f"SELECT count(*) AS n FROM '{self.folder}/t.parquet' WHERE price > 2")
        self.assertEqual(rows, {"n": [3]})

    def test_functions_of_the_mathematical_library(self):
        rows = run("SELECT exp(x) AS e, ln(x) AS l, power(x, 2.5) AS p FROM t",
                   t=pyarrow.table({"x": [1.5]}))  # fmt: skip
        for name, value in (("e", math.exp(1.5)), ("l", math.log(1.5)), ("p", 1.5**2.5)):
            self.assertAlmostEqual(rows[name][0], value, places=12)

    def test_a_regular_expression(self):
        rows = run("SELECT regexp_replace(shop, '[a-z]', '_') AS s FROM t LIMIT 1", t=ROWS)
        self.assertEqual(rows, {"s": ["_"]})

    def test_a_pipeline_of_lambdas(self):
        dear = penstock.from_arrow(ROWS).filter(lambda r: r.price * 2 > 5).sum("price")
        self.assertEqual(dear, 7.0)

    def test_a_pipeline_of_lambdas_that_throws(self):
        with self.assertRaisesRegex(penstock.PenstockError, "ZeroDivisionError"):
            penstock.from_arrow(ROWS).filter(lambda r: 1 / 0).sum("price")

    def test_compressed_data(self):
        data = b"penstock " * 100_000
        self.assertEqual(penstock.decompress(gzip.compress(data)), data)
        with self.assertRaises(penstock.PenstockError) as raised:
            penstock.decompress(gzip.compress(data)[:-20])
        self.assertEqual(raised.exception.code, "truncated")

    def test_a_malformed_statement(self):
        self.assertIn("syntax error", str(self.refused("SELECT FROM WHERE")))

    def test_a_refused_statement(self):
        self.assertIn("nothing", str(self.refused("SELECT nothing FROM t", t=ROWS)))

    def test_a_damaged_parquet_file(self):
        path = self.folder / "t.parquet"
        pyarrow.parquet.write_table(ROWS, path)
        data = path.read_bytes()
        path.write_bytes(data[:4] + b"\xff" * 100 + data[104:])
        self.refused(f"SELECT count(*), sum(price) FROM '{path}'")

    def test_an_absent_file(self):
        self.assertEqual(self.refused(f"SELECT 1 FROM '{self.folder}/no.parquet'").code, "io")

    def test_a_file_of_text_is_read_and_written(self):
        (self.folder / "t.csv").write_text("x\n0.1\n1e-300\n")
        result = run_program("query", "SELECT x FROM 't.csv'", "--format", "csv", cwd=self.folder)
        self.assertEqual((result.stdout, result.returncode), ("x\n0.1\n1e-300\n", 0), result.stderr)

    def test_the_program_decompresses(self):
        (self.folder / "t.gz").write_bytes(gzip.compress(b"text\n"))
        result = run_program("decompress", "t.gz", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "t").read_bytes(), b"text\n")

    def test_the_program_refuses(self):
        result = run_program("query", "SELECT FROM WHERE")
        self.assertIn("syntax error", result.stderr)
        self.assertNotEqual(result.returncode, 0)

    def test_threads_that_wait(self):
        table = pyarrow.table({"x": list(range(10_000))})
        work = lambda _: run("SELECT sum(x) AS s FROM t", t=table)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(work, range(16))), [{"s": [49_995_000]}] * 16)


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


if __name__ == "__main__":
    print(f"CPython {platform.python_version()}, {' '.join(platform.libc_ver())}")
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
