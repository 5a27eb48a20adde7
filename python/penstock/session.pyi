from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, TypeAlias

import pyarrow
from penstock.errors import PenstockError as PenstockError
from penstock.result import Result
from penstock.tables import _Table
from penstock.tables import reader_of as reader_of
from penstock.tracing_functions import Function, Reduction

__all__ = ["PenstockError", "Report", "Session", "query", "reader_of", "session_of"]

_Parameters: TypeAlias = Sequence[object] | Mapping[str, object]
_Planner: TypeAlias = Literal["auto", "own", "duckdb"]
_Target: TypeAlias = Literal["cuda", "opencl", "sycl", "metal", "cpu"]

class Report(dict[str, Any]):
    device: str
    device_name: str
    rows_read: int
    rows_out: int
    bytes_uploaded: int
    bytes_downloaded: int
    bytes_moved: int
    columns_from_cache: int
    kernels_compiled: int
    kernel_launches: int
    kernel_seconds: float
    seconds: float
    notes: list[str]
    profile: str

class Session:
    device: str
    planner: _Planner
    cache_limit_bytes: int | None
    report: Report | None
    def __init__(
        self,
        device: str = "",
        *,
        cache_limit_bytes: int | None = None,
        planner: _Planner = "auto",
    ) -> None: ...
    def query(
        self,
        sql: str,
        tables: Mapping[str, _Table] | None = None,
        parameters: _Parameters | None = None,
        planner: _Planner | None = None,
    ) -> pyarrow.Table: ...
    def profile(
        self,
        sql: str,
        tables: Mapping[str, _Table] | None = None,
        parameters: _Parameters | None = None,
        planner: _Planner | None = None,
    ) -> str: ...
    def arrays(
        self,
        sql: str,
        tables: Mapping[str, _Table] | None = None,
        parameters: _Parameters | None = None,
        planner: _Planner | None = None,
    ) -> dict[str, Any]: ...
    def explain(
        self,
        sql: str,
        tables: Mapping[str, _Table] | None = None,
        parameters: _Parameters | None = None,
        planner: _Planner | None = None,
    ) -> str: ...
    def source(
        self,
        sql: str,
        tables: Mapping[str, _Table] | None = None,
        parameters: _Parameters | None = None,
        target: _Target = "cuda",
        planner: _Planner | None = None,
    ) -> str: ...
    def sql(
        self,
        sql: str,
        parameters: _Parameters | None = None,
        *,
        tables: Mapping[str, _Table] | None = None,
        planner: _Planner | None = None,
    ) -> Result: ...
    def register(self, name: str, data: _Table) -> None: ...
    def define(self, function: Function | Reduction) -> None: ...
    def cancel(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Session: ...
    def __exit__(
        self,
        *error: type[BaseException] | BaseException | TracebackType | None,
    ) -> None: ...

def session_of(device: str = "") -> Session: ...
def query(
    sql: str,
    tables: Mapping[str, _Table] | None = None,
    device: str = "",
    parameters: _Parameters | None = None,
    planner: _Planner | None = None,
) -> pyarrow.Table: ...
