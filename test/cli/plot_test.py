"""scripts/plot_bench.py: figures of results of penstock bench, and messages for files without any."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import unittest
from xml.etree import ElementTree

from command_line import CommandLineTest, main

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "plot_bench.py"
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def result(work="map-filter-map 50%", name="penstock x", rows=65536, rate=100.0, **changes):
    return {
        "work": work,
        "name": name,
        "rows": rows,
        "milliseconds": 1.0,
        "spread": 0.1,
        "gigabytes_per_second": rate,
        "share_of_copy": rate / 4000,
        "device": "GPU",
        **changes,
    }


class PlotTest(CommandLineTest):
    def plot(self, results, by, *arguments):
        path = self.rows / "results.json"
        path.write_text(
            "".join(
                (line if isinstance(line, str) else json.dumps(line)) + "\n" for line in results
            )
        )
        self.figure = self.folder / "figure.svg"
        command = [sys.executable, SCRIPT, path, "--by", by, "--output", self.figure, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def texts(self, results, by, *arguments):
        ended = self.plot(results, by, *arguments)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return [
            element.text
            for element in ElementTree.parse(self.figure).iter("{http://www.w3.org/2000/svg}text")
        ]

    def assert_refused(self, results, by, words):
        ended = self.plot(results, by)
        self.assertEqual((ended.returncode, self.figure.exists()), (2, False), ended.stderr)
        self.assertIn(words, ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)


class Refused(PlotTest):
    def test_a_line_cut_short_is_named(self):
        self.assert_refused([result(), '{"work": "map'], "rows", "results.json:2: not JSON")

    def test_a_table_is_no_result(self):
        self.assert_refused(["map-map  penstock  1.0 ms"], "rows", "results.json:1: not JSON")

    def test_a_list_is_no_result(self):
        self.assert_refused(["[1, 2]"], "rows", "results.json:1: not a result of penstock bench")

    def test_a_throughput_that_no_log_axis_holds(self):
        for rate in (0, -1.0, "fast", None, True, float("inf"), float("nan")):
            self.assert_refused(
                [result(gigabytes_per_second=rate)],
                "rows",
                "results.json:1: 'gigabytes_per_second' is no positive number",
            )

    def test_a_result_without_its_device(self):
        self.assert_refused(
            [{**result(), "device": None}], "rows", "results.json:1: 'device' is no text"
        )

    def test_cases_without_keys_have_no_place_among_key_counts(self):
        results = [result(), result(work="sum"), result(work="1000 zipf keys")]
        self.assert_refused(results, "keys", "no result has a place on an axis of keys")

    def test_a_file_that_is_not_there(self):
        ended = subprocess.run(
            [
                sys.executable,
                SCRIPT,
                self.rows / "none",
                "--by",
                "rows",
                "--output",
                self.rows / "a.svg",
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(ended.returncode, 2)
        self.assertIn("No such file", ended.stderr)


@unittest.skipUnless(
    HAS_MATPLOTLIB, "matplotlib is not installed: scripts/python_environment.sh plot"
)
class Figure(PlotTest):
    def test_equal_results_give_equal_bytes(self):
        results = [
            result(rows=rows, name=name)
            for rows in (65536, 131072)
            for name in ("penstock x", "CUB")
        ]
        self.texts(results, "rows")
        first = self.figure.read_bytes()
        self.texts(results, "rows")
        self.assertEqual(self.figure.read_bytes(), first)
        self.assertNotIn(b"dc:date", first)

    def test_each_system_has_a_line_and_axes_have_units(self):
        texts = self.texts(
            [
                result(rows=rows, name=name)
                for rows in (65536, 131072)
                for name in ("penstock x", "CUB")
            ],
            "rows",
            "--title",
            "Title",
        )
        for text in (
            "penstock x",
            "CUB",
            "copy, GPU",
            "rows",
            "throughput (GB/s read and written)",
            "Title",
        ):
            self.assertEqual(texts.count(text), 1, text)

    def test_selectivity_has_a_tick_a_pass_rate(self):
        texts = self.texts(
            [result(work=f"map-filter-map {percent}%") for percent in ("0.1", "50", "99.9")],
            "selectivity",
        )
        self.assertEqual(texts[:3], ["0.1", "50", "99.9"])

    def test_several_works_and_devices_are_told_apart(self):
        texts = self.texts(
            [
                result(work=work, device=device)
                for work in ("a 1%", "b 1%")
                for device in ("GPU", "CPU")
            ],
            "selectivity",
        )
        self.assertIn("penstock x, b, CPU", texts)

    def test_keys_of_sweep(self):
        texts = self.texts(
            [result(work=work) for work in ("1 key", "20 keys", "10000000 keys", "sum")], "keys"
        )
        self.assertEqual(texts.count("penstock x"), 1)

    def test_speed_ups_stand_beside_the_ideal(self):
        results = [
            {
                "work": "rows: sort",
                "scaling": "strong",
                "devices": devices,
                "milliseconds": 1.0,
                "speed_up": 0.9 * devices,
            }
            for devices in (1, 2, 4, 8)
        ]
        texts = self.texts(results, "devices")
        for text in ("rows: sort", "ideal", "devices", "speed-up to one device"):
            self.assertEqual(texts.count(text), 1, text)

    def test_bars_show_the_fastest_variant_of_a_system(self):
        results = [
            result(work="lz4, text", name="penstock lz4_decode_warp", rate=345.0),
            result(work="lz4, text", name="penstock lz4_decode_thread", rate=20.0),
            result(work="lz4, text", name="nvCOMP LZ4", rate=108.0),
        ]
        texts = self.texts(results, "case")
        for text in ("penstock", "nvCOMP", "345", "108", "throughput (GB/s of output)"):
            self.assertEqual(texts.count(text), 1, text)
        self.assertNotIn("20", texts)

    def test_bars_need_no_share_of_copy(self):
        results = [
            {"work": "zstd, logs", "name": "nvCOMP", "gigabytes_per_second": 122, "device": "GPU"}
        ]
        self.assertIn("122", self.texts(results, "case"))

    def test_what_the_program_prints_can_be_drawn(self):
        ended = self.run_program(
            "bench",
            "pipelines",
            "--device",
            "cpu:0",
            "--rows",
            "131072",
            "--repeats",
            "1",
            "--sweep",
            "rows",
            "--only",
            "filter-sum",
            "--format",
            "json",
        )
        self.assertEqual(ended.returncode, 0, ended.err)
        lines = ended.out.splitlines()
        self.assertEqual([json.loads(line)["rows"] for line in lines], [65536, 131072])
        self.assertIn("copy, " + json.loads(lines[0])["device"], self.texts(lines, "rows"))


main()
