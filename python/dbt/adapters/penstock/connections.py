"""Connections of dbt's threads to one session, which reads a folder."""

import contextlib
import threading
import warnings
from dataclasses import dataclass
from typing import ClassVar

from adbc_driver_penstock import dbapi
from dbt.adapters.contracts.connection import AdapterResponse, ConnectionState, Credentials
from dbt.adapters.penstock.folder import DatabaseFolder
from dbt.adapters.sql import SQLConnectionManager
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

# Each connection says so, and dbt asks for no transaction here.
warnings.filterwarnings("ignore", "Cannot disable autocommit", dbapi.Warning)


@dataclass
class PenstockCredentials(Credentials):
    """A profile: `path` is the database's folder; the rest is as adbc_driver_penstock has it."""

    database: str = "memory"
    schema: str = "main"
    path: str = "penstock_database"
    device: str = ""
    planner: str = "auto"

    @property
    def type(self):
        return "penstock"

    @property
    def unique_field(self):
        return self.path

    def _connection_keys(self):
        return ("database", "schema", "path", "device", "planner")


class PenstockConnectionManager(SQLConnectionManager):
    """Statements of one process share a session; each thread has a connection to it."""

    TYPE = "penstock"
    _databases: ClassVar = {}  # by path, device and planner
    _lock = threading.Lock()

    @classmethod
    def open(cls, connection):
        if connection.state == ConnectionState.OPEN:
            return connection
        credentials = connection.credentials
        try:
            connection.handle = cls._database_of(credentials).adbc_clone()
        except (dbapi.Error, OSError, ValueError) as error:
            connection.state = ConnectionState.FAIL
            raise DbtRuntimeError(str(error)) from error
        connection.state = ConnectionState.OPEN
        return connection

    @classmethod
    def _database_of(cls, credentials):
        """Opens the session, and defines what the folder has now."""
        key = (credentials.path, credentials.device, credentials.planner)
        with cls._lock:
            database = cls._databases.get(key)
            if database is None:
                database = dbapi.connect(
                    device=credentials.device or None, planner=credentials.planner
                )
                cls._databases[key] = database
            folder = DatabaseFolder(credentials.path)
            with folder.lock, database.cursor() as cursor:
                for statement in folder.definitions():
                    cursor.execute(statement)
            return database

    @contextlib.contextmanager
    def exception_handler(self, sql):
        try:
            yield
        except dbapi.Error as error:
            raise DbtDatabaseError(str(error)) from error

    def cancel(self, connection):
        connection.handle.adbc_cancel()

    @classmethod
    def get_response(cls, cursor):
        return AdapterResponse(_message="OK", rows_affected=cursor.rowcount)

    @classmethod
    def data_type_code_to_name(cls, type_code):
        return str(type_code)

    # Each statement is a transaction of its own.
    def add_begin_query(self):
        pass

    def add_commit_query(self):
        pass

    def begin(self):
        return self.get_thread_connection()

    def commit(self):
        return self.get_thread_connection()

    def clear_transaction(self):
        pass
