import io
import os
from collections.abc import Iterable
from typing import Literal, Protocol, TypeAlias, overload

from penstock.tables import _DlpackArray, _NumpyArray
from typing_extensions import Buffer

FORMATS: tuple[str, ...]

_Format: TypeAlias = Literal["", "gzip", "zlib", "zstd", "lz4", "snappy"]
_Written: TypeAlias = Literal["gzip", "zstd", "lz4"]

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _Writable(Protocol):
    def write(self, data: bytes, /) -> object: ...

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

def decompress(
    data: Buffer | _NumpyArray,
    format: _Format = "",
    *,
    device: str = "",
    max_output_bytes: int | None = None,
    threads: int = 0,
    dictionary: Buffer = b"",
    fallback: bool = False,
) -> bytes: ...
def decode_chunks(
    format: Literal["lz4", "snappy", "deflate", "zlib", "gzip", "zstd"],
    data: Buffer | _DlpackArray,
    sizes: Iterable[int],
    capacities: int | Iterable[int],
    *,
    offsets: Iterable[int] | None = None,
    device: str = "",
) -> tuple[_DlpackArray, list[int], list[int]]: ...
def compress(
    data: Buffer | _NumpyArray,
    format: _Written = "zstd",
    *,
    level: int = 0,
    threads: int = 0,
    block_bytes: int = 0,
    device: str = "",
) -> bytes: ...

class CompressedFile(io.RawIOBase):
    name: object
    def __init__(
        self,
        file: _Path | _Readable,
        format: _Format = "",
        *,
        device: str = "",
        max_output_bytes: int | None = None,
        threads: int = 0,
        dictionary: Buffer = b"",
        fallback: bool = False,
    ) -> None: ...
    def seek(self, offset: int, whence: int = ...) -> int: ...
    def readinto(self, into: Buffer) -> int: ...

@overload
def open(
    file: _Path | _Readable,
    mode: Literal["r", "rb"] = "rb",
    format: _Format = "",
    *,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    device: str = "",
    max_output_bytes: int | None = None,
    threads: int = 0,
    dictionary: Buffer = b"",
    fallback: bool = False,
) -> io.BufferedReader: ...
@overload
def open(
    file: _Path | _Writable,
    mode: Literal["w", "wb"],
    format: Literal["", "gzip", "zstd", "lz4"] = "",
    *,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    level: int = 0,
    threads: int = 0,
    block_bytes: int = 0,
    device: str = "",
) -> io.BufferedWriter: ...
@overload
def open(
    file: _Path | _Readable,
    mode: Literal["rt"],
    format: _Format = "",
    *,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    device: str = "",
    max_output_bytes: int | None = None,
    threads: int = 0,
    dictionary: Buffer = b"",
    fallback: bool = False,
) -> io.TextIOWrapper: ...
@overload
def open(
    file: _Path | _Writable,
    mode: Literal["wt"],
    format: Literal["", "gzip", "zstd", "lz4"] = "",
    *,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    level: int = 0,
    threads: int = 0,
    block_bytes: int = 0,
    device: str = "",
) -> io.TextIOWrapper: ...
