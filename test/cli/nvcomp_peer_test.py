"""bench/peers/nvcomp.py without a GPU and without nvCOMP: a stand-in for both computes on the host (fake_nvcomp.cpp)."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PEER, FAKE = map(str, map(pathlib.Path.resolve, map(pathlib.Path, sys.argv[1:3])))
TEXT = b"".join(b"line %d of a text\n" % line for line in range(1000)) + bytes(100)


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
        environment = {**os.environ, "FAKE_NVCOMP": fault, "LD_LIBRARY_PATH": str(drivers or self.folder)}
        ended = subprocess.run([sys.executable, PEER, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=60)
        self.assertNotIn("Traceback", ended.stderr)
        return ended

    def peer(self, *arguments, **changes):
        return self.run_peer("--library", FAKE, "--chunk", 4096, *arguments, self.texts, 1000, 3, **changes)

    def test_each_codec_is_a_line_with_what_it_moves_and_stores(self):
        ended = self.peer()
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        stored = len(TEXT) - 100 + 8 * -(-len(TEXT) // 4096)
        self.assertEqual(ended.stdout.splitlines(),
                         [f"decode, lines;nvCOMP 6.0.1 {codec}, 4096 bytes;0.000500000;0.0000;{len(TEXT) + stored};{stored}"
                          for codec in ("LZ4", "Zstd", "ANS")])

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

    def test_a_folder_without_texts_is_an_error(self):
        ended = self.run_peer("--library", FAKE, self.folder, 1000, 3)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("has no .text file", ended.stderr)


def main():
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=1).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
