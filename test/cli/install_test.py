"""Penstock outside its build tree: installed, and below another project.

Arguments: program, cmake, source folder, build folder, folder of pyarrow or "". examples/consumer
finds an installed package.
"""

import shutil
import subprocess
import sys
import unittest

from command_line import CommandLineTest, main

CMAKE, SOURCE, BUILD, PYARROW = sys.argv[2:6]

PARENT = """cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
add_subdirectory(%s penstock EXCLUDE_FROM_ALL)
foreach(target penstock::penstock penstock::io penstock::sql penstock_exec penstock)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "no target ${target}")
  endif()
endforeach()
if(CMAKE_BUILD_TYPE OR PENSTOCK_TESTS OR PENSTOCK_EXAMPLES OR TARGET host_trace_graph_test)
  message(FATAL_ERROR "this project got settings or tests that are not its own")
endif()
add_executable(parent main.cpp)
target_link_libraries(parent PRIVATE penstock_base)
"""
FINDER = """cmake_minimum_required(VERSION 3.25)
project(finder LANGUAGES CXX)
find_package(penstock 0.2 REQUIRED COMPONENTS io sql)
foreach(target Arrow::arrow_shared Parquet::parquet_shared)
  get_target_property(place ${target} IMPORTED_LOCATION)
  file(REAL_PATH ${place} place)
  message(STATUS "found ${place}")
endforeach()
"""
MAIN = """#include <penstock/status.hpp>
int main() { return penstock::Status(penstock::Code::invalid, "x").text() == "invalid: x" ? 0 : 1; }
"""


class Install(CommandLineTest):
    def run_words(self, *words, **changes):
        environment = {
            name: value
            for name, value in self.environment.items()
            if name not in ("LD_LIBRARY_PATH", "CMAKE_BUILD_TYPE")
        }
        ended = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            env={**environment, **changes},
            timeout=300,
        )
        self.assertEqual(ended.returncode, 0, f"{words}\n{ended.stdout}\n{ended.stderr}")
        return ended.stdout

    def test_the_installed_program_answers_from_another_place(self):
        first, place = self.folder / "first", self.folder / "moved"
        self.run_words(CMAKE, "--install", BUILD, "--prefix", first, "--component", "cli")
        first.rename(place)  # nothing may point at where it was installed, nor at the build
        program = place / "bin" / "penstock"
        self.assertIn("cpu:", self.run_words(program, "devices", "--no-bandwidth"))
        total = self.run_words(
            program, "query", f"SELECT sum(a) AS total FROM '{self.csv_file()}'", "--format", "csv"
        )
        self.assertEqual(total, "total\n6\n")

    def test_an_installed_package_has_the_wheels_arrow_when_the_clone_is_gone(self):
        first, place, finder = self.folder / "first", self.folder / "moved", self.folder / "finder"
        self.run_words(
            CMAKE, "--install", BUILD, "--prefix", self.folder / "program", "--component", "cli"
        )
        if not list((self.folder / "program").rglob("libarrow.so.*")):
            self.skipTest("this build has the system's Arrow")
        for component in ("core", "stream", "io", "sql"):
            self.run_words(CMAKE, "--install", BUILD, "--prefix", first, "--component", component)
        first.rename(place)
        finder.mkdir()
        (finder / "CMakeLists.txt").write_text(FINDER)
        said = self.run_words(
            CMAKE,
            "-G",
            "Ninja",
            "-S",
            finder,
            "-B",
            finder / "build",
            f"-DCMAKE_PREFIX_PATH={place}",
        )
        found = [line.split()[-1] for line in said.splitlines() if line.startswith("-- found ")]
        self.assertEqual(len(found), 2, said)
        for path in found:  # and not in the build's virtual environment, which may be gone
            self.assertTrue(path.startswith(f"{place.resolve()}/"), path)

    def installed(self, *components):
        """A folder that was moved after these components were installed into it."""
        first, place = self.folder / "first", self.folder / "moved"
        for component in components:
            self.run_words(CMAKE, "--install", BUILD, "--prefix", first, "--component", component)
        first.rename(place)
        return place

    def pkg_config(self, place, *packages):
        folder = next(place.rglob("pkgconfig"))
        return self.run_words(
            "pkg-config", "--cflags", "--libs", *packages, PKG_CONFIG_PATH=folder
        ).split()

    def test_installed_targets_name_no_static_library_of_the_system(self):
        place = self.installed("core", "stream", "io", "sql")
        for path in place.rglob("penstock_*.cmake"):
            self.assertNotRegex(path.read_text(), r"/usr/\S*\.a\b")

    @unittest.skipIf(shutil.which("pkg-config") is None, "pkg-config is not installed")
    def test_pkg_config_finds_the_c_library_and_the_static_ones(self):
        place = self.installed("core", "stream", "io", "sql", "video", "session", "c", "c_dev")
        if not list(place.rglob("penstock.pc")):
            self.skipTest("this build has no libpenstock.so")
        libraries = next(place.rglob("libpenstock.so")).parent
        source, program = self.folder / "main.cpp", self.folder / "main"
        source.write_text(MAIN)
        example = f"{SOURCE}/examples/c_consumer/main.c"
        self.run_words("cc", example, *self.pkg_config(place, "penstock"), "-o", program)
        self.run_words(program, LD_LIBRARY_PATH=libraries)
        for package in ("penstock-cpp", "penstock-cpp-session"):
            flags = self.pkg_config(place, package)
            self.run_words("c++", "-std=c++20", source, *flags, "-o", program)
            self.run_words(program)

    def test_a_project_that_adds_the_folder_gets_the_libraries_and_keeps_its_settings(self):
        parent = self.folder / "parent"
        parent.mkdir()
        (parent / "CMakeLists.txt").write_text(PARENT % SOURCE)
        (parent / "main.cpp").write_text(MAIN)
        self.run_words(
            CMAKE,
            "-G",
            "Ninja",
            "-S",
            parent,
            "-B",
            parent / "build",
            f"-DPENSTOCK_PYARROW_DIR={PYARROW}",
        )
        self.run_words(CMAKE, "--build", parent / "build")
        self.run_words(parent / "build" / "parent")


main()
