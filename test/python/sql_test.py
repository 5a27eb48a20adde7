"""penstock.sql(): names of the caller, parameters, shapes of results, cancelling. DuckDB is the oracle."""

import datetime
import decimal
import os
import signal
import threading
import time

import driver
import duckdb
import numpy
import penstock
import pyarrow
import unittest

SALES = pyarrow.table({"shop": ["a", "b", "a", None], "price": [1.5, 2.5, 3.0, 4.0]})


class Names(unittest.TestCase):
    def test_a_local_variable_is_a_table(self):
        rows = SALES.slice(0, 2)
        self.assertEqual(penstock.sql("SELECT count(*) FROM rows").fetchone(), (2,))

    def test_a_global_variable_is_a_table(self):
        self.assertEqual(penstock.sql("SELECT count(*) FROM SALES").fetchone(), (4,))

    def test_an_outer_variable_is_not_taken_for_a_column(self):
        price = object()  # noqa: F841
        self.assertEqual(penstock.sql("SELECT max(price) FROM SALES").fetchone(), (4.0,))

    def test_a_name_in_a_string_or_comment_is_no_table(self):
        text = "SELECT 'FROM nothing' AS x /* FROM nothing */ FROM SALES -- JOIN nothing"
        self.assertEqual(len(penstock.sql(text)), 4)

    def test_tables_after_a_comma_and_in_quotes(self):
        one, two = SALES.slice(0, 1), SALES.slice(0, 3)
        self.assertEqual(penstock.sql('SELECT count(*) FROM one, "two"').fetchone(), (3,))

    def test_no_variable_hides_a_table_or_view_of_the_session(self):
        x = v = r = pyarrow.table({"z": [1]})
        session, other = penstock.Session(), duckdb.connect()
        session.register("R", pyarrow.table({"z": [5]}))
        before = session.sql("SELECT z FROM r").fetchall()
        for define in ("CREATE TABLE x AS SELECT 3 AS z", "CREATE VIEW v AS SELECT 4 AS z"):
            session.query(define)
            other.execute(define)
        self.assertEqual([before, len(r)], [[(5,)], 1])
        for name, variable in (("x", x), ("V", v)):
            with self.subTest(name):
                sql = f"SELECT z FROM {name}"
                ours = session.sql(sql).fetchall()
                self.assertEqual(ours, other.execute(sql).fetchall())
                self.assertEqual(ours[0][0], session.query(sql)["z"][0].as_py())
                given = session.sql(sql, tables={name: variable})
                self.assertEqual(given.fetchall(), [(1,)])

    def test_a_result_is_a_table_of_another_statement(self):
        totals = penstock.sql("SELECT shop, sum(price) AS total FROM SALES GROUP BY shop")
        self.assertEqual(penstock.sql("SELECT max(total) FROM totals").fetchone(), (4.5,))

    def test_arrays_of_numpy_are_columns(self):
        values, pairs = numpy.arange(5), {"a": numpy.arange(3), "b": numpy.arange(3) * 2.0}
        records = numpy.zeros(2, dtype=[("x", "i4"), ("y", "f8")])
        self.assertEqual(penstock.sql("SELECT sum(column0) FROM values").fetchone(), (10,))
        self.assertEqual(penstock.sql("SELECT sum(a * b) FROM pairs").fetchone(), (10.0,))
        self.assertEqual(penstock.sql("SELECT count(y) FROM records").fetchone(), (2,))


class Parameters(unittest.TestCase):
    def test_values_of_each_type_come_back_as_duckdb_has_them(self):
        values = [
            True, 7, -(2**63), 2**64 - 1, 2.5, float("inf"), "it's", "", b"\x00\xff",
            decimal.Decimal("12.30"), datetime.date(2020, 2, 29),
            datetime.datetime(2020, 1, 2, 3, 4, 5, 6), datetime.time(1, 2, 3), None,
        ]  # fmt: skip
        for value in values:
            with self.subTest(value=value):
                ours = penstock.sql("SELECT ? AS x", [value]).fetchone()
                self.assertEqual(ours, duckdb.execute("SELECT ? AS x", [value]).fetchone())

    def test_a_name_may_be_used_twice(self):
        rows = penstock.sql("SELECT count(*) FROM SALES WHERE price > $p OR price = $p", {"p": 2.5})
        self.assertEqual(rows.fetchone(), (3,))

    def test_a_value_is_never_a_part_of_the_statement(self):
        hostile = "x' OR '1' = '1"
        rows = penstock.sql("SELECT count(*) FROM SALES WHERE shop = ?", [hostile])
        self.assertEqual(rows.fetchone(), (0,))

    def test_a_missing_and_a_needless_value_are_errors(self):
        for values in ([], [1, 2]):
            with self.assertRaises(penstock.PenstockError):
                penstock.sql("SELECT ? AS x", values).arrow()

    def test_another_value_compiles_nothing(self):
        session = penstock.Session()
        for value in (1.0, 2.0):
            session.query("SELECT sum(price) FROM t WHERE price > ?", {"t": SALES}, [value])
        self.assertEqual(session.report.kernels_compiled, 0)


class Shapes(unittest.TestCase):
    def test_nothing_runs_before_the_rows_are_asked_for(self):
        rows = penstock.sql("SELECT nope FROM SALES")
        with self.assertRaises(penstock.PenstockError):
            rows.arrow()

    def test_numbers_go_to_numpy_and_dlpack(self):
        rows = penstock.sql("SELECT price FROM SALES ORDER BY price")
        numpy.testing.assert_array_equal(rows.numpy()["price"], [1.5, 2.5, 3.0, 4.0])
        numpy.testing.assert_array_equal(numpy.from_dlpack(rows), [1.5, 2.5, 3.0, 4.0])

    def test_a_source_is_of_the_target_that_is_asked_for(self):
        text = penstock.sql("SELECT sum(price) FROM SALES").source("metal")
        self.assertIn("[[", text)
        with self.assertRaises(penstock.PenstockError):
            penstock.sql("SELECT sum(price) FROM SALES").source("fortran")

    def test_a_column_keeps_its_type_as_an_array(self):
        rows = penstock.sql("SELECT 9007199254740993 AS a")
        self.assertEqual(numpy.asarray(rows).dtype, numpy.int64)
        self.assertEqual(int(numpy.asarray(rows)[0]), 9007199254740993)

    def test_texts_are_strings_whatever_made_them(self):
        for text in ("DISTINCT shop", "upper(shop)", "'x'"):
            schema = penstock.sql(f"SELECT {text} AS s FROM SALES").schema
            self.assertEqual(schema, pyarrow.schema([("s", pyarrow.string())]), text)

    def test_a_schema_does_not_depend_on_the_rows(self):
        some = SALES.slice(0, 2)
        statement = "SELECT shop, price FROM t"
        schemas = [penstock.query(statement, {"t": t}).schema for t in (SALES, some)]
        self.assertEqual(*schemas)

    def test_a_definition_is_made_at_once(self):
        session = penstock.Session()
        session.sql("CREATE VIEW seen AS SELECT 1 AS a", planner="own")
        session.sql("CREATE TABLE kept AS SELECT 41 + 1 AS a")
        self.assertEqual(session.sql("SELECT a FROM kept").fetchone(), (42,))

    def test_a_change_is_made_at_once(self):
        session = penstock.Session()
        session.sql("-- of numbers\nCREATE TABLE t AS SELECT 1 AS a")
        added = session.sql("/* one */ insert INTO t VALUES (2), (3)")
        session.sql("UPDATE t SET a = 7 WHERE a = 1")
        session.sql("DELETE FROM t WHERE a = 3")
        self.assertEqual(sorted(session.query("FROM t")["a"].to_pylist()), [2, 7])
        self.assertEqual(len(added), 1)
        self.assertEqual(sorted(session.query("FROM t")["a"].to_pylist()), [2, 7])

    def test_a_parameter_without_values_says_so(self):
        with self.assertRaisesRegex(penstock.PenstockError, "no value"):
            penstock.sql("SELECT price FROM SALES WHERE price > ?").arrow()


class Forks(unittest.TestCase):
    def test_a_forked_process_may_close_a_session_that_runs(self):
        session, is_reading, may_go_on = penstock.Session(), threading.Event(), threading.Event()

        def batches():
            yield from SALES.to_batches()
            is_reading.set()
            may_go_on.wait(60)

        reader = pyarrow.RecordBatchReader.from_batches(SALES.schema, batches())
        asking = threading.Thread(target=session.query, args=("SELECT 1 FROM t", {"t": reader}))
        asking.start()
        self.assertTrue(is_reading.wait(60))
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            session.close()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        may_go_on.set()
        asking.join(60)


class Cancelling(unittest.TestCase):
    STATEMENT = "SELECT sum(sin(x) * cos(x) + ln(x + 1) * exp(-x)) + max(pow(x, 1.5)) AS s FROM t"

    def setUp(self):
        self.tables = {"t": {"x": numpy.arange(60_000_000, dtype=numpy.float64)}}
        # A shell starts jobs in the background with the signal ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def test_control_c_raises_keyboard_interrupt(self):
        begin = time.monotonic()
        timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            penstock.query(self.STATEMENT, self.tables)
            time.sleep(1)  # an interrupt that comes late
        self.assertLess(time.monotonic() - begin, 20)

    def test_another_thread_cancels(self):
        session = penstock.Session()
        timer = threading.Timer(0.3, session.cancel)
        timer.start()
        try:
            session.query(self.STATEMENT, self.tables)
        except penstock.PenstockError as error:
            self.assertEqual(error.code, "cancelled")
        timer.join()
        self.assertEqual(session.query("SELECT 1 AS x")["x"].to_pylist(), [1])


if __name__ == "__main__":
    driver.main()
