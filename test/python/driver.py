"""Runs the tests of a script over the Python package; ends with "N passed, N failed"."""

import os
import sys
import unittest

# A machine with a GPU runs the same tests there: PENSTOCK_TEST_DEVICE=cuda:0
DEVICE = os.environ.get("PENSTOCK_TEST_DEVICE", "cpu")


class _Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


SKIPPED = 77  # an exit code, as test/python/CMakeLists.txt names it to CTest


def skip_all(reason):
    print(f"skipped: {reason}\n0 passed, 0 failed")
    sys.exit(SKIPPED)


def has_gpu():
    import penstock

    return any(device["id"].startswith("cuda:") for device in penstock.devices())


def main():
    runner = unittest.TextTestRunner(stream=sys.stdout, resultclass=_Result, verbosity=2)
    result = runner.run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
