"""Several statements of one process: `query --file`, and the shell from a pipe and a terminal."""

import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

from command_line import PROGRAM, CommandLineTest, main


class Statements(CommandLineTest):
    def statements(self, *texts):
        path = self.folder / "statements.sql"
        path.write_text("\n".join(texts))
        return path

    def test_statements_of_a_file_are_answered_in_order(self):
        table = self.csv_file()
        path = self.statements(
            f"-- first; not a statement\nSELECT sum(a) AS total FROM '{table}';",
            f"SELECT name FROM '{table}' WHERE name <> ';' AND a > 2 /* ; */",
        )
        ended = self.run_program("query", "-f", path, "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, 'total\n6\nname\n"z, w"\n'), ended.err)

    def test_a_statement_that_differs_in_literals_alone_compiles_nothing(self):
        table = self.csv_file()
        path = self.statements(
            *(f"SELECT sum(a) AS s FROM '{table}' WHERE a > {i};" for i in (0, 1))
        )
        ended = self.run_program("query", "--file", path, "--format", "csv")
        self.assertEqual(ended.out, "s\n6\ns\n5\n", ended.err)
        self.assertRegex(ended.err.splitlines()[-1], "cache hit in memory|memory")

    def test_results_of_128_bits_are_kept_whole_by_a_session(self):
        lists = self.rows / "lists.json"
        lists.write_text("".join(f'{{"l":[{i},{i}]}}\n' for i in range(5)))
        path = self.statements(*(f"SELECT list_sum(l) AS s FROM '{lists}';" for _ in range(2)))
        ended = self.run_program("query", "--file", path, "--format", "csv")
        if "planner is not found" in ended.err:
            self.skipTest("no DuckDB")
        self.assertEqual(ended.out, "s\n0\n2\n4\n6\n8\n" * 2, ended.err)

    def test_an_error_names_the_line_of_its_statement_and_ends_the_rest(self):
        table = self.csv_file()
        good = f"SELECT count(*) AS c FROM '{table}';"
        path = self.statements(good, "", "SELECT 1 +", "  nothing FROM", "  nowhere;", good)
        ended = self.run_program("query", "-f", path, "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (1, "c\n3\n"), ended.err)
        self.assertIn("in the statement at line 3 of", ended.err)

    def test_wrong_uses_of_a_file_are_told(self):
        table = self.csv_file()
        two = self.folder / "two.sql"
        two.write_text(f"SELECT a FROM '{table}';" * 2)
        self.assert_fails(self.run_program("query"), "STATEMENT is required, or --file", code=2)
        self.assert_fails(self.run_program("query", "SELECT 1", "-f", two), "give one", code=2)
        self.assert_fails(self.run_program("query", "-f", self.folder / "none.sql"), "No such file")
        self.assert_fails(self.run_program("query", "-f", self.statements("-- ;")), "no statement")
        self.assert_fails(
            self.run_program("query", "-f", two, "-o", self.folder / "out.csv"),
            "takes the rows of one statement",
        )
        self.assert_fails(
            self.run_program("query", "-f", two, "--cache-limit", "-1"), "no number", code=2
        )

    def piped(self, text, *arguments):
        ended = subprocess.run(
            [PROGRAM, *arguments, "--format", "csv"],
            input=text.encode(),
            capture_output=True,
            env=self.environment,
            timeout=120,
            check=False,
        )
        return ended.returncode, ended.stdout.decode(), ended.stderr.decode()

    def test_a_pipe_is_answered_by_query_and_by_shell(self):
        table = self.csv_file()
        text = f"SELECT sum(a) AS s\nFROM '{table}'; SELECT count(*)\n AS c FROM '{table}'"
        for command in (("query", "-f", "-"), ("shell",)):
            code, out, err = self.piped(text, *command)
            self.assertEqual((code, out), (0, "s\n6\nc\n3\n"), err)

    def test_a_pipe_ends_at_its_first_error(self):
        table = self.csv_file()
        good = f"SELECT count(*) AS c FROM '{table}';\n"
        code, out, err = self.piped(good + "\nSELECT nothing\nFROM nowhere;\n" + good, "shell")
        self.assertEqual((code, out), (1, "c\n3\n"))
        self.assertIn("in the statement at line 3", err)
        code, out, err = self.piped("\\nothing\n" + good, "shell")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no command '\\nothing'", err)

    def test_commands_of_the_shell_do_what_they_say(self):
        table = self.parquet_file()
        good = f"SELECT sum(n) AS s FROM '{table}';\n"
        text = "\\timing\n" + good + good + "\\cache\n\\cache clear\n\\device\n\\explain\n" + good
        code, out, err = self.piped(text + "\\help\n\\q\nSELECT nothing;", "shell")
        self.assertEqual(code, 0, err)
        self.assertTrue(out.startswith("s\n12497500\ns\n12497500\nSteps\n"), out)
        self.assertEqual(len(re.findall(r"^time: [\d.]+ [mu]?s$", err, re.MULTILINE)), 3, err)
        self.assertRegex(err, r"(?m)^[1-9][\d.]* [KM]iB of .* entries; [1-9]\d* hits")
        self.assertRegex(err, r"(?m)^0 bytes of .* in 0 entries")
        self.assertRegex(err, r"(?m)^(cpu|opencl|cuda):\d+ ")

    def test_a_cache_of_no_size_keeps_nothing(self):
        good = f"SELECT sum(n) AS s FROM '{self.parquet_file()}';\n"
        _, out, err = self.piped(good + good + "\\cache\n", "shell", "--cache-limit", "0")
        self.assertEqual(out, "s\n12497500\n" * 2)
        self.assertIn("0 bytes of 0 bytes in 0 entries", err)


class Terminal(CommandLineTest):
    """The shell as a person sees it."""

    def setUp(self):
        super().setUp()
        self.terminal, inner = pty.openpty()
        self.environment.update(XDG_STATE_HOME=str(self.folder / "state"), TERM="xterm")
        self.shell = subprocess.Popen(
            [PROGRAM, "shell", "--format", "csv", "--no-progress", "--batch-rows", "64"],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=self.environment,
            start_new_session=True,
            cwd=self.rows,
        )
        os.close(inner)
        self.seen = ""
        self.wait_for("penstock> ")

    def tearDown(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.terminal)
        super().tearDown()

    def wait_for(self, text, seconds=60):
        """Reads until a text, and forgets what was read."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"no {text!r} in {self.seen!r}")
            self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, text):
        os.write(self.terminal, text.encode())

    def test_a_statement_has_several_lines_and_an_error_does_not_end_the_shell(self):
        self.csv_file()
        self.type("SELECT nothing FROM 'table.csv';\n")
        self.wait_for("not found in FROM clause")
        self.wait_for("penstock> ")
        self.type("SELECT sum(a) AS total\n")
        self.wait_for("-> ")
        self.type("FROM 'table.csv';\n")
        self.wait_for("total\r\n6\r\n")
        self.wait_for("penstock> ")
        self.type("\\q\n")
        self.assertEqual(self.shell.wait(60), 0)

    def test_commands_are_understood_within_a_statement(self):
        self.csv_file()
        self.type("SELECT sum(a) AS 'never closed\n")
        self.wait_for("-> ")
        self.type("\\reset\n")
        self.wait_for("penstock> ")
        self.type("SELECT sum(a) AS total FROM 'table.csv';\n")
        self.wait_for("total\r\n6\r\n")
        self.wait_for("penstock> ")
        self.type("SELECT sum(a)\n")
        self.wait_for("-> ")
        self.type("\\q\n")
        self.assertEqual(self.shell.wait(60), 0)

    def test_an_interrupt_ends_the_statement_and_not_the_shell(self):
        self.numbers_file(400000)
        self.csv_file()
        for _ in range(2):
            self.type("SELECT n, r * 2 AS twice FROM 'numbers.csv' WHERE n % 2 = 0;\n")
            time.sleep(0.5)
            self.shell.send_signal(signal.SIGINT)
            self.wait_for("cancelled")
            self.wait_for("penstock> ")
        self.shell.send_signal(signal.SIGINT)  # at the prompt
        time.sleep(0.5)
        self.type("SELECT max(a) AS most FROM 'table.csv';\n")
        self.wait_for("most\r\n3\r\n")

    def test_the_history_outlives_the_shell(self):
        self.csv_file()
        self.type("SELECT min(a) AS least FROM 'table.csv';\n")
        self.wait_for("least\r\n1\r\n")
        self.wait_for("penstock> ")
        self.type("\\q\n")
        self.assertEqual(self.shell.wait(60), 0)
        history = self.folder / "state" / "penstock" / "history"
        if not history.exists():
            self.skipTest("libedit is not installed")
        self.assertIn("least", history.read_text())

    def test_files_and_columns_are_completed(self):
        self.csv_file("measurements.csv", "temperature,place\n21,here\n")
        self.type("SELECT max(temperature) AS t FROM 'meas\t")
        time.sleep(1)
        self.type(" WHERE temp\t")
        time.sleep(1)
        self.type(" > 3;\n")
        if "libedit" not in pathlib.Path(f"/proc/{self.shell.pid}/maps").read_text():
            self.skipTest("libedit is not installed")
        self.wait_for("t\r\n21\r\n")


main()
