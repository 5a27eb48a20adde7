#!/usr/bin/env python3
"""Checks the binary interface of libpenstock.so against its committed description.

    scripts/check_abi.py [LIBRARY]      exit code 1 and the difference, if callers would break
    scripts/check_abi.py --update       describes the interface anew, after a deliberate change

The interface is that of include/penstock/*.h: a library of empty functions is compiled from these
declarations, with the version script of the real one, and libabigail (Debian's abigail-tools)
compares it with test/cli/libpenstock.abi. A function or type that is described there may not
change. A new function passes in a new node of the version script alone: callers of an old node must
find all of it in every library that has this node. Of LIBRARY the exported names and their nodes
are compared.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DESCRIPTION = ROOT / "test" / "cli" / "libpenstock.abi"
CHANGED = 4  # abidiff's exit code is a set of bits


def run(*words, text=None):
    return subprocess.run(
        [str(word) for word in words], input=text, capture_output=True, text=True, check=True
    ).stdout


def declarations(headers):
    """Returns the preprocessed text of all C headers."""
    names = sorted(path.name for path in (headers / "penstock").glob("*.h"))
    includes = "".join(f'#include "penstock/{name}"\n' for name in names)
    return includes, run("cc", "-E", "-P", "-I", headers, "-x", "c", "-", text=includes)


def empty_functions(headers):
    """Returns a C file that defines every function of the headers."""
    includes, text = declarations(headers)
    functions = re.findall(r"[^;{}]*?\bpenstock_\w+\s*\([^;{}]*\)(?=\s*;)", text)
    bodies = [f"{function.strip()} {{ __builtin_trap(); }}\n" for function in functions]
    return includes + "".join(body for body in bodies if not body.startswith("typedef"))


def soname():
    version = re.search(r"VERSION (\d+\.\d+)\.\d+", (ROOT / "CMakeLists.txt").read_text())
    return f"libpenstock.so.{version[1]}"


def describe(headers, version_script, folder):
    """Returns the description of the interface that the headers declare, and its library."""
    source, library = folder / "interface.c", folder / "libpenstock.so"
    source.write_text(empty_functions(headers))
    run(
        *("cc", "-w", "-g", "-shared", "-fPIC", "-nostdlib", "-I", headers, source, "-o", library),
        *(f"-Wl,--version-script={version_script}", f"-Wl,-soname,{soname()}"),
    )
    options = ("no-corpus-path", "no-comp-dir-path", "no-show-locs", "no-architecture")
    text = run("abidw", *(f"--{o}" for o in options), "--type-id-style", "hash", library)
    return text.replace(str(folder) + "/", ""), library


def exported(library):
    """Returns the functions that a library exports, as name@node."""
    rows = (line.split() for line in run("nm", "-D", "--defined-only", library).splitlines())
    return {row[2].replace("@@", "@") for row in rows if row[1] == "T"}


def nodes(description):
    return set(re.findall(r" version='(\w[^']*)' is-default", description))


def breaks_callers(described, current, folder):
    """Returns abidiff's report, or nothing where only new nodes have new functions."""
    paths = folder / "described.abi", folder / "current.abi"
    for path, text in zip(paths, (described, current)):
        path.write_text(text)
    ended = subprocess.run(
        ["abidiff", "--no-architecture", *paths], capture_output=True, text=True, check=False
    )
    if ended.returncode == 0:
        return ""
    if ended.returncode & ~(CHANGED | CHANGED << 1):
        raise SystemExit(f"abidiff failed: {ended.stdout}{ended.stderr}")
    added = re.findall(r"\[A\].*\{\w+@@?([\w.]+)\}", ended.stdout)
    summary = "Functions changes summary: 0 Removed, 0 Changed"
    is_new = summary in ended.stdout and added and not nodes(described) & set(added)
    return "" if is_new else ended.stdout


def difference_of_names(library, interface):
    """Returns the functions that a header declares and the library does not export, and others."""
    real = {name for name in exported(library) if not name.startswith("Adbc")}
    declared = exported(interface)
    return "".join(
        [f"declared, not exported: {name}\n" for name in sorted(declared - real)]
        + [f"exported, not declared: {name}\n" for name in sorted(real - declared)]
    )


def without_node(interface, headers):
    """Returns the functions of the headers that the version script does not name."""
    names = set(re.findall(r"\b(penstock_\w+)\s*\(.*__builtin_trap", empty_functions(headers)))
    missing = names - {name.partition("@")[0] for name in exported(interface)}
    return "".join(f"in no node of the version script: {name}\n" for name in sorted(missing))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--headers", type=pathlib.Path, default=ROOT / "include")
    parser.add_argument("--version-script", default=ROOT / "cmake" / "c_library.map")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="penstock-abi-") as name:
        folder = pathlib.Path(name)
        current, interface = describe(arguments.headers, arguments.version_script, folder)
        report = without_node(interface, arguments.headers)
        if arguments.update:
            DESCRIPTION.write_text(current)
        report += breaks_callers(DESCRIPTION.read_text(), current, folder)
        if arguments.library:
            report += difference_of_names(arguments.library, interface)
    if report:
        print(report + "cmake/c_library.map and docs/packages.md say how the interface may change")
    print("1 passed, 0 failed" if not report else "0 passed, 1 failed")
    return 1 if report else 0


sys.exit(main())
