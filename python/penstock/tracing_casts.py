"""Types by their names, and which casts there are."""

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_types as types
from penstock.tracing_errors import error_here

PYTHON_TYPES = {
    "int": pyarrow.int64(),
    "float": pyarrow.float64(),
    "bool": pyarrow.bool_(),
    "str": pyarrow.string(),
    "bytes": pyarrow.binary(),
    "date": pyarrow.date32(),
    "datetime": types.TIMESTAMP,
    "time": types.TIME,
}


def type_named(type_):
    """Returns the engine's type of a pyarrow type, a Python or NumPy type, or a type's name."""
    if isinstance(type_, pyarrow.DataType):
        made = types.engine_type(type_)
    else:
        made = _type_of_name(type_)
    if made is None or not (made in types.SQL_NAMES or kinds.is_decimal128(made)):
        raise error_here(
            f"{type_!r} is no type of a column; write a pyarrow type, or a name of pyarrow, Polars "
            'or SQL, such as pa.int64(), "int64", "Int64", "BIGINT"'
        )
    return made


def _type_of_name(type_):
    name = type_ if isinstance(type_, str) else str(getattr(type_, "__name__", type_))
    if name.lower() in PYTHON_TYPES:
        return PYTHON_TYPES[name.lower()]
    if isinstance(type_, str) and (found := types.type_of_sql_name(type_)):
        return found
    try:
        return types.engine_type(pyarrow.type_for_alias(name.lower()))
    except ValueError:
        pass
    try:
        return pyarrow.from_numpy_dtype(type_)
    except (TypeError, pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        return None


def is_castable(source, target):
    def numeric(type_):
        return types.is_number(type_) or kinds.is_boolean(type_)

    if source == target or target == pyarrow.string():
        return True
    if source == pyarrow.string():
        return target != pyarrow.binary()
    if target == types.TIME:
        return source == types.TIMESTAMP
    return (numeric(source) and numeric(target)) or (
        types.is_temporal(source) and types.is_temporal(target)
    )
