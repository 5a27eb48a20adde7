"""Values of columns: Python's, as DuckDB's fetchall() has them, and arrays of NumPy."""

import datetime

import pyarrow
import pyarrow.compute
import pyarrow.types as kinds

from penstock.errors import PenstockError

MONTH_DAYS = 30  # of an interval in a number of days, as DuckDB has it
INTERVAL = pyarrow.month_day_nano_interval()


def is_list(type_):
    return kinds.is_list(type_) or kinds.is_large_list(type_)


def values_of(array):
    """Returns a list: intervals are timedeltas, maps dicts, structs without names tuples."""
    convert = _conversion(array.type)
    values = _viewed(array, _numbered(array.type)).to_pylist()
    return values if convert is None else [_applied(convert, value) for value in values]


def numpy_of(column):
    """Returns a ChunkedArray as NumPy's array; Result.numpy() says what becomes of NULLs."""
    type_ = column.type
    if is_list(type_):
        return _arrays_of_lists(column.combine_chunks())
    if type_ == INTERVAL:
        return imported("numpy", "an array").array(values_of(column), "m8[us]")
    if kinds.is_nested(type_) or isinstance(type_, pyarrow.UuidType):
        return objects(values_of(column))
    if kinds.is_decimal(type_):
        column = floats_of(column)
    elif kinds.is_integer(type_) and column.null_count:
        ends = pyarrow.compute.min_max(column).as_py()
        if ends["max"] is not None and max(-ends["min"], ends["max"]) > 2**53:
            return objects(column.to_pylist())
    return column.to_numpy()


def floats_of(decimals):
    """Returns decimals as the nearest float64, which Arrow's direct cast misses by one bit."""
    return decimals.cast(pyarrow.string()).cast(pyarrow.float64())


def objects(values):
    """Returns a list as an array of objects, which has one dimension even of lists."""
    numpy = imported("numpy", "an array")
    made = numpy.empty(len(values), object)
    for at, value in enumerate(values):
        made[at] = value
    return made


def imported(name, use):
    """Returns a library that is no dependency of the package."""
    try:
        return __import__(name)
    except ImportError:
        raise PenstockError(f"{use} needs {name}: pip install {name}", "unsupported") from None


def _arrays_of_lists(lists):
    """Returns an array with an array for each list, None for NULL."""
    ends = lists.offsets.to_pylist()
    first = ends[0] if ends else 0
    elements = lists.values.slice(first, ends[-1] - first) if ends else lists.values
    values = numpy_of(pyarrow.chunked_array([elements]))
    pairs = zip(ends, ends[1:], lists.is_valid().to_pylist())
    return objects([values[a - first : b - first] if there else None for a, b, there in pairs])


def _has_no_names(type_):
    """Tells whether a struct is of row(): SQL gives its fields no names, or some name twice."""
    names = [field.name for field in type_]
    return len(set(names)) < len(names) or names == [""]


def _numbered(type_):
    """Returns a type with numbers as the names of such structs: to_pylist() needs different ones."""
    if is_list(type_):
        made = pyarrow.large_list if kinds.is_large_list(type_) else pyarrow.list_
        return made(_numbered_field(type_.value_field))
    if kinds.is_map(type_):
        return pyarrow.map_(_numbered_field(type_.key_field), _numbered_field(type_.item_field))
    if not kinds.is_struct(type_):
        return type_
    fields = [_numbered_field(field) for field in type_]
    if _has_no_names(type_):
        fields = [field.with_name(str(at)) for at, field in enumerate(fields)]
    return pyarrow.struct(fields)


def _numbered_field(field):
    return field.with_type(_numbered(field.type))


def _viewed(column, type_):
    if column.type == type_:
        return column
    if not isinstance(column, pyarrow.ChunkedArray):
        return column.view(type_)
    return pyarrow.chunked_array([chunk.view(type_) for chunk in column.chunks], type_)


def _conversion(type_):
    """Returns what makes DuckDB's value of pyarrow's: None where they are one."""
    if type_ == INTERVAL:
        return _timedelta
    if kinds.is_map(type_):
        return _dict_of(_conversion(type_.key_type), _conversion(type_.item_type))
    if kinds.is_struct(type_):
        return _struct_of(type_)
    if is_list(type_) and (convert := _conversion(type_.value_type)) is not None:
        return lambda row: [_applied(convert, value) for value in row]
    return None


def _struct_of(type_):
    parts = [_conversion(field.type) for field in type_]
    if _has_no_names(type_):
        return lambda row: tuple(map(_applied, parts, row.values()))
    if not any(parts):
        return None
    return lambda row: {name: _applied(part, row[name]) for part, name in zip(parts, row)}


def _applied(convert, value):
    return value if convert is None or value is None else convert(value)


def _dict_of(convert_key, convert_item):
    """Returns what makes a dict of a map; one of two lists if its keys are dicts or lists."""

    def convert(pairs):
        keys = [_applied(convert_key, key) for key, _ in pairs]
        items = [_applied(convert_item, item) for _, item in pairs]
        try:
            return dict(zip(keys, items))
        except TypeError:
            return {"key": keys, "value": items}

    return convert


def _timedelta(value):
    days = value.months * MONTH_DAYS + value.days
    try:
        return datetime.timedelta(days=days, microseconds=value.nanoseconds // 1000)
    except OverflowError:
        raise PenstockError("an interval that a timedelta does not hold", "overflow") from None
