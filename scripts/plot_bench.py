#!/usr/bin/env python3
"""Draws results of `penstock bench ... --format json` as an SVG file: throughput by rows, selectivity
or key count, with a line for each system.

    plot_bench.py RESULTS... --by rows|selectivity|keys --output FIGURE.svg [--only TEXT]
                  [--title TEXT]

Equal results give equal bytes. Needs matplotlib (scripts/python_environment.sh plot). Exits 2 and names the line when a file does not hold
such results, and leaves FIGURE.svg as it was.
"""

import argparse
import collections
import json
import os
import re
import sys

# What stands on the x axis, and how it is read from a result's case.
Axis = collections.namedtuple("Axis", "label scale value_of")
Point = collections.namedtuple("Point", "line x gigabytes_per_second copy device")
NUMBERS = ("rows", "gigabytes_per_second", "share_of_copy")
WORDS = ("work", "name", "device")
# Told apart on white by people who see colours differently, and by their marks.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")
MARKS = "osD^vPX*"


class Malformed(Exception):
    pass


def number_in(pattern):
    def value_of(result):
        found = re.search(pattern, result["work"])
        return float(found.group(1)) if found and float(found.group(1)) > 0 else None

    return value_of


AXES = {
    "rows": Axis("rows", "log", lambda result: result["rows"]),
    "selectivity": Axis(
        "rows that pass the filter (%)", "logit", number_in(r" ([0-9]{1,2}(?:[.][0-9]+)?)%$")
    ),
    "keys": Axis("keys", "log", number_in(r"^([0-9]+) keys?$")),
}


def checked_result(text, place):
    try:
        result = json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"{place}: not JSON: {error}") from None
    if not isinstance(result, dict):
        raise Malformed(f"{place}: not a result of penstock bench")
    for field in NUMBERS:
        value = result.get(field)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not 0 < value < float("inf")
        ):
            raise Malformed(f"{place}: '{field}' is no positive number: {value!r}")
    for field in WORDS:
        if not isinstance(result.get(field), str):
            raise Malformed(f"{place}: '{field}' is no text: {result.get(field)!r}")
    return result


def results_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Malformed(f"{path}: {error}") from None
    return [
        checked_result(line, f"{path}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def family_of(result, by):
    """Returns the case's name without the value on the axis."""
    return {"rows": result["work"], "selectivity": result["work"].rpartition(" ")[0], "keys": ""}[
        by
    ]


def points_of(results, by):
    placed = [result for result in results if AXES[by].value_of(result) is not None]
    devices = {result["device"] for result in placed}
    families = {family_of(result, by) for result in placed}
    points = []
    for result in placed:
        words = [result["name"]]
        words += [family_of(result, by)] if len(families) > 1 else []
        words += [result["device"]] if len(devices) > 1 else []
        throughput = result["gigabytes_per_second"]
        copy = throughput / result["share_of_copy"]
        points.append(
            Point(", ".join(words), AXES[by].value_of(result), throughput, copy, result["device"])
        )
    return points


def lines_of(points):
    """Returns {label: [(x, GB/s)] in order of x}, labels in the order of the results."""
    lines = {}
    for point in points:
        lines.setdefault(point.line, {})[point.x] = point.gigabytes_per_second
    return {label: sorted(values.items()) for label, values in lines.items()}


def copies_of(points):
    """Returns {device: copy bandwidth}, the median over the device's results."""
    copies = {}
    for point in points:
        copies.setdefault(point.device, []).append(point.copy)
    return {device: sorted(found)[len(found) // 2] for device, found in copies.items()}


def set_axes(axes, by, lines):
    from matplotlib import ticker

    axes.set_xscale(AXES[by].scale)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(
        ticker.FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    )
    axes.set_xlabel(AXES[by].label)
    axes.set_ylabel("throughput (GB/s read and written)")
    if by == "selectivity":
        percents = sorted({x for line in lines.values() for x, _ in line})
        axes.set_xticks(
            [percent / 100 for percent in percents], [f"{percent:g}" for percent in percents]
        )
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.grid(True, color="#d0d0d0", linewidth=0.6)
    axes.set_axisbelow(True)


def draw(points, by, title, path):
    import matplotlib

    matplotlib.use("svg")
    # A white background for dark pages; a fixed salt for names and text as text, for equal bytes.
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "penstock",
            "svg.fonttype": "none",
            "savefig.facecolor": "white",
            "font.size": 10,
        }
    )
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    lines = lines_of(points)
    set_axes(axes, by, lines)
    for number, (label, values) in enumerate(lines.items()):
        xs = [x / 100 if by == "selectivity" else x for x, _ in values]
        axes.plot(
            xs,
            [y for _, y in values],
            label=label,
            color=COLORS[number % len(COLORS)],
            marker=MARKS[number % len(MARKS)],
            markersize=4,
            linewidth=1.6,
            linestyle=("-", "--", ":")[number // len(COLORS) % 3],
        )
    for number, (device, copy) in enumerate(sorted(copies_of(points).items())):
        axes.axhline(
            copy,
            label=f"copy, {device}",
            color="#404040",
            linestyle=(0, (6, 2 + 2 * number)),
            linewidth=1,
        )
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    figure.savefig(f"{path}.part", format="svg", metadata={"Date": None, "Creator": None})
    os.replace(f"{path}.part", path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "results", nargs="+", help="files of lines as penstock bench --format json prints them"
    )
    parser.add_argument("--by", choices=AXES, required=True, help="what stands on the x axis")
    parser.add_argument("--output", required=True, help="the SVG file")
    parser.add_argument("--only", default="", help="the cases whose name holds this text")
    parser.add_argument("--title", default="", help="what stands above")
    options = parser.parse_args()
    try:
        results = [
            result
            for path in options.results
            for result in results_of(path)
            if options.only in result["work"]
        ]
        points = points_of(results, options.by)
        if not points:
            raise Malformed(f"no result has a place on an axis of {options.by}")
    except Malformed as error:
        print(f"plot_bench: {error}", file=sys.stderr)
        return 2
    draw(points, options.by, options.title, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
