"""DuckDB's first and second answer to the statements of `penstock bench cold`.

    penstock bench cold --data FOLDER --write-outputs ANSWERS \\
        --peers ".venv/bin/python bench/peers/cold.py ANSWERS FOLDER"

ANSWERS has the statements (NAME.sql) and Penstock's answers (NAME.csv), FOLDER the files that they
name. Each statement has a process of its own. Its time is that of the statement alone: Python and
the library are loaded before, so a program of DuckDB's takes some 20 ms more. Counts the answers
that differ on standard error.
"""

import csv
import io
import os
import pathlib
import subprocess
import sys
import time


def answer(path):
    """Runs in a process of its own: prints the times of two runs, then the rows."""
    import duckdb

    connection = duckdb.connect()
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        rows = connection.sql(path.read_text()).fetchall()
        times.append(time.perf_counter() - begin)
    writer = csv.writer(sys.stdout)
    writer.writerow(times)
    writer.writerows(["" if value is None else str(value) for value in row] for row in rows)


def is_equal(ours, theirs):
    if ours == theirs:
        return True
    try:
        return abs(float(ours) - float(theirs)) <= 1e-9 * abs(float(theirs))
    except ValueError:
        return False


def main():
    answers, folder = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if len(sys.argv) == 4 and sys.argv[3] == "--alone":
        os.chdir(folder)
        return answer(answers)
    different = []
    for path in sorted(answers.glob("*.sql")):
        command = [sys.executable, __file__, path, folder, "--alone"]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (first, second), *theirs = list(csv.reader(io.StringIO(output)))
        ours = list(csv.reader(io.StringIO(path.with_suffix(".csv").read_text())))[1:]
        same = len(ours) == len(theirs) and all(
            len(a) == len(b) and all(map(is_equal, a, b)) for a, b in zip(ours, theirs)
        )
        if not same:
            different.append(path.stem)
        print(f"{path.stem}, first;DuckDB;{first}")
        print(f"{path.stem}, second;DuckDB;{second}")
    if different:
        print(f"other rows, or in another order: {', '.join(different)}", file=sys.stderr)


if __name__ == "__main__":
    main()
