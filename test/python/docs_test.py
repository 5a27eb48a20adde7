"""The examples of docs/python.md run in their order, and the notebook's cells."""

import ast
import gzip
import json
import os
import pathlib
import re
import tempfile
import unittest

import driver

try:
    import numpy

    import penstock  # noqa: F401
except ImportError as error:
    driver.skip_all(error)

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
OF_THE_SHELL = ("pip ", "python ", "$ ")


def blocks(text):
    """Yields (line number, code) of each block that is indented by four blanks."""
    number, lines, was_blank = 0, [], True
    for at, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("    ") and (was_blank or lines):
            number = number if lines else at
            lines.append(line[4:])
        elif lines:
            yield number, "\n".join(lines) + "\n"
            lines = []
        was_blank = not line.strip()


def y4m(noise):
    random = numpy.random.default_rng(1)
    made = b"YUV4MPEG2 W64 H48 F25:1 Ip Cmono\n"
    for _ in range(3):
        made += b"FRAME\n" + random.integers(100, 100 + noise, (48, 64), numpy.uint8).tobytes()
    return made


def run_cell(tree, name, scope):
    """Runs code, and shows the value of a last expression as a notebook does."""
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), scope)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
        shown = value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)
        assert isinstance(shown, str)


class InAFolderOfItsOwn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        with gzip.open("logs.json.gz", "wt") as file:
            file.write('{"a": 1}\n' * 1000)
        pathlib.Path("reference.y4m").write_bytes(y4m(50))
        pathlib.Path("distorted.y4m").write_bytes(y4m(40))

    def run_all(self, parts, name):
        """Runs code in one scope; a part that needs a library that is not there is left out."""
        scope = {"__name__": "__main__"}
        ran = 0
        for number, code in parts:
            with self.subTest(line=number):
                try:
                    run_cell(ast.parse("\n" * (number - 1) + code, name), name, scope)
                    ran += 1
                except ModuleNotFoundError as error:
                    print(f"skipped: {name}:{number}: {error}")
        return ran


class Documents(InAFolderOfItsOwn):
    def test_the_examples_of_python_run(self):
        found = list(blocks((DOCS / "python.md").read_text()))
        code = [(number, text) for number, text in found if not text.startswith(OF_THE_SHELL)]
        self.assertGreater(self.run_all(code, "docs/python.md"), 10)

    def test_every_public_name_is_described(self):
        text = (DOCS / "python.md").read_text() + (DOCS / "python-pipelines.md").read_text()
        for name in penstock.__all__:
            with self.subTest(name=name):
                self.assertRegex(text, rf"`[^`]*\b{re.escape(name)}\b")

    def test_every_method_of_results_and_sessions_is_described(self):
        text = (DOCS / "python.md").read_text()
        for kind in (penstock.Result, penstock.Session, penstock.video.VideoScores):
            for name in dir(kind):
                if not name.startswith("_"):
                    with self.subTest(kind=kind.__name__, name=name):
                        self.assertRegex(text, rf"`[^`]*\b{name}\b")

    def test_every_code_of_an_error_is_described(self):
        text = (DOCS / "python.md").read_text()
        stub = (pathlib.Path(penstock.__file__).parent / "errors.pyi").read_text()
        for code in re.findall(r'^    "(\w+)",$', stub, re.MULTILINE):
            with self.subTest(code=code):
                self.assertIn(f"`{code}`", text)


class Notebook(InAFolderOfItsOwn):
    def test_its_cells_run(self):
        notebook = json.loads((DOCS / "penstock.ipynb").read_text())
        self.assertEqual(notebook["nbformat"], 4)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        code = [(at, "".join(cell["source"])) for at, cell in enumerate(cells, 1)]
        self.assertGreater(self.run_all(code, "docs/penstock.ipynb"), 4)

    def test_it_holds_no_outputs(self):
        notebook = json.loads((DOCS / "penstock.ipynb").read_text())
        for cell in notebook["cells"]:
            self.assertEqual(cell.get("outputs", []), [])
            self.assertIsNone(cell.get("execution_count"))


if __name__ == "__main__":
    driver.main()
