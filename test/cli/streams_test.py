"""Tests `penstock decompress` and `compress`: every installed tool's files come back, and tools read ours."""

import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import zlib

from command_line import PROGRAM, CommandLineTest, main


def corpora():
    """Name and bytes; short, so that slow tools are quick."""
    rng = random.Random(7)
    status = pathlib.Path("/var/lib/dpkg/status").read_bytes()[:150_000]
    binary = pathlib.Path(shutil.which("bash")).read_bytes()[:300_000]
    log = "".join(
        f"2026-11-22T06:{i // 60 % 60:02}:{i % 60:02}Z INFO request {rng.randrange(10**6)} took {rng.random():.4f} s\n"
        for i in range(2000)
    ).encode()
    return {
        "text": status,
        "binary": binary,
        "log": log,
        "random": rng.randbytes(100_000),
        "zeros": bytes(200_000),
        "period": (bytes(rng.randbytes(61)) * 3000)[:150_001],
        "one": b"x",
        "empty": b"",
    }


# A tool's name, what it must be called with to write standard input's bytes compressed to standard output.
TOOLS = {
    "gzip": [["gzip", f"-{level}", "-c"] for level in (1, 2, 5, 6, 9)],
    "pigz": [
        ["pigz", "-c"],
        ["pigz", "-9", "-b", "32", "-i", "-c"],
        ["pigz", "-z", "-c"],
        ["pigz", "-0", "-c"],
    ],
    "bgzip": [["bgzip", "-c"], ["bgzip", "-l", "9", "-c"]],
    "igzip": [["igzip", f"-{level}", "-c"] for level in (0, 1, 2, 3)],
    "libdeflate-gzip": [["libdeflate-gzip", "-c", f"-{level}"] for level in (1, 12)],
    "zopfli": [["zopfli", "--i1", "-c", "FILE"], ["zopfli", "--zlib", "--i1", "-c", "FILE"]],
    "7zz": [["7zz", "a", "-tgzip", "-mx=9", "-so", "-si", "unused"]],
    "zstd": [["zstd", "-c", f"-{level}"] for level in (1, 3, 9, 19)]
    + [
        ["zstd", "-c", "--ultra", "-22"],
        ["zstd", "-c", "--long=27"],
        ["zstd", "-c", "--no-check"],
        ["zstd", "-c", "-T2", "-B65536"],
        ["zstd", "-c", "--fast=5"],
    ],
    "lz4": [
        ["lz4", "-c", f"-{level}", f"-B{size}"] for level, size in ((1, 4), (3, 5), (9, 6), (12, 7))
    ]
    + [
        ["lz4", "-c", "-BD", "-B4"],
        ["lz4", "-c", "-BX", "-B4"],
        ["lz4", "-c", "--no-frame-crc"],
        ["lz4", "-c", "-l"],
        ["lz4", "-c", "-12", "-BD", "-B5"],
    ],
}


class Streams(CommandLineTest):
    def write(self, name, content):
        path = self.rows / name
        path.write_bytes(content)
        return path

    def pipe(self, content, *arguments):
        return subprocess.run(
            [PROGRAM, *map(str, arguments)],
            input=content,
            capture_output=True,
            env=self.environment,
            timeout=120,
        )

    def check_tool(self, tool):
        if not shutil.which(tool):
            self.fail(f"{tool} is not installed; scripts/setup.sh test installs it")
        for name, content in corpora().items():
            source = self.write(name, content)
            for command in TOOLS[tool]:
                words = [str(source) if word == "FILE" else word for word in command]
                made = subprocess.run(
                    words, input=content, capture_output=True, timeout=120, cwd=self.rows
                )
                self.assertEqual(made.returncode, 0, f"{words}: {made.stderr}")
                path = self.write("made", made.stdout)
                found = self.run_program("decompress", path, "-o", "-")
                self.assertEqual(found.returncode, 0, f"{words} of {name}: {found.err}")
                self.assertTrue(found.stdout == content, f"{words} of {name}")
                piped = self.pipe(made.stdout, "decompress", "-", "-T", "1")
                self.assertTrue(
                    piped.stdout == content, f"{words} of {name} through a pipe: {piped.stderr}"
                )

    def test_files_of_gzip(self):
        self.check_tool("gzip")

    def test_files_of_pigz(self):
        self.check_tool("pigz")

    def test_files_of_bgzip(self):
        self.check_tool("bgzip")

    def test_files_of_igzip(self):
        self.check_tool("igzip")

    def test_files_of_libdeflate(self):
        self.check_tool("libdeflate-gzip")

    def test_files_of_zopfli(self):
        self.check_tool("zopfli")

    def test_files_of_7zip(self):
        self.check_tool("7zz")

    def test_files_of_zstd(self):
        self.check_tool("zstd")

    def test_files_of_lz4(self):
        self.check_tool("lz4")

    def test_devices_decode_what_tools_make(self):
        commands = [
            ["lz4", "-c", "-1", "-B4"],
            ["lz4", "-c", "-9", "-B7"],
            ["lz4", "-c", "-BX", "-B5"],
            ["lz4", "-c", "-l"],
            ["bgzip", "-c"],
            ["bgzip", "-l", "9", "-c"],
        ]
        for name, content in corpora().items():
            for command in commands:
                made = subprocess.run(command, input=content, capture_output=True, timeout=120)
                if command[-1] == "-l" and not content:
                    continue  # lz4 1.9.4 writes an empty file then, which is none
                path = self.write("made", made.stdout)
                found = self.run_program("decompress", path, "-o", "-", "--device", "cpu")
                self.assertTrue(
                    found.returncode == 0 and found.stdout == content,
                    f"{command} of {name}: {found.err}",
                )
                if len(content) > 1:
                    self.assertRegex(found.err, r"method (lz4-blocks|gzip-members)-device")
        log = corpora()["log"]
        path = self.write(
            "log.lz4", subprocess.run(["lz4", "-c", "-B4"], input=log, capture_output=True).stdout
        )
        tested = self.run_program("decompress", "-t", path, "--device", "cpu")
        self.assertRegex(
            tested.err,
            r"ok, lz4, .*method lz4-blocks-device, on cpu:\d+ \(.*\): upload .*, lz4_decode_thread .*, download .*, checksums verified",
        )
        self.assert_fails(
            self.run_program("decompress", "-t", path, "--device", "cpu", "--max-output", "1K"),
            "capacity: ",
            "limit",
        )
        stayed = self.run_program("decompress", "-t", path, "--device", "cpu", "--keep-on-device")
        self.assertRegex(
            stayed.err,
            r"ok, .*method lz4-blocks-device, on cpu:\d+ .*lz4_decode_thread .*, checksums verified",
        )
        self.assert_fails(
            self.run_program("decompress", path, "--device", "cpu", "--keep-on-device"),
            "--keep-on-device needs --test",
            code=2,
        )
        alone = self.write("log.gz", gzip.compress(log))
        for options in ([], ["--keep-on-device"]):
            tested = self.run_program("decompress", "-t", alone, "--device", "cpu", *options)
            self.assertRegex(
                tested.err,
                r"ok, .*method gzip-streams-device, on cpu:\d+ .*deflate_segments .*, checksums verified",
            )
        squeezed = zlib.compressobj(6, zdict=log[:9000])
        stream = self.write("log.zz", squeezed.compress(log) + squeezed.flush())
        words = self.write("words", log[:9000])
        self.assert_fails(
            self.run_program("decompress", "-t", stream, "--device", "cpu", "-D", words),
            "unsupported: ",
            "not decoded on cpu:",
        )
        left = self.run_program(
            "decompress", "-t", stream, "--device", "cpu", "--fallback", "-D", words
        )
        self.assertEqual(left.returncode, 0, left.err)
        self.assertIn("method zlib-stream", left.err)
        self.assert_fails(
            self.run_program("decompress", "-t", path, "--device", "cuda:77"), "no usable device"
        )

    # Pipes are buffered for methods that need the whole input; blocks are decoded as they arrive.
    def test_devices_decode_what_comes_through_a_pipe(self):
        zstd = subprocess.run(["zstd", "-c"], input=corpora()["log"], capture_output=True).stdout
        lz4 = subprocess.run(
            ["lz4", "-c", "-B4"], input=corpora()["log"], capture_output=True
        ).stdout
        for method, made, is_buffered in (
            ("gzip-streams-device", gzip.compress(corpora()["log"]), True),
            ("zstd-frames?-device", zstd, True),
            ("zlib-stream-device", zlib.compress(corpora()["log"]), True),
            ("lz4-blocks-device", lz4, False),
        ):
            found = self.pipe(made, "decompress", "-", "--device", "cpu")
            self.assertTrue(
                found.returncode == 0 and found.stdout == corpora()["log"], found.stderr
            )
            report = found.stderr.decode()
            self.assertRegex(report, f"method {method}, on cpu:")
            self.assertEqual(
                f"buffered {len(made):,} bytes of a pipe" in report, is_buffered, report
            )
            stayed = self.pipe(made, "decompress", "-t", "-", "--device", "cpu", "--keep-on-device")
            self.assertRegex(stayed.stderr.decode(), f"method {method}, on cpu:")
            self.assertIn("bytes of a pipe", stayed.stderr.decode())

    def test_every_tool_reads_what_is_compressed(self):
        readers = {
            "gzip": [
                ["gzip", "-dc"],
                ["pigz", "-dc"],
                ["igzip", "-dc"],
                ["libdeflate-gunzip", "-c"],
            ],
            "zstd": [["zstd", "-dc"]],
            "lz4": [["lz4", "-dc"]],
        }
        for name, content in corpora().items():
            source = self.write(name, content)
            for codec, commands in readers.items():
                by_device = [] if codec == "zstd" else [["--device", "cpu"]]
                for options in (
                    [],
                    ["--level", "9", "--block-size", "64K"],
                    ["--threads", "1"],
                    *by_device,
                ):
                    made = self.run_program(
                        "compress", source, "--codec", codec, "-o", "-", *options
                    )
                    self.assertEqual(made.returncode, 0, made.err)
                    for command in commands:
                        if command[0] == "igzip" and (not content or "--device" in options):
                            continue  # igzip 2.30 reads no empty member, such as BGZF ends with
                        read = subprocess.run(
                            command, input=made.stdout, capture_output=True, timeout=120
                        )
                        self.assertTrue(
                            read.stdout == content and read.returncode == 0,
                            f"{command} of {name}, {options}: {read.stderr}",
                        )

    def test_what_a_device_compresses_is_named(self):
        source = self.write("text", corpora()["text"])
        for codec, kernel, block in (
            ("lz4", "lz4_encode_thread", "64.0 KiB"),
            ("gzip", "deflate_encode_thread", "63.8 KiB"),
        ):
            made = self.run_program("compress", source, "--codec", codec, "--device", "cpu")
            self.assertRegex(
                made.err,
                rf"{codec} level 1, .* {block} blocks, on cpu:\d+ \(.*\): upload .*, {kernel} .*, download ",
            )
        self.assert_fails(
            self.run_program("compress", source, "--device", "cpu"),
            "unsupported: zstd: compression on devices is not supported",
        )
        self.assert_fails(
            self.run_program(
                "compress", source, "--codec", "lz4", "--level", "2", "--device", "cpu", "-o", "-"
            ),
            "invalid: compression level 2",
        )
        indexed = subprocess.run(["bgzip", "-r", f"{source}.gz"], capture_output=True)
        self.assertEqual(indexed.returncode, 0, indexed.stderr)

    def test_small_gzip_blocks_are_bgzf(self):
        source = self.write("text", corpora()["text"] * 3)
        self.assertEqual(
            self.run_program(
                "compress", "--codec", "gzip", "--block-size", "65280", source
            ).returncode,
            0,
        )
        read = subprocess.run(["bgzip", "-dc", f"{source}.gz"], capture_output=True)
        self.assertEqual((read.returncode, read.stdout), (0, source.read_bytes()))
        indexed = subprocess.run(["bgzip", "-r", f"{source}.gz"], capture_output=True)
        self.assertEqual(indexed.returncode, 0, indexed.stderr)

    def test_sizes_are_within_some_per_cent_of_the_tools(self):
        source = self.write(
            "text", b"".join(corpora()[name] for name in ("text", "binary", "log")) * 2
        )
        for codec, level, command in (
            ("gzip", 6, ["gzip", "-6c"]),
            ("gzip", 9, ["gzip", "-9c"]),
            ("zstd", 3, ["zstd", "-3c"]),
            ("zstd", 19, ["zstd", "-19c"]),
            ("lz4", 1, ["lz4", "-1c"]),
            ("lz4", 9, ["lz4", "-9c"]),
        ):
            ours = len(
                self.run_program(
                    "compress", source, "--codec", codec, "--level", level, "-o", "-"
                ).stdout
            )
            theirs = len(
                subprocess.run(command, input=source.read_bytes(), capture_output=True).stdout
            )
            self.assertLess(ours, 1.03 * theirs, f"{codec} level {level}")

    def test_names_lose_and_gain_their_suffix(self):
        content = corpora()["log"]
        source = self.write("events.log", content)
        for codec, suffix in (("gzip", ".gz"), ("zstd", ".zst"), ("lz4", ".lz4")):
            self.assertEqual(self.run_program("compress", source, "--codec", codec).returncode, 0)
            source.unlink()
            ended = self.run_program("decompress", f"{source}{suffix}")
            self.assertEqual((ended.returncode, ended.out), (0, ""), ended.err)
            self.assertEqual(source.read_bytes(), content)
        archive = self.write("rows.tgz", gzip.compress(b"archive"))
        self.run_program("decompress", archive)
        self.assertEqual((self.rows / "rows.tar").read_bytes(), b"archive")
        self.assert_fails(
            self.run_program("decompress", self.write("nameless", gzip.compress(b"x"))),
            "unknown suffix",
            "--output",
        )
        self.assert_fails(
            self.run_program("compress", "--codec", "gzip", archive.rename(self.rows / "a.gz")),
            "already has the suffix .gz",
        )

    def test_permissions_and_time_are_those_of_the_input(self):
        path = self.write("secret.gz", gzip.compress(b"secret"))
        path.chmod(0o600)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        self.assertEqual(self.run_program("decompress", path).returncode, 0)
        found = (self.rows / "secret").stat()
        self.assertEqual((found.st_mode & 0o777, int(found.st_mtime)), (0o600, 1_000_000_000))

    def test_existing_files_are_overwritten_by_force_alone(self):
        path, target = self.write("t.gz", gzip.compress(b"new")), self.write("t", b"old")
        self.assert_fails(self.run_program("decompress", path), "already exists", "--force")
        self.assertEqual(target.read_bytes(), b"old")
        self.assertEqual(self.run_program("decompress", "-f", path).returncode, 0)
        self.assertEqual(target.read_bytes(), b"new")
        self.assert_fails(self.run_program("compress", "--codec", "gzip", target), "already exists")

    def test_corrupt_files_leave_no_file_and_name_the_byte(self):
        content = corpora()["text"]
        zstd = self.run_program("compress", self.write("t", content), "-o", "-").stdout
        for suffix, made in ((".gz", gzip.compress(content)), (".zst", zstd)):
            changed = made[:-3] + bytes([made[-3] ^ 1]) + made[-2:]
            for name, damaged, word in (
                ("cut", made[:-9], "truncated: "),
                ("checksum", changed, "corrupt: "),
                ("junk", made + b"junk", "corrupt: "),
            ):
                if (suffix, name) == (".gz", "junk"):
                    continue  # ignored with a warning
                path = self.write(name + suffix, damaged)
                self.assert_fails(
                    self.run_program("decompress", path),
                    word,
                    "byte ",
                    f"while decompressing {path}",
                )
                self.assert_fails(self.run_program("decompress", "-t", path), word)
                self.assertFalse((self.rows / name).exists())
                path.unlink()
        self.assertEqual([p.name for p in self.rows.iterdir()], ["t"])

    def test_trailing_garbage_of_gzip_is_a_warning(self):
        path = self.write("t.gz", gzip.compress(b"text") + b"junk")
        ended = self.run_program("decompress", path)
        self.assertEqual(ended.returncode, 2, ended.err)
        self.assertIn("warning: ", ended.err)
        self.assertIn("trailing garbage ignored (4 bytes after member 1)", ended.err)
        self.assertEqual((self.rows / "t").read_bytes(), b"text")

    def test_large_windows_need_a_flag(self):
        command = ["zstd", "-c", "-3", "--long=28"]
        path = self.write(
            "t.zst", subprocess.run(command, input=bytes(300_000_000), capture_output=True).stdout
        )
        refused = self.run_program("decompress", "-t", path)
        self.assert_fails(
            refused, "capacity: zstd: window size is larger", "--memory LIMIT or --long N"
        )
        for flag, value in (("--long", "28"), ("--memory", "256M")):
            self.assertEqual(self.run_program("decompress", "-t", path, flag, value).returncode, 0)

    def test_symbolic_links_are_followed_by_force_alone(self):
        path = self.write("t.gz", gzip.compress(b"text"))
        link = self.rows / "link.gz"
        link.symlink_to(path)
        self.assert_fails(self.run_program("decompress", link), "is a symbolic link", "--force")
        self.assertEqual(self.run_program("decompress", "-f", link).returncode, 0)
        self.assertEqual((self.rows / "link").read_bytes(), b"text")
        plain = self.rows / "plain"
        plain.symlink_to(path)
        self.assert_fails(self.run_program("compress", plain, link), "2 of 2 files failed")
        self.assertEqual(self.run_program("compress", "-f", plain).returncode, 0)

    def test_zeros_become_holes(self):
        content = b"begin" + bytes(8 << 20) + b"end" + bytes(1 << 20)
        path = self.write("t.gz", gzip.compress(content))
        self.assertEqual(self.run_program("decompress", path).returncode, 0)
        found = self.rows / "t"
        self.assertTrue(found.read_bytes() == content)
        self.assertLess(found.stat().st_blocks * 512, 1 << 20)

    def test_root_keeps_the_owner(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        path = self.write("t.gz", gzip.compress(b"text"))
        os.chown(path, 1234, 2345)
        self.assertEqual(self.run_program("decompress", path).returncode, 0)
        found = (self.rows / "t").stat()
        self.assertEqual((found.st_uid, found.st_gid), (1234, 2345))

    def check_interrupt(self, path):
        command = [PROGRAM, "decompress", "-t", "--device", "cpu", str(path)]
        running = subprocess.Popen(command, env=self.environment, stderr=subprocess.PIPE)
        time.sleep(2)
        self.assertIsNone(running.poll())
        running.terminate()
        begin = time.monotonic()
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertLess(time.monotonic() - begin, 2)

    def test_an_interrupt_ends_a_device_that_decodes_many_small_members(self):
        member = gzip.compress(b"x")
        # The first run compiles the kernels.
        self.run_program("decompress", "-t", "--device", "cpu", self.write("w.gz", member))
        self.check_interrupt(self.write("t.gz", member * 200_000))

    def test_an_interrupt_ends_a_device_that_decodes_many_empty_bgzf_members(self):
        empty = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
        self.run_program("decompress", "-t", "--device", "cpu", self.write("w.gz", empty))
        self.check_interrupt(self.write("t.gz", empty * 2_000_000))

    def test_a_bomb_ends_at_the_limit_and_leaves_no_file(self):
        path = self.write("bomb.gz", gzip.compress(bytes(20_000_000)))
        self.assert_fails(
            self.run_program("decompress", path, "--max-output", "1M"), "capacity: ", "1048576"
        )
        self.assertEqual([p.name for p in self.rows.iterdir()], ["bomb.gz"])
        self.assertEqual(self.run_program("decompress", path, "--max-output", "20M").returncode, 0)

    def test_a_failure_does_not_stop_the_other_files(self):
        good, last = (
            self.write("a.gz", gzip.compress(b"a")),
            self.write("c.gz", gzip.compress(b"c")),
        )
        bad = self.write("b.gz", b"\x1f\x8b\x08")
        ended = self.run_program("decompress", good, bad, last)
        self.assert_fails(
            ended,
            "truncated: gzip: unexpected end of file (member 1, byte 3)",
            "1 of 3 files failed",
        )
        self.assertEqual([(self.rows / name).exists() for name in "abc"], [True, False, True])
        joined = self.run_program("decompress", "-o", "-", good, last)
        self.assertEqual((joined.returncode, joined.out), (0, "ac"))
        for command in ("decompress", "compress"):
            self.assert_fails(
                self.run_program(command, "-o", self.rows / "x", good, last),
                "several are given",
                code=2,
            )

    def test_tests_and_lists(self):
        content = corpora()["text"]
        path = self.write("t.gz", gzip.compress(content) + gzip.compress(content))
        ended = self.run_program("decompress", "-t", path)
        self.assertEqual((ended.returncode, ended.out), (0, ""))
        before, after = f"{path.stat().st_size:,}", f"{2 * len(content):,}"
        self.assertRegex(
            ended.err,
            rf"t\.gz: ok, gzip, 2 members, {before} -> {after} bytes in .*, method gzip-whole, .*checksums verified",
        )
        listed = self.run_program("decompress", "-l", path)
        self.assertRegex(
            listed.out, rf"gzip +2 +{before} +{after} +\d+\.\d+ verified +{re.escape(str(path))}\n"
        )
        self.assertEqual([p.name for p in self.rows.iterdir()], ["t.gz"])

    def test_the_method_is_reported_and_may_be_chosen(self):
        path = self.write("t.gz", gzip.compress(corpora()["log"]))
        self.assertIn(", method gzip-whole, ", self.run_program("decompress", "-t", path).err)
        self.assertIn(
            ", method gzip-stream, ",
            self.run_program("decompress", "-t", "--method", "gzip-stream", path).err,
        )
        self.assert_fails(
            self.run_program("decompress", "-t", "--method", "zstd-frames", path), "gzip-stream"
        )
        self.assert_fails(
            self.run_program("decompress", "-t", "--method", "guess", path), "guess", code=2
        )

    def test_standard_input_and_devices(self):
        content = corpora()["binary"]
        made = self.pipe(content, "compress", "-", "--codec", "lz4")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(self.pipe(made.stdout, "decompress", "-").stdout == content)
        with open(self.write("t.lz4", made.stdout), "rb") as file:
            found = subprocess.run(
                [PROGRAM, "decompress", "-"], stdin=file, capture_output=True, env=self.environment
            )
        self.assertTrue(found.stdout == content, found.stderr)
        self.assertEqual(
            self.run_program("decompress", self.rows / "t.lz4", "-o", "/dev/null").returncode, 0
        )

    def test_a_dictionary_that_cannot_be_read_is_named(self):
        path = self.write("a.gz", gzip.compress(b"text"))
        for dictionary in (self.rows / "nowhere", self.rows):
            self.assert_fails(
                self.run_program("decompress", "-t", path, "-D", dictionary),
                f"cannot read dictionary {dictionary}",
            )

    def test_a_file_of_another_format_than_was_asked_for_is_refused(self):
        path = self.write("a.zz", zlib.compress(b"text"))
        self.assert_fails(
            self.run_program("decompress", "-t", "--codec", "gzip", path),
            "not in gzip format",
        )

    def test_a_dictionary_is_read(self):
        dictionary = self.write("words", corpora()["text"][:20_000])
        squeezed = zlib.compressobj(9, zdict=dictionary.read_bytes())
        path = self.write("t.zz", squeezed.compress(corpora()["text"][:3000]) + squeezed.flush())
        self.assert_fails(self.run_program("decompress", path), "a dictionary is needed")
        self.assertEqual(
            self.run_program("decompress", path, "-D", dictionary, "-o", "-").stdout,
            corpora()["text"][:3000],
        )

    def test_wrong_usage(self):
        for words in (
            ("decompress",),
            ("decompress", "x", "--codec", "rar"),
            ("decompress", "x", "--max-output", "lots"),
            ("compress", "x", "--codec", "xz"),
            ("compress", "x", "--level", "0"),
        ):
            self.assert_fails(self.run_program(*words), "penstock", code=2)
        self.assert_fails(self.run_program("decompress", self.rows / "missing.gz"), "cannot read")
        self.assert_fails(
            self.run_program("decompress", "-t", self.write("t.xz", b"\xfd7zXZ\0\0")),
            "unsupported: unsupported format xz",
        )
        self.assert_fails(
            self.run_program("decompress", "-t", self.write("t.gz", b"plain text")),
            "unknown format: not gzip",
        )


main()
