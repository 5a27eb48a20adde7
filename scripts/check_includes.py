#!/usr/bin/env python3
"""Checks that a source includes what declares the functions it calls. Ends with "N passed, N failed".

The preset ci compiles the files of a folder as one (cmake/Unity.cmake), so that a file may live off
its neighbour's includes. scripts/quickstart.sh compiles it alone, and fails. To compile all files
alone, too, would take CI 6 minutes. This reads their text: a call of a function with an underscore
in its name that one header alone declares, which neighbours include and the file does not. It finds
less than a compiler. A name that the file or its headers declare otherwise is left out.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "test", "include")
FREE_FUNCTION = re.compile(
    r"^(?:template <[^\n]*> )?(?:inline |constexpr |static )*[A-Za-z_][\w:<>,*& ]*[ *&]"
    r"([a-z]\w*_\w*)\(",
    re.MULTILINE,
)
DECLARED = re.compile(
    r"(?:\b(?!return\b|else\b|case\b|throw\b|and\b|or\b|not\b)\w+|>)[*&]* (\w+)\s*[=({;,)]"
)
CALLED = re.compile(r"(?<![\w.>:])([a-z]\w*_\w*)\(")


def without_comments_and_texts(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', re.sub(r"//[^\n]*", "", text))


def path_of(included, texts):
    return next((ROOT / top / included for top in FOLDERS if ROOT / top / included in texts), None)


def includes(texts):
    """Returns what each file includes itself."""
    found = {}
    for path, text in texts.items():
        names = re.findall(r'#\s*include\s*"([^"]+)"', text)
        found[path] = {path_of(name, texts) for name in names} - {None}
    return found


def reached_from(path, included):
    reached, left = {path}, [path]
    while left:
        for header in included[left.pop()] - reached:
            reached.add(header)
            left.append(header)
    return reached


def headers_by_function(code):
    declared = collections.defaultdict(set)
    for path, text in code.items():
        if path.suffix in {".hpp", ".h"}:
            for name in FREE_FUNCTION.findall(text):
                declared[name].add(path)
    return {name: next(iter(paths)) for name, paths in declared.items() if len(paths) == 1}


class Sources:
    def __init__(self):
        suffixes = {".cpp", ".hpp", ".h", ".inc"}
        paths = [p for top in FOLDERS for p in sorted((ROOT / top).rglob("*"))]
        texts = {
            path: path.read_text(errors="replace") for path in paths if path.suffix in suffixes
        }
        self.code = {path: without_comments_and_texts(text) for path, text in texts.items()}
        included = includes(texts)
        self.reached = {path: reached_from(path, included) for path in texts}
        self.declared = {path: set(DECLARED.findall(text)) for path, text in self.code.items()}
        self.header_of = headers_by_function(self.code)
        self.by_folder = collections.defaultdict(list)
        for path in texts:
            if path.suffix == ".cpp":
                self.by_folder[path.parent].append(path)

    def missing(self, path):
        """Yields a function and its header for each one that a neighbour's include provides."""
        neighbours = [other for other in self.by_folder[path.parent] if other != path]
        for name in sorted(set(CALLED.findall(self.code[path]))):
            header = self.header_of.get(name)
            if header is None or header in self.reached[path]:
                continue
            if any(name in self.declared[reached] for reached in self.reached[path]):
                continue
            if any(header in self.reached[other] for other in neighbours):
                yield name, header


def main():
    sources = Sources()
    failed = 0
    for folder, paths in sorted(sources.by_folder.items()):
        errors = [
            f"{path.relative_to(ROOT)}: calls {name}(): include {header.relative_to(ROOT)}"
            for path in paths
            for name, header in sources.missing(path)
        ]
        failed += bool(errors)
        print("\n".join(errors), end="\n" if errors else "")
    print(f"{len(sources.by_folder) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
