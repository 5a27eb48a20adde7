"""The check of libpenstock.so's binary interface finds what would break its callers.

The argument is libpenstock.so. Changes are planted in copies of the headers and of the
version script.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from command_line import PROGRAM as LIBRARY
from command_line import main

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipIf(shutil.which("abidw") is None, "abigail-tools are not installed")
class Abi(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-abi-test-")
        self.folder = pathlib.Path(self._folder.name)
        shutil.copytree(ROOT / "include" / "penstock", self.folder / "penstock")
        self.version_script = self.folder / "c_library.map"
        shutil.copy(ROOT / "cmake" / "c_library.map", self.version_script)

    def tearDown(self):
        self._folder.cleanup()

    def change(self, path, old, new):
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def change_header(self, name, old, new):
        self.change(self.folder / "penstock" / name, old, new)

    def check(self, *words):
        ended = subprocess.run(
            [sys.executable, ROOT / "scripts" / "check_abi.py", *words]
            + ["--headers", self.folder, "--version-script", self.version_script],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(ended.stderr, "")
        return ended

    def assert_found(self, *words):
        ended = self.check()
        self.assertEqual(ended.returncode, 1, ended.stdout)
        for word in words:
            self.assertIn(word, ended.stdout)

    def add_function(self):
        self.change_header(
            "device.h",
            "void penstock_device_close",
            "int penstock_new(void);\nvoid penstock_device_close",
        )

    def test_the_library_has_the_interface_that_is_described(self):
        ended = self.check(LIBRARY)
        self.assertEqual(ended.returncode, 0, ended.stdout)

    def test_a_wider_member_of_a_struct_is_found(self):
        self.change_header("batch.h", "  uint32_t offset;", "  uint64_t offset;")
        self.assert_found("penstock_chunk_status", "offset")

    def test_a_parameter_of_another_type_is_found(self):
        self.change_header("video.h", "uint64_t frame,\n", "uint32_t frame,\n")
        self.assert_found("penstock_scorer_score", "uint32_t")

    def test_members_in_another_order_are_found(self):
        self.change_header("query.h", "rows_read, rows_out;", "rows_out, rows_read;")
        self.assert_found("penstock_query_report")

    def test_a_function_that_is_gone_is_found(self):
        self.change(self.version_script, "    penstock_scorer_place;\n", "")
        self.assert_found("Removed", "penstock_scorer_place")

    def test_a_function_in_no_node_is_found(self):
        self.add_function()
        self.assert_found("in no node of the version script: penstock_new")

    def test_a_new_function_in_an_old_node_is_found(self):
        self.add_function()
        self.change(self.version_script, "  global:\n", "  global:\n    penstock_new;\n")
        self.assert_found("Added", "penstock_new")

    def test_a_new_function_in_a_new_node_passes(self):
        self.add_function()
        with self.version_script.open("a") as script:
            script.write("PENSTOCK_0.2.1 { global: penstock_new; } PENSTOCK_0.2;\n")
        ended = self.check()
        self.assertEqual(ended.returncode, 0, ended.stdout)

    def test_a_function_that_the_library_lacks_is_found(self):
        self.add_function()
        with self.version_script.open("a") as script:
            script.write("PENSTOCK_0.2.1 { global: penstock_new; } PENSTOCK_0.2;\n")
        ended = self.check(LIBRARY)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("declared, not exported: penstock_new@PENSTOCK_0.2.1", ended.stdout)


main()
