"""libpenstock.so and the declarations of include/penstock/query.h."""

import ctypes
import functools
import os
import pathlib

# The library needs Arrow's and Parquet's libraries of the release that it was built with. pyarrow
# loads its own libraries first: a process has one of each.
import pyarrow  # noqa: F401
import pyarrow.parquet  # noqa: F401

MESSAGE_BYTES = 1024


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * MESSAGE_BYTES)]


class ArrowArrayStream(ctypes.Structure):
    """Four callbacks and private data; pyarrow fills and reads it by its address."""

    _fields_ = [
        (name, ctypes.c_void_p)
        for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")
    ]


class NamedStream(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("stream", ctypes.POINTER(ArrowArrayStream))]


class Report(ctypes.Structure):
    _fields_ = [
        ("rows_read", ctypes.c_uint64),
        ("rows_out", ctypes.c_uint64),
        ("kernels_compiled", ctypes.c_uint64),
        ("seconds", ctypes.c_double),
    ]


def _declare(library):
    status, handle = ctypes.POINTER(Status), ctypes.c_void_p
    library.penstock_session_open.argtypes = [
        ctypes.c_char_p,
        ctypes.POINTER(handle),
        status,
    ]
    library.penstock_session_close.argtypes = [handle]
    library.penstock_session_close.restype = None
    library.penstock_session_query.argtypes = [
        handle,
        ctypes.c_char_p,
        ctypes.POINTER(NamedStream),
        ctypes.c_size_t,
        ctypes.POINTER(ArrowArrayStream),
        ctypes.POINTER(Report),
        status,
    ]
    return library


def _candidates():
    """Yields what is loaded: the named file alone, or one beside the package, or an installed one."""
    named = os.environ.get("PENSTOCK_LIBRARY")
    if named:
        yield named
        return
    package = pathlib.Path(__file__).resolve().parent
    for folder in (package, package.parents[1] / "build"):
        if (folder / "libpenstock.so").exists():
            yield str(folder / "libpenstock.so")
    yield "libpenstock.so"


@functools.lru_cache(maxsize=None)
def load():
    reasons = []
    for candidate in _candidates():
        try:
            return _declare(ctypes.CDLL(candidate))
        except OSError as error:
            reasons.append(str(error))
    raise ImportError(
        "libpenstock.so is not found; PENSTOCK_LIBRARY names it: " + "; ".join(reasons)
    )
