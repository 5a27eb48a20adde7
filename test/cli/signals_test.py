"""Ctrl-C ends a command cleanly: exit code 130, no rows, no file."""

import gzip
import os
import signal
import subprocess
import time

from command_line import PROGRAM, CommandLineTest, main


def nameless_files(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        return False
    return True


class Signals(CommandLineTest):
    def start(self, *arguments):
        """A query of many small chunks, running when this returns."""
        statement = f"SELECT n, r * 2 AS twice FROM '{self.numbers_file(400000)}' WHERE n % 2 = 0"
        process = subprocess.Popen(
            [
                PROGRAM,
                "query",
                statement,
                "--batch-rows",
                "64",
                "--verbose",
                "--format",
                "csv",
                *arguments,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        line = process.stderr.readline()  # the generated text: the plan is being run
        self.assertTrue(line)
        return process

    def test_interrupt_gives_130_and_no_rows(self):
        process = self.start()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, b""), err[-500:])
        self.assertIn(b"cancelled", err)

    def test_interrupt_leaves_no_file(self):
        for extension in ("csv", "parquet"):
            process = self.start("--output", str(self.rows / f"out.{extension}"))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertEqual(os.listdir(self.rows), ["numbers.csv"])

    def test_a_killed_query_leaves_no_file(self):
        if not nameless_files(self.rows):
            self.skipTest("this file system has no files without a name")
        process = self.start("--output", str(self.rows / "out.csv"))
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(os.listdir(self.rows), ["numbers.csv"])

    def test_second_signal_ends_at_once_and_still_leaves_no_file(self):
        process = self.start("--output", str(self.rows / "out.csv"))
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (130, 128 + signal.SIGTERM))
        self.assertEqual(os.listdir(self.rows), ["numbers.csv"])

    def test_interrupted_decompress_leaves_no_file_while_its_pipe_is_silent(self):
        out = self.rows / "out"
        process = subprocess.Popen(
            [PROGRAM, "decompress", "-", "-o", str(out)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        process.stdin.write(gzip.compress(bytes(5_000_000))[:-8])  # the trailer never comes
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        self.assertEqual(
            (process.returncode, os.listdir(self.rows)), (130, []), process.stderr.read()
        )
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


main()
