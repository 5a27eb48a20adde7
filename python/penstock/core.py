"""The compiled module, and what has to be true before it is loaded."""

import importlib.util
import os

# The module is linked with Arrow's and Parquet's libraries of one release of pyarrow, which loads
# them: a process has one of each.
import pyarrow
import pyarrow.parquet  # noqa: F401

from penstock.errors import PenstockError

try:
    from penstock import _core as core
except ImportError as error:
    raise ImportError(
        f"penstock's compiled module does not load beside pyarrow {pyarrow.__version__}: {error}\n"
        "It needs the release of pyarrow that it was built with; pip install --force-reinstall "
        "penstock installs that one. In a source tree PYTHONPATH is build/python."
    ) from error


def _name_duckdb():
    """Names DuckDB's module of this environment as the planner, if the user has named none.

    It is opened when a statement needs it.
    """
    found = importlib.util.find_spec("_duckdb")
    if found is not None and found.origin:
        os.environ.setdefault("PENSTOCK_DUCKDB", found.origin)


_name_duckdb()

__all__ = ["check_process", "core", "is_first_process"]

_first_process = None  # that used the library


def check_process():
    """The library's threads and drivers' handles belong to the process that used it first."""
    global _first_process
    if _first_process is None:
        _first_process = os.getpid()
    elif _first_process != os.getpid():
        raise PenstockError(
            "this process was forked from one that has used penstock, whose threads and device it "
            'lacks; start workers by spawn: multiprocessing.get_context("spawn")',
            "unsupported",
        )


def is_first_process():
    return _first_process == os.getpid()
