from typing import Any

__all__ = ["sql"]

# A list of Delayed Arrow tables, or a Dask DataFrame if one is among the tables.
def sql(
    statement_text: str,
    tables: Any,
    *,
    device: str = "",
    broadcast_limit_bytes: int = ...,
    gather_limit_bytes: int = ...,
    partition_bytes: int = ...,
    partitions: int | None = None,
    **options: Any,
) -> Any: ...
