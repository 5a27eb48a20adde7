"""nvCOMP on an NVIDIA GPU: decompression of given chunks and of any files that it compresses itself,
and compression of the data that `penstock bench codecs` compresses.

    python3 bench/peers/nvcomp.py [--library PATH] [--codec NAME]... [--chunk BYTES] OUTPUTS
                                  [ROWS [REPEATS]]

OUTPUTS is a file, or a folder with files `<case>.text` and `<case>.chunks`, as `penstock bench
fsst` and `penstock bench codecs` write them with --write-outputs. All files of a folder are taken.

`<case>.text` is plain data, which each codec compresses (by default lz4, zstd and ans; deflate,
gdeflate, gzip and snappy exist too). `<case>.chunks` has the same chunks that the bench decodes, of
the codec that its name begins with: u64 count, little-endian; for each chunk u64 compressed and u64
decompressed bytes; all compressed chunks; the decompressed data. For a case that compresses (`lz4
compress, logs`) the compression is timed, in chunks of --chunk. Everything is decompressed, compared
byte by byte and then timed by device events, all chunks in one call. Prints
`case;name;seconds;spread;bytes moved;bytes stored`.

If library or GPU are absent, or nvCOMP has no decoder for chunks, it says so and prints no figure.
After an error of nvCOMP or a byte that differs it ends with 1, after the other codecs.
nvcomp_library.py says where the library is looked for.
"""

import argparse
import ctypes
import itertools
import mmap
import pathlib
import struct
import sys

from nvcomp_library import CODECS, POINTER, SIZE, Absent, Alignments, Cuda, Failed, Nvcomp, Options

CHUNK_ALIGNMENT = 256  # of chunks on the device, as of separate allocations; codecs need less


def aligned(size):
    return -(-size // CHUNK_ALIGNMENT) * CHUNK_ALIGNMENT


class Batch:
    """Chunks on the device, compressed by one codec. Buffers live until all device memory is freed."""

    def __init__(self, cuda, nvcomp, codec, text, sizes):
        self.cuda, self.nvcomp, self.text = cuda, nvcomp, text
        self.codec, compress_words, decompress_words = CODECS[codec]
        self.compress_options = Options((ctypes.c_int * 16)(*compress_words))
        self.decompress_options = Options((ctypes.c_int * 16)(*decompress_words))
        self.bytes, self.count, self.largest, self.sizes = (
            ctypes.sizeof(text),
            len(sizes),
            max(sizes),
            (SIZE * len(sizes))(*sizes),
        )
        self.begins = list(itertools.accumulate(sizes, initial=0))[:-1]
        self.require("Decompress", "output", self.begins)
        self.plain = cuda.allocate(self.bytes)
        self.plain_chunks = self.addresses(self.plain, self.begins)
        self.plain_sizes, self.sizes_found = (
            cuda.uploaded(self.sizes),
            cuda.allocate(8 * self.count),
        )
        self.statuses = cuda.allocate(4 * self.count)

    def require(self, direction, place, begins):
        found = Alignments()
        self.nvcomp.call(
            self.codec,
            f"{direction}GetRequiredAlignments",
            self.options_of(direction),
            ctypes.byref(found),
        )
        if any(begin % getattr(found, place) != 0 for begin in begins):
            raise Failed(f"{self.codec} needs chunks of a size that its alignment divides")

    def options_of(self, direction):
        return self.compress_options if direction == "Compress" else self.decompress_options

    def addresses(self, first, begins):
        return self.cuda.uploaded(
            (ctypes.c_uint64 * self.count)(*(first + begin for begin in begins))
        )

    def scratch(self, direction):
        size = self.nvcomp.size(
            self.codec,
            f"{direction}GetTempSize",
            self.count,
            self.largest,
            self.options_of(direction),
            None,
            self.bytes,
            self.cuda.stream,
        )
        return self.cuda.allocate(size), size

    def decompress(self):
        self.nvcomp.call(
            self.codec,
            "DecompressAsync",
            self.packed_chunks,
            self.packed_sizes,
            self.plain_sizes,
            self.sizes_found,
            self.count,
            *self.decompress_scratch,
            self.plain_chunks,
            self.decompress_options,
            self.statuses,
            self.cuda.stream,
        )

    def check_statuses(self, done):
        self.cuda.call("cuStreamSynchronize", self.cuda.stream)
        for chunk, status in enumerate(
            self.cuda.download((ctypes.c_int * self.count)(), self.statuses)
        ):
            if status != 0:
                raise Failed(
                    f"chunk {chunk} of {self.count} was not {done}: {self.nvcomp.words(status)}"
                )

    def verify(self):
        """Decompresses over cleared memory and compares with the original."""
        self.cuda.clear(self.plain, self.bytes)
        self.decompress()
        self.check_statuses("decompressed")
        if list(self.cuda.download((SIZE * self.count)(), self.sizes_found)) != list(self.sizes):
            raise Failed("a chunk has another size after decompression")
        found = self.cuda.download((ctypes.c_ubyte * self.bytes)(), self.plain)
        compare = ctypes.CDLL(None).memcmp
        compare.argtypes = (POINTER, POINTER, SIZE)
        if compare(found, self.text, self.bytes) != 0:
            raise Failed("the decompressed bytes are not the text's")


class CompressedText(Batch):
    """Data in chunks of one size, which nvCOMP compresses."""

    def __init__(self, cuda, nvcomp, codec, text, chunk_bytes):
        bytes_of_text = ctypes.sizeof(text)
        super().__init__(
            cuda,
            nvcomp,
            codec,
            text,
            [
                min(chunk_bytes, bytes_of_text - begin)
                for begin in range(0, bytes_of_text, chunk_bytes)
            ],
        )
        self.label = f"{chunk_bytes} bytes"
        self.require("Compress", "input", self.begins)
        self.prepare()
        self.compress()
        self.check_statuses("compressed")
        self.packed_bytes = sum(self.cuda.download((SIZE * self.count)(), self.packed_sizes))
        self.decompress_scratch = self.scratch("Decompress")

    def prepare(self):
        stride = aligned(
            self.nvcomp.size(
                self.codec,
                "CompressGetMaxOutputChunkSize",
                self.largest,
                self.compress_options,
                None,
            )
        )
        self.packed_chunks = self.addresses(
            self.cuda.allocate(stride * self.count), range(0, stride * self.count, stride)
        )
        self.packed_sizes = self.cuda.allocate(8 * self.count)
        self.compress_scratch = self.scratch("Compress")
        self.cuda.upload(self.plain, self.text)

    def compress(self):
        self.nvcomp.call(
            self.codec,
            "CompressAsync",
            self.plain_chunks,
            self.plain_sizes,
            self.largest,
            self.count,
            *self.compress_scratch,
            self.packed_chunks,
            self.packed_sizes,
            self.compress_options,
            self.statuses,
            self.cuda.stream,
        )


class GivenChunks(Batch):
    """The chunks of a file; on the device each starts at a multiple of CHUNK_ALIGNMENT."""

    label = "the same chunks"

    def __init__(self, cuda, nvcomp, codec, file):
        bytes_of_file = ctypes.sizeof(file)
        count = struct.unpack_from("<Q", file)[0] if bytes_of_file >= 24 else 0
        head = 8 + 16 * count
        words = struct.unpack_from(f"<{2 * count}Q", file, 8) if 24 <= head <= bytes_of_file else ()
        packed_sizes, sizes = words[::2], words[1::2]
        if not words or sum(sizes) == 0 or head + sum(words) != bytes_of_file:
            raise Failed("the file does not have the chunks that its beginning tells of")
        text = (ctypes.c_ubyte * sum(sizes)).from_buffer(file, head + sum(packed_sizes))
        super().__init__(cuda, nvcomp, codec, text, sizes)
        self.packed_bytes = sum(packed_sizes)
        self.bring(file, head, packed_sizes)
        self.decompress_scratch = self.scratch("Decompress")

    def bring(self, file, head, packed_sizes):
        begins = list(itertools.accumulate(map(aligned, packed_sizes), initial=0))
        host, at = (ctypes.c_ubyte * max(begins[-1], 1))(), ctypes.addressof(file) + head
        for begin, size in zip(begins, packed_sizes):
            ctypes.memmove(ctypes.addressof(host) + begin, at, size)
            at += size
        self.packed_chunks = self.addresses(self.cuda.uploaded(host), begins[:-1])
        self.packed_sizes = self.cuda.uploaded((SIZE * self.count)(*packed_sizes))


def measured(batch, work, repeats):
    """Returns median and spread of runs after two for warming up, as the program does."""
    seconds = sorted([batch.cuda.seconds_of(work) for _ in range(repeats + 2)][2:])
    median = seconds[len(seconds) // 2]
    return median, (seconds[-1] - seconds[0]) / median


def bytes_of(path):
    """Maps a file without copying; returns None where it is empty."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return None
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    return (ctypes.c_ubyte * len(mapped)).from_buffer(mapped)


def has_chunks(path):
    return path.suffix == ".chunks"


def codec_to_compress_by(path):
    """Returns the codec of a case that compresses, such as `lz4 compress, logs`; None for others."""
    codec, _, work = path.stem.partition(",")[0].strip().partition(" ")
    return codec if work == "compress" and not has_chunks(path) else None


def measure(cuda, nvcomp, path, codec, arguments):
    file = bytes_of(path)
    if file is None:
        return
    try:
        batch = (
            GivenChunks(cuda, nvcomp, codec, file)
            if has_chunks(path)
            else CompressedText(cuda, nvcomp, codec, file, arguments.chunk)
        )
        batch.verify()  # which leaves the decompressed data on the device
        median, spread = measured(
            batch,
            batch.compress if codec_to_compress_by(path) else batch.decompress,
            arguments.repeats,
        )
    finally:
        cuda.free_all()
    name = f"nvCOMP {'.'.join(map(str, nvcomp.version))} {batch.codec}, {batch.label}"
    print(
        f"{path.stem};{name};{median:.9f};{spread:.4f};{batch.bytes + batch.packed_bytes};{batch.packed_bytes}",
        flush=True,
    )


def codecs_of(path, chosen):
    """Yields the batches of a file: plain data for each codec, chunks for their own."""
    codec = codec_to_compress_by(path)
    if not has_chunks(path) and codec is None:
        return chosen or ["lz4", "zstd", "ans"]
    codec = codec or path.stem.partition(",")[0].strip()
    if codec not in CODECS:
        print(
            f"nvcomp.py: {path.stem}: no figure, nvCOMP has no decoder of {codec} chunks",
            file=sys.stderr,
        )
        return []
    return [codec] if not chosen or codec in chosen else []


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--library", help="the file libnvcomp.so.6")
    parser.add_argument(
        "--codec",
        action="append",
        choices=CODECS,
        help="may be given again; of plain data lz4, zstd and ans otherwise",
    )
    parser.add_argument(
        "--chunk", type=int, default=65536, help="bytes of a text that are compressed by themselves"
    )
    parser.add_argument(
        "outputs", type=pathlib.Path, help="a file, or a folder of <case>.text and <case>.chunks"
    )
    parser.add_argument(
        "rows",
        type=int,
        nargs="?",
        default=0,
        help="given by penstock bench; the text's length says more",
    )
    parser.add_argument("repeats", type=int, nargs="?", default=20)
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.chunk < 1:
        parser.error("--chunk and REPEATS are 1 at least")
    if not arguments.outputs.exists():
        parser.error(f"{arguments.outputs} does not exist")
    return arguments


def main():
    arguments = read_arguments()
    outputs = arguments.outputs
    paths = (
        sorted([*outputs.glob("*.text"), *outputs.glob("*.chunks")])
        if outputs.is_dir()
        else [outputs]
    )
    if not paths:
        sys.exit(f"nvcomp.py: {outputs} has no .text and no .chunks file")
    try:
        nvcomp, cuda = Nvcomp(arguments.library), Cuda()
    except Absent as reason:
        print(f"nvcomp.py: no figures, {reason}", file=sys.stderr)
        return 0
    failures = 0
    for path in paths:
        for codec in codecs_of(path, arguments.codec):
            try:
                measure(cuda, nvcomp, path, codec, arguments)
            except Failed as reason:
                print(f"nvcomp.py: {path.stem}, {codec}: {reason}", file=sys.stderr)
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
