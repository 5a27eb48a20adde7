#!/usr/bin/env python3
"""Counts test cases: count_tests.py RESULTS_FOLDER CTEST_JUNIT_XML

A CTest test that left a GoogleTest XML file counts its cases; one whose output has a line "N passed, N failed" counts those;
any other counts one. A program that fails without a failed case (a crash, a time-out) counts one failure. Prints the failures,
the times of the slowest programs, and "N passed, N failed" as the last line; exits 1 unless all passed.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml


def googletest_cases(path):
    passed, failed, skipped = 0, [], 0
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            failed.append(name)
        elif case.get("result") == "skipped" or case.get("status") == "notrun" or case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def program_cases(case, results):
    name = case.get("name")
    path = results / f"{name}.xml"
    succeeded = case.get("status") == "run"
    if path.exists():
        passed, failed, skipped = googletest_cases(path)
    else:
        output = case.findtext("system-out") or ""
        line = re.findall(r"^(\d+) passed, (\d+) failed", output, re.MULTILINE)
        names = re.findall(r"^(?:FAIL|ERROR): (\S+)", output, re.MULTILINE)      # as Python's unittest names them
        passed, failures = map(int, line[-1]) if line else (1 if succeeded else 0, 0)
        failed, skipped = (names + ["(see its output)"] * failures)[:failures], 0
    if not succeeded and not failed:
        failed = ["did not end well (crash, time-out or exit code)"]
    return passed, [f"{name}: {case_name}" for case_name in failed], skipped


def main():
    results, junit = pathlib.Path(sys.argv[1]), sys.argv[2]
    cases = list(xml.parse(junit).getroot().iter("testcase"))
    passed, failed, skipped = 0, [], 0
    for case in cases:
        counts = program_cases(case, results)
        passed, failed, skipped = passed + counts[0], failed + counts[1], skipped + counts[2]
        if counts[1]:
            print(f"--- {case.get('name')}\n{(case.findtext('system-out') or '')[-4000:]}")
    slowest = sorted(cases, key=lambda case: -float(case.get("time")))[:5]
    print("slowest: " + ", ".join(f"{case.get('name')} {float(case.get('time')):.1f} s" for case in slowest))
    for name in failed:
        print(f"FAILED {name}")
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {len(failed)} failed")
    return 0 if passed and not failed else 1


sys.exit(main())
