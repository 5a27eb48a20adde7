"""The caller's environment: closed streams, ignored signals, files that change, odd systems."""

import gzip
import os
import shutil
import signal
import subprocess
import time

from command_line import PROGRAM, CommandLineTest, main

CONTENT = b"a line of the file\n" * 5000
# Longer than what is read ahead.
NOISE = os.urandom(40 << 20)


def bgzip_member(content):
    """A gzip member with bgzip's field, which names its size."""
    plain = gzip.compress(content)
    body = plain[10:]
    size = 18 + len(body)
    return (
        plain[:3]
        + b"\x04"
        + plain[4:10]
        + b"\x06\x00BC\x02\x00"
        + (size - 1).to_bytes(2, "little")
        + body
    )


def can_unmount_proc():
    probe = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /proc"]
    return shutil.which("unshare") and subprocess.run(probe, capture_output=True).returncode == 0


class Environment(CommandLineTest):
    def write(self, name, content):
        path = self.rows / name
        path.write_bytes(content)
        return path

    def run_without(self, closed, *arguments):
        def close():
            for number in closed:
                os.close(number)

        return subprocess.run(
            [PROGRAM, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            preexec_fn=close,
            timeout=120,
        )

    def compressed(self, suffix):
        path = self.write("content", CONTENT)
        codec = {".gz": "gzip", ".zst": "zstd", ".lz4": "lz4"}[suffix]
        self.run_program("compress", "-f", "--codec", codec, "-o", f"{path}{suffix}", path)
        return self.rows / f"content{suffix}"

    def test_closed_standard_streams_leave_files_as_they_are(self):
        out = self.rows / "out"
        for suffix in (".gz", ".zst", ".lz4"):
            path = self.compressed(suffix)
            for closed in ((2,), (0, 1, 2), (1, 2), (0, 2)):
                ended = self.run_without(closed, "decompress", "-f", "-o", out, path)
                self.assertEqual(
                    (ended.returncode, out.read_bytes() == CONTENT), (0, True), (suffix, closed)
                )
        ended = self.run_without((2,), "compress", "-f", "--codec", "gzip", "-o", out, path)
        self.assertEqual(
            (ended.returncode, gzip.decompress(out.read_bytes())), (0, path.read_bytes())
        )

    def test_closed_standard_streams_leave_the_rows_of_a_query_alone(self):
        statement = f"SELECT n FROM '{self.numbers_file(3)}'"
        out = self.rows / "out.csv"
        for closed in ((2,), (0, 1, 2)):
            ended = self.run_without(closed, "query", statement, "--verbose", "-o", out)
            self.assertEqual((ended.returncode, out.read_text()), (0, "n\n0\n1\n2\n"), closed)

    def test_what_needs_a_closed_stream_is_an_error(self):
        path = self.compressed(".gz")
        for closed, arguments in (((1,), ("-o", "-", path)), ((0,), ("-t", "-"))):
            ended = self.run_without(closed, "decompress", *arguments)
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertIn(b"Bad file descriptor", ended.stderr)

    def test_ignored_signals_stay_ignored(self):
        numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)

        def ignore():
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)

        out = self.rows / "out"
        process = subprocess.Popen(
            [PROGRAM, "decompress", "-", "-o", str(out)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            preexec_fn=ignore,
        )
        made = gzip.compress(CONTENT)
        process.stdin.write(made[:-8])
        process.stdin.flush()
        time.sleep(0.3)
        for number in numbers:
            process.send_signal(number)
        time.sleep(0.3)
        _, err = process.communicate(made[-8:], timeout=60)
        self.assertEqual((process.returncode, err.count(b"cancelled")), (0, 0), err)
        self.assertEqual(out.read_bytes(), CONTENT)

    def test_an_ignored_broken_pipe_is_an_error(self):
        path = self.write("noise.gz", gzip.compress(NOISE[: 4 << 20], 0))
        process = subprocess.Popen(
            [PROGRAM, "decompress", "-o", "-", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
        )
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 1, err)
        self.assertIn(b"Broken pipe", err)

    def test_an_input_is_not_written_over_by_its_output(self):
        path = self.compressed(".gz")
        before = path.read_bytes()
        link, symbolic = self.rows / "hard.gz", self.rows / "symbolic.gz"
        os.link(path, link)
        symbolic.symlink_to(path)
        for output in (path, link, symbolic):
            for command in ("decompress", "compress"):
                ended = self.run_program(command, "-f", "-o", output, path)
                self.assert_fails(ended, "is the same file as the input")
        with open(path, "ab") as appended:
            for command in ("decompress", "compress"):
                ended = subprocess.run(
                    [PROGRAM, command, "-f", "-o", "-", path],
                    stdout=appended,
                    stderr=subprocess.PIPE,
                    env=self.environment,
                )
                self.assertEqual(ended.returncode, 1)
                self.assertIn(b"is the same file as the input", ended.stderr)
        self.assertEqual(path.read_bytes(), before)

    def test_a_table_is_not_written_over_by_its_rows(self):
        table = self.numbers_file(5)
        before = table.read_bytes()
        link = self.rows / "hard.csv"
        os.link(table, link)
        statement = f"SELECT n FROM '{table}' WHERE n < 3"
        (self.rows / "statement.sql").write_text(statement)
        for output in (table, link):
            for arguments in ((statement,), ("--file", self.rows / "statement.sql")):
                ended = self.run_program("query", *arguments, "-o", output)
                self.assert_fails(ended, "is the same file as the input")
        pattern = f"SELECT n FROM '{self.rows}/num*.csv'"
        self.assert_fails(self.run_program("query", pattern, "-o", link), "is the same file")
        copy = self.rows / "numbers.arrow"
        os.link(table, copy)
        ended = self.run_program("encode", table, "-f", "-o", copy, "--codec", "n=for")
        self.assert_fails(ended, "is the same file as the input")
        self.assertEqual(table.read_bytes(), before)

    def test_names_may_be_as_long_as_names_can_be(self):
        path = self.compressed(".gz")
        for length in (231, 252, 255):
            out = self.rows / ("n" * length)
            ended = self.run_program("decompress", "-o", out, path)
            self.assertEqual((ended.returncode, out.read_bytes()), (0, CONTENT), ended.err)

    def test_suffixes_are_those_of_gzip_in_any_case(self):
        made = self.compressed(".gz").read_bytes()
        names = {"a.GZ": "a", "b.z": "b", "c.taz": "c.tar", "d-gz": "d", "e.Tgz": "e.tar"}
        for name, plain in names.items():
            ended = self.run_program("decompress", self.write(name, made))
            self.assertEqual(ended.returncode, 0, ended.err)
            self.assertEqual((self.rows / plain).read_bytes(), CONTENT)

    def test_a_level_of_other_programs_is_no_name_of_a_file(self):
        path = self.write("content", CONTENT)
        ended = self.run_program("compress", "-19", path)
        self.assert_fails(ended, "there is no option -19", "--level 19", code=2)
        self.assertEqual(os.listdir(self.rows), ["content"])

    def test_files_are_written_and_redirected_without_proc(self):
        if not can_unmount_proc():
            self.skipTest("this user may not mount")
        path = self.compressed(".gz")
        script = (
            'mount -t tmpfs none /proc; P="$1"; cd "$2"; '
            '"$P" decompress -o named content.gz && "$P" decompress -o redirected - <content.gz && '
            '"$P" decompress -o device /dev/stdin <content.gz'
        )
        ended = subprocess.run(
            ["unshare", "-rm", "sh", "-c", script, "sh", PROGRAM, self.rows],
            capture_output=True,
            env=self.environment,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for name in ("named", "redirected", "device"):
            self.assertEqual((self.rows / name).read_bytes(), CONTENT)
        self.assertEqual(
            sorted(os.listdir(self.rows)),
            ["content", path.name, "device", "named", "redirected"],
        )

    def test_a_file_of_bgzip_that_is_cut_between_members_is_a_warning(self):
        whole = bgzip_member(CONTENT) + bgzip_member(b"the end")
        end = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
        cut, ended_well = self.write("cut.gz", whole), self.write("whole.gz", whole + end)
        ended = self.run_program("decompress", "-t", cut)
        self.assertEqual(ended.returncode, 2, ended.err)
        self.assertIn("bgzip's end-of-file block is absent", ended.err)
        ended = self.run_program("decompress", "-t", ended_well)
        self.assertEqual((ended.returncode, "warning" in ended.err), (0, False), ended.err)

    def test_a_file_that_is_shortened_while_it_is_read_is_an_error(self):
        commands = (("decompress", gzip.compress(NOISE, 0)), ("compress", NOISE))
        for command, content in commands:
            for is_redirected in (False, True):
                path = self.write("shortened", content)
                with open(path, "rb") as file:
                    process = subprocess.Popen(
                        [PROGRAM, command, "-o", "-", "-" if is_redirected else str(path)],
                        stdin=file,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        env=self.environment,
                    )
                process.stdout.read(1)
                os.truncate(path, len(content) // 2)
                out, err = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 1, (command, is_redirected, err))
                self.assertIn(b"was shortened while it was read", err)
                self.assertLess(len(out), len(content))


main()
