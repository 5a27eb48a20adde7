#!/usr/bin/env python3
"""Counts the words that docs/glossary.md replaces, in src and include of given revisions.

    count_words.py REV...

Prints a Markdown table with two columns per revision: occurrences in code (identifiers and
strings) and in comments. A word counts as a whole word or as a part of a name: `text` counts in
`text_bytes`, `TextCheck` and `TEXT_BYTES`, not in `context`. Every meaning of a word counts.
"""

import collections
import io
import pathlib
import re
import subprocess
import sys
import tarfile

FOLDERS = ("src", "include")
SUFFIXES = {".cpp", ".hpp", ".h", ".inc", ".kc", ".cu", ".prelude"}
Row = collections.namedtuple("Row", "old now pattern")

# Comments, strings and characters; everything between them is code.
TOKENS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.DOTALL)


def part(*words):
    """Returns a pattern that matches the words alone or as a part of a name, in any case."""
    forms = {form for word in words for form in (word, word.capitalize(), word.upper())}
    choice = "|".join(sorted(forms, key=len, reverse=True))
    return rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?:{choice})(?![a-z])"


def phrase(text):
    return rf"(?i)\b(?:{text})\b"


ROWS = (
    Row("text, texts", "output, source, string", part("text", "texts")),
    Row("text_bytes", "output_bytes", r"(?i)text_bytes"),
    Row("room, rooms", "capacity", part("room", "rooms")),
    Row("most_", "max_", r"(?i)(?<![a-z])most_"),
    Row("least_", "min_", r"(?i)(?<![a-z])least_"),
    Row("sound", "valid", part("sound")),
    Row("verdict, verdicts", "status, statuses", part("verdict", "verdicts")),
    Row("fault, faults", "error (of formats)", part("fault", "faults")),
    Row("way, ways", "method, variant", part("way", "ways")),
    Row("team, teams", "warp", part("team", "teams")),
    Row("item, items", "thread", part("item", "items")),
    Row("takers", "granularity", part("takers")),
    Row("x_a_y", "x_per_y", r"(?<![A-Za-z])[a-z]+(?:_[a-z]+)*s_a_[a-z]+"),
    Row("made", "output, result", part("made")),
    Row("behind, in front of", "after, before", phrase("behind|in front of")),
    Row("there", "on the device", part("there")),
    Row("stay, stays", "keep on device", part("stay", "stays")),
    Row("bring, brings, brought", "upload", part("bring", "brings", "brought")),
    Row("place, places, placed", "offset, position, index", part("place", "places", "placed")),
    Row("piece, pieces", "segment, block, part", part("piece", "pieces")),
    Row("stretch, stretches", "segment", part("stretch", "stretches")),
    Row("unit, units", "block, symbol, multiprocessor", part("unit", "units")),
    Row("word, words", "message, key, built-in, token", part("word", "words")),
    Row("front", "sequential decoder", part("front")),
    Row("origin, origins", "source index", part("origin", "origins")),
    Row("marker, markers", "marker symbol", part("marker", "markers")),
    Row("walk, walks, walked", "scan, speculative decoding", part("walk", "walks", "walked")),
    Row("skeleton, skeletons", "kernel template", part("skeleton", "skeletons")),
    Row("link, links, linked", "dependent blocks", part("link", "links", "linked")),
    Row("needs", "requirements", part("needs")),
    Row("peer, peers", "baseline", part("peer", "peers")),
    Row("carried", "late-materialised", part("carried")),
    Row(
        "reckoned, told, foretold, mended",
        "computed, reported, predicted, fixed",
        part("reckoned", "told", "foretold", "mended"),
    ),
    Row("lent, tools, held", "external, scratch, buffered", part("lent", "tools", "held")),
    Row("truth, moment", "boolean, date or timestamp", part("truth", "moment")),
    Row("custom, customs", "UDF", part("custom", "customs")),
    Row("spoilt, alone", "dirty, single", part("spoilt", "alone")),
    Row("others, nobody, whoever", "threads", part("others", "nobody", "whoever")),
    Row(
        "comments that begin with What, Whether, Where, Of, Who, How, As",
        "a verb",
        r"(?m)^//+ *(?:What|Whether|Where|Of|Who|How|As)\b",
    ),
)


def sources(revision):
    """Yields the source files of a revision as text."""
    command = ["git", "archive", "--format=tar", revision, *FOLDERS]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            if member.isfile() and pathlib.PurePath(member.name).suffix in SUFFIXES:
                yield files.extractfile(member).read().decode()


def split(source):
    """Returns code with strings, and comments, one line each."""
    comments = [token for token in TOKENS.findall(source) if token.startswith("/")]
    code = TOKENS.sub(lambda found: " " if found[0].startswith("/") else found[0], source)
    return code, "\n".join(comments)


def counts(revision):
    """Returns a (code, comments) pair of counts for each row."""
    texts = [split(source) for source in sources(revision)]
    return [
        tuple(sum(len(re.findall(row.pattern, pair[kind])) for pair in texts) for kind in (0, 1))
        for row in ROWS
    ]


def main():
    revisions = sys.argv[1:]
    if not revisions or any(name.startswith("-") for name in revisions):
        print(__doc__, file=sys.stderr)
        return 2
    columns = [counts(revision) for revision in revisions]
    heads = "".join(f" {name}, code | {name}, comments |" for name in revisions)
    print(f"| old words | the field's |{heads}")
    print("|---|---|" + "---:|---:|" * len(revisions))
    for number, row in enumerate(ROWS):
        cells = "".join(f" {c[number][0]:,} | {c[number][1]:,} |" for c in columns)
        print(f"| {row.old} | {row.now} |{cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
