#!/usr/bin/env python3
"""Counts test cases: count_tests.py RESULTS_FOLDER CTEST_JUNIT_XML

A CTest test that left a GoogleTest XML file counts its cases. A test with a line "N passed, N
failed" in its output counts those. Any other counts one. A program that fails without a failed case
(a crash, a time-out) counts one failure. Prints the failures, the times of the slowest programs, what
was skipped and why, and "N passed, N failed" as the last line. Exits 1 unless all passed.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

# The result of one program: `skipped` has (case, reason), `unchecked` (check, reason) of checks
# without a compiler on this machine.
Counts = collections.namedtuple("Counts", "passed failed skipped unchecked")


def googletest_reason(case):
    element = case.find("skipped")
    lines = (element.get("message") or "").splitlines() if element is not None else []
    if (case.get("name") or "").startswith("DISABLED_"):
        return "disabled by its name; another test runs it, or a person"
    return " ".join(lines[1:]) or "no reason was given"  # the first line is file and line


def googletest_cases(path):
    passed, failed, skipped = 0, [], []
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            failed.append(name)
        elif (
            case.get("result") == "skipped"
            or case.get("status") == "notrun"
            or case.find("skipped") is not None
        ):
            skipped.append((name, googletest_reason(case)))
        else:
            passed += 1
    return Counts(passed, failed, skipped, [])


def printed_cases(output, succeeded):
    line = re.findall(r"^(\d+) passed, (\d+) failed", output, re.MULTILINE)
    names = re.findall(
        r"^(?:FAIL|ERROR): (\S+)", output, re.MULTILINE
    )  # as Python's unittest names them
    passed, failures = map(int, line[-1]) if line else (1 if succeeded else 0, 0)
    failed = (names + ["(see its output)"] * failures)[:failures]
    skipped = re.findall(r"""^(\S+) \(.*\.\.\. skipped ['"](.*)['"]$""", output, re.MULTILINE)
    unchecked = re.findall(
        r"^skipped  (\S+)[^:\n]*: (.+)$", output, re.MULTILINE
    )  # as check_kernels.py prints it
    return Counts(passed, failed, skipped, unchecked)


def program_cases(case, results):
    name = case.get("name")
    path = results / f"{name}.xml"
    if case.find("skipped") is not None:  # ended with its SKIP_RETURN_CODE
        output = (case.findtext("system-out") or "").strip()
        # A library of the test may print lines before the reason, and the driver prints counts after.
        found = re.search(r"^skipped: (.*)", output, re.MULTILINE)
        reason = found[1] if found else output
        # CTest calls a test without its program skipped, too.
        if reason.startswith("Unable to find executable"):
            return Counts(0, [f"{name}: {reason}"], [], [])
        return Counts(0, [], [(name, reason)], [])
    succeeded = case.get("status") == "run"
    counts = (
        googletest_cases(path)
        if path.exists()
        else printed_cases(case.findtext("system-out") or "", succeeded)
    )
    failed = counts.failed
    if not succeeded and not failed:
        failed = ["did not end well (crash, time-out or exit code)"]
    return counts._replace(
        failed=[f"{name}: {word}" for word in failed],
        skipped=[(f"{name}: {word}", why) for word, why in counts.skipped],
    )


def print_skipped(counts):
    for name, reason in counts.skipped:
        print(f"skipped {name}: {reason}")
    for (check, reason), times in sorted(collections.Counter(counts.unchecked).items()):
        print(f"skipped the check {check} of {times} text{'' if times == 1 else 's'}: {reason}")
    if counts.skipped:
        print(f"{len(counts.skipped)} skipped")


def main():
    results, junit = pathlib.Path(sys.argv[1]), sys.argv[2]
    cases = list(xml.parse(junit).getroot().iter("testcase"))
    total = Counts(0, [], [], [])
    for case in cases:
        counts = program_cases(case, results)
        total = Counts(*(before + more for before, more in zip(total, counts)))
        if counts.failed:
            print(f"--- {case.get('name')}\n{(case.findtext('system-out') or '')[-4000:]}")
    slowest = sorted(cases, key=lambda case: -float(case.get("time")))[:5]
    print(
        "slowest: "
        + ", ".join(f"{case.get('name')} {float(case.get('time')):.1f} s" for case in slowest)
    )
    for name in total.failed:
        print(f"FAILED {name}")
    print_skipped(total)
    print(f"{total.passed} passed, {len(total.failed)} failed")
    return 0 if total.passed and not total.failed else 1


sys.exit(main())
