"""Expressions over sums of decimals, which have up to 38 digits, against DuckDB: types, values, and overflows beyond 38 digits.

wide_sums_test.py QUERY_DRIVER PENSTOCK [--device ID] [--cases 150] [--seed 1]
"""

import decimal
import pathlib
import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet
from answers import Bound, difference
from driver import Tally, drivers, test_options
from oracle import Oracle

# As TPC-H's Q14 at scale 100: its sums of four decimal places have more than 18 digits.
PROMO = (
    "100.00 * sum(CASE WHEN k LIKE 'PROMO%' THEN price * (1 - discount) ELSE 0 END)"
    " / sum(price * (1 - discount))"
)
FIXED = [
    f"SELECT {PROMO} AS promo_revenue FROM 'wide.parquet'",
    f"SELECT k, {PROMO} AS promo_revenue FROM 'wide.parquet' GROUP BY k ORDER BY k",
    f"SELECT {PROMO} AS none, sum(big) + 1 AS missing FROM 'wide.parquet' WHERE price < 0",
    "SELECT k, sum(big) AS s FROM 'wide.parquet' GROUP BY k HAVING sum(big) * 2 > 12.5 ORDER BY s - sum(price) DESC, k",
    "SELECT k, sum(sum(big)) OVER (ORDER BY k) + 0.5 AS s FROM 'wide.parquet' GROUP BY k ORDER BY k",
    "SELECT sum(big) * 1e0 AS x, CAST(sum(big) AS DECIMAL(30,1)) AS y, CAST(sum(small) AS BIGINT) AS z FROM 'wide.parquet'",
    "SELECT CAST(big AS DECIMAL(30,4)) * 10 AS x, CAST(1.5 AS DECIMAL(38,2)) AS y FROM 'wide.parquet' ORDER BY big, x LIMIT 9",
    "SELECT sum(CAST(big AS DECIMAL(20,2)) + 1) AS x FROM 'wide.parquet' WHERE CAST(big AS DECIMAL(38,3)) > 0.0005",
    "SELECT sum(big) * CAST('99999999999999999.99' AS DECIMAL(19,2)) AS x FROM 'wide.parquet' WHERE k = 'few'",
    # Products of 18 digits at most that DuckDB types as wider ones; the footer bounds `few`.
    "SELECT k, sum(small * few) AS a, sum(few * price2 + few) AS b, sum(CASE WHEN few > 3 THEN few * small ELSE 0 END) AS c"
    " FROM 'wide.parquet' GROUP BY k ORDER BY k",
    "SELECT k, sum(small * whole2) AS a, sum(CASE WHEN small > 0 THEN -price2 * small ELSE NULL END) AS b"
    " FROM 'wide.parquet' GROUP BY k ORDER BY k",
]
# `huge` has 38 digits, and values that repeat.
COLUMNS = [
    "SELECT count(huge) AS n, min(huge) AS a, max(huge) AS b, sum(huge) AS c FROM 'wide.parquet'",
    "SELECT huge, count(*) AS n, sum(price) AS s, min(big) AS b FROM 'wide.parquet' GROUP BY huge ORDER BY huge",
    "SELECT huge, k, grouping(huge, k) AS g, count(*) AS n FROM 'wide.parquet' GROUP BY ROLLUP (huge, k) ORDER BY g, huge, k",
    "SELECT huge, k, count(*) AS n FROM 'wide.parquet' GROUP BY GROUPING SETS ((), (huge), (k)) ORDER BY ALL",
    "SELECT DISTINCT huge FROM 'wide.parquet' ORDER BY huge DESC",
    "SELECT DISTINCT huge + 1 AS more, k FROM 'wide.parquet' ORDER BY more, k",
    "SELECT count(DISTINCT huge) AS n FROM 'wide.parquet'",
    "SELECT huge FROM 'wide.parquet' INTERSECT SELECT -huge FROM 'wide.parquet' ORDER BY huge",
    "SELECT huge FROM 'wide.parquet' UNION SELECT huge + 0.5 FROM 'wide.parquet' ORDER BY huge",
    "SELECT a.huge, count(*) AS n"
    " FROM 'wide.parquet' a JOIN (SELECT DISTINCT huge FROM 'wide.parquet') b ON a.huge = b.huge GROUP BY a.huge ORDER BY 1",
    "SELECT huge, big FROM 'wide.parquet' WHERE huge > 12345678901234567890.5 AND huge <> 0 ORDER BY huge DESC, big LIMIT 20",
    "SELECT count(*) AS n FROM 'wide.parquet' WHERE huge = 7 OR huge IN (0, 10000000000000000000000000000000.125)",
    "SELECT k, sum(huge) OVER (PARTITION BY huge ORDER BY big, price, small ROWS UNBOUNDED PRECEDING) AS s"
    " FROM 'wide.parquet' ORDER BY huge, big, price, small, s LIMIT 50",
    "SELECT count(*) AS n FROM 'wide.parquet' WHERE huge NOT IN (SELECT huge FROM 'wide.parquet' WHERE huge > 0)",
    "SELECT count(*) AS n FROM 'wide.parquet' WHERE huge NOT IN (SELECT huge FROM 'wide.parquet' WHERE k = 'few')",
    "SELECT count(*) AS n FROM 'wide.parquet' WHERE huge NOT IN (SELECT huge FROM 'wide.parquet' WHERE huge > 1e36)",
    "SELECT count(*) AS n FROM 'wide.parquet' a"
    " WHERE EXISTS (SELECT 1 FROM 'wide.parquet' b WHERE b.huge = a.huge AND b.price2 <> a.price2)",
    "SELECT CAST(huge AS VARCHAR) AS t, CAST(huge AS DOUBLE) AS r, round(huge, 1) AS o, huge % 7 AS m"
    " FROM 'wide.parquet' ORDER BY huge, t LIMIT 50",
]
FIXED += COLUMNS
FAULTS = [
    "SELECT CAST(sum(big) AS DECIMAL(18,2)) AS x FROM 'wide.parquet'",
    "SELECT sum(big) * 10000000000 * 10000000000 AS x FROM 'wide.parquet'",
    "SELECT sum(big) * sum(big) AS x FROM 'wide.parquet'",
    "SELECT CAST(sum(small) AS TINYINT) AS x FROM 'wide.parquet'",
]
SUMS = ["sum(big)", "sum(price)", "sum(small)", "sum(price * (1 - discount))", "sum(whole)"]
LITERALS = ["1", "0", "-7", "0.5", "100.00", "12345.678"]


def table(seed):
    """`big` is near 10^18 on both sides of zero; a group has NULLs alone there, another few rows."""
    numbers = random.Random(seed)
    rows = 2000

    def column(digits, scale, least=None, missing=0.1):
        most = 10**digits - 1
        counts = [
            None
            if numbers.random() < missing
            else numbers.randint(most * 9 // 10 if numbers.random() < 0.5 else least or -most, most)
            for _ in range(rows)
        ]
        values = [None if c is None else decimal.Decimal(c).scaleb(-scale) for c in counts]
        return pyarrow.array(values, pyarrow.decimal128(digits, scale))

    keys = [numbers.choice(["PROMO A", "PROMO B", "STANDARD", "few", None]) for _ in range(rows)]
    keys = [k if k != "few" or i < 20 else "STANDARD" for i, k in enumerate(keys)]
    big = column(18, 2).to_pylist()
    big = [None if k is None else value for k, value in zip(keys, big)]
    counts = [0, 7000, -7000, 10**34 + 125, -(10**34) - 125, 12345678901234567890123, -1, None]
    huge = [
        None if c is None else decimal.Decimal(c).scaleb(-3)
        for c in (numbers.choice(counts) for _ in range(rows))
    ]
    return pyarrow.table(
        {
            "k": keys,
            "big": pyarrow.array(big, pyarrow.decimal128(18, 2)),
            "price": column(15, 2, least=1),
            "small": column(4, 1),
            "whole": column(18, 0),
            "discount": column(2, 2, least=0),
            "huge": pyarrow.array(huge, pyarrow.decimal128(38, 3)),
            "price2": column(7, 2),
            "few": pyarrow.array(
                [numbers.choice([None, -100, 7, 100]) for _ in range(rows)], pyarrow.int64()
            ),
            "whole2": pyarrow.array(
                [numbers.randint(-(2**31), 2**31 - 1) for _ in range(rows)], pyarrow.int32()
            ),
        }
    )


def number(numbers, depth):
    if depth == 0 or numbers.random() < 0.2:
        return numbers.choice(SUMS) if numbers.random() < 0.7 else numbers.choice(LITERALS)

    def inner():
        return number(numbers, depth - 1)

    wide = f"({numbers.choice(SUMS)} {numbers.choice('+-')} {inner()})"
    return numbers.choice(
        [
            lambda: f"({wide} {numbers.choice('+-')} {inner()})",
            lambda: f"({wide} * {numbers.choice(LITERALS)})",
            lambda: f"(- {wide})",
            lambda: f"abs({wide})",
            lambda: f"{numbers.choice(['floor', 'ceil', 'round', 'trunc'])}({wide})",
            lambda: f"round({wide}, 1)",
            lambda: (
                f"{numbers.choice(['coalesce', 'greatest', 'least', 'nullif'])}({wide}, {inner()})"
            ),
            lambda: (
                f"CASE WHEN {wide} {numbers.choice(['<', '>=', '=', '<>'])} {inner()} THEN {wide} ELSE {inner()} END"
            ),
            lambda: f"CAST({wide} AS DECIMAL({numbers.choice(['38,4', '25,1', '20,0', '18,2'])}))",
            lambda: f"({wide} % {numbers.choice(['7', '0.5', '1000000.01'])})",
        ]
    )()


def statement(numbers):
    items = [f"{number(numbers, 3)} AS x", f"{number(numbers, 2)} AS y"]
    quotient = f"{number(numbers, 1)} / {number(numbers, 1)} AS q"
    # All sums in one order, so that one kernel serves all statements.
    columns = ", ".join(["k", *SUMS, *items, quotient])
    return f"SELECT {columns} FROM 'wide.parquet' GROUP BY k ORDER BY k"


def wrong_of(ours, theirs):
    """Types are equal, too. The two conversions and the division of a quotient round."""
    for mine, reference in zip(ours.columns, theirs.columns):
        if mine.type != reference.type:
            return f"column {mine.name}: type {mine.type}, DuckDB's {reference.type}"
    bounds = {
        place: Bound("function", units=4)
        for place, column in enumerate(theirs.columns)
        if column.type == "DOUBLE"
    }
    return difference(ours, theirs, bounds)


def check(driver, tally, oracle, text):
    faults = oracle.faults(text)
    assert text not in FIXED or faults is False, text
    if faults is None:
        return
    ours = driver.answer(text)
    if faults:
        wrong = (
            None if ours.error == "overflow" else f"{ours.error or 'no error'}, DuckDB overflows"
        )
    elif ours.error:
        wrong = f"{ours.error}: {ours.message}"
    else:
        wrong = wrong_of(ours, oracle.answer(text))
    tally.check(f"{driver.device}: {text}", wrong)


def main():
    options = test_options(cases=150, seed=1)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        pyarrow.parquet.write_table(table(options.seed), str(pathlib.Path(folder) / "wide.parquet"))
        oracle = Oracle(folder)
        for driver in drivers(options, folder, tally):
            numbers = random.Random(options.seed)
            for text in [statement(numbers) for _ in range(options.cases)] + FAULTS + FIXED:
                check(driver, tally, oracle, text)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
