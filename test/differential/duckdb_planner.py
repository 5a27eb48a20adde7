"""DuckDB as a planner in this process, as src/sql/duckdb/duckdb_plan.cpp has it in another: recorded plans of statements.

DuckDB sees stand-ins of tables: views over range(first, last), with the number of a column in each expression.
"""

import json
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src/sql/duckdb"


def _constant(file, name):
    """The quoted names in a constant of the source, so that there is one list."""
    text = (SOURCE / file).read_text()
    value = re.search(rf"\b{name} =([^;]*);", text)[1]
    return re.findall(r"'(\w+)'", value)


def stand_in_rows():
    digits = re.search(r"stand_in_rows = ([\d']+);", (SOURCE / "plan_columns.hpp").read_text())[1]
    return int(digits.replace("'", ""))


def disable_optimizers(connection):
    names = _constant("duckdb_plan.cpp", "disabled_optimizers")
    if connection.execute("SELECT version() < 'v2'").fetchone()[0]:
        kept = _constant("duckdb_plan.cpp", "kept_before_2")
        names = [name for name in names if name not in kept]
    known = {
        row[0] for row in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()
    }
    connection.execute(f"SET disabled_optimizers = '{','.join(n for n in names if n in known)}'")


def create_stand_in(connection, number, table, columns, row_count):
    """A view of the table's name. `columns`: names and types."""

    def spelled(place, name, kind):
        mark = f"concat('p{place}:', range)"
        value = mark if kind == "VARCHAR" else f"try_cast({mark} AS {kind})"
        return f'{value} AS "{name}"'

    items = ", ".join(spelled(i, *column[:2]) for i, column in enumerate(columns))
    first = (number + 1) * stand_in_rows()
    connection.execute(
        f'CREATE VIEW "{table}" AS SELECT {items} FROM range({first}, {first + row_count})'
    )


class PlanError(Exception):
    pass


def plan_of(connection, statement):
    """The plan as json_serialize_plan() has it, and the names and types of the columns."""
    described = connection.execute(f"DESCRIBE {statement}").fetchall()
    text = connection.execute(
        "SELECT json_serialize_plan(?, optimize := true)", [statement]
    ).fetchone()[0]
    try:
        plan = json.loads(text)
    except json.JSONDecodeError as error:  # DuckDB writes nan and inf
        raise PlanError(str(error)) from error
    if plan["error"]:
        raise PlanError(plan.get("error_message", "no plan"))
    return plan, [row[0] for row in described], [row[1] for row in described]
