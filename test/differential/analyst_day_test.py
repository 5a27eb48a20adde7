"""A day of an analyst: 84 statements over messy CSV and Parquet files, beside DuckDB.

    analyst_day_test.py QUERY_DRIVER PENSTOCK [--device ID] [--mark 1]

analyst_day.txt has a line for each: whether it is answered or refused, its area, the statement. The
test fails where an answer is not DuckDB's, and where a statement that was answered is refused. With
--mark 1 it writes down what is answered now. It runs on the first device alone: the answers of all
devices are compared elsewhere.
"""

import collections
import gzip
import pathlib
import sys
import tempfile

from answers import Bound, difference
from driver import Driver, devices, test_options
from oracle import Oracle

STATEMENTS = pathlib.Path(__file__).parent / "analyst_day.txt"
HUGE = [("BIGINT", "HUGEINT")]  # a sum inside a larger expression: docs/sql.md

TABLES = (
    """COPY (SELECT i AS id, DATE '2024-01-01' + (i * 7 % 60)::INT AS day,
        TIMESTAMP '2024-01-01 08:15:00' + INTERVAL (i * 97) MINUTE AS ts,
        CASE i % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'York' WHEN 2 THEN 'bern' ELSE 'Oslo' END AS store,
        CASE WHEN i % 11 = 0 THEN NULL ELSE (i % 5)::INT END AS qty, (i % 13) * 0.75::DOUBLE AS price,
        i % 3 <> 0 AS ok, 'n' || i AS note FROM range(60) t(i)) TO 'sales.parquet'""",
    """COPY (SELECT i AS id, CASE WHEN i % 2 = 0 THEN (100 + i)::VARCHAR ELSE 'n/a' END AS note,
        (10 + i) || '.0' || (1 + i % 9) || '.2024' AS written FROM range(12) t(i)) TO 'notes.parquet'""",
    "COPY (SELECT i AS a, i * 2 AS b FROM range(5) t(i)) TO 'wide.parquet'",
    "COPY (SELECT i AS a FROM range(3) t(i)) TO 'narrow.parquet'",
    "COPY (SELECT i AS x FROM range(4) t(i)) TO 'hive/year=2023/p.parquet'",
    "COPY (SELECT i AS x FROM range(6) t(i)) TO 'hive/year=2024/p.parquet'",
)
TEXTS = {
    "orders.csv": "id,customer,region,amount\n"
    '1,"Ames, Ann",North,10.50\n2,Bo, south ,\n3,"Cy ""C"" Cole",North,7.25\n4,Ann Arbor,,3\n'
    '5,"Ames, Ann",East,99.99\n6,Dee, south ,0.01\n7,,West,12\n',
    "stores.csv": "store,city\nnorth,Bern\nYork,York\nbern,Bern\nOslo,Oslo\n",
    "german.csv": "name;price\nBrot;3,50\nMilch;1,19\n",
    "events.jsonl": '{"kind": "view", "n": 1}\n{"kind": "buy", "n": 2}\n{"kind": "view", "n": 3}\n',
    "parts/part-1.csv": "n\n1\n2\n",
    "parts/part-2.csv": "n\n3\n",
}


def make_files(folder, connection):
    for name in ("parts", "hive/year=2023", "hive/year=2024", "ours", "theirs"):
        (folder / name).mkdir(parents=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    with gzip.open(folder / "numbers.csv.gz", "wt") as file:
        file.write("n\n" + "".join(f"{i}\n" for i in range(100)))
    for statement in TABLES:
        head, name = statement.rsplit(" TO '", 1)
        connection.execute(f"{head} TO '{folder}/{name}")


class Day:
    def __init__(self, driver, oracle, folder):
        self.driver, self.oracle, self.folder = driver, oracle, folder

    def outcome(self, statement):
        """("answered" | "refused" | "wrong", why)."""
        ours = self.driver.answer(statement.replace("OUT/", "ours/"))
        if ours.error == "unsupported":
            return "refused", ours.message.split("\n")[0]
        theirs = self.oracle.answer(statement.replace("OUT/", f"{self.folder}/theirs/"))
        if ours.error or theirs.error:
            # An unsupported feature may be another error here: files of a format, a type of
            # columns.
            return ("wrong", f"ours: {ours.message}; DuckDB's: {theirs.message}")
        wrong = self.difference(statement, ours, theirs)
        return ("wrong", wrong) if wrong else ("answered", "")

    def difference(self, statement, ours, theirs):
        if statement.startswith("SUMMARIZE"):  # DuckDB approximates these: docs/sql.md
            approximate = ("approx_unique", "q25", "q50", "q75")
            for answer in (ours, theirs):
                answer.columns = [c for c in answer.columns if c.name not in approximate]
        floats = {i: Bound("function") for i, c in enumerate(theirs.columns) if c.type == "DOUBLE"}
        wrong = difference(ours, theirs, bounds=floats, allowed_types=HUGE)
        return wrong or self.difference_of_files(statement)

    def difference_of_files(self, statement):
        """COPY: what both wrote is read by DuckDB."""
        if "OUT/" not in statement:
            return None
        name = statement.split("OUT/")[1].split("'")[0]
        path = name if "." in name else f"{name}/*/*.parquet"
        mine, reference = (
            self.oracle.answer(f"SELECT * FROM '{self.folder}/{side}/{path}' ORDER BY ALL")
            for side in ("ours", "theirs")
        )
        return mine.message or difference(mine, reference)


def main():
    options = test_options(mark=0)
    device = (options.device or devices(options.penstock))[0]
    lines = [line.split(" | ", 2) for line in STATEMENTS.read_text().splitlines()]
    counts, failed, marked = collections.Counter(), 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        oracle = Oracle(name)
        make_files(folder, oracle.connection)
        driver = Driver(options.driver, name, device)
        day = Day(driver, oracle, name)
        for expected, area, statement in lines:
            outcome, why = day.outcome(statement)
            counts[outcome] += 1
            is_worse = outcome == "wrong" or (expected == "answered" and outcome == "refused")
            failed += is_worse
            marked.append(
                " | ".join((outcome if outcome != "wrong" else expected, area, statement))
            )
            if is_worse or options.mark:
                print(f"{outcome}: {area}: {statement}\n    {why}", flush=True)
        driver.close()
    if options.mark:
        STATEMENTS.write_text("\n".join(marked) + "\n")
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("answered", "refused", "wrong")))
    print(f"{len(lines) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
