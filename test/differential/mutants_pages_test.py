"""Parquet files with changed bytes, read as pages: an error that names the place, or the answer that DuckDB gives.

    mutants_pages_test.py QUERY_DRIVER PENSTOCK [--count 400] [--first 0] [--files 40] [--seed N] [--device ID] [--keep FOLDER]

Mutant N is the same whatever --count and --first are. 3000 are made by `--count 3000`. Statements
ask for the changed column of each. --keep keeps the files that failed.
"""

import collections
import multiprocessing
import os
import random
import sys
import tempfile

import tables
from answers import Answer, difference, sorted_rows
from driver import Tally, drivers, test_options
from oracle import Oracle
from pages_test import write
from parquet_mutants import CATEGORIES, ParquetPlaces

KINDS = ["b", "i8", "i32", "i64", "f64", "d9_4", "d15_2", "ts", "s"]
COLUMNS = [kind + suffix for kind in KINDS for suffix in ("", "n")]
ROWS = 300
CODECS = 5  # as write() goes through them; the first is none
SECONDS = 300  # for an answer; a kernel may be compiled meanwhile, beside other tests
# Codes of a file that is wrong; a changed value may overflow a sum.
FILE_ERRORS = {"corrupt", "truncated", "unsupported", "invalid", "io", "capacity", "no_memory"}
# The share of refusals for which DuckDB gives the whole file's answer: it compares few sizes and no
# checksums of pages.
MAX_NEEDLESS = 0.25


def make_files(folder, count, seed):
    """Every codec and page version; encodings, sizes and NULLs are drawn."""
    paths = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        shares = [0.0, 0.01, 0.3, 0.9, 1.0]
        table = tables.make(f"{seed}/{number}", ROWS, True, rng.choice(shares), KINDS)
        paths.append(f"whole{number}.parquet")
        write(
            table,
            os.path.join(folder, paths[-1]),
            number,
            rng,
            write_page_index=rng.random() < 0.5,
            write_page_checksum=rng.random() < 0.1,
        )
    return paths


def statements(column, category):
    """(statement with $ for the file, how many keys its rows are sorted by)."""
    kind = column.removesuffix("n")
    rows = f"{column} IS NULL OR id % 7 <> 3"
    if kind == "s":
        return [
            (f"SELECT {column}, count(*) AS n FROM $ GROUP BY 1", 1),
            (f"SELECT count({column}) AS n, sum(length({column})) AS t FROM $ WHERE {rows}", 0),
            (f"SELECT count(*) AS n, max(id) AS t FROM $ WHERE {column} > 'a'", 0),
        ]
    values = (f"SELECT id, {column} FROM $ WHERE {rows}", 0)
    if kind == "b":
        return [values, (f"SELECT count(*) AS n, max(id) AS t FROM $ WHERE {column}", 0)]
    constant = "TIMESTAMP '1997-01-01'" if kind == "ts" else "3"
    aggregates = f"count({column}) AS n, min({column}) AS a, max({column}) AS b"
    asked = [values, (f"SELECT {aggregates}, max(id) AS t FROM $ WHERE {column} > {constant}", 0)]
    # The footer answers these.
    return asked + [(f"SELECT {aggregates} FROM $", 0)] if category == "statistics" else asked


def _answer_questions(folder, pipe):
    oracle = Oracle(folder)
    while True:
        question = pipe.recv()
        try:
            answer = oracle.answer(*question)
        except UnicodeDecodeError as error:  # DuckDB does not look at every string
            answer = Answer(error="error", message=str(error))
        pipe.send(answer)


class IsolatedOracle:
    """DuckDB in a process of its own, which a broken file may end."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def answer(self, statement, sort_keys):
        if self.process is None:
            # Not a copy of this process: its threads of DuckDB and pyarrow may hold locks.
            clean = multiprocessing.get_context("forkserver")
            self.pipe, theirs = clean.Pipe()
            self.process = clean.Process(
                target=_answer_questions, args=(self.folder, theirs), daemon=True
            )
            self.process.start()
            theirs.close()
        try:
            self.pipe.send((statement, sort_keys))
            answer = self.pipe.recv() if self.pipe.poll(SECONDS) else None
        except (EOFError, ConnectionError):
            answer = None
        # An internal error of DuckDB makes its database unusable.
        if answer is None or "INTERNAL" in answer.message or "FATAL" in answer.message:
            self.close()
        return answer or Answer(error="crash", message="no answer")

    def close(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.process = None


def unnamed(message, file, place):
    """The parts of its place that an error does not name. An unreadable footer has no columns."""
    if place.category == "statistics" and "while opening" in message:
        return [] if f"'{file}'" in message else [file]
    wanted = [f"'{file}'", f"column '{place.column}'", f"row group {place.row_group}"]
    if place.page is not None and "column chunk claims" not in message:
        wanted += ["page", "byte "]
    return [word for word in wanted if word not in message]


class Judge:
    """Asks of a mutant by every way to read it, and decides."""

    def __init__(self, driver, oracle, counts):
        self.driver, self.oracle, self.counts = driver, oracle, counts

    def ask(self, statement, sort_keys, pages="device", validate=0):
        self.driver.set(pages=pages, validate=validate)
        answer = self.driver.answer(statement)
        return answer if answer.error or not sort_keys else sorted_rows(answer, sort_keys)

    def wrong(self, text, sort_keys, file, place, whole):
        """A sentence, or None. `whole` is the answer over the file before its change."""
        statement = text.replace("$", f"'{file}'")
        ours = self.ask(statement, sort_keys)
        if ours.error:
            return self._wrong_error(ours, statement, sort_keys, file, place, whole)
        if place.category == "statistics":
            return self._wrong_statistics(ours, statement, sort_keys, file, place, whole)
        return self._wrong_values(ours, statement, sort_keys, whole)

    def _wrong_error(self, ours, statement, sort_keys, file, place, whole):
        if ours.error == "unsupported" and "cannot be decoded on a device" in ours.message:
            self.counts["cannot be read as pages"] += 1
            return None
        if ours.error not in FILE_ERRORS:
            return f"{ours.error}: {ours.message}"
        missing = unnamed(ours.message, file, place)
        if missing:
            return f"the error does not name {missing}: {ours.error}: {ours.message}"
        theirs = self.oracle.answer(statement, sort_keys)
        needless = not theirs.error and difference(ours=theirs, theirs=whole) is None
        self.counts["refused as DuckDB does" if theirs.error else "refused alone"] += 1
        self.counts["needless"] += needless
        return None

    def _wrong_statistics(self, ours, statement, sort_keys, file, place, whole):
        """A wrong bound is believed, but not by --validate: values are what they were."""
        validated = self.ask(statement, sort_keys, validate=1)
        if validated.error:
            self.counts["refused by --validate"] += 1
            missing = unnamed(validated.message, file, place)
            return f"--validate does not name {missing}: {validated.message}" if missing else None
        believed = difference(ours, whole)
        self.counts["believed" if believed else "as before"] += 1
        if believed:
            return f"--validate finds nothing, and yet: {believed}"
        return difference(validated, whole)

    def _wrong_values(self, ours, statement, sort_keys, whole):
        theirs = self.oracle.answer(statement, sort_keys)
        wrong = None if theirs.error else difference(ours, theirs)
        if not theirs.error and not wrong:
            self.counts["DuckDB's answer"] += 1
            return None
        host = self.ask(statement, sort_keys, pages="host")
        if not theirs.error:
            # Statistics in a page's header, which DuckDB alone believes.
            self.counts["as before, where DuckDB differs"] += 1
            is_as_before = difference(ours, whole) is None and not host.error
            return difference(ours, host) if is_as_before else wrong
        self.counts["the host's answer, where DuckDB refuses"] += 1
        if host.error:
            return f"an answer, where DuckDB says {theirs.message}\nand the host {host.message}"
        return difference(ours, host)


class Mutants:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.files = make_files(folder, options.files, options.seed)
        self.places = [ParquetPlaces(os.path.join(folder, name)) for name in self.files]
        self.oracle, self.whole = IsolatedOracle(folder), {}

    def whole_answer(self, number, text, sort_keys):
        """DuckDB's, over the file before its change."""
        key = (number, text)
        if key not in self.whole:
            statement = text.replace("$", f"'{self.files[number]}'")
            self.whole[key] = self.oracle.answer(statement, sort_keys)
            assert not self.whole[key].error, f"{statement}: {self.whole[key].message}"
        return self.whole[key]

    def _draw_file(self, rng):
        """Every second mutant has no compression: its levels and runs can be told apart."""
        whole = rng.randrange(len(self.files))
        return whole - whole % CODECS if rng.random() < 0.5 else whole

    def make(self, number):
        """(file, place, number of the whole file); a file may lack what a category wants."""
        rng = random.Random(f"{self.options.seed} mutant {number}")
        category = CATEGORIES[number % len(CATEGORIES)]
        made = None
        while made is None:
            whole = self._draw_file(rng)
            made = self.places[whole].mutant(rng, category, COLUMNS)
        name = f"mutant{number}.parquet"
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(made[0])
        return name, made[1], whole

    def check(self, number, driver, tally, counts):
        name, place, whole = self.make(number)
        judge = Judge(driver, self.oracle, counts[place.category])
        failed = tally.failed
        for text, sort_keys in statements(place.column, place.category):
            right = self.whole_answer(whole, text, sort_keys)
            wrong = judge.wrong(text, sort_keys, name, place, right)
            tally.check(f"{driver.device}: {text}\n    {place}, of {self.files[whole]}", wrong)
        path = os.path.join(self.folder, name)
        if tally.failed > failed and self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            os.replace(path, os.path.join(self.options.keep, name))
        else:
            os.remove(path)


def finish(tally, counts):
    total = collections.Counter()
    for category, of_category in counts.items():
        print(f"{category}: " + ", ".join(f"{n} {what}" for what, n in of_category.most_common()))
        total.update(of_category)
    refusals = total["refused as DuckDB does"] + total["refused alone"]
    if total["needless"] > MAX_NEEDLESS * refusals + 10:  # few mutants say little
        tally.fail("refusals", f"{total['needless']} of {refusals} are needless")
    return tally.finish()


def main():
    options, tally = test_options(count=400, first=0, files=40, seed=1, keep=""), Tally()
    counts = {category: collections.Counter() for category in CATEGORIES}
    with tempfile.TemporaryDirectory(prefix="penstock-mutants-") as folder:
        mutants = Mutants(folder, options)
        for driver in drivers(options, folder, tally):
            driver.seconds = SECONDS
            for number in range(options.first, options.first + options.count):
                mutants.check(number, driver, tally, counts)
        mutants.oracle.close()
    sys.exit(finish(tally, counts))


if __name__ == "__main__":
    main()
