"""`penstock bench devices` and scripts/scaling.py: one device that is listed several times."""

import csv
import io
import json
import pathlib
import subprocess
import sys

from command_line import PROGRAM, CommandLineTest, main

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "scaling.py"
THREE = ("--device", "cpu:0,cpu:0,cpu:0", "--repeats", "1", "--batch-mib", "1")


def figure(work, devices, speed_up):
    return {
        "work": work,
        "scaling": "strong",
        "devices": devices,
        "milliseconds": 8.0 / speed_up,
        "spread": 0.01,
        "speed_up": speed_up,
        "bytes_exchanged": 7_700_000,
        "bound": "kernels",
    }


class Devices(CommandLineTest):
    def devices(self, *arguments):
        return self.run_program("bench", "devices", *THREE, "--rows", "10007", *arguments)

    def figures(self, *arguments):
        ended = self.devices("--format", "json", *arguments)
        self.assertEqual(ended.returncode, 0, ended.err)
        return [json.loads(line) for line in ended.out.splitlines()]

    def test_counts_are_powers_of_two_and_all(self):
        figures = self.figures("--only", "rows: join, resident")
        self.assertEqual([each["devices"] for each in figures], [1, 2, 3])
        self.assertEqual(figures[0]["speed_up"], 1)

    def test_counts_can_be_chosen_and_wrong_ones_are_refused(self):
        figures = self.figures("--only", "batches: zstd", "--counts", "3")
        self.assertEqual([(each["devices"], each["speed_up"]) for each in figures], [(3, 0)])
        for wrong in ("0", "4", "two"):
            ended = self.devices("--only", "batches: zstd", "--counts", wrong)
            self.assertNotEqual(ended.returncode, 0, wrong)
            self.assertIn(f"'{wrong}' is no count of 3 devices", ended.err)

    def test_weak_scaling_counts_the_work_of_all_devices(self):
        figures = self.figures("--only", "batches: fsst", "--scaling", "weak")
        one = figures[0]["milliseconds"]
        for each in figures:
            self.assertEqual(each["scaling"], "weak")
            wanted = each["devices"] * one / each["milliseconds"]
            self.assertAlmostEqual(each["speed_up"] / wanted, 1, places=2)

    def test_fewer_row_groups_than_devices_give_the_same_answers(self):
        figures = self.figures("--only", "resident", "--row-group", "10007", "--counts", "1,3")
        self.assertEqual(len(figures), 2 * 6)

    def test_texts_of_several_cases_choose_all_of_them(self):
        figures = self.figures("--only", "join, files;filter, files", "--counts", "1")
        self.assertEqual(
            [each["work"] for each in figures], ["rows: ordered filter, files", "rows: join, files"]
        )

    def test_csv_has_a_head(self):
        ended = self.devices("--format", "csv", "--only", "batches: lz4", "--counts", "1")
        (line,) = csv.DictReader(io.StringIO(ended.out))
        self.assertEqual((line["work"], line["devices"]), ("batches: lz4", "1"))
        self.assertGreater(float(line["milliseconds"]), 0)


class Script(CommandLineTest):
    def script(self, *arguments):
        command = [sys.executable, SCRIPT, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    def run_parts(self, only, *arguments):
        return self.script(
            *("run", self.folder / "results.json", "--program", PROGRAM, "--only", only),
            *("--device", "cpu:0,cpu:0", "--repeats", "1", "--rows", "5000"),
            *("--batch-mib", "2", *arguments),
        )

    def report(self):
        return json.loads((self.folder / "results.json").read_text())

    def test_parts_are_added_to_the_results_of_others(self):
        for only in ("batches, strong", "tpch"):
            self.assertEqual(self.run_parts(only).returncode, 0)
        parts = self.report()["parts"]
        self.assertEqual(len(parts["batches, strong"]["figures"]), 6)
        self.assertEqual(parts["tpch"], {"figures": [], "missing": "no --data"})

    def test_what_was_not_run_is_said(self):
        said = self.run_parts("batches, strong").stdout
        self.assertIn("not run, or not whole: rows, weak: not asked for", said)
        self.assertNotIn("batches, strong", said)

    def test_a_part_ends_at_its_limit(self):
        self.run_parts("rows, resident", "--seconds", "0.001")
        self.assertIn("not done", self.report()["parts"]["rows, resident, strong"]["missing"])

    def test_tables_go_between_markers_with_their_goals(self):
        document, results = self.folder / "page.md", self.folder / "results.json"
        begin, end = "<!-- scaling: begin -->", "<!-- scaling: end -->"
        document.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
        figures = [
            *(figure("rows: sort", count, speed_up) for count, speed_up in ((1, 1), (4, 3.1))),
            figure("batches: lz4", 4, 3.1),
        ]
        parts = {"some": {"figures": figures, "missing": "half"}}
        results.write_text(json.dumps({"device_names": "4 x GPU", "parts": parts}))
        ended = self.script("write", results, "--document", document, "--no-plot")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        text = document.read_text()
        self.assertIn("| rows: sort | 8.00 | 2.58 | 3.10 | 3.0: met | 1 % | 7.7 | kernels |", text)
        self.assertIn("| batches: lz4 |  | 2.58 | 3.10 | 3.6 | 1 % | 7.7 | kernels |", text)
        self.assertIn("**some** (half)", text)
        self.assertTrue(text.startswith("before\n") and text.endswith(f"{end}\nafter\n"))
        self.assertNotIn("old", text)

    def test_a_page_without_markers_is_left_alone(self):
        document, results = self.folder / "page.md", self.folder / "results.json"
        document.write_text("no markers")
        results.write_text(json.dumps({"device_names": "GPU", "parts": {}}))
        ended = self.script("write", results, "--document", document, "--no-plot")
        self.assertEqual((ended.returncode, document.read_text()), (2, "no markers"))


if __name__ == "__main__":
    main()
