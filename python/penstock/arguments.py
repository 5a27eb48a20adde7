"""Checks of arguments, with errors that name the argument: TypeError, and PenstockError of values."""

import operator

from penstock.errors import PenstockError

_MOST = 2**32 - 1


def text(name, value):
    if not isinstance(value, str):
        raise _wrong(name, "a str", value)
    return value


def flag(name, value):
    if not isinstance(value, (bool, int)) and type(value).__name__ not in ("bool", "bool_"):
        raise _wrong(name, "a bool", value)
    return bool(value)


def whole(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise _wrong(name, "a whole number", value) from None


def count(name, value, least=0, most=_MOST):
    number = whole(name, value)
    if not least <= number <= most:
        bound = f"{least} or more" if number < least else f"{most} at most"
        raise PenstockError(f"{name}= is {bound}, not {number}")
    return number


def count_or_none(name, value, most=2**64 - 1):
    return None if value is None else count(name, value, most=most)


def texts(name, value):
    """Returns a list of strings; a string alone is one."""
    if isinstance(value, str):
        return [value]
    try:
        made = list(value)
    except TypeError:
        raise _wrong(name, "a str, or an iterable of them", value) from None
    for one in made:
        if not isinstance(one, str):
            raise _wrong(name, "of str", one)
    return made


def tables(value):
    """Returns a dict of the tables that a statement names, empty for None."""
    if value is None:
        return {}
    try:
        made = dict(value.items())
    except (AttributeError, TypeError):
        raise _wrong("tables", "a dict of tables by their names", value) from None
    for name in made:
        if not isinstance(name, str):
            raise TypeError(f"tables= has the key {name!r}; a table's name is a str")
    return made


def _wrong(name, wanted, value):
    return TypeError(f"{name}= is {wanted}, not {type(value).__name__}")
