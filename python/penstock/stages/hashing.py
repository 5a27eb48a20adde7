"""Which partition a row goes to: equal keys meet, whatever their Arrow types.

Hashes depend on values alone. NULLs are equal, -0.0 is 0.0, all NaN are one value, and 1.50 is 1.5.
A kind says how the keys of both sides are read; `common_kind` chooses it from two types.
"""

import itertools

import numpy
import pyarrow
import pyarrow.compute

from penstock.stages.errors import unsupported

NULL_HASH = numpy.uint64(0x9E3779B97F4A7C15)
# An odd number without a pattern in its bits: powers of it are all different modulo 2^64.
BYTE_FACTOR = 0x5851F42D4C957F2D


def _is_exact(kind):
    return pyarrow.types.is_integer(kind) or pyarrow.types.is_decimal(kind)


def _scale(kind):
    return kind.scale if pyarrow.types.is_decimal(kind) else 0


def _is_text(kind):
    types = pyarrow.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _class_of(kind):
    types = pyarrow.types
    tests = (
        ("boolean", types.is_boolean),
        ("exact", _is_exact),
        ("float", types.is_floating),
        ("text", _is_text),
        ("bytes", lambda k: types.is_binary(k) or types.is_large_binary(k)),
        ("date", types.is_date32),
        ("time", types.is_time64),
    )
    if types.is_timestamp(kind):
        return "instant" if kind.tz else "timestamp"
    return next((name for name, test in tests if test(kind)), None)


def common_kind(left, right):
    """Returns (kind, SQL type to cast both sides to, or None) for keys of two Arrow types."""
    classes = (_class_of(left), _class_of(right))
    if None not in classes and classes[0] == classes[1]:
        if classes[0] == "exact":
            return f"exact:{max(_scale(left), _scale(right))}", None
        if classes[0] == "float" and left != right:
            return "float", "DOUBLE"
        return classes[0], None
    if set(classes) == {"exact", "float"}:
        exact, real = (left, right) if classes[0] == "exact" else (right, left)
        if real == pyarrow.float64():
            return "float", "DOUBLE"
        if pyarrow.types.is_integer(exact):
            return "float", "FLOAT"
    if set(classes) == {"date", "timestamp"}:
        return "timestamp", "TIMESTAMP"
    raise unsupported(
        f"an equality of keys of the types {left} and {right}", "cast one to the other's type"
    )


def kind_of(type_):
    return common_kind(type_, type_)[0]


def _mixed(values):
    """The finalizer of splitmix64: every bit of a value moves every bit of its hash."""
    values = (values ^ (values >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return values ^ (values >> numpy.uint64(31))


def _low_words(array):
    """Returns the values of decimals, as integers modulo 2^64."""
    words = numpy.frombuffer(array.buffers()[1], numpy.uint64)
    return words[2 * array.offset : 2 * (array.offset + len(array)) : 2]


def _exact_values(array, scale):
    # Equal numbers are equal integers in units of the finer scale, so modulo 2^64, too.
    if pyarrow.types.is_decimal(array.type):
        values = _low_words(array.cast(pyarrow.decimal128(38, array.type.scale)))
    else:
        values = pyarrow.compute.fill_null(array, 0).to_numpy(zero_copy_only=False)
        signed = numpy.int64 if values.dtype.kind == "i" else numpy.uint64
        values = values.astype(signed).view(numpy.uint64)
    return values * numpy.uint64(pow(10, scale - _scale(array.type), 1 << 64))


def _float_values(array):
    values = pyarrow.compute.fill_null(array.cast(pyarrow.float64()), 0.0).to_numpy()
    values = numpy.where(values == 0, 0.0, values)
    return numpy.where(numpy.isnan(values), numpy.nan, values).view(numpy.uint64)


def _byte_values(array):
    """Hashes strings by a polynomial in their bytes, as in Rabin and Karp."""
    array = array.cast(pyarrow.large_binary())
    offsets = numpy.frombuffer(array.buffers()[1], numpy.int64)
    offsets = offsets[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    if data is None or offsets[-1] == offsets[0]:
        return numpy.zeros(len(array), numpy.uint64)
    data = numpy.frombuffer(data, numpy.uint8)[offsets[0] : offsets[-1]]
    starts, lengths = offsets[:-1] - offsets[0], numpy.diff(offsets)
    powers = numpy.ones(int(lengths.max()) + 1, numpy.uint64)
    powers[1:] = BYTE_FACTOR
    powers = numpy.cumprod(powers, dtype=numpy.uint64)
    positions = numpy.arange(len(data)) - numpy.repeat(starts, lengths)
    # A byte counts from 1, so that strings of NUL differ by their lengths.
    terms = (data.astype(numpy.uint64) + numpy.uint64(1)) * powers[positions]
    sums = numpy.zeros(len(data) + 1, numpy.uint64)
    numpy.cumsum(terms, out=sums[1:])
    return sums[starts + lengths] - sums[starts]


def _values(array, kind):
    if kind.startswith("exact:"):
        return _exact_values(array, int(kind[len("exact:") :]))
    if kind == "float":
        return _float_values(array)
    if kind in ("text", "bytes"):
        return _byte_values(array)
    if kind == "boolean":
        return _exact_values(array.cast(pyarrow.int8()), 0)
    if kind == "date":
        return _exact_values(array.cast(pyarrow.int32()), 0)
    if kind in ("timestamp", "instant"):
        array = array.cast(pyarrow.timestamp("us", array.type.tz))
    return _exact_values(array.cast(pyarrow.int64()), 0)


def _hashes(column, kind):
    """Returns a hash for each value of a chunked column."""
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if isinstance(array, pyarrow.ChunkedArray):  # too long for one
        return numpy.concatenate([_hashes(chunk, kind) for chunk in array.chunks])
    if pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if len(array) == 0:
        return numpy.zeros(0, numpy.uint64)
    hashes = _mixed(_values(array, kind))
    if array.null_count:
        hashes = numpy.where(array.is_null().to_numpy(zero_copy_only=False), NULL_HASH, hashes)
    return hashes


def partition_numbers(table, keys, count):
    """Returns the number of a partition for each row; `keys` are (column, kind)."""
    hashes = numpy.zeros(table.num_rows, numpy.uint64)
    for name, kind in keys:
        hashes = _mixed(hashes * numpy.uint64(31) + _hashes(table[name], kind))
    return (hashes % numpy.uint64(count)).astype(numpy.int64)


def split(table, keys, count):
    """Returns a table for each partition; rows keep their order."""
    numbers = partition_numbers(table, keys, count)
    order = numpy.argsort(numbers, kind="stable")
    ends = numpy.searchsorted(numbers[order], numpy.arange(count + 1))
    return [table.take(pyarrow.array(order[a:b])) for a, b in itertools.pairwise(ends)]
