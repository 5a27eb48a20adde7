"""Several files as one table: answers are DuckDB's, whoever decodes them, on one device and on shares of rows.

files_test.py QUERY_DRIVER PENSTOCK [--device ID] [--seed N]

A tree of Parquet files has keys in its paths, row groups of several sizes, files without rows and columns without NULLs; one of CSV
files has types that differ. Both programs run in the folder of the trees, so that paths are alike.
"""

import datetime
import os
import pathlib
import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet

from answers import difference
from driver import Driver, Tally, drivers, test_options
from oracle import Oracle

NULL = "__HIVE_DEFAULT_PARTITION__"
SALES = "sales/*/*/*.parquet"
STATEMENTS = [
    "SELECT count(*), count(s), sum(i), min(i), max(d), sum(n) FROM '{0}'",
    "SELECT year, month, count(*), sum(i), min(s) FROM '{0}' GROUP BY year, month ORDER BY year, month",
    "SELECT count(*), sum(i) FROM '{0}' WHERE year = 2023",
    "SELECT month, sum(i) FROM '{0}' WHERE year IS NULL GROUP BY month ORDER BY month",
    "SELECT sum(i) FROM '{0}' WHERE month IN ('01', '03') AND year > 2022 AND i < 500",
    "SELECT sum(i) FROM '{0}' WHERE month LIKE '0%' OR i = 17",
    "SELECT i, year, month, s FROM '{0}' WHERE i < 40 ORDER BY i, year, month, s LIMIT 50",
    "SELECT year, i FROM '{0}' WHERE year = 1999",
    "SELECT min(year), max(year), count(year), count(*) FROM '{0}'",
    "SELECT s, count(*) FROM '{0}' WHERE d >= DATE '2024-03-01' GROUP BY s ORDER BY s",
    "SELECT i + year FROM '{0}' WHERE s = 'row 3' ORDER BY 1",
    "SELECT a.year, count(*) FROM '{0}' a JOIN 'sales/year=2023/*/*.parquet' b ON a.i = b.i GROUP BY a.year ORDER BY 1",
    "SELECT count(*), sum(i) FROM 'sales/year=2023/month=01/a.parquet' WHERE month = '01'",
    "SELECT day, sum(v) FROM 'days/**/*.parquet' WHERE day >= DATE '2024-01-02' GROUP BY day ORDER BY day",
    "SELECT name, sum(v) FROM 'names/*/*.parquet' GROUP BY name ORDER BY name",
]
# Statements with options.
FUNCTIONS = [
    "SELECT count(*), count(extra), sum(i), max(n) FROM read_parquet('united/*.parquet', union_by_name = true)",
    "SELECT i, n, extra FROM read_parquet('united/*.parquet', union_by_name = true) WHERE i < 3 ORDER BY i, n",
    "SELECT extra, count(*) FROM read_parquet('united/*.parquet', union_by_name = true) GROUP BY extra ORDER BY extra",
    "SELECT count(DISTINCT filename), sum(i) FROM read_parquet(['sales/*/month=03/*', 'sales/year=2023/*/a.parquet'], filename = true)",
    "SELECT count(*) FROM read_parquet('{0}', filename = true) WHERE filename LIKE '%month=03%'",
    "SELECT year, count(*) FROM read_parquet('{0}', hive_types = {{'year': 'INTEGER'}}) GROUP BY year ORDER BY year",
    "SELECT * FROM read_parquet('sales/*/*/b.parquet', hive_partitioning = false) ORDER BY i, n LIMIT 5",
]
TEXT_STATEMENTS = [
    "SELECT i, t, k FROM read_csv('texts/*/*.csv', union_by_name = true) ORDER BY i, k",
    "SELECT count(*), sum(i), min(t), max(r), max(k) FROM 'texts/*/*.csv'",
    "SELECT k, count(*), sum(i) FROM 'texts/*/*.csv' WHERE k <> 2 GROUP BY k ORDER BY k",
    "SELECT i, t, r, k FROM 'texts/*/*.csv' ORDER BY i, k",
    "SELECT i FROM 'texts/k=1/*.csv' WHERE k = 1 ORDER BY i",
]


def sales(rng, rows, has_nulls):
    def maybe(value):
        return None if has_nulls and rng.randrange(9) == 0 else value

    first = datetime.date(2024, 1, 1)
    return pyarrow.table(
        {
            "i": pyarrow.array([rng.randrange(1000) for _ in range(rows)], pyarrow.int32()),
            "n": pyarrow.array([maybe(rng.randrange(10**6)) for _ in range(rows)], pyarrow.int64()),
            "s": pyarrow.array(
                [maybe(f"row {rng.randrange(9 if has_nulls else 2000)}") for _ in range(rows)],
                pyarrow.string(),
            ),
            "d": pyarrow.array(
                [maybe(first + datetime.timedelta(rng.randrange(90))) for _ in range(rows)],
                pyarrow.date32(),
            ),
        }
    )


def write(path, table, **options):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(table, path, **options)


def write_trees(rng):
    files = [("2023", "01"), ("2023", "02"), ("2024", "01"), ("2024", "03"), (NULL, "01")]
    for number, (year, month) in enumerate(files):
        for name, rows in (("a", 3000), ("b", 0 if number == 2 else 77)):
            write(
                f"sales/year={year}/month={month}/{name}.parquet",
                sales(rng, rows, has_nulls=number % 2 == 1),
                row_group_size=1000 if number else 640,
                use_dictionary=number != 3,
                compression="zstd" if number == 4 else "snappy",
            )
    for day in ("2024-01-01", "2024-01-02", "2024-02-29"):
        write(f"days/day={day}/x.parquet", pyarrow.table({"v": list(range(50))}))
    for name in ("a%20b", "c%2Fd", "NULL", ""):
        write(f"names/name={name}/x.parquet", pyarrow.table({"v": list(range(20))}))
    for name, table in (
        ("a", {"i": pyarrow.array([1, 2, 3], pyarrow.int32()), "n": [7, None, 9]}),
        ("b", {"extra": ["x", "y"], "i": pyarrow.array([2, 2**40], pyarrow.int64())}),
    ):
        write(f"united/{name}.parquet", pyarrow.table(table))
    for key, text in (("1", "i,t,r\n1,x,1\n2,y,2\n"), ("2", "i,t,r\n3,7,2.5\n")):
        pathlib.Path(f"texts/k={key}").mkdir(parents=True)
        pathlib.Path(f"texts/k={key}/a.csv").write_text(text)


def compare(driver, tally, oracle, statements, label=""):
    for statement in statements:
        text = statement.format(SALES)
        ours, theirs = driver.answer(text), oracle.answer(text)
        assert not theirs.error, f"{text}: {theirs.message}"
        wrong = f"{ours.error}: {ours.message}" if ours.error else difference(ours, theirs)
        tally.check(f"{driver.device}: {label}{text}", wrong)


def skipped_files(driver, tally):
    """A filter on a key leaves files out; a damaged one among them is not read."""
    path = pathlib.Path("sales/year=2024/month=03/a.parquet")
    whole = path.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    path.write_bytes(whole[:4] + b"\xff" * (len(whole) - 4 - footer) + whole[-footer:])
    for text, is_read in (
        (f"SELECT sum(i) FROM '{SALES}' WHERE year = 2023", True),
        (f"SELECT sum(i) FROM '{SALES}'", False),
    ):
        answer = driver.answer(text)
        wrong = "" if bool(answer.error) != is_read else answer.message or "no error"
        tally.check(f"{driver.device}: beside a damaged file: {text}", wrong)
    path.write_bytes(whole)


def main():
    options = test_options(seed=1)
    rng = random.Random(options.seed)
    tally = Tally()
    driver_program, penstock = os.path.abspath(options.driver), os.path.abspath(options.penstock)
    options.driver, options.penstock = driver_program, penstock
    with tempfile.TemporaryDirectory(prefix="penstock-files-") as folder:
        os.chdir(folder)
        write_trees(rng)
        oracle = Oracle(folder)
        for driver in drivers(options, folder, tally):
            compare(driver, tally, oracle, STATEMENTS + FUNCTIONS + TEXT_STATEMENTS)
            driver.set(pages="device", batch_rows=1024)
            compare(driver, tally, oracle, STATEMENTS + FUNCTIONS[3:], "pages on the device: ")
            driver.set(pages="host", batch_rows=64)
            compare(driver, tally, oracle, STATEMENTS[:4], "small batches: ")
            driver.set(pages="", batch_rows=0)
            skipped_files(driver, tally)
            shares = Driver(driver_program, folder, f"{driver.device},{driver.device}")
            compare(shares, tally, oracle, STATEMENTS[:8], "two shares: ")
            ended = shares.close()
            tally.check("the end of the shares' driver", ended)
        os.chdir("/")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
