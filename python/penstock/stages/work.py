"""What a worker does with its share: answer a statement, and split rows by their keys.

Executors of Ray, of Dask and of one process call these functions, each in its own way.
"""

import dataclasses

import pyarrow

from penstock.session import reader_of, session_of
from penstock.stages import hashing
from penstock.tables import without_dictionaries


@dataclasses.dataclass(frozen=True)
class Task:
    """A statement, and what becomes of its rows."""

    statement: str
    schema: object = None  # names and types of the rows; by default as they come


@dataclasses.dataclass(frozen=True)
class Input:
    """How many of a task's tables make the one of a name, and the schema that all have."""

    name: str
    count: int
    schema: object
    resident: str = ""  # the key under which a worker keeps the table


def as_table(block, schema=None):
    """Returns a block (Arrow or pandas) as a Table of a schema."""
    if isinstance(block, pyarrow.RecordBatch):
        block = pyarrow.Table.from_batches([block])
    elif not isinstance(block, pyarrow.Table):
        is_frame = hasattr(block, "columns") and not hasattr(block, "__arrow_c_stream__")
        is_frame = is_frame or type(block).__module__.startswith("pandas")
        if is_frame:
            block = pyarrow.Table.from_pandas(block, preserve_index=False)
        else:
            block = reader_of(block).read_all()
    if schema is None or block.schema.equals(schema):
        return block
    if block.num_columns == 0 and block.num_rows == 0:
        return schema.empty_table()
    return block.select(schema.names).cast(schema)


def _finished(table, task):
    if task.schema is None:
        return table
    return table.rename_columns(task.schema.names).cast(task.schema)


def gathered(inputs, blocks, kept):
    """Returns the tables of a task by name; `kept` has resident ones."""
    tables, at = {}, 0
    for given in inputs:
        own = blocks[at : at + given.count]
        at += given.count
        if given.resident and given.resident in kept:
            tables[given.name] = kept[given.resident]
            continue
        pieces = [as_table(block, given.schema) for block in own]
        tables[given.name] = pyarrow.concat_tables(pieces) if pieces else given.schema.empty_table()
        if given.resident:
            kept[given.resident] = tables[given.name]
    return tables


def answer(task, inputs, blocks, device, kept):
    """Returns a task's rows, their number, and their bytes."""
    rows = session_of(device).query(task.statement, gathered(inputs, blocks, kept))
    rows = _finished(without_dictionaries(rows), task)
    return rows, rows.num_rows, rows.nbytes


def describe(statement, schemas, device):
    """Returns [(name, SQL type)] and the Arrow schema of a statement's rows over empty tables."""
    tables = {name: schema.empty_table() for name, schema in schemas.items()}
    types = session_of(device).query("DESCRIBE " + statement, tables)
    names = zip(types["column_name"].to_pylist(), types["column_type"].to_pylist())
    rows = session_of(device).query(statement, tables)
    return list(names), without_dictionaries(rows).schema, rows.num_rows


def split(blocks, schema, keys, count, device):
    """Returns a table for each of `count` partitions; `keys` are (column, kind, cast or None)."""
    table = pyarrow.concat_tables([as_table(block, schema) for block in blocks])
    casts = [(at, name, cast) for at, (name, _, cast) in enumerate(keys) if cast]
    names = table.schema.names
    if casts:
        quoted = "".join(f', CAST("{name}" AS {cast}) AS "__h{at}"' for at, name, cast in casts)
        table = session_of(device).query(f"SELECT *{quoted} FROM part", {"part": table})
    columns = [(f"__h{at}" if cast else name, kind) for at, (name, kind, cast) in enumerate(keys)]
    return [piece.select(names) for piece in hashing.split(table, columns, count)]
