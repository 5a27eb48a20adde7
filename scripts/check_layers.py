#!/usr/bin/env python3
"""Checks that every folder of src/ includes only what stands to its left, and that no file names a place of one machine.

The layers and what each may use are the penstock_layer(...) lines of CMakeLists.txt, the one list. A public header belongs to
the layer that implements it. Ends with "N passed, N failed", a case a rule and layer.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Public headers whose name is not their layer's.
HEADER_LAYER = {
    "status": "base",
    "fsst": "codec",
    "fsst_device": "codec",
    "fsst_match": "codec",
    "chunks": "codec",
    "fsst_encode_device": "codec",
    "arrow_c": "column",
    "text_forms": "column",
    "expression": "expr",
    "promotion": "expr",
    "value_type": "expr",
    "traced_type": "expr",
    "traced_value": "expr",
    "trace": "expr",
    "custom": "expr",
    "traced_row": "plan",
    "typed_result": "plan",
    "untyped_query": "plan",
    "rows": "plan",
    "profile": "plan",
    "query": "plan",
    "penstock": "cli",
}
# Places that exist on one machine only, and hosts that a package client's own configuration must name.
MACHINE = re.compile(
    r"/(?:home|root|work|Users|mnt|var/tmp)/\w|\b(?:pypi|pythonhosted|debian|ubuntu)\.(?:org|com|net)\b"
)


def read_layers():
    text = (ROOT / "CMakeLists.txt").read_text()
    uses = {}
    for name, rest in re.findall(r"^ *penstock_layer\((\w+)([^)]*)\)", text, re.MULTILINE):
        left = set(rest.split())
        uses[name] = left.union(*(uses.get(layer, set()) for layer in left)) | {name}
    return uses


def header_layer(stem, layers):
    return HEADER_LAYER.get(stem, stem if stem in layers else None)


def wrong_includes(path, layer, layers):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        first, _, rest = match.group(1).partition("/")
        included = (
            header_layer(pathlib.Path(rest).stem, layers)
            if first == "penstock"
            else first
            if first in layers
            else None
        )
        where = f"{path.relative_to(ROOT)}:{number}"
        if included is None:
            if first == "penstock":
                yield f"{where}: say in scripts/check_layers.py which layer {match.group(1)} belongs to"
        elif included not in layers[layer]:
            yield f"{where}: {layer} includes {match.group(1)}, which does not stand to its left"


def sources(folder):
    return [
        path for path in sorted(folder.rglob("*")) if path.suffix in {".cpp", ".hpp", ".h", ".inc"}
    ]


def tracked_files():
    if shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
        if listed.returncode == 0:
            return [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    # A machine without git, or a release without its history: what is neither hidden nor made here.
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and not path.relative_to(ROOT).parts[0].startswith((".", "build", "data"))
    ]


def machine_places():
    for path in tracked_files():
        if path == pathlib.Path(__file__).resolve() or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if match := MACHINE.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: names a place of one machine or a host: {match.group()}"


def main():
    layers = read_layers()
    checks = {
        f"layer {layer}": [
            fault
            for path in sources(ROOT / "src" / layer)
            for fault in wrong_includes(path, layer, layers)
        ]
        for layer in layers
    }
    checks["folders of src/"] = [
        f"src/{folder.name} is no layer of CMakeLists.txt"
        for folder in (ROOT / "src").iterdir()
        if folder.is_dir() and folder.name not in layers and sources(folder)
    ]
    for path in sorted((ROOT / "include/penstock").glob("*.h*")):
        layer = header_layer(path.stem, layers)
        checks[f"header {path.name}"] = (
            list(wrong_includes(path, layer, layers)) if layer else [f"{path.name}: which layer?"]
        )
    checks["machine places"] = list(machine_places())
    for fault in [fault for faults in checks.values() for fault in faults]:
        print(fault)
    failed = sum(1 for faults in checks.values() if faults)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
