#!/usr/bin/env python3
"""Checks that lines have at most 140 characters and that files end somewhere (src, include).

Ends with "N passed, N failed", a case a rule and folder.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE_LIMIT_CHARACTERS = 140
FILE_LIMIT_LINES = 400
SUFFIXES = {".cpp", ".hpp", ".h", ".inc", ".py", ".sh", ".cmake", ".kc", ".cu"}


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


def main():
    checks = {}
    for folder in ("src", "include", "test", "scripts", "bench", "examples"):
        checks[f"lines of {folder}"] = [
            fault for path in sources(folder) for fault in long_lines(path)
        ]
    for folder in ("src", "include"):
        checks[f"files of {folder}"] = [
            fault for path in sources(folder) for fault in long_file(path)
        ]
    for fault in [fault for faults in checks.values() for fault in faults]:
        print(fault)
    failed = sum(1 for faults in checks.values() if faults)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
