"""Frames of pandas, with the types that DuckDB's have."""

import numpy
import pandas
import pyarrow
import pyarrow.types as kinds

from penstock.column_values import MONTH_DAYS, floats_of, is_list, objects, values_of
from penstock.errors import PenstockError

_DAY_US = 86_400_000_000
_NULLABLE = {
    pyarrow.bool_(): pandas.BooleanDtype,
    pyarrow.int8(): pandas.Int8Dtype,
    pyarrow.int16(): pandas.Int16Dtype,
    pyarrow.int32(): pandas.Int32Dtype,
    pyarrow.int64(): pandas.Int64Dtype,
    pyarrow.uint8(): pandas.UInt8Dtype,
    pyarrow.uint16(): pandas.UInt16Dtype,
    pyarrow.uint32(): pandas.UInt32Dtype,
    pyarrow.uint64(): pandas.UInt64Dtype,
}
_MONTH_DAY_NANO = numpy.dtype([("months", "i4"), ("days", "i4"), ("nanoseconds", "i8")])


def frame_of(table):
    """Returns a frame. Columns of one name are a, a_1, a_2."""
    names = _told_apart(table.column_names)
    columns = [_in_pandas_types(column) for column in table.columns]
    series = {
        name: made
        for name, column in zip(names, columns)
        if (made := _series_of(column)) is not None
    }
    plain = {name: column for name, column in zip(names, columns) if name not in series}
    frame = pyarrow.table(plain).to_pandas()
    if not series:
        return frame
    made = {name: series[name] if name in series else frame[name] for name in names}
    return pandas.DataFrame(made, copy=False)


def _told_apart(names):
    """Returns names that differ in any case, with the numbers that DuckDB's frames have."""
    made, numbers = [], {}
    for name in names:
        told_apart = name
        while told_apart.lower() in numbers:
            told_apart = f"{name}_{numbers[name.lower()]}"
            numbers[name.lower()] += 1
        numbers[told_apart.lower()] = 1
        made.append(told_apart)
    return made


def _in_pandas_types(column):
    """Returns dates as timestamps, and decimals as floats."""
    if kinds.is_date(column.type):
        try:
            return column.cast(pyarrow.timestamp("us"))
        except pyarrow.ArrowInvalid as error:
            raise PenstockError(f"a date that pandas lacks: {error}", "overflow") from None
    return floats_of(column) if kinds.is_decimal(column.type) else column


def _series_of(column):
    """Returns a column that Arrow alone makes otherwise; None for the others."""
    nullable = _NULLABLE.get(column.type)
    if nullable is not None:
        return nullable().__from_arrow__(column) if column.null_count else None
    if column.type == pyarrow.month_day_nano_interval():
        return pandas.Series(_timedeltas(column.combine_chunks()))
    if _is_of_objects(column.type):
        return pandas.Series(_objects(column), dtype=object)
    return None


def _is_of_objects(type_):
    return (
        kinds.is_nested(type_)
        or kinds.is_time(type_)
        or kinds.is_binary(type_)
        or kinds.is_large_binary(type_)
        or isinstance(type_, pyarrow.UuidType)
    )


def _timedeltas(array):
    """Returns intervals as timedelta64[us]; a month has 30 days."""
    parts = numpy.frombuffer(array.buffers()[1], _MONTH_DAY_NANO, len(array), array.offset * 16)
    days = parts["months"].astype("i8") * MONTH_DAYS + parts["days"]
    if numpy.any(numpy.abs(days[~_is_null(array)]) > 2**62 // _DAY_US):
        raise PenstockError("an interval that a timedelta64[us] does not hold", "overflow")
    made = (days * _DAY_US + parts["nanoseconds"] // 1000).astype("m8[us]")
    made[_is_null(array)] = numpy.timedelta64("NaT")
    return made


def _is_null(array):
    return array.is_null().to_numpy(zero_copy_only=False)


def _objects(column):
    """Returns Python's objects of a column, NA in place of NULL."""
    array = column.combine_chunks()
    made = _lists(array) if is_list(array.type) else objects(values_of(array))
    made[_is_null(array)] = pandas.NA
    return made


def _is_string(type_):
    return kinds.is_string(type_) or kinds.is_large_string(type_)


def _lists(array):
    """Returns an array of each list; a masked one if it holds NULLs."""
    offsets = array.offsets.to_numpy()
    first, last = int(offsets[0]), int(offsets[-1])
    elements = array.values.slice(first, last - first)
    values, mask = _elements(elements), _is_null(elements)
    ends = (offsets - first).tolist()
    rows = [values[begin:end] for begin, end in zip(ends, ends[1:])]
    if elements.null_count and not _is_string(elements.type):  # None says so in strings
        for at, (begin, end) in enumerate(zip(ends, ends[1:])):
            if mask[begin:end].any():
                rows[at] = numpy.ma.masked_array(rows[at], mask[begin:end])
    made = numpy.empty(len(array), object)
    for at, row in enumerate(rows):  # of one length, an assignment at once would have 2 dimensions
        made[at] = row
    return made


def _elements(array):
    """Returns the elements of lists as an array of NumPy; NULLs have any value."""
    type_ = array.type
    if is_list(type_):
        return _lists(array)
    if type_ == pyarrow.month_day_nano_interval():
        return _timedeltas(array)
    array = _in_pandas_types(array)
    if type_ in _NULLABLE:
        array = array.fill_null(False if kinds.is_boolean(type_) else 0)
    elif _is_of_objects(type_):
        return objects(values_of(array))
    return array.to_numpy(zero_copy_only=False)
