"""Random nested statements, planned by DuckDB and run by Penstock, against DuckDB's answers.

    nested_test.py QUERY_DRIVER PENSTOCK [--device ID] [--cases N] [--seed N] [--verbose 1] [--pending 1] [--planner own]

DuckDB plans in this process, over stand-ins (duckdb_planner.py). With --planner own the own binder does, and cases are statements
that it takes. A difference is shown by the smallest statement that has it.
"""

import collections
import decimal
import json
import math
import random
import re
import sys
import tempfile

import duckdb
import duckdb_planner
import nested_statements
import pyarrow
import pyarrow.parquet
from driver import Tally, drivers, test_options
from oracle import values_of

MAX_REFUSED = 0.1
NULL = '"NULL"'  # DuckDB's type of NULL alone, which is INTEGER here


def write_tables(folder, seed):
    rng = random.Random(seed)
    types = {
        "INTEGER": pyarrow.int32(),
        "BIGINT": pyarrow.int64(),
        "VARCHAR": pyarrow.string(),
        "DATE": pyarrow.date32(),
        "DOUBLE": pyarrow.float64(),
        "BOOLEAN": pyarrow.bool_(),
    }
    for name, count in nested_statements.ROWS.items():
        columns = list(zip(*nested_statements.table_rows(rng, count))) or [[]] * 7
        arrays = {}
        for (column, kind), values in zip(nested_statements.SCHEMA, columns):
            if kind.startswith("DECIMAL"):
                cents = [v if v is None else decimal.Decimal(v).scaleb(-2) for v in values]
                arrays[column] = pyarrow.array(cents, pyarrow.decimal128(9, 2))
            else:
                arrays[column] = pyarrow.array(values, types[kind])
        pyarrow.parquet.write_table(pyarrow.table(arrays), f"{folder}/{name}.parquet")


def over_files(text):
    """The statement over files, each called as its table."""
    names = "|".join(nested_statements.ROWS)
    return re.sub(rf"\b(FROM|JOIN) ({names})\b", r"\1 '\2.parquet'", text)


class Engines:
    """DuckDB twice, with its optimizers and without, and as a planner over stand-ins."""

    def __init__(self, folder):
        self.plain, self.strict, self.planner = (duckdb.connect() for _ in range(3))
        self.strict.execute("PRAGMA disable_optimizer")
        duckdb_planner.disable_optimizers(self.planner)
        self.tables = []
        for number, (name, count) in enumerate(nested_statements.ROWS.items()):
            for connection in (self.plain, self.strict):
                connection.execute(
                    f"CREATE TABLE {name} AS SELECT * FROM '{folder}/{name}.parquet'"
                )
            duckdb_planner.create_stand_in(
                self.planner, number, name, nested_statements.SCHEMA, count
            )
            self.tables.append(f"{name}.parquet")

    def recorded(self, text):
        """The plan as Penstock takes it; None if DuckDB has none."""
        try:
            plan, names, _ = duckdb_planner.plan_of(self.planner, text)
        except (duckdb.Error, duckdb_planner.PlanError):
            return None
        planned = {"statement": text, "names": names, "tables": self.tables, "plan": plan}
        return json.dumps(planned)

    def answer(self, text):
        """The types and the columns' values; None where DuckDB fails, or has two answers."""
        first = _answer(self.plain, text)
        if first is None:
            return None
        second = _answer(self.strict, text)
        return first if second is not None and not difference(second, first) else None


def _answer(connection, text):
    try:
        relation = connection.sql(text)
        table = relation.to_arrow_table()
    except duckdb.Error:
        return None
    return [str(kind) for kind in relation.types], [values_of(column) for column in table.columns]


def _rank(value):
    """Floats may differ in their last digits: they come last, and rounded."""
    if value is None:
        return (1, 0)
    return (0, round(value, 6)) if isinstance(value, float) else (0, value)


def rows_of(columns):
    is_float = [any(isinstance(v, float) for v in column) for column in columns]
    places = sorted(range(len(columns)), key=lambda i: is_float[i])
    rows = list(zip(*columns))
    return sorted(rows, key=lambda row: [_rank(row[i]) for i in places])


def is_same(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, float):
        both_nan = math.isnan(ours) and math.isnan(theirs)
        return both_nan or math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-6)
    return type(ours) is type(theirs) and ours == theirs


def difference(ours, theirs, in_order=False):
    """`ours` and `theirs` are (types, columns). Returns a sentence, or None."""
    if ours[0] != theirs[0]:
        return f"types {ours[0]}, DuckDB's {theirs[0]}"
    mine, reference = [
        list(zip(*columns)) if in_order else rows_of(columns) for _, columns in (ours, theirs)
    ]
    if len(mine) != len(reference):
        return f"{len(mine)} rows, DuckDB has {len(reference)}"
    for left, right in zip(mine, reference):
        if not all(map(is_same, left, right)):
            return f"row {left}, DuckDB has {right}"
    return None


class Comparison:
    def __init__(self, engines, driver, tally, is_own):
        self.engines, self.driver, self.tally, self.is_own = engines, driver, tally, is_own
        self.kept = collections.Counter()

    def finding(self, text):
        """What is wrong with our answer; "" if nothing is, None if there is nothing to compare."""
        plan = over_files(text) if self.is_own else self.engines.recorded(text)
        theirs = self.engines.answer(text) if plan else None
        if theirs is None or (self.is_own and NULL in theirs[0]):
            return None
        ours = self.driver.answer(plan)
        if ours.error:
            return f"{ours.error}: {ours.message}"
        columns = ([c.type for c in ours.columns], [c.values for c in ours.columns])
        return difference(columns, theirs) or ""

    def check(self, statement):
        """Returns whether DuckDB has an answer to compare with."""
        text = statement.text()
        found = self.finding(text)
        if found is None:
            return False
        if self.is_own and found.startswith("types") and re.search(r"\bNULL AS ", text):
            return False  # NULL alone is INTEGER in a nested SELECT, too
        if self.is_own and re.match(r"types .*DECIMAL\(18,.*DECIMAL\((19|2|3)", found):
            return False  # results from short decimals have at most 18 digits (docs/sql.md)
        if not found:
            self.tally.passed += 1
        elif found.startswith("unsupported") or " is not supported" in found:
            self.tally.refuse(found)
            return not self.is_own
        else:
            self.fail(statement, found)
        return True

    def fail(self, statement, found):
        kind = found.split(":")[0].split(" ")[0]
        self.kept[kind] += 1

        def is_wrong(text):
            again = self.finding(text)
            return bool(again) and again.split(":")[0].split(" ")[0] == kind

        if self.kept[kind] <= 8:
            statement = nested_statements.smallest(statement, is_wrong)
            found = self.finding(statement.text())
        self.tally.fail(f"{self.driver.device}: {statement.text()}", found)


def main():
    options = test_options(cases=60, seed=4, verbose=0, pending=0, planner="duckdb")
    tally, is_own = Tally(), options.planner == "own"
    with tempfile.TemporaryDirectory(prefix="penstock-nested-") as folder:
        write_tables(folder, options.seed)
        engines = Engines(folder)
        for driver in drivers(options, folder, tally):
            comparison = Comparison(engines, driver, tally, is_own)
            for text in nested_statements.FIXED:
                assert comparison.check(nested_statements.Piece(text)) or is_own, text
            for fault, text in nested_statements.PENDING.items() if options.pending else ():
                found = comparison.finding(text)
                print(f"{found or 'right'}: {fault}: {text}")
            count = 0
            for statement in nested_statements.statements(options.seed):
                if options.verbose:
                    print(statement.text(), flush=True)
                count += comparison.check(statement)
                if count == options.cases:
                    break
    total = tally.passed + tally.failed + tally.refused
    if tally.refused > MAX_REFUSED * total and not is_own:
        tally.fail("refusals", f"{tally.refused} of {total} statements are not supported")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
