"""Eight statements of TPC-H: Penstock beside DuckDB, over Parquet files of tpchgen-cli.

    python3 bench/peers/tpch.py [--scale N | --data FOLDER] [--device ID] [--runs N] [--only Q1,Q6]
        [--penstock PATH]

Of each statement: DuckDB in a process that runs, with a thread a core; a `penstock query` process
each; statements of one `penstock shell` that keeps nothing of the files (--cache-limit 0), and of one
that keeps pages and columns on the device. The page cache and the cache of kernels are warm. Answers
are compared first. Prints the least of the runs in milliseconds, and how many times sooner than
DuckDB the last two are.
"""

import argparse
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
YEAR = "DATE '1994-01-01' + INTERVAL '1' YEAR"
STATEMENTS = {
    "Q1": """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
        sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
        avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) FROM 'lineitem.parquet'
        WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY GROUP BY 1, 2 ORDER BY 1, 2""",
    "Q3": """SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate,
        o_shippriority FROM 'customer.parquet', 'orders.parquet', 'lineitem.parquet'
        WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
        AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10""",
    "Q4": """SELECT o_orderpriority, count(*) FROM 'orders.parquet'
        WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-10-01' AND EXISTS
        (SELECT * FROM 'lineitem.parquet' WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
        GROUP BY o_orderpriority ORDER BY o_orderpriority""",
    "Q6": f"""SELECT sum(l_extendedprice * l_discount) FROM 'lineitem.parquet'
        WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < {YEAR}
        AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24""",
    "Q12": f"""SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' OR
        o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END), sum(CASE WHEN o_orderpriority <> '1-URGENT' AND
        o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) FROM 'orders.parquet', 'lineitem.parquet'
        WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND
        l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND
        l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < {YEAR}
        GROUP BY l_shipmode ORDER BY l_shipmode""",
    "Q14": """SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN
        l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount))
        FROM 'lineitem.parquet', 'part.parquet' WHERE l_partkey = p_partkey
        AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'""",
    "group by": """SELECT l_suppkey, sum(l_extendedprice) AS price, count(*) FROM 'lineitem.parquet'
        GROUP BY l_suppkey ORDER BY price DESC, l_suppkey LIMIT 10""",
    "LIKE": "SELECT count(*) FROM 'lineitem.parquet' WHERE l_comment LIKE '%special%requests%'",
}


def milliseconds(call):
    begin = time.perf_counter()
    result = call()
    return (time.perf_counter() - begin) * 1e3, result


def is_equal(ours, theirs):
    """Of a CSV field and a value of DuckDB. Averages are compared as far as text has digits."""
    if isinstance(theirs, float):
        return abs(float(ours) - theirs) <= 1e-12 * abs(theirs)
    return ours == str(theirs)


def check(name, text, theirs):
    rows = list(csv.reader(io.StringIO(text)))[1:]
    same = len(rows) == len(theirs) and all(
        is_equal(a, b) for ours, row in zip(rows, theirs) for a, b in zip(ours, row)
    )
    if not same:
        sys.exit(f"{name}: the answers differ: {rows[:3]} and {theirs[:3]}")


class Penstock:
    def __init__(self, program, device):
        self.program, self.device = program, ["--device", device] if device else []

    def process(self, statement):
        command = [
            self.program,
            "query",
            statement,
            "--format",
            "csv",
            "--no-progress",
            *self.device,
        ]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(ended.stderr)
        return ended.stdout

    def shell(self, statement, runs, options=()):
        """The times that the shell prints, without the first, which opens the device."""
        text = "\\timing\n" + (" ".join(statement.split()) + ";\n") * (runs + 1)
        ended = subprocess.run(
            [self.program, "shell", "--format", "csv", *self.device, *options],
            input=text,
            capture_output=True,
            text=True,
        )
        if ended.returncode != 0:
            sys.exit(ended.stderr)
        units = {"us": 1e-3, "ms": 1, "s": 1e3}
        found = re.findall(r"^time: ([\d.]+) (us|ms|s)$", ended.stdout + ended.stderr, re.MULTILINE)
        return [float(number) * units[unit] for number, unit in found][1:]


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--scale", type=float, default=1)
    arguments.add_argument("--data")
    arguments.add_argument("--device", default="")
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--only", help="names of statements, with commas between")
    arguments.add_argument("--penstock", default=str(ROOT / "build/penstock"))
    options = arguments.parse_args()
    folder = options.data
    if not folder:
        folder = os.path.join(tempfile.gettempdir(), f"penstock-tpch-{options.scale:g}")
        if not os.path.exists(os.path.join(folder, "lineitem.parquet")):
            generator = ROOT / ".venv/bin/tpchgen-cli"
            subprocess.run(
                [generator, "parquet", "-s", f"{options.scale:g}", "--output-dir", folder],
                check=True,
            )
    penstock = Penstock(os.path.abspath(options.penstock), options.device)
    os.chdir(folder)
    duck = duckdb.connect()
    print("ms           DuckDB   process   shell         resident")
    for name, statement in STATEMENTS.items():
        if options.only and name not in options.only.split(","):
            continue
        answer = duck.sql(statement).fetchall()
        check(name, penstock.process(statement), answer)
        theirs = min(milliseconds(duck.sql(statement).fetchall)[0] for _ in range(options.runs))
        process = min(
            milliseconds(lambda: penstock.process(statement))[0] for _ in range(options.runs)
        )
        shell = min(penstock.shell(statement, options.runs, ["--cache-limit", "0"]))
        resident = min(penstock.shell(statement, options.runs))
        print(
            f"{name:10} {theirs:8.1f}  {process:8.1f}  {shell:6.1f} {theirs / shell:5.1f}x"
            f"  {resident:6.1f} {theirs / resident:5.1f}x",
            flush=True,
        )


if __name__ == "__main__":
    main()
