#!/usr/bin/env python3
"""Checks the size of sources and documents, and the length of sentences.

Sources: lines have at most 140 characters, files of src/ and include/ at most 400 lines.
Documents (*.md): lines have at most 100 columns, cells of tables at most 200 characters, sentences
at most 40 words, documents outside docs/lab/ at most 500 lines. The share of sentences above 25
words is reported. Links and files that a document names must exist. Sentences of documents outside
docs/lab/, and of comments in GATED_FOLDERS, pass the gate of word_gate.py. Ends with "N passed, N
failed", a case per rule and folder.
"""

import pathlib
import re
import sys
import unicodedata

import word_gate

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE_LIMIT_CHARACTERS = 140
FILE_LIMIT_LINES = 400
SUFFIXES = {".cpp", ".hpp", ".h", ".inc", ".py", ".sh", ".cmake", ".kc", ".cu"}

PROSE_LIMIT_COLUMNS = 100
CELL_LIMIT_CHARACTERS = 200
SENTENCE_LIMIT_WORDS = 40
LONG_SENTENCE_WORDS = 25
DOCUMENT_LIMIT_LINES = 500
LAB = "docs/lab/"
GATED_FOLDERS = ("include", "src", "test", "bench", "cmake", "examples", "scripts", "python")
TREE = "bench|cmake|docs|examples|include|scripts|src|test"


def sources(folder):
    named = lambda path: path.suffix in SUFFIXES or path.name == "CMakeLists.txt"
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.is_file() and named(path)]


def long_lines(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if len(line) > LINE_LIMIT_CHARACTERS:
            yield f"{path.relative_to(ROOT)}:{number}: {len(line)} characters, {LINE_LIMIT_CHARACTERS} at most"


def long_file(path):
    lines = len(path.read_text().splitlines())
    if lines > FILE_LIMIT_LINES:
        yield f"{path.relative_to(ROOT)}: {lines} lines, {FILE_LIMIT_LINES} at most"


def documents():
    """Returns every Markdown file of the tree, without build folders and data."""
    made_here = (".", "build", "data")
    return [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not path.relative_to(ROOT).parts[0].startswith(made_here)
    ]


def columns(line):
    """Returns how wide a terminal shows a line."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide


def is_table(line):
    return line.lstrip().startswith("|")


def wide_lines(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(ROOT)}:{number}"
        if is_table(line):
            longest = max(len(cell.strip()) for cell in re.split(r"(?<!\\)\|", line))
            if longest > CELL_LIMIT_CHARACTERS:
                yield f"{where}: a cell of {longest} characters, {CELL_LIMIT_CHARACTERS} at most"
        elif columns(line) > PROSE_LIMIT_COLUMNS and " " in line[:PROSE_LIMIT_COLUMNS].strip():
            yield f"{where}: {columns(line)} columns, {PROSE_LIMIT_COLUMNS} at most"


def long_document(path):
    name = str(path.relative_to(ROOT))
    lines = len(path.read_text().splitlines())
    if lines > DOCUMENT_LIMIT_LINES and not name.startswith(LAB):
        yield f"{name}: {lines} lines, {DOCUMENT_LIMIT_LINES} at most"


def paragraphs(path):
    """Yields (line number, text) of each paragraph and list item, without code, tables, headings
    and comments."""
    number, text, is_fenced, was_blank, is_code = 0, "", False, True, False
    for at, line in enumerate(path.read_text().splitlines() + [""], 1):
        stripped = line.strip()
        fence = stripped.startswith("```")
        is_code = bool(stripped) and line.startswith("    ") and (was_blank or is_code)
        plain = stripped and not (is_fenced or fence or is_code or is_table(line))
        ends = not plain or re.match(r"#|<!--|>|([-*+]|\d+\.) ", stripped)
        if ends and text:
            yield number, text
            text = ""
        if plain and not stripped.startswith(("#", "<")):
            number = number if text else at
            text += " " + re.sub(r"^([-*+]|\d+\.) ", "", stripped)
        is_fenced ^= fence
        was_blank = not stripped


def words_per_sentence(text):
    """Returns how many words each sentence of a paragraph has. Code and links are a word each."""
    return [
        sum(any(c.isalnum() for c in word) for word in sentence.split())
        for sentence in word_gate.sentences(text)
    ]


def sentences(path):
    """Yields (line number, words) of each sentence."""
    for number, text in paragraphs(path):
        for words in words_per_sentence(text):
            if words:
                yield number, words


def long_sentences(path):
    for number, words in sentences(path):
        if words > SENTENCE_LIMIT_WORDS:
            where = f"{path.relative_to(ROOT)}:{number}"
            yield f"{where}: a sentence of {words} words, {SENTENCE_LIMIT_WORDS} at most"


def report_long_sentences(paths):
    counts = [words for path in paths for _, words in sentences(path)]
    long = sum(words > LONG_SENTENCE_WORDS for words in counts)
    share = 100 * long / max(1, len(counts))
    print(
        f"{share:.1f} % of {len(counts)} sentences in {len(paths)} documents "
        f"have more than {LONG_SENTENCE_WORDS} words"
    )


def cells(path):
    """Yields (line number, text) of each cell of a table."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if is_table(line):
            yield from ((number, cell.strip()) for cell in re.split(r"(?<!\\)\|", line))


def document_stumbles(path):
    name = str(path.relative_to(ROOT))
    texts = [*paragraphs(path), *cells(path)]
    return [] if name.startswith(LAB) else word_gate.stumbles(name, texts)


def comment_stumbles(path):
    return word_gate.stumbles(str(path.relative_to(ROOT)), word_gate.comments(path))


def missing_files(path):
    """Yields links and names of files in a document that lead nowhere."""
    text = path.read_text()
    links = re.findall(r"\]\((?!https?:)([\w./-]+)(?:#[^)]*)?\)", text)
    named = re.findall(rf"`((?:{TREE})/[\w./*-]*)`", text)
    found = {(path.parent / link).resolve() for link in links} | {ROOT / name for name in named}
    for place in sorted(found):
        name = str(place.relative_to(ROOT))
        if not any(ROOT.glob(name)):
            yield f"{path.relative_to(ROOT)}: there is no {name}"


def all_errors(check, paths):
    return [error for path in paths for error in check(path)]


def main():
    checks = {}
    for folder in ("src", "include", "test", "scripts", "bench", "examples"):
        checks[f"lines of {folder}"] = all_errors(long_lines, sources(folder))
    for folder in ("src", "include"):
        checks[f"files of {folder}"] = all_errors(long_file, sources(folder))
    for folder in GATED_FOLDERS:
        checks[f"words of {folder}"] = all_errors(comment_stumbles, sources(folder))
    prose = documents()
    for name, check in (
        ("columns", wide_lines),
        ("sentences", long_sentences),
        ("length", long_document),
        ("words", document_stumbles),
        ("files named", missing_files),
    ):
        checks[f"documents: {name}"] = all_errors(check, prose)
    for error in [error for errors in checks.values() for error in errors]:
        print(error)
    report_long_sentences(prose)
    failed = sum(1 for errors in checks.values() if errors)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
