#!/usr/bin/env python3
"""Times Penstock on one, two, four ... devices, and writes the tables and the plot of it.

    scaling.py run --program build/penstock --device cuda:0,cuda:1 --data FOLDER RESULTS.json
    scaling.py write RESULTS.json

`run` times part by part (PARTS below; --only names some) and puts each result into RESULTS.json as
it comes; parts that are there are not run again, unless --only names them. A part that takes longer
than --seconds is ended, and keeps what it had. The last lines say what was not run.

FOLDER has TPC-H's tables as Parquet; without --data, TPC-H is not run. A folder that does not exist
is made by tpchgen-cli (--generator), at --scale.

`write` puts tables between the markers of docs/performance.md, and the plot into docs/figures.
The plot needs matplotlib (scripts/python_environment.sh plot).
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- scaling: begin -->", "<!-- scaling: end -->"
NO_EXCHANGE = ("filter", "batches", "file:", "TPC-H Q1", "TPC-H Q6")
ONE_SHARE = "rows, one row group"  # has no goal


def bench(options, *more):
    return [
        *(options.program, "bench", "devices", "--device", options.device, "--format", "json"),
        *("--repeats", str(options.repeats), *more),
    ]


def of_rows(options, rows, cases, *more):
    sizes = ("--rows", str(rows), "--row-group", str(options.row_group))
    return bench(options, "--only", cases, *sizes, *more)


def resident(*cases):
    return ";".join(f"{case}, resident" for case in cases)


# Each part: its name, and its command of the options. The most wanted come first, as several GPUs
# may be there for minutes only.
def parts_of(options):
    rows, mib = options.rows, str(options.batch_mib)
    each = max(1, rows // 4)
    batches = ("--only", "batches: ", "--batch-mib")
    return {
        "rows, resident, strong": of_rows(options, rows, "resident"),
        "rows of files, strong": of_rows(options, rows, "aggregate, files;sort, files"),
        "four times the rows, strong": of_rows(
            options, 4 * rows, resident("aggregate", "filter", "keys", "join")
        ),
        # Columns that one device keeps in a quarter of its memory; at 2^31 rows the scan's do not
        # fit.
        "eight times the rows, strong": of_rows(options, 8 * rows, resident("10^3 keys", "join")),
        "tpch": bench(options, "--only", "TPC-H", "--data", str(options.data)),
        "batches, strong": bench(options, *batches, mib),
        "twice the bytes, strong": bench(
            options,
            "--only",
            "batches: lz4;batches: fsst",
            "--batch-mib",
            str(2 * options.batch_mib),
        ),
        "rows, weak": of_rows(options, each, "resident", "--scaling", "weak"),
        "rows, a prime number": of_rows(options, largest_prime(rows), "resident"),
        ONE_SHARE: of_rows(options, min(rows, options.row_group), "resident"),
        "batches, weak": bench(
            options, *batches, str(max(1, options.batch_mib // 4)), "--scaling", "weak"
        ),
        "files": bench(options, "--only", "file: ", "--batch-mib", mib),
    }


def largest_prime(limit):
    number = max(2, limit)
    while any(number % divisor == 0 for divisor in range(2, int(number**0.5) + 1)):
        number -= 1
    return number


def lines_within(command, seconds, on_line):
    """Gives each line as it is printed. Returns why the program ended early, or ""."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            for line in process.stdout:
                on_line(line)
            status = process.wait()
        finally:
            timer.cancel()
        errors.seek(0)
        said = errors.read().strip()[-300:]
    if status == -signal.SIGKILL:
        return f"not done in {seconds:.0f} s"
    return f"ended with {status}: {said}" if status else ""


def run_bench(command, seconds, found):
    def keep(line):
        found.append(json.loads(line))
        print("  " + line.strip(), file=sys.stderr)

    return lines_within(command, seconds, keep)


def save(path, report):
    part = path.with_suffix(".part")
    part.write_text(json.dumps(report, indent=1) + "\n")
    os.replace(part, path)


def make_tables(options):
    """Returns why there are no tables, or ""."""
    if not options.data:
        return "no --data"
    if (options.data / "lineitem.parquet").exists():
        return ""
    command = [options.generator, "parquet", "-s", options.scale, "--output-dir", options.data]
    command += ["--tables", "lineitem,orders,customer"]
    try:
        return lines_within(command, options.seconds, lambda line: None)
    except OSError as error:
        return str(error)


def run_part(options, name, command, found):
    try:
        if name == "tpch" and (why := make_tables(options)):
            return why
        return run_bench(command, options.seconds, found)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return repr(error)


def run(options):
    report = json.loads(options.results.read_text()) if options.results.exists() else {"parts": {}}
    report["device_names"] = names_of(options)
    parts = parts_of(options)
    for name, command in parts.items():
        if options.only and not any(text in name for text in options.only.split(";")):
            continue
        if not options.only and report["parts"].get(name, {}).get("missing") == "":
            continue
        print(f"{name}:", file=sys.stderr)
        start = time.monotonic()
        found = []
        why = run_part(options, name, command, found)
        report["parts"][name] = {"figures": found, "missing": why}
        save(options.results, report)
        print(f"  {time.monotonic() - start:.1f} s {why}", file=sys.stderr)
    for name in parts:
        why = report["parts"].get(name, {"missing": "not asked for"})["missing"]
        if why:
            print(f"not run, or not whole: {name}: {why}")
    return 0


def names_of(options):
    ended = subprocess.run([options.program, "devices"], capture_output=True, text=True, check=True)
    first = options.device.split(",")[0]
    lines = [line.strip() for line in ended.stdout.splitlines() if line.startswith(first)]
    return f"{len(options.device.split(','))} x {lines[0] if lines else first}"


def goal_of(work, devices):
    if any(word in work for word in NO_EXCHANGE):
        return {4: 3.6, 8: 7.0}.get(devices)
    return {4: 3.0, 8: 5.5}.get(devices)


def judged(figure, has_goal):
    goal = goal_of(figure["work"], figure["devices"])
    if goal is None or not has_goal:
        return ""
    return f"{goal}: met" if figure["speed_up"] >= goal else f"{goal}"


def row_of(by_count, counts, has_goal):
    """One line of a work: `by_count` has its figures, and may lack the figures of some counts."""

    def cells(key, some):
        return [f"{by_count[count][key]:.2f}" if count in by_count else "" for count in some]

    last = by_count[max(by_count)]
    spread = max(figure["spread"] for figure in by_count.values())
    cells_of_row = [last["work"], *cells("milliseconds", counts), *cells("speed_up", counts[1:])]
    cells_of_row += [judged(last, has_goal), f"{100 * spread:.0f} %"]
    cells_of_row += [f"{last['bytes_exchanged'] / 1e6:.1f}", last["bound"]]
    return "| " + " | ".join(cells_of_row) + " |"


def table_of(figures, has_goal):
    works = {}
    for figure in figures:
        works.setdefault(figure["work"], {})[figure["devices"]] = figure
    counts = sorted({figure["devices"] for figure in figures})
    heads = ["work", *(f"ms on {count}" for count in counts)]
    heads += [f"times on {count}" for count in counts[1:]]
    heads += ["goal", "spread", "MB exchanged", "bound"]
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for by_count in works.values():
        yield row_of(by_count, counts, has_goal)


def tables_of(report):
    yield f"Devices: {report['device_names']}."
    yield ""
    for name, part in report["parts"].items():
        yield f"**{name}**" + (f" ({part['missing']})" if part["missing"] else "")
        yield ""
        if part["figures"]:
            yield from table_of(part["figures"], name != ONE_SHARE)
            yield ""


def put_between_markers(path, lines):
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} lacks {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")


def draw_plot(report, figure):
    """One line a work of strong scaling."""
    lines = [
        json.dumps(each)
        for name, part in report["parts"].items()
        if name in ("rows, resident, strong", "batches, strong", "tpch")
        for each in part["figures"]
        if not each["work"].endswith(", files")
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write("\n".join(lines))
        file.flush()
        command = [sys.executable, ROOT / "scripts" / "plot_bench.py", file.name]
        command += ["--by", "devices", "--title", report["device_names"], "--output", figure]
        return subprocess.run(command, check=False).returncode


def write(options):
    try:
        report = json.loads(options.results.read_text())
        put_between_markers(options.document, tables_of(report))
    except (OSError, ValueError, KeyError) as error:
        print(f"scaling: {error!r}", file=sys.stderr)
        return 2
    return 0 if options.no_plot else draw_plot(report, options.figure)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["run", "write"])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--program", default="build/penstock")
    parser.add_argument("--device", default="cuda:0,cuda:1", help="a list, each by its whole name")
    parser.add_argument("--data", type=pathlib.Path, help="TPC-H's tables as Parquet")
    parser.add_argument("--scale", default="10", help="of tables that are made")
    parser.add_argument("--generator", default=".venv/bin/tpchgen-cli")
    parser.add_argument("--only", default="", help="parts with one of these texts, with ; between")
    parser.add_argument("--seconds", type=float, default=75, help="of a part at most")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1 << 26)
    parser.add_argument("--row-group", type=int, default=1 << 22, help="rows of a row group")
    parser.add_argument("--batch-mib", type=int, default=2048)
    documents = ROOT / "docs"
    parser.add_argument("--document", type=pathlib.Path, default=documents / "performance.md")
    figure = documents / "figures" / "scaling.svg"
    parser.add_argument("--figure", type=pathlib.Path, default=figure)
    parser.add_argument("--no-plot", action="store_true", help="write tables alone")
    return parser.parse_args()


def main():
    options = arguments()
    return run(options) if options.action == "run" else write(options)


if __name__ == "__main__":
    sys.exit(main())
