"""Rows that are left out by statistics, page indices and bloom filters: answers stay DuckDB's.

skipping_test.py QUERY_DRIVER PENSTOCK [--device ID] [--shapes N] [--seed N]

Predicates come in shapes; each is asked of every file, several times with other constants, by the kernel that its shape has.

Files are written by pyarrow and DuckDB, with values in runs, so that pages and row groups differ. DuckDB reads each file once, into a
table of its own, and knows no statistics of it.
"""

import collections
import datetime
import decimal
import math
import pathlib
import random
import struct
import sys
import tempfile

import duckdb
import numpy
import pyarrow
import pyarrow.parquet

from answers import difference
from driver import Tally, drivers, test_options
from oracle import Oracle

ROWS, GROUP_ROWS = 24_000, 6_000
PAGE_ROWS = 1_000
TESTS = ["=", "<>", "<", "<=", ">", ">="]
# SQL's types, by column; where a constant is written as one of several types, all of them.
TYPES = {
    "i8": ["TINYINT", "INTEGER", "DOUBLE"],
    "i16": ["SMALLINT", "BIGINT"],
    "i32": ["INTEGER", "BIGINT", "DECIMAL(12,1)", "DOUBLE"],
    "i64": ["BIGINT", "DECIMAL(18,1)", "DOUBLE"],
    "u8": ["UTINYINT", "INTEGER"],
    "u16": ["USMALLINT", "BIGINT"],
    "u32": ["UINTEGER", "BIGINT"],
    "u64": ["UBIGINT", "BIGINT"],
    "f32": ["FLOAT", "DOUBLE"],
    "f64": ["DOUBLE"],
    "d9_2": ["DECIMAL(9,2)", "DECIMAL(12,4)", "INTEGER"],
    "d18_3": ["DECIMAL(18,3)", "DECIMAL(9,1)"],
    "dt": ["DATE"],
    "ts_ms": ["TIMESTAMP"],
    "ts_us": ["TIMESTAMP"],
    "ts_ns": ["TIMESTAMP"],
    "s": ["VARCHAR"],
    "b": ["BOOLEAN"],
}
COLUMNS = list(TYPES)
EPOCH = datetime.datetime(1970, 1, 1)


def runs(rng, low, high):
    """Integers that climb within a row group, with noise: pages and row groups differ in their bounds."""
    values, at = [], low
    for row in range(ROWS):
        if row % GROUP_ROWS == 0:
            at = low + (high - low) * rng.randrange(8) // 8
        at = min(high, at + (high - low) // GROUP_ROWS // 6 + rng.randrange(2))
        values.append(at)
    return values


def with_nulls(rng, values, group):
    """NULLs here and there, two pages of nothing else, and in one column of two a row group of nothing else."""
    kept = list(values)
    for row in range(0, ROWS, 7):
        kept[row + rng.randrange(3) if row + 3 < ROWS else row] = None
    for page in (2, 9):
        kept[page * PAGE_ROWS : (page + 1) * PAGE_ROWS] = [None] * PAGE_ROWS
    if group:
        kept[2 * GROUP_ROWS : 3 * GROUP_ROWS] = [None] * GROUP_ROWS
    return kept


def reals(rng, width):
    """NaN in some pages, both zeros at the ends of others, infinities."""
    values = []
    for row, at in enumerate(runs(rng, -40_000, 40_000)):
        page = row // PAGE_ROWS
        value = at / 16
        if page % 5 == 1 and row % 97 == 0:
            value = math.nan
        elif page % 5 == 2:
            value = -0.0 if row % 2 and page % 2 else abs(value)
        elif page % 5 == 3:
            value = 0.0 if row % 2 and page % 2 else -abs(value)
        elif page % 11 == 5 and row % 301 == 0:
            value = math.inf if row % 2 else -math.inf
        values.append(value)
    return pyarrow.array(values, width)


def texts(rng):
    """Long strings that differ behind where statistics are cut; characters of several bytes; empty ones."""
    heads = ["", "a", "ab", "abc", "b" * 80, "b" * 80 + "é", "\U0010ffff" * 3, "z" * 200, "é"]
    values = []
    for row in range(ROWS):
        page = row // PAGE_ROWS
        head = heads[page % len(heads)] if row // GROUP_ROWS != 1 else "abc"
        values.append(head + (str(rng.randrange(300)) if row % 3 else ""))
    return values


def table_of(rng, nulls):
    def made(kind, values, group=False):
        return pyarrow.array(with_nulls(rng, values, group) if nulls else values, kind)

    def decimals(scale, low, high):
        return [decimal.Decimal(v).scaleb(-scale) for v in runs(rng, low, high)]

    floats = {"f32": reals(rng, pyarrow.float32()), "f64": reals(rng, pyarrow.float64())}
    if nulls:
        mask = numpy.array([v is None for v in with_nulls(rng, [0] * ROWS, True)])
        floats = {
            name: pyarrow.array(
                values.to_numpy(zero_copy_only=False), values.type, mask=mask, from_pandas=False
            )
            for name, values in floats.items()
        }
    days = [EPOCH.date() + datetime.timedelta(d) for d in runs(rng, -9_000, 20_000)]
    moments = lambda: [
        EPOCH + datetime.timedelta(milliseconds=v) for v in runs(rng, -(10**9), 10**12)
    ]
    columns = {
        "id": pyarrow.array(range(ROWS), pyarrow.int64()),
        "i8": made(pyarrow.int8(), runs(rng, -128, 127)),
        "i16": made(pyarrow.int16(), runs(rng, -32768, 32767), True),
        "i32": made(pyarrow.int32(), runs(rng, -(2**31), 2**31 - 1)),
        "i64": made(pyarrow.int64(), runs(rng, -(2**63), 2**63 - 1), True),
        "u8": made(pyarrow.uint8(), runs(rng, 0, 255)),
        "u16": made(pyarrow.uint16(), runs(rng, 0, 65535), True),
        "u32": made(pyarrow.uint32(), runs(rng, 0, 2**32 - 1)),
        "u64": made(pyarrow.uint64(), runs(rng, 0, 2**64 - 1)),
        **floats,
        "d9_2": made(pyarrow.decimal128(9, 2), decimals(2, -(10**8), 10**8)),
        "d18_3": made(pyarrow.decimal128(18, 3), decimals(3, -(10**17), 10**17), True),
        "dt": made(pyarrow.date32(), days),
        "ts_ms": made(pyarrow.timestamp("ms"), moments()),
        "ts_us": made(pyarrow.timestamp("us"), moments(), True),
        "ts_ns": made(pyarrow.timestamp("ns"), moments()),
        "s": made(pyarrow.string(), texts(rng)),
        "b": made(pyarrow.bool_(), [row // PAGE_ROWS % 3 == 0 for row in range(ROWS)]),
    }
    return pyarrow.table(columns)


def write_files(folder, rng):
    """Yields (name, table) of each file."""
    for nulls in (False, True):
        table = table_of(rng, nulls)
        kind = "nulls" if nulls else "full"
        common = {"row_group_size": GROUP_ROWS}
        paged = {"write_page_index": True, "data_page_size": 1, "write_batch_size": PAGE_ROWS}
        ways = {
            "statistics": {},
            "paged": paged,
            "plain_v2": {
                **paged,
                "use_dictionary": False,
                "data_page_version": "2.0",
                "compression": "zstd",
            },
            "integers": {
                **paged,
                "store_decimal_as_integer": True,
                "compression": "none",
                "use_dictionary": ["s", "i32"],
            },
            "without": {"write_statistics": False},
        }
        for way, options in ways.items():
            name = f"{kind}_{way}.parquet"
            pyarrow.parquet.write_table(table, folder / name, **common, **options)
            yield name, table
        name = f"{kind}_duckdb.parquet"
        connection = duckdb.connect()
        connection.register("t", table)
        connection.execute(
            f"COPY (SELECT * FROM t ORDER BY id) TO '{folder / name}' (FORMAT parquet, ROW_GROUP_SIZE {GROUP_ROWS})"
        )
        yield name, table


def literal(value, kind):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value}'"
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return f"'{value}'::{kind}"
        return f"({value!r})::{kind}"
    return (
        str(value) if kind in ("INTEGER", "BIGINT") or "DECIMAL" in kind else f"({value})::{kind}"
    )


def neighbour(rng, value):
    """The value, or one that is just below or above it."""
    step = rng.choice([-1, 0, 0, 1])
    if isinstance(value, bool) or value is None or step == 0:
        return value
    if isinstance(value, str):
        return value + "!" if step > 0 else value[: max(len(value) - 1, 0)]
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return value
        return value + step / 16
    if isinstance(value, decimal.Decimal):
        digits = -value.as_tuple().exponent
        finer = rng.randrange(2) if abs(value) < 10**12 else 0  # 18 digits are the most
        return value + step * decimal.Decimal(1).scaleb(-digits - finer)
    if isinstance(value, datetime.datetime):
        return value + datetime.timedelta(microseconds=step)
    if isinstance(value, datetime.date):
        return value + datetime.timedelta(step)
    return value + step


class Predicates:
    """Random predicates over a table's columns, with constants at and around the bounds of pages and row groups.

    The generator of a shape decides on columns and operators, another one on constants.
    """

    def __init__(self, rng, table):
        self.values, self.table = rng, table
        self.columns = [name for name in COLUMNS if name in table.column_names]
        self.constants = {name: self._constants(name) for name in self.columns}

    def begin_shape(self, seed):
        self.rng = random.Random(seed)

    def _constants(self, name):
        column = self.table[name]
        values = []
        for first, rows in [(p * PAGE_ROWS, PAGE_ROWS) for p in range(ROWS // PAGE_ROWS)] + [
            (g * GROUP_ROWS, GROUP_ROWS) for g in range(ROWS // GROUP_ROWS)
        ]:
            page = [v for v in column[first : first + rows].to_pylist() if v is not None]
            if not page:
                continue
            ordered = sorted(page, key=lambda v: (v != v, v if v == v else 0))
            values += [ordered[0], ordered[-1], self.values.choice(page)]
        if name.startswith("ts"):
            values = [v.to_pydatetime() if hasattr(v, "to_pydatetime") else v for v in values]
        return values

    def constant(self, name):
        value = neighbour(self.values, self.values.choice(self.constants[name]))
        kind = self.rng.choice(TYPES[name])
        if isinstance(value, int) and not isinstance(value, bool):
            limits = {
                "TINYINT": (-128, 127),
                "SMALLINT": (-32768, 32767),
                "INTEGER": (-(2**31), 2**31 - 1),
                "BIGINT": (-(2**63) + 1, 2**63 - 1),
                "UTINYINT": (0, 255),
                "USMALLINT": (0, 65535),
                "UINTEGER": (0, 2**32 - 1),
                "UBIGINT": (0, 2**64 - 1),
            }
            low, high = limits.get(kind, (-(10**11), 10**11))
            value = min(max(value, low), high)
            if kind.startswith("DECIMAL"):
                return f"{value}.{self.values.choice('05')}"
            if kind == "DOUBLE":
                return f"({value}{self.values.choice(['.0', '.5'])})::DOUBLE"
        if isinstance(value, decimal.Decimal):
            return str(int(value)) if kind == "INTEGER" else f"{value:f}"
        return literal(value, kind)

    def simple(self):
        rng, name = self.rng, self.rng.choice(self.columns)
        shape = rng.randrange(12)
        if shape == 0:
            return f"{name} IS {rng.choice(['NULL', 'NOT NULL'])}"
        if name == "b" and shape < 6:
            return rng.choice(["b", "NOT b", "b = FALSE", "b IS TRUE", "b <> TRUE"])
        if shape == 1:
            return f"{name} BETWEEN {self.constant(name)} AND {self.constant(name)}"
        if shape == 2 and name not in ("f32", "f64"):
            constants = ", ".join(self.constant(name) for _ in range(rng.randrange(1, 5)))
            return f"{name} {rng.choice(['IN', 'IN', 'NOT IN'])} ({constants})"
        if shape == 3 and name == "s" or shape == 4 and name == "s":
            prefix = self.values.choice(self.constants["s"])[: self.values.randrange(6)]
            return f"s {rng.choice(['LIKE', 'LIKE', 'NOT LIKE'])} '{prefix}{rng.choice(['%', '%1', '_%', ''])}'"
        if shape == 5:
            return f"{self.constant(name)} {rng.choice(TESTS)} {name}"
        return f"{name} {rng.choice(TESTS)} {self.constant(name)}"

    def predicate(self, depth=0):
        shape = self.rng.randrange(10)
        if depth > 2 or shape < 5:
            return self.simple()
        if shape == 5:
            return f"NOT ({self.predicate(depth + 1)})"
        return f"({self.predicate(depth + 1)} {self.rng.choice(['AND', 'AND', 'OR'])} {self.predicate(depth + 1)})"


def ask(driver, oracle, tally, statement, **expected):
    """Compares an answer; returns ours where it is right."""
    theirs = oracle.answer(statement)
    assert not theirs.error, f"{statement}: {theirs.message}"
    ours = driver.answer(statement)
    wrong = f"{ours.error}: {ours.message}" if ours.error else difference(ours, theirs)
    for name, value in expected.items():
        if not wrong and getattr(ours, name) != value:
            wrong = f"{name} is {getattr(ours, name)}, not {value}"
    tally.check(f"{driver.device}: {statement}", wrong)
    return None if wrong else ours


def ask_random(driver, oracle, tally, rng, files, options, totals):
    predicates = {name: Predicates(rng, table) for name, table in files}
    for shape in range(options.shapes):
        for name, _ in files:
            for _ in range(options.constants):
                one = predicates[name]
                one.begin_shape(f"{options.seed} {shape}")
                driver.set(batch_rows=rng.choice([0, 64, 1024, 4096]))
                where = one.predicate()
                # DuckDB's TIMESTAMP_NS is another type than ours.
                carried = one.rng.choice([column for column in COLUMNS if column != "ts_ns"])
                items = one.rng.choice(
                    ["id", f"id, {carried}", f"count(*), count({carried}), max(id)"]
                )
                ours = ask(driver, oracle, tally, f"SELECT {items} FROM '{name}' WHERE {where}")
                if ours:
                    totals[name].update(ours.skipped)


SPECIAL = [f"{name}.parquet" for name in ("gap_paged", "bloom", "sales", "days", "month")]
# Each leaves rows out for one reason, which the count shows. `reason`: of row groups, or "pages".
SKIPS = [
    ("full_paged.parquet", "SELECT count(*) FROM $ WHERE id < 3000", {"statistics": 3, "pages": 3, "rows": 21_000}),
    ("full_paged.parquet", "SELECT s, f64 FROM $ WHERE id BETWEEN 13100 AND 13200", {"statistics": 3, "pages": 5, "rows": 23_000}),
    ("full_statistics.parquet", "SELECT id FROM $ WHERE id >= 6000 AND id < 6001", {"statistics": 3, "pages": 0, "rows": 18_000}),
    ("full_without.parquet", "SELECT id FROM $ WHERE id < 0", {"statistics": 0, "pages": 0, "rows": 0}),
    ("nulls_paged.parquet", "SELECT id FROM $ WHERE i64 IS NOT NULL", {"statistics": 1, "rows": 6_000}),
    ("gap_paged.parquet", "SELECT id FROM $ WHERE v = 1500", {"page_index": 1, "rows": 6_000}),
    ("bloom.parquet", "SELECT id FROM $ WHERE k = 1001", {"statistics": 0, "bloom_filters": 4, "rows": 24_000}),
    ("bloom.parquet", "SELECT count(*) FROM $ WHERE t IN ('x1', 'x3')", {"statistics": 0, "bloom_filters": 4, "rows": 24_000}),
    ("bloom.parquet", "SELECT count(*) FROM $ WHERE t IN ('x2', 'x3')", {"bloom_filters": 0, "rows": 0}),
    ("sales.parquet", "SELECT sum(id) FROM $ s JOIN 'days.parquet' d USING (day) WHERE month = 1", {"statistics": 2, "rows": 16_000}),
    ("sales.parquet", "SELECT count(*) FROM $ s JOIN 'days.parquet' d USING (day) WHERE day IN (1, 20)", {"statistics": 2, "rows": 22_000}),
    ("sales.parquet", "SELECT count(*) FROM $ s JOIN 'days.parquet' d ON s.day = d.day WHERE d.day > 50", {"rows": 24_024}),
    ("sales.parquet", "SELECT sum(id) FROM $ WHERE day IN (SELECT day FROM 'month.parquet')", {"rows": 16_000}),
    ("sales.parquet", "SELECT sum(id) FROM $ WHERE day NOT IN (SELECT day FROM 'month.parquet')", {"rows": 0}),
    ("sales.parquet", "SELECT count(m.day) FROM $ s LEFT JOIN 'month.parquet' m ON s.day = m.day", {"rows": 0}),
    ("sales.parquet", "SELECT count(*) FROM $ s JOIN 'month.parquet' m ON s.day + 1 = m.day", {"rows": 0}),
]  # fmt: skip


def write_special(folder):
    """A file with pages that leave a gap in their row group's range, one with equal ranges, and days of sales."""
    gap = pyarrow.table(
        {"id": range(6_000), "v": [row if row < 1_000 else 1_000 + row for row in range(6_000)]}
    )
    pyarrow.parquet.write_table(
        gap,
        folder / "gap_paged.parquet",
        write_page_index=True,
        data_page_size=1,
        write_batch_size=PAGE_ROWS,
    )
    connection = duckdb.connect()
    connection.execute(
        f"""COPY (SELECT i AS id, 2 * (i * 7919 % 3000)::INTEGER AS k, 'x' || 2 * (i * 7919 % 3000) AS t FROM range({ROWS}) r(i))
            TO '{folder / "bloom.parquet"}' (FORMAT parquet, ROW_GROUP_SIZE {GROUP_ROWS}, DICTIONARY_SIZE_LIMIT 10000)"""
    )

    sales = {
        "id": range(ROWS),
        "day": pyarrow.array([row // PAGE_ROWS for row in range(ROWS)], pyarrow.int32()),
    }
    pyarrow.parquet.write_table(
        pyarrow.table(sales),
        folder / "sales.parquet",
        row_group_size=GROUP_ROWS,
        write_page_index=True,
        data_page_size=1,
        write_batch_size=PAGE_ROWS,
    )
    days = pyarrow.table({"day": range(24), "month": [day // 8 for day in range(24)]})
    pyarrow.parquet.write_table(days, folder / "days.parquet")
    month = pyarrow.table({"day": [None, *range(15, 7, -1)]})
    pyarrow.parquet.write_table(month, folder / "month.parquet")


def ask_skips(driver, oracle, tally):
    for name, statement, counts in SKIPS:
        ours = ask(driver, oracle, tally, statement.replace("$", f"'{name}'"))
        if ours:
            found = {reason: ours.skipped[reason] for reason in counts}
            tally.check(
                f"{driver.device}: {name}: {statement}: what is skipped",
                None if found == counts else f"{found}, not {counts}",
            )


# A skipped row must not hide a fault that counts, nor must one that does not count be seen.
FAULTS = [
    "SELECT id FROM 'faults.parquet' WHERE 10 // z > 3 AND a > 50",
    "SELECT id FROM 'faults.parquet' WHERE a > 50 AND 10 // z > 3",
    "SELECT 10 // z FROM 'faults.parquet' WHERE a > 50",
    "SELECT id FROM 'faults.parquet' WHERE n > 50 AND 10 // z > 3",
    "SELECT id FROM (SELECT id, a FROM 'faults.parquet' WHERE 10 // z > 3) q WHERE a > 50",
    "SELECT id FROM 'faults.parquet' f JOIN 'hundred.parquet' h ON f.a = h.a WHERE 10 // z > 3",
    "SELECT sum(10 // z) FROM 'faults.parquet' f JOIN 'hundred.parquet' h ON f.a = h.a",
    "SELECT id FROM 'faults.parquet' f JOIN 'hundred.parquet' h ON 10 // f.z = h.a",
]  # fmt: skip


def ask_faults(driver, tally, folder):
    """The same file without statistics has no rows skipped: faults must be the same."""
    rows = range(4_000)
    table = pyarrow.table(
        {
            "id": rows,
            "a": [0 if row < 2_000 else 100 for row in rows],
            "n": pyarrow.array([None if row < 2_000 else 100 for row in rows], pyarrow.int64()),
            "z": [0 if row == 7 else 2 for row in rows],
        }
    )
    pyarrow.parquet.write_table(pyarrow.table({"a": [100]}), folder / "hundred.parquet")
    for name, statistics in (("faults.parquet", True), ("plain_faults.parquet", False)):
        pyarrow.parquet.write_table(
            table, folder / name, row_group_size=1_000, write_statistics=statistics
        )
    for statement in FAULTS:
        skipping = driver.answer(statement)
        reading = driver.answer(statement.replace("faults", "plain_faults"))
        wrong = None
        if skipping.error != reading.error:
            wrong = f"{skipping.error or 'rows'} with skipping, {reading.error or 'rows'} without: {skipping.message}{reading.message}"
        elif not reading.error:
            wrong = difference(skipping, reading)
        tally.check(f"{driver.device}: {statement}", wrong)


# By the footer alone; by kernels where it cannot tell.
ANSWERED = ["count(*)", "count(*), count(i16), count(s)", "min(i8), max(i8), min(u64), max(u64)", "min(dt), max(dt), min(i32)",
            "max(ts_ms), min(ts_us)", "min(d9_2), max(d9_2), min(d18_3), max(d18_3)", "min(b), max(b)", "count(f64), min(id)"]  # fmt: skip
COMPUTED = [
    "min(f64)",
    "max(f32)",
    "count(*), sum(i8)",
    "count(DISTINCT i8)",
    "min(i8 // 2)",
    "min(s), max(s)",
]


def ask_aggregates(driver, oracle, tally, name):
    for items in ANSWERED:
        ask(driver, oracle, tally, f"SELECT {items} FROM '{name}'", kernels=0)
        ask(driver, oracle, tally, f"SELECT {items} FROM '{name}' WHERE id >= 0")
    for items in COMPUTED:
        ours = ask(driver, oracle, tally, f"SELECT {items} FROM '{name}'")
        if ours:
            tally.check(f"{driver.device}: {items} by a kernel", None if ours.kernels else "none")


def lie(folder, name, value, other):
    """Writes a copy of a file in which 8 bytes of its footer or page index stand for another value; the data pages stay."""
    data = (folder / name).read_bytes()
    footer_bytes = struct.unpack("<i", data[-8:-4])[0]
    index_begin = len(data) - 8 - footer_bytes - 4_000
    changed = data[index_begin:].replace(struct.pack("<q", value), struct.pack("<q", other))
    assert changed != data[index_begin:]
    (folder / ("lying_" + name)).write_bytes(data[:index_begin] + changed)


def ask_liars(driver, oracle, tally, folder):
    """A wrong maximum is believed, and --validate finds it."""
    largest = 0x1234567890
    values = list(range(8_000)) + [largest] + list(range(7_999))
    for name, options in (
        ("of_groups.parquet", {}),
        (
            "of_pages.parquet",
            {"write_page_index": True, "data_page_size": 1, "write_batch_size": PAGE_ROWS},
        ),
    ):
        pyarrow.parquet.write_table(
            pyarrow.table({"v": values}),
            folder / name,
            row_group_size=4_000,
            use_dictionary=False,
            **options,
        )
        lie(folder, name, largest, 9_000)
        statement = f"SELECT v FROM 'lying_{name}' WHERE v > 10000"
        driver.set(validate=1)
        ours = driver.answer(statement)
        found = ours.error == "corrupt" and "column 'v', row group 2" in ours.message
        tally.check(
            f"{driver.device}: {statement} --validate",
            None if found else f"{ours.error}: {ours.message}",
        )
        honest = driver.answer(f"SELECT v FROM '{name}' WHERE v > 10000")
        tally.check(f"{driver.device}: validating {name}", honest.message or None)
        ours = driver.answer(f"SELECT max(v) FROM 'lying_{name}'")
        tally.check(
            f"{driver.device}: max of lying_{name} --validate",
            None if ours.error == "corrupt" else "no error",
        )
        driver.set(validate=0)
        ours = driver.answer(statement)
        tally.check(
            f"{driver.device}: {statement}",
            None if not ours.error and ours.row_count == 0 else "not believed",
        )


def main():
    options = test_options(shapes=25, constants=3, seed=1)
    rng = random.Random(options.seed)
    tally, totals = Tally(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory(prefix="penstock-skipping-") as path:
        folder = pathlib.Path(path)
        oracle = Oracle(folder)
        files = list(write_files(folder, rng))
        write_special(folder)
        for name in [name for name, _ in files] + SPECIAL:
            oracle.load(name)
        for driver in drivers(options, folder, tally):
            ask_skips(driver, oracle, tally)
            ask_faults(driver, tally, folder)
            ask_liars(driver, oracle, tally, folder)
            ask_random(driver, oracle, tally, rng, files, options, totals)
            for name, _ in files:
                if "statistics" in name or "integers" in name:
                    ask_aggregates(driver, oracle, tally, name)
        for name, counts in totals.items():
            print(f"{name}: skipped {dict(counts)}")
            if "without" not in name:
                tally.check(f"{name}: rows are skipped at all", None if counts["rows"] else "none")
    return tally.finish()


sys.exit(main())
