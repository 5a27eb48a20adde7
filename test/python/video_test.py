"""Scores of videos: the program's own, libvmaf's where clips are, and PSNR as NumPy computes it."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings
import weakref

import driver

try:
    import numpy

    import penstock
    from penstock.core import core
except ImportError as error:
    driver.skip_all(error)

try:
    import pandas
except ImportError:
    pandas = None

CLIPS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "video"
SHIFTS = {"420": (1, 1), "422": (0, 1), "444": (0, 0)}
KINDS = {("420", 8): "420jpeg", ("422", 8): "422", ("444", 8): "444", ("400", 8): "mono"}


def frames_of(size, chroma="420", bits=8, count=3, noise=0, seed=1):
    """Returns frames of planes: gradients that move, and noise that an encoder could leave."""
    random, (width, height), frames = numpy.random.default_rng(seed), size, []
    shapes = [(height, width)]
    if chroma != "400":
        down, right = SHIFTS[chroma]
        shapes += [(-(-height >> down), -(-width >> right))] * 2
    for at in range(count):
        planes = []
        for rows, columns in shapes:
            x, y = numpy.arange(columns)[None, :], numpy.arange(rows)[:, None]
            made = (
                (3 * x + 2 * y + 5 * at) % 200
                + 20
                + random.integers(-noise, noise + 1, (rows, columns))
            )
            kind = numpy.uint8 if bits == 8 else numpy.uint16
            planes.append((made.clip(0, 255).astype(kind) << (bits - 8)).astype(kind))
        frames.append(planes)
    return frames


def y4m(frames, chroma="420", bits=8):
    rows, columns = frames[0][0].shape
    kind = KINDS.get((chroma, bits), f"{chroma}p{bits}" if chroma != "400" else f"mono{bits}")
    made = f"YUV4MPEG2 W{columns} H{rows} F25:1 Ip C{kind}\n".encode()
    return made + b"".join(
        b"FRAME\n" + b"".join(plane.tobytes() for plane in planes) for planes in frames
    )


def numpys_psnr(reference, distorted, bits=8):
    """Returns libvmaf's psnr_y of each frame: of 20 log10(peak) - 10 log10(mse), at most 6 * bits + 12."""
    peak, most, scores = 2**bits - 1, 6 * bits + 12, []
    for one, other in zip(reference, distorted):
        error = numpy.mean((one[0].astype(float) - other[0].astype(float)) ** 2)
        scores.append(min(most, 10 * numpy.log10(peak**2 / error)) if error else most)
    return scores


class Videos(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        pathlib.Path(path).write_bytes(content)
        return path

    def pair(self, chroma="420", bits=8, size=(64, 48), count=3):
        reference = frames_of(size, chroma, bits, count)
        distorted = frames_of(size, chroma, bits, count, noise=9)
        return reference, distorted

    def program(self, *arguments):
        """Returns the program's scores by key, as its JSON has them."""
        done = subprocess.run(
            [sys.executable, "-m", "penstock", "video", *arguments, "--json"],
            capture_output=True,
            check=True,
        )
        frames = json.loads(done.stdout)["frames"]
        return {key: [frame["metrics"][key] for frame in frames] for key in frames[0]["metrics"]}


class ScoresAreTheProgramsOwn(Videos):
    def test_of_y4m_files(self):
        features = ["psnr", "float_ssim=enable_lcs=true", "ciede", "float_moment", "motion"]
        for chroma, bits in (("420", 8), ("422", 8), ("444", 8), ("420", 10)):
            with self.subTest(chroma=chroma, bits=bits):
                videos = self.pair(chroma, bits)
                paths = [
                    self.write(f"{at}.y4m", y4m(frames, chroma, bits))
                    for at, frames in enumerate(videos)
                ]
                words = [word for name in features for word in ("--feature", name)]
                expected = self.program(*paths, *words)
                scores = penstock.video.score(*paths, features)
                self.assertEqual(sorted(scores.keys()), sorted(expected))
                for key, values in expected.items():
                    numpy.testing.assert_allclose(scores[key], values, atol=1e-6, err_msg=key)
                of_frames = penstock.video.score(*videos, features, bits=bits)
                self.assertEqual(of_frames.by_key, scores.by_key)

    def test_of_raw_files_with_subsampling_and_a_limit(self):
        reference, distorted = self.pair(count=7)
        paths = [
            self.write(f"{at}.yuv", b"".join(p.tobytes() for planes in frames for p in planes))
            for at, frames in enumerate((reference, distorted))
        ]
        raw = "-w 64 --height 48 -p 420 -b 8".split()
        expected = self.program(
            *paths, *raw, "--feature", "psnr", "--subsample", "2", "--frame-count", "5"
        )
        options = {"subsample": 2, "frame_limit": 5}
        scores = penstock.video.score(*paths, "psnr", raw=(64, 48, 8, "420"), **options)
        found = [value for value in scores["psnr_y"] if value is not None]
        self.assertEqual([at for at in range(5) if scores["psnr_y"][at] is None], [1, 3])
        numpy.testing.assert_allclose(found, expected["psnr_y"], atol=1e-6)
        of_frames = penstock.video.score(reference, distorted, "psnr", **options)
        self.assertEqual(of_frames.by_key, scores.by_key)


class ScoresAreNumpys(Videos):
    def test_psnr_of_arrays_of_each_kind(self):
        for chroma, bits in (("400", 8), ("420", 8), ("422", 10), ("444", 12), ("400", 16)):
            with self.subTest(chroma=chroma, bits=bits):
                reference, distorted = self.pair(chroma, bits)
                distorted[1] = [plane.copy() for plane in reference[1]]
                scores = penstock.video.score(reference, distorted, ["psnr"], bits=bits)
                expected = numpys_psnr(reference, distorted, bits)
                numpy.testing.assert_allclose(scores["psnr_y"], expected, rtol=1e-12)

    def test_luma_alone_as_an_array_and_odd_sizes(self):
        for size in ((33, 21), (16, 16), (17, 64)):
            reference, distorted = self.pair("400", size=size)
            one = penstock.video.score(
                [planes[0] for planes in reference], [planes[0] for planes in distorted], "psnr"
            )
            numpy.testing.assert_allclose(
                one["psnr_y"], numpys_psnr(reference, distorted), rtol=1e-12
            )

    def test_arrays_that_are_views(self):
        wide = numpy.arange(60 * 80, dtype=numpy.uint8).reshape(60, 80)
        other = wide.copy()
        other[::3, ::5] ^= 4
        for cut in (
            numpy.s_[:48, 8:72],
            numpy.s_[:48, :64][::1],
            numpy.s_[48:0:-1, 64:0:-1],
            numpy.s_[::2, ::2],
        ):
            one, two = wide[cut], other[cut]
            with self.subTest(cut=cut):
                scores = penstock.video.score([one, one.T.copy().T], [two, two], "psnr")
                expected = numpys_psnr([[one]], [[two]])
                numpy.testing.assert_allclose(scores["psnr_y"], expected * 2, rtol=1e-12)

    def test_a_frame_may_change_after_it_was_given(self):
        reference, distorted = self.pair("400", count=6)
        held = numpy.empty_like(distorted[0][0])

        def one_buffer():
            for planes in distorted:
                held[:] = planes[0]
                yield held
            held[:] = 0

        scores = penstock.video.score((p[0] for p in reference), one_buffer(), ["psnr", "motion"])
        numpy.testing.assert_allclose(
            scores["psnr_y"], numpys_psnr(reference, distorted), rtol=1e-12
        )


class Shapes(Videos):
    def test_pooling_is_numpys_of_the_frames(self):
        scores = penstock.video.score(*self.pair(count=5), ["psnr=enable_apsnr=true"])
        values, pooled = numpy.array(scores["psnr_y"]), scores.pooled("psnr_y")
        self.assertAlmostEqual(pooled["mean"], values.mean(), 12)
        self.assertEqual((pooled["min"], pooled["max"]), (values.min(), values.max()))
        self.assertAlmostEqual(pooled["harmonic_mean"], 5 / (1 / (values + 1)).sum() - 1, 10)
        self.assertIn("apsnr_y", scores.aggregates)
        with self.assertRaises(KeyError):
            scores.pooled("psnr_x")

    def test_a_table_has_a_row_for_each_frame(self):
        scores = penstock.video.score(*self.pair(), ["psnr", "motion"])
        table = scores.arrow()
        self.assertEqual(table.column_names[0], "frame")
        self.assertEqual(table["frame"].to_pylist(), [0, 1, 2])
        self.assertEqual(table["psnr_y"].to_pylist(), scores["psnr_y"])
        best = penstock.sql("SELECT max(psnr_y) AS m FROM scores", planner="own")
        self.assertEqual(best.fetchone()[0], max(scores["psnr_y"]))
        if pandas is not None:
            self.assertEqual(list(scores.df()["psnr_y"]), scores["psnr_y"])

    def test_every_feature_has_a_summary(self):
        self.assertIn("psnr", penstock.video.features())
        self.assertTrue(all(penstock.video.features().values()))


class Errors(Videos):
    def assert_fails(self, words, *arguments, code="invalid", **options):
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.video.score(*arguments, **options)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(words, caught.exception.message)

    def test_frames_that_are_none(self):
        plane = numpy.zeros((48, 64), numpy.uint8)
        self.assert_fails("no frame", [], [], "psnr")
        self.assert_fails("2 dimensions", [plane[0]], [plane[0]], "psnr")
        self.assert_fails("2 dimensions", [plane[None]], [plane[None]], "psnr")
        self.assert_fails("uint16", [plane.astype("f4")], [plane.astype("f4")], "psnr")
        self.assert_fails("uint16", [plane.astype("i1")], [plane.astype("i1")], "psnr")
        self.assert_fails("columns", [plane], [plane[:, :60]], "psnr")
        self.assert_fails("rows", [plane], [plane[:40]], "psnr")
        self.assert_fails("planes", [[plane] * 3], [plane], "psnr")
        self.assert_fails("bits", [plane], [plane], "psnr", bits=9)
        self.assert_fails("bytes a sample", [plane], [plane.astype("u2")], "psnr")
        self.assert_fails("paths", "a.y4m", [plane], "psnr")

    def test_features_and_devices_that_are_none(self):
        videos = self.pair()
        self.assert_fails("psnrr", *videos, "psnrr")
        self.assert_fails("no_such", *videos, "psnr=no_such=1")
        self.assert_fails("", *videos, "psnr", device="cuda:99", code="no_device")

    def test_files_that_are_damaged(self):
        whole = y4m(frames_of((64, 48)))
        path = self.write("a.y4m", whole)
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.video.score(path, path + ".missing", "psnr")
        self.assertEqual(caught.exception.code, "io")
        self.assert_fails("", path, self.write("b.y4m", whole[:-5]), "psnr", code="truncated")
        with self.assertRaises(penstock.PenstockError):
            penstock.video.score(path, self.write("c.y4m", b"no video"), "psnr")
        self.assert_fails("48", path, self.write("d.y4m", y4m(frames_of((64, 40)))), "psnr")

    def test_a_video_that_ends_first_is_a_warning(self):
        reference, distorted = self.pair(count=4)
        paths = self.write("a.y4m", y4m(reference)), self.write("b.y4m", y4m(distorted[:2]))
        for videos in (paths, (reference, distorted[:2]), (reference[:2], distorted)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scores = penstock.video.score(*videos, "psnr")
            self.assertEqual(len(scores["psnr_y"]), 2)
            self.assertIn("ended before", str(caught[0].message))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            penstock.video.score(reference, distorted, "psnr")


class Elsewhere:
    """A plane that says that it is in the memory of a device."""

    shape, dtype = (48, 64), "uint8"

    def __init__(self, kind=2, number=0):
        self.where = kind, number

    def __dlpack_device__(self):
        return self.where

    def __dlpack__(self, **options):
        raise AssertionError("no plane is read before it is known where all are")


class FramesInTheMemoryOfADevice(Videos):
    """Device cpu:0 imports addresses as a GPU does, so that arrays stand for tensors there."""

    def scores(self, videos, chroma, bits, has_device_frames, copy=lambda plane: plane):
        rows, columns = videos[0][0][0].shape
        features = ["psnr", "float_ssim", "motion", "float_moment"]
        options = features, "cpu:0", 1, has_device_frames
        scorer = core.Scorer(columns, rows, bits, chroma, *options)
        for one, other in zip(*videos):
            scorer.add([copy(plane) for plane in one], [copy(plane) for plane in other])
        self.assertEqual(
            [place.split(": ")[1].startswith("cpu:0") for place in scorer.places()].count(True),
            4 if has_device_frames else 0,
        )
        return scorer.finish()[0]

    def test_scores_are_the_hosts(self):
        def padded(plane):
            return numpy.pad(plane, ((0, 0), (3, 9)))[:, 3:-9]

        for chroma, bits in (("420", 8), ("422", 10), ("444", 8), ("400", 16)):
            videos = self.pair(chroma, bits, size=(67, 50), count=20)
            expected = self.scores(videos, chroma, bits, False)
            for copy in (numpy.copy, padded):
                found = self.scores(videos, chroma, bits, True, copy)
                for key, values in expected.items():
                    with self.subTest(chroma=chroma, bits=bits, key=key):
                        numpy.testing.assert_allclose(found[key], values, atol=1e-5)

    def test_frames_are_kept_until_they_are_read_and_no_longer(self):
        scorer = core.Scorer(64, 48, 8, "400", ["psnr"], "cpu:0", 1, True)
        ends = []
        for _ in range(20):
            one, other = (numpy.zeros((48, 64), numpy.uint8) for _ in range(2))
            ends += [weakref.ref(one), weakref.ref(other)]
            scorer.add([one], [other])
        del one, other
        held = [end for end in ends if end() is not None]
        self.assertEqual(len(held), 2 * 8)
        del scorer
        self.assertEqual([end for end in ends if end() is not None], [])

    def test_a_plane_of_another_form_is_refused(self):
        plane = numpy.zeros((48, 64), numpy.uint8)
        scorer = core.Scorer(64, 48, 8, "400", ["psnr"], "cpu:0", 1, True)
        for other in (plane[:, ::2], plane[:, :60], plane[:40], plane.astype("u2"), plane[::-1]):
            with self.assertRaises(penstock.PenstockError):
                scorer.add([plane], [other])

    def assert_refused(self, words, *videos, code="invalid", **options):
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.video.score(*videos, "psnr", **options)
        self.assertEqual(caught.exception.code, code)
        for word in words:
            self.assertIn(word, caught.exception.message)

    def test_frames_of_several_places_are_refused(self):
        here, there = numpy.zeros((48, 64), numpy.uint8), Elsewhere()
        both = "the host", "cuda:0"
        self.assert_refused(["reference", *both], [here], [there])
        self.assert_refused(["reference", "cuda:0 and cuda:1"], [there], [Elsewhere(2, 1)])
        self.assert_refused(["planes of a frame", *both], [[here, there, here]], [[here] * 3])
        self.assert_refused(["frames of a video", *both], [here, there], [here, there])

    def test_memory_that_is_not_scored_is_refused(self):
        there = Elsewhere(10)
        self.assert_refused(["type 10"], [there], [there], code="unsupported")
        there = Elsewhere()
        self.assert_refused(['device="host"', "cuda:0"], [there], [there], device="host")

    @unittest.skipIf(driver.has_gpu(), "a GPU is there")
    def test_a_gpu_that_is_not_there_is_named(self):
        there = Elsewhere()
        self.assert_refused([], [there], [there], code="no_device")

    @unittest.skipIf(importlib.util.find_spec("torch"), "PyTorch reads such planes")
    def test_the_cuda_interface_alone_names_what_reads_it(self):
        class Plane:
            __cuda_array_interface__ = {}

        self.assert_refused(["cupy or torch"], [Plane()], [Plane()], code="unsupported")


@unittest.skipUnless((CLIPS / "golden" / "src01_10bit.json").exists(), "clips are not there")
class ScoresAreLibvmafs(unittest.TestCase):
    def test_of_real_clips(self):
        for name, reference, distorted, raw in (
            ("hall", "hall_cif_frm_0_frm_0.yuv", "hall_plr10_3693_frm_0_frm_0.yuv", (352, 288, 8)),
            (
                "src01_10bit",
                "src01_hrc00_576x324.yuv420p10le.yuv",
                "src01_hrc01_576x324.yuv420p10le.yuv",
                (576, 324, 10),
            ),
        ):
            golden = json.loads((CLIPS / "golden" / f"{name}.json").read_text())["frames"]
            scores = penstock.video.score(
                CLIPS / "clips" / reference,
                CLIPS / "clips" / distorted,
                ["psnr", "float_ssim", "ciede", "float_ms_ssim"],
                raw=(*raw, "420"),
            )
            for key in ("psnr_y", "psnr_cb", "psnr_cr", "float_ssim", "ciede2000", "float_ms_ssim"):
                expected = [frame["metrics"][key] for frame in golden]
                with self.subTest(clip=name, key=key):
                    numpy.testing.assert_allclose(scores[key], expected, atol=1e-4)


if __name__ == "__main__":
    driver.main()
