"""Errors of pipelines, which name the line of the caller's code."""

import difflib
import os
import sys

from penstock.session import PenstockError

PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


class UnknownNameError(PenstockError, AttributeError):
    """No column or method of that name; an AttributeError too, as hasattr() expects."""

    # AttributeError.__init__ takes names that PenstockError does not have.
    def __init__(self, message, code="invalid"):
        PenstockError.__init__(self, message, code)


def line_of_caller():
    """Returns "file:line" of the innermost frame that is not this package's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "?"


def line_of_function(function, otherwise):
    """Returns "file:line" of a Python function; of others, such as itemgetter, `otherwise`."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else otherwise


def error_at(line, message, code="invalid"):
    return PenstockError(f"{line}: {message}", code)


def error_here(message, code="invalid"):
    """Returns an error at the caller's line, inside of the lambda that runs if there is one."""
    return error_at(line_of_caller(), message, code)


# Names of Python and pandas for methods that Polars names otherwise.
FAMILIAR = {
    "casefold": "to_lowercase",
    "day_of_week": "weekday",
    "day_of_year": "ordinal_day",
    "dayofweek": "weekday",
    "dayofyear": "ordinal_day",
    "endswith": "ends_with",
    "floor": "truncate",
    "isin": "is_in",
    "isna": "is_null",
    "isnull": "is_null",
    "isoweekday": "weekday",
    "len": "len_chars",
    "ljust": "pad_end",
    "lower": "to_lowercase",
    "lstrip": "strip_chars_start",
    "notna": "is_not_null",
    "notnull": "is_not_null",
    "rjust": "pad_start",
    "rstrip": "strip_chars_end",
    "startswith": "starts_with",
    "strip": "strip_chars",
    "upper": "to_uppercase",
    "zfill": "pad_start",
}


def unknown_here(what, name, names, space="", names_in_space=()):
    """Returns an error for an unknown name that lists near ones, else all.

    `names_in_space`: of methods behind a further name, such as ".str", which go first.
    """
    shown = {str(known): str(known) for known in names}
    shown = {**{known: f"{space}.{known}" for known in names_in_space}, **shown}
    folded = {known.casefold(): known for known in shown}
    other = FAMILIAR.get(str(name)) if what.startswith("method") else None
    if name in names_in_space or other in shown:
        hint = f"write {shown[name if name in names_in_space else other]}()"
    elif near := difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.6):
        hint = "near names: " + ", ".join(shown[folded[one]] for one in near)
    else:
        listed = list(shown.values())
        hint = "there are: " + ", ".join(listed[:20]) + (", ..." if len(listed) > 20 else "")
    return UnknownNameError(f'{line_of_caller()}: there is no {what} "{name}"; {hint}')
