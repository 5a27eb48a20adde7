"""The cases of `penstock bench pipelines` on a CPU by DuckDB, numexpr and pyarrow.compute, where
installed, over the same rows.

    .venv/bin/python bench/peers/cpu_pipelines.py ROWS REPEATS [selectivity]

Takes the number of rows, the repeats and optionally `selectivity`, for all pass rates of that sweep.
Prints `case;name;seconds`. Each uses all cores that the process may run on. DuckDB's rows are in a
table of its own, and its result is fetched as an Arrow table. scripts/python_environment.sh installs
numpy.
"""

import importlib
import os
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit(
        "cpu_pipelines.py needs numpy: run scripts/python_environment.sh, and this by .venv/bin/python"
    )

SWEEP = ("0.1", "0.3", "1", "3", "10", "30", "50", "70", "90", "97", "99", "99.7", "99.9")
IS_SWEEP = sys.argv[3:] == ["selectivity"]


def cases_of(family, usual):
    """Returns (name, limit of x * 2) for each pass rate."""
    return [
        (f"{family} {percent}%", 2000 - 20 * float(percent))
        for percent in (SWEEP if IS_SWEEP else usual)
    ]


CASES = cases_of("map-filter-map", ("50", "10", "1", "90"))
SUM_CASES = cases_of("filter-sum", ("50",))
THREADS = len(os.sched_getaffinity(0))


def rows_of(count):
    """Returns x in [0, 1000) from the row number, as the bench does; in slices, to save memory."""
    rows = numpy.empty(count, numpy.float32)
    for first in range(0, count, 1 << 24):
        number = numpy.arange(first, min(count, first + (1 << 24)), dtype=numpy.uint64)
        number *= numpy.uint64(0x9E3779B97F4A7C15)
        number = (number ^ number >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ number >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
        number ^= number >> numpy.uint64(31)
        rows[first : first + number.size] = (number >> numpy.uint64(40)).astype(
            numpy.float32
        ) * numpy.float32(1000.0 / 16777216.0)
    return rows


def report(case, name, work, repeats):
    times = []
    for run in range(repeats + 1):
        begun = time.perf_counter()
        work()
        if run > 0:
            times.append(time.perf_counter() - begun)
    print(f"{case};{name};{sorted(times)[len(times) // 2]:.9f}", flush=True)


def by_duckdb(duckdb, rows, repeats):
    connection = duckdb.connect(config={"threads": THREADS})
    connection.register("given", importlib.import_module("pyarrow").table({"x": rows}))
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    name = f"DuckDB {duckdb.__version__}, {THREADS} threads"
    for case, above in CASES:
        statement = (
            f"SELECT x * 2::FLOAT + 100::FLOAT AS x FROM rows WHERE x * 2::FLOAT > {above}::FLOAT"
        )
        report(case, name, lambda: connection.execute(statement).to_arrow_table(), repeats)
    for case, above in SUM_CASES:
        statement = (
            f"SELECT sum((x * 2::FLOAT)::DOUBLE) FROM rows WHERE x * 2::FLOAT > {above}::FLOAT"
        )
        report(case, name, lambda: connection.execute(statement).fetchall(), repeats)


def by_numexpr(numexpr, rows, repeats):
    numexpr.set_num_threads(THREADS)
    name = f"numexpr {numexpr.__version__}, {THREADS} threads"
    two, hundred = numpy.float32(2), numpy.float32(100)
    for case, above in CASES:
        limit = numpy.float32(above)

        def work():
            kept = rows[
                numexpr.evaluate("x * two > limit", {"x": rows, "two": two, "limit": limit})
            ]
            return numexpr.evaluate(
                "x * two + hundred", {"x": kept, "two": two, "hundred": hundred}
            )

        report(case, name, work, repeats)
    for case, above in SUM_CASES:
        names = {"x": rows, "two": two, "limit": numpy.float32(above)}
        report(
            case,
            name,
            lambda: numexpr.evaluate("sum(where(x * two > limit, x * two, 0))", names),
            repeats,
        )


def by_arrow(arrow, rows, repeats):
    compute = importlib.import_module("pyarrow.compute")
    name = f"pyarrow.compute {arrow.__version__}"
    column, two, hundred = (
        arrow.array(rows),
        arrow.scalar(2, arrow.float32()),
        arrow.scalar(100, arrow.float32()),
    )

    def kept(above):
        doubled = compute.multiply(column, two)
        return doubled.filter(compute.greater(doubled, arrow.scalar(above, arrow.float32())))

    for case, above in CASES:
        report(case, name, lambda: compute.add(kept(above), hundred), repeats)
    for case, above in SUM_CASES:
        report(case, name, lambda: compute.sum(kept(above)), repeats)


def main():
    rows, repeats = rows_of(int(sys.argv[1])), int(sys.argv[2])
    for module, measure in (("duckdb", by_duckdb), ("numexpr", by_numexpr), ("pyarrow", by_arrow)):
        try:
            measure(importlib.import_module(module), rows, repeats)
        except ModuleNotFoundError as missing:
            print(f"{module} is left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
