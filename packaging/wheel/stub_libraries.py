#!/usr/bin/env python3
"""Makes a folder of stub libraries, with which a module is linked for an older glibc.

A stub has no code. It has the name and the symbols of a library of this system, each in the newest
version that the older system has too. A linker that finds the stubs first writes these versions
into its output. Functions that are newer come from newer_*.c* beside this script, and from GCC's
static library. The real libraries are loaded at run time, on the older system and on later ones.

The folder has what -lc, -lm and -lstdc++ look for, so -L alone makes a linker use it.
    stub_libraries.py FOLDER [--compiler g++]
"""

import argparse
import collections
import pathlib
import re
import subprocess

# The newest versions in manylinux_2_28, the system of RHEL 8. Other names are as old as a library
# itself.
NEWEST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}
# glibc 2.34 merged these into libc.so.6, mostly with a new version for each symbol.
FORMER_LIBRARIES = {
    "libdl.so.2": r"dl",
    "librt.so.1": r"(aio|lio|mq|shm|timer)_",
    "libpthread.so.0": r"_*(pthread|sem|thrd|mtx|cnd|tss)_|call_once",
}
MERGER = "GLIBC_2.34"
# Objects of GCC's static library with features that are newer as a whole: std::filesystem,
# conversions of floating-point numbers, and futures' waits. They have no state that a process
# shares. Other objects would be a second copy of what a process has.
STATIC_OBJECTS = (
    "fs_dir.o",
    "fs_ops.o",
    "fs_path.o",
    "floating_from_chars.o",
    "floating_to_chars.o",
    "futex.o",
    "memory_resource.o",
)
HERE = pathlib.Path(__file__).resolve().parent
# A line of readelf for a symbol that is defined here. "@@" stands before a default version.
SYMBOL = re.compile(
    r"^ *\d+: [0-9a-f]+ +(?P<size>\w+) (?P<kind>\w+) +(GLOBAL|WEAK|UNIQUE) +DEFAULT +(?!UND)\w+ "
    r"(?P<name>[\w.$]+)(?P<at>@@?)(?P<version>\w+(\.\d+)*)",
    re.MULTILINE,
)

Symbol = collections.namedtuple("Symbol", "name version kind size")


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def numbers_of(version):
    """Splits GLIBC_2.28 into ("GLIBC", (2, 28)); a version without numbers is older than all."""
    family, _, digits = version.rpartition("_")
    numbers = digits.split(".")
    return (family, tuple(map(int, numbers))) if numbers[0].isdigit() else (version, ())


def is_old(version):
    family, numbers = numbers_of(version)
    return version != "GLIBC_PRIVATE" and numbers <= NEWEST.get(family, numbers)


def old_symbols(library):
    """Yields each symbol that the older system has too, and its default version here."""
    versions, default = collections.defaultdict(list), {}
    for match in SYMBOL.finditer(output_of("readelf", "--dyn-syms", "--wide", library)):
        name, version = match["name"], match["version"]
        versions[name].append(Symbol(name, version, match["kind"], int(match["size"], 0)))
        if match["at"] == "@@":
            default[name] = version
    for name, symbols in versions.items():
        old = [symbol for symbol in symbols if is_old(symbol.version)]
        if old and name in default:  # without one, no header of today means it
            yield max(old, key=lambda symbol: numbers_of(symbol.version)), default[name]


def older_library(symbol, default):
    """Returns where the older glibc has a symbol of libc.so.6, or None for a library unused here."""
    if not is_old(default):
        for library, pattern in FORMER_LIBRARIES.items():
            if re.match(pattern, symbol.name):
                return library
    return None if default == MERGER else "libc.so.6"


def stub_source(symbols):
    """Returns assembler text that defines symbols without code, in sections of their kinds."""
    sections = {"OBJECT": '.section .data,"aw"', "TLS": '.section .tbss,"awT",%nobits'}
    kinds = {"OBJECT": "object", "TLS": "tls_object"}
    lines = []
    for symbol in sorted(symbols):
        lines += [
            sections.get(symbol.kind, ".text"),
            f".globl {symbol.name}",
            f".type {symbol.name}, %{kinds.get(symbol.kind, 'function')}",
            f".size {symbol.name}, {max(symbol.size, 1)}",
            f"{symbol.name}: .zero 1",
        ]
    return "\n".join(lines) + "\n"


def version_script(symbols):
    nodes = collections.defaultdict(list)
    for symbol in sorted(symbols):
        nodes[symbol.version].append(symbol.name)
    return "".join(f"{version} {{ {'; '.join(names)}; }};\n" for version, names in nodes.items())


def make_stub(compiler, library, symbols):
    source, script = (
        library.with_name(f"{library.name}.s"),
        library.with_name(f"{library.name}.map"),
    )
    source.write_text(stub_source(symbols))
    script.write_text(version_script(symbols))
    link = (f"-Wl,-soname,{library.name}", f"-Wl,--version-script={script}", "-o", str(library))
    output_of(compiler, "-shared", "-nostdlib", str(source), *link)


def system_file(compiler, name):
    path = output_of(compiler, f"-print-file-name={name}").strip()
    if not pathlib.Path(path).is_file():
        raise SystemExit(f"stub_libraries: {compiler} does not find {name}")
    return path


def make_stubs(compiler, folder):
    """Makes the stubs; returns {name: path}."""
    stubs = {folder / name: [] for name in ("libc.so.6", *FORMER_LIBRARIES)}
    for symbol, default in old_symbols(system_file(compiler, "libc.so.6")):
        if name := older_library(symbol, default):
            stubs[folder / name].append(symbol)
    for name in ("libm.so.6", "libstdc++.so.6"):
        stubs[folder / name] = [symbol for symbol, _ in old_symbols(system_file(compiler, name))]
    for library, symbols in stubs.items():
        make_stub(compiler, library, symbols)
        print(f"{library.name}: {len(symbols)} symbols")
    return {library.name: library for library in stubs}


def compile_newer_functions(compiler, folder):
    """Compiles newer_*.c*; yields the objects."""
    for source in sorted(HERE.glob("newer_*.c*")):
        compiled = str(folder / f"{source.name}.o")
        language = ("c++", "-std=gnu++20") if source.suffix == ".cpp" else ("c",)
        flags = ("-O2", "-fPIC", "-Wall", "-Wextra", "-Werror")
        output_of(compiler, *flags, "-x", *language, "-c", str(source), "-o", compiled)
        yield compiled


def make_archive(compiler, folder):
    """Makes the archive of all that is newer; returns its path."""
    ar = output_of(compiler, "-print-prog-name=ar").strip()
    archive = folder / "libnewer.a"
    archive.unlink(missing_ok=True)
    static = system_file(compiler, "libstdc++_pic.a")
    output_of(ar, "x", "--output", str(folder), static, *STATIC_OBJECTS)
    objects = [str(folder / name) for name in STATIC_OBJECTS]
    output_of(ar, "rc", str(archive), *compile_newer_functions(compiler, folder), *objects)
    return archive


def loader_of(compiler):
    """Returns the path of the dynamic loader, a library that libc.so.6 needs."""
    needed = output_of("readelf", "--dynamic", system_file(compiler, "libc.so.6"))
    return system_file(compiler, re.search(r"NEEDED.*\[(ld-.*)\]", needed)[1])


def make_folder(compiler, folder):
    folder.mkdir(parents=True, exist_ok=True)
    stubs = make_stubs(compiler, folder)
    newer = make_archive(compiler, folder)
    nonshared = system_file(compiler, "libc_nonshared.a")
    former = " ".join(str(stubs[name]) for name in FORMER_LIBRARIES)
    scripts = {
        "libc.so": f"{stubs['libc.so.6']} {newer} {nonshared} "
        f"AS_NEEDED({former} {loader_of(compiler)})",
        "libm.so": f"AS_NEEDED({stubs['libm.so.6']})",
        "libstdc++.so": f"{stubs['libstdc++.so.6']} {newer}",
    }
    for name, files in scripts.items():
        (folder / name).write_text(f"GROUP({files})\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    make_folder(arguments.compiler, arguments.folder.resolve())
