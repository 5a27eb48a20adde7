"""Codecs for numcodecs and Zarr: "penstock_zstd", "penstock_lz4" and "penstock_gzip".

    import penstock.numcodecs                # registers them; entry points do so by themselves
    zarr.create_array(store, data=array, zarr_format=2, compressors=penstock.numcodecs.Zstd(level=3))

Chunks are files of these formats, which the formats' own programs read. They are compressed and
decoded by the host's threads, or on `device`.
"""

try:
    from numcodecs.abc import Codec
    from numcodecs.compat import ensure_contiguous_ndarray, ndarray_copy
    from numcodecs.registry import register_codec
except ImportError as error:
    raise ImportError("penstock.numcodecs needs numcodecs: pip install numcodecs") from error

from penstock import codecs

__all__ = ["Gzip", "Lz4", "Zstd"]


class _Codec(Codec):
    """A format of penstock.codecs; `level`, `threads` and `device` are those of compress()."""

    format = ""

    def __init__(self, level=0, threads=1, device=""):
        self.level, self.threads, self.device = level, threads, device

    def encode(self, buf):
        data = ensure_contiguous_ndarray(buf)
        return codecs.compress(
            data, self.format, level=self.level, threads=self.threads, device=self.device
        )

    def decode(self, buf, out=None):
        data = ensure_contiguous_ndarray(buf)
        limit = None if out is None else ensure_contiguous_ndarray(out).nbytes
        decoded = codecs.decompress(
            data,
            self.format,
            max_output_bytes=limit,
            threads=self.threads,
            device=self.device,
            fallback=True,
        )
        return decoded if out is None else ndarray_copy(decoded, out)

    def get_config(self):
        return {
            "id": self.codec_id,
            "level": self.level,
            "threads": self.threads,
            "device": self.device,
        }


class Zstd(_Codec):
    codec_id, format = "penstock_zstd", "zstd"


class Lz4(_Codec):
    """LZ4 frames; numcodecs' own "lz4" has raw blocks."""

    codec_id, format = "penstock_lz4", "lz4"


class Gzip(_Codec):
    codec_id, format = "penstock_gzip", "gzip"


for _codec in (Zstd, Lz4, Gzip):
    register_codec(_codec)
