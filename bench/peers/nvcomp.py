"""nvCOMP's decompression on an NVIDIA GPU, of any files of bytes: LZ4, Zstd, ANS, Deflate, GDeflate and Snappy in chunks.

    python3 bench/peers/nvcomp.py [--library PATH] [--codec NAME]... [--chunk BYTES] TEXTS [ROWS [REPEATS]]

TEXTS is a file, or a folder whose `<case>.text` files are all taken, as `penstock bench fsst --write-texts` makes it. Each is compressed by
each codec (lz4, zstd and ans unless said) and decompressed, which is compared with the file byte by byte and then timed by device events.
Prints `case;name;seconds;spread;bytes moved;bytes stored`. Where library or GPU are absent it says so and prints no figure; an error of
nvCOMP, and a byte that differs, end it with 1 after the other codecs.

The library is opened where the wheel nvidia-libnvcomp-cu13 or the system has it; all of CUDA that is needed is the driver.
"""

import argparse
import ctypes
import importlib.util
import mmap
import pathlib
import sys

# What follows is declared as nvCOMP 6.0 documents its batched C interface. Every codec's options are a struct of 64 bytes, passed by value,
# whose unused bytes must be zero; all words are zero by default but these.
VERSION = (6, 0)
UNKNOWN_TYPE = 0xFF      # read from the stream
CODECS = {"lz4": ("LZ4", (), ()), "zstd": ("Zstd", (), ()), "ans": ("ANS", (), (0, UNKNOWN_TYPE)), "deflate": ("Deflate", (1,), ()),
          "gdeflate": ("Gdeflate", (1,), ()), "snappy": ("Snappy", (), ())}


class Options(ctypes.Structure):
    _fields_ = [("words", ctypes.c_int * 16)]


class Properties(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("cudart_version", ctypes.c_uint32)]


class Alignments(ctypes.Structure):
    _fields_ = [("input", ctypes.c_size_t), ("output", ctypes.c_size_t), ("temporary", ctypes.c_size_t)]


SIZE, POINTER, OUT_SIZE = ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
FUNCTIONS = {
    "CompressGetRequiredAlignments": (Options, ctypes.POINTER(Alignments)),
    "DecompressGetRequiredAlignments": (Options, ctypes.POINTER(Alignments)),
    "CompressGetMaxOutputChunkSize": (SIZE, Options, OUT_SIZE),
    # chunks, largest chunk, options, bytes needed, bytes in all, stream
    "CompressGetTempSize": (SIZE, SIZE, Options, OUT_SIZE, SIZE, POINTER),
    "DecompressGetTempSize": (SIZE, SIZE, Options, OUT_SIZE, SIZE, POINTER),
    # plain chunks, their sizes, largest, chunks, scratch and its size, compressed chunks, their sizes, options, statuses, stream
    "CompressAsync": (POINTER, POINTER, SIZE, SIZE, POINTER, SIZE, POINTER, POINTER, Options, POINTER, POINTER),
    # compressed chunks, their sizes, room of plain ones, their sizes, chunks, scratch and its size, plain chunks, options, statuses, stream
    "DecompressAsync": (POINTER, POINTER, POINTER, POINTER, SIZE, POINTER, SIZE, POINTER, Options, POINTER, POINTER)}


class Failed(Exception):
    """What one codec could not do."""


class Absent(Exception):
    """Nothing to compare with here."""


class Cuda:
    """The few calls of CUDA's driver that are needed, on the first device's primary context, which nvCOMP shares."""

    def __init__(self):
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Absent(f"no CUDA driver: {error}") from None
        device, context, self.stream = ctypes.c_int(), POINTER(), POINTER()
        try:
            self.call("cuInit", ctypes.c_uint(0))
            self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        except Failed as error:
            raise Absent(f"no CUDA device: {error}") from None
        self.call("cuCtxSetCurrent", context)
        self.call("cuStreamCreate", ctypes.byref(self.stream), ctypes.c_uint(1))      # one that does not wait for the default stream
        self.begun, self.done = self.event(), self.event()
        self.memory = []

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(ctypes.c_int(code), ctypes.byref(text))
            raise Failed(f"{name}: {(text.value or b'error').decode()} ({code})")

    def event(self):
        made = POINTER()
        self.call("cuEventCreate", ctypes.byref(made), ctypes.c_uint(0))
        return made

    def allocate(self, size):
        """The address of `size` bytes at least, aligned to 256; freed with all others."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), SIZE(max(size, 1)))
        self.memory.append(address)
        return address.value

    def free_all(self):
        for address in self.memory:
            self.call("cuMemFree_v2", address)
        self.memory = []

    def upload(self, address, host):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.byref(host), SIZE(ctypes.sizeof(host)))

    def uploaded(self, host):
        address = self.allocate(ctypes.sizeof(host))
        self.upload(address, host)
        return address

    def download(self, host, address):
        self.call("cuMemcpyDtoH_v2", ctypes.byref(host), ctypes.c_uint64(address), SIZE(ctypes.sizeof(host)))
        return host

    def clear(self, address, size):
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), SIZE(size))
        self.call("cuCtxSynchronize")

    def seconds_of(self, enqueue):
        milliseconds = ctypes.c_float()
        self.call("cuEventRecord", self.begun, self.stream)
        enqueue()
        self.call("cuEventRecord", self.done, self.stream)
        self.call("cuEventSynchronize", self.done)
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), self.begun, self.done)
        return milliseconds.value / 1e3


def library_paths(given):
    """Where the library may lie: as given, or in the wheel, or where the system looks."""
    if given:
        return [given]
    package = importlib.util.find_spec("nvidia")
    folders = list(package.submodule_search_locations or []) if package else []
    return [f"{folder}/libnvcomp/lib64/libnvcomp.so.6" for folder in folders] + ["libnvcomp.so.6"]


class Nvcomp:
    def __init__(self, given):
        self.library, reasons = None, []
        for path in library_paths(given):
            try:
                self.library = self.library or ctypes.CDLL(path)
            except OSError as error:
                reasons.append(str(error))
        if self.library is None:
            raise Absent(f"no nvCOMP (pip install nvidia-libnvcomp-cu13, or --library PATH): {'; '.join(reasons)}")
        self.version = self.read_version()

    def read_version(self):
        properties = Properties()
        try:
            status = self.library.nvcompGetProperties(ctypes.byref(properties))
        except AttributeError:
            raise Absent("the library has no nvcompGetProperties: not nvCOMP 6.0") from None
        major, rest = divmod(properties.version, 1000)
        version = (major, rest // 100, rest % 100)
        if status != 0 or version[:2] != VERSION:
            found = ".".join(map(str, version))
            raise Absent(f"nvCOMP {found} is not the 6.0 whose interface is declared here; nothing of it is called")
        return version

    def call(self, codec, name, *arguments):
        function = getattr(self.library, f"nvcompBatched{codec}{name}")
        function.argtypes = FUNCTIONS[name]
        status = function(*arguments)
        if status != 0:
            raise Failed(f"nvcompBatched{codec}{name}: {self.words(status)}")

    def size(self, codec, name, *arguments):
        """What a function of sizes answers; None among the arguments is where the answer goes."""
        found = SIZE()
        self.call(codec, name, *(ctypes.byref(found) if argument is None else argument for argument in arguments))
        return found.value

    def words(self, status):
        self.library.nvcompGetStatusString.restype = ctypes.c_char_p
        return f"{(self.library.nvcompGetStatusString(ctypes.c_int(status)) or b'unknown status').decode()} ({status})"


def align(size, alignment):
    return -(-size // alignment) * alignment


class Batch:
    """A text in chunks on the device, compressed there by one codec; its buffers live until the device's memory is freed."""

    def __init__(self, cuda, nvcomp, codec, text, chunk_bytes):
        self.cuda, self.nvcomp, self.text = cuda, nvcomp, text
        self.codec, compress_words, decompress_words = CODECS[codec]
        self.compress_options = Options((ctypes.c_int * 16)(*compress_words))
        self.decompress_options = Options((ctypes.c_int * 16)(*decompress_words))
        self.chunk_bytes = chunk_bytes
        self.bytes = ctypes.sizeof(text)
        self.count = -(-self.bytes // chunk_bytes)
        if chunk_bytes % max(self.alignments("Compress").input, self.alignments("Decompress").output) != 0:
            raise Failed(f"{self.codec} needs chunks of a size that its alignment divides")
        self.plain = cuda.allocate(self.bytes)
        self.plain_chunks = self.pointers(self.plain, chunk_bytes)
        self.sizes = (SIZE * self.count)(*[chunk_bytes] * (self.count - 1), self.bytes - chunk_bytes * (self.count - 1))
        self.plain_sizes, self.sizes_found = cuda.uploaded(self.sizes), cuda.allocate(8 * self.count)
        self.statuses = cuda.allocate(4 * self.count)
        self.compress()

    def alignments(self, way):
        found = Alignments()
        self.nvcomp.call(self.codec, f"{way}GetRequiredAlignments", self.options_of(way), ctypes.byref(found))
        return found

    def options_of(self, way):
        return self.compress_options if way == "Compress" else self.decompress_options

    def pointers(self, first, stride):
        return self.cuda.uploaded((ctypes.c_uint64 * self.count)(*range(first, first + self.count * stride, stride)))

    def scratch(self, way):
        size = self.nvcomp.size(self.codec, f"{way}GetTempSize", self.count, self.chunk_bytes, self.options_of(way), None, self.bytes,
                                self.cuda.stream)
        return self.cuda.allocate(size), size

    def compress(self):
        stride = align(self.nvcomp.size(self.codec, "CompressGetMaxOutputChunkSize", self.chunk_bytes, self.compress_options, None), 256)
        self.packed_chunks = self.pointers(self.cuda.allocate(stride * self.count), stride)
        self.packed_sizes = self.cuda.allocate(8 * self.count)
        scratch = self.scratch("Compress")
        self.cuda.upload(self.plain, self.text)
        self.nvcomp.call(self.codec, "CompressAsync", self.plain_chunks, self.plain_sizes, self.chunk_bytes, self.count, *scratch,
                         self.packed_chunks, self.packed_sizes, self.compress_options, self.statuses, self.cuda.stream)
        self.check_statuses("compressed")
        self.packed_bytes = sum(self.cuda.download((SIZE * self.count)(), self.packed_sizes))
        self.decompress_scratch = self.scratch("Decompress")

    def decompress(self):
        self.nvcomp.call(self.codec, "DecompressAsync", self.packed_chunks, self.packed_sizes, self.plain_sizes, self.sizes_found,
                         self.count, *self.decompress_scratch, self.plain_chunks, self.decompress_options, self.statuses,
                         self.cuda.stream)

    def check_statuses(self, done):
        self.cuda.call("cuStreamSynchronize", self.cuda.stream)
        for chunk, status in enumerate(self.cuda.download((ctypes.c_int * self.count)(), self.statuses)):
            if status != 0:
                raise Failed(f"chunk {chunk} of {self.count} was not {done}: {self.nvcomp.words(status)}")

    def verify(self):
        """Decompresses over cleared memory and compares with the text."""
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


def measured(batch, repeats):
    """Median and spread of runs after two that do not count, as the program's own."""
    seconds = sorted([batch.cuda.seconds_of(batch.decompress) for _ in range(repeats + 2)][2:])
    median = seconds[len(seconds) // 2]
    return median, (seconds[-1] - seconds[0]) / median


def text_of(path):
    """A file's bytes, not copied; None where there are none."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return None
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    return (ctypes.c_ubyte * len(mapped)).from_buffer(mapped)


def measure(cuda, nvcomp, path, codec, arguments):
    text = text_of(path)
    if text is None:
        return
    try:
        batch = Batch(cuda, nvcomp, codec, text, arguments.chunk)
        batch.verify()
        median, spread = measured(batch, arguments.repeats)
    finally:
        cuda.free_all()
    name = f"nvCOMP {'.'.join(map(str, nvcomp.version))} {batch.codec}, {arguments.chunk} bytes"
    print(f"{path.stem};{name};{median:.9f};{spread:.4f};{batch.bytes + batch.packed_bytes};{batch.packed_bytes}", flush=True)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--library", help="the file libnvcomp.so.6")
    parser.add_argument("--codec", action="append", choices=CODECS, help="may be given again; lz4, zstd and ans otherwise")
    parser.add_argument("--chunk", type=int, default=65536, help="bytes that are compressed by themselves")
    parser.add_argument("texts", type=pathlib.Path, help="a file, or a folder of <case>.text")
    parser.add_argument("rows", type=int, nargs="?", default=0, help="given by penstock bench; the text's length says more")
    parser.add_argument("repeats", type=int, nargs="?", default=20)
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.chunk < 1:
        parser.error("--chunk and REPEATS are 1 at least")
    if not arguments.texts.exists():
        parser.error(f"{arguments.texts} does not exist")
    return arguments


def main():
    arguments = read_arguments()
    paths = sorted(arguments.texts.glob("*.text")) if arguments.texts.is_dir() else [arguments.texts]
    if not paths:
        sys.exit(f"nvcomp.py: {arguments.texts} has no .text file")
    try:
        nvcomp, cuda = Nvcomp(arguments.library), Cuda()
    except Absent as reason:
        print(f"nvcomp.py: no figures, {reason}", file=sys.stderr)
        return 0
    failures = 0
    for path in paths:
        for codec in arguments.codec or ["lz4", "zstd", "ans"]:
            try:
                measure(cuda, nvcomp, path, codec, arguments)
            except Failed as reason:
                print(f"nvcomp.py: {path.stem}, {codec}: {reason}", file=sys.stderr)
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
