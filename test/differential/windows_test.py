"""Windows over more rows than the host orders, which devices order and add up, against DuckDB: extremes, NULLs, sums beyond 64 bits.

    windows_test.py QUERY_DRIVER PENSTOCK [--device ID]

Each statement computes over all rows and shows some thousands, drawn by a number that has nothing to do with their order.
"""

import sys
import tempfile

import tables
from driver import Tally, drivers, test_options
from oracle import Oracle
from tables_test import Check, run

ROWS = (1 << 18) + 4321  # see min_device_sort_rows in src/table/sort/sort_rows.hpp
SHOWN = f"ORDER BY id * 7919 % {ROWS} LIMIT 4000"
RANKS = "row_number() OVER (w ORDER BY k, id), rank() OVER (w ORDER BY k), dense_rank() OVER (w ORDER BY k), count(*) OVER (w ORDER BY k)"
FRAMES = [
    "",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
]


def check_of(items, partition, key, frame=""):
    """`items` over w, a partition, where `k` is the key; by rows the order is made total."""
    window = f"PARTITION BY {partition}" if partition else ""
    order = f"{key}, id" if frame.startswith("ROWS UN") else key
    spelled = items.replace("(w ORDER BY k)", f"(w ORDER BY {order} {frame})").replace(
        "w ORDER BY k,", f"w ORDER BY {key},"
    )
    return Check(f"SELECT id, {spelled} FROM $ WINDOW w AS ({window}) {SHOWN}")


def each(functions, columns):
    return ", ".join(
        f"{function}({column}) OVER (w ORDER BY k)" for column in columns for function in functions
    )


# No averages by rows: of sums beyond 64 bits some differ in the last digit, where DuckDB's is not always the nearest either.
WILD = [
    check_of(RANKS, "i8n, b", "i64n DESC NULLS FIRST"),
    check_of(RANKS, "", "i8n"),
    *[
        check_of(each(["sum", "count"], ["i64n", "u64", "d18_0n"]), "i8", "b", frame)
        for frame in FRAMES
    ],
    check_of(each(["avg"], ["i64n", "u64", "d18_0n"]), "i8", "b"),
    *[
        check_of(each(["sum", "count"], ["i64", "i8n", "u64n"]), "", "i64n", frame)
        for frame in FRAMES
    ],
    check_of(
        each(["avg", "sum"], ["i8", "d18_0"])
        + ", max(u64n) OVER (w ORDER BY k), lag(i8, 2) OVER (w ORDER BY k, id)",
        "u64n",
        "bn",
    ),
]
# Statements over floats with sums that are exact in any order.
TAME = [
    *[
        check_of(each(["sum", "avg"], ["f64n", "f32", "f32n"]), "sn", "i16n", frame)
        for frame in FRAMES
    ],
    *[check_of(each(["sum", "avg"], ["f64", "i16n"]), "", "s", frame) for frame in FRAMES],
    check_of(
        "count(sn) OVER (w ORDER BY k), sum(f64) FILTER (WHERE i16n > 0) OVER (w ORDER BY k)",
        "i16",
        "f32n DESC",
    ),
    Check(f"SELECT id, sum(f64n) OVER (), count(sn) OVER (), avg(i16) OVER () FROM $ {SHOWN}"),
]


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-windows-") as folder:
        oracle = Oracle(folder)
        for name, tame, kinds in (
            ("wild", False, ["i8", "i64", "u64", "d18_0", "b"]),
            ("tame", True, ["i16", "f32", "f64", "s"]),
        ):
            tables.write_parquet(
                tables.make(name, ROWS, tame, kinds=kinds), f"{folder}/{name}.parquet"
            )
            oracle.load(f"{name}.parquet")
        for driver in drivers(options, folder, tally):
            run(tally, [driver], oracle, WILD, "wild.parquet")
            run(tally, [driver], oracle, TAME, "tame.parquet")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
