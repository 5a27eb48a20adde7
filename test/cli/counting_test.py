"""scripts/count_tests.py over results as CTest and GoogleTest write them."""

import pathlib
import subprocess
import sys
from xml.sax.saxutils import escape

from command_line import CommandLineTest, main

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "count_tests.py"

GOOGLETEST = """<testsuites><testsuite name="A">
<testcase name="Passes" classname="A" status="run" result="completed"/>
<testcase name="Waits" classname="A" status="run" result="skipped"><skipped message="/a/b.cpp:2&#x0A;one device&#x0A;only"/></testcase>
<testcase name="DISABLED_Child" classname="A" status="notrun" result="suppressed"/>
%s</testsuite></testsuites>"""
FAILURE = '<testcase name="Fails" classname="A" status="run" result="completed"><failure message="no"/></testcase>'

UNITTEST = """test_one (__main__.Signals.test_one) ... ok
test_killed (__main__.Signals.test_killed) ... skipped 'this file system has no files without a name'
%s
7 passed, %d failed
"""
TEXTS = """ok       lint           a.kc for sycl
skipped  AdaptiveCpp 64 a.kc for sycl: acpp is not installed
skipped  AdaptiveCpp 1  a.kc for sycl: acpp is not installed
"""


class Counting(CommandLineTest):
    def count(self, outputs, googletest={}):
        """`outputs`: (name, status, output) of CTest's tests; `googletest`: the XML that some left."""
        for name, text in googletest.items():
            (self.rows / f"{name}.xml").write_text(text)
        cases = "".join(
            f'<testcase name="{name}" status="{status}" time="1"><system-out>{escape(output)}</system-out></testcase>'
            for name, status, output in outputs
        )
        junit = self.folder / "junit.xml"
        junit.write_text(f"<testsuite>{cases}</testsuite>")
        ended = subprocess.run(
            [sys.executable, SCRIPT, self.rows, junit], capture_output=True, text=True
        )
        self.assertEqual(ended.stderr, "")
        return ended.returncode, ended.stdout.splitlines()

    def test_skipped_cases_are_named_with_their_reasons_before_the_counts(self):
        code, lines = self.count(
            [("host_a", "run", ""), ("cli_signals", "run", UNITTEST % ("", 0))],
            {"host_a": GOOGLETEST % ""},
        )
        self.assertEqual(
            (code, lines[-5:]),
            (
                0,
                [
                    "skipped host_a: A.Waits: one device only",
                    "skipped host_a: A.DISABLED_Child: disabled by its name; another test runs it, or a person",
                    "skipped cli_signals: test_killed: this file system has no files without a name",
                    "3 skipped",
                    "8 passed, 0 failed",
                ],
            ),
        )

    def test_checks_without_a_compiler_are_one_line_each_and_no_skipped_test(self):
        code, lines = self.count(
            [("kernel_source_a", "run", TEXTS), ("kernel_source_b", "run", TEXTS)]
        )
        self.assertEqual(
            (code, lines[-2:]),
            (
                0,
                [
                    "skipped the check AdaptiveCpp of 4 texts: acpp is not installed",
                    "2 passed, 0 failed",
                ],
            ),
        )

    def test_failures_are_named_and_end_with_1(self):
        code, lines = self.count(
            [
                ("host_a", "fail", ""),
                ("cli_b", "fail", UNITTEST % ("FAIL: test_two (x)", 1)),
                ("c", "fail", ""),
                ("d", "notrun", ""),
            ],
            {"host_a": GOOGLETEST % FAILURE},
        )
        self.assertEqual((code, lines[-1]), (1, "8 passed, 4 failed"))
        for name in (
            "host_a: A.Fails",
            "cli_b: test_two",
            "c: did not end well",
            "d: did not end well",
        ):
            self.assertTrue(any(line.startswith(f"FAILED {name}") for line in lines), name)

    def test_a_test_without_its_program_has_failed(self):
        output = "Unable to find executable: ON"
        skipped = f'<testcase name="e" status="notrun" time="0"><skipped/><system-out>{output}</system-out></testcase>'
        junit = self.folder / "junit.xml"
        junit.write_text(f"<testsuite>{skipped}</testsuite>")
        command = [sys.executable, SCRIPT, self.rows, junit]
        ended = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"FAILED e: {output}", ended.stdout)

    def test_a_script_of_python_that_skips_all_is_skipped(self):
        folder = pathlib.Path(__file__).resolve().parents[1] / "python"
        code = "import driver; print('a warning'); driver.skip_all('no NVIDIA GPU')"
        script = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True
        )
        properties = (folder / "CMakeLists.txt").read_text()
        self.assertIn(f"SKIP_RETURN_CODE {script.returncode} ", properties)
        junit = self.folder / "junit.xml"
        junit.write_text(
            '<testsuite><testcase name="a" status="run" time="0"/><testcase name="python_gpu"'
            ' status="notrun" time="0"><skipped message="SKIP_RETURN_CODE=77"/>'
            f"<system-out>{script.stdout}</system-out></testcase></testsuite>"
        )
        command = [sys.executable, SCRIPT, self.rows, junit]
        ended = subprocess.run(command, capture_output=True, text=True)
        lines = ended.stdout.splitlines()[-3:]
        self.assertEqual(
            (ended.returncode, lines),
            (0, ["skipped python_gpu: no NVIDIA GPU", "1 skipped", "1 passed, 0 failed"]),
        )

    def test_nothing_run_is_no_success(self):
        self.assertEqual(self.count([]), (1, ["slowest: ", "0 passed, 0 failed"]))


main()
