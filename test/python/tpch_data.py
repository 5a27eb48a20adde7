"""TPC-H as tpchgen-cli writes it, and the five queries of it that tests of shared rows ask."""

import pathlib
import subprocess
import sys

QUERIES = {
    1: """SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,
            sum(l_extendedprice) AS sum_base_price,
            sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
            sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
            avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price,
            avg(l_discount) AS avg_disc, count(*) AS count_order
          FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
          GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    3: """SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate,
            o_shippriority
          FROM customer, orders, lineitem
          WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
            AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
          GROUP BY l_orderkey, o_orderdate, o_shippriority
          ORDER BY revenue DESC, o_orderdate LIMIT 10""",
    5: """SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
          FROM customer, orders, lineitem, supplier, nation, region
          WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
            AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
            AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01'
            AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
          GROUP BY n_name ORDER BY revenue DESC""",
    6: """SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
          WHERE l_shipdate >= DATE '1994-01-01'
            AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
            AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24""",
    12: """SELECT l_shipmode,
             sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
             sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 0 ELSE 1 END) AS low
           FROM orders, lineitem
           WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')
             AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
             AND l_receiptdate >= DATE '1994-01-01'
             AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
           GROUP BY l_shipmode ORDER BY l_shipmode""",
}
TABLES = ("customer", "lineitem", "nation", "orders", "region", "supplier")


def generator():
    """Returns the path of tpchgen-cli beside this Python, or None."""
    program = pathlib.Path(sys.executable).with_name("tpchgen-cli")
    return program if program.exists() else None


def write(folder, scale):
    """Writes the tables as Parquet files of several row groups and returns their paths by name."""
    command = [generator(), "parquet", "-s", str(scale), f"--output-dir={folder}"]
    subprocess.run([*command, f"--tables={','.join(TABLES)}"], check=True, capture_output=True)
    return {name: f"{folder}/{name}.parquet" for name in TABLES}
