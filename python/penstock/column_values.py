"""Values of columns: Python's, as DuckDB's fetchall() has them, and arrays of NumPy."""

import datetime

import pyarrow
import pyarrow.compute
import pyarrow.types as kinds

from penstock.errors import PenstockError

MONTH_DAYS = 30  # of an interval in a number of days, as DuckDB has it
INTERVAL = pyarrow.month_day_nano_interval()
_DAY_SECONDS = 86_400
_CYCLE_DAYS = 146_097  # of 400 years, after which the calendar repeats
_EPOCH = datetime.date(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def is_list(type_):
    return kinds.is_list(type_) or kinds.is_large_list(type_)


def _is_day(type_):
    return kinds.is_date(type_) or kinds.is_timestamp(type_)


def _has(is_kind, type_):
    """Whether a type, or one inside of it, is of a kind."""
    inner = [type_.field(at).type for at in range(type_.num_fields)]
    return is_kind(type_) or any(_has(is_kind, part) for part in inner)


def values_of(array):
    """Returns a list: intervals are timedeltas, maps dicts, structs without names tuples.

    24:00:00, and a date or a timestamp that Python lacks, are SQL's texts.
    """
    if not _has(kinds.is_time, array.type):
        try:
            return _values_in(array, False)
        except OverflowError:
            if not _has(_is_day, array.type):
                raise
    return _values_in(array, True)


def _values_in(array, has_texts):
    """`has_texts`: whether times are read as numbers, since some may be texts."""
    convert = _conversion(array.type, has_texts)
    values = _viewed(array, _read_as(array.type, has_texts)).to_pylist()
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


def _read_as(type_, has_texts):
    """Returns a type with numbers as the names of such structs: to_pylist() needs different ones."""

    def field_as(field):
        return field.with_type(_read_as(field.type, has_texts))

    if is_list(type_):
        made = pyarrow.large_list if kinds.is_large_list(type_) else pyarrow.list_
        return made(field_as(type_.value_field))
    if kinds.is_map(type_):
        return pyarrow.map_(field_as(type_.key_field), field_as(type_.item_field))
    if has_texts and (_is_day(type_) or kinds.is_time(type_)):
        return pyarrow.int32() if type_.bit_width == 32 else pyarrow.int64()
    if not kinds.is_struct(type_):
        return type_
    fields = [field_as(field) for field in type_]
    if _has_no_names(type_):
        fields = [field.with_name(str(at)) for at, field in enumerate(fields)]
    return pyarrow.struct(fields)


def _viewed(column, type_):
    if column.type == type_:
        return column
    if not isinstance(column, pyarrow.ChunkedArray):
        return column.view(type_)
    return pyarrow.chunked_array([chunk.view(type_) for chunk in column.chunks], type_)


def _conversion(type_, has_texts):
    """Returns what makes DuckDB's value of pyarrow's: None where they are one."""
    if type_ == INTERVAL:
        return _timedelta
    if has_texts and (_is_day(type_) or kinds.is_time(type_)):
        return lambda value: _time_or_text(value, type_)
    if kinds.is_map(type_):
        parts = (_conversion(part, has_texts) for part in (type_.key_type, type_.item_type))
        return _dict_of(*parts)
    if kinds.is_struct(type_):
        return _struct_of(type_, has_texts)
    if is_list(type_) and (convert := _conversion(type_.value_type, has_texts)) is not None:
        return lambda row: [_applied(convert, value) for value in row]
    return None


def _struct_of(type_, has_texts):
    parts = [_conversion(field.type, has_texts) for field in type_]
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


def _time_or_text(number, type_):
    """Returns the value that Arrow has as a number: a text where Python has none."""
    unit = 1 if kinds.is_date32(type_) else _PER_SECOND[getattr(type_, "unit", "ms")]
    if kinds.is_time(type_) and number == _DAY_SECONDS * unit:
        return "24:00:00"
    infinity = 2 ** (type_.bit_width - 1) - 1
    if _is_day(type_) and abs(number) == infinity:
        kind = datetime.datetime if kinds.is_timestamp(type_) else datetime.date
        return kind.max if number > 0 else kind.min
    try:
        return pyarrow.scalar(number, type_).as_py()
    except OverflowError:
        return _text_of_day(number, unit, type_)


def _text_of_day(number, unit, type_):
    """Returns a date or a timestamp beyond the years 1 to 9999 as SQL writes it."""
    days, rest = (number, 0) if kinds.is_date32(type_) else divmod(number, _DAY_SECONDS * unit)
    cycles, day = divmod(days + _EPOCH.toordinal() - 1, _CYCLE_DAYS)
    date = datetime.date.fromordinal(day + 1)
    year = date.year + cycles * 400
    text = f"{year if year > 0 else 1 - year:04}-{date:%m-%d}" + " (BC)" * (year <= 0)
    if kinds.is_date(type_):
        return text
    seconds, fraction = divmod(rest, unit)
    text += f" {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if fraction:
        text += f".{fraction:0{len(str(unit)) - 1}}".rstrip("0")
    return text + ("+00" if type_.tz else "")
