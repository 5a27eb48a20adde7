"""Which variant of each kernel a device takes, forcing one, and tuning policies."""

import csv
import io
import json

from command_line import CommandLineTest, main


class Variants(CommandLineTest):
    def variants(self, *arguments, **changes):
        ended = self.run_program("devices", "--variants", *arguments, **changes)
        self.assertEqual(ended.returncode, 0, ended.err)
        return ended.out

    def taken(self, target, family, **changes):
        rows = csv.DictReader(
            io.StringIO(self.variants("--target", target, "--format", "csv", **changes))
        )
        return [
            row["variant"] for row in rows if row["family"] == family and row["taken"] == "true"
        ]

    def test_a_target_needs_no_device(self):
        hidden = {"PENSTOCK_HIDE": "cuda,cpu,opencl"}
        self.assertIn("compact_one_pass", self.taken("metal", "compact", **hidden))
        self.assertIn("compact_look_back", self.taken("cuda", "compact", **hidden))
        self.assertIn("compact_tile_private", self.taken("host", "compact", **hidden))

    def test_rows_before_the_one_taken_say_why_they_do_not_fit(self):
        text = self.variants("--target", "metal")
        self.assertRegex(text, r"not compact_look_back: it is for NVIDIA's GPUs")
        self.assertRegex(text, r"compact_one_pass +group_size=\d+")

    def test_json_has_policies_as_numbers(self):
        (device,) = json.loads(self.variants("--target", "cuda", "--format", "json"))["devices"]
        policies = {
            variant["variant"]: variant["policy"]
            for family in device["families"]
            for variant in family["variants"]
            if variant["taken"]
        }
        self.assertEqual(policies["compact_look_back"]["group_size"], 416)

    def test_options_that_do_not_go_together_are_wrong_usage(self):
        for arguments in (
            ("--target", "metal"),
            ("--variants", "--target", "metal", "--device", "cpu"),
            ("--variants", "--target", "vulkan"),
        ):
            self.assertEqual(self.run_program("devices", *arguments).returncode, 2)

    def test_a_forced_variant_is_shown_as_forced(self):
        forced = {"PENSTOCK_VARIANT": "compact=compact_count_scan_write"}
        text = self.variants("--target", "metal", **forced)
        self.assertRegex(text, r"compact_count_scan_write .*forced by PENSTOCK_VARIANT")

    def test_a_forced_variant_that_does_not_fit_is_named(self):
        text = self.variants("--target", "metal", PENSTOCK_VARIANT="compact_look_back")
        self.assertIn("compact_look_back is forced by PENSTOCK_VARIANT and does not fit", text)
        self.assertNotIn("compact_look_back is", self.variants("--target", "metal"))

    def query_forced(self, variant):
        statement = f"SELECT a FROM '{self.csv_file()}' WHERE a > 1"
        return self.query(statement, "--device", "cpu", "--format", "csv", PENSTOCK_VARIANT=variant)

    def test_a_query_says_that_its_variant_was_forced(self):
        ended = self.query_forced("group_cpu,compact=compact_tile_private")
        self.assertEqual((ended.returncode, ended.out), (0, "a\n2\n3\n"), ended.err)
        self.assertIn("PENSTOCK_VARIANT forced compact_tile_private", ended.err)

    def test_a_query_refuses_what_does_not_fit_and_lists_what_does(self):
        self.assert_fails(
            self.query_forced("compact_look_back"),
            "PENSTOCK_VARIANT",
            "'compact_look_back'",
            "compact_tile_private",
        )
        self.assert_fails(self.query_forced("compact_lookback"), "there is no variant")
        self.assert_fails(self.query_forced("filter=store"), "there is no family 'filter'")


class Tune(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")

    def tune(self, *arguments):
        ended = self.run_program(
            "tune", "--device", "cpu", "--seconds", "1", "--runs", "3", *arguments
        )
        self.assertEqual(ended.returncode, 0, ended.err)
        return ended.out

    def tuned_files(self):
        return list((self.folder / "cache").rglob("tuned-policies-*"))

    def test_a_dry_run_measures_and_stores_nothing(self):
        text = self.tune("--family", "scan", "--dry-run")
        self.assertRegex(text, r"scan_chunks\n  default chunk_values=\d+")
        self.assertRegex(text, r"default \d+\.\d+ ms, best \d+\.\d+ ms")
        self.assertEqual(self.tuned_files(), [])

    def test_what_is_stored_is_shown_and_cleared_with_the_cache(self):
        self.assertIn("stored in", self.tune("--family", "scan"))
        (path,) = self.tuned_files()
        self.assertIn("penstock tuned policies", path.read_text())
        self.assertIn(str(path), self.run_program("cache").out)
        self.run_program("cache", "--clear")
        self.assertEqual(self.tuned_files(), [])

    def test_a_damaged_file_is_noted_and_not_used(self):
        self.tune("--family", "scan")
        (path,) = self.tuned_files()
        path.write_text(path.read_text().replace("project", "projects"))
        statement = f"SELECT a FROM '{self.csv_file()}' WHERE a > 1"
        ended = self.query(statement, "--device", "cpu", "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, "a\n2\n3\n"), ended.err)
        self.assertIn("tuned policies are not used", ended.err)
        ended = self.query(statement, "--device", "cpu", PENSTOCK_TUNED="0")
        self.assertNotIn("tuned policies", ended.err)

    def test_an_unknown_family_is_wrong_usage(self):
        ended = self.run_program("tune", "--family", "tea")
        self.assert_fails(ended, "there are compact", code=2)


if __name__ == "__main__":
    main()
