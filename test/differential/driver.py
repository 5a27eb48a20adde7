"""query_driver (query_driver.cpp) as an object: statements in, Answers out. A crash or a hang is an answer too."""

import argparse
import collections
import json
import os
import subprocess
import tempfile
import threading

from answers import Answer, Column, difference


def use_cache_of_tests(program):
    """For a script that runs alone; CTest sets the same for every test (test/CMakeLists.txt).

    The user's cache stays as it was.
    """
    os.environ.setdefault(
        "PENSTOCK_CACHE_DIR", os.path.join(os.path.dirname(os.path.abspath(program)), "test-cache")
    )


def devices(penstock):
    """Ids of every device that `penstock devices` finds."""
    use_cache_of_tests(penstock)
    ended = subprocess.run([penstock, "devices", "--json"], capture_output=True, timeout=300)
    if ended.returncode != 0:
        raise SystemExit(f"no device: {ended.stderr.decode()}")
    listed = json.loads(ended.stdout)
    return [device["id"] for device in (listed["devices"] if isinstance(listed, dict) else listed)]


def test_options(**more):
    """The command line of a test: the driver, the program, devices, and `more` options by their defaults, numbers or words."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("driver")
    arguments.add_argument("penstock")
    arguments.add_argument("--device", action="append")
    arguments.add_argument("--shares", type=int, default=1, help="list each device so many times")
    for name, default in more.items():
        arguments.add_argument(f"--{name}", type=type(default), default=default)
    return arguments.parse_args()


def drivers(options, folder, tally):
    """A Driver for each device that was asked for, or else found; how it ended is a case too."""
    for device in options.device or devices(options.penstock):
        kind = (
            TierDriver if device == "cpu:0" and "PENSTOCK_COMPARE_TIERS" in os.environ else Driver
        )
        driver = kind(options.driver, folder, ",".join([device] * options.shares))
        yield driver
        ended = driver.close()
        if ended:
            tally.fail(device, "the driver's end: " + ended)


def check_answers(driver, tally, cases, batch_rows, label="", allowed_types=()):
    """`cases` are (statement, DuckDB's answer), `batch_rows` a function of a case's place."""
    for place, (text, theirs) in enumerate(cases):
        assert not theirs.error, f"{text}: {theirs.message}"
        driver.set(batch_rows=batch_rows(place))
        ours = driver.answer(text)
        wrong = (
            f"{ours.error}: {ours.message}"
            if ours.error
            else difference(ours, theirs, allowed_types=allowed_types)
        )
        if not wrong and ours.device != driver.device:
            wrong = f"ran on {ours.device}"
        tally.check(f"{driver.device}: {label}{text}", wrong)


class Driver:
    def __init__(self, program, folder, device="", seconds=120, environment=None):
        use_cache_of_tests(program)
        self.program, self.folder, self.device, self.seconds = (
            os.path.abspath(program),
            folder,
            device,
            seconds,
        )
        self.environment = {**os.environ, **(environment or {})}
        self.crashes = 0
        self.options = {}
        self.process = None

    def _start(self):
        self.errors = tempfile.TemporaryFile()
        arguments = [self.program] + (["--device", self.device] if self.device else [])
        self.process = subprocess.Popen(
            arguments,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=self.environment,
        )
        for name, value in self.options.items():
            self._send(f".{name} {value}")

    def _send(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer's end of file says the same

    def set(self, **options):
        """batch_rows=4096, variant="...", pages="device"; 0 and "" are the defaults. Holds until it is set again."""
        for name, value in options.items():
            if self.options.get(name, "" if name in ("variant", "pages") else 0) != value:
                self.options[name] = value
                if self.process:
                    self._send(f".{name} {value}")

    def answer(self, statement):
        if self.process is None:
            self._start()
        alarm = threading.Timer(self.seconds, self.process.kill)
        alarm.start()
        self._send(" ".join(statement.splitlines()))
        line = self.process.stdout.readline()
        hung = not alarm.is_alive()
        alarm.cancel()
        if not line.endswith(b"\n"):
            return self._crash(hung)
        answer = json.loads(line.decode(errors="surrogateescape"))
        if "error" in answer:
            return Answer(error=answer["error"], message=answer["message"])
        return Answer(
            [Column(c["name"], c["type"], c["values"]) for c in answer["columns"]],
            device=answer["device"],
            skipped=answer["skipped"],
            kernels=answer["kernels"],
        )

    def _crash(self, hung):
        self.crashes += 1
        code = self.process.wait()
        self.errors.seek(0)
        text = self.errors.read().decode(errors="replace")[-3000:]
        self.process.stdin.close()
        self.process.stdout.close()
        self.process = None
        return Answer(
            error="crash",
            message=f"no answer in {self.seconds} s" if hung else f"ended with {code}: {text}",
        )

    def close(self):
        """Ends the process. A non-zero exit code (a sanitizer's, at the end) is a crash."""
        if self.process is None:
            return None
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        code = self.process.wait()
        self.process = None
        if code != 0:
            self.crashes += 1
            self.errors.seek(0)
            return self.errors.read().decode(errors="replace")[-3000:]
        return None


class TierDriver(Driver):
    """Asks a process by each of the CPU's compilers. Answers that differ in a bit of a float are an error."""

    def __init__(self, program, folder, device):
        super().__init__(program, folder, device, environment={"PENSTOCK_CPU_COMPILER": "quick"})
        self.other = Driver(
            program, folder, device, environment={"PENSTOCK_CPU_COMPILER": "optimising"}
        )

    def set(self, **options):
        super().set(**options)
        self.other.set(**options)

    def answer(self, statement):
        quick, optimised = super().answer(statement), self.other.answer(statement)
        errors = (quick.error, quick.message), (optimised.error, optimised.message)
        if quick.error or optimised.error:
            return quick if errors[0] == errors[1] else Answer(error="tiers", message=str(errors))
        text = difference(quick, optimised)
        return Answer(error="tiers", message=text) if text else quick

    def close(self):
        return super().close() or self.other.close()


class Tally:
    """Counts cases; prints each failure as it comes and "N passed, N failed" at the end."""

    def __init__(self):
        self.passed, self.failed, self.refused = 0, 0, 0
        self.refusals = collections.Counter()

    def fail(self, name, text):
        self.failed += 1
        print(f"FAIL: {name}\n    " + text.replace("\n", "\n    "), flush=True)

    def check(self, name, wrong):
        if wrong:
            self.fail(name, wrong)
        else:
            self.passed += 1

    def refuse(self, message):
        self.refused += 1
        self.refusals[message.split("\n")[0][:100]] += 1

    def finish(self):
        for message, count in self.refusals.most_common(8):
            print(f"refused {count} times: {message}")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0
