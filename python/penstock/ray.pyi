from collections.abc import Mapping
from types import TracebackType
from typing import Any

import ray.data
from penstock.tables import _Table
from typing_extensions import TypedDict, Unpack

__all__ = ["Session", "sql"]

class _Limits(TypedDict, total=False):
    broadcast_limit_bytes: int
    gather_limit_bytes: int
    partition_bytes: int
    partitions: int | None

class Session:
    limits: Any
    statements: list[str]
    def __init__(
        self,
        device: str = "",
        actors: int | None = None,
        *,
        tables: Mapping[str, _Table] | None = None,
        broadcast_limit_bytes: int = ...,
        gather_limit_bytes: int = ...,
        partition_bytes: int = ...,
        partitions: int | None = None,
    ) -> None: ...
    def sql(
        self,
        statement_text: str,
        datasets: ray.data.Dataset | Mapping[str, ray.data.Dataset | _Table] | None = None,
    ) -> ray.data.Dataset: ...
    def close(self) -> None: ...
    def __enter__(self) -> Session: ...
    def __exit__(
        self, *error: type[BaseException] | BaseException | TracebackType | None
    ) -> None: ...

def sql(
    statement_text: str,
    datasets: ray.data.Dataset | Mapping[str, ray.data.Dataset | _Table] | None = None,
    *,
    device: str = "",
    actors: int | None = None,
    **limits: Unpack[_Limits],
) -> ray.data.Dataset: ...
