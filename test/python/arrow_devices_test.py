"""Arrow's C Device Data Interface: tables in, results out, on the host and as a device's memory.

Device cpu:0 imports addresses as a GPU does, so that pyarrow's arrays stand for a GPU's there.
"""

import gc
import unittest
import weakref

import driver

try:
    import numpy
    import pyarrow
    from arrow_structs import Arrays, struct_in

    import penstock
    from penstock.core import core
except ImportError as error:
    driver.skip_all(error)

BATCH = pyarrow.record_batch(
    {
        "x": pyarrow.array([1, None, 3, 4, 5], pyarrow.int64()),
        "tiny": pyarrow.array([1, 2, 3, 4, 5], pyarrow.int8()),
        "f": [1.5, 2.5, 3.5, None, 5.0],
        "b": [True, None, False, True, True],
        "d": pyarrow.array([1, 2, 3, 4, None], pyarrow.date32()),
        "t": pyarrow.array([1, 2, 3, None, 5], pyarrow.timestamp("us")),
        "ms": pyarrow.array([1, 2, 3, None, 5], pyarrow.timestamp("ms")),
        "time": pyarrow.array([1, 2, 3, None, 5], pyarrow.time32("s")),
        "dec": pyarrow.array([1, 2, 3, 4, None], pyarrow.decimal128(20, 2)),
        "s": ["a", None, "ccc", "dd", ""],
        "large": pyarrow.array(["a", None, "ccc", "dd", ""], pyarrow.large_string()),
        "view": pyarrow.array(["a", None, "longer than 12 bytes", "dd", ""], pyarrow.string_view()),
        "bytes": pyarrow.array([b"ab", b"cd", None, b"ef", b"gh"], pyarrow.binary(2)),
        "dictionary": pyarrow.array(["p", "q", None, "p", "q"]).dictionary_encode(),
        "list": [[1], None, [2, 3], [], [None]],
        "fixed": pyarrow.array([[1, 2]] * 4 + [None], pyarrow.list_(pyarrow.int32(), 2)),
        "struct": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 2, "b": None}, {}],
        "map": pyarrow.array(
            [[("k", 1)]] * 4 + [None], pyarrow.map_(pyarrow.string(), pyarrow.int64())
        ),
        "interval": pyarrow.array([pyarrow.MonthDayNano([1, 2, 3000])] * 4 + [None]),
    }
)
SLICES = (BATCH, BATCH.slice(1, 3), BATCH.slice(4), BATCH.slice(2, 0))


class OfArray:
    """An object that has the device protocol alone."""

    def __init__(self, data, device_type=None):
        self.data, self.device_type = data, device_type

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        schema, array = self.data.__arrow_c_device_array__(requested_schema)
        if self.device_type is not None:
            struct_in(array).device_type = self.device_type
        return schema, array


class OfStream:
    def __init__(self, table):
        self.table = table

    def __arrow_c_device_stream__(self, requested_schema=None, **options):
        return core.device_stream_of_host(self.table.__arrow_c_stream__())


def ask(sql, **tables):
    return penstock.sql(sql, tables=tables, device=driver.DEVICE).fetchall()


class TablesIn(unittest.TestCase):
    def test_arrays_of_the_host_have_their_rows(self):
        for batch in SLICES:
            expected = ask("FROM t", t=pyarrow.table(batch))
            self.assertEqual(ask("FROM t", t=OfArray(batch)), expected)
            self.assertEqual(ask("FROM t", t=OfStream(pyarrow.table(batch))), expected)

    def test_streams_of_several_batches(self):
        table = pyarrow.Table.from_batches(SLICES)
        self.assertEqual(ask("FROM t", t=OfStream(table)), ask("FROM t", t=table))

    def test_memory_of_cuda_that_the_host_reads(self):
        for device_type in (3, 13):
            self.assertEqual(ask("SELECT sum(x) FROM t", t=OfArray(BATCH, device_type)), [(13,)])

    def test_a_column_alone_is_column0(self):
        self.assertEqual(
            ask("SELECT sum(column0) FROM t", t=OfArray(pyarrow.array([1, 2]))), [(3,)]
        )
        self.assertEqual(ask("FROM t", t=OfArray(pyarrow.array(["a", None])[1:])), [(None,)])

    def test_types_that_are_widened(self):
        batch = pyarrow.record_batch(
            {"h": pyarrow.array([1.5], pyarrow.float16()), "n": pyarrow.nulls(1)}
        )
        self.assertEqual(ask("FROM t", t=OfArray(batch)), [(1.5, None)])

    def test_variables_and_pipelines(self):
        t, u = OfArray(BATCH), OfStream(pyarrow.table(BATCH))
        sql = "SELECT count(*) FROM t JOIN u USING (x)"
        self.assertEqual(penstock.sql(sql, device=driver.DEVICE).fetchone(), (4,))
        rows = penstock.from_arrow(u).filter(lambda r: r.x > 1)
        self.assertEqual([rows.sum("x"), rows.sum("x")], [12, 12])  # a stream is read once
        self.assertEqual(penstock.from_arrow(t).columns, BATCH.schema.names)

    def test_a_session_keeps_one(self):
        with penstock.Session(driver.DEVICE) as session:
            session.register("t", OfArray(BATCH))
            self.assertEqual(session.sql("SELECT max(x) FROM t").fetchone(), (5,))

    def test_other_memory_is_refused_by_name(self):
        for device_type, name in ((4, "OpenCL"), (10, "ROCm"), (99, "number 99")):
            with self.assertRaises(penstock.PenstockError) as caught:
                ask("FROM t", t=OfArray(BATCH, device_type))
            self.assertEqual(caught.exception.code, "unsupported")
            self.assertIn(name, caught.exception.message)

    def test_memory_of_another_device_is_refused(self):
        for call in (
            lambda: ask("FROM t", t=OfArray(BATCH, 2)),
            lambda: penstock.from_arrow(OfArray(BATCH, 2)).arrow(device=driver.DEVICE),
        ):
            with self.assertRaises(penstock.PenstockError) as caught:
                call()
            self.assertIn("cuda:-1", caught.exception.message)

    def test_the_host_protocol_goes_where_the_device_is_another(self):
        class Both(OfArray):
            def __arrow_c_stream__(self, requested_schema=None):
                return pyarrow.table(self.data).__arrow_c_stream__()

        self.assertEqual(ask("SELECT sum(x) FROM t", t=Both(BATCH, 2)), [(13,)])

    def test_errors_of_a_producer_are_errors(self):
        def batches():
            yield BATCH
            raise ValueError("no more rows")

        class Failing:
            def __arrow_c_device_stream__(self, requested_schema=None):
                reader = pyarrow.RecordBatchReader.from_batches(BATCH.schema, batches())
                return core.device_stream_of_host(reader.__arrow_c_stream__())

        with self.assertRaises(penstock.PenstockError) as caught:
            ask("FROM t", t=Failing())
        self.assertEqual(caught.exception.code, "io")
        self.assertIn("no more rows", caught.exception.message)

    def test_a_capsule_is_taken_once(self):
        schema, array = BATCH.__arrow_c_device_array__()
        core.take_device_array(schema, array)
        with self.assertRaises(penstock.PenstockError):
            core.take_device_array(schema, array)
        with self.assertRaises(ValueError):
            core.take_device_array(array, schema)


class Owner:
    """A buffer's owner, of which a test sees the end."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


class Memory(unittest.TestCase):
    def test_arrays_of_ctypes_are_released_once(self):
        values, bits = numpy.arange(100), numpy.full(16, 0b11110111, "u1")
        columns = [[bits.ctypes.data, values.ctypes.data], [None, values.ctypes.data]]
        schema = {"x": pyarrow.int64(), "y": pyarrow.int64()}
        for offset in (0, 3, 8):
            t = Arrays(schema, columns, 90, device_type=1, device_id=-1, offset=offset)
            rows = range(offset, offset + 90)
            expected = sum(at for at in rows if at % 8 != 3), sum(rows)
            self.assertEqual(ask("SELECT sum(x), sum(y) FROM t", t=t), [expected])
            gc.collect()
            self.assertEqual(t.released, 1)

    def test_arrays_are_released_after_the_statement(self):
        owner = Owner(numpy.arange(1000))
        buffer = pyarrow.foreign_buffer(owner.array.ctypes.data, 8000, base=owner)
        batch = pyarrow.record_batch(
            {"x": pyarrow.Array.from_buffers(pyarrow.int64(), 1000, [None, buffer])}
        )
        ended = weakref.ref(owner)
        tables = {"t": OfArray(batch)}
        del owner, buffer, batch
        self.assertEqual(ask("SELECT sum(x) FROM t", **tables), [(499500,)])
        self.assertIsNotNone(ended())
        tables.clear()
        gc.collect()
        self.assertIsNone(ended())

    def test_an_array_that_nobody_takes_is_released(self):
        owner = Owner(numpy.arange(10))
        buffer = pyarrow.foreign_buffer(owner.array.ctypes.data, 80, base=owner)
        array = pyarrow.Array.from_buffers(pyarrow.int64(), 10, [None, buffer])
        data = core.take_device_array(*array.__arrow_c_device_array__())
        ended = weakref.ref(owner)
        del owner, buffer, array
        gc.collect()
        self.assertIsNotNone(ended())
        del data
        gc.collect()
        self.assertIsNone(ended())


class AsADevicesMemory(unittest.TestCase):
    """Addresses that cpu:0 imports, as CUDA's are on a GPU."""

    def setUp(self):
        self.session = core.Session("cpu:0", None, "auto")

    def ask(self, held, sql):
        made = self.session.query(sql, {"t": held}, None, [], "", core.Cancellation(), False)
        return pyarrow.RecordBatchReader._import_from_c_capsule(made[0]).read_all().to_pylist()

    def assert_rows_come(self, data, table):
        there = core.arrow_device_table(self.session, data)
        here = core.hold_table(table.__arrow_c_stream__(), "t")
        for sql in (
            "SELECT * FROM t",
            "SELECT count(*) AS n, count(x) AS c, sum(x) AS s, min(f) AS f, max(d) AS d FROM t",
            "SELECT s, sum(x) AS x FROM t WHERE b GROUP BY s ORDER BY s",
        ):
            expected = self.ask(here, sql)
            self.assertEqual(self.ask(there, sql), expected, sql)

    def test_each_type_and_slice(self):
        few = ["x", "f", "d", "b", "s"]
        for batch in SLICES:
            for name in BATCH.schema.names:
                one = batch.select(few if name in few else [*few, name])
                with self.subTest(name, rows=batch.num_rows):
                    data = core.take_device_array(*one.__arrow_c_device_array__())
                    self.assert_rows_come(data, pyarrow.table(one))

    def test_batches_are_joined(self):
        table = pyarrow.Table.from_batches([*SLICES, BATCH.slice(0, 2), BATCH.slice(3)])
        table = table.select(["x", "tiny", "f", "b", "d", "s", "list"])
        stream = core.device_stream_of_host(table.__arrow_c_stream__())
        self.assert_rows_come(core.take_device_stream(stream), table)

    def test_parts_of_plans_on_the_host_read_copies(self):
        here = core.hold_table(pyarrow.table(BATCH.select(["x", "s"])).__arrow_c_stream__(), "u")
        for sql in (
            "SELECT u.s, t.f FROM u JOIN t USING (x) ORDER BY u.s",
            "SELECT t.f, u.s FROM t JOIN u USING (x) ORDER BY t.f",
            "SELECT x, rank() OVER (ORDER BY f) AS r FROM t ORDER BY x",
            "SELECT s, t.* FROM t LEFT JOIN u USING (x) ORDER BY x",
        ):
            rows = []
            for there in (True, False):
                one = BATCH.select(["x", "f"])
                data = core.take_device_array(*one.__arrow_c_device_array__())
                stream = pyarrow.table(one).__arrow_c_stream__()
                held = (
                    core.arrow_device_table(self.session, data)
                    if there
                    else core.hold_table(stream, "t")
                )
                asked = sql, {"t": held, "u": here}, None, [], "", core.Cancellation(), False
                made = self.session.query(*asked)[0]
                reader = pyarrow.RecordBatchReader._import_from_c_capsule(made)
                rows.append(reader.read_all().to_pylist())
            self.assertEqual(*rows, sql)

    def test_a_table_is_read_twice(self):
        data = core.take_device_array(*BATCH.select(["x"]).__arrow_c_device_array__())
        for _ in range(2):
            held = core.arrow_device_table(self.session, data)
            self.assertEqual(self.ask(held, "SELECT sum(x) AS s FROM t"), [{"s": 13}])

    def test_rows_that_are_null_as_a_whole_are_refused(self):
        rows = pyarrow.array([{"x": 1}, None])
        data = core.take_device_array(*rows.__arrow_c_device_array__())
        with self.assertRaises(penstock.PenstockError) as caught:
            core.arrow_device_table(self.session, data)
        self.assertIn("missing rows", caught.exception.message)


class ResultsOut(unittest.TestCase):
    def setUp(self):
        self.table = pyarrow.table({"x": [1, 2, 3], "s": ["a", None, "c"]})
        self.result = penstock.sql("FROM t", tables={"t": self.table}, device=driver.DEVICE)

    def test_pyarrow_reads_the_array(self):
        schema, array = self.result.__arrow_c_device_array__()
        self.assertEqual(struct_in(array).device_type, 1)
        self.assertIsNone(struct_in(array).sync_event)
        batch = pyarrow.RecordBatch._import_from_c_device_capsule(schema, array)
        batch.validate(full=True)
        self.assertEqual(batch.to_pylist(), self.table.to_pylist())

    def test_a_stream_has_the_rows(self):
        for made in (self.result, penstock.from_arrow(self.table)):
            data = core.take_device_stream(made.__arrow_c_device_stream__())
            rows = pyarrow.RecordBatchReader._import_from_c_capsule(data.take_stream()).read_all()
            self.assertEqual(rows.to_pylist(), self.table.to_pylist())

    def test_no_rows_are_an_empty_array(self):
        none = penstock.sql("FROM t WHERE x > 5", tables={"t": self.table}, device=driver.DEVICE)
        batch = pyarrow.RecordBatch._import_from_c_device_capsule(*none.__arrow_c_device_array__())
        self.assertEqual((batch.num_rows, batch.schema.names), (0, ["x", "s"]))

    def test_a_requested_schema_is_honoured(self):
        wanted = pyarrow.schema({"x": pyarrow.float64(), "s": pyarrow.large_string()})
        for made in (self.result, penstock.from_arrow(self.table)):
            parts = made.__arrow_c_device_array__(wanted.__arrow_c_schema__())
            batch = pyarrow.RecordBatch._import_from_c_device_capsule(*parts)
            self.assertEqual(batch.schema, wanted)
            self.assertEqual(batch.to_pylist(), self.table.to_pylist())
            reader = pyarrow.RecordBatchReader.from_stream(made, schema=wanted)
            self.assertEqual(reader.read_all().schema, wanted)
            stream = made.__arrow_c_device_stream__(wanted.__arrow_c_schema__())
            data = core.take_device_stream(stream)
            reader = pyarrow.RecordBatchReader._import_from_c_capsule(data.take_stream())
            self.assertEqual(reader.schema, wanted)

    def test_a_schema_that_does_not_fit_is_refused(self):
        for wanted in (
            pyarrow.schema({"y": pyarrow.int64()}),
            pyarrow.schema({"x": pyarrow.int64(), "s": pyarrow.int64()}),
        ):
            for method in (
                self.result.__arrow_c_device_array__,
                self.result.__arrow_c_device_stream__,
                self.result.__arrow_c_stream__,
            ):
                with self.assertRaises(penstock.PenstockError) as caught:
                    method(wanted.__arrow_c_schema__())
                self.assertIn("requested_schema=", caught.exception.message)

    def test_arguments_of_later_protocols_are_refused_unless_none(self):
        self.result.__arrow_c_device_array__(stream=None)
        for method in (self.result.__arrow_c_device_array__, self.result.__arrow_c_device_stream__):
            with self.assertRaises(NotImplementedError):
                method(stream=5)


class ResultsInADevicesMemory(unittest.TestCase):
    """Columns that stay in the memory of cpu:0, as they stay in a GPU's."""

    def setUp(self):
        self.session = penstock.Session("cpu:0")
        self.session._has_own_memory = lambda: True
        self.rows = pyarrow.table({"x": range(100_000), "s": ["a"] * 100_000})

    def result(self, sql):
        return self.session.sql(sql, tables={"t": self.rows})

    def test_columns_stay_and_pyarrow_reads_them(self):
        result = self.result("SELECT x * 2 AS y, CAST(x AS FLOAT) AS f FROM t WHERE x > 10")
        schema, array = result.__arrow_c_device_array__()
        self.assertIsNone(result._rows)
        batch = pyarrow.RecordBatch._import_from_c_device_capsule(schema, array)
        batch.validate(full=True)
        self.assertEqual(pyarrow.table(batch), result.arrow())

    def test_the_memory_outlives_the_result(self):
        result = self.result("SELECT x + 1 AS y FROM t WHERE x > 10")
        parts = result.__arrow_c_device_array__()
        del result
        self.session.close()
        batch = pyarrow.RecordBatch._import_from_c_device_capsule(*parts)
        column = batch.column(0)
        del batch, parts
        gc.collect()
        self.assertEqual(column.to_pylist(), list(range(12, 100_001)))

    def test_a_column_that_comes_to_the_host_brings_all(self):
        result = self.result("SELECT x, s FROM t WHERE x > 10")
        batch = pyarrow.RecordBatch._import_from_c_device_capsule(
            *result.__arrow_c_device_array__()
        )
        self.assertEqual(pyarrow.table(batch), self.rows.slice(11))
        self.assertIsNotNone(result._rows)

    def test_a_result_is_a_table_of_the_next_statement(self):
        first = self.result("SELECT x + 1 AS y FROM t WHERE x > 10")
        second = self.session.sql("SELECT sum(y) AS s, count(*) AS n FROM first")
        self.assertEqual(second.fetchone(), (sum(range(12, 100_001)), 99_989))
        self.assertIsNone(first._rows)

    def test_a_stream_has_one_array(self):
        result = self.result("SELECT x + 1 AS y FROM t WHERE x > 10")
        data = core.take_device_stream(result.__arrow_c_device_stream__())
        rows = pyarrow.RecordBatchReader._import_from_c_capsule(data.take_stream()).read_all()
        self.assertEqual(rows, result.arrow())

    def test_another_schema_is_cast_on_the_host(self):
        result = self.result("SELECT x + 1 AS y FROM t WHERE x > 10")
        own = pyarrow.schema({"y": pyarrow.int64()})
        result.__arrow_c_device_array__(own.__arrow_c_schema__())
        self.assertIsNone(result._rows)
        wanted = pyarrow.schema({"y": pyarrow.float64()})
        parts = result.__arrow_c_device_array__(wanted.__arrow_c_schema__())
        self.assertEqual(pyarrow.RecordBatch._import_from_c_device_capsule(*parts).schema, wanted)


if __name__ == "__main__":
    driver.main()
