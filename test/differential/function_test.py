"""Calls of DuckDB's functions, planned by DuckDB and run by Penstock, against DuckDB's answers.

    function_test.py QUERY_DRIVER PENSTOCK [--device ID] [--only NAME] [--table 1]

function_statements.txt has the calls. A scalar call is asked for every row, an aggregate for groups, for all rows, for
one row and for none; a fault must be one in both. The test fails where an answer is another, and where a function is
refused that is not among REFUSED. With --table 1 it prints the outcome of each function in place of failing.

DuckDB's moments lose digits of numbers with a large mean: `big` is compared with exact fractions.
"""

import collections
import datetime
import decimal
import fractions
import json
import math
import pathlib
import sys
import tempfile

import duckdb
import duckdb_planner
import pyarrow
import pyarrow.parquet
from driver import Tally, drivers, test_options
from oracle import values_of

STATEMENTS = pathlib.Path(__file__).parent / "function_statements.txt"
REFUSED = {
    "avg_of_dates",  # of a DATE: nanoseconds
    "bar",
    "base64",  # of a BLOB
    "hash",
    "lag",  # by a distance of each row
    "octet_length",  # of a BLOB
    "random",
    "unpivot",  # a list
}
RELATIVE, LOOSE = 1e-9, 1e-6
SCHEMA = [
    ("id", "INTEGER", pyarrow.int32()),
    ("k", "INTEGER", pyarrow.int32()),
    ("i", "INTEGER", pyarrow.int32()),
    ("b", "BIGINT", pyarrow.int64()),
    ("s", "SMALLINT", pyarrow.int16()),
    ("u", "UTINYINT", pyarrow.uint8()),
    ("d", "DOUBLE", pyarrow.float64()),
    ("f", "FLOAT", pyarrow.float32()),
    ("x", "DOUBLE", pyarrow.float64()),
    ("big", "DOUBLE", pyarrow.float64()),
    ("m", "DECIMAL(9,2)", pyarrow.decimal128(9, 2)),
    ("t", "VARCHAR", pyarrow.string()),
    ("q", "VARCHAR", pyarrow.string()),
    ("dt", "DATE", pyarrow.date32()),
    ("ts", "TIMESTAMP", pyarrow.timestamp("us")),
    ("o", "BOOLEAN", pyarrow.bool_()),
]
WORDS = ["apple", "Banana", "fig", "", "date palm", "éclair", "zig zag", "apple", "100%", "a_b"]
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -2.5]


def rows():
    """Groups by k: of 14, 9, 1 row, of NULLs alone, of ties alone, and of NULL itself."""
    keys = [1] * 14 + [2] * 9 + [3] + [4] * 3 + [5] * 6 + [None] * 4
    for n, k in enumerate(keys):
        some = lambda value, every: None if k == 4 or n % every == every - 1 else value
        mixed = n * 37 % 23
        yield (
            n,
            k,
            some(7 if k == 5 else mixed - 6, 7),
            some(n * n * 1_000_003 + 1, 9),
            some(mixed % 5, 6),
            some(mixed * 3, 11),
            some(2.5 if k == 5 else (mixed - 11) * 1.375 + n / 64, 8),
            some((mixed - 11) / 4, 10),
            SPECIAL[n % 7],
            some(1e9 + mixed + n / 128, 12),
            some(decimal.Decimal(mixed * 125 - 700).scaleb(-2), 5),
            some(WORDS[mixed % 10], 6),
            some("abc"[n % 3], 13),
            some(datetime.date(2019, 12, 28) + datetime.timedelta(days=n * n), 7),
            some(
                datetime.datetime(2020, 2, 28, 22, 30, 15, 123456)
                + datetime.timedelta(minutes=n * n * 331, microseconds=n),
                8,
            ),
            some(mixed % 3 == 0, 9),
        )


def write_table(folder):
    columns = zip(*rows())
    arrays = {name: pyarrow.array(values, kind) for (name, _, kind), values in zip(SCHEMA, columns)}
    pyarrow.parquet.write_table(pyarrow.table(arrays), f"{folder}/t.parquet")


def calls():
    """(section, function, call)."""
    section = ""
    for line in STATEMENTS.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            name, texts = line.split(" | ", 1)
            for text in texts.split(" ;; "):
                yield section, name, text


def statements_of(section, call):
    if section == "aggregate":
        return [
            f"SELECT k, {call} FROM t GROUP BY k ORDER BY k NULLS LAST",
            f"SELECT {call} FROM t",
            f"SELECT {call} FROM t WHERE id = 3",
            f"SELECT {call} FROM t WHERE id < 0",
        ]
    return [call if section == "statement" else f"SELECT id, {call} AS v FROM t ORDER BY id"]


def is_near(ours, theirs, relative):
    if not isinstance(theirs, float) or not isinstance(ours, float):
        return type(ours) is type(theirs) and ours == theirs
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return ours == theirs or abs(ours - theirs) <= relative * max(
        abs(theirs), 1 if relative == LOOSE else 1e-6
    )


def difference(ours, theirs, relative=RELATIVE):
    types, columns = theirs
    if [c.type for c in ours.columns] != types:
        return f"types {[c.type for c in ours.columns]}, DuckDB's {types}"
    for column, values in zip(ours.columns, columns):
        if len(column.values) != len(values):
            return f"{len(column.values)} rows, DuckDB has {len(values)}"
        for row, (mine, reference) in enumerate(zip(column.values, values)):
            if not is_near(mine, reference, relative):
                return f"row {row} of {column.name}: {mine!r}, DuckDB has {reference!r}"
    return None


def exact_moments(pairs):
    """var_samp, skewness and kurtosis of x; covar_pop, corr and regr_slope(y, x)."""
    n = len(pairs)
    mean_x, mean_y = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    second, third, fourth = (sum((x - mean_x) ** p for x, _ in pairs) / n for p in (2, 3, 4))
    products = sum((x - mean_x) * (y - mean_y) for x, y in pairs) / n
    of_y = sum((y - mean_y) ** 2 for _, y in pairs) / n
    skewness = math.sqrt(n * (n - 1)) / (n - 2) * float(third) / float(second) ** 1.5
    kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * float(fourth / second**2) - 3 * (n - 1))
    corr = float(products) / math.sqrt(float(second * of_y))
    return [
        float(second * n / (n - 1)),
        skewness,
        kurtosis,
        float(products),
        corr,
        float(products / second),
    ]


MOMENTS = (
    "SELECT k, var_samp(big), skewness(big), kurtosis(big), covar_pop(big, d), corr(big, d), regr_slope(d, big) "
    "FROM t WHERE k <= 2 AND big IS NOT NULL AND d IS NOT NULL GROUP BY k ORDER BY k"
)


def check_exact_moments(comparison, tally):
    plan, names, _ = duckdb_planner.plan_of(comparison.planner, MOMENTS)
    planned = {"statement": MOMENTS, "names": names, "tables": ["t.parquet"], "plan": plan}
    ours = comparison.driver.answer(json.dumps(planned))
    places = [[name for name, _, _ in SCHEMA].index(name) for name in ("k", "big", "d")]
    triples = [[row[place] for place in places] for row in rows()]
    for row, key in enumerate((1, 2)):
        pairs = [
            (fractions.Fraction(x), fractions.Fraction(y))
            for k, x, y in triples
            if k == key and x is not None and y is not None
        ]
        for column, wanted in zip(ours.columns[1:], exact_moments(pairs)):
            found = column.values[row]
            wrong = None if is_near(found, wanted, RELATIVE) else f"{found!r}, exactly {wanted!r}"
            tally.check(f"{comparison.driver.device}: {column.name} of group {key}", wrong)


class Comparison:
    def __init__(self, folder, driver):
        self.driver, self.plain, self.planner = driver, duckdb.connect(), duckdb.connect()
        self.plain.execute(f"CREATE TABLE t AS SELECT * FROM '{folder}/t.parquet'")
        self.plain.execute("SET threads = 1")
        duckdb_planner.disable_optimizers(self.planner)
        duckdb_planner.create_stand_in(self.planner, 0, "t", SCHEMA, self.row_count())

    def row_count(self):
        return self.plain.execute("SELECT count(*) FROM t").fetchall()[0][0]

    def theirs(self, text):
        relation = self.plain.sql(text)
        table = relation.to_arrow_table()
        return [str(kind) for kind in relation.types], [values_of(c) for c in table.columns]

    def outcome(self, section, text):
        """("equal" | "refused" | "wrong" | "unknown", why)."""
        try:
            theirs = self.theirs(text)
        except (duckdb.Error, pyarrow.ArrowException) as error:
            theirs = None
            if section != "fault":
                return "unknown", str(error).split("\n")[0]
        try:
            plan, names, _ = duckdb_planner.plan_of(self.planner, text)
        except (duckdb.Error, duckdb_planner.PlanError) as error:
            return (
                ("equal", "")
                if section == "fault"
                else ("unknown", "no plan: " + str(error).split("\n")[0])
            )
        planned = {"statement": text, "names": names, "tables": ["t.parquet"], "plan": plan}
        ours = self.driver.answer(json.dumps(planned))
        if ours.error == "unsupported":
            return "refused", ours.message.split("\n")[0]
        if theirs is None or ours.error:
            same = theirs is None and ours.error and ours.error != "crash"
            return ("equal", "") if same else ("wrong", ours.message or "no fault")
        wrong = difference(ours, theirs, LOOSE if "(big" in text or "big)" in text else RELATIVE)
        return ("wrong", wrong) if wrong else ("equal", "")


def main():
    options, tally = test_options(only="", table=0), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-functions-") as folder:
        write_table(folder)
        for driver in drivers(options, folder, tally):
            comparison, found = Comparison(folder, driver), collections.defaultdict(dict)
            for section, name, call in calls():
                if options.only and options.only != name:
                    continue
                for text in statements_of(section, call):
                    kind, why = comparison.outcome(section, text)
                    found[section, name].setdefault(kind, (text, why))
                    if options.table:
                        if kind != "equal":
                            print(f"{kind}: {section} {name}: {text}\n    {why}", flush=True)
                    elif kind == "refused" and name in REFUSED:
                        tally.refuse(why)
                    else:
                        tally.check(
                            f"{driver.device}: {text}",
                            None if kind == "equal" else f"{kind}: {why}",
                        )
            if not options.only:
                check_exact_moments(comparison, tally)
            if options.table:
                worst = collections.Counter()
                for function, kinds in found.items():
                    worst[
                        next(k for k in ("wrong", "refused", "unknown", "equal") if k in kinds)
                    ] += 1
                print(dict(worst))
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
