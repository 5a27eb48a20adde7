"""TPC-H, TPC-DS and others, whole, beside DuckDB: types and rows compared, times of both.

    suites.py generate --suite tpcds --scale 10 FOLDER
    suites.py run --penstock build/penstock --device cuda:0 FOLDER [FOLDER...]

`generate` writes the tables as Parquet files, and each statement as NN.sql. It takes DuckDB's
generators from PyPI: duckdb==1.5.5, duckdb-extension-tpch, duckdb-extension-tpcds.

`run` keeps one shell for each folder, which has Parquet files and statements NN.sql: ClickBench's are
run so, too. A statement's hot time is the least of --repeat runs after the first, from its text to
the last of its rows. DuckDB loads the files into its own tables before, and a result counts when it
is an Arrow table. With --files it reads the files instead. --csv writes a row for each statement,
--reports the report of each statement's last run.
"""

import argparse
import contextlib
import csv
import math
import pathlib
import re
import subprocess
import sys
import threading
import time

import duckdb

from suite_answers import compared


def seconds_of(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def generate(arguments):
    import duckdb_extensions

    folder = arguments.folders[0]
    folder.mkdir(parents=True, exist_ok=True)
    duckdb_extensions.import_extension(arguments.suite)
    connection = duckdb.connect()
    connection.execute(f"LOAD {arguments.suite}")
    generator = {"tpch": "dbgen", "tpcds": "dsdgen"}[arguments.suite]
    connection.execute(f"CALL {generator}(sf={arguments.scale})")
    for (table,) in connection.sql("SELECT table_name FROM duckdb_tables()").fetchall():
        connection.execute(f"COPY {table} TO '{folder / table}.parquet'")
    statements = connection.sql(f"SELECT query_nr, query FROM {arguments.suite}_queries()")
    for number, text in statements.fetchall():
        (folder / f"{number:02}.sql").write_text(text)


class Shell:
    """A shell that runs; a second statement marks the end of an answer."""

    def __init__(self, arguments, folder):
        command = [arguments.penstock, "shell", "--format", "csv", *arguments.options]
        command += ["--device", arguments.device] if arguments.device else []
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self.errors, self.asked = [], 0
        self.reader = threading.Thread(target=self.read_errors, daemon=True)
        self.reader.start()
        for file in sorted(folder.glob("*.parquet")):
            self.ask(f"CREATE VIEW {file.stem} AS SELECT * FROM '{file}'")

    def read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line)

    def ask(self, statement):
        """Returns the lines of the answer, None if the shell ended."""
        self.asked += 1
        self.errors.clear()
        mark = f"end_of_{self.asked}"
        self.process.stdin.write(f"{statement.rstrip().rstrip(';')};\nSELECT 1 AS {mark};\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.strip() == mark:
                self.process.stdout.readline()
                return lines
            lines.append(line)
        return None

    def close(self):
        """Waits for the rest of what the shell says."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.reader.join()


class DuckDB:
    def __init__(self, arguments, folder):
        self.connection = duckdb.connect()
        if arguments.threads:
            self.connection.execute(f"SET threads = {arguments.threads}")
        form = "VIEW" if arguments.files else "TABLE"
        for file in sorted(folder.glob("*.parquet")):
            self.connection.execute(f"CREATE {form} {file.stem} AS SELECT * FROM '{file}'")

    def time(self, statement, repeat):
        return min(
            seconds_of(lambda: self.connection.sql(statement).to_arrow_table())[0]
            for _ in range(repeat)
        )


def is_chosen(number, chosen):
    """Whether a number is in a list such as 1,5-9; an empty list has all."""
    ranges = [
        re.fullmatch(r"(\d+)(?:-(\d+))?", part).groups() for part in chosen.split(",") if part
    ]
    return not ranges or any(int(a) <= number <= int(b or a) for a, b in ranges)


def run_statement(shell, peer, statement, repeat):
    first, lines = seconds_of(lambda: shell.ask(statement))
    if lines is None:
        shell.close()
        return {"result": "refused", "report": "".join(shell.errors)}
    hot = min([seconds_of(lambda: shell.ask(statement))[0] for _ in range(repeat)], default=first)
    report = "".join(shell.errors)
    theirs = peer.time(statement, max(repeat, 1))
    described = shell.ask(f"DESCRIBE {statement}")
    result = compared(lines, described, peer.connection, statement)
    return {"result": result, "first": first, "hot": hot, "duckdb": theirs, "report": report}


def print_row(name, row):
    if row["result"] == "refused":
        print(f"{name} refused: {row['report'].strip()[-200:]}", flush=True)
        return
    first, hot, theirs = (1e3 * row[key] for key in ("first", "hot", "duckdb"))
    text = f"{name} first {first:8.1f} ms  hot {hot:8.1f}  DuckDB {theirs:8.1f}"
    print(f"{text}  {theirs / hot:6.2f} times  {row['result']}", flush=True)


def print_sums(folder, rows):
    answered = [row for row in rows if row["result"] != "refused"]
    equal = sum(row["result"] in ("equal", "ties") for row in rows)
    if not answered:
        return print(f"{folder.name}: none of {len(rows)} answered", flush=True)
    first, hot, theirs = (sum(row[key] for row in answered) for key in ("first", "hot", "duckdb"))
    ratios = [row["duckdb"] / row["hot"] for row in answered]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(
        f"{folder.name}: {equal} of {len(rows)} equal; sums: first {first:.2f} s, hot {hot:.3f} s,"
    )
    print(f"  DuckDB {duckdb.__version__} {theirs:.3f} s; {theirs / hot:.2f} times by sums,")
    print(f"  {mean:.2f} times by geometric mean; {sum(r < 1 for r in ratios)} slower", flush=True)


def run_folder(arguments, folder):
    shell, peer, rows = Shell(arguments, folder), DuckDB(arguments, folder), []
    for file in sorted(folder.glob("*.sql")):
        if not is_chosen(int(file.stem), arguments.statements):
            continue
        row = run_statement(shell, peer, file.read_text(), arguments.repeat)
        rows.append({"suite": folder.name, "statement": file.stem, **row})
        print_row(f"{folder.name} {file.stem}", row)
        if arguments.reports:
            (arguments.reports / f"{folder.name}-{file.stem}.txt").write_text(row["report"])
        if row["result"] == "refused":
            shell = Shell(arguments, folder)
    shell.close()
    print_sums(folder, rows)
    return rows


def run(arguments):
    if arguments.reports:
        arguments.reports.mkdir(parents=True, exist_ok=True)
    rows = [row for folder in arguments.folders for row in run_folder(arguments, folder)]
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            names = ["suite", "statement", "result", "first", "hot", "duckdb"]
            writer = csv.DictWriter(file, names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    return int(any(row["result"] not in ("equal", "ties") for row in rows))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["generate", "run"])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--suite", choices=["tpch", "tpcds"], default="tpch")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--penstock", default="build/penstock")
    parser.add_argument("--device", default="")
    parser.add_argument("--options", type=str.split, default=[], help="further, of the shell")
    parser.add_argument("--statements", default="", help="such as 1,5-9; all unless given")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="of DuckDB; all unless given")
    parser.add_argument("--files", action="store_true", help="DuckDB reads the files")
    parser.add_argument("--csv")
    parser.add_argument("--reports", type=pathlib.Path)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = parse()
    sys.exit({"generate": generate, "run": run}[chosen.action](chosen) or 0)
