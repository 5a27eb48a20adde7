"""Files that a result writes."""

import os

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pyarrow.types as kinds

from penstock import codecs
from penstock.column_values import INTERVAL, is_list
from penstock.errors import PenstockError

_WRITTEN = (".gz", ".zst", ".lz4")
_NOT_WRITTEN = (".zz", ".sz", ".bz2", ".xz", ".zip", ".br")


def write_parquet(table, path, options):
    for field in table.schema:
        if _has_interval(field.type):
            raise PenstockError(
                f"column {field.name!r} has INTERVAL, which is not written to Parquet; "
                "CAST(... AS VARCHAR) writes its text",
                "unsupported",
            )
    pyarrow.parquet.write_table(table, path, **options)


def write_csv(session, table, path):
    """Writes a table, compressed if the path ends so."""
    is_path = isinstance(path, (str, os.PathLike))
    suffix = os.path.splitext(os.fspath(path))[1].lower() if is_path else ""
    if suffix in _NOT_WRITTEN:
        raise PenstockError(
            f"{os.fspath(path)!r} names a format that is not written; end it in "
            f"{', '.join(_WRITTEN)}, or in .csv",
            "unsupported",
        )
    table = _with_texts(session, table)
    if suffix not in _WRITTEN:
        pyarrow.csv.write_csv(table, path)
        return
    with codecs.open(path, "wb") as file:
        pyarrow.csv.write_csv(table, file)


def _has_interval(type_):
    if kinds.is_map(type_):
        return _has_interval(type_.key_type) or _has_interval(type_.item_type)
    if kinds.is_struct(type_):
        return any(_has_interval(field.type) for field in type_)
    return _has_interval(type_.value_type) if is_list(type_) else type_ == INTERVAL


def _is_text(type_):
    is_bytes = kinds.is_binary(type_) or kinds.is_large_binary(type_)
    is_text = is_bytes or kinds.is_nested(type_) or type_ == INTERVAL
    return is_text or isinstance(type_, pyarrow.UuidType)


def _with_texts(session, table):
    """Returns a table with SQL's texts in place of values that pyarrow writes to no CSV file."""
    is_text = [_is_text(field.type) for field in table.schema]
    if not any(is_text):
        return table
    names = [f"c{at}" for at in range(table.num_columns)]
    listed = [
        f"CAST({name} AS VARCHAR) AS {name}" if there else name
        for name, there in zip(names, is_text)
    ]
    sql, tables = f"SELECT {', '.join(listed)} FROM t", {"t": table.rename_columns(names)}
    return session.query(sql, tables, planner="own").rename_columns(table.column_names)
