"""Decodes a compressed file by Penstock and by each program of this machine that reads its format.

    python3 bench/peers/cpu_files.py [--runs N] [--penstock PATH] FILE...

gzip: rapidgzip (pip install rapidgzip), libdeflate-gunzip, igzip (Intel's ISA-L), pigz and gzip
(zlib); zstd: zstd; lz4: lz4. A missing program is named and skipped. All write to /dev/null and take
turns, so that other load on the machine affects all. The first turn does not count. Before that, each
program's output is compared with the first program's by its SHA-256. Prints a line for each
program: the median of the wall times, of the CPU times (user and system), and the rate of
decompressed bytes by wall time. On a shared machine, compare CPU times.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {
    "gzip": [
        ["rapidgzip", "-d", "-c"],
        ["libdeflate-gunzip", "-c"],
        ["igzip", "-d", "-c"],
        ["pigz", "-d", "-c"],
        ["gzip", "-d", "-c"],
    ],
    "zstd": [["zstd", "-d", "-c", "-q"]],
    "lz4": [["lz4", "-d", "-c", "-q"]],
}
MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"\x02\x21\x4c\x18": "lz4",
}


def format_of(path):
    begin = path.open("rb").read(4)
    return next((name for magic, name in MAGIC.items() if begin.startswith(magic)), None)


def text_of(command):
    """Returns the size of a command's output and its hash."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    count, digest = 0, hashlib.sha256()
    while part := process.stdout.read(1 << 20):
        count += len(part)
        digest.update(part)
    return (count, digest.hexdigest()) if process.wait() == 0 else None


def run(command):
    """Returns wall and CPU seconds."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime


def measure(path, commands, runs):
    texts = {command[0]: text_of(command) for command in commands}
    expected = texts[commands[0][0]]
    for name, text in texts.items():
        if text is None or text != expected:
            sys.exit(
                f"cpu_files: {name} fails on {path}, or makes another text than {commands[0][0]}"
            )
    times = {command[0]: [] for command in commands}
    for turn in range(runs + 1):
        for command in commands:
            seconds = run(command)
            if turn > 0:
                times[command[0]].append(seconds)
    for name, seconds in times.items():
        wall, cpu = (statistics.median(column) for column in zip(*seconds))
        times_text = f"wall {wall * 1e3:9.1f} ms  cpu {cpu * 1e3:9.1f} ms  {expected[0] / wall / 1e9:7.2f} GB/s"
        print(f"{path.name}  {pathlib.Path(name).name:18}  {times_text}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7, help="that count (7)")
    parser.add_argument(
        "--penstock", default=ROOT / "build" / "penstock", help="the program (build/penstock)"
    )
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for path in options.files:
        kind = format_of(path)
        if kind is None:
            sys.exit(f"cpu_files: {path} is neither gzip nor zstd nor lz4")
        there = [command for command in PROGRAMS[kind] if shutil.which(command[0])]
        for command in PROGRAMS[kind]:
            if command not in there:
                print(f"cpu_files: {command[0]} is not installed", file=sys.stderr)
        ours = [str(options.penstock), "decompress", "--no-progress", "-o", "-"]
        measure(path, [[*command, str(path)] for command in [ours, *there]], options.runs)


if __name__ == "__main__":
    main()
