#!/usr/bin/env python3
"""Draws results of `penstock bench ... --format json` as an SVG file.

    plot_bench.py RESULTS... --by AXIS --output FIGURE.svg [--only TEXT] [--title TEXT]

AXIS is rows, selectivity or keys: throughput as one line per system. Or it is devices: speed-up of
`bench devices` as one line per work, beside the ideal one. Or it is case: bars, one per case and
system, of the bytes that a codec outputs per second. A system is then the first word of a result's
name, and its fastest variant counts.

Equal results give equal bytes. Needs matplotlib (scripts/python_environment.sh plot). Exits with
2, names the line and leaves FIGURE.svg as it was when a file does not hold such results.
"""

import argparse
import collections
import json
import os
import re
import sys

# The x axis, and how its value is read from a result's case.
Axis = collections.namedtuple("Axis", "label scale value_of")
Point = collections.namedtuple("Point", "line x gigabytes_per_second copy device")
NUMBERS = ("rows", "gigabytes_per_second", "share_of_copy")
NUMBERS_OF_DEVICES = ("devices", "milliseconds", "speed_up")
BAR_NUMBERS = ("gigabytes_per_second",)
WORDS = ("work", "name", "device")
# Distinct on white for colour-blind readers; marks differ, too.
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


def checked_result(text, place, numbers, words):
    try:
        result = json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"{place}: not JSON: {error}") from None
    if not isinstance(result, dict):
        raise Malformed(f"{place}: not a result of penstock bench")
    for field in numbers:
        value = result.get(field)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not 0 < value < float("inf")
        ):
            raise Malformed(f"{place}: '{field}' is no positive number: {value!r}")
    for field in words:
        if not isinstance(result.get(field), str):
            raise Malformed(f"{place}: '{field}' is no text: {result.get(field)!r}")
    return result


def results_of(path, numbers, words):
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Malformed(f"{path}: {error}") from None
    return [
        checked_result(line, f"{path}:{number}", numbers, words)
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


def bars_of(results):
    """{system: {case: GB/s}}, systems and cases in the order of the results."""
    bars = {}
    for result in results:
        cases = bars.setdefault(result["name"].partition(" ")[0], {})
        fastest = max(cases.get(result["work"], 0), result["gigabytes_per_second"])
        cases[result["work"]] = fastest
    return bars


def draw_bars(bars, axes):
    cases = list(dict.fromkeys(case for rates in bars.values() for case in rates))
    width = 0.8 / len(bars)
    for number, (system, rates) in enumerate(bars.items()):
        places = [index for index, case in enumerate(cases) if case in rates]
        drawn = axes.bar(
            [place + width * (number - (len(bars) - 1) / 2) for place in places],
            [rates[cases[place]] for place in places],
            width,
            label=system,
            color=COLORS[number % len(COLORS)],
        )
        axes.bar_label(drawn, fmt="{:.0f}", fontsize=7, padding=1)
    axes.set_xticks(range(len(cases)), [case.replace(", ", "\n") for case in cases], fontsize=8)
    axes.set_ylabel("throughput (GB/s of output)")
    axes.grid(True, axis="y", color="#d0d0d0", linewidth=0.6)
    axes.set_axisbelow(True)


def draw_devices(results, axes):
    lines = {}
    for result in results:
        lines.setdefault(result["work"], []).append((result["devices"], result["speed_up"]))
    for number, (work, values) in enumerate(lines.items()):
        axes.plot(
            *zip(*sorted(values)),
            label=work,
            color=COLORS[number % len(COLORS)],
            marker=MARKS[number % len(MARKS)],
            linestyle=("-", "--", ":")[number // len(COLORS) % 3],
        )
    counts = sorted({result["devices"] for result in results})
    axes.plot(counts, counts, label="ideal", color="#404040", linestyle=(0, (6, 2)))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(counts, [f"{count}" for count in counts])
    axes.set_yticks(counts, [f"{count}" for count in counts])
    axes.set_xlabel("devices")
    axes.set_ylabel("speed-up to one device")
    axes.grid(True, color="#d0d0d0", linewidth=0.6)


def draw_lines(points, by, axes):
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


def draw(draw_into, title, path):
    import matplotlib

    matplotlib.use("svg")
    # White below everything, for dark pages. A fixed salt for names of elements, and letters that
    # stay text, give equal bytes.
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
    draw_into(axes)
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
    parser.add_argument(
        "--by", choices=[*AXES, "case", "devices"], required=True, help="the x axis"
    )
    parser.add_argument("--output", required=True, help="the SVG file")
    parser.add_argument("--only", default="", help="the cases whose name holds this text")
    parser.add_argument("--title", default="", help="what stands above")
    options = parser.parse_args()
    numbers = {"case": BAR_NUMBERS, "devices": NUMBERS_OF_DEVICES}.get(options.by, NUMBERS)
    words = ("work", "scaling") if options.by == "devices" else WORDS
    try:
        results = [
            result
            for path in options.results
            for result in results_of(path, numbers, words)
            if options.only in result["work"]
        ]
        points = results if options.by in ("case", "devices") else points_of(results, options.by)
        if not points:
            raise Malformed(f"no result has a place on an axis of {options.by}")
    except Malformed as error:
        print(f"plot_bench: {error}", file=sys.stderr)
        return 2
    if options.by == "devices":
        draw(lambda axes: draw_devices(points, axes), options.title, options.output)
    elif options.by == "case":
        bars = bars_of(points)
        draw(lambda axes: draw_bars(bars, axes), options.title, options.output)
    else:
        draw(lambda axes: draw_lines(points, options.by, axes), options.title, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
