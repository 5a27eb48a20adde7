"""Bad statements, bad files and missing devices: exit code 1, a message that names the cause,
nothing on stdout, no crash."""

import random

from command_line import CommandLineTest, main


class Failures(CommandLineTest):
    def test_missing_file(self):
        self.assert_fails(
            self.query("SELECT count(*) FROM 'nowhere/missing.parquet'"), "missing.parquet"
        )

    def test_folder_instead_of_a_file(self):
        self.assert_fails(self.query(f"SELECT count(*) FROM '{self.rows}'"), str(self.rows))

    def test_file_of_no_known_format(self):
        path = self.rows / "noise.parquet"
        path.write_bytes(random.Random(7).randbytes(5000))
        self.assert_fails(self.query(f"SELECT count(*) FROM '{path}'"), "noise.parquet")

    def test_files_of_other_formats_say_which_are_read(self):
        texts = {
            "page.csv": "<!DOCTYPE html>",
            "book.xlsx": "PK\x03\x04",
            "rows.xml": "<rows/>",
            "old.feather": "FEA1",
        }
        for name, text in texts.items():
            ended = self.query(f"SELECT count(*) FROM '{self.csv_file(name, text)}'")
            self.assert_fails(
                ended, name, "not read", "Parquet, Arrow IPC (file and stream), CSV and JSON are"
            )

    def test_text_of_another_encoding_says_so(self):
        path = self.rows / "latin.csv"
        path.write_bytes("name,n\nZo\u00eb,1\n".encode("latin1"))
        for item in ("name", "sum(n)"):
            ended = self.query(f"SELECT {item} FROM '{path}'")
            self.assert_fails(ended, "line 2 is not UTF-8", "iconv -f LATIN1")

    def test_a_header_in_brackets_is_csv(self):
        text = "[a],[b]\n1,2\n"
        self.assertEqual(
            self.query(f"SELECT * FROM '{self.csv_file('t.txt', text)}'", "--format", "csv").out,
            text,
        )

    def test_empty_file(self):
        path = self.rows / "empty.parquet"
        path.touch()
        self.assert_fails(self.query(f"SELECT count(*) FROM '{path}'"), "empty.parquet")

    def test_wrong_column_is_named_and_pointed_at(self):
        ended = self.query(f"SELECT sum(prize) FROM '{self.csv_file()}'")
        self.assert_fails(ended, "prize", "^")

    def test_syntax_error_is_pointed_at(self):
        self.assert_fails(self.query(f"SELECT a FRM '{self.csv_file()}'"), "^")

    def test_type_error_names_the_types(self):
        self.assert_fails(self.query(f"SELECT name + 1 FROM '{self.csv_file()}'"), "VARCHAR")

    def test_predicate_that_is_not_boolean(self):
        self.assert_fails(
            self.query(f"SELECT a FROM '{self.csv_file()}' WHERE name", "--planner", "own"),
            "WHERE",
            "VARCHAR",
            "^",
        )

    def test_what_is_not_supported_is_refused_by_name(self):
        path = self.csv_file()
        statement = f"SELECT x.a FROM '{path}' AS x RIGHT JOIN '{path}' AS y USING (a)"
        self.assert_fails(self.query(statement, "--planner", "own"), "RIGHT JOIN")

    def test_a_named_planner_that_does_not_open_is_named(self):
        statement = "WITH one AS (SELECT 1 AS n) SELECT * FROM one"
        for path in ("/nowhere/libduckdb.so", "/nowhere/duckdb"):
            ended = self.query(statement, "--planner", "duckdb", PENSTOCK_DUCKDB=path)
            self.assert_fails(ended, path, "No such file")

    def test_a_module_of_several_pythons_wants_the_one_of_its_folder(self):
        path = "/nowhere/lib/python3.99/site-packages/_duckdb.abi3.so"
        ended = self.query("SELECT 1", "--planner", "duckdb", PENSTOCK_DUCKDB=path)
        self.assert_fails(ended, "libpython3.99.so.1.0")

    def test_unknown_device(self):
        self.assert_fails(
            self.query(f"SELECT sum(a) FROM '{self.csv_file()}'", "--device", "abacus:3"),
            "abacus:3",
        )

    def test_device_number_past_the_last(self):
        self.assert_fails(
            self.query(f"SELECT sum(a) FROM '{self.csv_file()}'", "--device", "opencl:99"),
            "opencl:99",
        )

    def test_unknown_variant(self):
        self.assert_fails(
            self.query(f"SELECT sum(a) FROM '{self.csv_file()}'", "--variant", "magic"), "magic"
        )

    def test_without_any_driver_the_error_says_what_to_install(self):
        ended = self.query(
            f"SELECT sum(a) FROM '{self.csv_file()}'", PENSTOCK_HIDE="cuda,cpu,opencl,sycl"
        )
        self.assert_fails(ended, "apt install tcc gcc")

    def test_devices_without_any_driver_says_what_to_install(self):
        ended = self.run_program("devices", PENSTOCK_HIDE="cuda,cpu,opencl,sycl")
        self.assert_fails(ended, "apt install tcc gcc")
        lines = ended.err.splitlines()
        self.assertEqual(len(lines), len(set(map(str.strip, lines))), "a line is said twice")

    def test_an_opencl_loader_without_a_driver_says_what_to_install(self):
        for words in (["devices"], ["query", f"SELECT sum(a) FROM '{self.csv_file()}'"]):
            self.assert_fails(
                self.run_program(
                    *words, OCL_ICD_VENDORS="/nonexistent", PENSTOCK_HIDE="cuda,cpu,sycl"
                ),
                "no device",
                "pocl-opencl-icd",
            )

    def test_truncated_parquet_at_many_lengths(self):
        whole = self.parquet_file().read_bytes()
        for length in [
            0,
            1,
            4,
            11,
            12,
            len(whole) // 2,
            len(whole) - 9,
            len(whole) - 8,
            len(whole) - 4,
            len(whole) - 1,
        ]:
            path = self.rows / "short.parquet"
            path.write_bytes(whole[:length])
            self.assert_fails(self.query(f"SELECT sum(n), sum(r) FROM '{path}'"), "short.parquet")

    def test_flipped_bits_never_crash(self):
        whole = self.parquet_file().read_bytes()
        rng = random.Random(11)
        refused = 0
        for _ in range(40):
            broken = bytearray(whole)
            # Half of the flips in the footer, where lengths and types stand.
            first = len(whole) - 1500 if rng.random() < 0.5 else 0
            place = rng.randrange(max(first, 0), len(whole))
            broken[place] ^= 1 << rng.randrange(8)
            path = self.rows / "flipped.parquet"
            path.write_bytes(broken)
            ended = self.query(f"SELECT sum(n), sum(r), count(*) FROM '{path}'", "--format", "csv")
            refused += ended.returncode
            if ended.returncode:
                self.assertEqual(ended.out, "")
                self.assertNotEqual(ended.err, "")
        self.assertGreater(refused, 0, "no flip was noticed: this test reaches nothing")


main()
