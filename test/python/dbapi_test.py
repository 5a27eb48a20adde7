"""PEP 249's module, as programs that know nothing of ADBC use it; and pandas and Polars over it."""

import datetime
import decimal
import pathlib
import tempfile
import unittest

import driver

try:
    import adbc_driver_manager
    import pandas
    import pyarrow
    import pyarrow.parquet
    from adbc_driver_penstock import dbapi
except ImportError as error:
    driver.skip_all(error)

try:
    import polars
except ImportError:
    polars = None

CODE = adbc_driver_manager.AdbcStatusCode
FRAME = pandas.DataFrame(
    {
        "a": [1, 2, 3],
        "b": ["x", None, "z"],
        "d": [datetime.date(2024, 1, 1), None, datetime.date(1969, 12, 31)],
        "x": [0.5, float("inf"), -1.25],
    }
)


class Connected(unittest.TestCase):
    def setUp(self):
        self.connection = dbapi.connect(device="cpu:0")
        self.addCleanup(self.connection.close)

    def rows(self, statement, parameters=None):
        with self.connection.cursor() as cursor:
            return cursor.execute(statement, parameters).fetchall()


class Module(Connected):
    def test_globals_say_how_it_is_used(self):
        self.assertEqual((dbapi.apilevel, dbapi.paramstyle), ("2.0", "qmark"))
        self.assertTrue(issubclass(dbapi.ProgrammingError, dbapi.DatabaseError))

    def test_a_program_makes_fills_and_reads_a_table(self):
        cursor = self.connection.cursor()
        cursor.execute("CREATE TABLE people (name VARCHAR, born DATE, pay DECIMAL(9, 2))")
        self.assertEqual(cursor.fetchall(), [])
        people = [
            ("Ada", datetime.date(1815, 12, 10), decimal.Decimal("12.50")),
            ("it's ? $1", None, decimal.Decimal("-0.01")),
            (None, datetime.date(2000, 2, 29), None),
        ]
        cursor.executemany("INSERT INTO people VALUES (?, ?, ?)", people)
        self.assertEqual(cursor.rowcount, 3)
        self.connection.commit()
        cursor.execute("SELECT * FROM people WHERE pay > ? OR pay IS NULL ORDER BY born", [0])
        self.assertEqual([column[0] for column in cursor.description], ["name", "born", "pay"])
        self.assertEqual(cursor.fetchone(), people[0])
        self.assertEqual(cursor.fetchmany(5), [people[2]])
        self.assertIsNone(cursor.fetchone())
        cursor.execute("UPDATE people SET pay = pay + ? WHERE name = ?", [1, "Ada"])
        self.assertEqual(cursor.rowcount, 1)
        cursor.execute("DELETE FROM people WHERE name IS NULL OR name <> ?", ["Ada"])
        self.assertEqual(cursor.rowcount, 2)
        self.assertEqual(self.rows("SELECT pay FROM people"), [(decimal.Decimal("13.50"),)])
        cursor.close()

    def test_cursors_iterate_and_end(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT * FROM (VALUES (1), (2), (3)) t(n) ORDER BY n")
            self.assertEqual([n for (n,) in cursor], [1, 2, 3])
        with self.assertRaises(dbapi.Error):
            cursor.execute("SELECT 1")

    def test_connections_of_one_database_share_tables(self):
        self.rows("CREATE TABLE t AS SELECT 5 AS n")
        other = self.connection.adbc_clone()
        self.addCleanup(other.close)
        with other.cursor() as cursor:
            self.assertEqual(cursor.execute("SELECT n FROM t").fetchall(), [(5,)])
            cursor.execute("INSERT INTO t VALUES (6)")
        self.assertEqual(self.rows("SELECT sum(n) FROM t"), [(11,)])

    def test_errors_have_classes_codes_and_states(self):
        self.rows("CREATE TABLE t (n INTEGER)")
        self.rows("INSERT INTO t VALUES (2147483647)")
        for statement, kind, code, state in (
            ("SELEC 1", dbapi.ProgrammingError, CODE.INVALID_ARGUMENT, "42601"),
            ("SELECT n FROM", dbapi.ProgrammingError, CODE.INVALID_ARGUMENT, "42601"),
            ("INSERT INTO", dbapi.ProgrammingError, CODE.INVALID_ARGUMENT, "42601"),
            (
                "CREATE TABLE q AS SELECT FROM",
                dbapi.ProgrammingError,
                CODE.INVALID_ARGUMENT,
                "42601",
            ),
            ("SELECT 'open", dbapi.ProgrammingError, CODE.INVALID_ARGUMENT, "42601"),
            ("SELECT nope FROM t", dbapi.ProgrammingError, CODE.INVALID_ARGUMENT, "42000"),
            ("SELECT median(nope) FROM t", dbapi.ProgrammingError, CODE.INVALID_ARGUMENT, "42000"),
            ("SELECT * FROM nope", dbapi.ProgrammingError, CODE.NOT_FOUND, "42P01"),
            ("SELECT * FROM 'no.parquet'", dbapi.ProgrammingError, CODE.NOT_FOUND, "42P01"),
            ("INSERT INTO nope VALUES (1)", dbapi.ProgrammingError, CODE.NOT_FOUND, "42P01"),
            ("DELETE FROM nope", dbapi.ProgrammingError, CODE.NOT_FOUND, "42P01"),
            ("DROP TABLE nope", dbapi.ProgrammingError, CODE.NOT_FOUND, "42P01"),
            ("ALTER TABLE t ADD x INT", dbapi.NotSupportedError, CODE.NOT_IMPLEMENTED, "0A000"),
            ("SELECT n + 1 FROM t", dbapi.DataError, CODE.INVALID_DATA, "22003"),
        ):
            with self.subTest(statement), self.assertRaises(kind) as caught:
                self.rows(statement)
            self.assertEqual(
                (statement, caught.exception.status_code, caught.exception.sqlstate),
                (statement, code, state),
            )

    def test_a_device_that_is_missing_is_an_operational_error(self):
        connection = dbapi.connect(device="cuda:99")
        self.addCleanup(connection.close)
        cursor = connection.cursor()
        self.addCleanup(cursor.close)
        with self.assertRaises(dbapi.OperationalError) as caught:
            cursor.execute("SELECT n FROM (VALUES (1)) t(n)")
        self.assertEqual(caught.exception.status_code, CODE.IO)
        self.assertEqual(caught.exception.sqlstate, "08001")


class Pandas(Connected):
    def test_a_frame_comes_back(self):
        self.assertEqual(FRAME.to_sql("t", self.connection, index=False), 3)
        for source in ("t", "SELECT * FROM t"):
            read = pandas.read_sql(source, self.connection)
            pandas.testing.assert_frame_equal(read, FRAME, check_dtype=False)

    def test_a_table_is_appended_replaced_or_refused(self):
        for mode, count in (("fail", 3), ("append", 6), ("replace", 3)):
            FRAME.to_sql("t", self.connection, index=False, if_exists=mode)
            self.assertEqual(self.rows("SELECT count(*) FROM t"), [(count,)])
        with self.assertRaises(ValueError):
            FRAME.to_sql("t", self.connection, index=False)

    def test_files_are_tables_of_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sales.parquet"
            pyarrow.parquet.write_table(pyarrow.table({"n": [1, 2, 3]}), path)
            with dbapi.connect(folder, device="cpu:0") as connection:
                read = pandas.read_sql("SELECT sum(n) AS s FROM sales WHERE n > 1", connection)
        self.assertEqual(int(read.s[0]), 5)


@unittest.skipIf(polars is None, "Polars is not installed")
class Polars(Connected):
    def test_a_frame_comes_back(self):
        frame = polars.DataFrame({"a": [1, 2, None], "b": ["x", "y", "z"]})
        frame.write_database("t", self.connection)
        read = polars.read_database("SELECT * FROM t ORDER BY b", self.connection)
        self.assertEqual(read.to_dict(as_series=False), frame.to_dict(as_series=False))


if __name__ == "__main__":
    driver.main()
