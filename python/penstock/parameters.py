"""Values of a statement's parameters, as Arrow's streams of one value."""

import datetime
import uuid

import pyarrow

from penstock.errors import PenstockError


def _type_of(value):
    """Returns the type that a Python value has in SQL; None where pyarrow infers it."""
    if isinstance(value, bool):
        return pyarrow.bool_()
    if isinstance(value, int):
        if -(2**63) <= value < 2**63:
            return pyarrow.int64()
        return pyarrow.uint64() if 0 <= value < 2**64 else pyarrow.decimal128(38, 0)
    if isinstance(value, float) and type(value) is float:
        return pyarrow.float64()
    if isinstance(value, datetime.datetime):
        return pyarrow.timestamp("us", tz=None if value.tzinfo is None else "UTC")
    if isinstance(value, datetime.time):
        return pyarrow.time64("us")
    return None


def _array_of(value, type_=None):
    if type_ is not None:
        return pyarrow.array([value], type=type_)
    if isinstance(value, uuid.UUID):
        return pyarrow.array([str(value)])
    if isinstance(value, datetime.timedelta):
        nanoseconds = value.seconds * 10**9 + value.microseconds * 1000
        value = pyarrow.MonthDayNano([0, value.days, nanoseconds])
    return pyarrow.array([value], type=_type_of(value))


def stream_of(name, value, type_=None):
    """Returns the stream of one value, of an inferred type if none is given; None for None."""
    if value is None:
        return None
    try:
        array = _array_of(value, type_)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError):
        if type_ is not None:
            raise PenstockError(f"the {name} {value!r} is no {type_}") from None
        raise PenstockError(
            f"the parameter {name} is a {type(value).__name__}, which is no value of SQL"
        ) from None
    batch = pyarrow.RecordBatch.from_arrays([array], names=[name])
    reader = pyarrow.RecordBatchReader.from_batches(batch.schema, [batch])
    return reader.__arrow_c_stream__()


def encoded(parameters):
    """Returns (streams, names) of a list for `?` and `$1`, or of a dict for `$name`."""
    if parameters is None:
        return None, []
    if isinstance(parameters, dict):
        named = parameters
    elif isinstance(parameters, (list, tuple)):
        named = {str(i + 1): value for i, value in enumerate(parameters)}
    else:
        raise PenstockError("parameters are a list for ? and $1, or a dict for $name")
    return [stream_of(name, value) for name, value in named.items()], list(named)
