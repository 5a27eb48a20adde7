"""The comparison of bench/peers/suites.py: what it must tell apart.

suite_answers_test.py QUERY_DRIVER PENSTOCK
"""

import pathlib
import sys

import duckdb
from driver import Tally

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/peers"))
import suite_answers

ROWS = "(VALUES (1, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (3, 'e')) t(k, s)"
CASES = [
    # statement, our rows, what is to be said
    (f"SELECT k, s FROM {ROWS} ORDER BY k, s LIMIT 2", ["1,a", "1,b"], "equal"),
    (f"SELECT k FROM {ROWS} ORDER BY k DESC LIMIT 3", ["3", "3", "2"], "equal"),
    (f"SELECT k, s FROM {ROWS} ORDER BY k LIMIT 1", ["1,b"], "ties"),
    (f"SELECT s FROM {ROWS} ORDER BY k LIMIT 4", ["b", "a", "c", "e"], "ties"),
    (f"SELECT k, count(*) AS n FROM {ROWS} GROUP BY k ORDER BY n DESC LIMIT 1", ["3,2"], "ties"),
    (
        f"SELECT k, count(*) AS n FROM {ROWS} GROUP BY k ORDER BY 2 DESC LIMIT 1",
        ["2,1"],
        "DIFFERENT",
    ),
    (f"SELECT k, s FROM {ROWS} ORDER BY k LIMIT 1", ["2,c"], "DIFFERENT"),
    (f"SELECT k, s FROM {ROWS} ORDER BY k LIMIT 2 OFFSET 3", ["3,e", "3,e"], "DIFFERENT"),
    (f"SELECT k, s FROM {ROWS} ORDER BY k DESC", ["1,a", "1,b", "2,c", "3,d", "3,e"], "DIFFERENT"),
    (f"SELECT s FROM {ROWS} LIMIT 2", ["e", "a"], "ties"),
    (f"SELECT s FROM {ROWS} LIMIT 2", ["e"], "DIFFERENT"),
    ("SELECT 1000000000000::BIGINT AS x", ["1000000000001"], "DIFFERENT"),
    ("SELECT 1e12::DOUBLE AS x", ["1000000000000.1"], "equal"),
    ("SELECT NULL::INTEGER AS x", [""], "equal"),
]


def main():
    tally = Tally()
    connection = duckdb.connect()
    for statement, rows, expected in CASES:
        names = connection.sql(statement).columns
        types = [str(kind) for kind in connection.sql(statement).types]
        lines = [line + "\n" for line in [",".join(names), *rows]]
        described = ["column_name,column_type\n"]
        described += [f'{name},"{kind}"\n' for name, kind in zip(names, types)]
        said = suite_answers.compared(lines, described, connection, statement)
        tally.check(statement, None if said == expected else f"{said}, not {expected}: {rows}")
    other = ["column_name,column_type\n", "x,INTEGER\n"]
    said = suite_answers.compared(["x\n", "1\n"], other, connection, "SELECT 1::BIGINT AS x")
    tally.check("another type", None if said == "types" else said)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
