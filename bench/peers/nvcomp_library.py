"""CUDA's driver and nvCOMP's library, opened and declared for Python.

The library is opened where the wheel nvidia-libnvcomp-cu13 or the system has it. CUDA's driver is
needed, and nothing else of CUDA.
"""

import ctypes
import importlib.util

# Declarations as nvCOMP 6.0 documents its batched C interface. Every codec's options are a struct
# of 64 bytes, passed by value; unused bytes must be zero. All words are zero by default but these.
VERSION = (6, 0)
UNKNOWN_TYPE = 0xFF  # read from the stream
CODECS = {
    "lz4": ("LZ4", (), ()),
    "zstd": ("Zstd", (), ()),
    "ans": ("ANS", (), (0, UNKNOWN_TYPE)),
    "deflate": ("Deflate", (1,), ()),
    "gdeflate": ("Gdeflate", (1,), ()),
    "gzip": ("Gzip", (1,), ()),
    "snappy": ("Snappy", (), ()),
}


class Options(ctypes.Structure):
    _fields_ = [("words", ctypes.c_int * 16)]


class Properties(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("cudart_version", ctypes.c_uint32)]


class Alignments(ctypes.Structure):
    _fields_ = [
        ("input", ctypes.c_size_t),
        ("output", ctypes.c_size_t),
        ("temporary", ctypes.c_size_t),
    ]


SIZE, POINTER, OUT_SIZE = ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
FUNCTIONS = {
    "CompressGetRequiredAlignments": (Options, ctypes.POINTER(Alignments)),
    "DecompressGetRequiredAlignments": (Options, ctypes.POINTER(Alignments)),
    "CompressGetMaxOutputChunkSize": (SIZE, Options, OUT_SIZE),
    # chunks, largest chunk, options, bytes needed, bytes in all, stream
    "CompressGetTempSize": (SIZE, SIZE, Options, OUT_SIZE, SIZE, POINTER),
    "DecompressGetTempSize": (SIZE, SIZE, Options, OUT_SIZE, SIZE, POINTER),
    # plain chunks, their sizes, largest, chunks, scratch and its size, compressed chunks, their
    # sizes, options, statuses, stream
    "CompressAsync": (
        POINTER,
        POINTER,
        SIZE,
        SIZE,
        POINTER,
        SIZE,
        POINTER,
        POINTER,
        Options,
        POINTER,
        POINTER,
    ),
    # compressed chunks, their sizes, capacities of plain ones, their sizes, chunks, scratch and its
    # size, plain chunks, options, statuses, stream
    "DecompressAsync": (
        POINTER,
        POINTER,
        POINTER,
        POINTER,
        SIZE,
        POINTER,
        SIZE,
        POINTER,
        Options,
        POINTER,
        POINTER,
    ),
}


class Failed(Exception):
    """One codec failed."""


class Absent(Exception):
    """There is nothing to compare with on this machine."""


class Cuda:
    """The needed calls of CUDA's driver, in the first device's primary context, which nvCOMP shares."""

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
        self.call(
            "cuStreamCreate", ctypes.byref(self.stream), ctypes.c_uint(1)
        )  # one that does not wait for the default stream
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
        """Allocates at least `size` bytes, aligned to 256; freed with all others."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), SIZE(max(size, 1)))
        self.memory.append(address)
        return address.value

    def free_all(self):
        for address in self.memory:
            self.call("cuMemFree_v2", address)
        self.memory = []

    def upload(self, address, host):
        self.call(
            "cuMemcpyHtoD_v2",
            ctypes.c_uint64(address),
            ctypes.byref(host),
            SIZE(ctypes.sizeof(host)),
        )

    def uploaded(self, host):
        address = self.allocate(ctypes.sizeof(host))
        self.upload(address, host)
        return address

    def download(self, host, address):
        self.call(
            "cuMemcpyDtoH_v2",
            ctypes.byref(host),
            ctypes.c_uint64(address),
            SIZE(ctypes.sizeof(host)),
        )
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
    """Yields the library's possible paths: as given, in the wheel, where the system looks."""
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
            raise Absent(
                f"no nvCOMP (pip install nvidia-libnvcomp-cu13, or --library PATH): {'; '.join(reasons)}"
            )
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
            raise Absent(
                f"nvCOMP {found} is not the 6.0 whose interface is declared here; nothing of it is called"
            )
        return version

    def call(self, codec, name, *arguments):
        try:
            function = getattr(self.library, f"nvcompBatched{codec}{name}")
        except AttributeError:
            raise Failed(f"the library has no nvcompBatched{codec}{name}") from None
        function.argtypes = FUNCTIONS[name]
        status = function(*arguments)
        if status != 0:
            raise Failed(f"nvcompBatched{codec}{name}: {self.words(status)}")

    def size(self, codec, name, *arguments):
        """Calls a function of sizes; None among the arguments is where the result goes."""
        found = SIZE()
        self.call(
            codec,
            name,
            *(ctypes.byref(found) if argument is None else argument for argument in arguments),
        )
        return found.value

    def words(self, status):
        self.library.nvcompGetStatusString.restype = ctypes.c_char_p
        return f"{(self.library.nvcompGetStatusString(ctypes.c_int(status)) or b'unknown status').decode()} ({status})"
