"""Arrays in the memory of an NVIDIA GPU, beside PyTorch and CuPy. Without a GPU all are skipped."""

import importlib.util
import unittest
import zlib

import driver
import numpy
import penstock

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

    def test_empty_results_are_empty_tensors(self):
        found = self.session.sql("SELECT k FROM t WHERE k > 1000", tables={"t": self.t})
        self.assertEqual(found.torch("cuda")["k"].shape, (0,))

    def test_results_go_into_the_next_statement(self):
        first = self.session.sql("SELECT k, v FROM t WHERE k < 3", tables={"t": self.t})
        second = self.session.sql(
            "SELECT sum(k) AS s FROM u", tables={"u": first.torch("cuda")}
        ).fetchone()
        self.assertEqual(int(second[0]), int(self.t["k"][self.t["k"] < 3].sum()))


@unittest.skipUnless(CUPY, "no CuPy")
class CuPy(unittest.TestCase):
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
