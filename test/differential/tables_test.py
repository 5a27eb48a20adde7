"""Generated tables against DuckDB: extremes, NULLs, NaN, row counts around tiles, many row groups, every file format.

tables_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import argparse
import sys
import tempfile

import pyarrow

import tables
from answers import difference, sorted_rows
from driver import Driver, Tally, devices
from oracle import Oracle, split_companions, with_companions

# Around a wave, a work group, a tile of rows, and a chunk's multiple; few columns where there are many rows.
ROW_COUNTS = [
    0,
    1,
    2,
    7,
    8,
    9,
    63,
    64,
    65,
    127,
    128,
    129,
    255,
    256,
    257,
    511,
    513,
    1023,
    1024,
    1025,
    2047,
    2049,
    4095,
    4096,
    4097,
    8191,
    8193,
    65535,
    65536,
    65537,
]
LARGE_ROW_COUNTS = [(1 << 20) - 1, 1 << 20, (1 << 20) + 1]
SMALL_KINDS = ["b", "i32", "i64", "f64", "d15_2", "s"]


class Check:
    """One statement: text with `$` for the file, how many keys to sort by, and what is inexact (see with_companions)."""

    def __init__(self, text, sort_keys=0, inexact=None, unsigned_zeros=()):
        self.text, self.sort_keys, self.inexact, self.unsigned_zeros = (
            text,
            sort_keys,
            inexact or {},
            list(unsigned_zeros),
        )

    def expected(self, oracle, file):
        answer = oracle.answer(
            with_companions(self.text.replace("$", f"'{file}'"), self.inexact), self.sort_keys
        )
        assert not answer.error, f"{self.text}: {answer.message}"
        return split_companions(answer, self.inexact)

    def wrong(self, driver, file, expected, bounds):
        ours = driver.answer(self.text.replace("$", f"'{file}'"))
        if ours.error:
            return f"{ours.error}: {ours.message}"
        if self.sort_keys:
            ours = sorted_rows(ours, self.sort_keys)
        return difference(ours, expected, bounds, unsigned_zeros=self.unsigned_zeros)


def aggregates_of(kinds):
    """Every aggregate that a column's type has, of all columns; a list of Checks."""
    checks = []
    for suffix in ("", "n"):
        items, inexact = ["count(*)"], {}
        for kind in kinds:
            name = kind + suffix
            items.append(f"count({name})")
            if kind == "s":
                continue
            items += [f"min({name})", f"max({name})"]
            if kind == "b":
                items += [f"bool_and({name})", f"bool_or({name})"]
            if kind not in ("b", "dt", "ts"):
                for function, bound in (("sum", "sum"), ("avg", "average")):
                    if kind in ("f32", "f64"):
                        inexact[len(items)] = (bound, name)
                    items.append(f"{function}({name})")
        checks.append(
            Check(
                f"SELECT {', '.join(items)} FROM $",
                inexact=inexact,
                unsigned_zeros=range(len(items)),
            )
        )
    return checks


def all_rows(kinds):
    return [
        Check("SELECT * FROM $"),
        Check(f"SELECT id, {', '.join(k + 'n' for k in kinds)} FROM $ WHERE id % 3 = 1"),
    ]


# Over tables with every column.
EVERY_COLUMN = [
    Check("SELECT id FROM $ WHERE i32n > 0 AND u8 < 200"),
    Check("SELECT id, s, sn FROM $ WHERE sn = 'AIR' OR s = ''"),
    Check("SELECT count(*) FROM $ WHERE sn = 'no such text'"),
    Check("SELECT count(*), count(sn) FROM $ WHERE sn <> 'a' AND s <> sn"),
    Check("SELECT id, sn = s, sn = '', s IN ('a', 'b', 'NULL') FROM $"),
    Check("SELECT id FROM $ WHERE true"),
    Check("SELECT id, s FROM $ WHERE id < 0"),
    Check(
        "SELECT id, bn, NOT bn, bn AND b, bn OR b, bn IS TRUE, bn IS NOT FALSE, bn IS NULL, bn = b, bn IS DISTINCT FROM b FROM $"
    ),
    Check(
        "SELECT id, f64n < f64, f64n = f64, f64n <= 'inf'::DOUBLE, f64n > 0, f32n = f32, f32 < f64, f64n = f64n, f32n <> f32n FROM $"
    ),
    Check(
        "SELECT id, -f64, abs(f64n), f64 + f64n, f64 * 0, f64n / f64, f64 % 3, f64n - f32n, f32 + f32n, f32 * f32n, f32 / 3::FLOAT FROM $"
    ),
    Check(
        "SELECT id, floor(f64), ceil(f64n), round(f64), trunc(f64n), sqrt(abs(f64)), floor(f32), round(f32n) FROM $"
    ),
    Check(
        "SELECT id, greatest(i8, i8n), least(u64, u64n), greatest(f64, f64n), least(d9_4, d9_4n), greatest(dt, dtn), least(ts, tsn) FROM $",
        unsigned_zeros=[3],
    ),
    Check(
        "SELECT id, i8n & i8, i16 | i16n, xor(i32, i32n), ~i64n, u8 >> 3, i64 >> 60, ~u32, u64 & u64n, i64n >> 1 FROM $"
    ),
    Check(
        "SELECT id, i8 < u8, i16 < u16n, i32n >= u32, i64 < u32, u64 > u8, d15_2 > i32, d4_1n = i8, d18_0 < i64, d9_4 < f64, "
        "i64 = f64, u64 < f64 FROM $"
    ),
    Check(
        "SELECT id, year(dt), month(dtn), day(dt), quarter(dt), dayofweek(dt), isodow(dtn), dayofyear(dt) FROM $"
    ),
    Check(
        "SELECT id, year(ts), month(tsn), day(ts), hour(ts), minute(tsn), second(ts), CAST(ts AS DATE), CAST(dt AS TIMESTAMP), "
        "dt = ts FROM $"
    ),
    Check(
        "SELECT id, dt - dtn, dt < dtn, dt BETWEEN DATE '1900-01-01' AND DATE '2100-01-01', "
        "ts > TIMESTAMP '1969-12-31 23:59:59.999999' FROM $"
    ),
    Check(
        "SELECT id, CAST(i8 AS SMALLINT), CAST(i8n AS DOUBLE), CAST(i64 AS DOUBLE), CAST(u64 AS DOUBLE), CAST(i64 AS FLOAT), "
        "CAST(u64n AS FLOAT), CAST(b AS INTEGER),"
        " CAST(i32 AS BOOLEAN), CAST(f64 AS BOOLEAN) FROM $"
    ),
    Check(
        "SELECT id, CAST(d15_2 AS DOUBLE), CAST(d18_0n AS DOUBLE), CAST(d9_4 AS FLOAT), CAST(d9_4 AS DECIMAL(18,2)), "
        "CAST(d4_1 AS INTEGER), CAST(d15_2 AS BIGINT),"
        " CAST(i16 AS DECIMAL(9,3)), d4_1 + d9_4, d4_1 * d9_4n, d9_4 - d4_1, -d15_2 FROM $"
    ),
    Check(
        "SELECT id, round(d9_4), round(d9_4, 2), floor(d9_4n), ceil(d15_2), trunc(d4_1), abs(d15_2n), d9_4 / d4_1, d15_2 / i8n FROM $"
    ),
    Check(
        "SELECT id, coalesce(i32n, i32), coalesce(bn, b), coalesce(dtn, dt), coalesce(f64n, 0), nullif(i8, i8n), nullif(f64, f64n), "
        "if(b, i64, i64n) FROM $"
    ),
    Check(
        "SELECT id, CASE WHEN i32n > 0 THEN f64 WHEN i32n < 0 THEN f64n END, CASE i8n WHEN 1 THEN 10 WHEN 2 THEN 20 ELSE 0 END, "
        "i32n BETWEEN i32 AND 100,"
        " i16n NOT IN (1, 2, NULL), u8n IN (0, 255) FROM $"
    ),
    Check("SELECT id FROM $ ORDER BY f64n, id"),
    Check("SELECT id FROM $ ORDER BY f32n DESC, id"),
    Check("SELECT id FROM $ ORDER BY i64n NULLS FIRST, id DESC"),
    Check("SELECT id, u64 FROM $ ORDER BY u64 DESC, id LIMIT 20"),
    Check("SELECT id, d18_0n FROM $ ORDER BY d18_0n DESC NULLS LAST, id LIMIT 20 OFFSET 5"),
    Check("SELECT id, bn FROM $ ORDER BY bn DESC, dtn, id LIMIT 50"),
    Check("SELECT s, id FROM $ LIMIT 3 OFFSET 2"),
    Check("SELECT id FROM $ OFFSET 10000000"),
    Check(
        "SELECT sn, count(*), sum(i32), min(f64), avg(d15_2) FROM $ GROUP BY sn",
        1,
        unsigned_zeros=[3],
    ),
    Check("SELECT bn, b, count(*), count(i8n), max(u64) FROM $ GROUP BY bn, b", 2),
    Check(
        "SELECT i8n, bool_and(b), bool_or(bn), bool_and(bn) FILTER (WHERE id % 3 > 0), bool_or(DISTINCT bn) FROM $ GROUP BY i8n",
        1,
    ),
    Check("SELECT sn, bool_and(i32n > -100), count(*) FROM $ GROUP BY sn HAVING bool_or(bn)", 1),
    Check("SELECT bool_and(bn), bool_or(b), bool_or(NULL::BOOLEAN) FROM $ WHERE id < 0"),
    Check(
        "SELECT id, bool_and(bn) OVER w, bool_or(bn) OVER (w ORDER BY id ROWS UNBOUNDED PRECEDING), bool_or(b) FILTER (WHERE bn) OVER w "
        "FROM $ WINDOW w AS (PARTITION BY i8n) ORDER BY id"
    ),
    Check("SELECT i8n, count(*), sum(i64), min(dt), max(ts) FROM $ GROUP BY i8n", 1),
    Check(
        "SELECT s, bn, u8n > 100, count(*), sum(u32n), min(b), max(bn) FROM $ GROUP BY 1, 2, 3", 3
    ),
    Check(
        "SELECT f32n > 0, count(*), max(f32n), min(f32n) FROM $ GROUP BY 1",
        1,
        unsigned_zeros=[2, 3],
    ),
    Check(
        "SELECT id % 4999, min(i64), max(i64n), min(u64n), max(u64), min(f64n), max(f64), min(d15_2n), max(d18_0), min(ts), max(tsn), "
        "sum(i32n), count(DISTINCT i8n) FROM $ GROUP BY 1",
        1,
        unsigned_zeros=[5, 6],
    ),
    Check("SELECT d4_1n, count(*) FROM $ GROUP BY d4_1n", 1),
    Check("SELECT dtn, min(id), count(*) FROM $ GROUP BY dtn", 1),
    Check("SELECT f64n, count(*) FROM $ GROUP BY f64n", 1, unsigned_zeros=[0]),
    Check("SELECT tsn, u64n, count(*) FROM $ GROUP BY 1, 2", 2),
    Check(
        "SELECT id, sum(i32n) OVER (ORDER BY id), count(*) OVER (ORDER BY i8n), rank() OVER (ORDER BY f64n DESC) FROM $ ORDER BY id"
    ),
    Check(
        "SELECT id, sum(d15_2) OVER w, count(sn) OVER w, min(sn) OVER w, max(f64n) OVER w, sum(u64n) OVER (w ORDER BY id) FROM $ "
        "WINDOW w AS (PARTITION BY bn, u8n % 5) ORDER BY id",
        unsigned_zeros=[4],
    ),
    Check(
        "SELECT id, lag(sn, 3, 'none') OVER (ORDER BY i64n, id), lead(i32n, 2, id) OVER (PARTITION BY b ORDER BY id DESC), "
        "lag(d15_2, 1, 0) OVER (PARTITION BY sn ORDER BY id) FROM $ ORDER BY id"
    ),
    Check(
        "SELECT id, lag(sn) OVER (ORDER BY i64n, id), lead(dtn, 2) OVER (PARTITION BY b ORDER BY id DESC), "
        "first_value(tsn) OVER (PARTITION BY sn ORDER BY f32n NULLS FIRST, id) FROM $ ORDER BY id"
    ),
    Check(
        "SELECT sn, count(*), sum(count(*)) OVER (ORDER BY sn NULLS FIRST), dense_rank() OVER (ORDER BY count(*)) FROM $ GROUP BY sn",
        1,
    ),
    Check(
        "SELECT id, dense_rank() OVER (PARTITION BY bn ORDER BY d9_4n DESC) AS r FROM $ WHERE i32n > 0 ORDER BY r DESC, id LIMIT 30"
    ),
    Check("SELECT DISTINCT bn, count(*) FILTER (WHERE b) OVER (PARTITION BY bn) FROM $", 1),
    Check("SELECT row_number() OVER (ORDER BY id) FROM $ WHERE id > 1000000000"),
    Check("SELECT DISTINCT bn, sn FROM $", 2),
    Check("SELECT " + ", ".join(f"count(DISTINCT {name})" for name in tables.COLUMNS) + " FROM $"),
    Check(
        "SELECT sum(DISTINCT i8n), avg(DISTINCT i8n), sum(DISTINCT d4_1), avg(DISTINCT i64n), count(i8n), sum(u8) FROM $"
    ),
    Check(
        "SELECT sn, bn, count(DISTINCT i8n), count(*), sum(DISTINCT u8), avg(d15_2), count(DISTINCT f64n) FROM $ GROUP BY 1, 2",
        2,
    ),
    Check(
        "SELECT i8n, count(DISTINCT sn) FILTER (WHERE bn), max(DISTINCT dt) FROM $ GROUP BY i8n HAVING count(DISTINCT u8n) > 1",
        1,
    ),
    Check("SELECT count(DISTINCT i32n), sum(DISTINCT i32n), count(*) FROM $ WHERE id > 1000000000"),
    Check(
        "SELECT sn, bn, count(DISTINCT i8n), count(*), count(DISTINCT u8) FROM $ GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 7"
    ),
    Check(
        "SELECT i32n, count(*), min(s), count(DISTINCT u8n) FROM $ GROUP BY 1 ORDER BY min(s) DESC, 1 NULLS FIRST LIMIT 9"
    ),
    Check(
        "SELECT i8n, sn, sum(i32n), count(DISTINCT s), max(sn) FROM $ GROUP BY 1, 2 ORDER BY 1 DESC, 2 LIMIT 6 OFFSET 2"
    ),
    Check("SELECT DISTINCT i8n % 3 FROM $ WHERE i8n > 0", 1),
    Check(
        "SELECT b, sum(f64n), avg(f32n) FROM $ WHERE abs(f64n) < 1e6 GROUP BY b",
        1,
        {1: ("sum", "f64n"), 2: ("average", "f32n")},
    ),
    Check(
        "SELECT count(*) FILTER (WHERE bn), sum(i32n) FILTER (WHERE i32n > 0), min(f64n) FILTER (WHERE f64n > 0), "
        "avg(u8) FILTER (WHERE b) FROM $",
        unsigned_zeros=[2],
    ),
    Check(
        "SELECT sum(i64), sum(u64), sum(d18_0), sum(i64n), sum(d15_2n), sum(u64n), avg(i64), avg(u64), avg(d18_0) FROM $"
    ),
    Check("SELECT sum(i32) FROM $ WHERE id > 1000000000"),
    Check("SELECT bn, count(*) FROM $ WHERE id > 1000000000 GROUP BY bn"),
    Check("SELECT b, sum(i64) AS t FROM $ GROUP BY b HAVING count(*) > 1", 1),
    Check("SELECT min(id) AS least_id, max(id) - min(id) AS span FROM $"),
]
_NUMBERS = [
    name
    for name, kind in tables.COLUMNS.items()
    if kind not in ("BOOLEAN", "VARCHAR", "DATE", "TIMESTAMP")
]
# More scalars, columns and results than one kernel's parameters.
WIDE = [
    Check("SELECT " + ", ".join(f"sum(i16 + {i}::BIGINT) AS s{i}" for i in range(90)) + " FROM $"),
    Check(
        "SELECT i8n % 5 AS k, "
        + ", ".join(f"sum(i16n + {i}::BIGINT), count(u8n = {i})" for i in range(40))
        + " FROM $ GROUP BY k",
        1,
    ),
    Check(
        "SELECT "
        + ", ".join(f"nullif({name}, 1) AS v{name}" for name in _NUMBERS)
        + " FROM $ WHERE i32n > 0"
    ),
    Check(
        "SELECT "
        + ", ".join(f"nullif({name}, 1) AS v{name}, {name} IS NULL AS m{name}" for name in _NUMBERS)
        + " FROM $ LIMIT 100 OFFSET 50"
    ),
    Check(
        "SELECT "
        + ", ".join(f"min({name}), max({name}), count({name})" for name in _NUMBERS)
        + " FROM $ WHERE i32n <> 0",
        unsigned_zeros=range(3 * len(_NUMBERS)),
    ),
    Check(
        "SELECT count(*) FROM $ WHERE "
        + " OR ".join(f"(i32 = {i} AND i8n <> {i})" for i in range(200))
    ),
    Check(
        "SELECT count(*) FROM $ WHERE s IN ("
        + ", ".join(f"'key {i}'" for i in range(200))
        + ", 'AIR') OR d9_4 = 1.5 OR f32 = 0.25::FLOAT OR u64n = 18446744073709551615 OR b = true"
    ),
]
DISTINCT_AND_OFFSET = [
    Check("SELECT DISTINCT f64n FROM $", 1, unsigned_zeros=[0]),
    Check("SELECT DISTINCT s FROM $ ORDER BY s DESC LIMIT 4 OFFSET 2"),
    Check("SELECT DISTINCT b, bn, i8n > 0 FROM $ WHERE i32n > 0", 3),
    Check("SELECT DISTINCT dtn, tsn IS NULL FROM $", 2),
    Check("SELECT DISTINCT 1 FROM $"),
    Check("SELECT DISTINCT count(*) FROM $ GROUP BY bn, b", 1),
    Check("SELECT DISTINCT i8n % 2, u64n % 2 FROM $ ORDER BY 1 NULLS FIRST, 2 DESC"),
    Check("SELECT DISTINCT d15_2 % 3, sn FROM $ ORDER BY 2 DESC NULLS LAST, 1 OFFSET 5"),
    Check("SELECT DISTINCT sn, id % 2 FROM $ WHERE id < 0", 2),
    Check("SELECT id FROM $ OFFSET 0"),
    Check("SELECT id FROM $ OFFSET 1"),
    Check("SELECT id, s FROM $ WHERE bn OFFSET 255"),
    Check("SELECT id FROM $ OFFSET 2999"),
    Check("SELECT id FROM $ OFFSET 3000"),
    Check("SELECT id FROM $ LIMIT ALL OFFSET 17"),
    Check("SELECT id FROM $ LIMIT NULL OFFSET 17"),
    Check("SELECT id FROM $ ORDER BY id DESC OFFSET 10"),
    Check("SELECT sn, count(*) FROM $ GROUP BY sn ORDER BY sn OFFSET 3"),
    Check("SELECT count(*) FROM $ OFFSET 1"),
]
# A month's end stays one: the 31st of January and a month is the last of February.
_MOMENTS = [
    "DATE '2024-01-31'",
    "DATE '2023-01-31'",
    "DATE '2024-02-29'",
    "DATE '2024-03-31'",
    "DATE '2000-12-31'",
    "DATE '1900-02-28'",
    "DATE '1969-12-31'",
    "TIMESTAMP '2024-01-31 23:59:59.999999'",
    "TIMESTAMP '1970-01-01 00:00:00'",
]
_SPANS = [
    "INTERVAL 1 MONTH",
    "INTERVAL '1' MONTH",
    "INTERVAL 13 MONTHS",
    "INTERVAL '11 months'",
    "INTERVAL 1 YEAR",
    "INTERVAL 4 YEARS",
    "INTERVAL '-1 month'",
    "INTERVAL 1 DAY",
    "INTERVAL '1 month 1 day'",
    "INTERVAL '1 year 1 month 30 days 25 hours'",
    "INTERVAL 36 HOURS",
    "INTERVAL '90' DAY",
    "INTERVAL 1 WEEK",
    "INTERVAL '3' WEEKS",
    "INTERVAL 1 QUARTER",
    "INTERVAL 2 QUARTERS",
    "INTERVAL 1 DECADE",
    "INTERVAL 7 MILLISECONDS",
    "INTERVAL '1.5' SECOND",
    "INTERVAL 1.5 MILLISECONDS",
    "INTERVAL '1.5' DAY",
    "INTERVAL 20 MICROSECONDS",
    "INTERVAL 100000 SECONDS",
    "INTERVAL '2 weeks 3 hours'",
    "INTERVAL '-00:00:00.000001'",
]
INTERVALS = [
    *[
        Check(
            "SELECT id, "
            + ", ".join(f"{moment} {sign} {span}" for span in _SPANS for sign in "+-")
            + " FROM $ LIMIT 2"
        )
        for moment in _MOMENTS
    ],
    *[
        Check(
            f"SELECT count(*) FROM $ WHERE dt >= DATE '1994-01-31' {sign} {span} OR tsn < {span} + DATE '1992-02-29'"
        )
        for span in _SPANS
        for sign in "+-"
    ],
]
# Over tables of SMALL_KINDS, of every number of rows: what hangs on where tiles and chunks end.
EVERY_LENGTH = [
    *aggregates_of(SMALL_KINDS),
    Check("SELECT id, i32n FROM $ WHERE i32n > 0 AND i32n % 2 = 0"),
    Check("SELECT id, s, f64n FROM $ WHERE bn"),
    Check("SELECT id, i64n + id % 5, d15_2n FROM $"),
    Check("SELECT sn, bn, count(*), sum(i32n), sum(d15_2) FROM $ GROUP BY sn, bn", 2),
    Check("SELECT id FROM $ WHERE id % 64 = 63 OR id % 256 = 0"),
    Check("SELECT count(*) FROM $ WHERE sn = 'AIR'"),
]


def run(tally, drivers, oracle, checks, reference, files=None, batch_rows=0):
    for check in checks:
        expected, bounds = check.expected(oracle, reference)
        for driver in drivers:
            driver.set(batch_rows=batch_rows)
            for file in files or [reference]:
                wrong = check.wrong(driver, file, expected, bounds)
                tally.check(
                    f"{driver.device}: {file}, batch_rows {batch_rows}: {check.text}", wrong
                )


def every_column(folder, tally, drivers, oracle):
    for number, (name, rows, tame, nulls) in enumerate(
        [
            ("tame", 3000, True, 0.2),
            ("wild", 3000, False, 0.2),
            ("missing", 500, True, 1.0),
            ("one", 1, True, 0.0),
            ("none", 0, True, 0.0),
        ]
    ):
        file = f"{name}.parquet"
        tables.write_parquet(
            tables.make(f"columns{number}", rows, tame, nulls), f"{folder}/{file}", seed=number
        )
        oracle.load(file)
        checks = EVERY_COLUMN + all_rows(tables.KINDS) + aggregates_of(tables.KINDS)
        run(tally, drivers, oracle, checks, file, batch_rows=0 if number % 2 == 0 else 128)


def every_clause(folder, tally, drivers, oracle):
    for name, rows, tame, nulls in (
        ("clauses", 3000, True, 0.2),
        ("extremes", 3000, False, 0.2),
        ("empty", 0, True, 0.0),
        ("single", 1, True, 0.0),
    ):
        file = f"{name}.parquet"
        tables.write_parquet(
            tables.make(name, rows, tame, nulls), f"{folder}/{file}", seed=rows + 1
        )
        oracle.load(file)
        run(
            tally,
            drivers,
            oracle,
            (WIDE if tame else WIDE[2:]) + DISTINCT_AND_OFFSET,
            file,
            batch_rows=192 if tame else 0,
        )
    run(tally, drivers, oracle, INTERVALS, "clauses.parquet")


def every_length(folder, tally, drivers, oracle):
    for rows in ROW_COUNTS:
        file = f"rows{rows}.parquet"
        tables.write_parquet(
            tables.make(f"rows{rows}", rows, True, kinds=SMALL_KINDS), f"{folder}/{file}", seed=rows
        )
        oracle.load(file)
        # Long plain rows are compared for a few lengths only; they are slow to print and read.
        checks = (
            EVERY_LENGTH if rows < 9000 else [c for c in EVERY_LENGTH if "id, i64n" not in c.text]
        )
        run(
            tally,
            drivers,
            oracle,
            checks,
            file,
            batch_rows=[0, 64, 192, 1024, 4096][rows % 5] if rows < 9000 else 0,
        )
    for rows in LARGE_ROW_COUNTS:
        file = f"rows{rows}.parquet"
        tables.write_parquet(
            tables.make("large", rows, True, kinds=["i32", "d15_2", "s"]), f"{folder}/{file}"
        )
        oracle.load(file)
        run(
            tally,
            drivers,
            oracle,
            [
                Check(
                    "SELECT count(*), sum(i32), sum(i32n), count(sn), sum(d15_2), avg(d15_2n), max(id) FROM $"
                ),
                Check("SELECT sn, count(*), sum(i32n) FROM $ GROUP BY sn", 1),
                Check("SELECT id, s FROM $ WHERE id % 4999 = 4998"),
                Check("SELECT id FROM $ WHERE i32n = 100 LIMIT 5"),
                Check("SELECT id FROM $ OFFSET 1048570"),
            ],
            file,
        )


def every_layout(folder, tally, drivers, oracle):
    """The same rows as written by many writers: row groups, pages, encodings, compressions; dictionaries of their own a row group."""
    table = tables.make("layouts", 1500, False)
    checks = [
        Check("SELECT * FROM $"),
        Check("SELECT sn, count(*), min(u16n), max(dt) FROM $ GROUP BY sn", 1),
        Check("SELECT id FROM $ WHERE s = 'AIR' OR sn = 'key 9'"),
    ]
    tables.write_parquet(table, f"{folder}/layout0.parquet")
    oracle.load("layout0.parquet")
    files = []
    for seed in range(1, 13):
        files.append(f"layout{seed}.parquet")
        tables.write_parquet(table, f"{folder}/{files[-1]}", seed=seed)
    for batch_rows in (0, 192):
        run(tally, drivers, oracle, checks, "layout0.parquet", files, batch_rows)


def every_format(folder, tally, drivers, oracle):
    """Arrow IPC files and streams hold the very types; CSV holds what a reader infers, so its columns are cast."""
    for name, table in (
        ("same", tables.make("formats", 2500, False)),
        ("bare", tables.make("formats", 0, True)),
        ("single", tables.make("formats", 1, True)),
    ):
        files = [f"{name}.parquet", f"{name}.arrow", f"{name}.arrows"]
        for file in files:
            tables.write(table, f"{folder}/{file}")
        oracle.load(files[0])
        run(
            tally,
            drivers,
            oracle,
            [
                Check("SELECT * FROM $"),
                *aggregates_of(tables.KINDS),
                EVERY_COLUMN[1],
                EVERY_COLUMN[13],
                EVERY_COLUMN[28],
            ],
            files[0],
            files[1:],
        )
    dictionary = tables.make("coded", 1000, True, kinds=["s", "i32"])
    for name in ("s", "sn"):
        place = dictionary.schema.get_field_index(name)
        dictionary = dictionary.set_column(
            place,
            pyarrow.field(name, pyarrow.dictionary(pyarrow.int32(), pyarrow.string())),
            dictionary.column(name).dictionary_encode(),
        )
    for file in ("coded.parquet", "coded.arrow", "coded.arrows"):
        tables.write(dictionary, f"{folder}/{file}")
    oracle.load("coded.parquet")
    run(
        tally,
        drivers,
        oracle,
        [
            Check("SELECT * FROM $"),
            Check("SELECT sn, count(*) FROM $ GROUP BY sn", 1),
            Check("SELECT id FROM $ WHERE s = 'AIR'"),
        ],
        "coded.parquet",
        ["coded.parquet", "coded.arrow", "coded.arrows"],
    )
    plain = tables.make("plain", 1200, True, kinds=["i32", "f64", "dt", "b"])
    tables.write(plain, f"{folder}/plain.parquet")
    tables.write(plain, f"{folder}/plain.csv")
    oracle.load("plain.parquet")
    run(
        tally,
        drivers,
        oracle,
        [
            Check(
                "SELECT id, CAST(i32 AS BIGINT) AS a, CAST(i32n AS BIGINT) AS n, f64, f64n, dt, dtn, b, bn FROM $"
            ),
            Check("SELECT bn, count(*), sum(i32n), min(dtn), sum(id) FROM $ GROUP BY bn", 1),
        ],
        "plain.parquet",
        ["plain.csv"],
    )


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("driver")
    arguments.add_argument("penstock")
    arguments.add_argument("--device", action="append")
    arguments.add_argument(
        "--part", action="append", choices=["columns", "clauses", "lengths", "layouts", "formats"]
    )
    options = arguments.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-tables-") as folder:
        oracle = Oracle(folder)
        drivers = [
            Driver(options.driver, folder, device)
            for device in options.device or devices(options.penstock)
        ]
        parts = {
            "columns": every_column,
            "clauses": every_clause,
            "lengths": every_length,
            "layouts": every_layout,
            "formats": every_format,
        }
        for name in options.part or parts:
            parts[name](folder, tally, drivers, oracle)
        for driver in drivers:
            ended = driver.close()
            if ended:
                tally.fail(driver.device, "the driver's end: " + ended)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
