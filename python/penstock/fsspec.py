"""Compressed files of fsspec, and so of pandas, Dask and others, by penstock's decoders.

import penstock.fsspec
penstock.fsspec.register()
fsspec.open("s3://bucket/logs.json.zst", "rt", compression="infer")
"""

try:
    from fsspec import compression
except ImportError as error:
    raise ImportError("penstock.fsspec needs fsspec: pip install fsspec") from error

from penstock import codecs

__all__ = ["register"]

# The suffixes by which fsspec infers formats; its names of them are ours.
_SUFFIXES = {"gzip": "gz", "zstd": "zst", "lz4": "lz4", "snappy": "sz"}


def _opener(format):
    def open_compressed(file, mode="rb", **options):
        # fsspec hands modes of its own through, such as "r" for "rb".
        return codecs.open(file, "wb" if "w" in mode else "rb", format, **options)

    return open_compressed


def register(formats=("gzip", "zstd", "lz4")):
    """Makes fsspec open these formats by penstock, instead of what it had for them.

    "snappy" is a further one, for framed files, which are read only.
    """
    for format in formats:
        compression.register_compression(format, _opener(format), _SUFFIXES[format], force=True)
