#!/usr/bin/env python3
"""Checks the layout of the sources. Ends with "N passed, N failed", a case per rule and layer.

A layer of src/ includes only layers before it: those that its penstock_layer(...) line in
CMakeLists.txt, the one list, names, and all that they include. The folders of a layer include each
other without a cycle. A file at the root of a layer with folders counts as a folder. File stems
are unique in src/ and include/, so that a name found in a comment names one place. No file names a
place of one machine.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = {".cpp", ".hpp", ".h", ".inc"}
# The layer of a public header that its folder or name does not tell.
HEADER_LAYER = {
    "arrow_c": "column",
    "arrow_string_layouts": "column",
    "batch": "codec",
    "batch_errors": "codec",
    "custom": "expr",
    "detail/promotion": "expr",
    "detail/row_type": "exec",
    "detail/trace": "expr",
    "detail/traced_row": "exec",
    "detail/traced_type": "expr",
    "detail/traced_value": "expr",
    "detail/typed_result": "exec",
    "detail/untyped_query": "exec",
    "detail/value_type": "expr",
    "device_arrays": "codec",
    "device_cache": "codec",
    "expression": "expr",
    "fsst": "codec",
    "fsst/decoder": "codec",
    "fsst/encoder": "codec",
    "fsst/matcher": "codec",
    "penstock": "cli",
    "profile": "table",
    "query": "exec",
    "report": "table",
    "run": "exec",
    "run_options": "plan",
    "skipping": "column",
    "session_device": "exec",
    "status": "base",
    "steps": "table",
    "table_reference": "column",
}
# Places that exist on one machine only, and hosts that a client's own configuration must name.
MACHINE = re.compile(
    r"/(?:home|root|work|Users|mnt|var/tmp)/\w|\b(?:pypi|pythonhosted|debian|ubuntu)\.(?:org|com|net)\b"
)


def read_layers():
    """Returns each layer with all that it may include, itself among them."""
    text = (ROOT / "CMakeLists.txt").read_text()
    uses = {}
    for name, rest in re.findall(r"^ *penstock_layer\((\w+)([^)]*)\)", text, re.MULTILINE):
        named = set(rest.split())
        uses[name] = named.union(*(uses.get(layer, set()) for layer in named)) | {name}
    return uses


def header_layer(name, layers):
    """Returns the layer of include/penstock/<name>.hpp, or None."""
    return HEADER_LAYER.get(name, name if name in layers else None)


def includes(path):
    """Yields (line number, included path) for each #include "..." of a file."""
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            yield number, match.group(1)


def wrong_includes(path, layer, layers):
    for number, included in includes(path):
        first, _, rest = included.partition("/")
        if first == "penstock":
            found = header_layer(rest.rpartition(".")[0], layers)
        else:
            found = first if first in layers else None
        where = f"{path.relative_to(ROOT)}:{number}"
        if found is None and first == "penstock":
            yield f"{where}: say in scripts/check_layers.py which layer {included} belongs to"
        elif found is not None and found not in layers[layer]:
            yield f"{where}: {layer} includes {included}, which is not before it"


def folder_of(name):
    """Returns the node of src/<layer>/<name>: its folder, or its stem at the layer's root."""
    folder = name.rpartition("/")[0]
    return folder or pathlib.Path(name).stem


def folder_graph(layer):
    """Returns {folder: {included folder: an include that does it}} of a layer."""
    graph = {}
    for path in sources(ROOT / "src" / layer):
        node = folder_of(str(path.relative_to(ROOT / "src" / layer)))
        for number, included in includes(path):
            first, _, rest = included.partition("/")
            if first == layer and folder_of(rest) != node:
                where = f"{path.relative_to(ROOT)}:{number} includes {included}"
                graph.setdefault(node, {}).setdefault(folder_of(rest), where)
    return graph


def cycle_from(start, graph):
    """Returns the includes of a cycle through `start`, or None."""
    paths, seen = [[start]], set()
    while paths:
        path = paths.pop()
        for following in graph.get(path[-1], {}):
            if following == start:
                return [graph[a][b] for a, b in zip(path, path[1:] + [start])]
            if following not in seen:
                seen.add(following)
                paths.append(path + [following])
    return None


def cycles(layer):
    graph = folder_graph(layer)
    if not any((ROOT / "src" / layer / node).is_dir() for node in graph):
        return  # a flat layer: its files may know each other
    reported = set()
    for node in sorted(graph):
        cycle = cycle_from(node, graph)
        if cycle and not reported & set(cycle):
            reported |= set(cycle)
            yield f"{layer}: folders include each other: " + "; ".join(cycle)


def shared_stems():
    """Yields stems that two places share. A source and its header in one folder are one place,
    and so are a public header and the source of the same name."""
    places = {}
    for path in sources(ROOT / "src") + sources(ROOT / "include"):
        places.setdefault(path.stem, set()).add(path)
    for stem, paths in sorted(places.items()):
        folders = {path.parent for path in paths if path.is_relative_to(ROOT / "src")}
        headers = {path.parent for path in paths if path.suffix in {".hpp", ".inc"}}
        if len(folders) > 1 or len(headers) > 1:
            names = ", ".join(sorted(str(path.relative_to(ROOT)) for path in paths))
            yield f"{stem}: one name for several files: {names}"


def sources(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in SOURCES]


def tracked_files():
    if shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
        if listed.returncode == 0:
            return [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    # A machine without git, or a release without its history: neither hidden nor made here.
    made_here = (".", "build", "data")
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and not path.relative_to(ROOT).parts[0].startswith(made_here)
    ]


def machine_places():
    for path in tracked_files():
        if path == pathlib.Path(__file__).resolve() or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if match := MACHINE.search(line):
                where = f"{path.relative_to(ROOT)}:{number}"
                yield f"{where}: names a place of one machine or a host: {match.group()}"


def unknown_folders(layers):
    for folder in (ROOT / "src").iterdir():
        if folder.is_dir() and folder.name not in layers and sources(folder):
            yield f"src/{folder.name} is no layer of CMakeLists.txt"


def wrong_header(path, layers):
    name = str(path.relative_to(ROOT / "include/penstock")).rpartition(".")[0]
    layer = header_layer(name, layers)
    return list(wrong_includes(path, layer, layers)) if layer else [f"{name}: which layer?"]


def main():
    layers = read_layers()
    checks = {}
    for layer in layers:
        files = sources(ROOT / "src" / layer)
        checks[f"layer {layer}"] = [
            e for path in files for e in wrong_includes(path, layer, layers)
        ]
        checks[f"folders of {layer}"] = list(cycles(layer))
    checks["folders of src/"] = list(unknown_folders(layers))
    for path in sources(ROOT / "include/penstock"):
        checks[f"header {path.relative_to(ROOT)}"] = wrong_header(path, layers)
    checks["file stems"] = list(shared_stems())
    checks["machine places"] = list(machine_places())
    for error in [error for errors in checks.values() for error in errors]:
        print(error)
    failed = sum(1 for errors in checks.values() if errors)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
