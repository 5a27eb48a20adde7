"""Arrays reduced in pipelines: each type, shape and layout gives NumPy's result."""

import datetime
import unittest

import driver

try:
    import numpy

    import penstock
except ImportError as error:
    driver.skip_all(error)

WHOLE = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 >i4 >u8".split()
REAL = "float16 float32 float64 >f8".split()
LAYOUTS = {
    "rows": numpy.ascontiguousarray,
    "columns": numpy.asfortranarray,
    "every second": lambda a: numpy.repeat(a, 2, axis=0)[::2],
    "backwards": lambda a: a[::-1],
}


class Tensor:
    """An array that has DLPack's methods alone, as tensors of other libraries have."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __getitem__(self, at):
        return Tensor(self.array[at])


def arrays(kind, shape=(1000, 3), high=100):
    """Yields (name, array) of one and two dimensions in each layout."""
    made = numpy.random.default_rng(7).integers(0, high, shape).astype(kind)
    for name, layout in LAYOUTS.items():
        yield name, layout(made)
        yield name + ", 1", layout(made)[:, 0]
    yield "one row", made[:1]


def columns_of(array):
    return [array] if array.ndim == 1 else list(array.T)


class Reductions(unittest.TestCase):
    def reduced(self, rows, at, function):
        return getattr(rows, function)(f"column{at}", device=driver.DEVICE)

    def assert_reduced(self, array, given, functions):
        rows = penstock.from_arrow(given)
        for at, column in enumerate(columns_of(array)):
            for function in functions:
                with self.subTest(function, column=at):
                    found = self.reduced(rows, at, function)
                    self.assertAlmostEqual(float(found), float(getattr(column, function)()), 3)
            self.assertEqual(self.reduced(rows, at, "count"), len(column))
            self.assertEqual(self.reduced(rows, at, "n_unique"), len(numpy.unique(column)))

    def test_whole_numbers(self):
        for kind in WHOLE:
            for name, array in arrays(kind):
                with self.subTest(kind, layout=name):
                    self.assert_reduced(array, array, ("sum", "min", "max", "mean"))
                    self.assertIs(type(self.reduced(penstock.from_arrow(array), 0, "sum")), int)

    def test_real_numbers(self):
        for kind in REAL:
            for name, array in arrays(kind, high=20):
                with self.subTest(kind, layout=name):
                    wide = array.astype("f8")  # NumPy adds halves as halves
                    self.assert_reduced(wide, array, ("sum", "min", "max", "mean"))

    def test_tensors_by_dlpack(self):
        for kind in ("int8", "uint32", "int64", "float32", "float64"):
            for name, array in arrays(kind):
                with self.subTest(kind, layout=name):
                    self.assert_reduced(array, Tensor(array), ("sum", "min", "max", "mean"))

    def test_truths(self):
        for name, array in arrays("bool", high=2):
            rows = penstock.from_arrow(array)
            for at, column in enumerate(columns_of(array)):
                for function in ("sum", "any", "all", "mean"):
                    with self.subTest(name, function=function):
                        found = self.reduced(rows, at, function)
                        self.assertAlmostEqual(found, getattr(column, function)())

    def test_times(self):
        for kind in ("M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "M8[D]"):
            for name, array in arrays("int64"):
                array = (array * 1000).astype(kind)
                rows = penstock.from_arrow(array)
                for at, column in enumerate(columns_of(array)):
                    for function in ("min", "max"):
                        with self.subTest(kind, layout=name, function=function):
                            found = self.reduced(rows, at, function)
                            self.assertIsInstance(found, datetime.date)
                            wanted = getattr(column, function)()
                            self.assertEqual(numpy.datetime64(found, "us"), wanted.astype("M8[us]"))

    def test_spread_and_median(self):
        array = numpy.random.default_rng(7).normal(size=(500, 2))
        rows = penstock.from_arrow(array)
        for at, column in enumerate(array.T):
            self.assertAlmostEqual(self.reduced(rows, at, "std"), column.std(ddof=1))
            self.assertAlmostEqual(self.reduced(rows, at, "var"), column.var(ddof=1))
            self.assertAlmostEqual(self.reduced(rows, at, "median"), numpy.median(column))

    def test_masked_values_are_left_out(self):
        for kind in ("int64", "float32"):
            array = numpy.ma.masked_array(numpy.arange(10, dtype=kind), numpy.arange(10) % 3 == 0)
            rows = penstock.from_arrow(array)
            for function in ("sum", "min", "max", "mean", "count"):
                with self.subTest(kind, function=function):
                    wanted = getattr(array, function)()
                    self.assertAlmostEqual(self.reduced(rows, 0, function), wanted)

    def test_no_values_are_null(self):
        for array in (numpy.zeros(0), numpy.zeros((0, 2), "i4")):
            rows = penstock.from_arrow(array)
            for function in ("sum", "min", "max", "mean"):
                self.assertIsNone(self.reduced(rows, 0, function))
            self.assertEqual(self.reduced(rows, 0, "count"), 0)

    def test_aggregates_by_name_and_by_lambda(self):
        array = numpy.random.default_rng(7).integers(0, 9, (300, 2))
        made = penstock.from_arrow(array).agg(
            s=("column0", "sum"), d=lambda g: (g.column0 * g.column1).sum(), n=("*", "count")
        )
        found = made.arrow(device=driver.DEVICE).to_pylist()
        dot = int(array[:, 0] @ array[:, 1])
        self.assertEqual(found, [{"s": int(array[:, 0].sum()), "d": dot, "n": 300}])

    def test_columns_of_a_dict(self):
        a, b = numpy.arange(100), Tensor(numpy.linspace(0, 1, 100))
        made = penstock.from_arrow({"a": a, "b": b}).agg(d=lambda g: (g.a * g.b).sum())
        found = made.arrow(device=driver.DEVICE)["d"][0].as_py()
        self.assertAlmostEqual(found, float(a @ b.array))

    def test_one_column_needs_no_name(self):
        rows = penstock.from_arrow(numpy.arange(10))
        self.assertEqual(rows.sum(device=driver.DEVICE), 45)
        self.assertEqual(rows.max(device=driver.DEVICE), 9)
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.from_arrow(numpy.ones((2, 2))).sum()
        self.assertIn("one of column0, column1", caught.exception.message)


class Refused(unittest.TestCase):
    def assert_refused(self, data, word, code):
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.from_arrow(data)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(word, caught.exception.message)

    def test_types_that_sql_lacks_are_named(self):
        for kind in ("complex64", "longdouble"):
            name = str(numpy.dtype(kind))
            self.assert_refused(numpy.zeros(3, kind), name, "invalid")
            self.assert_refused(numpy.zeros((3, 2), kind), name, "invalid")

    def test_shapes_that_are_no_table(self):
        self.assert_refused(numpy.zeros((2, 2, 2)), "3 dimensions", "invalid")
        self.assert_refused(numpy.zeros(()), "array", "invalid")

    def test_a_producer_that_fails_is_named(self):
        class Failing(Tensor):
            def __dlpack__(self, **options):
                raise BufferError("no bfloat16")

        self.assert_refused(Failing(numpy.zeros(3)), "no bfloat16", "invalid")
        self.assert_refused({"x": Failing(numpy.zeros(3))}, "'x'", "invalid")


if __name__ == "__main__":
    driver.main()
