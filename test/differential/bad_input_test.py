"""Files cut short and with bits flipped, wrong statements, broken caches: a clear error or a right answer, and never a crash.

    bad_input_test.py QUERY_DRIVER PENSTOCK [--seed N] [--flips N]

Thousands of statements go through one process of the driver; what only a whole process shows (exit codes, files left behind, the
cache) goes through the program.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading


import tables
from answers import difference
from driver import Driver, Tally
from oracle import Oracle

KINDS = ["b", "i8", "i32", "i64", "u16", "f64", "d15_2", "d9_4", "dt", "ts", "s"]
# Every column once computed with and once carried; strings as codes and as bytes. One of the two is asked of each broken file.
STATEMENTS = [
    "SELECT * FROM '{}'",
    "SELECT count(*), count(sn), sum(i32n), sum(i64), max(i8n), min(u16), max(f64n), sum(d15_2), max(d9_4n), min(dtn), max(ts), "
    "min(b) FROM '{}' WHERE s <> 'a'",
]
CODES = {
    "invalid",
    "unsupported",
    "corrupt",
    "truncated",
    "overflow",
    "capacity",
    "no_memory",
    "io",
}


class BrokenFiles:
    def __init__(self, folder, tally, driver, oracle, rng):
        self.folder, self.tally, self.driver, self.oracle, self.rng = (
            folder,
            tally,
            driver,
            oracle,
            rng,
        )
        self.number = 0
        self.counts = {"refused": 0, "right": 0, "as DuckDB": 0, "other values": 0}

    def ask(self, whole, broken, ending, what, may_answer):
        """The answer over the broken bytes must be an error that names the file; or right, where that is possible at all."""
        self.number += 1
        statement = STATEMENTS[self.number % 2]
        name = f"broken{self.number}{ending}"
        (self.folder / name).write_bytes(broken)
        ours = self.driver.answer(statement.format(name))
        right = whole[statement]
        # A flipped bit in a column's name makes another name.
        if ours.error in CODES and (
            name in ours.message or ours.error == "overflow" or "not found in FROM" in ours.message
        ):
            self.counts["refused"] += 1
            self.tally.passed += 1
        elif ours.error:
            self._keep(name, f"{what}: {ours.error}: {ours.message}")
        elif difference(ours, right) is None:
            self.counts["right"] += 1
            self.tally.check(
                what, None if may_answer else "a file cut short was read as if it were whole"
            )
        elif not may_answer:
            self._keep(name, f"{what}: a wrong answer")
        else:
            # A flipped value is a value like others: no reader can know, unless the page has a checksum, which is optional.
            theirs = self.oracle.answer(statement.format(name)) if ending == ".parquet" else None
            self.counts[
                "as DuckDB"
                if theirs and not theirs.error and difference(ours, theirs) is None
                else "other values"
            ] += 1
            self.tally.passed += 1
        (self.folder / name).unlink()

    def _keep(self, name, text):
        kept = pathlib.Path(tempfile.gettempdir()) / f"penstock-{os.getpid()}-{name}"
        kept.write_bytes((self.folder / name).read_bytes())
        self.tally.fail(f"{kept} (kept)", text)

    def flips(self, whole, content, ending, count, first=0):
        for _ in range(count):
            broken = bytearray(content)
            for _ in range(self.rng.choice([1, 1, 1, 2, 8])):
                broken[self.rng.randrange(first, len(content))] ^= 1 << self.rng.randrange(8)
            self.ask(whole, bytes(broken), ending, "bits flipped", True)

    def cuts(self, whole, content, ending, may_answer):
        lengths = {0, 1, 3, 4, 5, 8, 11, 12, 13} | {len(content) - n for n in (1, 4, 7, 8, 9, 12)}
        lengths |= {self.rng.randrange(len(content)) for _ in range(60)}
        for length in sorted(n for n in lengths if 0 <= n < len(content)):
            self.ask(
                whole,
                content[:length],
                ending,
                f"cut to {length} of {len(content)} bytes",
                may_answer,
            )

    def splices(self, whole, content, ending, count):
        """Bytes left out, doubled, or overwritten by others of the same file."""
        for _ in range(count):
            start, length = (
                self.rng.randrange(len(content)),
                self.rng.choice([1, 2, 4, 16, 100]),
            )
            part = content[start : start + length]
            place = self.rng.randrange(len(content))
            broken = [
                content[:start] + content[start + length :],
                content[:start] + part + content[start:],
                content[:place] + part + content[place + len(part) :],
                content[:place] + b"\xff" * length + content[place + length :],
            ]
            self.ask(whole, self.rng.choice(broken), ending, "bytes moved", True)


def broken_files(folder, tally, program, seed, flips):
    folder = pathlib.Path(folder)
    driver, oracle, rng = (
        Driver(program, folder, seconds=60),
        Oracle(folder),
        random.Random(seed),
    )
    table = tables.make("broken", 400, False, kinds=KINDS)
    work = BrokenFiles(folder, tally, driver, oracle, rng)
    tables.write_parquet(table, f"{folder}/whole.parquet")
    whole = {s: oracle.answer(s.format("whole.parquet")) for s in STATEMENTS}
    for statement in STATEMENTS:
        ours = driver.answer(statement.format("whole.parquet"))
        tally.check(
            f"whole.parquet: {statement}",
            ours.message if ours.error else difference(ours, whole[statement]),
        )
    for layout in range(4):
        path = f"{folder}/layout{layout}.parquet"
        tables.write_parquet(table, path, seed=layout)
        content = pathlib.Path(path).read_bytes()
        footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
        work.cuts(whole, content, ".parquet", False)
        work.flips(whole, content, ".parquet", flips // 8)
        work.flips(
            whole, content, ".parquet", flips // 8, footer
        )  # where lengths, types and offsets stand
        work.splices(whole, content, ".parquet", flips // 8)
    for ending in (".arrow", ".arrows"):
        tables.write(table, f"{folder}/whole{ending}")
        content = pathlib.Path(f"{folder}/whole{ending}").read_bytes()
        # A stream may end between two messages: shorter, and well formed.
        work.cuts(whole, content, ending, ending == ".arrows")
        work.flips(whole, content, ending, flips // 4)
        work.flips(whole, content, ending, flips // 8, len(content) - 1500)
        work.splices(whole, content, ending, flips // 8)
    print("broken files: " + ", ".join(f"{count} {name}" for name, count in work.counts.items()))
    tally.check(
        "some broken files are refused",
        None if work.counts["refused"] > 50 else "hardly any was noticed",
    )
    ended = driver.close()
    if ended:
        tally.fail("driver", "its end: " + ended)


def hostile_statements(folder, tally, program):
    """Wrong in name, type or shape: an error that points at the place, the same process answering on."""
    driver = Driver(program, folder, seconds=60)
    deep = "(" * 300 + "i32" + " + 1)" * 300
    cases = [
        ("SELECT prize FROM 'whole.parquet'", "prize"),
        ("SELECT sum(s) FROM 'whole.parquet'", "VARCHAR"),
        ("SELECT s + 1 FROM 'whole.parquet'", "VARCHAR"),
        ("SELECT i32 FROM 'whole.parquet' WHERE s", "WHERE"),
        ("SELECT i32 FROM 'whole.parquet' WHERE dt = 'not a date'", "not a date"),
        ("SELECT i32 FROM 'whole.parquet' GROUP BY i64", "GROUP BY"),
        ("SELECT abs(DISTINCT i32) FROM 'whole.parquet'", "DISTINCT"),
        ("SELECT nothing(i32) FROM 'whole.parquet'", "nothing"),
        ("SELECT i32 FRM 'whole.parquet'", "^"),
        ("", ""),
        ("SELECT", ""),
        (";;;", ""),
        ("\x01\x02", ""),
        ("SELECT i32 FROM 'whole.parquet' LIMIT -1", "LIMIT"),
        ("DROP TABLE lineitem", ""),
        ("SELECT 1 FROM 'absent.parquet'", "absent.parquet"),
        ("SELECT i32 FROM 'whole.parquet'; SELECT 1", ""),
        ("SELECT 'unclosed FROM 'whole.parquet'", ""),
        ("SELECT * FROM ''", ""),
        ("SELECT * FROM '/'", ""),
        ("SELECT * FROM '/dev/zero'", "/dev/zero"),
        ("SELECT * FROM '/dev/null'", "/dev/null"),
        ("SELECT * FROM 'absent*.parquet'", "absent*.parquet"),
        ("SELECT i32 // 0 FROM 'whole.parquet'", "zero"),
        ("SELECT i32 + 2147483647 FROM 'whole.parquet'", "i32"),
        ("SELECT sum(s) FROM 'whole.parquet'", "sum"),
        ("SELECT s SIMILAR TO 'a%' ESCAPE '!' FROM 'whole.parquet'", "SIMILAR TO"),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000 + " FROM 'whole.parquet'", ""),
        ("SELECT " + "-" * 1 + "(" * 20000, ""),
    ]
    for statement, word in cases:
        ours = driver.answer(statement)
        wrong = (
            None
            if ours.error
            and ours.error not in ("crash", "internal", "compile", "device_lost")
            and word in ours.message
            else f"{ours.error or 'answered'}: {ours.message}; expected an error with {word!r}"
        )
        tally.check(statement[:100], wrong)
    for statement in (
        f"SELECT {deep} FROM 'whole.parquet'",
        "SELECT "
        + ", ".join(f"i32 + {i}::BIGINT AS c{i}" for i in range(300))
        + " FROM 'whole.parquet'",
        "SELECT count(*) FROM 'whole.parquet' WHERE i32 IN ("
        + ", ".join(map(str, range(3000)))
        + ")",
    ):
        ours = driver.answer(statement)
        tally.check(
            statement[:100],
            f"{ours.error}: {ours.message[:500]}"
            if ours.error in ("crash", "internal", "compile", "device_lost")
            else None,
        )
    ours = driver.answer("SELECT count(*) FROM 'whole.parquet'")
    tally.check(
        "the process answers after all these",
        ours.message if ours.error or ours.columns[0].values != [400] else None,
    )
    if driver.crashes:
        tally.fail("hostile statements", f"{driver.crashes} crashes")
    driver.close()


class CommandLine:
    def __init__(self, penstock, folder, tally):
        self.penstock, self.folder, self.tally = penstock, pathlib.Path(folder), tally
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.environment.pop("PENSTOCK_CACHE_DIR", None)
        self.environment["POCL_CACHE_DIR"] = str(
            self.folder / "pocl"
        )  # the CPU compiler's own, which is not ours to mend

    def run(self, *arguments, **changes):
        return subprocess.run(
            [self.penstock, "query", *arguments],
            cwd=self.folder,
            capture_output=True,
            timeout=300,
            env={**self.environment, **changes},
        )

    def fails(self, name, ended, *words):
        error = ended.stderr.decode(errors="replace")
        wrong = None
        if ended.returncode not in (1, 2):
            wrong = f"exit code {ended.returncode}: {error[-500:]}"
        elif ended.stdout or not error.strip() or any(word not in error for word in words):
            wrong = f"stdout {ended.stdout[:200]!r}, stderr {error[-500:]!r}; expected {words}"
        self.tally.check(name, wrong)

    def answers(self, name, ended, right):
        self.tally.check(
            name,
            (
                None
                if ended.returncode == 0 and ended.stdout == right
                else f"exit code {ended.returncode}, {ended.stdout[:200]!r}: {ended.stderr.decode()[-500:]}"
            ),
        )

    def leaves_nothing(self, name, folder):
        left = os.listdir(folder)
        self.tally.check(name, f"left behind: {left}" if left else None)


def command_line(folder, tally, penstock):
    line = CommandLine(penstock, folder, tally)
    content = (line.folder / "whole.parquet").read_bytes()
    outputs = line.folder / "outputs"
    outputs.mkdir()
    rng = random.Random(5)
    for place in range(6):
        broken = (
            bytearray(content) if place % 2 else bytearray(content[: rng.randrange(len(content))])
        )
        if place % 2:  # the footer's beginning: no reader can miss it
            footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
            broken[footer : footer + 16] = bytes(16)
        (line.folder / "bad.parquet").write_bytes(broken)
        ended = line.run(
            "SELECT * FROM 'bad.parquet'",
            "--output",
            f"{outputs}/rows{['.csv', '.json', '.parquet', '.arrow'][place % 4]}",
        )
        line.fails(f"broken file {place}", ended, "bad.parquet")
        line.leaves_nothing("no partial output file", outputs)
    line.fails(
        "a fault half way",
        line.run(
            "SELECT 1 // nullif(id, 399) // (id - 300) FROM 'whole.parquet'",
            "--output",
            f"{outputs}/fault.csv",
        ),
    )
    line.leaves_nothing("no partial output file after a fault", outputs)
    line.fails(
        "no such column",
        line.run("SELECT prize FROM 'whole.parquet'", "--output", f"{outputs}/a.csv"),
        "prize",
    )
    line.fails(
        "no such folder",
        line.run("SELECT id FROM 'whole.parquet'", "--output", f"{outputs}/none/a.csv"),
        "none",
    )
    line.fails(
        "no such ending",
        line.run("SELECT id FROM 'whole.parquet'", "--output", f"{outputs}/a.xls"),
        ".xls",
    )
    line.leaves_nothing("no partial output file of wrong usage", outputs)
    for selector in (
        "abacus",
        "cuda:99",
        "opencl:-1",
        "opencl:99999999999999999999",
        "opencl:",
        "opencl:0x",
        "cpu:0:0",
        "\t",
        "'; DROP",
    ):
        line.fails(
            f"device {selector!r}",
            line.run("SELECT count(*) FROM 'whole.parquet'", "--device", selector),
        )

    statement = "SELECT sum(i64n) AS s, count(*) AS n FROM 'whole.parquet' WHERE i32 > 5"
    first = line.run(statement, "--format", "csv")
    tally.check(
        "the whole file",
        None
        if first.returncode == 0 and first.stdout.startswith(b"s,n\n")
        else first.stderr.decode(),
    )
    cached = [path for path in (line.folder / "cache" / "penstock").rglob("*") if path.is_file()]
    tally.check("the cache has files", None if cached else "the test below would test nothing")
    for name, spoil in (
        ("empty", lambda data: b""),
        ("cut", lambda data: data[: len(data) // 2]),
        ("cut at the end", lambda data: data[:-1]),
        ("noise", lambda data: random.Random(3).randbytes(len(data))),
        (
            "a bit flipped in the middle",
            lambda data: (
                data[: len(data) // 2]
                + bytes([data[len(data) // 2] ^ 16])
                + data[len(data) // 2 + 1 :]
            ),
        ),
    ):
        for path in (line.folder / "cache" / "penstock").rglob("*"):
            if path.is_file() and path.stat().st_size:
                path.write_bytes(spoil(path.read_bytes()))
        line.answers(f"cache files {name}", line.run(statement, "--format", "csv"), first.stdout)
    (line.folder / "file").write_text("not a folder")
    line.answers(
        "a cache folder that cannot be made",
        line.run(statement, "--format", "csv", XDG_CACHE_HOME=str(line.folder / "file")),
        first.stdout,
    )
    line.answers(
        "a cache folder that cannot be written",
        line.run(statement, "--format", "csv", XDG_CACHE_HOME="/proc"),
        first.stdout,
    )
    results = []
    threads = [
        threading.Thread(
            target=lambda: results.append(
                line.run(statement, "--format", "csv", XDG_CACHE_HOME=str(line.folder / "shared"))
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ended in results:
        line.answers("four processes fill one cache", ended, first.stdout)
    # The compiler cannot write what it needs: a kernel that does not compile, or no device; either is said.
    ended = line.run(
        statement,
        "--format",
        "csv",
        XDG_CACHE_HOME=str(line.folder / "other"),
        POCL_CACHE_DIR="/proc/none",
        TMPDIR="/proc/none",
    )
    if ended.returncode == 0:
        line.answers("a compiler without a folder", ended, first.stdout)
    else:
        line.fails("a compiler without a folder", ended)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("driver")
    arguments.add_argument("penstock")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--flips", type=int, default=320)
    options = arguments.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-bad-") as folder:
        print(f"seed {options.seed}")
        broken_files(folder, tally, options.driver, options.seed, options.flips)
        hostile_statements(folder, tally, options.driver)
        command_line(folder, tally, os.path.abspath(options.penstock))
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
