"""Pipelines run: data taken in, a session asked, results under the pipeline's names."""

import pyarrow

from penstock import tables
from penstock import tracing_types as types
from penstock.pipeline_text import statement_of
from penstock.session import PenstockError, session_of
from penstock.tracing_errors import error_here


def table_of(data):
    """Returns a Table that holds its rows, so that frames may change; or a DeviceTable of a GPU."""
    try:
        there, here = tables.device_table_of(data)
        return tables.table_of(here) if there is None else there
    except PenstockError as error:
        raise error_here(f"from_arrow: {error.message}", error.code) from None


def schema_of_file(path, device, session):
    """Returns the (name, type) of each column; the engine reads the file's schema alone."""
    quoted = path.replace("'", "''")
    asked = session if session is not None else session_of(device)
    try:
        described = asked.query(f"DESCRIBE SELECT * FROM '{quoted}'").to_pydict()
    except PenstockError as error:
        raise error_here(f"from_file: {error.message}", error.code) from None
    names, type_names = described["column_name"], described["column_type"]
    made = []
    for name, type_name in zip(names, type_names):
        # Columns of other types pass through, and nothing is computed with them.
        type_ = types.type_of_sql_name(type_name)
        made.append((name, pyarrow.null() if type_ is None else type_))
    return tuple(made)


def run(select, steps, device, session, planner):
    asked = session if session is not None else session_of(device)
    try:
        table = _ask(asked, select, planner)
    except PenstockError as error:
        listed = "\n  ".join(steps)
        raise PenstockError(f"{error.message}\nthe pipeline's steps:\n  {listed}", error.code)
    return _named(table, select.schema)


def _ask(session, select, planner):
    statement = statement_of(select)
    for function in statement.functions:
        function.define_in(session)
    return session.query(
        statement.sql,
        statement.tables,
        parameters=[value for value, _ in statement.parameters],
        planner=planner or ("auto" if statement.needs_duckdb else "own"),
    )


def describe(select, what, device, session, **options):
    """Returns the plan's or the kernels' text."""
    asked = session if session is not None else session_of(device)
    statement = statement_of(select)
    for function in statement.functions:
        function.define_in(asked)
    parameters = [value for value, _ in statement.parameters]
    return getattr(asked, what)(statement.sql, statement.tables, parameters=parameters, **options)


def _named(table, schema):
    """Returns the result under the pipeline's names."""
    return table.rename_columns([name for name, _ in schema])
