"""Values of a statement's parameters, as Arrow's streams of one value."""

import datetime
import uuid

import pyarrow

from penstock.errors import PenstockError
from penstock.parameter_values import plain

_MOST_OF_38_DIGITS = 10**38 - 1


def _type_of(values):
    """Returns the type that Python values have in SQL; None where pyarrow infers it."""
    first = values[0]
    if all(type(value) is int for value in values):
        if all(-(2**63) <= value < 2**63 for value in values):
            return pyarrow.int64()
        is_unsigned = all(0 <= value < 2**64 for value in values)
        return pyarrow.uint64() if is_unsigned else pyarrow.decimal128(38, 0)
    if isinstance(first, datetime.datetime):
        times = [value for value in values if isinstance(value, datetime.datetime)]
        if len({time.tzinfo is None for time in times}) > 1:  # which pyarrow would mix
            raise ValueError("some times have a zone, and some have none")
        return pyarrow.timestamp("us", tz=None if first.tzinfo is None else "UTC")
    if isinstance(first, uuid.UUID):
        return pyarrow.uuid()
    return None


def _array_of(values):
    """Returns an array of one or more values, which may be lists."""
    values = [plain(value) for value in values]
    present = [value for value in values if value is not None]
    if not present:
        return pyarrow.nulls(len(values), pyarrow.int32())
    if not all(isinstance(value, list) for value in present):
        type_ = _type_of(present)
        if type_ == pyarrow.uuid():
            values = [None if value is None else value.bytes for value in values]
        return pyarrow.array(values, type=type_)
    ends, elements = [0], []
    for value in values:
        elements.extend(value or ())
        ends.append(len(elements))
    is_null = pyarrow.array([value is None for value in values])
    ends = pyarrow.array(ends, pyarrow.int32())
    return pyarrow.ListArray.from_arrays(ends, _array_of(elements), mask=is_null)


def stream_of(name, value, type_=None):
    """Returns the stream of one value, of an inferred type if none is given; None for NULL."""
    try:
        if type_ is not None:
            array = pyarrow.array([value], type=type_)
        elif plain(value) is None:
            return None
        else:
            array = _array_of([value])
    except (pyarrow.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise PenstockError(f"{name} {_why(value, type_, error)}") from None
    batch = pyarrow.RecordBatch.from_arrays([array], names=[name])
    reader = pyarrow.RecordBatchReader.from_batches(batch.schema, [batch])
    return reader.__arrow_c_stream__()


def _why(value, type_, error):
    """Returns the rest of a sentence that begins with the value's name."""
    shown = repr(value)
    shown = shown if len(shown) < 60 else shown[:57] + "..."
    if type_ is not None:
        return f"{shown} is no {type_}"
    if isinstance(value, int) and abs(value) > _MOST_OF_38_DIGITS:
        return f"has more than 38 digits: {shown}"
    kind = type(value).__name__
    reason = f": {error}" if type(error) is ValueError else ""
    return f"is no value of SQL: {shown}, of type {kind}{reason}"


def encoded(parameters, written=()):
    """Returns (streams, names) of a list for `?` and `$1`, or of a dict for `$name`.

    `written`: the parameters as the statement has them, such as "?" or "$name".
    """
    if parameters is None:
        return None, []
    if isinstance(parameters, dict):
        given = _of_dict(parameters, written)
    elif isinstance(parameters, (list, tuple)):
        given = _of_list(parameters, written)
    else:
        raise PenstockError(
            "parameters= is a list for ? and $1, or a dict for $name, not "
            f"{type(parameters).__name__}"
        )
    return [stream_of(f"the parameter {n}", value) for n, value in given.items()], list(given)


def _need_any(values, written):
    if values and not written:
        count = len(values)
        raise PenstockError(
            f"parameters= has {count} value{'s' * (count > 1)}, and the statement has no parameter; "
            "SQL writes one as ?, $1 or $name"
        )


def _of_list(values, written):
    _need_any(values, written)
    if written and _is_named(written[0]):
        raise PenstockError(
            f"parameters= is a list, and the statement has names: {_listed(written)}; give a dict "
            "such as {" + f'"{written[0][1:]}": value' + "}"
        )
    return {str(at + 1): value for at, value in enumerate(values)}


def _of_dict(values, written):
    for name in values:
        if not isinstance(name, str):
            raise PenstockError(
                f"parameters= has the key {name!r}; the name of a $name is a string"
            )
    _need_any(values, written)
    if not written or _is_named(written[0]):
        return _of_names(values, written)
    if written[0] == "?" and values:
        raise PenstockError("parameters= is a dict, and the statement has ?; give a list of values")
    numbers = [name for name in values if name.isascii() and name.isdigit()]
    if len(numbers) < len(values):
        raise PenstockError(
            f"parameters= is a dict of names, and the statement has numbers: {_listed(written)}; "
            "give a list of values"
        )
    made = {name: values[name] for name in sorted(numbers, key=int)}
    for number, name in enumerate(made, 1):
        if name != str(number):
            raise PenstockError(f'parameters= lacks "{number}"; give a list of values')
    return made


def _of_names(values, written):
    """Returns values by the names that are written, which SQL finds in any case."""
    made = dict(values)
    for name in dict.fromkeys(one[1:] for one in written):
        same = [one for one in values if one.lower() == name.lower()]
        if name in values or not same:
            continue
        if len(same) > 1:
            raise PenstockError(
                f"parameters= has {' and '.join(same)}, and the statement ${name}; which one is "
                "meant is not said"
            )
        made[name] = values[same[0]]
        if f"${same[0]}" not in written:
            made.pop(same[0], None)
    return made


def _is_named(parameter):
    return parameter[0] == "$" and not parameter[1:].isdigit()


def _listed(written):
    return ", ".join(dict.fromkeys(written))
