import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow
from ibis.backends import NoUrl
from ibis.backends.sql import SQLBackend

from penstock.session import Session

_Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

class Backend(SQLBackend, NoUrl):
    name: str
    compiler: Any
    supports_python_udfs: bool
    supports_temporary_tables: bool
    con: Session
    def do_connect(
        self,
        device: str = "",
        *,
        planner: str = "auto",
        cache_limit_bytes: int | None = None,
        session: Session | None = None,
    ) -> None: ...
    @classmethod
    def from_connection(cls, con: Session, /) -> Backend: ...
    def disconnect(self) -> None: ...
    @property
    def version(self) -> str: ...
    @property
    def current_catalog(self) -> str: ...
    @property
    def current_database(self) -> str: ...
    def list_tables(self, *, like: str | None = None, database: Any = None) -> list[str]: ...
    def get_schema(self, table_name: str, *, catalog: Any = None, database: Any = None) -> Any: ...
    def create_table(
        self,
        name: str,
        /,
        obj: Any = None,
        *,
        schema: Any = None,
        database: Any = None,
        temp: bool = False,
        overwrite: bool = False,
    ) -> Any: ...
    def create_view(
        self, name: str, /, obj: Any, *, database: Any = None, overwrite: bool = False
    ) -> Any: ...
    def drop_table(self, name: str, /, *, database: Any = None, force: bool = False) -> None: ...
    def drop_view(self, name: str, /, *, database: Any = None, force: bool = False) -> None: ...
    def truncate_table(self, name: str, /, *, database: Any = None) -> None: ...
    def insert(
        self, name: str, /, obj: Any, *, database: Any = None, overwrite: bool = False
    ) -> None: ...
    def read_parquet(
        self, paths: _Paths, /, *, table_name: str | None = None, **options: Any
    ) -> Any: ...
    def read_csv(
        self, paths: _Paths, /, *, table_name: str | None = None, **options: Any
    ) -> Any: ...
    def read_json(
        self, paths: _Paths, /, *, table_name: str | None = None, **options: Any
    ) -> Any: ...
    def raw_sql(self, query: Any) -> Any: ...
    def execute(
        self, expr: Any, /, *, params: Any = None, limit: Any = None, **options: Any
    ) -> Any: ...
    def to_pyarrow(
        self, expr: Any, /, *, params: Any = None, limit: Any = None, **options: Any
    ) -> Any: ...
    def to_pyarrow_batches(
        self,
        expr: Any,
        /,
        *,
        params: Any = None,
        limit: Any = None,
        chunk_size: int = 1_000_000,
        **options: Any,
    ) -> pyarrow.RecordBatchReader: ...
