"""Tables of text wherever it comes from: JSON by content, compressed files, pipes and standard input."""

import gzip
import subprocess

from command_line import PROGRAM, CommandLineTest, main

COUNT = "SELECT count(*) AS n FROM "


class TextFiles(CommandLineTest):
    def shell(self, script, text=b""):
        """`$P` is the program. Returns what it prints."""
        ended = subprocess.run(
            ["bash", "-c", script],
            input=text,
            capture_output=True,
            env={**self.environment, "P": PROGRAM},
            cwd=self.rows,
            timeout=120,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.decode()

    def query_of(self, source):
        return f'"$P" query "{COUNT}{source}" --format csv'

    def test_json_is_known_by_its_content_or_its_name(self):
        texts = {
            "rows.json": '[\n {"a": 1}]',
            "ROWS.JSON": "[1]",
            "rows.jsonl": '{"a": 1}',
            "rows.txt": ' {"a": 1}',
        }
        for name, text in texts.items():
            self.assertEqual(self.answer(COUNT + f"'{self.csv_file(name, text)}'"), [{"n": 1}])

    def test_compressed_text_is_read_whatever_its_name(self):
        for name, text in {"a.csv.gz": b"a,b\n1,2\n3,4\n", "b": b'{"a": 1}\n{"a": 2}\n'}.items():
            (self.rows / name).write_bytes(gzip.compress(text))
            self.assertEqual(self.answer(COUNT + f"'{self.rows / name}'"), [{"n": 2}])

    def test_damaged_compressed_text_is_an_error_that_names_the_file(self):
        path = self.rows / "cut.csv.gz"
        path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-6])
        self.assert_fails(self.query(COUNT + f"'{path}'"), "cut.csv.gz", "gzip")

    def test_standard_input_is_a_table(self):
        text = b"a,b\n1,2\n3,4\n"
        for source in ("'-'", "'/dev/stdin'"):
            self.assertEqual(self.shell(self.query_of(source), text), "n\n2\n")
        self.assertEqual(self.shell(self.query_of("'-'"), gzip.compress(text)), "n\n2\n")
        (self.rows / "t").write_bytes(text)
        self.assertEqual(self.shell(self.query_of("'-'") + " < t"), "n\n2\n")

    def test_a_pipe_of_the_shell_is_a_table(self):
        script = "exec 3< <(printf 'a\\n1\\n2\\n'); " + self.query_of("'/dev/fd/3'")
        self.assertEqual(self.shell(script), "n\n2\n")


main()
