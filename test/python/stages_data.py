"""Tables and statements that the tests of shared rows have in common, and how rows are compared."""

import decimal
import math
import os
import sys

import numpy
import pyarrow

# DuckDB, which plans some of the aggregates, is in the environment of this Python.
os.environ.setdefault("VIRTUAL_ENV", sys.prefix)

ROWS = 1500
SKEWED_SHARE = 0.6  # of the rows have one key


def _with_nulls(values, random, type_=None, share=0.08):
    is_null = random.random(len(values)) < share
    return pyarrow.array([None if n else v for v, n in zip(values, is_null)], type_)


def facts(random, rows=ROWS):
    """Keys of many types, one of them frequent; NULLs, -0.0 and NaN among them."""
    skewed = numpy.where(
        random.random(rows) < SKEWED_SHARE, 7, random.integers(0, 40, rows)
    ).tolist()
    reals = random.choice([0.0, -0.0, float("nan"), 1.5, -2.25, 1e300], rows).tolist()
    cents = [decimal.Decimal(int(v)).scaleb(-2) for v in random.integers(-(10**8), 10**8, rows)]
    days = random.integers(18000, 18030, rows).tolist()
    return pyarrow.table(
        {
            "g": _with_nulls(skewed, random, pyarrow.int32()),
            "k": pyarrow.array(random.integers(0, 60, rows), pyarrow.int64()),
            "Small": pyarrow.array(random.integers(-5, 5, rows), pyarrow.int8()),
            "r": _with_nulls(reals, random, pyarrow.float64()),
            "x": pyarrow.array(random.random(rows) * 100),
            "d": _with_nulls(cents, random, pyarrow.decimal128(15, 2)),
            "s": _with_nulls([f"s{v % 11}" if v % 11 else "" for v in skewed], random),
            "b": _with_nulls((random.random(rows) < 0.5).tolist(), random, pyarrow.bool_()),
            "day": pyarrow.array(days, pyarrow.int32()).cast(pyarrow.date32()),
        }
    )


def towns(random, rows=90):
    """A table to join: its keys occur twice at times, and have other types."""
    keys = random.integers(0, 70, rows).tolist()
    tenths = [decimal.Decimal(v * 10).scaleb(-1) for v in keys]
    return pyarrow.table(
        {
            "k": _with_nulls(keys, random, pyarrow.int16()),
            "kd": pyarrow.array(tenths, pyarrow.decimal128(9, 1)),
            "kr": pyarrow.array([float(v) for v in keys]),
            "s": [f"s{v % 13}" for v in keys],
            "r": random.choice([0.0, -0.0, float("nan"), 1.5, 4.0], rows),
            "since": pyarrow.array(random.integers(18000, 18040, rows) * 86_400_000_000).cast(
                pyarrow.timestamp("us")
            ),
            "size": pyarrow.array(random.integers(0, 1000, rows), pyarrow.int32()),
        }
    )


def blocks_of(table, count, random):
    """Cuts a table at random places, so that some blocks are empty."""
    cuts = sorted(int(v) for v in random.integers(0, table.num_rows + 1, count - 1))
    ends = [0, *cuts, table.num_rows]
    return [table.slice(a, b - a) for a, b in zip(ends, ends[1:])]


# Aggregates, groups
GROUPS = """
SELECT count(*), count(r), sum(k), sum(d), sum(x), avg(k), avg(d), avg(x), min(s), max(day) FROM t
SELECT g, count(*) AS n, sum("Small") AS m, avg(d) AS a, min(r), max(r) FROM t GROUP BY g
SELECT s, b, sum(d) AS total FROM t GROUP BY s, b HAVING sum(d) > 0 AND count(*) > 2
SELECT r, count(*) FROM t GROUP BY r
SELECT d, count(*) FROM t GROUP BY d
SELECT day, sum(k) // 7, sum(k) % 5, sum(k) * 1.5, sum(k) / count(*) FROM t GROUP BY day
SELECT k % 7 AS m, sum(x) + 1 AS y, sum(k) FILTER (WHERE b) AS f FROM t GROUP BY 1
SELECT k % 7 AS m, count(*) FROM t WHERE g = 7 OR s = 's3' GROUP BY m ORDER BY m
SELECT g, bool_and(b), bool_or(b), bool_or(x > 99) FROM t GROUP BY g
SELECT g, stddev(x), var_pop(k), stddev_pop(d), variance(x), var_samp(k) FROM t GROUP BY g
SELECT stddev(x + 1000000), stddev_samp(k) FILTER (WHERE b) FROM t
SELECT g, median(x), quantile_cont(k, 0.25), mode(s), mad(x) FROM t GROUP BY g
SELECT median(x), percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM t
SELECT g, string_agg(s, ',' ORDER BY s, k) FROM t GROUP BY g
SELECT g, arg_max(k, x), arg_min(day, x), corr(x, k), count_if(b) FROM t GROUP BY g
SELECT count(DISTINCT k), count(DISTINCT r) FROM t
SELECT count(DISTINCT r), sum(DISTINCT r), min(x) FROM t
SELECT g, count(DISTINCT k), sum(DISTINCT k), avg(DISTINCT k), sum(x), count(*) FROM t GROUP BY g
SELECT g, count(DISTINCT k), count(DISTINCT s), sum(k) FROM t GROUP BY g
SELECT g, count(DISTINCT g), count(DISTINCT k) FILTER (WHERE b) FROM t GROUP BY g
SELECT g, bit_and(k), bit_or(k), bit_xor(k) FROM t GROUP BY g
SELECT g FROM t GROUP BY g
SELECT 5 AS c, g, 'x' AS e, sum(k) FROM t GROUP BY ALL
SELECT 'x' AS e, s, count(*) FROM t GROUP BY 1, 2
SELECT g, sum(k) FROM t GROUP BY ALL
SELECT mean(x), count(*) FROM t WHERE k > 1000
SELECT sum(k), min(s), stddev(x), count(DISTINCT s), median(x) FROM t WHERE k > 1000
SELECT g, sum(k) FROM t WHERE k > 1000 GROUP BY g
SELECT 1 AS one FROM t HAVING count(*) > 3
SELECT CASE WHEN g > 5 THEN 'high' ELSE 'low' END AS c, count(*) FROM t GROUP BY c
SELECT g + 1 AS h, (g + 1) * 2, sum(k) FROM t GROUP BY g + 1
SELECT coalesce(sum(k), 0) + coalesce(sum(d), 0) FROM t
SELECT sum(k) AS k FROM t GROUP BY g ORDER BY k DESC NULLS LAST, 1
SELECT g, sum(k) FROM t GROUP BY g ORDER BY count(*) DESC, g NULLS FIRST LIMIT 5 OFFSET 2
SELECT max(x) - min(x), g FROM t GROUP BY g ORDER BY max(x) - min(x) LIMIT 3
""".strip().splitlines()

# Rows, DISTINCT, ORDER BY, windows
ROWS_OF_ONE = """
SELECT k, x FROM t WHERE k < 5
SELECT *, x * 2 AS y FROM t WHERE s LIKE 's1%' AND day >= DATE '2019-04-20'
SELECT x, k FROM t ORDER BY x
SELECT x, k FROM t ORDER BY x DESC LIMIT 7
SELECT k FROM t ORDER BY x LIMIT 5 OFFSET 3
SELECT d FROM t ORDER BY d NULLS FIRST, x LIMIT 200
SELECT x FROM t ORDER BY x LIMIT 0
SELECT g, x FROM t ORDER BY ALL LIMIT 9
SELECT DISTINCT g, s FROM t
SELECT DISTINCT r FROM t
SELECT DISTINCT k % 3 AS m FROM t ORDER BY m DESC LIMIT 2
SELECT DISTINCT count(*) % 2 AS c FROM t GROUP BY g
SELECT x, sum(k) OVER (PARTITION BY g) AS w FROM t
SELECT x, row_number() OVER (PARTITION BY g ORDER BY x) AS w, max(x) OVER (PARTITION BY g, s) FROM t
SELECT x FROM t QUALIFY row_number() OVER (PARTITION BY s ORDER BY x DESC) <= 2 ORDER BY x
SELECT x, rank() OVER w AS n FROM t WINDOW w AS (PARTITION BY s ORDER BY x) ORDER BY n, x LIMIT 20
SELECT x, rank() OVER (ORDER BY x) AS n FROM t
SELECT g, sum(k) AS m, rank() OVER (ORDER BY sum(k) DESC, g) AS place FROM t GROUP BY g
SELECT g, s, sum(sum(k)) OVER (PARTITION BY g) AS w FROM t GROUP BY g, s
SELECT g, sum(k) AS m FROM t GROUP BY g QUALIFY rank() OVER (ORDER BY sum(k), g) < 4
SELECT m + 1 AS n, m // 2 FROM (SELECT g, sum(k) AS m FROM t GROUP BY g) q WHERE m > 10
SELECT avg(m) FROM (SELECT g, sum(k) AS m FROM t GROUP BY g) q
WITH q AS (SELECT g, max(x) AS m FROM t GROUP BY g) SELECT a.g, b.m FROM q a, q b WHERE a.g = b.g
SELECT x FROM t WHERE x > (SELECT avg(x) FROM t)
SELECT x FROM t WHERE k IN (SELECT k FROM u WHERE size > 500)
SELECT x FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)
SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.size > 300)
SELECT count(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k)
SELECT k FROM t WHERE k < 9 UNION ALL SELECT size FROM u
SELECT g FROM t UNION ALL SELECT d FROM t
SELECT s FROM t UNION SELECT s FROM u
SELECT g FROM t UNION SELECT k FROM u ORDER BY 1 NULLS FIRST LIMIT 6
SELECT k FROM t INTERSECT SELECT k FROM u
SELECT k FROM t EXCEPT SELECT k FROM u
SELECT k FROM t EXCEPT ALL SELECT k FROM u
SELECT sum(n) FROM (SELECT count(*) AS n FROM t GROUP BY g UNION ALL SELECT size FROM u) q
""".strip().splitlines()

JOINS = """
SELECT t.x, u.size FROM t JOIN u ON t.k = u.k WHERE t.k < 9
SELECT count(*), sum(u.size), avg(t.d) FROM t, u WHERE t.g = u.k
SELECT count(*) FROM t JOIN u ON t.r = u.r
SELECT count(*) FROM t JOIN u ON t.g = u.kd
SELECT count(*) FROM t JOIN u ON t.k = u.kr
SELECT count(*) FROM t JOIN u ON t.day = u.since
SELECT count(*), count(DISTINCT t.s) FROM t JOIN u USING (s)
SELECT count(*) FROM t JOIN u ON t.k = u.k AND t.s = u.s AND t.x > u.size / 10.0
SELECT t.k + 1 AS n, count(*) FROM t JOIN u ON t.k + 1 = u.k * 2 GROUP BY t.k + 1
SELECT t.k, u.size FROM t LEFT JOIN u ON t.k = u.k AND u.size > 700 WHERE t.x < 20
SELECT t.x, u.size FROM t RIGHT JOIN u ON t.k = u.k AND t.x > 95
SELECT t.x, u.size, u.k FROM t FULL JOIN u ON t.k = u.k AND t.x > 95
SELECT count(*), count(u.k) FROM t LEFT JOIN u ON t.g = u.k
SELECT t.g, count(u.size) AS n FROM t LEFT JOIN u ON t.g = u.k GROUP BY t.g
SELECT u.k, sum(t.x) FROM u LEFT JOIN t ON t.g = u.k GROUP BY u.k
SELECT t.x FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL
SELECT a.g, sum(b.size) AS s FROM t a JOIN u b ON a.k = b.k JOIN u c ON c.size = b.size GROUP BY a.g
SELECT count(*) FROM t a JOIN u b ON a.k = b.k LEFT JOIN u c ON c.size = b.size AND c.k > 30
SELECT count(*) FROM t JOIN u ON (t.k = u.k AND u.size > 500) OR (t.k = u.k AND t.x < 10)
SELECT a.k, count(*) FROM t a JOIN t b ON a.k = b.k GROUP BY a.k
SELECT a.k, a.x, row_number() OVER (PARTITION BY a.k ORDER BY a.x, b.size) FROM t a JOIN u b ON a.k = b.k
SELECT q.m, u.size FROM (SELECT k, sum(x) AS m FROM t GROUP BY k) q JOIN u ON q.k = u.k WHERE u.size > 900
SELECT t.g, u.s, sum(t.d * (1 - 0.05)) AS v FROM t JOIN u ON t.k = u.k GROUP BY t.g, u.s ORDER BY v DESC LIMIT 9
SELECT u.s, count(DISTINCT t.k) FROM t JOIN u ON t.k = u.k GROUP BY u.s
SELECT t.x FROM t NATURAL JOIN u
SELECT max(t.x) FROM t, u WHERE t.k = u.k AND t.s <> u.s AND u.size = (SELECT max(size) FROM u)
""".strip().splitlines()


def _plain(value):
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.9g}") + 0.0
    return value


def rows_of(table, in_order=False):
    """Returns rows to compare: real numbers to nine digits, which are added in any order."""
    columns = [[_plain(value) for value in column.to_pylist()] for column in table.columns]
    rows = list(zip(*columns))
    return rows if in_order else sorted(rows, key=repr)


def types_of(table):
    """Returns names and types; a dictionary's values are meant."""
    is_dictionary = pyarrow.types.is_dictionary
    return [(f.name, f.type.value_type if is_dictionary(f.type) else f.type) for f in table.schema]
