"""The package's type stubs: users' calls pass mypy, mistakes do not, and no name is missing."""

import ast
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import driver

try:
    import numpy  # noqa: F401  the programs are typed by it

    import penstock
    from penstock import tracing, tracing_dates, tracing_text
    from penstock.core import core
except ImportError as error:
    driver.skip_all(error)

if importlib.util.find_spec("mypy") is None:
    driver.skip_all("mypy is not installed")

HERE = pathlib.Path(__file__).resolve().parent / "stubs"
PACKAGE = pathlib.Path(penstock.__file__).parent


def run(module, *arguments):
    """Runs a module of mypy; returns (exit status, its lines)."""
    # mypy finds an installed package by itself, and refuses to be told where it is.
    is_installed = PACKAGE.parent.name == "site-packages"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            capture_output=True,
            cwd=folder,
            env={**os.environ, "MYPYPATH": "" if is_installed else str(PACKAGE.parent)},
            text=True,
        )
    return done.returncode, (done.stdout + done.stderr).splitlines()


def check(program):
    config = "--config-file", HERE / "mypy.ini"
    return run("mypy", "--strict", "--no-error-summary", *config, HERE / program)


def names_in_stub(module, class_name=None):
    """Returns the public names that a stub has: of the module, or the methods of a class."""
    body = ast.parse((PACKAGE / f"{module}.pyi").read_text()).body
    kinds = ast.FunctionDef, ast.ClassDef
    made = {part.name: part for part in body if isinstance(part, kinds)}
    if class_name is not None:
        body = made[class_name].body
        made = [part.name for part in body if isinstance(part, kinds)]
    return {name for name in made if not name.startswith("_")}


def names_of(value):
    return {name for name in dir(value) if not name.startswith("_")}


class Stubs(unittest.TestCase):
    maxDiff = None

    def test_calls_as_users_write_them_have_no_error(self):
        status, lines = check("uses.py")
        self.assertEqual((status, lines), (0, []))

    def test_each_mistake_is_found_in_its_line(self):
        _, lines = check("misuses.py")
        found = {int(line.split(":")[1]) for line in lines if ": error:" in line}
        sources = (HERE / "misuses.py").read_text().splitlines()
        wanted = {number for number, line in enumerate(sources, 1) if "  # bad:" in line}
        self.assertGreater(len(wanted), 30)
        self.assertEqual(found, wanted)

    def test_stubs_and_modules_have_the_same_names_and_parameters(self):
        options = "--mypy-config-file", HERE / "mypy.ini", "--allowlist", HERE / "allowed.txt"
        _, lines = run(
            "mypy.stubtest",
            "penstock",
            *options,
            "--concise",
            "--ignore-unused-allowlist",
            "--ignore-disjoint-bases",
        )
        # Modules of libraries that are not installed, and helpers without a stub.
        missing = ("failed to import", "failed to find stubs", "It needs the release")
        self.assertEqual([line for line in lines if not any(word in line for word in missing)], [])

    def test_stubs_have_every_method_of_traced_values(self):
        for module, class_ in (
            ("tracing", tracing.Column),
            ("tracing_text", tracing_text.Text),
            ("tracing_dates", tracing_dates.Dates),
        ):
            with self.subTest(class_.__name__):
                self.assertEqual(names_in_stub(module, class_.__name__), names_of(class_))

    def test_the_stub_of_the_compiled_module_has_all_its_names(self):
        self.assertEqual(names_in_stub("_core"), names_of(core))
        for name in names_of(core):
            if isinstance(getattr(core, name), type):
                with self.subTest(name):
                    self.assertEqual(names_in_stub("_core", name), names_of(getattr(core, name)))

    def test_the_package_says_that_it_has_types(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        self.assertTrue((PACKAGE / "_core.pyi").exists())


if __name__ == "__main__":
    driver.main()
