from typing import Any, ClassVar

from numcodecs.abc import Codec

__all__ = ["Gzip", "Lz4", "Zstd"]

class _Codec(Codec):
    format: ClassVar[str]
    level: int
    threads: int
    device: str
    def __init__(self, level: int = 0, threads: int = 1, device: str = "") -> None: ...
    def encode(self, buf: Any) -> bytes: ...
    def decode(self, buf: Any, out: Any = None) -> Any: ...
    def get_config(self) -> dict[str, Any]: ...

class Zstd(_Codec):
    codec_id: ClassVar[str]

class Lz4(_Codec):
    codec_id: ClassVar[str]

class Gzip(_Codec):
    codec_id: ClassVar[str]
