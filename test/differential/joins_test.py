"""Random joins against DuckDB, on every device found.

    joins_test.py QUERY_DRIVER PENSTOCK [--cases N] [--seed N] [--device ID]

Tables differ in size, in how often a key stands, in NULLs and in the types of keys that meet. A statement orders its rows by all of
their columns, as DuckDB promises no order. Every failure is printed with the seed and the statement.
Tables of joins are made where the device has them by itself, or all on the device, of pages too; and by partitions, where memory is
short. There is also a table of which one key has most rows.
"""

import datetime
import decimal
import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

HUGE = [("BIGINT", "HUGEINT")]
# Columns of every table: i, j and u (integers), s (text), t (date), m (decimal), v (value). These
# pairs of them may be keys.
KEY_PAIRS = [
    ("i", "i"),
    ("i", "j"),
    ("j", "i"),
    ("s", "s"),
    ("t", "t"),
    ("m", "m"),
    ("i", "j + 1"),
    ("i + 1", "i"),
    ("lower(s)", "s"),
    ("u", "i"),
    ("j", "u"),
    ("u", "u"),
]
SIZES = [0, 1, 7, 64, 300, 1500]


def make_table(rng, rows):
    nulls, distinct = rng.choice([0, 0, 0.1, 0.5]), rng.choice([1, 5, 40, 2000])
    integer = (
        rng.choice([pyarrow.int8(), pyarrow.int32(), pyarrow.int64()])
        if distinct < 100
        else pyarrow.int32()
    )
    unique = rows > 1 and rng.random() < 0.4 and not pyarrow.types.is_int8(integer)

    def column(kind, value):
        return pyarrow.array(
            [None if rng.random() < nulls else value(rng.randrange(distinct)) for _ in range(rows)],
            kind,
        )

    first = list(range(rows))
    rng.shuffle(first)
    return pyarrow.table(
        {
            "i": pyarrow.array(first, integer) if unique else column(integer, lambda n: n - 2),
            "j": column(pyarrow.int64(), lambda n: n * rng.choice([1, 1, 1_000_003])),
            # it also meets j beyond the largest BIGINT, where its bits equal the bits of a negative
            # one
            "u": column(pyarrow.uint64(), lambda n: (n - 1) % 2**64),
            "s": column(pyarrow.string(), lambda n: rng.choice(["", "a", "B", "b"]) + str(n)),
            "t": column(
                pyarrow.date32(), lambda n: datetime.date(2020, 1, 1) + datetime.timedelta(days=n)
            ),
            "m": column(pyarrow.decimal128(9, 2), lambda n: decimal.Decimal(n) / 4),
            "v": column(pyarrow.int32(), lambda n: rng.randrange(-100, 100)),
        }
    )


class RandomJoins:
    def __init__(self, rng, files):
        self.rng, self.files = rng, files

    def _equal(self, left, right):
        ours, theirs = self.rng.choice(KEY_PAIRS)
        qualified = [
            side.replace(name, f"{table}.{name}", 1)
            for table, side, name in (
                (left, ours, "s" if "(" in ours else ours[0]),
                (right, theirs, theirs[0]),
            )
        ]
        return " = ".join(qualified if self.rng.random() < 0.5 else qualified[::-1])

    def _filter(self, table):
        value = self.rng.randrange(-60, 60)
        return self.rng.choice(
            [
                f"{table}.v > {value}",
                f"{table}.v % 3 <> 1",
                f"{table}.s LIKE 'a%'",
                f"{table}.m IS NOT NULL",
            ]
        )

    def _some(self, condition, share):
        return [condition] if self.rng.random() < share else []

    def statement(self):
        return self.rng.choice(
            [
                self._inner,
                self._inner,
                self._left,
                self._left_then_inner,
                self._using,
                self._semi,
                self._in,
            ]
        )()

    def _from(self, count):
        return [(self.rng.choice(self.files), name) for name in "abc"[:count]]

    def _select(self, tables, source, where):
        names = [name for _, name in tables]
        columns = [
            f"{self.rng.choice(names)}.{column}"
            for column in self.rng.sample("ijstmv", self.rng.choice([1, 2, 4]))
        ]
        condition = f" WHERE {' AND '.join(where)}" if where else ""
        form = self.rng.random()
        if form < 0.4:
            return f"SELECT {', '.join(columns)} FROM {source}{condition} ORDER BY {', '.join(columns)} LIMIT 3000"
        sums = f"count(*), count({columns[0]}), sum({names[0]}.v), min({names[-1]}.v), max({names[-1]}.t)"
        if form < 0.55:
            return f"SELECT {sums} FROM {source}{condition}"
        if form < 0.7:
            return self._windows(columns, names, source, condition)
        having = self.rng.choice(
            [
                "",
                "",
                " HAVING count(*) > 2",
                f" HAVING min({names[-1]}.v) < 0",
                f" HAVING sum({names[0]}.v) > 5",
            ]
        )
        tail = self.rng.choice(
            ["", "", " DESC NULLS FIRST LIMIT 20", " NULLS FIRST LIMIT 10 OFFSET 3", " OFFSET 2"]
        )
        distinct = (
            f", count(DISTINCT {names[-1]}.{self.rng.choice('ijst')})"
            if self.rng.random() < 0.3
            else ""
        )
        return (
            f"SELECT {columns[0]}, {sums}{distinct} FROM {source}{condition} GROUP BY {columns[0]}{having} "
            f"ORDER BY {columns[0]}{tail}"
        )

    def _windows(self, columns, names, source, condition):
        """Windows with results that depend on values alone: rows of a join have no order."""
        order = ", ".join(columns)
        calls = self.rng.sample(
            [
                f"sum({names[0]}.v) OVER (ORDER BY {order})",
                f"rank() OVER (PARTITION BY {columns[0]} ORDER BY {order})",
                f"count({names[-1]}.v) OVER (PARTITION BY {order})",
                f"dense_rank() OVER (ORDER BY {columns[0]} DESC)",
                f"max({names[-1]}.t) OVER (PARTITION BY {columns[0]})",
            ],
            2,
        )
        places = ", ".join(str(i + 1) for i in range(len(columns) + len(calls)))
        return f"SELECT {order}, {', '.join(calls)} FROM {source}{condition} ORDER BY {places} LIMIT 3000"

    def _inner(self):
        tables = self._from(self.rng.choice([2, 2, 3]))
        where = [self._equal("a", "b")] + self._some(self._equal("a", "b"), 0.3)
        if self.rng.random() < 0.15:  # an equality of every branch
            where[0] = f"({where[0]} AND {self._filter('a')} OR {where[0]} AND {self._filter('b')})"
        if len(tables) == 3:
            where.append(self._equal(self.rng.choice("ab"), "c"))
        for _, name in tables:
            where += self._some(self._filter(name), 0.4)
        where += self._some("a.v < b.v", 0.2)
        self.rng.shuffle(where)
        return self._select(
            tables, ", ".join(f"'{file}' AS {name}" for file, name in tables), where
        )

    def _using(self):
        tables = self._from(2)
        kind = self.rng.choice(["JOIN", "JOIN", "LEFT JOIN"])
        keys = ", ".join(self.rng.sample("ijstm", self.rng.choice([1, 1, 2])))
        where = self._some(self._filter("a"), 0.4) + (
            self._some(self._filter("b"), 0.4) if kind == "JOIN" else []
        )
        return self._select(
            tables, f"'{tables[0][0]}' AS a {kind} '{tables[1][0]}' AS b USING ({keys})", where
        )

    def _left_then_inner(self):
        tables = self._from(3)
        first = f"'{tables[0][0]}' AS a LEFT JOIN '{tables[1][0]}' AS b ON {self._equal('a', 'b')}"
        second = self.rng.choice(["JOIN", "LEFT JOIN"])
        source = f"{first} {second} '{tables[2][0]}' AS c ON {self._equal('a', 'c')}"
        return self._select(tables, source, self._some(self._filter("a"), 0.5))

    def _left(self):
        tables = self._from(2)
        on = (
            [self._equal("a", "b")]
            + self._some(self._filter("a"), 0.3)
            + self._some(self._filter("b"), 0.3)
        )
        where = self._some(self._filter("a"), 0.3) + self._some(
            self.rng.choice(["b.v IS NULL", "b.v > 0"]), 0.3
        )
        return self._select(
            tables,
            f"'{tables[0][0]}' AS a LEFT JOIN '{tables[1][0]}' AS b ON {' AND '.join(on)}",
            where,
        )

    def _semi(self):
        (file, _), (other, _) = tables = self._from(2)
        inside = " AND ".join(
            [self._equal("a", "b")]
            + self._some(self._equal("a", "b"), 0.3)
            + self._some(self._filter("b"), 0.4)
        )
        negated = self.rng.choice(["", "NOT "])
        return self._select(
            tables[:1],
            f"'{file}' AS a",
            [f"{negated}EXISTS (SELECT * FROM '{other}' AS b WHERE {inside})"]
            + self._some(self._filter("a"), 0.4),
        )

    def _in(self):
        (file, _), (other, _) = tables = self._from(2)
        column = self.rng.choice("ijst")
        inside = "".join(f" WHERE {condition}" for condition in self._some(self._filter("b"), 0.5))
        grouped = f" GROUP BY {column} HAVING count(*) > 1" if self.rng.random() < 0.3 else ""
        negated = self.rng.choice(["", "NOT "])
        return self._select(
            tables[:1],
            f"'{file}' AS a",
            [f"a.{column} {negated}IN (SELECT {column} FROM '{other}' AS b{inside}{grouped})"]
            + self._some(f"a.v IN (SELECT v FROM '{file}' AS c WHERE c.m > 3)", 0.2),
        )


def skewed_table(rng):
    """600 rows: 320 have one key, which with itself has 102,400 pairs, and 40 have none."""
    keys = [7] * 320 + [None] * 40 + [rng.randrange(1000) * 1_000_003 for _ in range(240)]
    rng.shuffle(keys)
    return pyarrow.table(
        {
            "i": pyarrow.array(keys, pyarrow.int64()),
            "v": pyarrow.array([rng.randrange(-100, 100) for _ in keys], pyarrow.int32()),
            "s": pyarrow.array([rng.choice(["a", "bb", None]) for _ in keys], pyarrow.string()),
        }
    )


SKEWED = [
    f"SELECT {columns} FROM 'skew.parquet' AS a {kind} 'skew.parquet' AS b ON a.i = b.i{rest}"
    for kind in ("JOIN", "LEFT JOIN")
    for columns, rest in (
        ("count(*), count(b.s), sum(a.v), min(b.v)", ""),
        ("a.s, b.s, count(*), sum(b.v)", " GROUP BY a.s, b.s ORDER BY 1, 2"),
        ("a.i, a.v, a.s, b.v, b.s", " WHERE a.v > 90 ORDER BY 1, 2, 3, 4, 5"),
        ("a.i, upper(b.s), count(*)", " WHERE a.v > b.v GROUP BY 1, 2 ORDER BY 1, 2"),
    )
]


# Places of rows between kernels, decoders of pages, and limits of memory. A quarter of the memory
# is for right sides.
PLACES = [
    ("automatic", "automatic", 0),
    ("device", "host", 0),
    ("device", "device", 0),
    ("device", "host", 64 << 10),
    ("device", "device", 64 << 10),
]


def main():
    options = test_options(cases=60, seed=1)
    tally, rng = Tally(), random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="penstock-joins-") as folder:
        files = []
        for number, rows in enumerate(SIZES + SIZES[2:]):
            files.append(f"t{number}.parquet")
            pyarrow.parquet.write_table(
                make_table(rng, rows), f"{folder}/{files[-1]}", row_group_size=500
            )
        pyarrow.parquet.write_table(skewed_table(rng), f"{folder}/skew.parquet", row_group_size=500)
        oracle, joins = Oracle(folder), RandomJoins(rng, files)
        cases = [(text, oracle.answer(text)) for text in SKEWED]
        while len(cases) < options.cases + len(SKEWED):
            text = joins.statement()
            answer = oracle.answer(text)
            if not answer.error:
                cases.append((text, answer))
        for driver in drivers(options, folder, tally):
            for part, (rows, pages, memory) in enumerate(PLACES):
                driver.set(rows=rows, pages=pages, memory_limit=memory)
                check_answers(
                    driver,
                    tally,
                    cases[: len(SKEWED)] + cases[len(SKEWED) + part :: len(PLACES)],
                    lambda place: 0 if place % 2 else 128,
                    f"seed {options.seed}, rows {rows}, pages {pages}, memory {memory}: ",
                    HUGE,
                )
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
