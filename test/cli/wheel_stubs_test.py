"""packaging/wheel/stub_libraries.py: a module that is linked with its stubs, as the Python wheel is.

The module is compiled without optimisation, so that inline functions of headers are in it too. As
the wheel's, it shows its own functions alone. GCC's static library has to be there
(libstdc++-12-pic); without it these tests are skipped by name.
"""

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from command_line import main

HERE = pathlib.Path(__file__).resolve().parent
PACKAGING = HERE.parents[1] / "packaging" / "wheel"
FUNCTIONS = (
    "exceptions_are_counted",
    "exceptions_pass_threads",
    "errors_are_moved_and_thrown",
    "streams_convert",
    "numbers_convert",
    "files_are_found",
    "waits_end",
)
NEWEST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def has_static_library():
    if shutil.which("g++") is None:
        return False
    found = output_of("g++", "-print-file-name=libstdc++_pic.a").strip()
    return pathlib.Path(found).is_absolute()


def newer_versions(library):
    """Returns the versions in a library's tables that are newer than NEWEST."""
    found = re.findall(r"\b(GLIBC|GLIBCXX|CXXABI)_([\d.]+)", output_of("readelf", "-VW", library))
    numbers = {(family, tuple(map(int, text.split(".")))) for family, text in found}
    return {(family, number) for family, number in numbers if number > NEWEST[family]}


@unittest.skipUnless(has_static_library(), "libstdc++_pic.a is not installed")
class LinkedWithStubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="penstock-stubs-")
        cls.addClassCleanup(folder.cleanup)
        cls.stubs = pathlib.Path(folder.name) / "stubs"
        output_of(sys.executable, str(PACKAGING / "stub_libraries.py"), str(cls.stubs))
        cls.path, cls.plain = (str(pathlib.Path(folder.name) / name) for name in ("a.so", "b.so"))
        shown = pathlib.Path(folder.name) / "shown.map"
        shown.write_text(
            "{ global: " + " ".join(f"{name};" for name in FUNCTIONS) + " local: *; };"
        )
        source = str(HERE / "wheel_stubs_module.cpp")
        build = ("g++", "-std=gnu++20", "-w", "-O0", "-fPIC", "-shared", source)
        build += (f"-Wl,--version-script={shown}",)
        output_of(*build, f"-L{cls.stubs}", "-o", cls.path)
        output_of(*build, "-o", cls.plain)
        cls.module = ctypes.CDLL(cls.path)

    def test_it_asks_for_no_newer_version(self):
        self.assertEqual(newer_versions(self.path), set())

    def test_without_stubs_it_would(self):
        self.assertNotEqual(newer_versions(self.plain), set())

    def test_stubs_have_no_newer_version(self):
        for library in self.stubs.glob("*.so.*[0-9]"):
            with self.subTest(library.name):
                self.assertEqual(newer_versions(str(library)), set())

    def test_every_symbol_is_defined_or_has_a_version(self):
        undefined = output_of("nm", "-D", "--undefined-only", self.path).splitlines()
        without = [line for line in undefined if "@" not in line and line.split()[0] == "U"]
        self.assertEqual(without, [])

    def test_references_to_exceptions_are_counted(self):
        self.assertEqual(self.module.exceptions_are_counted(), 0)

    def test_exceptions_pass_threads(self):
        self.assertEqual(self.module.exceptions_pass_threads(), 0)

    def test_errors_are_moved_and_thrown(self):
        self.assertEqual(self.module.errors_are_moved_and_thrown(-1), 0)

    def test_streams_convert(self):
        self.assertEqual(self.module.streams_convert(ctypes.c_double(2.5)), 0)

    def test_numbers_convert(self):
        self.assertEqual(self.module.numbers_convert(ctypes.c_double(2.5)), 0)

    def test_files_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "file"
            file.write_text("abc")
            ended = self.module.files_are_found(folder.encode(), str(file).encode())
            self.assertEqual(ended, 0)

    def test_waits_end(self):
        self.assertEqual(self.module.waits_end(50), 0)


if __name__ == "__main__":
    main()
