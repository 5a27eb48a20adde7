"""penstock's codecs in numcodecs, Zarr and fsspec, beside those that these libraries have."""

import gzip
import io
import os
import pathlib
import sys
import tempfile
import unittest

import driver

try:
    import numpy

    import penstock
except ImportError as error:
    driver.skip_all(error)

try:
    import numcodecs

    import penstock.numcodecs as registered
except ImportError:
    numcodecs = None
try:
    import zarr
except ImportError:
    zarr = None
try:
    import fsspec
    from fsspec import compression

    import penstock.fsspec
except ImportError:
    fsspec = None
try:
    import pandas
except ImportError:
    pandas = None

ARRAYS = {
    "whole numbers": numpy.arange(10_000, dtype="i4"),
    "real numbers": numpy.linspace(0, 1, 4_000).reshape(40, 10, 10),
    "Fortran's order": numpy.asfortranarray(numpy.arange(600, dtype="u2").reshape(20, 30)),
    "texts": numpy.array(["a", "bcd", ""] * 50, dtype="U3"),
    "times": numpy.arange("2020-01-01", "2021-01-01", dtype="M8[D]"),
    "none": numpy.zeros(0, "f8"),
}
IDS = ("penstock_gzip", "penstock_lz4", "penstock_zstd")


@unittest.skipIf(numcodecs is None, "numcodecs is not installed")
class OfNumcodecs(unittest.TestCase):
    def test_arrays_come_back(self):
        for id_ in IDS:
            codec = numcodecs.get_codec({"id": id_})
            for name, array in ARRAYS.items():
                with self.subTest(codec=id_, array=name):
                    encoded = codec.encode(array)
                    order = "F" if name.startswith("Fortran") else "C"
                    content = array.tobytes(order=order)
                    self.assertEqual(bytes(codec.decode(encoded)), content)
                    out = numpy.empty_like(array)
                    codec.decode(encoded, out=out)
                    numpy.testing.assert_array_equal(out, array)

    def test_numcodecs_own_codecs_read_ours_and_ours_theirs(self):
        for ours, theirs in ((registered.Zstd, numcodecs.Zstd), (registered.Gzip, numcodecs.GZip)):
            array = ARRAYS["whole numbers"]
            self.assertEqual(bytes(theirs().decode(ours().encode(array))), array.tobytes())
            self.assertEqual(bytes(ours().decode(theirs().encode(array))), array.tobytes())

    def test_the_configuration_makes_an_equal_codec(self):
        for class_ in (registered.Zstd, registered.Lz4, registered.Gzip):
            codec = class_(level=5, threads=2, device="cpu:0")
            config = codec.get_config()
            self.assertEqual(config["id"], class_.codec_id)
            self.assertEqual(numcodecs.get_codec(config), codec)
            self.assertNotEqual(numcodecs.get_codec({**config, "level": 1}), codec)
            self.assertIn("level=5", repr(codec))

    def test_an_output_of_another_size_is_an_error(self):
        encoded = registered.Zstd().encode(ARRAYS["whole numbers"])
        for count in (9_999, 10_001):
            with self.subTest(count=count), self.assertRaises((penstock.PenstockError, ValueError)):
                registered.Zstd().decode(encoded, out=numpy.empty(count, "i4"))

    def test_a_damaged_chunk_is_an_error(self):
        for class_ in (registered.Zstd, registered.Lz4, registered.Gzip):
            encoded = bytearray(class_().encode(ARRAYS["real numbers"]))
            encoded[len(encoded) // 2] ^= 1
            with self.subTest(class_=class_), self.assertRaises(penstock.PenstockError):
                class_().decode(encoded)

    @unittest.skipIf(sys.version_info < (3, 11), "tomllib came with 3.11")
    def test_entry_points_name_the_classes_by_their_ids(self):
        import tomllib

        project = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"
        groups = tomllib.loads(project.read_text())["project"]["entry-points"]
        points = groups["numcodecs.codecs"]
        self.assertEqual(sorted(points), sorted(IDS))
        for id_, place in points.items():
            module, name = place.split(":")
            self.assertEqual(module, "penstock.numcodecs")
            self.assertEqual(getattr(registered, name).codec_id, id_)


@unittest.skipIf(zarr is None or numcodecs is None, "zarr is not installed")
class OfZarr(unittest.TestCase):
    def test_an_array_is_stored_and_read(self):
        for id_ in IDS:
            with self.subTest(codec=id_), tempfile.TemporaryDirectory() as folder:
                codec = numcodecs.get_codec({"id": id_, "level": 3})
                array = ARRAYS["real numbers"]
                stored = zarr.create_array(
                    store=folder, data=array, chunks=(7, 10, 10), zarr_format=2, compressors=codec
                )
                self.assertEqual(stored.compressors[0], codec)
                read = zarr.open_array(folder, mode="r")
                numpy.testing.assert_array_equal(read[:], array)
                numpy.testing.assert_array_equal(read[3:21, 2], array[3:21, 2])


@unittest.skipIf(fsspec is None, "fsspec is not installed")
class OfFsspec(unittest.TestCase):
    def setUp(self):
        self.known = dict(compression.compr), dict(fsspec.utils.compressions)
        penstock.fsspec.register()
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        for current, before in zip((compression.compr, fsspec.utils.compressions), self.known):
            current.clear()
            current.update(before)
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_files_are_written_and_read_by_their_suffixes(self):
        for suffix in ("gz", "zst", "lz4"):
            path = self.path("a." + suffix)
            with self.subTest(suffix=suffix):
                with fsspec.open(path, "wt", compression="infer") as file:
                    file.write("Grüße\n" * 1000)
                self.assertEqual(
                    penstock.decompress(pathlib.Path(path).read_bytes()),
                    ("Grüße\n" * 1000).encode(),
                )
                with fsspec.open(path, "rt", compression="infer") as file:
                    self.assertEqual(file.readline(), "Grüße\n")
                    self.assertEqual(len(file.readlines()), 999)

    def test_files_of_a_file_system_in_memory(self):
        with fsspec.open("memory://a.gz", "wb", compression="gzip") as file:
            file.write(b"abc" * 1000)
        with fsspec.open("memory://a.gz", "rb", compression=None) as file:
            self.assertEqual(gzip.decompress(file.read()), b"abc" * 1000)
        with fsspec.open("memory://a.gz", "rb", compression="gzip") as file:
            file.seek(1500)
            self.assertEqual(file.read(3), b"abc")

    def test_registering_twice_and_one_format_alone(self):
        penstock.fsspec.register()
        penstock.fsspec.register(["snappy"])
        self.assertEqual(fsspec.utils.infer_compression("a.sz"), "snappy")
        with self.assertRaises(penstock.PenstockError):
            with fsspec.open(self.path("a.sz"), "wb", compression="snappy") as file:
                file.write(b"snappy is read only")

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_pandas_reads_a_file_through_it(self):
        frame = pandas.DataFrame({"a": range(1000), "b": ["x"] * 1000})
        data = io.BytesIO(penstock.compress(frame.to_csv(index=False).encode(), "zstd"))
        with fsspec.open("memory://t.csv.zst", "wb", compression=None) as file:
            file.write(data.getvalue())
        with fsspec.open("memory://t.csv.zst", "rb", compression="infer") as file:
            pandas.testing.assert_frame_equal(pandas.read_csv(file), frame)


if __name__ == "__main__":
    driver.main()
