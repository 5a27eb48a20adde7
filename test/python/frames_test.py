"""Frames of pandas: each type's values and dtype beside those that DuckDB's df() makes."""

import decimal
import itertools
import unittest

import driver

try:
    import duckdb
    import numpy
    import pandas
    import pyarrow

    import penstock
except ImportError as error:
    driver.skip_all(error)

NUMBERS = (
    "TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT HUGEINT FLOAT DOUBLE "
    "DECIMAL(4,1) DECIMAL(9,2) DECIMAL(18,3) DECIMAL(38,2) BOOLEAN"
).split()
TEXTS = {
    "DATE": "0001-01-01",
    "TIMESTAMP": "2024-01-02 03:04:05.678901",
    "TIME": "03:04:05.5",
    "UUID": "00000000-0000-0000-0000-000000000001",
    "VARCHAR": "a",
    "INTERVAL": "14 months 3 days 5 seconds",
}
NESTED = (
    "[1, 2]",
    "[1, NULL]",
    "[1.5::DOUBLE, NULL]",
    "[true, NULL]",
    "['a', NULL]",
    "[1.5, 2.5]",
    "[1::HUGEINT]",
    "[DATE '2024-01-01', NULL]",
    "[TIME '03:04:05']",
    "[INTERVAL 1 DAY]",
    "[[1, NULL], [2]]",
    "[[1], NULL]",
    "[{'a': 1, 'b': [1]}]",
    "{'a': 1, 'b': 'x', 'c': 9007199254740993}",
    "{'d': DATE '2024-01-01', 'n': 1.5, 'l': [1, NULL], 'i': INTERVAL 1 MONTH}",
    "{'u': UUID '00000000-0000-0000-0000-000000000001', 't': TIMESTAMP '2024-01-01'}",
    "{'s': {'i': [INTERVAL 1 DAY, NULL]}}",
    "MAP {'a': 1}",
    "MAP {1: [1, NULL]}",
    "MAP {[1]: 1}",
    "MAP {{'a': 1}: INTERVAL 1 DAY}",
)


def shown(series):
    """Returns the dtype, and the type and text of each value."""
    return str(series.dtype), [(type(value).__name__, repr(value)) for value in series.tolist()]


class TypesOfFrames(unittest.TestCase):
    def assert_same(self, sql):
        expected = duckdb.connect().sql(sql).df()
        frame = penstock.sql(sql).df()
        self.assertEqual(list(frame.columns), list(expected.columns))
        for name in expected.columns:
            self.assertEqual(shown(frame[name]), shown(expected[name]), sql)

    def test_values_are_duckdbs(self):
        values = [f"CAST(1 AS {type_})" for type_ in NUMBERS]
        values += [f"CAST('{text}' AS {type_})" for type_, text in TEXTS.items()]
        for value in (*values, *NESTED):
            with self.subTest(value):
                self.assert_same(f"SELECT {value} AS x")

    def test_values_beside_null_are_duckdbs(self):
        values = [f"CAST(1 AS {type_})" for type_ in NUMBERS]
        values += [f"CAST('{text}' AS {type_})" for type_, text in TEXTS.items()]
        for value in (*values, *NESTED):
            with self.subTest(value):
                self.assert_same(f"SELECT {value} AS x UNION ALL SELECT NULL")

    def test_columns_without_a_value_are_duckdbs(self):
        for type_ in [*NUMBERS, "DATE", "TIMESTAMP", "TIME", "UUID", "INTERVAL", "INTEGER[]"]:
            with self.subTest(type_):
                self.assert_same(f"SELECT CAST(NULL AS {type_}) AS x")
                self.assert_same(f"SELECT CAST(NULL AS {type_}) AS x WHERE false")

    def test_whole_numbers_of_many_batches_beside_null(self):
        batches = [pyarrow.array([1, None]), pyarrow.array([], "i8"), pyarrow.array([2**53 + 1])]
        numbers = pyarrow.table({"x": pyarrow.chunked_array(batches)})
        self.assertEqual(
            shown(penstock.sql("FROM numbers").df().x), shown(duckdb.sql("FROM numbers").df().x)
        )

    def test_slices_of_lists_and_intervals(self):
        rows = pyarrow.table(
            {
                "l": pyarrow.array([[1], None, [2, None], [], [3]]),
                "i": pyarrow.array(
                    [pyarrow.MonthDayNano([n, 1, 1000]) if n % 2 else None for n in range(5)]
                ),
            }
        ).slice(1, 3)
        found, expected = penstock.sql("FROM rows").df(), duckdb.sql("FROM rows").df()
        for name in expected.columns:
            self.assertEqual(shown(found[name]), shown(expected[name]))

    def test_names_of_two_columns_are_told_apart(self):
        frame = penstock.sql("SELECT 1 AS x, NULL::INTEGER AS x, 2 AS y, 3 AS x").df()
        self.assertEqual(list(frame.columns), ["x", "x_1", "y", "x_2"])
        self.assertEqual(frame["x_2"].tolist(), [3])

    def test_names_that_are_told_apart_are_duckdbs(self):
        other = duckdb.connect()
        for names in itertools.product(("a", "A", "a_1", "a_2", "a_1_1"), repeat=3):
            sql = "SELECT " + ", ".join(f'1 AS "{name}"' for name in names)
            with self.subTest(names):
                ours = penstock.sql(sql, planner="own").df()
                self.assertEqual(list(ours.columns), list(other.execute(sql).df().columns))

    def test_values_that_pandas_lacks_are_errors(self):
        for value in ("DATE '5000000-01-01'", "INTERVAL 10000000 MONTH"):
            with self.subTest(value), self.assertRaises(penstock.PenstockError) as caught:
                penstock.sql(f"SELECT {value} AS x").df()
            self.assertEqual(caught.exception.code, "overflow")

    def test_a_frame_may_be_changed(self):
        frame = penstock.sql("SELECT 1 AS a, 1.5 AS b, [1] AS c, NULL::BIGINT AS d").df()
        for name, value in (("a", 5), ("b", 2.5), ("d", 7)):
            frame.loc[0, name] = value
            self.assertEqual(frame[name].tolist(), [value])


class FramesThatDuckdbMakesOtherwise(unittest.TestCase):
    """docs/python.md lists these."""

    def test_bytes_are_immutable(self):
        self.assertEqual(penstock.sql("SELECT 'a'::BLOB AS x").df().x.tolist(), [b"a"])

    def test_texts_without_a_value_keep_the_type(self):
        dtype = penstock.sql("SELECT 'a' AS x").df().x.dtype
        for sql in ("SELECT 'a' AS x WHERE false", "SELECT NULL::VARCHAR AS x"):
            self.assertEqual(penstock.sql(sql).df().x.dtype, dtype)

    def test_categories_are_texts(self):
        rows = pandas.DataFrame({"x": pandas.Categorical(["a", None, "b"])})
        self.assertEqual(penstock.sql("FROM rows").df().x.dropna().tolist(), ["a", "b"])

    def test_times_of_a_zone_are_in_utc(self):
        frame = penstock.sql("SELECT TIMESTAMPTZ '2024-01-02 03:04:05+00' AS x").df()
        self.assertEqual(str(frame.x.dtype), "datetime64[us, UTC]")


class FramesOfOthers(unittest.TestCase):
    def test_pipelines_and_workers_make_the_same(self):
        rows = pyarrow.table({"x": pyarrow.array([1, None], "i4"), "y": [None, True]})
        self.assertEqual(
            shown(penstock.from_arrow(rows).df().x), shown(penstock.sql("FROM rows").df().x)
        )
        worker = penstock.BatchWorker("SELECT * FROM batch")
        frame = worker(pandas.DataFrame({"x": numpy.array([1, 2], "i4")}))
        self.assertEqual(str(frame.x.dtype), "int32")

    def test_decimals_are_the_nearest_floats(self):
        cents = [decimal.Decimal(n).scaleb(-2) for n in range(-99_999, 100_000)]
        expected = [float(value) for value in cents]
        rows = pyarrow.table({"x": pyarrow.array(cents, pyarrow.decimal128(9, 2))})
        result = penstock.sql("FROM rows", planner="own")
        self.assertEqual(result.numpy()["x"].tolist(), expected)
        self.assertEqual(result.df().x.tolist(), expected)
        self.assertEqual(penstock.from_arrow(rows).df().x.tolist(), expected)
        lists = pyarrow.table({"x": pyarrow.array([cents], pyarrow.list_(rows.schema[0].type))})
        result = penstock.sql("FROM lists", planner="own")
        self.assertEqual(result.numpy()["x"][0].tolist(), expected)
        self.assertEqual(result.df().x[0].tolist(), expected)


if __name__ == "__main__":
    driver.main()
