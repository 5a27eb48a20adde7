from collections.abc import Mapping
from typing import TypeVar

import pyarrow
from penstock.tables import _Table

_Batch = TypeVar("_Batch")

class BatchWorker:
    sql: str
    table_name: str
    device: str
    tables: dict[str, pyarrow.Table]
    def __init__(
        self,
        sql: str,
        table_name: str = "batch",
        device: str = "",
        tables: Mapping[str, _Table] | None = None,
    ) -> None: ...
    def __call__(self, batch: _Batch) -> _Batch: ...
