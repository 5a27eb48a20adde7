"""Functions of strings that are computed row by row, against DuckDB: of several columns, and casts to VARCHAR.

string_rows_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import datetime
import decimal
import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet

import strings_test
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

ROWS = 3000
TYPES = ("i", "big", "small", "u", "flag", "d", "price", "whole", "day", "moment", "f")


def make_table(seed):
    rng = random.Random(seed)
    maybe = lambda value: None if rng.random() < 0.1 else value
    text = lambda: rng.choice(strings_test.TEXTS)
    reals = (0.0, -0.0, 1.5, 0.1, 1e20, -1e-7, 123456789.125, 1e16, 5e-324, 1.7976931348623157e308)
    of = lambda make: [maybe(make()) for _ in range(ROWS)]
    day = lambda: datetime.date(1900, 1, 1) + datetime.timedelta(days=rng.randrange(90000))
    moment = lambda: (
        datetime.datetime(1970, 1, 1)
        + datetime.timedelta(microseconds=rng.choice([0, 1, 1000, 1500000, rng.randrange(10**15)]))
    )
    money = lambda digits: decimal.Decimal(rng.randrange(-(10**6), 10**6)).scaleb(-digits)
    columns = {
        "s": (of(text), pyarrow.string()),
        "t": (of(text), pyarrow.string()),
        "k": ([rng.randrange(20) for _ in range(ROWS)], pyarrow.int32()),
        "i": (of(lambda: rng.randrange(-999, 999)), pyarrow.int32()),
        "big": (of(lambda: rng.choice([2**63 - 1, -(2**63), 0, 7])), pyarrow.int64()),
        "small": (of(lambda: rng.randrange(-128, 128)), pyarrow.int8()),
        "u": (of(lambda: rng.choice([2**64 - 1, 0, 5])), pyarrow.uint64()),
        "flag": (of(lambda: rng.random() < 0.5), pyarrow.bool_()),
        "d": (of(lambda: rng.choice(reals)), pyarrow.float64()),
        "f": (of(lambda: rng.choice([0.5, 0.1, 1e10, -3.25])), pyarrow.float32()),
        "price": (of(lambda: money(2)), pyarrow.decimal128(15, 2)),
        "whole": (of(lambda: money(0)), pyarrow.decimal128(9, 0)),
        "day": (of(day), pyarrow.date32()),
        "moment": (of(moment), pyarrow.timestamp("us")),
    }
    return pyarrow.table({name: pyarrow.array(*column) for name, column in columns.items()})


# All columns that tell rows apart.
ORDER = "k, i, big, small, u, d, price, day, moment"
WINDOW = f"row_number() OVER (PARTITION BY s || t ORDER BY {ORDER})"


def statements():
    for column in TYPES:
        yield f"SELECT CAST({column} AS VARCHAR) AS x FROM 'rows.parquet'"
        yield f"SELECT {column}::VARCHAR AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x, c"
        yield f"SELECT s || '-' || {column} AS x FROM 'rows.parquet' WHERE k = 3"
        both = f"concat({column}, s, NULL, 7) AS x, concat_ws(', ', t, {column}, s) AS y"
        yield f"SELECT {both} FROM 'rows.parquet' WHERE k < 5"
        yield f"SELECT count(*) AS c, max(length({column}::VARCHAR)) AS n FROM 'rows.parquet' WHERE {column}::VARCHAR LIKE '%1%'"
    # Without %n, for which DuckDB 2.0.0 writes bytes that are no text.
    formats = ("%Y-%m-%d %H:%M:%S.%f", "%a %A %w %u %b %B %p %I", "%y %-y %j %-j %U %W %G %V")
    for text in (*formats, "%-d/%-m %-H:%-M:%-S", "100%% %g%z%Z", "%c|%x|%X", "no date"):
        yield f"SELECT strftime(day, '{text}') AS x, strftime('{text}', moment) AS y FROM 'rows.parquet'"
        yield f"SELECT strftime(day, '{text}') AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x"
    for day in ("0044-03-15 (BC)", "12345-06-07", "0044-01-02", "infinity", "-infinity"):
        yield f"SELECT strftime(DATE '{day}', '{formats[2]} %Y %x') AS x FROM 'rows.parquet' LIMIT 1"
    yield from (
        "SELECT s || t AS x, count(*) AS c, sum(k) AS n FROM 'rows.parquet' GROUP BY x ORDER BY x",
        "SELECT count(DISTINCT s || t) AS c, min(s || t) AS a, max(t || s) AS b FROM 'rows.parquet'",
        "SELECT k, count(DISTINCT concat(s, t)) AS c FROM 'rows.parquet' GROUP BY k ORDER BY k",
        "SELECT k, max(length(s || t)) FILTER (WHERE i > 0) AS c FROM 'rows.parquet' GROUP BY k ORDER BY k",
        "SELECT s, t FROM 'rows.parquet' WHERE s || t = t || s AND k < 9",
        "SELECT count(*) AS c FROM 'rows.parquet' WHERE s < t OR contains(s, t)",
        "SELECT count(*) AS c FROM 'rows.parquet' WHERE starts_with(s, t) AND k <> 4 AND upper(s) <> 'A'",
        "SELECT s LIKE t AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x",
        "SELECT substring(s, k, 3) AS x, left(s, k) AS y, right(t, k) AS z FROM 'rows.parquet' WHERE k < 6",
        "SELECT replace(s, t, '*') AS x, position(t IN s) AS y FROM 'rows.parquet' WHERE k = 7",
        "SELECT upper(CASE WHEN k > 5 THEN s ELSE t END) AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x",
        "SELECT lower(coalesce(s, t)) AS x FROM 'rows.parquet' WHERE k = 2",
        "SELECT s || k AS x FROM 'rows.parquet' WHERE k > 17 ORDER BY x LIMIT 20",
        "SELECT s || t AS x FROM 'rows.parquet' WHERE k > 17 ORDER BY t || s, x LIMIT 20",
        "SELECT DISTINCT k || ':' || flag AS x FROM 'rows.parquet' ORDER BY x",
        f"SELECT k, s || t AS x, {WINDOW} AS n FROM 'rows.parquet' WHERE k < 2 ORDER BY k, x, n",
        "SELECT year(day)::VARCHAR || '-' || month(day)::VARCHAR AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x LIMIT 50",
        "SELECT k, max(k)::VARCHAR || '!' AS x FROM 'rows.parquet' GROUP BY k HAVING count(*)::VARCHAR <> '1' ORDER BY k",
        "SELECT 'a' || 1 AS x, CAST(1.50 AS VARCHAR) AS y, CAST(true AS VARCHAR) AS z FROM 'rows.parquet' LIMIT 1",
        "SELECT a.s || b.t AS x, count(*) AS c FROM 'rows.parquet' a JOIN 'rows.parquet' b ON a.k = b.i GROUP BY x ORDER BY x",
        "SELECT count(*) AS c FROM 'rows.parquet' a JOIN 'rows.parquet' b ON a.s || a.k = b.s || b.i",
        "SELECT count(*) AS c, count(b.k) AS d FROM 'rows.parquet' a LEFT JOIN 'rows.parquet' b ON a.k::VARCHAR = b.i::VARCHAR",
        "SELECT count(*) AS c FROM 'rows.parquet' WHERE s || k IN (SELECT t || i FROM 'rows.parquet')",
        "SELECT count(*) AS c FROM 'rows.parquet' a JOIN 'rows.parquet' b ON a.k = b.i WHERE a.s || b.t = b.s || a.t",
    )


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-string-rows-") as folder:
        pyarrow.parquet.write_table(make_table(3), f"{folder}/rows.parquet", row_group_size=1100)
        oracle = Oracle(folder)
        cases = [(text, oracle.answer(text)) for text in statements()]
        for driver in drivers(options, folder, tally):
            check_answers(driver, tally, cases, lambda _: 0)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
