"""penstock.query() over Arrow tables: answers are DuckDB's, errors have the library's text."""

import datetime
import decimal
import gc
import importlib.metadata
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import unittest

import driver

try:
    import duckdb
    import pyarrow

    import penstock
except ImportError as error:
    driver.skip_all(error)

SALES = pyarrow.table(
    {
        "shop": pyarrow.array(["a", "b", None, "a"] * 500),
        "price": pyarrow.array([1.5, 2.5, 3.5, None] * 500),
        "number": pyarrow.array(range(2000), pyarrow.int64()),
        "amount": pyarrow.array([decimal.Decimal("1.25")] * 2000, pyarrow.decimal128(15, 2)),
        "day": pyarrow.array([datetime.date(2020, 1, 1 + i % 28) for i in range(2000)]),
        "tags": pyarrow.array([[1]] * 2000),
    }
)
SHOPS = pyarrow.table({"shop": ["a", "b"], "town": ["Bern", "Chur"]})


def duckdb_answer(sql, **tables):
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    return connection.sql(sql).to_arrow_table()


class AnswersAreDuckDBs(unittest.TestCase):
    def compare(self, sql, **tables):
        expected = duckdb_answer(sql, **tables)
        actual = penstock.query(sql, tables)
        self.assertEqual(actual.schema.names, expected.schema.names)
        self.assertEqual(actual.to_pylist(), expected.to_pylist())

    def test_groups_of_strings_with_null(self):
        self.compare(
            "SELECT shop, sum(price) AS s, count(*) AS c, max(day) AS d FROM sales"
            " GROUP BY shop ORDER BY shop NULLS LAST",
            sales=SALES,
        )

    def test_filtered_rows_keep_order_and_types(self):
        self.compare(
            "SELECT number, price, amount * 2 AS a FROM sales WHERE number % 7 = 0", sales=SALES
        )

    def test_two_tables(self):
        self.compare(
            "SELECT town, count(*) AS c FROM sales JOIN shops ON sales.shop = shops.shop"
            " GROUP BY town ORDER BY town",
            sales=SALES,
            shops=SHOPS,
        )

    def test_one_stream_read_twice(self):
        self.compare(
            "SELECT count(*) AS c FROM sales AS x JOIN sales AS y ON x.number = y.number",
            sales=SALES,
        )

    def test_no_rows(self):
        self.compare("SELECT number FROM sales WHERE number < 0", sales=SALES)
        self.compare("SELECT sum(number) AS s FROM sales", sales=SALES.slice(0, 0))

    def test_many_batches(self):
        batches = SALES.to_batches(max_chunksize=77)
        sql = "SELECT sum(number) AS s, count(price) AS c FROM sales"
        for data in (
            pyarrow.Table.from_batches(batches),
            pyarrow.RecordBatchReader.from_batches(SALES.schema, batches),
        ):
            rows = penstock.query(sql, {"sales": data})
            self.assertEqual(rows.to_pylist(), duckdb_answer(sql, sales=SALES).to_pylist())


class Errors(unittest.TestCase):
    def assert_fails(self, code, words, sql, tables):
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.query(sql, tables)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(words, str(caught.exception))

    def test_an_unknown_column_is_pointed_at(self):
        self.assert_fails("invalid", "SELECT prize", "SELECT prize FROM t", {"t": SALES})

    def test_a_column_of_lists_is_returned_as_lists(self):
        rows = penstock.query("SELECT tags FROM t LIMIT 5", {"t": SALES})
        self.assertEqual(rows.to_pylist(), SALES.select(["tags"]).slice(0, 5).to_pylist())

    def test_an_unknown_table_is_a_missing_file(self):
        self.assert_fails("io", "No such file", "SELECT a FROM missing", {"t": SALES})

    def test_a_value_that_leaves_its_type(self):
        self.assert_fails(
            "overflow", "", "SELECT number * 9223372036854775807 AS x FROM t", {"t": SALES}
        )

    def test_an_error_of_the_producer_is_reported(self):
        def batches():
            yield SALES.to_batches()[0]
            raise ValueError("the disk is gone")

        reader = pyarrow.RecordBatchReader.from_batches(SALES.schema, batches())
        self.assert_fails("io", "the disk is gone", "SELECT number FROM t", {"t": reader})

    def test_a_device_that_is_not_there(self):
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.query("SELECT number FROM t", {"t": SALES}, device="opencl:99")
        self.assertEqual(caught.exception.code, "no_device")


class Sessions(unittest.TestCase):
    def test_another_literal_compiles_nothing(self):
        with penstock.Session() as session:
            session.query("SELECT number FROM t WHERE number > 5 AND price < 3.0", {"t": SALES})
            session.query("SELECT number FROM t WHERE number > 7 AND price < 2.0", {"t": SALES})
            self.assertEqual(session.report.kernels_compiled, 0)
            self.assertEqual(session.report.rows_read, 2000)

    def test_threads_get_their_own_answers(self):
        answers = {}

        def ask(at):
            rows = penstock.query(f"SELECT sum(number + {at}) AS s FROM t", {"t": SALES})
            answers[at] = int(rows["s"][0].as_py())

        threads = [threading.Thread(target=ask, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        total = sum(range(2000))
        self.assertEqual(answers, {at: total + 2000 * at for at in range(8)})

    def test_close_waits_for_the_queries_of_other_threads(self):
        session, is_reading, may_go_on = penstock.Session(), threading.Event(), threading.Event()
        answers = []

        def batches():
            yield from SALES.to_batches()
            is_reading.set()
            may_go_on.wait(60)

        def ask():
            reader = pyarrow.RecordBatchReader.from_batches(SALES.schema, batches())
            answers.append(session.query("SELECT sum(number) AS s FROM t", {"t": reader}))

        asking = threading.Thread(target=ask)
        asking.start()
        self.assertTrue(is_reading.wait(60))
        closing = threading.Thread(target=session.close)
        closing.start()
        closing.join(0.2)
        self.assertTrue(closing.is_alive())
        may_go_on.set()
        asking.join(60)
        closing.join(60)
        self.assertFalse(closing.is_alive())
        self.assertEqual(int(answers[0]["s"][0].as_py()), sum(range(2000)))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_forked_process_gets_an_error_not_a_hang(self):
        penstock.query("SELECT number FROM t", {"t": SALES})
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            try:
                penstock.query("SELECT number FROM t", {"t": SALES})
            except penstock.PenstockError as error:
                os._exit(0 if "spawn" in str(error) else 2)
            finally:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_stream_is_released_where_the_next_table_is_refused(self):
        is_released = []

        def batches():
            try:
                yield from SALES.to_batches()
            finally:
                is_released.append(True)

        generator = batches()
        next(generator)
        reader = pyarrow.RecordBatchReader.from_batches(SALES.schema, generator)
        del generator
        with self.assertRaises(penstock.PenstockError):
            penstock.query("SELECT 1 FROM t", {"t": reader, "u": object()})
        del reader
        gc.collect()
        self.assertEqual(is_released, [True])

    def test_a_result_outlives_its_session(self):
        with penstock.Session() as session:
            rows = session.query("SELECT number FROM t WHERE number < 3", {"t": SALES})
        del session
        self.assertEqual(rows["number"].to_pylist(), [0, 1, 2])


class Registrations(unittest.TestCase):
    def test_a_dropped_table_does_not_come_back(self):
        for name, sql in (
            ("T", "DROP TABLE t"),
            ("t", 'drop table if exists "T" -- of t'),
            ("t", "DROP TABLE main.t"),
            ("t", "CREATE OR REPLACE TABLE T AS SELECT 5 AS x"),
            ("t", "CREATE OR REPLACE VIEW t AS SELECT 5 AS x"),
        ):
            with self.subTest(sql):
                session = penstock.Session("cpu", planner="own")
                session.register(name, SALES)
                session.query(sql)
                session.close()
                self.assertEqual(session.query("SHOW TABLES")["name"].to_pylist(), [])

    def test_a_table_that_no_statement_drops_comes_back(self):
        for sql in ("DROP TABLE IF EXISTS u", "CREATE OR REPLACE TABLE u AS FROM t", "FROM t"):
            with self.subTest(sql):
                session = penstock.Session("cpu", planner="own")
                session.register("t", SALES)
                session.query(sql)
                session.close()
                self.assertEqual(session.query("SHOW TABLES")["name"].to_pylist(), ["t"])

    def test_the_table_that_was_registered_last_comes_back(self):
        session = penstock.Session("cpu", planner="own")
        for name, value in (("T", 1), ("t", 2), ("T", 3)):
            session.register(name, {"x": [value]})
        session.close()
        self.assertEqual(session.query("FROM t")["x"].to_pylist(), [3])


class Profiles(unittest.TestCase):
    def test_a_profile_repeats_no_change(self):
        session = penstock.Session("cpu", planner="own")
        session.query("CREATE TABLE t AS SELECT 1 AS x")
        change = session.sql("INSERT INTO t VALUES (2)")
        with self.assertRaisesRegex(penstock.PenstockError, "would run the change again"):
            change.profile()
        for sql in ("INSERT INTO t VALUES (3)", "DROP TABLE t", "SHOW TABLES"):
            with self.subTest(sql), self.assertRaisesRegex(penstock.PenstockError, "times SELECT"):
                session.profile(sql)
        self.assertEqual(session.query("FROM t")["x"].to_pylist(), [1, 2])
        self.assertIn("traceEvents", session.profile("CREATE TABLE u AS SELECT x + 1 AS y FROM t"))


class Names(unittest.TestCase):
    def test_dir_has_the_public_names_alone(self):
        shown = {name for name in dir(penstock) if not name.startswith("__")}
        modules = {"dask", "fsspec", "ibis", "numcodecs", "ray"}
        self.assertEqual(shown - modules, set(penstock.__all__) - {"__version__"})
        self.assertIn("__version__", dir(penstock))
        for name in dir(penstock):
            getattr(penstock, name)


class Versions(unittest.TestCase):
    def test_the_package_the_module_and_the_program_have_one(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
        version = re.search(r"project\(penstock VERSION ([0-9.]+)", text)[1]
        self.assertEqual(penstock.__version__, version)
        shown = subprocess.run(
            [sys.executable, "-m", "penstock", "--version"], capture_output=True, check=True
        )
        self.assertIn(version, shown.stdout.decode())

    def test_the_wheel_says_the_same(self):
        try:
            version = importlib.metadata.version("penstock")
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("the package is not installed as a wheel")
        self.assertEqual(version, penstock.__version__)


if __name__ == "__main__":
    driver.main()
