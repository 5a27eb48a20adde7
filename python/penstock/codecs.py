"""Compressed bytes and files: gzip, zlib, zstd, lz4 and framed Snappy, every checksum verified."""

import atexit
import io
import itertools
import os
import weakref

from penstock import arguments
from penstock.core import check_process, core
from penstock.errors import PenstockError

_WRITE_BYTES = 32 << 20
FORMATS = ("gzip", "zlib", "zstd", "lz4", "snappy")
_SUFFIXES = {".gz": "gzip", ".zz": "zlib", ".zst": "zstd", ".lz4": "lz4", ".sz": "snappy"}


def _buffer(data):
    """Returns one-dimensional bytes over whatever has the buffer protocol."""
    try:
        view = memoryview(data)
    except TypeError:
        kind = type(data).__name__
        raise TypeError(f"data= is bytes, or has the buffer protocol, not {kind}") from None
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
    options = _reading(format, device, max_output_bytes, threads, dictionary, fallback)
    return core.decompress(_buffer(data), *options)


def _reading(format, device, max_output_bytes, threads, dictionary, fallback):
    """Returns the options of a decoder in the order of the compiled module."""
    if isinstance(dictionary, (str, int)):
        raise TypeError(f"dictionary= is bytes, not {type(dictionary).__name__}")
    return (
        arguments.text("format", format),
        arguments.count_or_none("max_output_bytes", max_output_bytes),
        arguments.count("threads", threads),
        bytes(dictionary),
        arguments.text("device", device),
        arguments.flag("fallback", fallback),
    )


def compress(data, format="zstd", *, level=0, threads=0, block_bytes=0, device=""):
    """Returns `data` as gzip, zstd or lz4, in blocks that are decoded in parallel.

    `level`: gzip 1 to 12, zstd 1 to 22, lz4 1 to 12; 0 is 6, 3 and 1.
    """
    check_process()
    return core.compress(
        _buffer(data),
        arguments.text("format", format),
        arguments.whole("level", level),
        arguments.count("threads", threads),
        arguments.count("block_bytes", block_bytes),
        arguments.text("device", device),
    )


_open_files = weakref.WeakSet()


@atexit.register
def _close_files():
    """Ends the threads that read file objects, which need the interpreter."""
    for file in list(_open_files):
        file.close()


def decode_chunks(format, data, sizes, capacities, *, offsets=None, device=""):
    """Decodes independent chunks at once; returns (bytes, offsets, sizes) of their outputs.

    `format`: "lz4" and "snappy" blocks, "deflate", "zlib" and "gzip" streams, "zstd" frames.
    `data`: the chunks' bytes, on the host or an array of uint8 on the device. `sizes`: bytes of each
    chunk; `offsets`: their places, one after another by default. `capacities`: bytes that each
    output may have, or a number for all. The bytes that are returned are an array of uint8 in the
    device's memory, with __dlpack__; output i is [offsets[i] : offsets[i] + sizes[i]]. A damaged
    chunk is an error with its number and byte ("corrupt", "truncated", "capacity").
    """
    check_process()
    sizes = _counts("sizes", sizes)
    if offsets is None:
        offsets = [0, *itertools.accumulate(sizes)][: len(sizes)]
    if hasattr(capacities, "__index__"):
        capacities = [capacities] * len(sizes)
    offsets, capacities = _counts("offsets", offsets), _counts("capacities", capacities)
    arguments.text("format", format)
    arguments.text("device", device)
    if not hasattr(data, "__dlpack__"):
        data = _buffer(data)
    return core.decode_chunks(device, format, data, offsets, sizes, capacities)


def _counts(name, values):
    try:
        return [arguments.count(name, value, most=2**64 - 1) for value in values]
    except TypeError:
        raise TypeError(f"{name}= is a list of whole numbers, not {values!r:.40}") from None


class CompressedFile(io.RawIOBase):
    """Decoded bytes of a compressed file. Seeking back decodes from the beginning again."""

    def __init__(
        self,
        file,
        format="",
        *,
        device="",
        max_output_bytes=None,
        threads=0,
        dictionary=b"",
        fallback=False,
    ):
        """`file`: a path, or an object with read(). The other arguments are decompress()'s.

        An object is read from where it stands by another thread, and is left open. Seeking back
        seeks in it.
        """
        check_process()
        self._arguments = _reading(format, device, max_output_bytes, threads, dictionary, fallback)
        self._reader, self._position, self._start = None, 0, None
        _open_files.add(self)
        if hasattr(file, "read"):
            self._file, self.name = file, getattr(file, "name", None)
            if hasattr(file, "seekable") and file.seekable():
                self._start = file.tell()
            return
        self._file = self.name = os.fsdecode(file)
        with io.open(self.name, "rb"):
            pass  # a missing file is FileNotFoundError, as of open()

    def readable(self):
        return True

    def seekable(self):
        return self._is_path() or self._start is not None

    def _is_path(self):
        return isinstance(self._file, str)

    def _check_open(self):
        if self.closed:
            raise ValueError("the file is closed")
        check_process()

    def tell(self):
        self._check_open()
        return self._position

    def readinto(self, into):
        self._check_open()
        if self._reader is None:
            self._reader = core.Reader(
                os.fsencode(self._file) if self._is_path() else self._file.read, *self._arguments
            )
        view = memoryview(into).cast("B")
        part = self._reader.read(len(view))
        view[: len(part)] = part
        self._position += len(part)
        return len(part)

    def seek(self, offset, whence=io.SEEK_SET):
        self._check_open()
        if not self.seekable():
            raise io.UnsupportedOperation("the compressed file does not seek")
        if whence == io.SEEK_END:
            while self.read(1 << 20):
                pass
        target = offset + (0 if whence == io.SEEK_SET else self._position)
        if target < 0:
            raise ValueError(f"a position before the beginning: {target}")
        if target < self._position:
            self._rewind()
        while self._position < target and self.read(min(1 << 20, target - self._position)):
            pass
        return self._position

    def _rewind(self):
        self._stop()
        if self._start is not None:
            self._file.seek(self._start)
        self._position = 0

    def _stop(self):
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def close(self):
        if not self.closed:
            self._stop()
        super().close()


class _CompressedOutput(io.RawIOBase):
    """Compresses what it is given, as members or frames that follow one another."""

    def __init__(self, file, format, options):
        check_process()
        self._format, self._options, self._is_empty = format, options, True
        compress(b"", format, **options)  # what is wrong with them shows before a file is emptied
        self._is_ours = not hasattr(file, "write")
        self._file = io.open(file, "wb") if self._is_ours else file
        self.name = getattr(self._file, "name", None)

    def writable(self):
        return True

    def write(self, data):
        self._file.write(compress(data, self._format, **self._options))
        self._is_empty = False
        return memoryview(data).nbytes

    def close(self):
        if self.closed:
            return
        try:
            if self._is_empty:
                self.write(b"")
        finally:
            super().close()
            if self._is_ours:
                self._file.close()


def open(file, mode="rb", format="", *, encoding=None, errors=None, newline=None, **options):
    """Opens a compressed file, as gzip.open() does: "rb", "rt", "wb" or "wt".

    `file`: a path, or an object with read() or write(), which stays open. `format`: one of FORMATS;
    by default the first bytes tell, and for writing the suffix. Reading takes decompress()'s
    options, writing compress()'s. What is written is compressed in parts of 32 MiB, by all threads.
    """
    if not isinstance(file, (str, bytes, os.PathLike)) and not (
        hasattr(file, "read") or hasattr(file, "write")
    ):
        kind = type(file).__name__
        raise TypeError(f"file= is a path, or an object with read() or write(), not {kind}")
    if mode not in ("r", "rb", "rt", "w", "wb", "wt"):
        raise PenstockError(f"no mode {mode!r}: rb, rt, wb, wt")
    if "t" not in mode and (encoding, errors, newline) != (None, None, None):
        raise PenstockError("encoding, errors and newline are for text: mode rt or wt")
    if "w" in mode:
        output = _CompressedOutput(file, format or _format_of_suffix(file), options)
        binary = io.BufferedWriter(output, _WRITE_BYTES)
    else:
        binary = io.BufferedReader(CompressedFile(file, format, **options), 1 << 17)
    return io.TextIOWrapper(binary, encoding, errors, newline) if "t" in mode else binary


def _format_of_suffix(file):
    path = getattr(file, "name", "") if hasattr(file, "write") else file
    found = _SUFFIXES.get(os.path.splitext(os.fsdecode(path))[1].lower()) if path else None
    if found is None:
        raise PenstockError(f"no suffix of {file!r} names a format; format= does")
    return found
