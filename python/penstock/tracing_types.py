"""Types of traced expressions: the engine's rules for what meets what, over pyarrow's types."""

import decimal

import pyarrow
import pyarrow.types as kinds

INTEGER_DIGITS = {"8": 3, "16": 5, "32": 10}
DIGITS_OF_64 = {True: 19, False: 20}
# Results of decimals of up to 18 digits stay in 64 bits.
SHORT_DIGITS, LONG_DIGITS = 18, 38

TIMESTAMP = pyarrow.timestamp("us")
TIMESTAMP_UTC = pyarrow.timestamp("us", "UTC")
TIME = pyarrow.time64("us")
INTERVAL = pyarrow.month_day_nano_interval()

SQL_NAMES = {
    pyarrow.bool_(): "BOOLEAN",
    pyarrow.int8(): "TINYINT",
    pyarrow.int16(): "SMALLINT",
    pyarrow.int32(): "INTEGER",
    pyarrow.int64(): "BIGINT",
    pyarrow.uint8(): "UTINYINT",
    pyarrow.uint16(): "USMALLINT",
    pyarrow.uint32(): "UINTEGER",
    pyarrow.uint64(): "UBIGINT",
    pyarrow.float32(): "FLOAT",
    pyarrow.float64(): "DOUBLE",
    pyarrow.string(): "VARCHAR",
    pyarrow.binary(): "BLOB",
    pyarrow.date32(): "DATE",
    TIMESTAMP: "TIMESTAMP",
    TIMESTAMP_UTC: "TIMESTAMPTZ",
    TIME: "TIME",
    INTERVAL: "INTERVAL",
}
TYPES_BY_SQL_NAME = {
    **{name: type_ for type_, name in SQL_NAMES.items()},
    "TIMESTAMP WITH TIME ZONE": TIMESTAMP_UTC,
    "HUGEINT": pyarrow.decimal128(LONG_DIGITS, 0),
}
SIGNED = [pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64()]
UNSIGNED = [pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64()]


def engine_type(type_):
    """Returns the type in which the engine computes with Arrow data of a type."""
    if kinds.is_dictionary(type_):
        return engine_type(type_.value_type)
    if kinds.is_string(type_) or kinds.is_large_string(type_) or kinds.is_string_view(type_):
        return pyarrow.string()
    if kinds.is_binary(type_) or kinds.is_large_binary(type_) or kinds.is_binary_view(type_):
        return pyarrow.binary()
    if kinds.is_date(type_):
        return pyarrow.date32()
    if kinds.is_timestamp(type_):
        return TIMESTAMP if type_.tz is None else TIMESTAMP_UTC
    if kinds.is_time(type_):
        return TIME
    if kinds.is_decimal(type_) and type_.precision <= LONG_DIGITS:
        return pyarrow.decimal128(type_.precision, type_.scale)
    return type_


def sql_name(type_):
    """Returns a type's name in SQL, or pyarrow's for one that the engine computes nothing with."""
    if kinds.is_decimal128(type_):
        return f"DECIMAL({type_.precision}, {type_.scale})"
    return SQL_NAMES.get(type_, str(type_))


def type_of_sql_name(name):
    """Returns the type that DESCRIBE names, or None."""
    name = name.upper()
    if name.startswith("DECIMAL("):
        precision, scale = name[len("DECIMAL(") : -1].split(",")
        return pyarrow.decimal128(int(precision), int(scale))
    return TYPES_BY_SQL_NAME.get(name)


def is_number(type_):
    return kinds.is_integer(type_) or is_real(type_) or kinds.is_decimal128(type_)


def is_real(type_):
    return type_ in (pyarrow.float32(), pyarrow.float64())


def is_temporal(type_):
    return type_ in (pyarrow.date32(), TIMESTAMP, TIMESTAMP_UTC)


def _digits(type_):
    """Returns (digits before the point, digits behind it) of an integer or decimal."""
    if kinds.is_decimal128(type_):
        return type_.precision - type_.scale, type_.scale
    bits = str(type_.bit_width)
    return INTEGER_DIGITS.get(bits) or DIGITS_OF_64[kinds.is_signed_integer(type_)], 0


def _digit_limit(a, b):
    longest = max(t.precision for t in (a, b) if kinds.is_decimal128(t))
    return LONG_DIGITS if longest > SHORT_DIGITS else SHORT_DIGITS


def _integers(a, b, narrow):
    """Returns the integer type in which two meet, or None: UBIGINT meets no signed type.

    `narrow`: the narrowest type that holds both, as choices have it; in arithmetic a signed type
    that is not the wider one makes BIGINT.
    """
    if kinds.is_signed_integer(a) == kinds.is_signed_integer(b):
        return a if a.bit_width >= b.bit_width else b
    signed, unsigned = (a, b) if kinds.is_signed_integer(a) else (b, a)
    if unsigned == pyarrow.uint64():
        return None
    if signed.bit_width > unsigned.bit_width:
        return signed
    return SIGNED[UNSIGNED.index(unsigned) + 1] if narrow else pyarrow.int64()


def _reals(a, b):
    return pyarrow.float64() if pyarrow.float64() in (a, b) else pyarrow.float32()


def _decimals(operation, a, b):
    (whole_a, scale_a), (whole_b, scale_b) = _digits(a), _digits(b)
    limit = _digit_limit(a, b)
    if operation == "*":
        scale, precision = scale_a + scale_b, whole_a + whole_b + scale_a + scale_b
    else:
        scale = max(scale_a, scale_b)
        precision = max(whole_a, whole_b) + scale + (operation in "+-")
    if operation == "%" and precision > LONG_DIGITS:
        return pyarrow.float64()
    return pyarrow.decimal128(min(precision, limit), scale) if scale <= limit else None


def _numbers(operation, a, b):
    if is_real(a) or is_real(b):
        return _reals(a, b)
    is_decimal = kinds.is_decimal128(a) or kinds.is_decimal128(b)
    if operation == "/" or (operation == "//" and is_decimal):
        return pyarrow.float64()
    return _decimals(operation, a, b) if is_decimal else _integers(a, b, narrow=False)


def _times(operation, a, b):
    """Returns the type of a sum or difference of dates and times, or None."""
    if INTERVAL in (a, b):
        other = b if a == INTERVAL else a
        if operation == "-" and a == INTERVAL and b != INTERVAL:
            return None
        if other == pyarrow.date32():
            return TIMESTAMP
        return other if other in (TIMESTAMP, TIMESTAMP_UTC, TIME, INTERVAL) else None
    if operation == "-" and is_temporal(a) and is_temporal(b):
        return pyarrow.int64() if a == b == pyarrow.date32() else INTERVAL
    days = b if a == pyarrow.date32() else a
    if pyarrow.date32() not in (a, b) or (operation == "-" and days is a):
        return None
    is_short = kinds.is_integer(days) and (days.bit_width < 32 or days == pyarrow.int32())
    return pyarrow.date32() if is_short else None


def arithmetic(operation, a, b):
    """Returns the type of `a operation b` for + - * / // %, or None if there is none."""
    if is_number(a) and is_number(b):
        return _numbers(operation, a, b)
    if operation in "+-":
        return _times(operation, a, b)
    if operation in "*/" and a == INTERVAL and is_number(b):
        return INTERVAL
    return INTERVAL if operation == "*" and b == INTERVAL and is_number(a) else None


def bits(a, b):
    """Returns the type of `a & b` and the like of integers, or None."""
    both = kinds.is_integer(a) and kinds.is_integer(b)
    return _integers(a, b, narrow=False) if both else None


def is_comparable(a, b):
    def numeric(type_):
        return is_number(type_) or kinds.is_boolean(type_)

    if numeric(a) and numeric(b):
        return True
    return (is_temporal(a) and is_temporal(b)) or (a == b and a in SQL_NAMES)


def common(a, b):
    """Returns the type that holds the values of both, as CASE and COALESCE have it, or None."""
    if a == b:
        return a
    if is_temporal(a) and is_temporal(b):
        return TIMESTAMP_UTC if TIMESTAMP_UTC in (a, b) else TIMESTAMP
    for one, other in ((a, b), (b, a)):
        if kinds.is_boolean(one) and kinds.is_integer(other):
            return other
    if not (is_number(a) and is_number(b)):
        return None
    if is_real(a) or is_real(b):
        return _reals(a, b)
    if kinds.is_integer(a) and kinds.is_integer(b):
        return _integers(a, b, narrow=True)
    (whole_a, scale_a), (whole_b, scale_b) = _digits(a), _digits(b)
    limit, whole = _digit_limit(a, b), max(whole_a, whole_b)
    scale = max(scale_a, scale_b)
    if limit == LONG_DIGITS:
        scale = min(scale, LONG_DIGITS - whole)
    return pyarrow.decimal128(min(whole + scale, limit), scale)


def integer_type_of(value):
    """Returns the narrowest type that holds a whole number, or None."""
    for type_ in SIGNED + [pyarrow.uint64()]:
        if fits(value, type_):
            return type_
    return None


def fits(value, type_):
    if kinds.is_signed_integer(type_):
        half = 1 << (type_.bit_width - 1)
        return -half <= value < half
    return 0 <= value < 1 << type_.bit_width


def decimal_type_of(value):
    """Returns the type of a finite Decimal as it is written, or None if it has too many digits."""
    if not isinstance(value, decimal.Decimal) or not value.is_finite():
        return None
    _, digits, exponent = value.as_tuple()
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    return pyarrow.decimal128(precision, scale) if precision <= LONG_DIGITS else None
