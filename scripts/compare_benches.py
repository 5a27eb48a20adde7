#!/usr/bin/env python3
"""Times one bench by two builds of penstock, in turn, and prints the figures side by side.

    compare_benches.py BEFORE AFTER [--rounds N] [--rename OLD=NEW,...] -- BENCH [OPTIONS]

BEFORE and AFTER are penstock programs. Each round runs `BEFORE bench BENCH ...`, then AFTER's. A
case's time is the median over rounds. --rename maps parts of case names of BEFORE to AFTER's.
Prints a Markdown table: the time by each, their ratio, and the larger spread between rounds.
"""

import argparse
import json
import statistics
import subprocess
import sys


def results_of(program, bench):
    """Returns [(case, seconds)] in the order the bench prints them."""
    command = [program, "bench", *bench, "--format", "json"]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return [(f"{row['work']}: {row['name']}", row["milliseconds"] / 1e3) for row in rows]


def renamed(case, rules):
    for old, new in rules:
        case = case.replace(old, new)
    return case


def spread(times):
    return (max(times) - min(times)) / statistics.median(times)


def print_table(before, after):
    print("| case | before, ms | after, ms | after / before | spread |\n|---|---|---|---|---|")
    for case in after:
        if case not in before:
            print(f"| {case} | | {1e3 * statistics.median(after[case]):.3f} | | |")
            continue
        old, new = statistics.median(before[case]), statistics.median(after[case])
        noise = max(spread(before[case]), spread(after[case]))
        print(f"| {case} | {1e3 * old:.3f} | {1e3 * new:.3f} | {new / old:.3f} | {noise:.1%} |")
    for case in before.keys() - after.keys():
        print(f"| {case} | {1e3 * statistics.median(before[case]):.3f} | | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rename", default="")
    parser.add_argument("bench", nargs="+")
    options = parser.parse_args()
    rules = [rule.split("=") for rule in options.rename.split(",") if rule]
    before, after = {}, {}
    for _ in range(options.rounds):
        for case, seconds in results_of(options.before, options.bench):
            before.setdefault(renamed(case, rules), []).append(seconds)
        for case, seconds in results_of(options.after, options.bench):
            after.setdefault(case, []).append(seconds)
    print_table(before, after)


sys.exit(main())
