"""`penstock bench portability`: every family on a device, and what its figures say together."""

import csv
import io
import json
import pathlib
import subprocess
import sys

from command_line import CommandLineTest, main

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "portability_tables.py"


class Portability(CommandLineTest):
    def portability(self, *arguments):
        return self.run_program(
            "bench", "portability", "--scale", "0.002", "--repeats", "1", *arguments
        )

    def report(self, *arguments):
        ended = self.portability("--format", "json", *arguments)
        self.assertEqual(ended.returncode, 0, ended.err)
        return json.loads(ended.out)

    def test_portability_is_the_harmonic_mean_of_the_rows(self):
        # One device twice is two backends of the same hardware, of unequal times.
        report = self.report("--devices", "cpu:0,cpu:0", "--only", "scan")
        shares = {"by_copy": "share_of_copy", "by_best": "share_of_best"}
        (scan,) = report["portability"]
        self.assertEqual((scan["family"], scan["set"]), ("scan", "CPU"))
        self.assertEqual(len(report["rows"]), 4)
        for mean, share in shares.items():
            reciprocals = [1 / min(1, row[share]) for row in report["rows"]]
            self.assertAlmostEqual(scan[mean], 4 / sum(reciprocals), places=9)
        self.assertAlmostEqual(scan["judged"], scan["by_best"], places=9)  # of a CPU
        least = min(row["share_of_best"] for row in report["rows"])
        self.assertAlmostEqual(scan["least"], least, places=9)

    def test_shares_are_bytes_in_a_time_over_the_devices_copy(self):
        report = self.report("--devices", "cpu:0", "--only", "sort u32")
        (device,) = report["devices"]
        for row in report["rows"]:
            rate = row["bytes"] / (row["milliseconds"] / 1e3)
            self.assertAlmostEqual(
                row["share_of_copy"], rate / device["copy_bytes_per_second"], places=9
            )

    def test_every_family_runs_on_a_cpu(self):
        rows = self.report("--devices", "cpu:0")["rows"]
        self.assertEqual([row["case"] for row in rows if "why_not" in row], [])
        self.assertEqual(
            {row["family"] for row in rows},
            {
                "filter",
                "map",
                "reduce",
                "group-by",
                "scan",
                "sort",
                "FSST",
                "LZ4",
                "Snappy",
                "Zstandard",
                "Deflate",
                "light encodings",
                "pages",
                "video",
            },
        )

    def test_variants_stand_beside_the_one_that_is_taken(self):
        report = self.report("--devices", "cpu:0", "--only", "like", "--variants")
        self.assertEqual(
            {(row["variant"], row["is_taken"]) for row in report["rows"]},
            {("fsst_match_candidates", True), ("fsst_match_rows", False)},
        )
        (step,) = report["steps"]
        time = {row["variant"]: row["milliseconds"] for row in report["rows"]}
        self.assertAlmostEqual(step["gain"], time[step["from"]] / time[step["to"]], places=9)

    def test_markdown_tables_have_each_figure_of_a_report(self):
        report = self.report("--devices", "cpu:0", "--only", "map: ")
        path = self.folder / "report.json"
        path.write_text(json.dumps(report))
        ended = subprocess.run(
            [sys.executable, SCRIPT, path], capture_output=True, text=True, check=True
        )
        (row,) = report["rows"]
        self.assertIn(f"| map: map-map | {row['milliseconds']:.3f} ms, ", ended.stdout)
        self.assertIn(f"| map | CPU | {report['portability'][0]['by_copy']:.3f} |", ended.stdout)

    def test_a_file_without_a_report_is_named(self):
        path = self.csv_file()
        ended = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn(str(path), ended.stderr)

    def test_csv_has_rows_and_portability(self):
        ended = self.portability("--format", "csv", "--devices", "cpu:0", "--only", "map: ")
        self.assertEqual(ended.returncode, 0, ended.err)
        lines = list(csv.DictReader(io.StringIO(ended.out)))
        self.assertEqual(
            [(line["record"], line["family"], line["case"]) for line in lines],
            [("row", "map", "map-map"), ("portability", "map", "")],
        )
        self.assertEqual(lines[1]["judged"], lines[1]["share_of_best"])  # of a CPU

    def test_wrong_options_are_wrong_usage(self):
        for wrong in (("--only", "walrus"), ("--scale", "0"), ("--devices", "walrus:0,")):
            ended = self.run_program("bench", "portability", *wrong)
            self.assertNotEqual(ended.returncode, 0, wrong)
            self.assertEqual(ended.out, "")
        self.assertIn(
            "filter: map-filter-map 50%",
            self.run_program("bench", "portability", "--only", "walrus").err,
        )


if __name__ == "__main__":
    main()
