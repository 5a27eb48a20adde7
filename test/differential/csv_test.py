"""CSV files with random habits: names, types and rows are DuckDB's, or the file is refused by name.

Usage: csv_test.py QUERY_DRIVER PENSTOCK [--cases N] [--seed N]

Python's csv module writes them. What docs/sql.md names as a difference is not made: blank lines and byte order marks before a
table stand before tables of several columns whose first name is not quoted.
"""

import argparse
import csv
import io
import pathlib
import random
import tempfile

from answers import difference
from driver import Driver, Tally
from oracle import Oracle

WORDS = [
    "x",
    "hello",
    "it's",
    'say "hi"',
    "a,b",
    "a;b",
    "a|b",
    "tab\there",
    "line\nbreak",
    "",
    "",
    " pad ",
]
WORDS += [
    "NULL",
    "NA",
    "é",
    "#tag",
    "\\",
    "a\\b",
    '"',
    "'",
    "''",
    "1,5",
    "$5",
    "00123",
    "+49",
    "nan",
    "inf",
    "-",
]
WORDS += ["true", "T", "yes", "no", "2024-01-01", "1e5", "0x1F", "日本", "x  y", 'a\\"b']
NAMES = ["id", "name", "a", "b", " c ", "A", "date", "value", "x y", "", "1"]


def date_of(random_, order, separator):
    parts = {"d": random_.randrange(1, 29), "m": random_.randrange(1, 13), "Y": 2023}
    return separator.join(f"{parts[part]:02d}" for part in order)


def made_column(random_):
    """A function that makes a value as text."""
    separator = random_.choice("/.-")
    words = random_.sample(WORDS, 4)
    number = lambda: str(random_.randrange(-1000, 1000))
    return random_.choice(
        [
            number,
            lambda: f"{random_.uniform(-10, 10):.3f}",
            lambda: random_.choice(["true", "false"]),
            lambda: random_.choice(["yes", "no", "Yes", ""]),
            lambda: f"2024-{random_.randrange(1, 13):02d}-{random_.randrange(1, 29):02d}",
            lambda: date_of(random_, "mdY", separator),
            lambda: date_of(random_, "dmY", separator),
            lambda: f"2024-01-02 {random_.randrange(24):02d}:00:{random_.randrange(60):02d}",
            lambda: str(random_.randrange(10 ** random_.randrange(1, 18))),
            lambda: f"{random_.randrange(10**5):05d}",
            lambda: random_.choice([number(), "", "", str(random_.random())]),
            lambda: random_.choice(words),
            lambda: random_.choice(words[:2] + [number()] * 5),
        ]
    )


def made_writer(random_, out):
    quoting = random_.choice(
        [csv.QUOTE_MINIMAL] * 3 + [csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_NONE]
    )
    habits = {
        "delimiter": random_.choice(",,,,;\t|"),
        "quotechar": random_.choice('"""\''),
        "lineterminator": random_.choice(["\n", "\n", "\r\n", "\r"]),
        "quoting": quoting,
    }
    if quoting == csv.QUOTE_NONE or random_.random() < 0.25:
        habits |= {"escapechar": "\\", "doublequote": random_.random() < 0.5}
    return csv.writer(out, **habits), habits["lineterminator"]


def made_file(random_):
    """A text, or None where the writer cannot write a value by its habits."""
    columns = [made_column(random_) for _ in range(random_.choice([1, 1, 2, 3, 4, 5, 7, 12]))]
    out = io.StringIO()
    writer, line_end = made_writer(random_, out)
    try:
        if random_.random() < 0.1 and len(columns) > 1:
            out.write(random_.choice(["Report of things", ""]) + line_end)
        if random_.random() < 0.8:
            writer.writerow([random_.choice(NAMES) + str(i) for i in range(len(columns))])
        for _ in range(random_.choice([1, 2, 3, 5, 10, 30, 100])):
            row = [column() for column in columns]
            writer.writerow(row[:-1] if random_.random() < 0.01 and len(row) > 1 else row)
            if random_.random() < 0.01:
                out.write(random_.choice(["", "# comment", "total"]) + line_end)
    except csv.Error:
        return None
    return out.getvalue()


def check(driver, oracle, tally, name, counts):
    statement = f"SELECT * FROM '{name}'"
    ours, theirs = driver.answer(statement), oracle.answer(statement)
    if ours.error:
        counts["refused"] += 1
        wrong = None if theirs.error or ours.error == "unsupported" else ours.message
    elif theirs.error:
        counts["only ours"] += 1
        wrong = None
    else:
        counts["equal"] += 1
        wrong = difference(ours, theirs)
    tally.check(name, wrong)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("driver")
    arguments.add_argument("penstock")
    arguments.add_argument("--cases", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    tally, counts = Tally(), {"equal": 0, "refused": 0, "only ours": 0}
    with tempfile.TemporaryDirectory(prefix="penstock-csv-") as folder:
        driver, oracle = Driver(options.driver, folder, "opencl:0"), Oracle(folder)
        for case in range(options.cases):
            text = made_file(random.Random(f"{options.seed} {case}"))
            if text is None:
                continue
            name = f"{options.seed}_{case}.csv"
            pathlib.Path(folder, name).write_bytes(text.encode())
            check(driver, oracle, tally, name, counts)
    print(counts)
    raise SystemExit(tally.finish())


main()
