#!/usr/bin/env python3
"""Checks Kernel C without a device, by the compilers of this machine and a few lints.

  check_kernels.py [options] FILE...

FILE is assembled source, its ending the target (x.opencl, x.metal, x.cuda, x.sycl, x.cpu, x.host),
or Kernel C (x.kc), which --assembler (print_kernel_source) first assembles for all six. Several .kc
files joined by + are one program: a.kc+b.kc. The files that a .kc file includes come with it. A
line `// check: OPTIONS` in it gives the options of one check, where the command line has none.
Without such a line they are --group-size 1 --group-size 64.

  opencl  clang as OpenCL C 1.2
  cuda    --cuda-checker (check_cuda_source: NVRTC), skipped where there is none
  metal   clang and test/kernel_c/metal
  sycl    clang and test/kernel_c/sycl; acpp and icpx where found
  cpu     TCC and gcc, for groups of one thread
  host    g++ and clang++
  all but cuda: lints of what these compilers accept and some target does not

Exit code 0 when nothing failed, 1 when something did, 2 for wrong usage."""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHIMS = ROOT / "test" / "kernel_c"
TARGETS = ("cuda", "opencl", "metal", "sycl", "cpu", "host")
WARNINGS = ["-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-parameter", "-Werror"]
CXX = ["-x", "c++", "-std=c++17", "-fsyntax-only", "-Wdouble-promotion", *WARNINGS]

# A compiler's output, beside the text. TCC replaces /dev/null by a file where it may.
OBJECT = "(object)"

# (check, program, arguments). A missing program skips its check; a missing clang fails it.
CHECKS = {
    "opencl": [
        (
            "OpenCL C 1.2",
            "clang",
            [
                "-x",
                "cl",
                "-cl-std=CL1.2",
                "-Xclang",
                "-finclude-default-header",
                "-fsyntax-only",
                *WARNINGS,
            ],
        )
    ],
    # C++ for OpenCL: device, threadgroup, constant and thread are address spaces that do not convert.
    "metal": [
        (
            "Metal",
            "clang",
            [
                "-x",
                "cl",
                "-cl-std=clc++2021",
                "-cl-no-stdinc",
                "-target",
                "spir64",
                "-nogpulib",
                "-fsyntax-only",
                f"-I{SHIMS}/metal",
                "-Wno-unknown-attributes",
                *WARNINGS,
            ],
        )
    ],
    "sycl": [
        ("SYCL", "clang++", [*CXX, f"-I{SHIMS}/sycl"]),
        (
            "AdaptiveCpp",
            "acpp",
            ["-x", "c++", "-std=c++17", "--acpp-targets=generic", "-fsyntax-only"],
        ),
        ("DPC++", "icpx", ["-x", "c++", "-fsycl", "-std=c++17", "-fsyntax-only"]),
    ],
    "cpu": [
        (
            "TCC",
            "tcc",
            ["-xc", "-c", "-nostdinc", "-w", "-D_Static_assert(x,y)=", "-o", OBJECT],
        ),
        ("C", "gcc", ["-x", "c", "-std=gnu11", "-fsyntax-only", "-nostdinc", "-w"]),
    ],
    "host": [("g++", "g++", CXX), ("clang++", "clang++", CXX)],
}

SCALARS = r"(?:[ui](?:8|16|32|64)|f32|f64|u32x4|void|ATOMIC_U32|ATOMIC_U64)"
MARK = r"(?:\s*RETURNED_STRUCT)?"
# Names that some target reserves and others allow (kernel-c.md, "What not to write").
RESERVED = (
    r"\b(?:local|global|private|constant|kernel|device|thread|threadgroup|new|delete|class|template"
    r"|this|operator|half|atomic_uint)\b"
)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def lines_of_parts(text):
    """Yields name and text, without comments and literals, of each #line part but the preludes."""
    text = re.sub(r'(?m)^#line 1 "(.*)"$', "\x01\\1\x01", text)
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)
    pieces = text.split("\x01")[1:]
    for name, part in zip(pieces[::2], pieces[1::2]):
        if not name.endswith(".prelude"):
            yield name, part


def lint(text):
    """Yields messages, each with file and line."""
    parts = list(lines_of_parts(text))
    types = {SCALARS}
    for _, part in parts:
        types.update(
            re.findall(rf"\btypedef\s+struct\s*\{{.*?\}}{MARK}\s*(\w+)\s*;", part, flags=re.S)
        )
        types.update(re.findall(r"\btypedef\s+[\w\s]+?\b(\w+)\s*;", part))
    pointer = re.compile(
        r"((?:\b(?:GLOBAL|LOCAL|PRIVATE|CONSTANT|const|volatile)\s+)*)\b("
        + "|".join(types)
        + r")(\s+const)?\s*\*"
    )
    functions = {}
    for name, part in parts:

        def say(at, sentence):
            found.append(f"{name}:{part.count(chr(10), 0, at)}: {sentence}")

        found = []
        for match in pointer.finditer(part):
            if not re.search(r"GLOBAL|LOCAL|PRIVATE|CONSTANT", match.group(1)):
                say(
                    match.start(2),
                    f"pointer to {match.group(2)} without GLOBAL, LOCAL, PRIVATE or CONSTANT: "
                    "Metal refuses it",
                )
        for match in re.finditer(r"\bgoto\b", part):
            say(match.start(), "goto: Metal refuses it")
        for match in re.finditer(r"(?m)^static\b", part):
            say(match.start(), "static: write FUNCTION or TABLE")
        for match in re.finditer(RESERVED, part):
            say(match.start(), f"'{match.group()}' is reserved on some target")
        for match in re.finditer(r"\bFUNCTION\s+[\w\s*]*?\b(\w+)\s*\(", part):
            function, body = match.group(1), body_after(part, match.end())
            if "##" in part[match.start() - 2 : match.end() + 2]:
                continue
            if function in functions and body is not None:
                say(
                    match.start(),
                    f"'{function}' is also defined at {functions[function]}: "
                    "OpenCL C has no overloads",
                )
            if body is not None:
                functions[function] = f"{name}:{part.count(chr(10), 0, match.start())}"
                if re.search(rf"\b{function}\s*\(", body):
                    say(
                        match.start(),
                        f"'{function}' calls itself: Metal and OpenCL C refuse recursion",
                    )
        yield from found


def with_checks_of_structs(text):
    """Adds after each struct that a function returns a check that TCC can (cpu.prelude)."""
    returned = set(re.findall(r"\bFUNCTION\s+(\w+)\s+\w+\s*\(", text))

    def checked(match):
        struct = match.group(1)
        if struct not in returned:
            return match.group()
        return (
            f"{match.group()} _Static_assert(sizeof({struct}) % 8 == 0 || sizeof({struct}) > 16 ||"
            f" (sizeof({struct}) & (sizeof({struct}) - 1)) == 0,"
            f' "a function returns it: write }} RETURNED_STRUCT {struct};");'
        )

    return re.sub(rf"\}}{MARK}\s*(\w+)\s*;", checked, text)


def body_after(text, at):
    """Returns the body after a parameter list open at `at`; None for a declaration."""
    depth = 1
    while at < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    begin = re.compile(r"[\s\\]*\{").match(text, at)
    if not begin:
        return None
    depth, at = 1, begin.end()
    start = at
    while at < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[start:at]


class Report:
    def __init__(self):
        self.failed = 0

    def add(self, file, check, outcome, log=""):
        reason = (
            f": {(log.strip().splitlines() or ['no reason was given'])[-1]}"
            if outcome == "skipped"
            else ""
        )
        print(f"{outcome:8} {check:14} {file}{reason}")
        if outcome == "FAILED":
            self.failed += 1
            print("".join(f"    {line}\n" for line in log.strip().splitlines()[:40]), end="")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_text(path, label, sizes, options, report):
    target = path.suffix[1:]
    if target == "cpu":
        sizes = [1] if sizes is None or 1 in sizes else []
        path.write_text(with_checks_of_structs(path.read_text()))
    sizes = [64] if sizes is None else sizes
    commands = [
        (name, program, shutil.which(program), arguments)
        for name, program, arguments in CHECKS.get(target, [])
    ]
    if target == "cuda":
        commands = [("NVRTC", "the checker of CUDA texts", options.cuda_checker, [])]
    else:
        sentences = list(dict.fromkeys(lint(path.read_text())))
        report.add(label, "lint", "FAILED" if sentences else "ok", "\n".join(sentences))
    for name, words, program, arguments in commands:
        if program is None:
            needed = name in ("OpenCL C 1.2", "Metal", "SYCL")
            absent = (
                "clang is not installed (apt install clang)"
                if needed
                else f"{words} is not installed"
            )
            report.add(label, name, "FAILED" if needed else "skipped", absent)
            continue
        for size in sizes:
            code, log = run(
                [
                    program,
                    *[f"{path}.o" if word == OBJECT else word for word in arguments],
                    *[f"-D{define}" for define in options.define],
                    f"-DGROUP_SIZE={size}",
                    str(path),
                ]
            )
            report.add(
                label,
                f"{name} {size}" if len(sizes) > 1 else name,
                {0: "ok", 77: "skipped"}.get(code, "FAILED"),
                log,
            )


def built(program):
    path = ROOT / "build" / "test" / "kernel_c" / program
    return str(path) if path.exists() else None


def assembled(file, options, folder):
    for target in options.target or TARGETS:
        code, text = run([options.assembler, target, *file.split("+")])
        if code != 0:
            sys.exit(f"check_kernels.py: {text}")
        path = pathlib.Path(folder) / f"{pathlib.Path(file.split('+')[-1]).stem}.{target}"
        path.write_text(text)
        yield path, f"{file} for {target}"


def checks_of(file, parser, options):
    """The options of each check of a .kc file."""
    if options.group_size or options.target or options.define:
        return [options]
    text = (ROOT / file.split("+")[-1]).read_text()
    lines = re.findall(r"(?m)^// check: (.*)$", text) or ["--group-size 1 --group-size 64"]
    given = ["--assembler", options.assembler, "--cuda-checker", options.cuda_checker or ""]
    return [parser.parse_args([*given, *shlex.split(line), file]) for line in lines]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument(
        "--assembler",
        default=built("print_kernel_source"),
        help="print_kernel_source, needed for .kc files (default: the one in build/)",
    )
    parser.add_argument(
        "--cuda-checker",
        default=built("check_cuda_source"),
        help="check_cuda_source (default: the one in build/)",
    )
    parser.add_argument(
        "--target",
        action="append",
        choices=TARGETS,
        help="of .kc files; may be repeated (default all)",
    )
    parser.add_argument(
        "--group-size", type=int, action="append", help="GROUP_SIZE; may be repeated (default 64)"
    )
    parser.add_argument(
        "--define", action="append", default=[], help="NAME or NAME=VALUE, as a compiler's -D"
    )
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            if file.endswith(".kc"):
                if not options.assembler:
                    parser.error(
                        f"{file}: Kernel C needs --assembler "
                        "(cmake --build build --target print_kernel_source check_cuda_source)"
                    )
                checks = checks_of(file, parser, options)
            elif file.rsplit(".", 1)[-1] in TARGETS:
                checks = [options]
            else:
                parser.error(
                    f"{file}: the ending must be .kc or one of "
                    + ", ".join("." + target for target in TARGETS)
                )
            for check in checks:
                is_source = file.endswith(".kc")
                texts = (
                    assembled(file, check, folder) if is_source else [(pathlib.Path(file), file)]
                )
                for path, label in texts:
                    check_text(path, label, check.group_size, check, report)
    if report.failed:
        sys.exit(f"{report.failed} checks failed")


if __name__ == "__main__":
    main()
