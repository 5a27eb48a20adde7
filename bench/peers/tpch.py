"""DuckDB, and, if they are installed, Polars and cuDF, for `penstock bench tpch`.

    penstock bench tpch --scale 10 --write-outputs answers \\
        --peers ".venv/bin/python bench/peers/tpch.py answers"

The folder has the statements (Q1.sql) and Penstock's answers (Q1.csv). With the argument `check`
answers are compared with DuckDB's and the other libraries'; nothing is timed. Otherwise prints
a line for each statement and library: the median of the runs in a process that runs, with the
library's own number of threads. All three read the same files from the page cache. cuDF runs the
queries of Polars by the engine "gpu" of the package cudf-polars.
"""

import csv
import io
import pathlib
import re
import statistics
import sys
import time

import duckdb

import tpch_frames


def seconds_of(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def is_equal(ours, theirs, tolerance):
    """Whether a CSV field equals a value; floats may differ by this share of it."""
    if isinstance(theirs, float):
        return abs(float(ours) - theirs) <= tolerance * abs(theirs)
    return ours == str(theirs)


def check(name, library, text, theirs):
    rows = list(csv.reader(io.StringIO(text)))[1:]
    same = len(rows) == len(theirs) and all(
        len(ours) == len(row) and all(is_equal(a, b, library.tolerance) for a, b in zip(ours, row))
        for ours, row in zip(rows, theirs)
    )
    if not same:
        sys.exit(f"{name}: {library.name} answers {theirs[:3]}, Penstock {rows[:3]}")


class DuckDB:
    tolerance = 1e-12  # of averages

    def __init__(self):
        self.connection = duckdb.connect()
        threads = self.connection.sql("SELECT current_setting('threads')").fetchall()[0][0]
        self.name = f"DuckDB {duckdb.__version__}, {threads} threads"

    def answer(self, name, statement):
        return self.connection.sql(statement).fetchall()


class Frames:
    """Polars' queries by one of its engines."""

    tolerance = 1e-9  # of sums of floats, which stand for decimals

    def __init__(self, name, engine):
        self.name, self.engine = name, engine

    def answer(self, name, statement):
        folder = pathlib.Path(re.search(r"'([^']*)/\w+\.parquet'", statement).group(1))
        return tpch_frames.QUERIES[name](folder).collect(engine=self.engine).rows()


def libraries():
    found = [DuckDB()]
    if tpch_frames.polars:
        version = tpch_frames.polars.__version__
        threads = tpch_frames.polars.thread_pool_size()
        found.append(Frames(f"Polars {version}, {threads} threads", "streaming"))
        try:
            import cudf_polars

            found.append(Frames(f"cuDF {cudf_polars.__version__}", "gpu"))
        except ImportError:
            pass
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    repeats = 0 if sys.argv[2] == "check" else int(sys.argv[3])
    for path in sorted(folder.glob("*.sql")):
        name, statement = path.stem, path.read_text()
        for library in libraries():
            answer = library.answer(name, statement)
            if repeats == 0:
                check(name, library, path.with_suffix(".csv").read_text(), answer)
                continue
            times = [seconds_of(lambda: library.answer(name, statement))[0] for _ in range(repeats)]
            median = statistics.median(times)
            spread = (max(times) - min(times)) / median
            for mode in ("process", "running", "resident"):
                print(f"{name}, {mode};{library.name};{median};{spread}", flush=True)


if __name__ == "__main__":
    main()
