"""Compressed bytes and files: gzip, zlib, zstd, lz4 and framed Snappy, every checksum verified."""

import io
import os

from penstock.core import check_process, core
from penstock.errors import PenstockError

FORMATS = ("gzip", "zlib", "zstd", "lz4", "snappy")
_SUFFIXES = {".gz": "gzip", ".zz": "zlib", ".zst": "zstd", ".lz4": "lz4", ".sz": "snappy"}


def _buffer(data):
    """Returns one-dimensional bytes over whatever has the buffer protocol."""
    view = memoryview(data)
    if not view.c_contiguous:
        raise PenstockError("bytes that do not follow one another; copy them first")
    return view.cast("B") if view.nbytes else b""


def decompress(
    data, format="", *, device="", max_output_bytes=None, threads=0, dictionary=b"", fallback=False
):
    """Returns the decompressed bytes of `data`: bytes, a memoryview, an array, a mapped file.

    `format`: one of FORMATS; by default the first bytes tell. `device`: "cuda:0" and the like; the
    host's threads by default. Input that a device does not decode is an error ("unsupported")
    unless `fallback`. More output than `max_output_bytes` is an error ("capacity"). Damage is one
    too ("corrupt", "truncated"), with the byte.
    """
    check_process()
    return core.decompress(
        _buffer(data), format, max_output_bytes, threads, bytes(dictionary), device, fallback
    )


def compress(data, format="zstd", *, level=0, threads=0, block_bytes=0, device=""):
    """Returns `data` as gzip, zstd or lz4, in blocks that are decoded in parallel.

    `level`: gzip 1 to 12, zstd 1 to 22, lz4 1 to 12; 0 is 6, 3 and 1.
    """
    check_process()
    return core.compress(_buffer(data), format, level, threads, block_bytes, device)


class CompressedFile(io.RawIOBase):
    """Decoded bytes of a compressed file. Seeking back decodes from the beginning again."""

    def __init__(self, path, format="", *, device="", threads=0, dictionary=b"", fallback=False):
        check_process()
        self._arguments = (format, None, threads, bytes(dictionary), device, fallback)
        self.name = os.fspath(path)
        with io.open(self.name, "rb"):
            pass  # a missing file is FileNotFoundError, as of open()
        self._reader, self._position = None, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._position

    def readinto(self, into):
        if self.closed:
            raise ValueError("the file is closed")
        if self._reader is None:
            self._reader = core.Reader(self.name, *self._arguments)
        view = memoryview(into).cast("B")
        part = self._reader.read(len(view))
        view[: len(part)] = part
        self._position += len(part)
        return len(part)

    def seek(self, offset, whence=io.SEEK_SET):
        if whence == io.SEEK_END:
            while self.read(1 << 20):
                pass
        target = offset + (0 if whence == io.SEEK_SET else self._position)
        if target < 0:
            raise ValueError(f"a position before the beginning: {target}")
        if target < self._position:
            self._stop()
            self._position = 0
        while self._position < target and self.read(min(1 << 20, target - self._position)):
            pass
        return self._position

    def _stop(self):
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def close(self):
        if not self.closed:
            self._stop()
        super().close()


class _Writer(io.BytesIO):
    """Bytes that are compressed into a file when it is closed."""

    def __init__(self, path, format, options):
        super().__init__()
        self._path, self._format, self._options = path, format, options

    def close(self):
        if not self.closed:
            compressed = compress(self.getbuffer(), self._format, **self._options)
            with io.open(self._path, "wb") as file:
                file.write(compressed)
        super().close()


def open(path, mode="rb", format="", *, encoding=None, errors=None, newline=None, **options):
    """Opens a compressed file, as gzip.open() does: "rb", "rt", "wb" or "wt".

    `format`: one of FORMATS; by default the first bytes tell, and for writing the suffix. Reading
    takes decompress()'s options, writing compress()'s.
    """
    if mode not in ("r", "rb", "rt", "w", "wb", "wt"):
        raise PenstockError(f"no mode {mode!r}: rb, rt, wb, wt")
    if "t" not in mode and (encoding, errors, newline) != (None, None, None):
        raise PenstockError("encoding, errors and newline are for text: mode rt or wt")
    if "w" in mode:
        format = format or _SUFFIXES.get(os.path.splitext(os.fspath(path))[1], "")
        if not format:
            raise PenstockError(f"the suffix of {path!r} names no format; format= does")
        binary = _Writer(path, format, options)
    else:
        binary = io.BufferedReader(CompressedFile(path, format, **options), 1 << 17)
    return io.TextIOWrapper(binary, encoding, errors, newline) if "t" in mode else binary
