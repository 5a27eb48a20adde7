"""Keys of groups that are joined after grouping, against DuckDB: tables with unique and with repeated keys.

    late_keys_test.py QUERY_DRIVER PENSTOCK [--cases N] [--seed N] [--device ID] [--planner own]

Texts of a table beside the key that it is joined by are read for the first groups alone, if the key is unique. A statement orders its
rows by sums that differ for all groups, and by the keys that are not texts. Each is asked twice of a session.
"""

import os
import random
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.parquet
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

TABLE_ROWS, FACT_ROWS, FEW = 70_000, 220_000, 7
HUGE = [("BIGINT", "HUGEINT")]
# Which keys of the table repeat, and how its rows are left out.
TABLES = ["unique", "with_nulls", "one_repeats", "many_repeat", "pairs"]
PLACES = [("automatic", "automatic"), ("device", "host"), ("device", "device")]


def keys_of(kind, rng):
    """Two columns of numbers; of `pairs` both together are unique."""
    keys = list(range(TABLE_ROWS))
    if kind == "with_nulls":
        keys = [None if rng.random() < 0.1 else key for key in keys]
    elif kind == "one_repeats":
        keys[TABLE_ROWS // 2] = keys[3]
    elif kind == "many_repeat":
        keys = [rng.randrange(30_000) for _ in keys]
    elif kind == "pairs":
        return [key // 5 for key in keys], [key % 5 for key in keys]
    rng.shuffle(keys)
    return keys, [rng.randrange(5) for _ in keys]


def make_table(kind, rng):
    first, second = keys_of(kind, rng)
    maybe = lambda value: None if rng.random() < 0.1 else value
    return pyarrow.table(
        {
            "k": pyarrow.array(first, pyarrow.int64()),
            "k2": pyarrow.array(second, pyarrow.int32()),
            # Rows of equal keys may have equal texts, too.
            "name": pyarrow.array([maybe(f"name {key}") for key in first], pyarrow.string()),
            "comment": pyarrow.array(
                [maybe(rng.choice("abc") * rng.randrange(40)) for _ in first], pyarrow.string()
            ),
            "size": pyarrow.array([maybe(rng.randrange(9)) for _ in first], pyarrow.int32()),
            "few": pyarrow.array([rng.randrange(FEW) for _ in first], pyarrow.int32()),
            # The sums of these tell rows of one key apart.
            "w": pyarrow.array([rng.randrange(1 << 40) for _ in first], pyarrow.int64()),
        }
    )


def make_facts(rng):
    maybe = lambda value: None if rng.random() < 0.05 else value
    rows = range(FACT_ROWS)
    return pyarrow.table(
        {
            "f": pyarrow.array([maybe(rng.randrange(90_000)) for _ in rows], pyarrow.int64()),
            "f2": pyarrow.array([rng.randrange(5) for _ in rows], pyarrow.int32()),
            "d": pyarrow.array([maybe(rng.randrange(4)) for _ in rows], pyarrow.int32()),
            "v": pyarrow.array([maybe(rng.randrange(-50, 50)) for _ in rows], pyarrow.int32()),
        }
    )


class Statements:
    def __init__(self, rng):
        self.rng = rng

    def statement(self, kind):
        rng = self.rng
        is_pair = kind == "pairs"
        keys = [rng.choice(["f", "k"])] + ([rng.choice(["f2", "k2"])] if is_pair else [])
        late = rng.sample(["name", "comment", "size"], rng.choice([1, 2, 3]))
        tables = f"'facts.parquet' AS a, '{kind}.parquet' AS t"
        where = ["a.f = t.k"] + (["a.f2 = t.k2"] if is_pair else [])
        if rng.random() < 0.4:
            tables += ", 'few.parquet' AS n"
            where.append("t.few = n.few")
            late.append("few_name")
        if rng.random() < 0.15:
            tables = f"'facts.parquet' AS a LEFT JOIN '{kind}.parquet' AS t ON {' AND '.join(where[: 2 if is_pair else 1])}"
            where, late = [], [one for one in late if one != "few_name"]
        where += self._some(["a.v > 0", "a.d = 1"], 0.3)
        where += self._some(["t.size > 3", "t.w > 1000000", "t.w < 0", "name IS NOT NULL"], 0.3)
        keys += self._some(["a.d"], 0.3)
        names = keys + late
        rng.shuffle(names)
        sums = (
            ["sum(t.w) AS w", "count(*) AS c"]
            + self._some(
                [
                    "sum(v) AS s",
                    "min(v) AS s",
                    "avg(v) AS s",
                    "count(DISTINCT v) AS s",
                    "max(name) AS s",
                ],
                0.6,
            )
            + self._some(["count(*) FILTER (WHERE v > 10) AS x"], 0.3)
        )
        having = self._some(["count(*) > 2", "sum(v) < 40", "max(size) > 2", "size > 4"], 0.3)
        if having == ["size > 4"] and "size" not in late:
            having = []
        order = ["w" + rng.choice(["", " DESC"]) + " NULLS LAST"]
        order += self._some(["name"], 0.1) if "name" in late else []
        order += keys
        limit = f"LIMIT {rng.choice([1, 20, 500])}" + rng.choice(["", "", " OFFSET 7"])
        selected = names + sums
        rng.shuffle(selected)
        text = (
            f"SELECT {', '.join(selected)} FROM {tables}"
            + (f" WHERE {' AND '.join(where)}" if where else "")
            + f" GROUP BY {', '.join(names)}"
            + (f" HAVING {' AND '.join(having)}" if having else "")
            + f" ORDER BY {', '.join(order)} {limit}"
        )
        return f"SELECT count(*), max(w), sum(c) FROM ({text})" if rng.random() < 0.1 else text

    def _some(self, choices, share):
        return [self.rng.choice(choices)] if self.rng.random() < share else []


def check_plan(options, folder, tally):
    """The plan names what it expects, or nothing of this would be tested."""
    text = (
        "SELECT k, name, sum(v) AS s FROM 'facts.parquet', 'unique.parquet' WHERE f = k "
        "GROUP BY k, name ORDER BY s DESC LIMIT 5"
    )
    explained = subprocess.run(
        [os.path.abspath(options.penstock), "query", "--explain", text],
        cwd=folder,
        capture_output=True,
        text=True,
    ).stdout
    wanted = "groups of all keys if a key stands there twice"
    tally.check("the plan of " + text, "" if wanted in explained else explained)


def check_session(options, folder, tally):
    """A session answers alike before and after it has found that keys repeat."""
    for kind in TABLES:
        text = (
            f"SELECT k, name, max(w) AS m FROM 'facts.parquet', '{kind}.parquet' WHERE f = k "
            "GROUP BY k, name ORDER BY m DESC LIMIT 5;\n"
        )
        answers = subprocess.run(
            [os.path.abspath(options.penstock), "shell", "--device", "cpu:0", "--format", "csv"],
            cwd=folder,
            input=text * 3,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        parts = [answers[i : i + 6] for i in (0, 6, 12)]
        alike = len(answers) == 18 and parts[0] == parts[1] == parts[2]
        tally.check(f"three times in a session: {text}", "" if alike else "\n".join(answers))


def main():
    options = test_options(cases=40, seed=1, planner="own")
    tally, rng = Tally(), random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="penstock-late-keys-") as folder:
        write = lambda table, name: pyarrow.parquet.write_table(
            table, f"{folder}/{name}.parquet", row_group_size=30_000
        )
        for kind in TABLES:
            write(make_table(kind, rng), kind)
        write(make_facts(rng), "facts")
        write(
            pyarrow.table(
                {
                    "few": pyarrow.array(range(FEW - 1), pyarrow.int32()),
                    "few_name": [f"few {n}" for n in range(FEW - 1)],
                }
            ),
            "few",
        )
        check_plan(options, folder, tally)
        check_session(options, folder, tally)
        oracle, statements = Oracle(folder), Statements(rng)
        cases = []
        for place in range(options.cases):
            text = statements.statement(TABLES[place % len(TABLES)])
            cases.append((text, oracle.answer(text)))
        for driver in drivers(options, folder, tally):
            for part, (rows, pages) in enumerate(PLACES):
                driver.set(rows=rows, pages=pages, cache=64, planner=options.planner)
                label = f"seed {options.seed}, rows {rows}, pages {pages}: "
                some = cases[part :: len(PLACES)]
                check_answers(driver, tally, some, lambda place: 0, label, HUGE)
                check_answers(driver, tally, some[:4], lambda place: 0, label + "again: ", HUGE)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
