"""PEP 249 over Penstock's ADBC driver, with Arrow tables as arguments and answers.

    connection = adbc_driver_penstock.dbapi.connect("folder")
    connection.cursor().adbc_ingest("sales", arrow_table)

Each statement is a transaction of its own: commit() and rollback() do nothing that could be undone.
"""

import adbc_driver_manager.dbapi
from adbc_driver_manager.dbapi import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Connection,
    Cursor,
    DatabaseError,
    DataError,
    Date,
    DateFromTicks,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    Warning,
    apilevel,
    threadsafety,
)

import adbc_driver_penstock

paramstyle = "qmark"

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]


def connect(uri=None, *, conn_kwargs=None, **options):
    """Opens a database and a connection to it; options are those of adbc_driver_penstock.connect().

    The connection closes the database with itself.
    """
    database = adbc_driver_penstock.connect(uri, **options)
    try:
        connection = adbc_driver_manager.AdbcConnection(database, **(conn_kwargs or {}))
    except BaseException:
        database.close()
        raise
    try:
        return Connection(database, connection, autocommit=True)
    except BaseException:
        connection.close()
        database.close()
        raise
