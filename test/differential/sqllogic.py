"""DuckDB's own sqllogictests, answered by Penstock over Parquet: the share that is answered, and what is not equal.

    sqllogic.py QUERY_DRIVER PENSTOCK FOLDER... [--device ID] [--list refused|failed|wrong] [--limit N]

A folder has *.test files of a checkout of DuckDB. DuckDB runs every statement of a test. It writes the tables that a query names
as Parquet files, and it answers the query; so does Penstock. Tests that need what this run lacks are left out.
"""

import argparse
import collections
import itertools
import pathlib
import re
import signal
import tempfile

import duckdb
from driver import Driver
from nested_test import difference
from oracle import values_of, with_texts

MAX_ROWS = 100_000
SECONDS_PER_STATEMENT = 20
# Words of a text that make its answer another one on each run, or that read this process.
UNSTABLE = re.compile(
    r"\b(random|uuid|gen_random_uuid|now|current_\w+|today|nextval|currval|version|pragma_\w+|duckdb_\w+|"
    r"getvariable|setseed|txid_current|read_csv\w*|read_json\w*|read_text|read_blob|glob|sniff_csv|"
    r"information_schema|pg_\w+|sqlite_\w+|query|query_table|checkpoint|test_all_types|test_vector_types|"
    r"repeat_row|which_secret|parquet_\w+)\b",
    re.IGNORECASE,
)
# Settings that change answers: Penstock has DuckDB's defaults.
SETTINGS = re.compile(
    r"\s*(set|pragma)\s+((session|global)\s+)?(default_\w*order|\w*collation|timezone|ieee_\w+|integer_division|calendar)\b",
    re.IGNORECASE,
)
ORDERED = re.compile(r"\border\s+by\b[^()]*$", re.IGNORECASE)
READING = re.compile(r"\s*(\(*\s*)*(select|with|from|values|table|pivot|unpivot)\b", re.IGNORECASE)


class Skipped(Exception):
    """A test that cannot be run here."""


def blocks_of(text):
    """Lines of a test, by blank lines."""
    block = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def loop_values(words):
    if words[0] == "loop":
        return [str(i) for i in range(int(words[2]), int(words[3]))]
    return list(itertools.chain.from_iterable(_named(word) for word in words[2:]))


def _named(word):
    integers = [
        "tinyint",
        "smallint",
        "integer",
        "bigint",
        "hugeint",
        "utinyint",
        "usmallint",
        "uinteger",
        "ubigint",
        "uhugeint",
    ]
    named = {
        "<integral>": integers,
        "<numeric>": [*integers, "float", "double"],
        "<signed>": integers[:5],
        "<unsigned>": integers[5:],
        "<alltypes>": [*integers, "float", "double", "bool", "interval", "varchar"],
    }
    return named.get(word, [word])


def commands_of(blocks):
    """(kind, text) of statements and queries, with loops written out."""
    place = 0
    while place < len(blocks):
        words = blocks[place][0].split()
        if words[0] in ("loop", "foreach"):
            end, depth = place + 1, 1
            while end < len(blocks) and depth:
                first = blocks[end][0].split()[0]
                depth += (first in ("loop", "foreach")) - (first == "endloop")
                end += 1
            rest = blocks[place][1:]
            inner = ([rest] if rest else []) + blocks[place + 1 : end - 1]
            for value in loop_values(words):
                replaced = [
                    [line.replace("${" + words[1] + "}", value) for line in block]
                    for block in inner
                ]
                yield from commands_of(replaced)
            place = end
            continue
        yield from _command(words, blocks[place])
        place += 1


def _command(words, block):
    kind = words[0]
    if kind in ("statement", "query"):
        end = block.index("----") if "----" in block else len(block)
        if "con" in " ".join(words[2:]) and kind == "statement":
            raise Skipped("several connections")
        expects_error = kind == "statement" and words[1] != "ok"
        yield ("error" if expects_error else kind, "\n".join(block[1:end]))
    elif kind == "require":
        if words[1] not in (
            "vector_size",
            "skip_reload",
            "noforcestorage",
            "parquet",
            "core_functions",
        ):
            raise Skipped("require " + words[1])
    elif kind == "halt":
        raise Skipped("halt")
    elif kind in (
        "load",
        "require-env",
        "restart",
        "concurrentloop",
        "concurrentforeach",
        "mode",
        "test-env",
        "unzip",
    ):
        raise Skipped(kind)


class Run:
    """One test: a database of DuckDB, and the files of its tables."""

    def __init__(self, driver, folder, tally):
        self.driver, self.folder, self.tally = driver, pathlib.Path(folder), tally
        self.connection = duckdb.connect()
        self.written = set()

    def run(self, path):
        for kind, text in commands_of(list(blocks_of(path.read_text(errors="replace")))):
            if "__TEST_DIR__" in text or "{DATA" in text or "data/" in text:
                raise Skipped("files of the checkout")
            if kind == "query" and READING.match(text) and not UNSTABLE.search(text):
                self.compare(path, text)
            else:
                self.execute(text)

    def execute(self, text):
        self.written.clear()
        if SETTINGS.match(text):
            return
        try:
            self.connection.execute(text)
        except duckdb.Error:
            pass

    def compare(self, path, text):
        try:
            relation = self.connection.sql(text)
            if relation is None:
                return
            types = [str(kind) for kind in relation.types]
            rows = with_texts(relation, types).to_arrow_table()
            theirs = types, [values_of(column) for column in rows.columns]
            self.write_tables(text)
        except (duckdb.Error, ValueError, TypeError, KeyError, OverflowError) as error:
            self.tally.add("not compared", path, text, str(error).split("\n")[0])
            return
        if rows.num_rows > MAX_ROWS:
            return
        self.judge(path, text, theirs)

    def judge(self, path, text, theirs):
        ours = self.driver.answer(" ".join(text.split("\n")).rstrip("; "))
        if ours.error == "crash":
            return self.tally.add("crash", path, text, ours.message)
        if ours.error:
            kind = "refused" if ours.error == "unsupported" else "failed"
            return self.tally.add(kind, path, text, ours.message)
        columns = [c.type for c in ours.columns], [c.values for c in ours.columns]
        try:
            wrong = difference(columns, theirs, in_order=bool(ORDERED.search(text)))
        except TypeError as error:
            wrong = str(error)
        if not wrong:
            return self.tally.add("equal", path, text, "")
        kind = "type" if wrong.startswith("types") else "wrong"
        return self.tally.add(kind, path, text, wrong)

    def write_tables(self, text):
        cursor = self.connection.cursor()
        names = cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'"
        ).fetchall()
        for (name,) in names:
            if name in self.written or not re.search(
                rf"\b{re.escape(name)}\b", text, re.IGNORECASE
            ):
                continue
            file = self.folder / name
            cursor.execute(f"COPY (FROM \"{name}\") TO '{file}' (FORMAT parquet)")
            self.written.add(name)


class Tally:
    def __init__(self, listed):
        self.counts, self.messages, self.listed = collections.Counter(), {}, listed

    def add(self, kind, path, text, message):
        self.counts[kind] += 1
        line = message.split("\n")[0]
        self.messages.setdefault(kind, collections.Counter())[re.sub(r"\d+", "N", line)[:110]] += 1
        if kind in self.listed or kind == "crash":
            print(f"{kind}: {path.name}\n  {text}\n  {message}\n", flush=True)

    def finish(self):
        total = sum(self.counts.values())
        for kind, count in self.counts.most_common():
            print(f"{kind}: {count} of {total}")
            for message, times in self.messages[kind].most_common(0 if kind == "equal" else 60):
                print(f"    {times} {message}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("driver")
    arguments.add_argument("penstock")
    arguments.add_argument("folders", nargs="+")
    arguments.add_argument("--device", default="cpu:0")
    arguments.add_argument("--planner", default="auto")
    arguments.add_argument("--list", action="append", default=[])
    arguments.add_argument("--limit", type=int, default=10**9)
    options = arguments.parse_args()
    paths = sorted(
        itertools.chain.from_iterable(pathlib.Path(f).rglob("*.test") for f in options.folders)
    )
    tally, skipped = Tally(options.list), collections.Counter()

    def too_long(*_):
        raise Skipped("took too long")

    signal.signal(signal.SIGALRM, too_long)
    for path in paths[: options.limit]:
        with tempfile.TemporaryDirectory() as folder:
            driver = Driver(options.driver, folder, options.device, SECONDS_PER_STATEMENT)
            driver.set(planner=options.planner)
            signal.alarm(240)
            try:
                Run(driver, folder, tally).run(path)
            except Skipped as reason:
                skipped[str(reason)] += 1
            finally:
                signal.alarm(0)
                driver.close()
    print(f"{len(paths)} tests; left out, or left at that place: {sum(skipped.values())}")
    for reason, count in skipped.most_common(12):
        print(f"    {count} {reason}")
    tally.finish()


if __name__ == "__main__":
    main()
