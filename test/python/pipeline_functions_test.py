"""Operators and methods of traced values: their types beside the engine's, values beside Polars."""

import datetime
import math
import operator
import random
import unittest

import driver
import numpy as np
import pyarrow as pa

from penstock import tracing_types as types
from penstock.pipeline import from_arrow
from penstock.pipeline_text import statement_of
from penstock.session import PenstockError, session_of
from penstock.tracing_choices import coalesce, when

try:
    import polars
except ImportError:
    polars = None
DEVICE = driver.DEVICE
ROWS = 120

TYPES = [
    *types.SIGNED, *types.UNSIGNED, pa.bool_(), pa.float32(), pa.float64(), pa.string(),
    pa.binary(), pa.date32(), types.TIMESTAMP, types.TIMESTAMP_UTC, types.TIME, types.INTERVAL,
    pa.decimal128(38, 0), pa.decimal128(4, 1), pa.decimal128(12, 2), pa.decimal128(30, 4),
]  # fmt: skip
BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "=": operator.eq,
    "<": operator.lt, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, "coalesce": coalesce, "maximum": np.maximum,
    "when": lambda a, b: when(a.is_null()).then(a).otherwise(b),
}  # fmt: skip
UNARY = (
    "x.abs() -x ~x x.sqrt() x.exp() x.log() x.log(3) x.floor() x.ceil() x.trunc() x.round() "
    "x.round(2) x.sign() x.is_nan() x.is_null() x.sum().over() x.mean().over() x.max().over() "
    "x.count().over() x.any().over() x**2 x**3 x**.5 2**x x.clip(1,5) x.is_in([1,2]) x+1 x+1000 "
    "x-1 x*1.5 x//3 x%3 x%-3 1/x x.fill_null(0) x.fill_nan(None) x.dt.year() x.dt.hour() "
    "x.dt.microsecond() x.dt.date() x.dt.time() x.dt.month_end() x.dt.epoch('s') "
    "x.dt.epoch('d') x.dt.truncate('hour') x.dt.strftime('%Y') x.dt.total_seconds() "
    "x.str.len_chars() x.str.reverse() x.str.strip_chars() x.str.slice(-3,2) x.str.find('a') "
    "x.str.contains('a.b') x.str.replace('a','b') x.str.extract('(a)') x.str.to_date('%Y') "
    "x.str.pad_start(5) x.str.to_integer() x.cast('int8') x.cast(float) x.cast(str) x.cast('date') "
    "x.cast('datetime') x.cast('time') x.cast(bool) x.cast('DECIMAL(10,2)') x.cast('TIMESTAMPTZ')"
).split()

VALUES = """
r.i+r.j; r.i-3; 3-r.i; r.i/r.j; r.i//r.j; r.i%r.j; r.i//3; r.i%3; r.i//-3; r.i%-7; 100//r.j
-100%r.j; r.u//3; r.u%7; r.d//1.5; r.d%1.5; r.f//2; r.f%2; r.d%-1.5; r.i**2; r.d**2; r.p**r.j; -r.i
r.d.abs(); r.p.sqrt(); r.d.floor(); r.d.ceil(); r.d.round(); r.d.round(1); r.p.log(); r.p.log(2)
r.p.log1p(); r.d.sign(); r.i.sign(); r.d.sin(); r.d.arctan(); r.p.cbrt(); r.i>3; r.d>r.f; r.d==r.d
r.d<0.5; r.s=="a"; r.s<"b"; r.i.is_between(-3,10); r.i.is_between(-3,10,"left")
r.i.is_between(-3,10,closed="none"); r.i.is_in([1,2,3]); r.i.eq_missing(r.j); r.i.ne_missing(r.j)
r.b&(r.i>0); r.b|(r.i>0); r.b^(r.i>0); ~r.b; r.i&7; r.i|8; r.i^5; ~r.i; r.i.is_null()
r.i.fill_null(0); r.d.fill_nan(0.0); r.d.fill_nan(None); r.d.is_nan(); r.d.is_finite()
r.d.is_infinite(); r.i.clip(-3,10); r.d.clip(-1,1); r.i.is_nan(); r.i.floordiv(4); r.b.and_(True)
r.dd.dt.year(); r.dd.dt.week(); r.dd.dt.weekday(); r.dd.dt.ordinal_day(); r.dd.dt.quarter()
r.dd.dt.iso_year(); r.dd.dt.month_start(); r.dd.dt.month_end(); r.dd.dt.epoch("d")
r.dd.dt.epoch("s"); r.ts.dt.hour(); r.ts.dt.second(); r.ts.dt.millisecond(); r.ts.dt.microsecond()
r.ts.dt.nanosecond(); r.ts.dt.date(); r.ts.dt.time(); r.ts.dt.epoch("s"); r.ts.dt.epoch("ms")
r.ts.dt.strftime("%Y-%m"); r.ts.dt.epoch("d"); r.s.str.len_chars(); r.s.str.len_bytes()
r.s.str.to_uppercase(); r.s.str.contains("a"); r.s.str.contains("a.b"); r.s.str.contains("^A")
r.s.str.contains("a.b",literal=True); r.s.str.starts_with("a"); r.s.str.ends_with("c")
r.s.str.strip_chars(); r.s.str.strip_chars_start(); r.s.str.strip_chars_end(); r.s+"!"; "<"+r.s
r.s.str.strip_chars("aA"); r.s.str.slice(1); r.s.str.slice(1,2); r.s.str.slice(-2)
r.s.str.slice(-3,2); r.s.str.slice(-4,2); r.s.str.slice(-9,2); r.s.str.slice(0,0); r.s.str.head(2)
r.s.str.tail(2); r.s.str.head(-1); r.s.str.tail(-1); r.s.str.replace("X","-")
r.s.str.replace_all("X","-"); r.s.str.replace("([a-z])X","$1$1"); r.s.str.reverse()
r.s.str.replace(".","-",literal=True); r.s.str.replace_all("([a-z])","<$1>"); r.s.str.find("b")
r.s.str.extract("([A-Z])([0-9])",2); r.s.str.pad_start(4,"*"); r.s.str.pad_end(4)
r.p.cast(polars.Int64); r.b.cast(polars.Int8); r.i.cast(polars.String); r.b.cast(polars.String); r.i.cast(polars.Boolean)
""".replace("\n", ";")


def table():
    made = random.Random(7)

    def column(value, type_=None):
        values = [None if made.random() < 0.15 else value() for _ in range(ROWS)]
        return pa.array(values, type_)

    halves = (0.5, 1.5, 2.5, -0.5, -2.5, 3.25, float("nan"), math.inf, -math.inf)
    texts = [
        "",
        "a",
        "Ab  ",
        "  x",
        "\tq\n",
        "été",
        "a.b",
        "aXbXc",
        "日本語",
        "A1B22",
        "\u3000z\xa0",
    ]
    origin = datetime.datetime(1960, 1, 1)
    return pa.table(
        {
            "i": column(lambda: made.randint(-50, 50), pa.int32()),
            "j": column(lambda: made.choice([-7, -3, -2, -1, 1, 2, 3, 5, 11])),
            "u": column(lambda: made.randint(1, 40), pa.uint8()),
            "f": column(lambda: made.choice(halves), pa.float32()),
            "d": column(lambda: made.choice(halves)),
            "p": column(lambda: made.uniform(0.1, 9)),
            "s": column(lambda: made.choice(texts)),
            "dd": column(lambda: (origin + datetime.timedelta(made.randint(0, 33000))).date()),
            "ts": column(lambda: origin + datetime.timedelta(made.randint(0, 33000),
                                                             made.uniform(0, 86399))),
            "b": column(lambda: made.random() < 0.5),
        }
    )  # fmt: skip


class Types(unittest.TestCase):
    """The types that are traced are those that the engine finds, which DESCRIBE tells."""

    rows = from_arrow(
        pa.table({f"c{index}": pa.array([], type_) for index, type_ in enumerate(TYPES)})
    )

    def check(self, function):
        """Returns whether a lambda is supported; if so, its type is the engine's."""
        try:
            made = self.rows.map(x=function)
        except PenstockError:
            return False
        statement = statement_of(made._select, with_literals=True)
        described = session_of(DEVICE).query("DESCRIBE " + statement.sql, statement.tables)
        engine = types.type_of_sql_name(described["column_type"][0].as_py())
        self.assertEqual(made.schema.field("x").type, engine, statement.sql)
        return True

    def test_two_types_meet_as_in_the_engine(self):
        for name, function in BINARY.items():
            found = 0
            for a in range(len(TYPES)):
                for b in range(len(TYPES)):
                    found += self.check(lambda r: function(r[f"c{a}"], r[f"c{b}"]))
            self.assertGreater(found, 0, name)

    def test_methods_have_the_engines_types(self):
        for text in UNARY:
            function = eval("lambda x: " + text)
            found = sum(
                self.check(lambda r: function(r[f"c{index}"])) for index in range(len(TYPES))
            )
            self.assertGreater(found, 0, text)


class Values(unittest.TestCase):
    rows = from_arrow(table())

    def values(self, function, rows=None):
        return (rows or self.rows).map(x=function).arrow(device=DEVICE)["x"].to_pylist()

    def assert_same(self, ours, theirs, text):
        for one, other in zip(ours, theirs, strict=True):
            if isinstance(one, float) and isinstance(other, float):
                near = math.isclose(one, other, rel_tol=1e-6)
                self.assertTrue(near or (one != one and other != other), (text, one, other))
            else:
                self.assertEqual(one, other, text)

    @unittest.skipIf(polars is None, "Polars is not installed")
    def test_values_are_those_of_polars(self):
        frame = polars.from_arrow(table())

        class Row:
            def __getattr__(self, name):
                return polars.col(name)

        for text in filter(None, map(str.strip, VALUES.split(";"))):
            function = eval("lambda r: " + text)
            theirs = frame.select(x=function(Row()))["x"].to_list()
            self.assert_same(self.values(function), theirs, text)

    def test_numpys_functions_have_numpys_values(self):
        x = np.array([-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, np.nan, np.inf])
        y = np.array([2.0, -2.0, 3.0, 1.0, np.nan, 1.5, -3.0, 1.0, 2.0])
        rows = from_arrow({"x": x, "y": y})
        names = (
            "negative absolute sqrt cbrt exp log log10 log2 floor ceil trunc rint sign sin cos tan "
            "tanh arctan radians degrees isnan isfinite isinf square maximum minimum add subtract "
            "multiply divide floor_divide remainder power arctan2 hypot less equal"
        ).split()
        for name in names:
            function = getattr(np, name)
            count = function.nin
            with np.errstate(all="ignore"):
                theirs = function(*(x, y)[:count]).tolist()
            ours = self.values(lambda r: function(*(r.x, r.y)[:count]), rows)
            if name in ("less", "equal"):  # NaN is above every number and equals itself
                ours, theirs = ours[:4], theirs[:4]
            if name == "floor_divide":  # of infinity NaN in NumPy, infinity in Polars and here
                ours, theirs = ours[:-1], theirs[:-1]
            self.assert_same(ours, theirs, name)
        self.assertEqual(self.values(lambda r: np.where(r.y > 2, 1, 0), rows)[:3], [0, 0, 1])
        self.assertEqual(self.values(lambda r: np.clip(r.y, 1, 2), rows)[:3], [2.0, 1.0, 2.0])

    def test_scalars_of_numpy_stand_on_the_left(self):
        rows = from_arrow({"x": np.array([1, 2])})
        self.assertEqual(self.values(lambda r: np.int64(3) - r.x, rows), [2, 1])
        self.assertEqual(self.values(lambda r: np.float64(3) / r.x, rows), [3.0, 1.5])
        self.assertEqual(self.values(lambda r: np.int64(1) < r.x, rows), [False, True])

    def test_pythons_functions_of_numbers_are_traced(self):
        rows = from_arrow({"x": np.array([-1.5, 2.5])})
        self.assertEqual(self.values(lambda r: abs(r.x), rows), [1.5, 2.5])
        self.assertEqual(self.values(lambda r: round(r.x), rows), [-2.0, 2.0])
        self.assertEqual(self.values(lambda r: math.floor(r.x), rows), [-2, 2])
        self.assertEqual(self.values(lambda r: math.ceil(r.x), rows), [-1, 3])

    def test_a_date_meets_text_and_durations(self):
        day = datetime.date(2024, 2, 28)
        rows = from_arrow({"d": pa.array([day])})
        week = datetime.timedelta(days=7)
        self.assertEqual(self.values(lambda r: r.d < "2024-03-01", rows), [True])
        self.assertEqual(self.values(lambda r: r.d + 2, rows), [datetime.date(2024, 3, 1)])
        self.assertEqual(self.values(lambda r: (r.d + week).dt.date() - r.d, rows), [7])
        self.assertEqual(self.values(lambda r: datetime.date(2024, 3, 1) - r.d, rows), [2])

    def test_small_integers_overflow_with_an_error(self):
        rows = from_arrow({"x": pa.array([100], pa.int8())})
        with self.assertRaises(PenstockError) as raised:
            self.values(lambda r: r.x + r.x, rows)
        self.assertEqual(raised.exception.code, "overflow")


if __name__ == "__main__":
    driver.main()
