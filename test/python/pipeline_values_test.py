"""What lambdas of pipelines capture, and how columns are named."""

import datetime
import decimal
import unittest

import driver
import numpy as np
import pyarrow as pa

from penstock.pipeline import from_arrow
from penstock.session import Session
from penstock.tracing_choices import lit, when

DEVICE = driver.DEVICE


class Values(unittest.TestCase):
    def one(self, value, type=None):
        made = from_arrow(pa.table({"x": [1]})).map(y=lambda r: lit(value, type))
        column = made.arrow(device=DEVICE)["y"]
        self.assertEqual(column.type, made.schema.field("y").type)
        return column[0].as_py()

    def test_each_captured_value_arrives_as_it_is(self):
        utc = datetime.timezone.utc
        for value in (
            True, False, 0, -1, 2**63 - 1, -(2**63), 2**64 - 1, 0.1, -0.0, 1e308, 5e-324,
            float("inf"), "", "it's", 'a"b', "\\n", "é日\n", "a\0b", "$1", "{}", "--", b"", b"\0'x",
            decimal.Decimal("-12.340"), decimal.Decimal("1000"), datetime.date(1, 1, 1),
            datetime.date(9999, 12, 31), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
            datetime.time(23, 59, 59, 1), datetime.datetime(2024, 1, 1, 12, tzinfo=utc),
        ):  # fmt: skip
            with self.subTest(value=value):
                self.assertEqual(repr(self.one(value)).replace("zoneinfo.ZoneInfo(key='UTC')",
                                 "datetime.timezone.utc"), repr(value))  # fmt: skip

    def test_numpy_scalars_keep_their_types(self):
        for type_ in ("int8", "uint16", "int64", "uint64", "float32", "float64", "bool"):
            made = from_arrow(pa.table({"x": [1]})).map(y=lambda r: np.dtype(type_).type(1))
            self.assertEqual(made.schema.field("y").type, pa.from_numpy_dtype(np.dtype(type_)))
        self.assertEqual(self.one(np.datetime64("2024-05-06T01:02:03")).day, 6)
        self.assertEqual(self.one(np.str_("a")), "a")

    def test_pythons_numbers_take_the_columns_type_and_numpys_keep_theirs(self):
        rows = from_arrow(
            pa.table({"x": pa.array([1], pa.int8()), "f": pa.array([1], pa.float32())})
        )
        types = rows.map(
            a=lambda r: r.x + 1,
            b=lambda r: r.x + np.int64(1),
            c=lambda r: r.f * 1.5,
            d=lambda r: r.f * np.float64(1.5),
            e=lambda r: r.x + 1000,
        ).schema.types
        wanted = [pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.int16()]
        self.assertEqual(types, wanted)

    def test_a_null_has_a_type(self):
        self.assertIsNone(self.one(None, pa.int16()))
        made = from_arrow(pa.table({"x": [1, 2]})).map(
            y=lambda r: when(r.x > 1).then(None).otherwise("a")
        )
        self.assertEqual(made.arrow(device=DEVICE)["y"].to_pylist(), ["a", None])

    def test_another_captured_value_compiles_nothing(self):
        with Session(DEVICE) as session:
            for limit in (1.5, 2.5, -7.0):
                made = (
                    from_arrow(pa.table({"p": [0.5, 1.5, 4.5]}))
                    .filter(lambda r: r.p * 2 > limit)
                    .map(x=lambda r: r.p)
                )
                made.run(session=session)
            self.assertEqual(session.report.kernels_compiled, 0)

    def test_a_captured_value_is_read_when_the_step_is_added(self):
        limit = 1
        made = from_arrow(pa.table({"x": [1, 2, 3]})).filter(lambda r: r.x > limit)
        limit = 2
        self.assertEqual(made.count(device=DEVICE), 2)

    def test_a_lambda_is_called_once(self):
        calls = []
        made = from_arrow(pa.table({"x": [1]})).map(x=lambda r: calls.append(1) or r.x)
        made.head(1).filter(lambda r: r.x > 0).arrow(device=DEVICE)
        self.assertEqual(len(calls), 1)


class Names(unittest.TestCase):
    def test_names_that_sql_has_trouble_with_come_back_as_they_are(self):
        names = ['a"b', "select", "A", "a", "é", "É", "$1", "", "x" * 100, "x" * 100 + "y", "日本",
                 "a b", "?", "{}", "'", "c0", "\n"]  # fmt: skip
        data = pa.table([[index, index + 1] for index in range(len(names))], names=names)
        made = (
            from_arrow(data)
            .filter(lambda r: r['a"b'] >= 0)
            .sort("a", "")
            .with_columns({'"': lambda r: r["x" * 100] + r["A"] + r[""]})
        )
        made = made.head(2).filter(lambda r: r['"'] >= 0).group_by(*names).agg({'"': ('"', "max")})
        result = made.arrow(device=DEVICE)
        self.assertEqual(result.column_names, [*names, '"'])
        self.assertEqual(list(result.to_pylist()[0].values()), [*range(len(names)), 8 + 2 + 7])

    def test_columns_may_have_the_names_of_methods(self):
        names = ["sum", "filter", "len", "map", "str", "dt", "columns", "self", "_trace", "keys"]
        rows = from_arrow(pa.table([[index] for index in range(len(names))], names=names))
        made = rows.map(a=lambda r: r.sum, b=lambda r: r.filter + r["map"], c=lambda r: r["_trace"])
        self.assertEqual(made.arrow(device=DEVICE).to_pylist(), [{"a": 0, "b": 4, "c": 8}])
        made = rows.group_by("sum").agg(self=lambda g: g.len.max(), columns=("filter", "sum"))
        self.assertEqual(
            made.arrow(device=DEVICE).to_pylist()[0], {"sum": 0, "self": 2, "columns": 1}
        )

    def test_columns_that_the_engine_cannot_compute_with_stay_out_of_the_way(self):
        rows = from_arrow(pa.table({"x": [1], "halves": pa.array([1.5], pa.float16())}))
        self.assertEqual(rows.map(y=lambda r: r.x).count(device=DEVICE), 1)


if __name__ == "__main__":
    driver.main()
