#!/usr/bin/env python3
"""Prints reports of `penstock bench portability --format json` as Markdown tables.

    portability_tables.py REPORT.json...

Several reports of one machine are shown as one: each may have families of its own (--only).

First the time of each case by each device, with its shares of the device's copy and of the fastest
backend on that hardware. Then the portability of each family, and what each step gave. Exits with 2
when a file holds no such report.
"""

import argparse
import json
import sys


def grouped(items, key):
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def cell_of(row):
    if "milliseconds" not in row:
        return "none"
    return (
        f"{row['milliseconds']:.3f} ms, {100 * row['share_of_copy']:.1f} %, "
        f"{100 * row['share_of_best']:.0f} %"
    )


def tables_of_rows(report):
    devices = report["devices"]
    for hardware, backends in grouped(devices, lambda device: device["hardware"]).items():
        ids = [device["device"] for device in backends]
        head = ["case"] + [
            f"{device['device']}, copy {device['copy_bytes_per_second'] / 1e9:.0f} GB/s"
            for device in backends
        ]
        of_hardware = [
            row for row in report["rows"] if row["hardware"] == hardware and row["is_taken"]
        ]
        rows = []
        for (family, case), cells in grouped(
            of_hardware, lambda row: (row["family"], row["case"])
        ).items():
            by_device = {row["device"]: cell_of(row) for row in cells}
            rows.append([f"{family}: {case}"] + [by_device.get(each, "") for each in ids])
        yield from table(head, rows)


def table_of_portability(report):
    rows = []
    for figure in report["portability"]:
        by_copy, by_best = f"{figure['by_copy']:.3f}", f"{figure['by_best']:.3f}"
        least = f"{figure['least']:.3f} ({figure['lowest_device']}, {figure['lowest_case']})"
        goal = ("met" if figure["meets_goal"] else "**missed**") if figure["has_goal"] else ""
        judged = f"{figure['judged']:.3f} ({figure['judged_by']})"
        rows.append([figure["family"], figure["set"], by_copy, by_best, judged, least, goal])
    head = ["family", "devices", "by copy", "by best", "judged", "least", "goal"]
    yield from table(head, rows)


def table_of_steps(report):
    ids = [device["device"] for device in report["devices"]]
    steps = grouped(
        report["steps"], lambda gain: (gain["step"], gain["case"], gain["from"], gain["to"])
    )
    rows = []
    for (step, case, before, after), gains in steps.items():
        by_device = {gain["device"]: f"{gain['gain']:.2f}" for gain in gains}
        rows.append(
            [step, case, f"`{before}` to `{after}`"] + [by_device.get(each, "") for each in ids]
        )
    if rows:
        yield from table(["step", "case", "variants", *ids], rows)


def read_report(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    return {name: list(report[name]) for name in ("devices", "rows", "portability", "steps")}


def joined(reports):
    """Joins reports into one. Copies are the first report's; shares are of each run's own copy."""
    whole = reports[0]
    for report in reports[1:]:
        known = {device["device"] for device in whole["devices"]}
        whole["devices"] += [each for each in report["devices"] if each["device"] not in known]
        for name in ("rows", "portability", "steps"):
            whole[name] += report[name]
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+")
    reports = []
    for path in parser.parse_args().reports:
        try:
            reports.append(read_report(path))
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"{path} holds no report of bench portability: {error!r}", file=sys.stderr)
            return 2
    report = joined(reports)
    lines = [*tables_of_rows(report), *table_of_portability(report), *table_of_steps(report)]
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
