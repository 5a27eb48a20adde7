"""scripts/word_gate.py: sentences that it refuses, in documents and in comments."""

import pathlib
import sys
import tempfile
import unittest

from command_line import main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import word_gate  # noqa: E402


def stumbles(*paragraphs):
    return list(word_gate.stumbles("text", enumerate(paragraphs, 1)))


class WordGate(unittest.TestCase):
    def comments(self, suffix, text):
        with tempfile.TemporaryDirectory(prefix="penstock-words-") as folder:
            path = pathlib.Path(folder) / f"source{suffix}"
            path.write_text(text)
            return list(word_gate.comments(path))

    def test_every_refused_opening_is_found_within_a_paragraph(self):
        for opening in ("Of groups", "Where it fits", "What fits", "Who reads", "Those", "Others"):
            (found,) = stumbles(f"A file is read. {opening} the host decodes.")
            self.assertIn(f'begins with "{opening.split()[0]}"', found)

    def test_a_word_that_begins_like_a_refused_one_is_none(self):
        self.assertEqual(stumbles("Often it fits. Whatever fits is read. `Of` is a word."), [])

    def test_a_possessive_without_a_noun_is_found(self):
        for text in ("It takes others' memory.", "It joins another's rows.", "It is one's own."):
            self.assertEqual(len(stumbles(text)), 1, text)
        self.assertEqual(stumbles("It has the drivers' memory, and the device's."), [])

    def test_two_clauses_with_where_are_one_stumble(self):
        self.assertEqual(len(stumbles("It is read where it lies, where it fits.")), 1)
        self.assertEqual(stumbles("It is read where it lies. It stays where it fits."), [])
        self.assertEqual(stumbles("It is written where the WHERE clause is."), [])

    def test_relative_pronouns_are_counted_by_the_thousand_words(self):
        relative = "A file whose pages are those of another file."
        self.assertEqual(stumbles("A file whose pages fit."), [])
        self.assertEqual(len(stumbles(relative)), 1)
        self.assertEqual(len(stumbles("word " * 1900, relative)), 1)
        self.assertEqual(stumbles("word " * 2000, relative), [])

    def test_lines_of_a_comment_are_one_paragraph(self):
        text = "// A file is\n// read. Where\n// it fits\nint a;  // first\nint b;  // Second.\n"
        expected = [(1, " A file is read. Where it fits"), (4, " first"), (5, " Second.")]
        self.assertEqual(self.comments(".hpp", text), expected)

    def test_addresses_are_no_comments(self):
        self.assertEqual(self.comments(".cpp", 'open("http://example.org");\n'), [])

    def test_scripts_have_comments_by_hashes(self):
        self.assertEqual(self.comments(".py", "a = 1  # If it fits.\n"), [(1, " If it fits.")])


main()
