"""A profiled query: figures parse in every format, the trace is complete, wrong requests fail."""

import csv
import io
import json

from command_line import CommandLineTest, main


class Profile(CommandLineTest):
    def statement(self):
        return f"SELECT n % 7 AS k, sum(r) AS s FROM '{self.numbers_file(20000)}' GROUP BY n % 7 ORDER BY k"

    def profile(self, *arguments):
        ended = self.run_program("profile", *arguments)
        self.assertEqual(ended.returncode, 0, ended.err)
        return ended.out

    def test_json_holds_kernels_functions_and_tracks(self):
        figures = json.loads(self.profile("--format", "json", "--", "query", self.statement()))
        self.assertEqual(figures["run"]["rows"], 20000)
        (kernel,) = figures["kernels"]
        self.assertGreater(kernel["seconds"], 0)
        self.assertGreater(kernel["share_of_copy"], 0)
        self.assertIn(kernel["program"], ("compiled", "disk", "memory"))
        # A kernel may be several functions, as CUDA's is.
        launches = [function["launches"] for function in figures["functions"]]
        self.assertIn(kernel["launches"], launches)
        alone = sum(track["alone_seconds"] for track in figures["tracks"])
        self.assertLessEqual(alone, figures["run"]["seconds"] * 1.001)
        self.assertEqual(
            [track["track"] for track in figures["tracks"]],
            ["host", "wait", "read", "open", "compile", "upload", "compute", "download"],
        )

    def test_csv_says_what_json_does(self):
        rows = list(
            csv.DictReader(
                io.StringIO(self.profile("--format", "csv", "--", "query", self.statement()))
            )
        )
        value = {(row["section"], row["row"], row["field"]): row["value"] for row in rows}
        self.assertEqual(value["run", "0", "rows"], "20000")
        self.assertGreater(float(value["kernels", "0", "seconds"]), 0)
        self.assertEqual(len(value), len(rows))

    def test_table_names_what_a_driver_does_not_tell(self):
        out = self.profile("--", "query", self.statement(), "--device", "cpu")
        self.assertIn("occupancy", out)
        self.assertIn("unknown", out)

    def test_the_device_may_be_named_before_the_query(self):
        statement = self.statement()
        out = self.profile("--device", "cpu", "--format", "json", "--", "query", statement)
        self.assertTrue(json.loads(out)["run"]["device"])
        ended = self.run_program("profile", "--device", "opencl:99", "--", "query", statement)
        self.assert_fails(ended, "opencl:99")
        ended = self.run_program("profile", "-d", "cpu", "query", statement, "-d", "opencl:99")
        self.assert_fails(ended, "opencl:99")  # the query's own goes first

    def test_the_marker_may_be_left_out(self):
        self.assertIn("pipeline_", self.profile("query", self.statement()))

    def test_trace_has_a_named_line_for_every_span(self):
        path = self.rows / "run.json"
        self.profile("--trace", path, "--", "query", self.statement())
        events = json.loads(path.read_text())["traceEvents"]
        spans = [event for event in events if event["ph"] == "X"]
        names = {
            event["tid"]: event["args"]["name"]
            for event in events
            if event["name"] == "thread_name"
        }
        self.assertLessEqual(
            {"compute", "download", "read", "compile", "open"},
            {names[span["tid"]] for span in spans},
        )
        for span in spans:
            self.assertGreaterEqual(span["dur"], 0)
        lines = {}
        for span in spans:
            lines.setdefault(span["tid"], []).append(span)
        for line in lines.values():  # each ends before the next begins, or lies within it
            open_ends = []
            for span in line:
                while open_ends and open_ends[-1] <= span["ts"] + 1e-6:
                    open_ends.pop()
                end = span["ts"] + span["dur"]
                self.assertTrue(not open_ends or end <= open_ends[-1] + 1e-6, (span, open_ends))
                open_ends.append(end)

    def test_rows_go_to_the_file_alone(self):
        path = self.rows / "out.csv"
        out = self.profile(
            "--format",
            "json",
            "--trace",
            self.rows / "t.json",
            "--",
            "query",
            self.statement(),
            "--output",
            path,
        )
        self.assertEqual(len(path.read_text().splitlines()), 8)
        json.loads(out)
        self.assertEqual(
            sorted(p.name for p in self.rows.iterdir()), ["numbers.csv", "out.csv", "t.json"]
        )

    def test_a_failed_query_leaves_no_trace(self):
        ended = self.run_program(
            "profile",
            "--trace",
            self.rows / "t.json",
            "--",
            "query",
            f"SELECT nothing FROM '{self.numbers_file(3)}'",
        )
        self.assert_fails(ended, "nothing")
        self.assertEqual([p.name for p in self.rows.iterdir()], ["numbers.csv"])

    def test_a_trace_that_cannot_be_written_fails_at_once(self):
        self.assert_fails(
            self.run_program(
                "profile", "--trace", "/nowhere/t.json", "--", "query", self.statement()
            ),
            "/nowhere",
        )

    def test_wrong_usage(self):
        for words in (
            ["profile"],
            ["profile", "--", "emit", "SELECT 1"],
            ["profile", "--", "query"],
            ["profile", "--", "query", "SELECT 1", "--trace", "x"],
        ):
            self.assert_fails(self.run_program(*words), "wrong usage", code=2)

    def test_a_missing_query_is_named(self):
        self.assert_fails(self.run_program("profile"), "a command is required: query", code=2)
        for words in (["SELECT 1"], ["--", "SELECT 1"], ["--format", "json", "SELECT 1"]):
            self.assert_fails(
                self.run_program("profile", *words),
                "no command 'SELECT 1'; the only one here is query",
                code=2,
            )

    def test_stalls_of_a_device_that_has_none_are_refused(self):
        self.assert_fails(
            self.run_program(
                "profile", "--stalls", "--", "query", self.statement(), "--device", "cpu"
            ),
            "NVIDIA",
        )

    def test_nothing_is_profiled_that_does_not_run(self):
        self.assert_fails(
            self.run_program("profile", "--", "query", self.statement(), "--explain"), "--explain"
        )


main()
