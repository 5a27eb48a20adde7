"""Batches of chunks decoded by kernels, beside the formats' own modules."""

import gzip
import random
import unittest
import zlib

import driver
import numpy
import penstock
from penstock import codecs

DEVICE = driver.DEVICE
TEXTS = [bytes(random.Random(i).choices(b"abcdefgh \n", k=997 * i)) for i in range(8)]


def chunks_of(format):
    if format == "gzip":
        return [gzip.compress(text) for text in TEXTS]
    if format == "zlib":
        return [zlib.compress(text) for text in TEXTS]
    compressor = [zlib.compressobj(wbits=-15) for _ in TEXTS]
    return [one.compress(text) + one.flush() for one, text in zip(compressor, TEXTS)]


def host_array(array):
    if array.__dlpack_device__()[0] == 1:
        return numpy.from_dlpack(array)
    import torch

    return torch.from_dlpack(array).cpu().numpy()


def decoded(format, chunks, capacities=10_000, data=None):
    data = b"".join(chunks) if data is None else data
    array, offsets, sizes = codecs.decode_chunks(
        format, data, map(len, chunks), capacities, device=DEVICE
    )
    every = host_array(array)
    return [every[o : o + s].tobytes() for o, s in zip(offsets, sizes)]


class Chunks(unittest.TestCase):
    def test_outputs_are_those_of_the_formats_module(self):
        for format in ("gzip", "zlib", "deflate"):
            with self.subTest(format=format):
                self.assertEqual(decoded(format, chunks_of(format)), TEXTS)

    def test_an_array_of_bytes_is_an_input(self):
        chunks = chunks_of("zlib")
        data = numpy.frombuffer(b"".join(chunks), dtype=numpy.uint8)
        self.assertEqual(decoded("zlib", chunks, data=data), TEXTS)

    def test_a_damaged_chunk_is_named(self):
        chunks = chunks_of("zlib")
        chunks[5] = chunks[5][:-5] + b"?" + chunks[5][-4:]
        with self.assertRaisesRegex(penstock.PenstockError, "chunk 5"):
            decoded("zlib", chunks)

    def test_an_output_beyond_its_capacity_is_an_error(self):
        with self.assertRaises(penstock.PenstockError) as raised:
            decoded("zlib", chunks_of("zlib"), capacities=5000)
        self.assertEqual(raised.exception.code, "capacity")

    def test_no_chunks_have_no_output(self):
        self.assertEqual(decoded("lz4", []), [])

    def test_a_chunk_that_leaves_the_input_is_refused(self):
        with self.assertRaisesRegex(penstock.PenstockError, "chunk 0 leaves"):
            codecs.decode_chunks("lz4", b"abc", [2], 10, offsets=[2], device=DEVICE)
        with self.assertRaises(penstock.PenstockError):
            codecs.decode_chunks("lz4", b"abc", [2**63], 10, offsets=[2**63], device=DEVICE)

    def test_an_unknown_format_lists_those_that_there_are(self):
        with self.assertRaisesRegex(penstock.PenstockError, "deflate"):
            codecs.decode_chunks("brotli", b"abc", [3], 10, device=DEVICE)


if __name__ == "__main__":
    driver.main()
