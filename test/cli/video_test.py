"""Tests `penstock video`: libvmaf's files of scores, its options, and what is said of bad input."""

import csv
import io
import json
import shutil
import subprocess
import threading
import unittest
import xml.etree.ElementTree

from command_line import PROGRAM, CommandLineTest, main

KINDS = {"400": "mono", "420": "420jpeg", "422": "422", "444": "444"}


def planes(width, height, chroma="420", bits=8, frame=0, noise=0):
    """A frame's samples: a ramp that moves, and what an encoder could make of it."""
    halves = {"400": None, "420": (2, 2), "422": (2, 1), "444": (1, 1)}[chroma]
    sizes = [(width, height)]
    if halves:
        sizes += [(-(-width // halves[0]), -(-height // halves[1]))] * 2
    content = bytearray()
    for plane, (w, h) in enumerate(sizes):
        for y in range(h):
            for x in range(w):
                value = 40 + (3 * x + 2 * y + 5 * frame + 50 * plane) % 160
                value = (value + noise * ((x * 7 + y * 13 + frame) % 5 - 2)) << (bits - 8)
                content += value.to_bytes(1 if bits == 8 else 2, "little")
    return bytes(content)


class Video(CommandLineTest):
    def y4m(self, name="a.y4m", size=(64, 48), frames=4, noise=0, chroma="420", bits=8, header=""):
        kind = (
            KINDS[chroma] if bits == 8 else f"{'mono' if chroma == '400' else chroma + 'p'}{bits}"
        )
        content = f"YUV4MPEG2 W{size[0]} H{size[1]} F25:1 Ip C{kind}{header}\n".encode()
        for frame in range(frames):
            content += b"FRAME\n" + planes(*size, chroma, bits, frame, noise)
        return self.write(name, content)

    def yuv(self, name, size=(64, 48), frames=4, noise=0, chroma="420", bits=8):
        return self.write(
            name, b"".join(planes(*size, chroma, bits, frame, noise) for frame in range(frames))
        )

    def write(self, name, content):
        path = self.rows / name
        path.write_bytes(content)
        return path

    def video(self, *arguments, feature=("psnr",), **changes):
        features = [word for name in feature for word in ("--feature", name)]
        return self.run_program("video", *arguments, *features, "--device", "host", **changes)

    def scores(self, *arguments, **changes):
        ended = self.video(*arguments, "--json", **changes)
        self.assertIn(ended.returncode, (0, 2), ended.err)
        return json.loads(ended.out)

    def pair(self, **format):
        return self.y4m("ref.y4m", **format), self.y4m("dis.y4m", noise=3, **format)


class Files(Video):
    """The files that scripts for libvmaf's tool read."""

    def test_json_has_frames_and_pooled_scores(self):
        scores = self.scores(*self.pair(), feature=["psnr", "float_ssim"])
        self.assertEqual(
            list(scores), ["version", "fps", "frames", "pooled_metrics", "aggregate_metrics"]
        )
        self.assertEqual([frame["frameNum"] for frame in scores["frames"]], [0, 1, 2, 3])
        keys = ["psnr_y", "psnr_cb", "psnr_cr", "float_ssim"]
        for frame in scores["frames"]:
            self.assertEqual(list(frame["metrics"]), keys)
        self.assertEqual(list(scores["pooled_metrics"]), keys)
        for key, pooled in scores["pooled_metrics"].items():
            values = [frame["metrics"][key] for frame in scores["frames"]]
            self.assertEqual(list(pooled), ["min", "max", "mean", "harmonic_mean"])
            self.assertEqual((pooled["min"], pooled["max"]), (min(values), max(values)))
            self.assertAlmostEqual(pooled["mean"], sum(values) / 4, places=5)
            harmonic = 4 / sum(1 / (value + 1) for value in values) - 1
            self.assertAlmostEqual(pooled["harmonic_mean"], harmonic, places=5)
        self.assertGreater(scores["fps"], 0)

    def test_xml_is_of_the_tools_form(self):
        out = self.folder / "scores.xml"
        ended = self.video(*self.pair(), "-o", out, feature=["psnr=enable_apsnr=true"])
        self.assertEqual((ended.returncode, ended.out), (0, ""), ended.err)
        root = xml.etree.ElementTree.parse(out).getroot()
        self.assertEqual(root.tag, "VMAF")
        self.assertEqual(
            [child.tag for child in root],
            ["params", "fyi", "frames", "pooled_metrics", "aggregate_metrics"],
        )
        self.assertEqual(root.find("params").attrib, {"qualityWidth": "64", "qualityHeight": "48"})
        frames = root.findall("frames/frame")
        self.assertEqual([frame.get("frameNum") for frame in frames], ["0", "1", "2", "3"])
        for frame in frames:
            self.assertRegex(frame.get("psnr_y"), r"^\d+\.\d{6}$")
        metrics = root.findall("pooled_metrics/metric")
        self.assertEqual([m.get("name") for m in metrics], ["psnr_y", "psnr_cb", "psnr_cr"])
        self.assertEqual(
            list(root.find("aggregate_metrics").attrib), ["apsnr_y", "apsnr_cb", "apsnr_cr"]
        )

    def test_csv_and_sub_are_of_the_tools_form(self):
        rows = list(csv.reader(io.StringIO(self.video(*self.pair(), "--csv").out)))
        self.assertEqual(rows[0], ["Frame", "psnr_y", "psnr_cb", "psnr_cr", ""])
        self.assertEqual([row[0] for row in rows[1:]], ["0", "1", "2", "3"])
        for line in self.video(*self.pair(), "--sub").out.splitlines():
            self.assertRegex(
                line,
                r"^\{(\d)\}\{\d\}frame: \1\|psnr_y: [\d.]+\|psnr_cb: [\d.]+\|psnr_cr: [\d.]+\|$",
            )

    def test_a_files_suffix_says_its_format_and_a_flag_says_more(self):
        beginnings = {
            "json": "{\n",
            "xml": "<VMAF",
            "csv": "Frame,",
            "sub": "{0}{1}",
            "txt": "<VMAF",
        }
        for suffix, beginning in beginnings.items():
            out = self.folder / f"scores.{suffix}"
            self.assertEqual(self.video(*self.pair(), "-o", out).returncode, 0)
            self.assertTrue(out.read_text().startswith(beginning), suffix)
        out = self.folder / "scores.csv"
        self.video(*self.pair(), "-o", out, "--json")
        self.assertTrue(out.read_text().startswith("{\n"))

    def test_without_a_file_pooled_scores_are_a_table(self):
        ended = self.video(*self.pair())
        self.assertRegex(ended.out, r"^key +min +max +mean +harmonic mean\npsnr_y +\d+\.\d{6} ")
        self.assertEqual(len(ended.out.splitlines()), 4)

    def test_scores_that_are_infinite_are_null(self):
        reference, _ = self.pair()
        ended = self.video(reference, reference, "--json", feature=["ciede"])
        scores = json.loads(ended.out, parse_constant=self.fail)
        self.assertIsNone(scores["frames"][0]["metrics"]["ciede2000"])
        self.assertEqual(set(scores["pooled_metrics"]["ciede2000"].values()), {None})
        self.assertIn(
            'ciede2000="inf"', self.video(reference, reference, "--xml", feature=["ciede"]).out
        )

    def test_keys_name_options_and_aliases_are_features(self):
        size = {"size": (320, 240), "frames": 1}
        scores = self.scores(
            *self.pair(**size),
            feature=["cambi", "cambi=enc_width=240:enc_height=220", "ssim", "ciede2000"],
        )
        self.assertEqual(
            list(scores["pooled_metrics"]),
            ["cambi", "cambi_ench_220_encw_240", "float_ssim", "ciede2000"],
        )

    def test_a_plot_is_an_svg_with_every_key(self):
        plot = self.folder / "plot.svg"
        ended = self.video(*self.pair(), "--plot", plot, feature=["psnr", "float_ssim", "motion"])
        self.assertEqual(ended.returncode, 0, ended.err)
        root = xml.etree.ElementTree.parse(plot).getroot()
        texts = "".join(root.itertext())
        for key in ("psnr_y", "psnr_cr", "float_ssim", "integer_motion2"):
            self.assertIn(key, texts)
        self.assertEqual(len(root.findall(".//{*}path")), 7)


class Frames(Video):
    def test_raw_files_have_the_same_scores(self):
        for chroma in KINDS:
            for bits in (8, 10, 12, 16):
                form = {"chroma": chroma, "bits": bits, "frames": 2}
                y4m = self.scores(*self.pair(**form))
                raw = self.scores(
                    self.yuv("ref.yuv", **form),
                    self.yuv("dis.yuv", noise=3, **form),
                    *f"--width 64 --height 48 --pixel-format {chroma} --bitdepth {bits}".split(),
                )
                self.assertEqual(y4m["frames"], raw["frames"], form)

    def test_standard_input_is_one_of_the_videos(self):
        reference, distorted = self.pair()
        expected = self.scores(reference, distorted)["frames"]
        for words in (["-", distorted], [reference, "-"]):
            ended = subprocess.run(
                [PROGRAM, "video", *words, "--feature", "psnr", "--json", "--device", "host"],
                input=(reference if words[0] == "-" else distorted).read_bytes(),
                capture_output=True,
                timeout=60,
            )
            self.assertEqual(json.loads(ended.stdout)["frames"], expected)
        with open(distorted, "rb") as file:
            ended = subprocess.run(
                [
                    PROGRAM,
                    "video",
                    reference,
                    "-",
                    "--feature",
                    "psnr",
                    "--json",
                    "--device",
                    "host",
                ],
                stdin=file,
                capture_output=True,
                timeout=60,
            )
        self.assertEqual(json.loads(ended.stdout)["frames"], expected)

    def test_skip_and_frame_count_choose_frames(self):
        reference, distorted = self.pair(frames=6)
        every = [frame["metrics"] for frame in self.scores(reference, distorted)["frames"]]
        chosen = self.scores(reference, distorted, "--skip", "2", "--frame-count", "3")["frames"]
        self.assertEqual([frame["metrics"] for frame in chosen], every[2:5])
        self.assertEqual([frame["frameNum"] for frame in chosen], [0, 1, 2])
        shifted = self.scores(
            reference,
            distorted,
            "--frame_skip_ref",
            "1",
            "--skip-distorted",
            "1",
            "--frame_cnt",
            "2",
        )
        self.assertEqual([frame["metrics"] for frame in shifted["frames"]], every[1:3])

    def test_subsampled_scores_are_those_of_all_frames(self):
        reference, distorted = self.pair(frames=7)
        features = ["psnr=enable_apsnr=true", "motion", "float_ssim", "float_motion"]
        every = self.scores(reference, distorted, feature=features)
        some = self.scores(reference, distorted, "--subsample", "3", feature=features)
        self.assertEqual(some["frames"], [every["frames"][i] for i in (0, 3, 6)])
        self.assertEqual(some["aggregate_metrics"], every["aggregate_metrics"])
        values = [every["frames"][i]["metrics"]["float_ssim"] for i in (0, 3, 6)]
        self.assertAlmostEqual(
            some["pooled_metrics"]["float_ssim"]["mean"], sum(values) / 3, places=5
        )

    def test_the_shorter_video_ends_the_scoring_with_a_warning(self):
        longer, shorter = self.y4m("long.y4m", frames=5), self.y4m("short.y4m", frames=3, noise=1)
        for words in ((longer, shorter), (shorter, longer)):
            ended = self.video(*words, "--json")
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(len(json.loads(ended.out)["frames"]), 3)
            self.assertRegex(ended.err, r"warning: .*short.y4m ended before .*long.y4m; 3 frames")
        self.assertEqual(self.video(longer, shorter, "--frame-count", "3").returncode, 0)

    def test_where_features_ran_is_printed(self):
        ended = self.video(*self.pair(), "-v", feature=["psnr", "float_ssim"])
        self.assertRegex(ended.err, r"(?m)^psnr: host, loops$")
        self.assertRegex(ended.err, r"(?m)^float_ssim: host, loops$")
        self.assertRegex(ended.err, r"(?m)^a frame: 0\.00 waits, ")
        self.assertRegex(ended.err, r"(?m)^4 frames of 64x48, 4:2:0, 8 bits in .* frames/s\)$")

    def test_kernels_run_on_a_cpus_device_and_have_the_same_scores(self):
        words = [*self.pair(), "--feature", "psnr", "--json"]
        ended = self.run_program("video", *words, "--device", "cpu", "--use", "kernels", "-v")
        self.assertEqual(ended.returncode, 0, ended.err)
        self.assertRegex(ended.err, r"(?m)^psnr: (?:cpu|opencl|cuda):\d+ .*, \w+$")
        self.assertRegex(ended.err, r"(?m)^a frame: .* launches")
        self.assertEqual(json.loads(ended.out)["frames"], self.scores(*words[:2])["frames"])

    def test_features_are_listed_with_their_options(self):
        ended = self.run_program("video", "--list-features")
        self.assertEqual(ended.returncode, 0, ended.err)
        for feature in ("float_ssim", "float_ms_ssim", "cambi", "ciede", "psnr", "motion", "vif"):
            self.assertRegex(ended.out, rf"(?m)^{feature}: \w")
        self.assertIn("    window_size, ws (65, 15 to 127): ", ended.out)


class WhereLibvmafFails(Video):
    """Sizes and formats that libvmaf's tool does not score, or scores wrongly."""

    def test_odd_sizes(self):
        for size in ((63, 47), (1, 1), (2, 1), (33, 2)):
            for chroma in KINDS:
                scores = self.scores(*self.pair(size=size, chroma=chroma, frames=2))
                self.assertEqual(len(scores["frames"]), 2, (size, chroma))
        size = {"size": (321, 241), "frames": 1}
        features = ["float_ssim", "float_ms_ssim", "cambi", "ciede", "vif", "motion", "float_vif"]
        for value in self.scores(*self.pair(**size), feature=features)["pooled_metrics"].values():
            self.assertIsNotNone(value["mean"])

    def test_chroma_of_422_is_scored_where_it_is(self):
        pair = self.pair(chroma="422", size=(64, 48), frames=1)
        self.assertGreater(
            self.scores(*pair, feature=["ciede"])["pooled_metrics"]["ciede2000"]["mean"], 0
        )


class BadInput(Video):
    def assert_refused(self, *arguments, words, code=1, feature=("psnr",)):
        ended = self.video(*arguments, feature=feature)
        self.assert_fails(ended, *words, code=code)
        self.assertNotIn("internal", ended.err)

    def test_usage(self):
        a = self.y4m()
        for arguments, words in (
            ([], "REF and DIST are required"),
            ([a], "REF and DIST are required"),
            ([a, a, a], "is one too many"),
            ([a, a, "--json", "--xml"], "is enough"),
            ([a, a, "--subsample", "0"], "--subsample"),
            ([a, a, "--width", "64"], "all required"),
            ([a, a, "-p", "411"], "400|420|422|444"),
            ([a, a, "-b", "7"], "from 8 to 16"),
            ([a, a, "--width", "70000"], "65535"),
            (["-", "-"], "one video, not both"),
            ([a, a, "--use", "kernels"], "needs a device"),
        ):
            self.assert_refused(*arguments, words=[words], code=2)
        self.assert_fails(self.run_program("video", a, a), "--feature is required", code=2)

    def test_features_and_options_that_are_not(self):
        a = self.y4m()
        for feature, words in (
            ("psn", "did you mean 'psnr'?"),
            ("", "has no name"),
            ("psnr=enable_mse", "option=value"),
            ("psnr=enable_mse=maybe", "true or false"),
            ("psnr=enable_mze=true", "did you mean 'enable_mse'?"),
            ("cambi=window_size=1", "15 to 127"),
            ("float_ms_ssim", "64x48"),
        ):
            ended = self.video(a, a, feature=[feature])
            self.assertEqual(ended.returncode, 1, feature)
            if feature != "float_ms_ssim":
                self.assertIn(words, ended.err)
        self.assert_refused(a, a, words=["twice"], feature=["psnr", "psnr"])

    def test_files_that_are_none(self):
        a = self.y4m()
        self.assert_refused(self.rows / "none.y4m", a, words=["cannot open", "none.y4m"])
        self.assert_refused(a, self.rows, words=["Is a directory"])
        self.assert_refused(a, self.write("empty.y4m", b""), words=["empty.y4m: is empty"])
        self.assert_refused(a, a, "-o", self.folder / "no" / "x.json", words=["cannot write"])
        self.assert_refused(
            a, self.write("x_64x48.yuv", bytes(64)), words=["--width 64 --height 48"]
        )
        # Refused by libavformat, or because it is not installed.
        self.assert_refused(a, self.write("junk", bytes(range(256)) * 9), words=["junk: is n"])

    def test_headers_that_lie(self):
        a = self.y4m()
        for header, words in (
            ("YUV4MPEG2 W0 H48", "'W0'"),
            ("YUV4MPEG2 W64", "no width and height"),
            ("YUV4MPEG2 W99999999999 H48", "1 to 65535"),
            ("YUV4MPEG2 W64 H48 C411", "'411'"),
            ("YUV4MPEG2 W64 H48 C444alpha", "'444alpha'"),
            ("YUV4MPEG2 W64 H48 F25", "frame rate"),
            ("YUV4MPEG2" + " X" * 3000, "more than 4096 bytes"),
            ("YUV4MPEG2 W64 H48 C420p10\n", "different formats"),
            ("YUV4MPEG2 W65535 H65535 C444p16\nFRAME\n", "different formats"),
        ):
            path = self.write("bad.y4m", header.encode() + b"\n")
            self.assert_refused(a, path, words=[words, "bad.y4m"])
        absurd = self.write("absurd.y4m", b"YUV4MPEG2 W65535 H65535 C444p16\nFRAME\nabc")
        self.assert_refused(absurd, absurd, words=["truncated", "3 of 25769017350 bytes"])

    def test_frames_that_are_cut_or_missing(self):
        a = self.y4m()
        whole = a.read_bytes()
        first = whole.index(b"FRAME")
        frame = 6 + 64 * 48 * 3 // 2
        self.assert_refused(a, self.write("b.y4m", whole[:-1]), words=["frame 3 has 4607 of 4608"])
        self.assert_refused(
            a, self.write("b.y4m", whole[: first + frame + 3]), words=["ends in a header"]
        )
        broken = whole[: first + frame] + b"FRANE\n" + whole[first + frame + 6 :]
        self.assert_refused(
            a, self.write("b.y4m", broken), words=["frame 1 does not begin with FRAME"]
        )
        nothing = self.write("none.y4m", whole[:first])
        self.assert_refused(nothing, nothing, words=["no frame to score"])
        self.assert_refused(a, nothing, words=["none.y4m ended before", "no frame to score"])
        self.assert_refused(a, a, "--skip", "5", words=["has 4 frames, of which 5"])
        self.assert_refused(a, a, "--skip", "4", words=["no frame to score"])
        raw = self.write("x.yuv", bytes(100))
        form = "--width 64 --height 48 -p 420 -b 8".split()
        self.assert_refused(raw, raw, *form, words=["frame 0 has 100 of 4608 bytes"])
        self.assert_refused(a, a, *form, words=["is y4m, which states its format"])
        form[-1] = "9"
        self.assert_refused(raw, raw, *form, words=["8, 10, 12 or 16 bits"])

    def test_formats_that_differ(self):
        a = self.y4m()
        for other in (
            self.y4m("size.y4m", size=(64, 46)),
            self.y4m("bits.y4m", bits=10),
            self.y4m("chroma.y4m", chroma="444"),
        ):
            self.assert_refused(
                a, other, words=["different formats", "64x48, 4:2:0, 8 bits", other.name]
            )

    def test_videos_are_not_written_over(self):
        (a, b), out = self.pair(), self.folder / "o.json"
        before = a.read_bytes(), b.read_bytes()
        for option in ("-o", "--plot"):
            for video in (a, b):
                name = f"{video.parent}/./{video.name}"
                self.assert_refused(a, b, option, name, words=["not written over"], code=2)
        self.assert_refused(a, b, "-o", out, "--plot", out, words=["the same file"], code=2)
        self.assertEqual((a.read_bytes(), b.read_bytes()), before)

    def test_nothing_is_left_where_a_run_fails(self):
        a, out, plot = self.y4m(), self.folder / "o.json", self.folder / "p.svg"
        cut = self.write("cut.y4m", a.read_bytes()[:-1])
        self.assert_refused(a, cut, "-o", out, "--plot", plot, words=["frame 3"])
        self.assertFalse(out.exists() or plot.exists())

    def test_samples_above_their_depth_are_an_error_or_scored(self):
        over = self.write("over.yuv", b"\xff\xff" * (64 * 48 * 3 // 2))
        form = "--width 64 --height 48 -p 420 -b 10".split()
        for feature in ("psnr", "float_ssim", "ciede", "motion", "vif"):
            ended = self.video(over, over, *form, feature=[feature])
            self.assertIn(ended.returncode, (0, 1), f"{feature}: {ended.err}")


class Containers(Video):
    """By libavformat, which is opened at run time; files are made by ffmpeg where it is."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("ffmpeg"):
            raise unittest.SkipTest("ffmpeg is not installed")

    def convert(self, source, name, *options):
        path = self.rows / name
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", source, *options, path], check=True, timeout=60
        )
        return path

    def test_lossless_files_have_the_same_scores(self):
        for chroma, bits in (("420", 8), ("422", 10), ("444", 12), ("420", 16)):
            reference, distorted = self.pair(chroma=chroma, bits=bits)
            expected = self.scores(reference, distorted)["frames"]
            packed = self.convert(distorted, "dis.mkv", "-c:v", "ffv1")
            self.assertEqual(self.scores(reference, packed)["frames"], expected, (chroma, bits))
            self.assertEqual(
                self.scores(reference, packed, "--skip", "1")["frames"][0]["metrics"],
                expected[1]["metrics"],
            )

    def test_an_encoders_file_is_scored(self):
        reference, _ = self.pair(size=(128, 96), frames=8)
        encoded = self.convert(reference, "dis.mp4", "-c:v", "mpeg4", "-q:v", "9")
        scores = self.scores(reference, encoded)
        self.assertEqual(len(scores["frames"]), 8)
        self.assertLess(scores["pooled_metrics"]["psnr_y"]["mean"], 60)

    def test_other_pixels_are_named(self):
        reference, distorted = self.pair()
        packed = self.convert(distorted, "dis.mov", "-pix_fmt", "rgb24", "-c:v", "png")
        self.assert_fails(self.video(reference, packed), "its pixels are rgb24")

    def test_damage_ends_in_an_error_or_in_scores(self):
        reference, distorted = self.pair()
        packed = self.convert(distorted, "dis.mkv", "-c:v", "ffv1").read_bytes()
        for change in range(0, len(packed), 97):
            damaged = bytearray(packed)
            damaged[change] ^= 0x5A
            self.video(reference, self.write("bad.mkv", bytes(damaged)), "--json")
        for end in range(0, len(packed), 499):
            self.video(reference, self.write("cut.mkv", packed[:end]), "--json")

    def test_junk_is_refused(self):
        junk = self.write("junk.mkv", bytes(range(256)) * 40)
        self.assert_fails(self.video(self.y4m(), junk), "corrupt", "junk.mkv")


class Interrupts(Video):
    def test_a_silent_pipe_ends_by_a_signal(self):
        reference = self.y4m()
        running = subprocess.Popen(
            [PROGRAM, "video", reference, "-", "--feature", "psnr", "--device", "host"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        running.stdin.write(reference.read_bytes()[:100])
        running.stdin.flush()
        threading.Timer(0.5, running.terminate).start()
        self.assertEqual(running.wait(timeout=20), 130, running.stderr.read())
        running.stdin.close()
        running.stderr.close()


main()
