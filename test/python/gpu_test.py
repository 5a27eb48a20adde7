"""Arrays in the memory of an NVIDIA GPU, beside PyTorch and CuPy. Without a GPU all are skipped."""

import gc
import importlib.util
import unittest
import zlib

import arrow_structs
import driver
import numpy
import penstock
import pyarrow

HAS_GPU = any(device["id"] == "cuda:0" for device in penstock.devices())
if not HAS_GPU:
    driver.skip_all("no NVIDIA GPU")
TORCH, CUPY = (importlib.util.find_spec(name) is not None for name in ("torch", "cupy"))
ROWS = 1_000_003


def host_columns():
    random = numpy.random.default_rng(7)
    return random.integers(0, 100, ROWS), random.normal(size=ROWS)


def bytes_up(result):
    return result.report.bytes_uploaded


@unittest.skipUnless(TORCH, "no PyTorch")
class Torch(unittest.TestCase):
    def setUp(self):
        import torch

        self.torch = torch
        key, value = host_columns()
        self.t = {"k": torch.tensor(key, device="cuda"), "v": torch.tensor(value, device="cuda")}
        self.session = penstock.Session("cuda:0")

    def tearDown(self):
        self.session.close()

    def test_columns_of_results_stay_on_the_gpu(self):
        result = self.session.sql("SELECT k, v * 2 AS w FROM t WHERE v > 0.5", tables={"t": self.t})
        found = result.torch("cuda")
        passed = self.t["v"] > 0.5
        self.assertTrue(found["w"].is_cuda)
        self.assertTrue(self.torch.equal(found["k"], self.t["k"][passed]))
        self.assertTrue(self.torch.equal(found["w"], self.t["v"][passed] * 2))
        self.assertLess(bytes_up(result), 4096)
        self.assertLess(result.report.bytes_downloaded, 1 << 16)

    def test_groups_equal_those_of_torch(self):
        found = self.session.sql(
            "SELECT k, count(*) AS n, max(v) AS m FROM t GROUP BY k ORDER BY k",
            tables={"t": self.t},
        ).torch("cuda")
        counts = self.torch.bincount(self.t["k"])
        self.assertTrue(self.torch.equal(found["n"].cpu(), counts.cpu()))
        most = self.torch.full((100,), -numpy.inf, dtype=self.torch.float64, device="cuda")
        most.scatter_reduce_(0, self.t["k"], self.t["v"], "amax")
        self.assertTrue(self.torch.equal(found["m"].cpu(), most.cpu()))

    def test_a_tensor_of_another_stream_is_complete(self):
        side = self.torch.cuda.Stream()
        with self.torch.cuda.stream(side):
            x = self.torch.zeros(1 << 22, device="cuda", dtype=self.torch.int64)
            for _ in range(50):
                x += 1
            total = self.session.sql("SELECT sum(column0) AS s FROM x", tables={"x": x}).fetchone()
        self.assertEqual(int(total[0]), 50 << 22)

    def test_results_outlive_their_session(self):
        session = penstock.Session("cuda:0")
        y = session.sql("SELECT v + 1 AS y FROM t WHERE k < 50", tables={"t": self.t}).torch("cuda")
        session.close()
        self.assertTrue(self.torch.equal(y["y"], self.t["v"][self.t["k"] < 50] + 1))

    def test_reductions_are_numpys(self):
        for kind in "int8 int16 int32 int64 uint8 float32 float64".split():
            array = numpy.arange(96, dtype=kind)
            for made in (array, array.reshape(24, 4), array.reshape(4, 24).T, array[::3]):
                there = self.torch.from_numpy(array).cuda()
                there = there.as_strided(made.shape, [s // made.itemsize for s in made.strides])
                with self.subTest(kind, shape=made.shape):
                    self.assertEqual(reductions(there), hosts_reductions(made))

    def test_empty_results_are_empty_tensors(self):
        found = self.session.sql("SELECT k FROM t WHERE k > 1000", tables={"t": self.t})
        self.assertEqual(found.torch("cuda")["k"].shape, (0,))

    def test_results_go_into_the_next_statement(self):
        first = self.session.sql("SELECT k, v FROM t WHERE k < 3", tables={"t": self.t})
        second = self.session.sql(
            "SELECT sum(k) AS s FROM u", tables={"u": first.torch("cuda")}
        ).fetchone()
        self.assertEqual(int(second[0]), int(self.t["k"][self.t["k"] < 3].sum()))


def reductions(array):
    """Returns the sum, least and greatest of each column, by a pipeline."""
    rows, made = penstock.from_arrow(array), []
    for name in rows.columns:
        of_column = {f: (name, f) for f in ("sum", "min", "max")}
        found = rows.agg(**of_column).arrow(device="cuda:0").to_pylist()[0]
        made.append([float(found[f]) for f in of_column])
    return made


def hosts_reductions(array):
    array = array.astype(numpy.float64)  # as FLOAT is summed
    columns = [array] if array.ndim == 1 else array.T
    return [[float(getattr(c, f)()) for f in ("sum", "min", "max")] for c in columns]


@unittest.skipUnless(CUPY, "no CuPy")
class CuPy(unittest.TestCase):
    def test_reductions_are_numpys(self):
        import cupy

        for kind in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split():
            for array in (host_columns()[0].astype(kind), numpy.arange(90, dtype=kind)):
                with self.subTest(kind):
                    self.assertEqual(reductions(cupy.asarray(array)), hosts_reductions(array))
            columns = numpy.arange(90, dtype=kind).reshape(30, 3)
            for order in "CF":
                with self.subTest(kind, order=order):
                    there = cupy.asarray(columns, order=order)
                    self.assertEqual(reductions(there), hosts_reductions(columns))

    def test_columns_go_in_and_out(self):
        import cupy

        key, value = host_columns()
        t = {"k": cupy.asarray(key), "v": cupy.asarray(value)}
        with penstock.Session("cuda:0") as session:
            result = session.sql("SELECT k, v FROM t WHERE k = 7", tables={"t": t})
            found = result.cupy()
        self.assertTrue(bool((found["v"] == t["v"][t["k"] == 7]).all()))
        self.assertEqual(len(found["k"]), int((key == 7).sum()))


@unittest.skipUnless(TORCH, "no PyTorch")
class Chunks(unittest.TestCase):
    def test_chunks_in_device_memory_are_decoded_there(self):
        import torch

        texts = [bytes([65 + at]) * (1000 * at + 1) for at in range(20)]
        chunks = [zlib.compress(text) for text in texts]
        data = torch.frombuffer(bytearray(b"".join(chunks)), dtype=torch.uint8).cuda()
        array, offsets, sizes = penstock.codecs.decode_chunks(
            "zlib", data, map(len, chunks), 20_000, device="cuda:0"
        )
        every = torch.from_dlpack(array)
        self.assertTrue(every.is_cuda)
        found = [bytes(every[o : o + s].cpu().numpy()) for o, s in zip(offsets, sizes)]
        self.assertEqual(found, texts)


@unittest.skipUnless(TORCH, "no PyTorch")
class ArrowOnDevices(unittest.TestCase):
    def setUp(self):
        import torch

        self.torch = torch
        key, value = host_columns()
        self.k, self.v = torch.tensor(key, device="cuda"), torch.tensor(value, device="cuda")
        self.session = penstock.Session("cuda:0")
        self.addCleanup(self.session.close)

    def ask(self, sql, t):
        return self.session.sql(sql, tables={"t": t})

    def arrays(self, **options):
        schema = {"k": pyarrow.int64(), "v": pyarrow.float64()}
        columns = [[None, self.k.data_ptr()], [None, self.v.data_ptr()]]
        return arrow_structs.Arrays(schema, columns, ROWS - 5, device_type=2, **options)

    def test_columns_are_read_where_they_are(self):
        for offset in (0, 1, 2, 5):
            t = self.arrays(offset=offset)
            result = self.ask("SELECT sum(k) AS s, max(v) AS m FROM t", t)
            total, most = result.fetchone()
            rows = slice(offset, offset + ROWS - 5)
            self.assertEqual(int(total), int(self.k[rows].sum()))
            self.assertEqual(most, float(self.v[rows].max()))
            self.assertLess(bytes_up(result), 4096)
            gc.collect()
            self.assertEqual(t.released, 1)

    def test_nulls_and_strings(self):
        texts = ["a", "bcd", "", "ef"] * 1000
        offsets = numpy.cumsum([0, *map(len, texts)]).astype("i4")
        letters = numpy.frombuffer("".join(texts).encode(), "u1")
        bits = numpy.full(500 + 64, 0b11101111, "u1")
        there = [self.torch.from_numpy(a.copy()).cuda() for a in (offsets, letters, bits)]
        offsets, letters, bits = (tensor.data_ptr() for tensor in there)
        schema = {"k": pyarrow.int64(), "s": pyarrow.string()}
        columns = [[bits, self.k.data_ptr()], [bits, offsets, letters]]
        t = arrow_structs.Arrays(schema, columns, 4000, device_type=2)
        found = self.ask("SELECT s, count(*) AS n, sum(k) AS k FROM t GROUP BY s ORDER BY s", t)
        is_there = numpy.arange(4000) % 8 != 4
        key = self.k[:4000].cpu().numpy()
        rows = numpy.array(texts)
        expected = [
            (text, int(chosen.sum()), int(key[chosen].sum()))
            for text in ("", "bcd", "a", "ef")
            for chosen in [is_there & (rows == text)]
        ]
        null = int((~is_there).sum())
        self.assertEqual(
            [(s, n, None if k is None else int(k)) for s, n, k in found.fetchall()],
            [*sorted(expected), (None, null, None)],
        )

    def test_an_event_is_waited_for(self):
        side = self.torch.cuda.Stream()
        with self.torch.cuda.stream(side):
            for _ in range(200):
                self.k += 1
            event = self.torch.cuda.Event()
            event.record(side)
        before = host_columns()[0][: ROWS - 5].sum()
        total = self.ask("SELECT sum(k) AS s FROM t", self.arrays(event=event.cuda_event))
        self.assertEqual(int(total.fetchone()[0]), int(before) + 200 * (ROWS - 5))

    def test_joins_read_copies_on_the_host(self):
        u = pyarrow.table({"k": [1, 2], "name": ["one", "two"]})
        result = self.session.sql(
            "SELECT name, count(*) AS n FROM u JOIN t USING (k) GROUP BY name ORDER BY name",
            tables={"t": self.arrays(), "u": u},
        )
        key = self.k[: ROWS - 5]
        expected = [("one", int((key == 1).sum())), ("two", int((key == 2).sum()))]
        self.assertEqual(result.fetchall(), expected)

    def test_results_give_their_memory(self):
        result = self.ask("SELECT k, v * 2 AS w FROM t WHERE v > 0.5", self.arrays())
        schema, array = result.__arrow_c_device_array__()
        made = arrow_structs.struct_in(array)
        self.assertEqual((made.device_type, made.device_id), (2, 0))
        self.assertEqual(pyarrow.Schema._import_from_c_capsule(schema).names, ["k", "w"])
        self.assertLess(result.report.bytes_downloaded, 1 << 16)
        child = made.array.children[1].contents

        class Doubles:
            __cuda_array_interface__ = {
                "shape": (child.length,),
                "typestr": "<f8",
                "data": (child.buffers[1], False),  # torch refuses what is read only
                "version": 3,
            }

        found = self.torch.as_tensor(Doubles(), device="cuda")
        value = self.v[: ROWS - 5]
        self.assertTrue(self.torch.equal(found, value[value > 0.5] * 2))

    def test_results_go_into_the_next_statement_by_the_protocol(self):
        first = self.ask("SELECT k FROM t WHERE k < 3", self.arrays())
        second = self.session.sql("SELECT sum(k) AS s FROM first")
        key = self.k[: ROWS - 5]
        self.assertEqual(int(second.fetchone()[0]), int(key[key < 3].sum()))
        self.assertLess(bytes_up(second), 4096)

    def test_a_session_of_the_host_refuses_them(self):
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.sql("FROM t", tables={"t": self.arrays()}, device="cpu").arrow()
        self.assertIn("cuda:0", caught.exception.message)

    def test_pipelines_read_tensors_and_arrow_arrays(self):
        rows = penstock.from_arrow(self.k)
        for _ in range(2):
            self.assertEqual(rows.sum("column0", device="cuda:0"), int(self.k.sum()))
        rows = penstock.from_arrow(self.arrays())
        for _ in range(2):
            self.assertEqual(rows.max("v", device="cuda:0"), float(self.v[: ROWS - 5].max()))


@unittest.skipUnless(TORCH, "no PyTorch")
class Videos(unittest.TestCase):
    FEATURES = ("psnr", "float_ssim", "motion")

    def setUp(self):
        import torch

        self.torch = torch
        random = numpy.random.default_rng(3)
        shapes = (90, 160), (45, 80), (45, 80)
        self.reference = [
            [random.integers(0, 256, shape, "u1") for shape in shapes] for _ in range(20)
        ]
        self.distorted = [[plane // 2 for plane in planes] for planes in self.reference]

    def there(self, frames):
        return [[self.torch.from_numpy(plane).cuda() for plane in planes] for planes in frames]

    def assert_scores(self, reference, distorted, **options):
        expected = penstock.video.score(self.reference, self.distorted, self.FEATURES)
        found = penstock.video.score(reference, distorted, self.FEATURES, **options)
        self.assertEqual(found.keys(), expected.keys())
        for key in found.keys():
            numpy.testing.assert_allclose(found[key], expected[key], atol=1e-4, err_msg=key)

    def test_frames_are_scored_where_they_are(self):
        videos = self.there(self.reference), self.there(self.distorted)
        self.assert_scores(*videos)
        self.assert_scores(*videos, device="cuda:0")

    def test_frames_of_one_buffer_and_padded_rows(self):
        def frames(video):
            for planes in video:
                wide = [self.torch.zeros(p.shape[0], p.shape[1] + 7).byte().cuda() for p in planes]
                for plane, there in zip(planes, wide):
                    there[:, 3:-4] = self.torch.from_numpy(plane).cuda()
                yield [there[:, 3:-4] for there in wide]

        self.assert_scores(frames(self.reference), frames(self.distorted))

    def test_planes_with_the_cuda_interface_alone(self):
        class Plane:
            def __init__(self, tensor):
                self.tensor, self.shape, self.dtype = tensor, tensor.shape, tensor.dtype
                self.__cuda_array_interface__ = tensor.__cuda_array_interface__

        videos = [
            [[Plane(plane) for plane in planes] for planes in self.there(video)]
            for video in (self.reference, self.distorted)
        ]
        self.assert_scores(*videos)

    def test_frames_of_the_host_and_the_gpu_are_refused(self):
        there = self.there(self.distorted)
        for reference, distorted in (
            (self.reference, there),
            (
                [*self.there(self.reference[:2]), *self.reference[2:]],
                [*there[:2], *self.distorted[2:]],
            ),
        ):
            with self.assertRaises(penstock.PenstockError) as caught:
                penstock.video.score(reference, distorted, "psnr")
            self.assertIn("cuda:0", caught.exception.message)
            self.assertIn("the host", caught.exception.message)


class Functions(unittest.TestCase):
    def test_a_function_in_kernel_c_runs_on_the_gpu(self):
        session = penstock.Session("cuda:0")
        session.define(
            penstock.function("twice_plus", "double(double x, i64 y)", "return x * 2 + y;")
        )
        key, value = host_columns()
        t = {"k": key, "v": value}
        found = session.sql("SELECT twice_plus(v, k) AS r FROM t", tables={"t": t}).numpy()["r"]
        self.assertTrue(numpy.array_equal(found, value * 2 + key))
        session.close()

    def test_a_pipeline_of_lambdas_runs_on_the_gpu(self):
        key, value = host_columns()
        found = (
            penstock.from_arrow({"k": key, "v": value})
            .filter(lambda r: r.v > 1)
            .group_by("k")
            .agg(n=("k", "count"))
            .sort("k")
            .arrow()
        )
        self.assertEqual(
            found["n"].to_pylist(), numpy.bincount(key[value > 1], minlength=100).tolist()
        )


if __name__ == "__main__":
    driver.main()
