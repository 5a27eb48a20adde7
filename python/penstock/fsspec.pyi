from collections.abc import Iterable
from typing import Literal

__all__ = ["register"]

def register(formats: Iterable[Literal["gzip", "zstd", "lz4", "snappy"]] = ...) -> None: ...
