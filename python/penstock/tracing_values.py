"""Python's and NumPy's values as typed parameters of a statement."""

import datetime
import decimal
import math
import numbers

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_nodes as nodes
from penstock import tracing_types as types
from penstock.tracing_errors import error_here

FLOAT_LIMIT = 3.4028235677973366e38  # the least magnitude that rounds to infinity in a FLOAT


def _is_numpy(value):
    return type(value).__module__.split(".")[0] == "numpy"


def is_constant(value):
    """Tells whether a value can be a parameter: a scalar of Python, NumPy or pyarrow."""
    if isinstance(value, pyarrow.Scalar) or (_is_numpy(value) and getattr(value, "shape", 1) == ()):
        return True
    return isinstance(
        value,
        (bool, int, float, str, bytes, decimal.Decimal)
        + (datetime.date, datetime.time, datetime.timedelta),
    )


def is_weak(value):
    """Tells whether a value takes the type of what it meets, as Python's numbers do in NumPy."""
    return not isinstance(value, pyarrow.Scalar) and not _is_numpy(value)


def parameter_of(value, beside=None):
    """Returns a parameter of a value, with a type that suits the type `beside` it."""
    if isinstance(value, pyarrow.Scalar):
        return _of_arrow(value)
    if _is_numpy(value):
        return _of_numpy(value, beside)
    made = _of_python(value, beside)
    if made is None:
        raise error_here(f"{_shown(value)} is no value of a column: {_advice(value)}")
    return made


def null_of(type_):
    return nodes.parameter(None, type_)


def _shown(value):
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 60 else text[:57] + '...'}"


def _advice(value):
    if value is None:
        return "write .is_null() to test for NULL, penstock.lit(None, type) for a NULL"
    if isinstance(value, int):
        return "it exceeds 64 bits"
    if isinstance(value, decimal.Decimal):
        return "decimals are finite and have at most 38 digits"
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return "is_in() takes several values"
    if hasattr(value, "__array__") or hasattr(value, "__arrow_c_stream__"):
        return "an array has a value for each row; add it to the table, or join()"
    return "numbers, strings, bytes, dates, times and decimals are"


def _of_arrow(scalar):
    type_ = types.engine_type(scalar.type)
    if type_ not in types.SQL_NAMES and not kinds.is_decimal128(type_):
        raise error_here(f"a value of type {scalar.type} is not supported", "unsupported")
    value = scalar.as_py()
    if value is not None and type_ == types.TIMESTAMP_UTC:
        value = value.astimezone(datetime.timezone.utc)
    return nodes.parameter(_exact_time(value), type_)


def _of_numpy(value, beside):
    if getattr(value, "shape", None) != () or value.dtype.kind not in "biufUSMm":
        raise error_here(f"NumPy's {_shown(value)} is no value of a column: {_advice(value)}")
    kind, item = value.dtype.kind, value.item()
    if kind in "US":
        return _of_python(item, beside)
    if kind in "Mm":
        if item is None:
            return null_of(types.TIMESTAMP if kind == "M" else types.INTERVAL)
        if isinstance(item, int):  # finer than a microsecond, or beyond Python's years
            item = value.astype(f"{value.dtype.kind}8[us]").item() if item % 1000 == 0 else None
        if item is None or isinstance(item, int):
            raise error_here(f"{value!r} is no time of the years 1 to 9999 in microseconds")
        return _of_python(item, beside)
    type_ = pyarrow.from_numpy_dtype(value.dtype)
    return nodes.parameter(item, pyarrow.float32() if type_ == pyarrow.float16() else type_)


def _exact_time(value):
    """Returns a pandas Timestamp or Timedelta as Python's, if it has no nanoseconds."""
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        raise error_here(f"{value!r} has digits below a microsecond")
    for name in ("to_pydatetime", "to_pytimedelta"):
        if hasattr(value, name):
            return getattr(value, name)()
    return value


def _of_python(value, beside):
    if isinstance(value, bool):
        return nodes.parameter(value, pyarrow.bool_())
    if isinstance(value, int):
        return _of_int(int(value), beside)
    if isinstance(value, float):
        is_single = beside == pyarrow.float32() and not FLOAT_LIMIT <= abs(value) < math.inf
        return nodes.parameter(float(value), pyarrow.float32() if is_single else pyarrow.float64())
    if isinstance(value, decimal.Decimal):
        type_ = types.decimal_type_of(value)
        return type_ and nodes.parameter(value, type_)
    if isinstance(value, str):
        return _of_text(str(value), beside)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return nodes.parameter(bytes(value), pyarrow.binary())
    return _of_time(value)


def _of_int(value, beside):
    narrowest = types.integer_type_of(value)
    if narrowest is None:
        return None
    type_ = pyarrow.int64() if types.fits(value, pyarrow.int64()) else narrowest
    if beside is not None:
        if kinds.is_integer(beside):
            type_ = beside if types.fits(value, beside) else narrowest
        elif types.is_real(beside):
            type_ = beside
        elif types.fits(value, pyarrow.int32()) and beside != types.INTERVAL:
            type_ = pyarrow.int32()
    return nodes.parameter(float(value) if types.is_real(type_) else value, type_)


def _of_time(value):
    if not isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return None
    if value != value:  # pandas' NaT
        return None
    value = _exact_time(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return nodes.parameter(value, types.TIMESTAMP)
        return nodes.parameter(value.astimezone(datetime.timezone.utc), types.TIMESTAMP_UTC)
    if isinstance(value, datetime.date):
        return nodes.parameter(value, pyarrow.date32())
    if isinstance(value, datetime.time):
        return None if value.tzinfo else nodes.parameter(value, types.TIME)
    return nodes.parameter(value, types.INTERVAL)


def _of_text(value, beside):
    """A string beside a date or time is read as one, as in SQL."""
    readers = {
        pyarrow.date32(): datetime.date.fromisoformat,
        types.TIMESTAMP: datetime.datetime.fromisoformat,
        types.TIMESTAMP_UTC: datetime.datetime.fromisoformat,
        types.TIME: datetime.time.fromisoformat,
    }
    if beside not in readers:
        return nodes.parameter(value, pyarrow.string())
    try:
        read = readers[beside](value)
    except ValueError as error:
        raise error_here(f'"{value}" is no {types.sql_name(beside)}: {error}') from None
    if beside == types.TIMESTAMP_UTC and read.tzinfo is None:
        read = read.replace(tzinfo=datetime.timezone.utc)
    return _of_time(read)


def _interval_text(value):
    return f"{value.days} days {value.seconds * 1_000_000 + value.microseconds} microseconds"


def _arrow_interval_text(value):
    microseconds = value.nanoseconds // 1000
    return f"{value.months} months {value.days} days {microseconds} microseconds"


def literal(value, type_):
    """Returns a value as SQL text of its type.

    Sessions that take no parameters get statements with literals; they compile nothing either for
    another value.
    """
    name = types.sql_name(type_)
    if value is None:
        return f"CAST(NULL AS {name})"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bytes):
        return f"unhex('{value.hex()}')"
    if isinstance(value, bool):
        return f"CAST({'true' if value else 'false'} AS BOOLEAN)"
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat(" ") + ("+00" if value.tzinfo else "")
    elif isinstance(value, datetime.timedelta):
        text = _interval_text(value)
    elif isinstance(value, (datetime.date, datetime.time)):
        text = value.isoformat()
    elif hasattr(value, "months"):
        text = _arrow_interval_text(value)
    elif isinstance(value, decimal.Decimal):
        text = f"{value:f}"
    elif isinstance(value, numbers.Integral):
        text = str(int(value))
    else:
        text = repr(float(value))
    return f"CAST('{text}' AS {name})"


def _quoted(text):
    # The statement is a C string: it has no character 0.
    quoted = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return quoted[0] if len(quoted) == 1 else "(" + " || chr(0) || ".join(quoted) + ")"
