"""bench/peers/nvcomp.py without a GPU and nvCOMP: a stand-in for both computes on the host
(fake_nvcomp.cpp)."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

PEER, FAKE = map(str, map(pathlib.Path.resolve, map(pathlib.Path, sys.argv[1:3])))
TEXT = b"".join(b"line %d of a text\n" % line for line in range(1000)) + bytes(100)


def packed(chunk):
    """As the stand-in packs it."""
    kept = chunk.rstrip(b"\0")
    return struct.pack("<Q", len(kept)) + bytes(~byte & 0xFF for byte in kept)


def file_of_chunks(sizes):
    """TEXT repeated in chunks of these sizes, as `penstock bench codecs --write-outputs` writes it, and
    the compressed size."""
    chunks, at = [], 0
    while at < len(TEXT):
        chunks.append(TEXT[at : at + sizes[len(chunks) % len(sizes)]])
        at += len(chunks[-1])
    packed_chunks = [packed(chunk) for chunk in chunks]
    words = [
        len(chunks),
        *(size for chunk, text in zip(packed_chunks, chunks) for size in (len(chunk), len(text))),
    ]
    return struct.pack(f"<{len(words)}Q", *words) + b"".join(packed_chunks) + TEXT, sum(
        map(len, packed_chunks)
    )


class NvcompPeer(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-peer-")
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "libcuda.so.1").symlink_to(FAKE)
        self.texts = self.folder / "texts"
        self.texts.mkdir()
        (self.texts / "decode, lines.text").write_bytes(TEXT)

    def tearDown(self):
        self._folder.cleanup()

    def run_peer(self, *arguments, fault="", drivers=None):
        environment = {
            **os.environ,
            "FAKE_NVCOMP": fault,
            "LD_LIBRARY_PATH": str(drivers or self.folder),
        }
        ended = subprocess.run(
            [sys.executable, PEER, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=environment,
            timeout=60,
        )
        self.assertNotIn("Traceback", ended.stderr)
        return ended

    def peer(self, *arguments, **changes):
        return self.run_peer(
            "--library", FAKE, "--chunk", 4096, *arguments, self.texts, 1000, 3, **changes
        )

    def test_each_codec_is_a_line_with_what_it_moves_and_stores(self):
        ended = self.peer()
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        stored = len(TEXT) - 100 + 8 * -(-len(TEXT) // 4096)
        self.assertEqual(
            ended.stdout.splitlines(),
            [
                f"decode, lines;nvCOMP 6.0.1 {codec}, 4096 bytes;0.000500000;0.0000;{len(TEXT) + stored};{stored}"
                for codec in ("LZ4", "Zstd", "ANS")
            ],
        )

    def test_the_text_of_a_case_that_compresses_is_compressed_by_its_codec(self):
        (self.texts / "decode, lines.text").rename(self.texts / "lz4 compress, lines.text")
        (self.texts / "bzip compress, lines.text").write_bytes(TEXT)
        ended = self.peer()
        stored = len(TEXT) - 100 + 8 * -(-len(TEXT) // 4096)
        self.assertEqual(
            ended.stdout.splitlines(),
            [
                f"lz4 compress, lines;nvCOMP 6.0.1 LZ4, 4096 bytes;0.000500000;0.0000;{len(TEXT) + stored};{stored}"
            ],
        )
        self.assertIn("no decoder of bzip", ended.stderr)

    def test_codecs_are_chosen(self):
        self.assertIn("Deflate", self.peer("--codec", "deflate").stdout)

    def test_a_file_that_chunks_divide_has_no_empty_chunk(self):
        (self.texts / "decode, lines.text").write_bytes(bytes(4096 * 2))
        self.assertTrue(self.peer().stdout.splitlines()[0].endswith(f";{4096 * 2 + 16};16"))

    def test_a_wrong_byte_is_no_figure(self):
        ended = self.peer("--codec", "lz4", fault="byte")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("decode, lines, lz4: the decompressed bytes are not the text's", ended.stderr)

    def test_a_chunk_that_fails_is_named_with_its_status(self):
        ended = self.peer("--codec", "zstd", fault="chunk")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("chunk 1 of 5 was not decompressed: cannot decompress (12)", ended.stderr)

    def test_a_call_that_fails_is_named_and_the_other_codecs_go_on(self):
        ended = self.peer(fault="decompress")
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr.count("DecompressAsync: invalid value (10)"), 3)

    def test_another_version_is_not_called(self):
        ended = self.peer(fault="version")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
        self.assertIn("no figures, nvCOMP 5.2.0 is not the 6.0", ended.stderr)

    def test_without_a_device_there_is_no_figure(self):
        ended = self.peer(fault="device")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
        self.assertIn("no figures, no CUDA device: cuInit: CUDA_ERROR_FAKE (100)", ended.stderr)

    def test_without_the_library_there_is_no_figure(self):
        ended = self.run_peer("--library", self.folder / "absent.so", self.texts, 1000, 3)
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
        self.assertIn("no figures, no nvCOMP", ended.stderr)

    def test_another_library_is_not_called(self):
        ended = self.run_peer("--library", "libm.so.6", self.texts, 1000, 3)
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
        self.assertIn("not nvCOMP 6.0", ended.stderr)

    def chunks(self, *arguments, name="lz4, logs", content=None, **changes):
        """The peer on a folder with one file of chunks alone."""
        folder = self.folder / "chunks"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.chunks").write_bytes(
            file_of_chunks([4096])[0] if content is None else content
        )
        return self.run_peer("--library", FAKE, *arguments, folder, 1000, 3, **changes)

    def test_chunks_are_decompressed_as_they_are(self):
        content, stored = file_of_chunks([4096])
        ended = self.chunks(content=content)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(
            ended.stdout,
            f"lz4, logs;nvCOMP 6.0.1 LZ4, the same chunks;0.000500000;0.0000;{len(TEXT) + stored};{stored}\n",
        )

    def test_chunks_of_several_sizes_keep_their_places(self):
        ended = self.chunks(content=file_of_chunks([4096, 16, 1024, 4000])[0])
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_file_of_chunks_alone_is_taken(self):
        self.chunks()
        ended = self.run_peer(
            "--library", FAKE, self.folder / "chunks" / "lz4, logs.chunks", 1000, 3
        )
        self.assertIn("lz4, logs;nvCOMP 6.0.1 LZ4, the same chunks", ended.stdout)

    def test_the_codec_of_chunks_is_their_names_first_word(self):
        for word, codec in (
            ("deflate", "Deflate"),
            ("zstd", "Zstd"),
            ("gzip", "Gzip"),
            ("snappy", "Snappy"),
        ):
            with self.subTest(word):
                self.assertIn(
                    f"{word}, text;nvCOMP 6.0.1 {codec}, the same",
                    self.chunks(name=f"{word}, text").stdout,
                )

    def test_chunks_of_codecs_that_are_not_chosen_are_passed_by(self):
        ended = self.chunks("--codec", "zstd")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))

    def test_chunks_that_have_no_decoder_are_named(self):
        ended = self.chunks(name="zlib, text")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
        self.assertIn("zlib, text: no figure, nvCOMP has no decoder of zlib chunks", ended.stderr)

    def test_a_codec_that_the_library_lacks_is_named(self):
        ended = self.peer("--codec", "gdeflate")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("the library has no nvcompBatchedGdeflate", ended.stderr)

    def test_a_byte_of_chunks_that_is_not_the_texts_is_no_figure(self):
        content = bytearray(file_of_chunks([4096])[0])
        content[-200] ^= 1
        ended = self.chunks(content=content)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("the decompressed bytes are not the text's", ended.stderr)

    def test_a_file_of_chunks_that_is_cut_is_no_figure(self):
        content = file_of_chunks([4096])[0]
        for kept in (1, 8, 24, 60, len(content) - 1):
            with self.subTest(kept):
                ended = self.chunks(content=content[:kept])
                self.assertEqual((ended.returncode, ended.stdout), (1, ""))
                self.assertIn("does not have the chunks", ended.stderr)

    def test_text_that_begins_where_a_codec_cannot_write_is_no_figure(self):
        ended = self.chunks(content=file_of_chunks([4096, 5])[0])
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("LZ4 needs chunks of a size that its alignment divides", ended.stderr)

    def test_a_folder_without_texts_is_an_error(self):
        ended = self.run_peer("--library", FAKE, self.folder, 1000, 3)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("has no .text and no .chunks file", ended.stderr)


def main():
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=1).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
