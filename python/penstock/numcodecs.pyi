from typing import Any, ClassVar

from numcodecs.abc import Codec

__all__ = ["Gzip", "Lz4", "Zstd"]

class _Codec(Codec):
    format: ClassVar[str]
    level: int
    threads: int
    device: str
    def __init__(self, level: int = 0, threads: int = 1, device: str = "") -> None: ...
    # The base class has no type for it.
    def encode(self, buf: Any) -> bytes: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def decode(self, buf: Any, out: Any = None) -> Any: ...
    def get_config(self) -> dict[str, Any]: ...

class Zstd(_Codec):
    codec_id: str | None

class Lz4(_Codec):
    codec_id: str | None

class Gzip(_Codec):
    codec_id: str | None
