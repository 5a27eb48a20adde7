"""Compressed bytes and files, beside the formats' own modules; damage is an error, never bytes."""

import array
import gc
import gzip
import io
import mmap
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

import driver

try:
    import numpy

    import penstock
    from penstock.core import core
except ImportError as error:
    driver.skip_all(error)

try:
    import zstandard
except ImportError:
    zstandard = None
try:
    import lz4.block
    import lz4.frame
except ImportError:
    lz4 = None

RANDOM = random.Random(1)
WORDS = [bytes(RANDOM.choices(b"abcdefgh", k=RANDOM.randrange(1, 9))) for _ in range(300)]
LINES = b"\n".join(b" ".join(RANDOM.choices(WORDS, k=7)) for _ in range(300)) + b"\n"
NOISE = RANDOM.randbytes(3000)
CONTENTS = {"empty": b"", "byte": b"x", "lines": LINES, "noise": NOISE, "large": LINES * 400}


def modules():
    """Returns {format: (compress, decompress)} of the modules that are installed."""
    made = {"gzip": (gzip.compress, gzip.decompress), "zlib": (zlib.compress, zlib.decompress)}
    if zstandard is not None:
        read = zstandard.ZstdDecompressor()
        made["zstd"] = (
            zstandard.ZstdCompressor(write_checksum=True).compress,
            lambda data: read.stream_reader(data, read_across_frames=True).read(),
        )
    if lz4 is not None:
        made["lz4"] = (
            lambda data: lz4.frame.compress(data, content_checksum=True),
            lz4.frame.decompress,
        )
    return made


class BytesAreThoseOfTheFormatsModules(unittest.TestCase):
    def test_what_modules_write_is_read(self):
        for format, (compress, _) in modules().items():
            for name, content in CONTENTS.items():
                with self.subTest(format=format, content=name):
                    compressed = compress(content)
                    self.assertEqual(penstock.decompress(compressed), content)
                    self.assertEqual(penstock.decompress(compressed, format), content)

    def test_what_we_write_modules_read(self):
        for format, (_, decompress) in modules().items():
            if format == "zlib":
                continue
            for level in (0, 1, 9, 12):
                for name, content in CONTENTS.items():
                    with self.subTest(format=format, content=name, level=level):
                        compressed = penstock.compress(content, format, level=level)
                        self.assertEqual(decompress(compressed), content)

    def test_members_that_follow_one_another_are_one_content(self):
        for format, (compress, _) in modules().items():
            if format == "zlib":
                continue
            with self.subTest(format=format):
                both = compress(LINES) + compress(b"") + compress(NOISE)
                self.assertEqual(penstock.decompress(both), LINES + NOISE)

    def test_levels_and_options_out_of_range_are_errors(self):
        for options in ({"level": 99}, {"block_bytes": 3, "format": "lz4"}, {"format": "snappy"}):
            with self.subTest(**options), self.assertRaises(penstock.PenstockError) as caught:
                penstock.compress(LINES, **options)
            self.assertIn(caught.exception.code, ("invalid", "unsupported"))

    @unittest.skipIf(zstandard is None, "zstandard is not installed")
    def test_dictionaries_of_zstandard(self):
        samples = [b" ".join(RANDOM.choices(WORDS, k=30)) for _ in range(500)]
        dictionary = zstandard.train_dictionary(4096, samples)
        compressed = zstandard.ZstdCompressor(dict_data=dictionary).compress(samples[0])
        decoded = penstock.decompress(compressed, dictionary=dictionary.as_bytes())
        self.assertEqual(decoded, samples[0])
        with self.assertRaises(penstock.PenstockError):
            penstock.decompress(compressed)


class Damage(unittest.TestCase):
    def test_every_prefix_is_an_error_and_no_bytes(self):
        for format, (compress, _) in modules().items():
            compressed = compress(LINES[:2000])
            for count in range(len(compressed)):
                with self.subTest(format=format, count=count):
                    with self.assertRaises(penstock.PenstockError) as caught:
                        penstock.decompress(compressed[:count], format)
                    self.assertIn(caught.exception.code, ("truncated", "corrupt"))

    def test_every_prefix_of_a_file_gives_a_prefix_of_its_content(self):
        for format, (compress, _) in modules().items():
            compressed, content = compress(LINES[:2000]), LINES[:2000]
            for count in range(0, len(compressed), 7):
                with self.subTest(format=format, count=count):
                    file = penstock.open(io.BytesIO(compressed[:count]), format=format)
                    got = b""
                    with self.assertRaises(penstock.PenstockError):
                        while part := file.read1(100):
                            got += part
                    self.assertTrue(content.startswith(got))

    def test_a_changed_byte_never_gives_other_bytes(self):
        for format, (compress, _) in modules().items():
            compressed = compress(LINES[:1000])
            for at in range(len(compressed)):
                damaged = bytearray(compressed)
                damaged[at] ^= 1 << RANDOM.randrange(8)
                with self.subTest(format=format, at=at):
                    try:
                        decoded = penstock.decompress(damaged, format)
                    except penstock.PenstockError as error:
                        self.assertNotEqual(error.code, "internal")
                        continue
                    # Bytes of headers that say nothing about the content, such as gzip's time.
                    self.assertEqual(decoded, LINES[:1000])

    def test_more_output_than_the_limit_is_an_error(self):
        compressed = gzip.compress(bytes(10_000_000))
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.decompress(compressed, max_output_bytes=9_999_999)
        self.assertEqual(caught.exception.code, "capacity")
        self.assertEqual(len(penstock.decompress(compressed, max_output_bytes=10_000_000)), 10**7)
        with penstock.open(io.BytesIO(compressed), max_output_bytes=1000) as file:
            with self.assertRaises(penstock.PenstockError) as caught:
                file.read()
        self.assertEqual(caught.exception.code, "capacity")

    def test_bytes_of_no_format_are_an_error(self):
        for data in (b"", b"plain text", bytes(100)):
            with self.subTest(data=data), self.assertRaises(penstock.PenstockError):
                penstock.decompress(data)
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.decompress(b"", "bzip2")
        self.assertIn("gzip", caught.exception.message)


class Buffers(unittest.TestCase):
    def setUp(self):
        self.compressed = gzip.compress(LINES)

    def test_whatever_has_the_buffer_protocol_is_taken(self):
        padded = self.compressed + bytes(-len(self.compressed) % 8)
        for data in (
            bytearray(self.compressed),
            memoryview(self.compressed),
            memoryview(b"abc" + self.compressed)[3:],
            array.array("b", self.compressed),
            numpy.frombuffer(self.compressed, numpy.uint8),
            numpy.frombuffer(padded, numpy.float64),
            numpy.frombuffer(padded, numpy.uint8).reshape(-1, 4),
        ):
            with self.subTest(type=type(data)):
                self.assertEqual(penstock.decompress(data, "gzip"), LINES)

    def test_a_mapped_file_is_taken(self):
        with tempfile.TemporaryFile() as file:
            file.write(self.compressed)
            file.flush()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                self.assertEqual(penstock.decompress(mapped), LINES)

    def test_bytes_that_do_not_follow_one_another_are_refused(self):
        for data in (
            memoryview(self.compressed)[::2],
            numpy.frombuffer(self.compressed * 2, numpy.uint8)[::2],
            numpy.zeros((4, 4), numpy.uint8).T[1:],
        ):
            with self.assertRaises(penstock.PenstockError) as caught:
                penstock.decompress(data)
            self.assertIn("copy", caught.exception.message)

    def test_what_is_no_buffer_is_a_type_error(self):
        for data in ("text", 3, None, [1, 2]):
            with self.subTest(data=data), self.assertRaises(TypeError):
                penstock.decompress(data)
            with self.subTest(data=data), self.assertRaises(TypeError):
                penstock.compress(data)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "lines.txt.gz")
        self.content = CONTENTS["large"]
        with gzip.open(self.path, "wb", 1) as file:
            file.write(self.content)

    def test_paths_of_all_kinds(self):
        for path in (self.path, pathlib.Path(self.path), os.fsencode(self.path)):
            with self.subTest(type=type(path)), penstock.open(path) as file:
                self.assertEqual(file.read(), self.content)
        odd = os.path.join(os.fsencode(self.folder.name), b"\xff.gz")
        os.rename(self.path, odd)
        with penstock.open(odd) as file:
            self.assertEqual(file.read(10), self.content[:10])

    def test_reads_of_any_size_as_gzip_has_them(self):
        with penstock.open(self.path) as ours, gzip.open(self.path) as theirs:
            for size in (0, 1, 7, 100_000, 1, 3_000_000, 5):
                self.assertEqual(ours.read(size), theirs.read(size))
                self.assertEqual(ours.tell(), theirs.tell())
            self.assertEqual(ours.readline(), theirs.readline())
            self.assertEqual(ours.readlines(1000), theirs.readlines(1000))
            into, other = bytearray(5000), bytearray(5000)
            self.assertEqual(ours.readinto(into), theirs.readinto(other))
            self.assertEqual(into, other)
            self.assertEqual(ours.read(), theirs.read())
            self.assertEqual(ours.read(1), b"")

    def test_seeking_as_gzip_does(self):
        with penstock.open(self.path) as ours, gzip.open(self.path) as theirs:
            self.assertTrue(ours.seekable())
            for place in (5_000_00, 3, 3, 1_000_000, len(self.content), 0, 17):
                self.assertEqual(ours.seek(place), theirs.seek(place))
                self.assertEqual(ours.read(50), theirs.read(50))
            self.assertEqual(ours.seek(10, io.SEEK_CUR), theirs.seek(10, io.SEEK_CUR))
            self.assertEqual(ours.seek(-10, io.SEEK_END), len(self.content) - 10)
            self.assertEqual(ours.read(), self.content[-10:])
            self.assertEqual(ours.seek(10**9), len(self.content))
            with self.assertRaises(ValueError):
                ours.seek(-1)

    def test_text_has_gzips_lines(self):
        for newline in (None, "", "\n"):
            with self.subTest(newline=newline):
                with penstock.open(self.path, "rt", encoding="ascii", newline=newline) as ours:
                    with gzip.open(self.path, "rt", encoding="ascii", newline=newline) as theirs:
                        self.assertEqual(ours.readline(), theirs.readline())
                        self.assertEqual(list(ours), list(theirs))

    def test_text_that_is_no_text_is_a_decoding_error(self):
        with penstock.open(
            io.BytesIO(gzip.compress(b"\xff\xfe\xff")), "rt", encoding="utf-8"
        ) as file:
            with self.assertRaises(UnicodeDecodeError):
                file.read()
        with penstock.open(
            io.BytesIO(gzip.compress(b"a\xff")), "rt", encoding="utf-8", errors="replace"
        ) as file:
            self.assertEqual(file.read(), "a\ufffd")

    def test_closed_files_raise_value_errors(self):
        file = penstock.open(self.path)
        file.read(10)
        file.close()
        file.close()
        for call in (file.read, file.readline, file.tell, lambda: file.seek(0)):
            with self.assertRaises(ValueError):
                call()

    def test_closing_early_ends_the_thread_that_decodes(self):
        before = len(os.listdir("/proc/self/task"))
        started = time.monotonic()
        for _ in range(20):
            with penstock.open(self.path, threads=1) as file:
                file.read(1)
        self.assertLess(time.monotonic() - started, 30)
        self.assertLessEqual(len(os.listdir("/proc/self/task")), before + 1)

    def test_a_file_that_nobody_closes_is_no_leak(self):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            penstock.open(self.path).read(1)
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), before + 1)

    def test_a_missing_file_and_a_folder_are_errors_of_the_system(self):
        with self.assertRaises(FileNotFoundError):
            penstock.open(self.path + ".missing")
        with self.assertRaises(IsADirectoryError):
            penstock.open(self.folder.name)
        with self.assertRaises(FileNotFoundError):
            penstock.open(os.path.join(self.folder.name, "no", "folder.gz"), "wb")

    def test_threads_read_files_of_their_own(self):
        answers = []

        def read():
            with penstock.open(self.path) as file:
                answers.append(zlib.crc32(file.read()))

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [zlib.crc32(self.content)] * 8)

    def test_threads_share_a_file_without_losing_a_byte(self):
        found = []
        with penstock.open(self.path) as file:

            def read():
                while part := file.read(1000):
                    found.append(part)

            threads = [threading.Thread(target=read) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        parts = [self.content[at : at + 1000] for at in range(0, len(self.content), 1000)]
        self.assertEqual(sorted(found), sorted(parts))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_fork_with_an_open_file_gets_an_error_not_a_hang(self):
        with penstock.open(self.path) as file:
            file.read(1)
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    file.read()
                except penstock.PenstockError as error:
                    file.close()
                    os._exit(0 if "spawn" in str(error) else 2)
                finally:
                    os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(file.read(), self.content[1:])


class FileObjects(unittest.TestCase):
    def test_what_open_returns_is_read(self):
        with tempfile.TemporaryFile() as file:
            file.write(gzip.compress(LINES))
            file.seek(0)
            with penstock.open(file) as decoded:
                self.assertEqual(decoded.read(), LINES)
                self.assertEqual(decoded.seek(5), 5)
                self.assertEqual(decoded.readline(), LINES[5:].split(b"\n")[0] + b"\n")
            self.assertFalse(file.closed)

    def test_reading_begins_where_the_object_stands(self):
        file = io.BytesIO(b"header" + gzip.compress(LINES))
        file.seek(6)
        with penstock.open(file) as decoded:
            self.assertEqual(decoded.read(), LINES)
            decoded.seek(0)
            self.assertEqual(decoded.read(), LINES)

    def test_a_pipe_is_read_and_does_not_seek(self):
        read, write = os.pipe()
        compressed = gzip.compress(CONTENTS["large"])

        def fill():
            with os.fdopen(write, "wb") as into:
                into.write(compressed)

        filling = threading.Thread(target=fill)
        filling.start()
        with os.fdopen(read, "rb") as pipe, penstock.open(pipe) as decoded:
            self.assertFalse(decoded.seekable())
            self.assertEqual(decoded.read(), CONTENTS["large"])
            with self.assertRaises(io.UnsupportedOperation):
                decoded.seek(0)
        filling.join()

    def test_objects_that_return_few_bytes_at_a_time(self):
        class Slow:
            def __init__(self, data):
                self.data = data

            def read(self, size):
                part, self.data = self.data[: min(size, 13)], self.data[min(size, 13) :]
                return part

        for format, (compress, _) in modules().items():
            with self.subTest(format=format):
                with penstock.open(Slow(compress(LINES)), format=format) as decoded:
                    self.assertEqual(decoded.read(), LINES)

    def test_closing_ends_the_reading_of_an_object_without_an_end(self):
        class Endless:
            def read(self, size):
                time.sleep(0.01)
                return b"\x1f\x8b\x08\x08\0\0\0\0\0\0" + b"name" * 2  # of gzip: no NUL ends it

        file = penstock.open(Endless())
        time.sleep(0.1)
        started = time.monotonic()
        file.close()
        self.assertLess(time.monotonic() - started, 5)

    def test_an_exception_of_the_object_reaches_the_reader(self):
        class Broken(io.RawIOBase):
            def read(self, size=-1):
                raise ConnectionError("the bucket is gone")

        with penstock.open(Broken()) as decoded:
            with self.assertRaisesRegex(ConnectionError, "the bucket is gone"):
                decoded.read()

    def test_an_object_that_returns_no_bytes_is_an_error(self):
        for answer in (None, "text", b"more than was asked" * 10**6):

            class Odd:
                def read(self, size):
                    return answer

            with self.subTest(type=type(answer)), penstock.open(Odd()) as decoded:
                with self.assertRaises(penstock.PenstockError):
                    decoded.read()

    def test_the_collector_may_find_a_file_in_the_thread_that_reads_it(self):
        dropped, collected = threading.Event(), threading.Event()

        class Collecting:
            def read(self, size):
                if not dropped.wait(60):
                    return b""
                gc.collect()
                collected.set()
                return b""

        reader = core.Reader(Collecting().read, "", None, 0, b"", "", False)
        cycle = [reader]
        cycle.append(cycle)
        del reader, cycle
        dropped.set()
        self.assertTrue(collected.wait(60))

    def test_files_in_files(self):
        inner = io.BytesIO(gzip.compress(gzip.compress(LINES)))
        with penstock.open(penstock.open(inner)) as decoded:
            self.assertEqual(decoded.read(), LINES)

    def test_the_end_of_the_process_waits_for_no_reader(self):
        program = (
            "import io, os, penstock\n"
            "compressed = penstock.compress(os.urandom(10 << 20), 'gzip')\n"
            "file = penstock.open(io.BytesIO(compressed * 4))\n"
            "file.read(1)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], timeout=60, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class Writing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_what_is_written_is_read_by_the_suffix(self):
        for suffix in ("gz", "zst", "lz4"):
            with self.subTest(suffix=suffix):
                path = self.path("a." + suffix)
                with penstock.open(path, "wb", level=1) as file:
                    for line in LINES.splitlines(keepends=True):
                        file.write(line)
                with penstock.open(path) as file:
                    self.assertEqual(file.read(), LINES)
                with penstock.open(path, "wt", encoding="utf-8") as file:
                    file.write("Grüße\n")
                with penstock.open(path, "rt", encoding="utf-8") as file:
                    self.assertEqual(file.read(), "Grüße\n")

    def test_large_files_are_written_in_parts(self):
        content = RANDOM.randbytes(1 << 20) * 70
        for format, (_, decompress) in modules().items():
            if format == "zlib":
                continue
            with self.subTest(format=format):
                into = io.BytesIO()
                with penstock.open(into, "wb", format, level=1) as file:
                    for at in range(0, len(content), 9 << 20):
                        file.write(content[at : at + (9 << 20)])
                self.assertEqual(penstock.decompress(into.getvalue()), content)
                if format == "gzip":
                    self.assertEqual(decompress(into.getvalue()), content)

    def test_an_empty_file_has_a_member(self):
        path = self.path("a.gz")
        penstock.open(path, "wb").close()
        self.assertGreater(os.path.getsize(path), 0)
        with gzip.open(path) as file:
            self.assertEqual(file.read(), b"")

    def test_a_suffix_that_names_no_format_is_an_error_before_a_file_is_made(self):
        with self.assertRaises(penstock.PenstockError):
            penstock.open(self.path("a.txt"), "wb")
        self.assertFalse(os.path.exists(self.path("a.txt")))

    def test_modes_and_options_that_do_not_fit(self):
        for arguments, options in (
            (("a.gz", "ab"), {}),
            (("a.gz", "rb"), {"encoding": "utf-8"}),
            (("a.gz", "r+"), {}),
        ):
            with self.assertRaises(penstock.PenstockError):
                penstock.open(*arguments, **options)


if __name__ == "__main__":
    driver.main()
