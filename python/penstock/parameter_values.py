"""Scalars of NumPy, pandas and Arrow as values of SQL."""

import datetime

import pyarrow

_DAY_US = 86_400_000_000
# Units of NumPy's times: of dates, and of timestamps.
_DATE_UNITS = {"Y", "M", "W", "D"}
_TIME_UNITS = {"h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"}


def plain(value):
    """Returns a value as pyarrow takes it, lists as lists, and None for each kind of NULL.

    ValueError says why there is none.
    """
    module = type(value).__module__.split(".")[0]
    if module == "numpy":
        return _of_numpy(value)
    if module == "pandas":
        return _of_pandas(value)
    if isinstance(value, pyarrow.Scalar):
        return _of_arrow(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, datetime.time) and value.tzinfo is not None:
        raise ValueError("a time has no time zone")
    if isinstance(value, datetime.timedelta):
        nanoseconds = value.seconds * 10**9 + value.microseconds * 1000
        return pyarrow.MonthDayNano([0, value.days, nanoseconds])
    if isinstance(value, (set, frozenset, range, complex)):
        raise TypeError
    return value


def _of_arrow(value):
    if pyarrow.types.is_null(value.type):
        return None
    if pyarrow.types.is_duration(value.type):
        return plain(value.as_py())
    return value.cast(pyarrow.float32()) if value.type == pyarrow.float16() else value


def _of_pandas(value):
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):
        return None
    if kind not in ("Timestamp", "Timedelta"):
        raise TypeError
    if value.nanosecond if kind == "Timestamp" else value.nanoseconds:
        raise ValueError("it is not a whole number of microseconds")
    return plain(value.to_pydatetime() if kind == "Timestamp" else value.to_pytimedelta())


def _of_numpy(value):
    import numpy

    if value is numpy.ma.masked:
        return None
    if isinstance(value, numpy.ndarray):
        return plain(value[()]) if value.ndim == 0 else list(value)
    kind, size = value.dtype.kind, value.dtype.itemsize
    if kind == "f":
        if size > 8:
            raise ValueError("it has more than 64 bits")
        return numpy.float32(value) if size == 2 else value
    if kind in "biu":
        return value
    if kind in "US":
        return value.item()
    if kind in "mM":
        return None if numpy.isnat(value) else _of_numpys_time(value)
    raise TypeError


def _of_numpys_time(value):
    import numpy

    unit = numpy.datetime_data(value.dtype)[0]
    if value.dtype.kind == "m":
        return _of_timedelta(value, unit)
    if unit in _DATE_UNITS:
        return pyarrow.scalar(_count(value, "M8[D]"), pyarrow.date32())
    return pyarrow.scalar(_count(value, "M8[us]"), pyarrow.timestamp("us"))


def _of_timedelta(value, unit):
    if unit in ("Y", "M"):
        return pyarrow.MonthDayNano([_count(value, "m8[M]"), 0, 0])
    if unit in ("W", "D"):
        return pyarrow.MonthDayNano([0, _count(value, "m8[D]"), 0])
    if unit not in _TIME_UNITS:
        raise ValueError("it has no unit")
    microseconds = _count(value, "m8[us]")
    days = abs(microseconds) // _DAY_US * (1 if microseconds > 0 else -1)
    return pyarrow.MonthDayNano([0, days, (microseconds - days * _DAY_US) * 1000])


def _count(value, unit):
    """Returns how many units a time is."""
    made = value.astype(unit)
    if made.astype(value.dtype) != value:
        what = "whole number of microseconds" if unit.endswith("[us]") else "time of SQL"
        raise ValueError(f"it is no {what}")
    return int(made.astype("i8"))
