"""The JIT cache on disk, between processes."""

import subprocess

from command_line import PROGRAM, CommandLineTest, main


class Cache(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        # Programs of the CPU's quick compiler are not kept.
        self.environment["PENSTOCK_CPU_COMPILER"] = "optimising"
        self.statement = f"SELECT sum(a * 2) AS total FROM '{self.csv_file()}' WHERE a > 1"

    def total(self):
        ended = self.query(self.statement, "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, "total\n10\n"), ended.err)
        return ended.err

    def programs(self):
        folder = self.folder / "cache" / "penstock"  # OpenCL drivers keep theirs beside it
        return [
            path for path in folder.rglob("*") if path.is_file() and "bandwidth" not in path.name
        ]

    def test_second_process_compiles_nothing(self):
        self.assertRegex(self.total(), r"compiled \d program")
        self.assertIn("cache hit (disk)", self.total())

    def test_a_new_literal_compiles_nothing(self):
        self.total()
        ended = self.query(self.statement.replace("a > 1", "a > 0"), "--format", "csv")
        self.assertEqual(ended.out, "total\n12\n")
        self.assertIn("cache hit (disk)", ended.err)

    def test_pocl_compiles_a_kernel_in_one_form(self):
        forms = self.folder / "pocl"
        forms.mkdir()
        self.query(self.statement, "--device", "cpu", POCL_CACHE_DIR=str(forms))
        kernels = [path.parent.parent for path in forms.rglob("*.so")]
        if not kernels:
            self.skipTest("no PoCL")
        self.assertEqual(len(kernels), len(set(kernels)))

    def test_clear_removes_every_program_and_says_so(self):
        self.total()
        shown = self.run_program("cache")
        self.assertRegex(shown.out, r"^[1-9]\d* programs?, .* of at most .*, in .*\n$")
        cleared = self.run_program("cache", "--clear")
        self.assertRegex(cleared.out, r"^removed [1-9]\d* program")
        self.assertRegex(self.run_program("cache").out, r"^0 programs")
        self.assertRegex(self.total(), r"compiled \d program")

    def test_list_names_every_program_and_no_damaged_one(self):
        self.total()
        listed = self.run_program("cache", "--list")
        self.assertEqual(listed.returncode, 0, listed.err)
        keys = sorted(path.stem for path in self.programs() if path.suffix == ".jit")
        self.assertEqual([line.split(" ")[0] for line in listed.out.splitlines()], keys)
        self.assertRegex(listed.out, r"^[0-9a-f]{32} [1-9]\d* lines, \d+(\.\d+)? ([KM]iB|bytes)")
        for path in self.programs():
            path.write_bytes(path.read_bytes()[:-1])
        self.assertEqual(self.run_program("cache", "--list").out, "")

    def test_options_of_fill_are_refused_without_it(self):
        for wrong in (
            ("--fill", "--clear"),
            ("--fill", "--list"),
            ("--into", str(self.folder / "ahead")),
            ("--device", "cpu"),
            ("--architecture", "sm_90"),
        ):
            ended = self.run_program("cache", *wrong)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("--fill", ended.err)
        self.assertFalse((self.folder / "ahead").exists())

    def test_architectures_are_refused_by_name(self):
        into = self.folder / "ahead"
        for list_of_names, reason in (("sm_", "sm_90"), ("90", "sm_90"), ("sm_89", "sm_86")):
            ended = self.run_program(
                "cache", "--fill", "--architecture", list_of_names, "--into", str(into)
            )
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(reason, ended.err)
        for wrong in (("--architecture", "sm_90"), ("--architecture", "sm_90", "--device", "cpu")):
            ended = self.run_program("cache", "--fill", *wrong)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("--into", ended.err)
        self.assertFalse(into.exists())

    def test_programs_cut_short_or_overwritten_are_compiled_again(self):
        self.total()
        for length in (0, 1, 100):
            self.assertTrue(self.programs())
            for path in self.programs():
                path.write_bytes(path.read_bytes()[:length])
            self.assertRegex(self.total(), r"compiled \d program")
        for path in self.programs():
            whole = bytearray(path.read_bytes())
            for place in range(len(whole) // 2, len(whole)):
                whole[place] ^= 0x5A
            path.write_bytes(whole)
        self.total()

    def test_a_bandwidth_record_cut_short_is_none(self):
        cpu = ("--device", "cpu")
        statement = (
            f"SELECT sum(n), sum(r) FROM '{self.numbers_file(1000000)}'"  # long enough for rates
        )
        self.run_program("devices")
        self.assertRegex(self.query(statement, *cpu).err, r"measured \d{4}-\d\d-\d\d")
        records = list((self.folder / "cache").rglob("copy-bandwidth-*"))
        for text in ("", "nonsense\n", "x"):
            for record in records:
                record.write_text(text)
            self.assertNotIn("% of the copy", self.query(statement, *cpu).err)
        self.run_program("devices")
        self.assertIn("% of the copy", self.query(statement, *cpu).err)

    def test_processes_at_once_on_an_empty_cache_all_answer(self):
        running = [
            subprocess.Popen(
                [PROGRAM, "query", self.statement, "--format", "csv"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.environment,
            )
            for _ in range(4)
        ]
        for process in running:
            out, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, out), (0, b"total\n10\n"), err)
        self.assertIn("cache hit (disk)", self.total())

    def test_a_cache_folder_that_cannot_be_written_does_not_stop_a_query(self):
        self.environment["PENSTOCK_CACHE_DIR"] = str(
            self.csv_file("a file where the folder should be")
        )
        self.assertRegex(self.total(), r"compiled \d program")


main()
