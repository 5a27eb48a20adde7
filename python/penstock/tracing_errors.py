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


def unknown_here(what, name, names):
    """Returns an error for an unknown name that lists near ones, else all."""
    names = [str(known) for known in names]
    folded = {known.casefold(): known for known in names}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.6)
    listed = ", ".join(folded[one] for one in near)
    if not near:
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    hint = f"near names: {listed}" if near else f"there are: {listed}"
    return UnknownNameError(f'{line_of_caller()}: there is no {what} "{name}"; {hint}')
