"""Values of parameters: DuckDB's answers where it takes them, and plain errors of what is none."""

import datetime
import decimal
import unittest
import uuid

import driver

try:
    import duckdb
    import numpy
    import pandas
    import pyarrow

    import penstock
except ImportError as error:
    driver.skip_all(error)

NOON = datetime.datetime(2024, 1, 1, 12, 0, 0, 250)
ZONE = datetime.timezone(datetime.timedelta(hours=2))


def asked(sql, parameters, **options):
    return penstock.sql(sql, parameters, device="cpu", **options).fetchone()


class Values(unittest.TestCase):
    def test_values_that_duckdb_takes_have_its_types(self):
        for value in (
            None,
            True,
            2**63,
            1.5,
            "a",
            "",
            b"a\xff",
            bytearray(b"a"),
            decimal.Decimal("1.50"),
            decimal.Decimal("1E+5"),
            uuid.UUID(int=5),
            NOON.date(),
            NOON,
            NOON.time(),
            numpy.float64(1.5),
            numpy.str_("x"),
            numpy.bytes_(b"x"),
            numpy.datetime64("2024-01-01"),
            numpy.datetime64("2024-01"),
            numpy.datetime64("2024-01-01T01"),
            numpy.datetime64("2024-01-01T01:02:03.004"),
            numpy.datetime64("2024-01-01T01:02:03.004005"),
            numpy.datetime64("NaT"),
            numpy.ma.masked,
            pandas.Timestamp("2024-01-01 01:02:03"),
            pandas.NA,
            pandas.NaT,
            ["a", None],
            [1.5, None],
            [True],
            [NOON.date(), None],
            [uuid.UUID(int=1)],
            [[1.5], [], None],
            {"a": 1.5, "b": "x"},
        ):
            with self.subTest(repr(value)):
                sql = "SELECT ? AS x, typeof(?) AS t"
                self.assertEqual(
                    asked(sql, [value, value]), duckdb.execute(sql, [value, value]).fetchone()
                )

    def test_numbers_of_numpy_keep_their_types(self):
        for kind, name in (
            ("bool", "BOOLEAN"),
            ("int8", "TINYINT"),
            ("int16", "SMALLINT"),
            ("int32", "INTEGER"),
            ("int64", "BIGINT"),
            ("uint8", "UTINYINT"),
            ("uint16", "USMALLINT"),
            ("uint32", "UINTEGER"),
            ("uint64", "UBIGINT"),
            ("float16", "FLOAT"),
            ("float32", "FLOAT"),
            ("float64", "DOUBLE"),
        ):
            value = numpy.dtype(kind).type(1)
            for given in (value, numpy.array(value)):
                with self.subTest(kind):
                    self.assertEqual(asked("SELECT ?, typeof(?)", [given, given]), (1, name))
            with self.subTest("list of " + kind):
                of_list = asked("SELECT ?, typeof(?)", [numpy.array([value] * 2)] * 2)
                self.assertEqual(of_list, ([1, 1], name + "[]"))

    def test_differences_of_times_are_intervals(self):
        for value, text in (
            (datetime.timedelta(days=1, seconds=2), "1 day 2 seconds"),
            (pandas.Timedelta("1 day 2s"), "1 day 2 seconds"),
            (numpy.timedelta64(5, "s"), "5 seconds"),
            (numpy.timedelta64(90_000, "s"), "1 day 1 hour"),
            (numpy.timedelta64(-5, "s"), "-5 seconds"),
            (numpy.timedelta64(5000, "ns"), "5 microseconds"),
            (numpy.timedelta64(2, "W"), "14 days"),
            (numpy.timedelta64(14, "M"), "14 months"),
            (numpy.timedelta64(1, "Y"), "1 year"),
            (pyarrow.scalar(5, pyarrow.duration("s")), "5 seconds"),
        ):
            with self.subTest(repr(value)):
                found = asked(f"SELECT ? AS x, INTERVAL '{text}' AS y", [value])
                self.assertEqual(found[0], found[1])

    def test_times_of_a_zone_are_in_utc(self):
        for value in (NOON.replace(tzinfo=ZONE), pandas.Timestamp(NOON, tz="Africa/Cairo")):
            (found,) = asked("SELECT ?", [value])
            self.assertEqual(found, NOON.replace(hour=10, tzinfo=datetime.timezone.utc))

    def test_lists_choose_rows(self):
        t = pyarrow.table({"x": [1, 2, 3, 4], "s": ["a", "b", "c", "d"]})
        for wanted in ([1, 3], (3, 1), numpy.array([1, 3], "i2"), [1, 3, None]):
            for condition in ("list_contains(?, x)", "x = ANY(?)"):
                sql = f"SELECT s FROM t WHERE {condition} ORDER BY s"
                with self.subTest(sql=sql, wanted=wanted):
                    found = penstock.sql(sql, [wanted], device="cpu", tables={"t": t})
                    self.assertEqual(found.fetchall(), [("a",), ("c",)])

    def test_large_integers_are_exact(self):
        for value in (2**64, -(2**63) - 1, 10**38 - 1, 1 - 10**38):
            self.assertEqual(asked("SELECT ?", [value]), (value,))
        self.assertEqual(asked("SELECT ?", [[1, 2**64]]), ([1, 2**64],))


class Refused(unittest.TestCase):
    def assert_fails(self, sql, parameters, *words):
        with self.assertRaises(penstock.PenstockError) as caught:
            asked(sql, parameters)
        self.assertEqual(caught.exception.code, "invalid")
        for word in words:
            self.assertIn(word, caught.exception.message)

    def test_values_that_sql_lacks(self):
        for value, word in (
            (10**38, "38 digits"),
            (object(), "object"),
            (1j, "complex"),
            ({1, 2}, "set"),
            (range(3), "range"),
            (decimal.Decimal("NaN"), "NaN"),
            (numpy.complex64(1), "complex64"),
            (numpy.longdouble(1), "64 bits"),
            (numpy.void(b"abc"), "void"),
            (numpy.datetime64("2024-01-01T00:00:00.000000001"), "microseconds"),
            (numpy.timedelta64(1, "ns"), "microseconds"),
            (numpy.timedelta64(1), "unit"),
            (pandas.Timestamp("2024-01-01T00:00:00.000000001"), "microseconds"),
            (pandas.Timedelta(1, "ns"), "microseconds"),
            (pandas.Period("2024-01"), "Period"),
            (NOON.time().replace(tzinfo=ZONE), "time zone"),
            ([1, "a"], "list"),
            ([{1}], "list"),
        ):
            with self.subTest(repr(value)):
                self.assert_fails("SELECT ?", [value], "the parameter 1", word)
                self.assert_fails("SELECT $of", {"of": value}, "the parameter of", word)

    def test_names_for_places_and_places_for_names(self):
        self.assert_fails("SELECT ?", {"a": 1}, "dict", "?", "list")
        self.assert_fails("SELECT ?", {"1": 1}, "dict", "?", "list")
        self.assert_fails("SELECT $1", {"a": 1}, "dict", "$1", "list")
        self.assert_fails("SELECT $a + $b", [1, 2], "list", "$a, $b", "dict")
        self.assert_fails("SELECT $a", {5: 1}, "5", "string")
        self.assert_fails("SELECT $1", {"2": 1}, '"1"')
        for given in ("abc", 5, {5}, iter([5])):
            self.assert_fails("SELECT ?", given, "parameters=", type(given).__name__)

    def test_too_many_and_too_few(self):
        self.assert_fails("SELECT ?", [1, 2], "2")
        self.assert_fails("SELECT ?, ?", [1], "2")
        self.assert_fails("SELECT ?", [], "1")
        self.assert_fails("SELECT $a", {}, "a")
        self.assert_fails("SELECT $a", {"a": 1, "b": 2}, "$b")

    def test_dollars_of_texts_are_no_parameters(self):
        self.assertEqual(asked("SELECT '$b', $$ $c ? $$, $a -- ?", {"a": 1})[2], 1)


class Names(unittest.TestCase):
    def test_parameters_are_found_in_any_case(self):
        self.assertEqual(asked("SELECT $Name, $NAME", {"name": 1}), (1, 1))
        self.assertEqual(asked("SELECT $a, $A", {"a": 1, "A": 2}), (1, 2))
        with self.assertRaises(penstock.PenstockError) as caught:
            asked("SELECT $aB", {"ab": 1, "AB": 2})
        self.assertIn("ab and AB", caught.exception.message)

    def test_numbers_are_found_by_their_keys(self):
        self.assertEqual(asked("SELECT $2, $1", {"2": "two", "1": "one"}), ("two", "one"))

    def test_tables_are_found_in_any_case(self):
        rows = pyarrow.table({"x": [1]})
        names = ("Sales", "sales", "SALES", '"SALES"', '"Sales"')
        for planner in ("own", "duckdb"):
            for name in names:
                for given in ("Sales", "sales"):
                    with self.subTest(name=name, given=given, planner=planner):
                        options = {"tables": {given: rows}, "planner": planner}
                        self.assertEqual(asked(f"SELECT x FROM {name}", None, **options), (1,))

    def test_a_table_of_the_same_case_goes_first(self):
        tables = {"a": pyarrow.table({"x": [1]}), "A": pyarrow.table({"x": [2]})}
        self.assertEqual(asked("FROM A", None, tables=tables), (2,))
        self.assertEqual(asked("FROM a", None, tables=tables), (1,))

    def test_two_tables_of_other_cases_are_refused(self):
        tables = {"Ab": pyarrow.table({"x": [1]}), "aB": pyarrow.table({"x": [2]})}
        with self.assertRaises(penstock.PenstockError) as caught:
            asked("FROM ab", None, tables=tables)
        self.assertIn("tables= has Ab and aB", caught.exception.message)

    def test_variables_keep_their_case_as_duckdbs(self):
        Sales = pyarrow.table({"x": [1]})  # noqa: F841
        self.assertEqual(penstock.sql("FROM Sales", device="cpu").fetchone(), (1,))
        for sql in (penstock.sql, duckdb.sql):
            with self.assertRaises((penstock.PenstockError, duckdb.Error)):
                sql("FROM SALES").fetchone()


class Mixed(unittest.TestCase):
    def test_times_with_and_without_a_zone_are_no_list(self):
        aware = NOON.replace(tzinfo=ZONE)
        for values in ([NOON, aware], [aware, None, NOON], [[NOON], [aware]]):
            with self.subTest(values), self.assertRaises(penstock.PenstockError) as caught:
                asked("SELECT ?", [values])
            self.assertIn("some times have a zone, and some have none", caught.exception.message)
        self.assertEqual(asked("SELECT ?", [[NOON, None]]), ([NOON, None],))


class Spelling(unittest.TestCase):
    def test_values_of_a_statement_without_parameters_say_how_sql_writes_them(self):
        for sql, values in (("SELECT %s", [1]), ("SELECT :a", {"a": 1}), ("SELECT '?'", [1, 2])):
            with self.subTest(sql), self.assertRaises(penstock.PenstockError) as caught:
                asked(sql, values)
            self.assertIn("as ?, $1 or $name", caught.exception.message)


if __name__ == "__main__":
    driver.main()
