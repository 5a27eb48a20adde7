"""Penstock's ADBC driver: SQL and Substrait in, Arrow out.

    import adbc_driver_penstock.dbapi

    with adbc_driver_penstock.dbapi.connect("folder/of/tables", device="cuda:0") as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT shop, sum(price) FROM sales WHERE price > ? GROUP BY shop", [3])
            table = cursor.fetch_arrow_table()

The driver is a part of penstock's compiled module; `adbc_driver_manager` loads it. docs/adbc.md has all options.
"""

import enum
import os

import adbc_driver_manager
from penstock.core import core

__all__ = ["DatabaseOptions", "connect", "driver_path"]


class DatabaseOptions(enum.Enum):
    """Options of a database beside "uri", which names a file or a folder of files."""

    #: "cuda:0", "opencl:1", "cpu:0", or several devices: "cuda:0,1". The first one by default.
    DEVICE = "penstock.device"
    #: "auto", "own" or "duckdb".
    PLANNER = "penstock.planner"
    #: Bytes of a device's memory that may hold columns of files; 0 keeps none.
    CACHE_LIMIT = "penstock.cache_limit"


def connect(uri=None, *, device=None, planner=None, cache_limit_bytes=None, db_kwargs=None):
    """Opens a database, as adbc_driver_manager.AdbcDatabase.

    uri: a file or a folder, whose files are tables by their names without endings. Without it the
    tables are those that are ingested, and the files that statements name.
    """
    options = dict(db_kwargs or {})
    given = {
        "uri": None if uri is None else os.fspath(uri),
        DatabaseOptions.DEVICE.value: device,
        DatabaseOptions.PLANNER.value: planner,
        DatabaseOptions.CACHE_LIMIT.value: cache_limit_bytes,
    }
    options.update({key: str(value) for key, value in given.items() if value is not None})
    return adbc_driver_manager.AdbcDatabase(
        driver=driver_path(), entrypoint="AdbcDriverPenstockInit", **options
    )


def driver_path():
    """Returns the path of penstock's compiled module, which has the driver.

    PENSTOCK_LIBRARY names another library, such as libpenstock.so of a package.
    """
    return os.environ.get("PENSTOCK_LIBRARY") or core.__file__
