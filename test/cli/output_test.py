"""Rows go to stdout or atomically into a file, everything else to stderr; all formats agree."""

import csv
import io
import json
import os
import pty
import re
import resource
import subprocess

from command_line import PROGRAM, CommandLineTest, main


class Output(CommandLineTest):
    def test_stdout_holds_rows_and_stderr_names_the_device(self):
        ended = self.query(f"SELECT sum(a) AS total FROM '{self.csv_file()}'", "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, "total\n6\n"))
        self.assertRegex(
            ended.err,
            r"^(cpu|opencl|cuda):\d+ .*: 3 rows in .*s; kernels [\d.]+ [mu]?s; (compiled|cache)",
        )

    def test_rates_are_told_of_runs_that_are_long_enough_alone(self):
        few = self.query(f"SELECT sum(a) FROM '{self.csv_file()}'").err
        many = self.query(f"SELECT sum(n), sum(r) FROM '{self.numbers_file(1000000)}'").err
        self.assertNotRegex(few, "B/s|rows/s|%")
        # Kernels of less than 0.1 ms have no rate; a fast GPU's are.
        self.assertRegex(
            many,
            r": 1,000,000 rows in .*, .*rows/s, .*[GM]B/s; kernels ([\d.]+ us|.* at .*[GM]B/s)",
        )

    def test_many_rows_that_move_few_bytes_have_rows_a_second(self):
        counted = self.query(f"SELECT count(*) FROM '{self.numbers_file(1100000)}'").err
        self.assertRegex(counted, r": 1,100,000 rows in [\d.]+ m?s, .*rows/s; ")
        self.assertNotIn("B/s", counted)

    def test_what_is_skipped_is_said_before_and_after_a_run(self):
        file = self.parquet_file(300_000)  # three row groups
        statement = f"SELECT sum(r) FROM '{file}' WHERE n < 1000"
        # Pages of the third too, where the version of Arrow writes a page index.
        skipped = r"2 of 3 row groups \(2 by statistics\)(, \d+ pages)?: \d+ of 300000 rows"
        self.assertRegex(self.query(statement, "--explain").out, f"skips {skipped}")
        self.assertRegex(self.query(statement).err, f"skipped: {skipped}")
        self.assertNotIn("skip", self.query(f"SELECT sum(r) FROM '{file}' WHERE n >= 0").err)

    def test_the_footer_answers_without_a_device(self):
        statement = f"SELECT count(*), min(n), max(n) FROM '{self.parquet_file()}'"
        ended = self.query(statement, "--format", "csv", PENSTOCK_HIDE="cuda,cpu,opencl,sycl")
        self.assertEqual(ended.out.splitlines()[1:], ["5000,0,4999"], ended.err)
        self.assertIn("answered from the footer of numbers.parquet", ended.err)
        self.assertIn("no device: ", ended.err)
        self.assert_fails(self.query(statement, "--device", "cuda:99"), "no usable device")
        self.assert_fails(self.query(statement, "--device", "none"), "names no device")

    def test_a_query_never_waits_for_a_cpus_copy_bandwidth(self):
        cache = self.folder / "cache"
        statement = f"SELECT sum(n), sum(r) FROM '{self.numbers_file(1000000)}'"
        for folder in (
            str(cache / "penstock"),
            "/dev/null/nowhere",
        ):  # without a record; and where none can be kept
            ended = self.query(
                statement, "--device", "cpu", XDG_CACHE_HOME=str(cache), PENSTOCK_CACHE_DIR=folder
            )
            self.assertIn("run penstock devices once", ended.err)
        self.assertEqual(list(cache.rglob("copy-bandwidth-*")), [])
        self.run_program("devices", XDG_CACHE_HOME=str(cache))
        ended = self.query(statement, "--device", "cpu", XDG_CACHE_HOME=str(cache))
        self.assertRegex(ended.err, r"% of the copy bandwidth of .* measured \d{4}-\d\d-\d\d")

    def test_a_validated_query_answers_the_same_and_says_so(self):
        statement = f"SELECT n % 3 AS k, sum(r) AS s FROM '{self.numbers_file(2000)}' WHERE n > 7 GROUP BY n % 3 ORDER BY k DESC"
        plain, validated = (
            self.query(statement, "--format", "csv"),
            self.query(statement, "--format", "csv", "--validate"),
        )
        self.assertEqual((validated.returncode, validated.out), (0, plain.out), validated.err)
        self.assertIn("validated", validated.err)
        self.assertNotIn("validated", plain.err)

    def test_the_reference_agrees_with_statements_of_many_kinds(self):
        lines = [
            f"{i},{'' if i % 11 == 0 else i % 9},{'' if i % 13 == 0 else i * 0.37 - 400},{'' if i % 17 == 0 else 'text ' + str(i % 5)}"
            for i in range(3000)
        ]
        table = self.csv_file("mixed.csv", "i,k,f,s\n" + "\n".join(lines) + "\n")
        for statement in (
            "SELECT k, sum(f), avg(sin(f)), min(f), count(*) FROM t WHERE s <> 'text 3' GROUP BY k",
            "SELECT upper(s) AS u, count(DISTINCT k) FROM t WHERE s LIKE '%t%' GROUP BY upper(s)",
            "SELECT i // 7, f * 2, exp(f / 1000), s FROM t WHERE f > 0 OR k IS NULL",
            "SELECT s, f FROM t ORDER BY s DESC NULLS FIRST, f LIMIT 100",
        ):
            ended = self.query(
                statement.replace(" t ", f" '{table}' "), "--validate", "--format", "csv"
            )
            self.assertEqual(ended.returncode, 0, f"{statement}: {ended.err}")

    def test_validation_and_fast_math_exclude_each_other(self):
        ended = self.query(
            f"SELECT sum(r) FROM '{self.numbers_file(10)}'", "--validate", "--fast-math"
        )
        self.assert_fails(ended, "fast math")

    def test_csv_equals_json(self):
        statement = f"SELECT a, b, name FROM '{self.csv_file()}'"
        by_csv = list(csv.DictReader(io.StringIO(self.query(statement, "--format", "csv").out)))
        by_json = [
            {name: "" if value is None else str(value) for name, value in row.items()}
            for row in self.answer(statement)
        ]
        self.assertEqual(by_csv, by_json)
        self.assertEqual([row["name"] for row in by_csv], ["x", "y", "z, w"])

    def test_table_shows_types_and_all_rows_to_a_pipe(self):
        out = self.query(f"SELECT n FROM '{self.numbers_file(500)}'").out
        self.assertIn("BIGINT", out)
        for n in range(500):
            self.assertIn(f" {n} ", out)

    def test_no_row_gives_a_header_alone(self):
        ended = self.query(f"SELECT a FROM '{self.csv_file()}' WHERE a > 100", "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, "a\n"))

    def test_csv_file_holds_what_stdout_would(self):
        statement = f"SELECT a, b, name FROM '{self.csv_file()}'"
        path = self.rows / "out.csv"
        ended = self.query(statement, "--output", path)
        self.assertEqual((ended.returncode, ended.out), (0, ""))
        self.assertEqual(path.read_text(), self.query(statement, "--format", "csv").out)

    def test_json_file_holds_what_stdout_would(self):
        statement = f"SELECT a, b, name FROM '{self.csv_file()}'"
        path = self.rows / "out.json"
        self.assertEqual(self.query(statement, "--output", path).returncode, 0)
        self.assertEqual(json.loads(path.read_text()), self.answer(statement))

    def test_parquet_and_arrow_files_read_back_equal(self):
        statement = "SELECT a, b, name FROM '%s'"
        expected = self.answer(statement % self.csv_file())
        for extension in ("parquet", "arrow"):
            path = self.rows / f"out.{extension}"
            ended = self.query(statement % self.csv_file(), "--output", path)
            self.assertEqual(ended.returncode, 0, ended.err)
            self.assertEqual(self.answer(statement % path), expected, extension)

    def test_extensions_are_read_and_written_whatever_their_case(self):
        statement = "SELECT a, b, name FROM '%s'"
        expected = self.answer(statement % self.csv_file("table.CSV"))
        for name in ("OUT.Parquet", "OUT.ARROW", "OUT.CSV"):
            ended = self.query(statement % (self.rows / "table.CSV"), "--output", self.rows / name)
            self.assertEqual(ended.returncode, 0, ended.err)
            self.assertEqual(self.answer(statement % (self.rows / name)), expected, name)

    def test_missing_output_folder(self):
        ended = self.query(
            f"SELECT a FROM '{self.csv_file()}'", "--output", self.rows / "nowhere" / "out.csv"
        )
        self.assert_fails(ended, "out.csv")

    def test_output_that_is_a_folder(self):
        (self.rows / "out.csv").mkdir()
        self.assert_fails(
            self.query(f"SELECT a FROM '{self.csv_file()}'", "--output", self.rows / "out.csv"),
            "out.csv",
        )

    def test_failed_query_leaves_no_file_and_keeps_an_old_one(self):
        path = self.csv_file("overflow.csv", "n\n9223372036854775807\n1\n")
        old = self.rows / "old.parquet"
        old.write_text("old")
        before = sorted(os.listdir(self.rows))
        for name in ("out.csv", "out.json", "out.parquet", "out.arrow", "old.parquet"):
            ended = self.query(f"SELECT n * 2 AS m FROM '{path}'", "--output", self.rows / name)
            self.assert_fails(ended, "overflow")
            self.assertEqual(sorted(os.listdir(self.rows)), before)
        self.assertEqual(old.read_text(), "old")

    def test_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            ended = subprocess.run(
                [PROGRAM, "query", f"SELECT a FROM '{self.csv_file()}'"],
                stdout=full,
                stderr=subprocess.PIPE,
                env=self.environment,
            )
        self.assertEqual(ended.returncode, 1)
        self.assertIn(b"cannot write", ended.stderr)

    def query_with_small_files(self, statement, output):
        """As on a full disk: no file may get longer than 100,000 bytes."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        ended = subprocess.run(
            [PROGRAM, "query", statement, "--output", output],
            preexec_fn=limit,
            capture_output=True,
            text=True,
            env=self.environment,
        )
        self.assertEqual((ended.returncode, ended.stdout), (1, ""), ended.stderr)
        return ended.stderr

    def test_a_file_that_does_not_fit_is_told_and_not_left(self):
        statement = f"SELECT n, r FROM '{self.numbers_file(100000)}'"
        self.query(statement)  # compiled, so that no kernel has to be written below
        before = os.listdir(self.rows)
        for extension in ("parquet", "arrow", "csv", "json"):
            path = self.rows / f"out.{extension}"
            self.assertIn(
                f"io: cannot write {path}: File too large; no file was left",
                self.query_with_small_files(statement, path),
            )
            self.assertEqual(os.listdir(self.rows), before)
            path.write_text("old")
            self.assertIn(
                "the existing file is unchanged", self.query_with_small_files(statement, path)
            )
            self.assertEqual(path.read_text(), "old")
            path.unlink()

    def test_a_reader_that_leaves_is_no_error(self):
        statement = f"SELECT n, r FROM '{self.numbers_file(200000)}'"
        ended = subprocess.run(
            f"'{PROGRAM}' query \"{statement}\" --format csv | head -n 2",
            shell=True,
            capture_output=True,
            env=self.environment,
        )
        self.assertEqual(ended.stdout.splitlines()[1], b"0,0.0")
        self.assertEqual(ended.stderr, b"")

    def test_emitted_kernels_read_pages_where_a_gpu_would(self):
        statement = f"SELECT sum(n) FROM '{self.parquet_file(1000)}' WHERE n > 3"
        for target, reads_pages in (("cuda", True), ("opencl", True), ("host", False)):
            ended = self.run_program("emit", statement, "--target", target)
            self.assertEqual(ended.returncode, 0, ended.err)
            self.assertEqual("page_load_64(" in ended.out, reads_pages, target)

    def test_emit_prints_every_target_without_a_device(self):
        words = {
            "cuda": "__global__",
            "opencl": "__kernel",
            "metal": "metal",
            "sycl": "sycl",
            "cpu": "cpu.prelude",
            "host": "host.prelude",
        }
        for target, word in words.items():
            ended = self.run_program(
                "emit",
                f"SELECT sum(a) FROM '{self.csv_file()}' WHERE a > 1",
                "--target",
                target,
                PENSTOCK_HIDE="cuda,cpu,opencl,sycl",
            )
            self.assertEqual(ended.returncode, 0, ended.err)
            self.assertIn(word, ended.out)

    # A caller has to know how large memory is, and what it holds before a launch.
    def test_every_parameter_of_emitted_kernels_is_described(self):
        path, described = self.parquet_file(1000), 0
        statements = {
            "reduce": f"SELECT sum(n), count(*), min(r) FROM '{path}' WHERE n > 3 AND r < 7.5",
            "compact": f"SELECT n, r + 1 AS s FROM '{path}' WHERE n > 3",
            "store": f"SELECT n * 2 AS m FROM '{path}'",
            "group": f"SELECT n, sum(r), avg(n) FROM '{path}' GROUP BY n",
            "join": f"SELECT a.n, b.r FROM '{path}' a JOIN '{path}' b ON a.n = b.n",
        }
        for target in ("cuda", "opencl", "metal", "sycl", "cpu", "host"):
            listed = self.run_program(
                "devices", "--variants", "--target", target, "--format", "csv"
            )
            names = {row["variant"] for row in csv.DictReader(io.StringIO(listed.out))}
            for family, statement in statements.items():
                forced = [["--variant", name] for name in names if name.startswith(family)]
                for options in ([], ["--pages", "host"], *forced):
                    ended = self.run_program("emit", statement, "--target", target, *options)
                    if ended.returncode != 0:  # a variant that does not fit
                        self.assertIn("--variant", options, ended.err)
                        continue
                    described += self.check_descriptions(ended.out, (target, *options, statement))
        self.assertGreater(described, 1000)

    def check_descriptions(self, text, what):
        blocks = re.findall(r"^// (?:Enqueues `)?pipeline_.*\n((?://   .*\n)+)", text, re.MULTILINE)
        self.assertTrue(blocks, what)
        for block in blocks:
            self.assertTrue(block.startswith("//   groups: "), what)
        lines = "".join(blocks).splitlines()
        for line in lines:
            self.assertRegex(line, r"//   (groups: .+|\w+: .+; .+)", what)
        return len(lines)

    # A statement, or a file, is not to write code into a text that somebody compiles.
    def test_names_and_constants_stay_in_comments(self):
        path = self.rows / "words.csv"
        path.write_text("n,word\n1,a\n")
        literal = "a\n#error text\\"
        statement = f"SELECT n AS \"m\n#error name\" FROM '{path}' WHERE word <> '{literal}'"
        for target in ("cuda", "sycl", "host"):
            ended = self.run_program("emit", statement, "--target", target, "--pages", "host")
            self.assertEqual(ended.returncode, 0, ended.err)
            self.assertNotIn("\n#error name", ended.out)
            self.assertNotIn("\n#error text", ended.out)
            self.assertIn("#error name", ended.out)

    def test_explain_prints_the_plan_and_runs_nothing(self):
        ended = self.query(f"SELECT sum(a) FROM '{self.csv_file()}' WHERE b > 1", "--explain")
        self.assertEqual(ended.returncode, 0, ended.err)
        self.assertIn("filter", ended.out)
        self.assertNotIn("rows/s", ended.err)

    def test_explain_of_a_file_defines_its_views_and_refuses_to_read_rows(self):
        file = self.folder / "views.sql"
        select = f"SELECT a FROM '{self.csv_file()}' WHERE b > 1"
        for form, status in (("VIEW", 0), ("TABLE", 1)):
            file.write_text(f"CREATE {form} kept AS {select}; SELECT sum(a) FROM kept;")
            ended = self.run_program("query", "--file", file, "--explain")
            self.assertEqual(ended.returncode, status, ended.err)
            self.assertEqual("reduce: sum" in ended.out, status == 0)
            self.assertEqual("make 'kept' a view" in ended.err, status == 1)

    def test_verbose_prints_source_and_compile_times_to_stderr(self):
        ended = self.query(
            f"SELECT sum(a) AS total FROM '{self.csv_file()}'",
            "--verbose",
            "--format",
            "csv",
            XDG_CACHE_HOME=str(self.folder / "cache"),
        )
        self.assertEqual(ended.out, "total\n6\n")
        self.assertIn("pipeline_reduce", ended.err)
        self.assertRegex(ended.err, r"compiled in \d")

    def test_names_of_a_file_cannot_command_the_terminal(self):
        evil = "\x1bprise\x07\u202e"
        path = self.csv_file("evil.csv", f"{evil},b\n1,2\n")
        shown = []
        for words in (
            ["SELECT prise FROM '%s'"],
            [f"SELECT sum(\"{evil}\") FROM '%s'", "--explain"],
            ["SELECT * FROM '%s'"],
            [f"SELECT \"{evil}\" + 'x' FROM '%s'"],
            ["SELECT sum(b) FROM '%s'", "--verbose", "--stats"],
        ):
            ended = self.query(words[0] % path, *words[1:])
            shown.append(ended.out + ended.err)
            for bad in "\x1b\x07\u202e":
                self.assertNotIn(bad, shown[-1])
        for text in shown[:4]:
            self.assertIn("prise", text)  # told, and harmless

    def test_devices_json_has_traits_and_a_measured_bandwidth(self):
        listed = json.loads(self.run_program("devices", "--json").out)
        self.assertTrue(listed["devices"])
        for device in listed["devices"]:
            self.assertGreater(device["copy_bytes_per_second"], 1e8)
            self.assertGreater(device["global_bytes"], 0)

    def test_devices_without_bandwidth_measures_nothing(self):
        listed = json.loads(self.run_program("devices", "--json", "--no-bandwidth").out)
        self.assertNotIn("copy_bytes_per_second", listed["devices"][0])

    def test_progress_bar_shows_on_a_terminal_and_is_erased(self):
        statement = (
            f"SELECT sum(n) FROM '{self.parquet_file(300000)}'"  # a CSV file does not know its rows
        )
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "query", statement, "--batch-rows", "1024"],
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=self.environment,
        )
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the terminal's last user has left
                break
            if not part:
                break
            seen += part
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"of 300,000 rows, ", seen)
        erased = seen.rfind(b"\r\x1b[K")
        self.assertGreater(erased, 0)
        self.assertNotIn(b"#", seen[erased:])


main()
