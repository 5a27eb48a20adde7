"""DuckDB's answers."""

import re

import numpy
import pyarrow

import duckdb

from answers import Answer, Bound, Column, sorted_rows


def _integers_of_decimals(array):
    """The counts of a decimal array's last digit; its values are 16 bytes, least significant first."""
    array = array.cast(pyarrow.decimal128(38, array.type.scale))
    words = numpy.frombuffer(array.buffers()[1], dtype=numpy.uint64).reshape(-1, 2)[
        array.offset : array.offset + len(array)
    ]
    low, high = words[:, 0].tolist(), words[:, 1].view(numpy.int64).tolist()
    return [(h << 64) | l for l, h in zip(low, high)]


def values_of(array):
    """A column of Arrow's as the values that answers.py names."""
    if isinstance(array, pyarrow.ChunkedArray):
        return [value for chunk in array.chunks for value in values_of(chunk)]
    kind = array.type
    if pyarrow.types.is_null(kind):
        return [None] * len(array)
    if pyarrow.types.is_decimal(kind):
        values = _integers_of_decimals(array)
    elif pyarrow.types.is_date32(kind):
        values = array.view(pyarrow.int32()).fill_null(0).to_numpy().tolist()
    elif pyarrow.types.is_timestamp(kind):
        values = array.view(pyarrow.int64()).fill_null(0).to_numpy().tolist()
    elif pyarrow.types.is_floating(kind):
        values = array.fill_null(0).to_numpy().astype(numpy.float64).tolist()
    else:
        return array.to_pylist()
    return (
        values
        if array.null_count == 0
        else [v if valid else None for v, valid in zip(values, array.is_valid().to_pylist())]
    )


class Oracle:
    """`strict` evaluates as written; DuckDB's optimizer may drop what would fault. One thread, so that an answer is one answer."""

    def __init__(self, folder):
        self.connection, self.strict = duckdb.connect(), duckdb.connect()
        for connection in (self.connection, self.strict):
            connection.execute(f"SET file_search_path = '{folder}'")
            connection.execute("SET threads = 1")
        self.strict.execute("PRAGMA disable_optimizer")

    def load(self, file):
        """Reads a Parquet file once; FROM 'file' means the copy from then on."""
        for connection in (self.connection, self.strict):
            connection.execute(
                f"CREATE OR REPLACE TABLE \"{file}\" AS SELECT * FROM read_parquet('{file}')"
            )

    def answer(self, statement, sort_keys=0):
        """Rows in the order of the first `sort_keys` columns. An average's last digit hangs on what DuckDB knows of a table (whether
        a column has a NULL), so it is asked of the file, of which it knows what Penstock does."""
        if "avg(" in statement:
            statement = re.sub(r" FROM '(\w+\.parquet)'", r" FROM read_parquet('\1')", statement)
        answer = _answer(self.connection, statement)
        return sorted_rows(answer, sort_keys) if sort_keys and not answer.error else answer

    def faults(self, statement):
        """None where it hangs on the order of evaluation."""
        found = {
            bool(_answer(connection, statement).error)
            for connection in (self.connection, self.strict)
        }
        return found.pop() if len(found) == 1 else None

    def types(self, statement):
        """The types of the columns; None if DuckDB does not bind the statement."""
        try:
            return [str(kind) for kind in self.connection.sql(statement).types]
        except duckdb.Error:
            return None


# Types that Arrow's Python values do not have as DuckDB prints them: they are compared as texts.
AS_TEXT = re.compile(
    r"(TIME|TIMESTAMP WITH TIME ZONE|BLOB|UUID|INTERVAL|STRUCT\(.*|TUPLE\(.*|MAP\(.*|.*\[\d*\])$"
)


def with_texts(relation, types):
    if not any(AS_TEXT.match(kind) for kind in types):
        return relation
    columns = ", ".join(
        f"CAST(#{i} AS VARCHAR)" if AS_TEXT.match(kind) else f"#{i}"
        for i, kind in enumerate(types, 1)
    )
    return relation.project(columns)


def _answer(connection, statement):
    try:
        relation = connection.sql(statement)
        types = [str(kind) for kind in relation.types]
        table = with_texts(relation, types).to_arrow_table()
    except duckdb.Error as error:
        return Answer(error="error", message=f"{type(error).__name__}: {error}")
    return Answer(
        [
            Column(name, kind, values_of(column))
            for name, kind, column in zip(relation.columns, types, table.columns)
        ]
    )


def with_companions(statement, inexact):
    """The statement with the sums of magnitudes and the counts that Bounds need, as further columns.

    `inexact` maps a column's number to ("sum" | "average", argument). The last FROM with a string is the statement's own.
    """
    extra = "".join(
        f", sum(abs(CAST({argument} AS DOUBLE))), count({argument})"
        for kind, argument in inexact.values()
        if kind != "function"
    )
    head, from_, tail = statement.rpartition(" FROM '")
    return head + extra + from_ + tail


def split_companions(answer, inexact):
    """The answer without its companions, and the Bounds they make."""
    bounds, place = (
        {},
        len(answer.columns) - 2 * sum(kind != "function" for kind, _ in inexact.values()),
    )
    kept = place
    for number, (kind, _) in inexact.items():
        if kind == "function":
            bounds[number] = Bound("function")
            continue
        bounds[number] = Bound(kind, answer.columns[place].values, answer.columns[place + 1].values)
        place += 2
    return Answer(answer.columns[:kept]), bounds
