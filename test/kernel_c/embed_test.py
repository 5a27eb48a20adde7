#!/usr/bin/env python3
"""embed_test.py CMAKE: cmake/EmbedSources.cmake keeps texts as they are, with what they include, and
refuses an include that no program could resolve."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE = "cmake"
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "EmbedSources.cmake"


def embed(texts, entry="layer/entry.kc"):
    """Embeds `entry` of a tree of texts (by path from src/, or include/ where it says so): the exit
    code, the messages on one line, and the embedded texts by name."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in texts.items():
            path = root / (name if name.startswith("include/") else "src/" + name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        output = root / "sources.cpp"
        options = {"LAYER": "layer", "SOURCES": entry, "ROOT": root, "OUTPUT": output}
        command = [CMAKE, *(f"-D{name}={value}" for name, value in options.items())]
        done = subprocess.run([*command, "-P", SCRIPT], capture_output=True, text=True)
        rows = output.read_text() if output.exists() else ""
        return done.returncode, " ".join(done.stderr.split()), texts_of(rows)


def texts_of(rows):
    """The texts that a C++ compiler reads in the rows {"name", "text" "text"...}."""
    found = re.findall(r'\{"([^"]*)",\s*((?:"(?:\\.|[^"\\])*"\s*)+)\}', rows)
    escapes = {"n": "\n", "r": "\r"}

    def text(literals):
        lines = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals))
        return re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), lines)

    return {name: text(literals) for name, literals in found}


class Embedding(unittest.TestCase):
    def test_every_byte_of_a_text_is_kept(self):
        # But for a carriage return before the end of a line, which file(READ) leaves out.
        text = 'a[i] = b[j]; // "quoted" \\ \\n ${X} @Y@ ;;\n\n\tx\ry\n[[ ]] # µ\nno end of line'
        code, message, texts = embed({"layer/entry.kc": text})
        self.assertEqual((code, message), (0, ""))
        self.assertEqual(texts, {"layer/entry.kc": text})

    def test_what_is_included_is_embedded_once(self):
        tree = {
            "layer/entry.kc": '#include "other/a.kc"\n  # include "other/b.kc"\n',
            "other/a.kc": '#include "penstock/limits.h"\nA\n',
            "other/b.kc": '#include "other/a.kc"\nB;\n',
            "other/unused.kc": "U\n",
            "include/penstock/limits.h": "L\n",
        }
        code, message, texts = embed(tree)
        self.assertEqual((code, message), (0, ""))
        wanted = {name.removeprefix("include/"): text for name, text in tree.items()}
        del wanted["other/unused.kc"]
        self.assertEqual(texts, wanted)

    def test_a_missing_include_is_refused_with_its_line(self):
        tree = {"layer/entry.kc": '#include "layer/a.kc"\n', "layer/a.kc": '\n\n#include "b.kc"\n'}
        code, message, texts = embed(tree)
        self.assertNotEqual(code, 0)
        self.assertIn('src/layer/a.kc:3: "b.kc" is not found', message)
        self.assertEqual(texts, {})

    def test_a_file_that_includes_itself_is_refused(self):
        for a in ('#include "layer/entry.kc"\n', '#include "layer/a.kc"\n'):
            tree = {"layer/entry.kc": 'x[0];\n#include "layer/a.kc"\n', "layer/a.kc": a}
            code, message, texts = embed(tree)
            self.assertNotEqual(code, 0)
            self.assertIn("src/layer/a.kc:1", message)
            self.assertIn("includes itself", message)
            self.assertEqual(texts, {})


if __name__ == "__main__":
    CMAKE = sys.argv.pop(1)
    unittest.main(verbosity=2)
