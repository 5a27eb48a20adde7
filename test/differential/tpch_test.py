"""TPC-H: Q1, Q6 and more statements of lineitem, and joins, Q3, Q4, Q12 and Q14 among them, against DuckDB.

They run on every device found, and on one that stands for four.

    tpch_test.py QUERY_DRIVER PENSTOCK [--scale 0.01] [--device ID] [--tables FOLDER]

Every sum here is of decimals or integers and so exact; averages are of exact sums. All answers must be equal to the last digit.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from driver import Tally, check_answers, devices, drivers, test_options
from oracle import Oracle

HUGE = [("BIGINT", "HUGEINT")]  # a sum inside a larger expression: docs/sql.md, "Where it differs"

Q1 = """SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
    sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
    avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
    FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
    GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus"""
Q6 = """SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
    WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
    AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24"""

Q3 = """SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
    FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
    AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
    GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10"""
Q4 = """SELECT o_orderpriority, count(*) AS order_count FROM orders
    WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
    AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
    GROUP BY o_orderpriority ORDER BY o_orderpriority"""
Q12 = """SELECT l_shipmode,
    sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
    sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
    FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
    AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
    GROUP BY l_shipmode ORDER BY l_shipmode"""
Q14 = """SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) /
    sum(l_extendedprice * (1 - l_discount)) AS promo_revenue FROM lineitem, part
    WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH"""

JOINS = [
    Q3,
    Q4,
    Q12,
    Q14,
    # keys that stand several times on either side; what no row of the other side has
    "SELECT count(*), sum(o_totalprice), min(c_acctbal) FROM customer JOIN orders ON c_custkey = o_custkey WHERE c_nationkey < 5",
    "SELECT c_custkey, c_name, o_orderkey FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND o_orderstatus = 'P' "
    "ORDER BY 1, 3 LIMIT 500",
    "SELECT c_nationkey, count(*), count(o_orderkey), sum(o_totalprice) FROM customer LEFT JOIN orders ON c_custkey = o_custkey "
    "AND c_acctbal > 0 AND o_totalprice > 200000 GROUP BY c_nationkey ORDER BY c_nationkey",
    "SELECT c_mktsegment, count(*) FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE o_custkey = c_custkey) "
    "GROUP BY c_mktsegment ORDER BY 1",
    "SELECT count(*) FROM customer WHERE c_custkey NOT IN (SELECT o_custkey FROM orders WHERE o_totalprice > 100000)",
    "SELECT o_orderkey, o_totalprice FROM orders WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey "
    "HAVING sum(l_quantity) > 250) ORDER BY o_totalprice DESC, o_orderkey",
    # by strings, by expressions, by two keys
    "SELECT a.c_mktsegment, count(*) FROM customer a, customer b WHERE a.c_mktsegment = b.c_mktsegment AND b.c_custkey < 40 "
    "AND a.c_custkey < 300 GROUP BY a.c_mktsegment ORDER BY 1",
    "SELECT year(o_orderdate) AS y, count(*) FROM orders, lineitem WHERE l_orderkey = o_orderkey AND l_shipdate = o_orderdate + 30 "
    "GROUP BY y ORDER BY y",
    "SELECT p_brand, sum(l_quantity) AS q, count(*) FROM part JOIN lineitem ON l_partkey = p_partkey WHERE p_size < 10 "
    "AND p_container LIKE 'SM%' GROUP BY p_brand HAVING count(*) > 5 ORDER BY q DESC, p_brand LIMIT 15",
    "SELECT l_shipmode, p_name, c_name FROM lineitem, part, orders, customer WHERE l_partkey = p_partkey AND l_orderkey = o_orderkey "
    "AND o_custkey = c_custkey AND l_quantity = 50 AND p_size = 7 ORDER BY 1, 2, 3",
    "SELECT sum(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part WHERE (p_partkey = l_partkey AND p_size < 15 "
    "AND l_quantity < 11) OR (p_partkey = l_partkey AND p_size > 40 AND l_quantity > 40)",
]

STATEMENTS = JOINS + [
    Q1,
    Q6,
    # aggregates over everything, and over nothing
    "SELECT count(*) FROM lineitem",
    "SELECT count(*), count(l_comment), min(l_orderkey), max(l_orderkey), sum(l_orderkey), avg(l_orderkey) FROM lineitem",
    "SELECT min(l_shipdate), max(l_shipdate), min(l_commitdate), max(l_receiptdate) FROM lineitem",
    "SELECT min(l_extendedprice), max(l_extendedprice), sum(l_extendedprice), avg(l_extendedprice) FROM lineitem",
    "SELECT sum(l_quantity), avg(l_tax), min(l_discount), count(*) FROM lineitem WHERE l_quantity > 1000",
    "SELECT count(*) FROM lineitem WHERE l_quantity > 1000",
    "SELECT sum(l_linenumber), avg(l_linenumber), min(l_linenumber), max(l_linenumber) FROM lineitem WHERE l_shipmode = 'AIR'",
    "SELECT 100.0 * sum(CASE WHEN l_shipmode = 'AIR' THEN 1 ELSE 0 END) / count(*) FROM lineitem",
    "SELECT sum(CASE WHEN l_shipinstruct = 'NONE' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) FROM lineitem",
    "SELECT count(*) FILTER (WHERE l_shipmode = 'RAIL'), sum(l_quantity) FILTER (WHERE l_tax = 0.02) FROM lineitem",
    "SELECT sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), sum(l_extendedprice * l_tax * l_discount) FROM lineitem",
    "SELECT max(l_extendedprice * (1 - l_discount)), min(l_extendedprice / l_quantity) FROM lineitem",
    "SELECT min(l_receiptdate - l_shipdate), max(l_receiptdate - l_commitdate), sum(l_commitdate - l_shipdate) FROM lineitem",
    # group-by on one to three keys: strings, numbers, dates' parts, conditions
    "SELECT l_shipmode, count(*) FROM lineitem GROUP BY l_shipmode ORDER BY l_shipmode",
    "SELECT l_shipmode, count(*) AS lines, sum(l_quantity) AS quantity, max(l_extendedprice) AS dearest FROM lineitem "
    "GROUP BY l_shipmode ORDER BY lines DESC, 1",
    "SELECT l_shipinstruct, l_shipmode, avg(l_discount), min(l_shipdate) FROM lineitem GROUP BY l_shipinstruct, l_shipmode ORDER BY 1, 2",
    "SELECT l_returnflag, l_linestatus, l_shipmode, count(*), sum(l_extendedprice) FROM lineitem GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    "SELECT l_linenumber, count(*), sum(l_extendedprice) FROM lineitem GROUP BY l_linenumber ORDER BY l_linenumber",
    "SELECT l_discount, count(*), avg(l_quantity) FROM lineitem GROUP BY l_discount ORDER BY l_discount",
    "SELECT l_quantity, l_tax, count(*) FROM lineitem GROUP BY l_quantity, l_tax ORDER BY l_quantity DESC, l_tax",
    "SELECT year(l_shipdate) AS y, count(*), sum(l_extendedprice) FROM lineitem GROUP BY y ORDER BY y",
    "SELECT EXTRACT(year FROM l_shipdate) AS y, EXTRACT(month FROM l_shipdate) AS m, sum(l_quantity) FROM lineitem GROUP BY y, "
    "m ORDER BY y, m",
    "SELECT l_receiptdate > l_commitdate AS late, count(*), avg(l_extendedprice) FROM lineitem GROUP BY late ORDER BY late",
    "SELECT l_returnflag, sum(l_quantity) AS q FROM lineitem GROUP BY l_returnflag HAVING sum(l_quantity) > 400000 ORDER BY q DESC",
    "SELECT l_linenumber % 2 AS odd, l_returnflag = 'R', max(l_shipdate) FROM lineitem GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT DISTINCT l_shipmode FROM lineitem ORDER BY l_shipmode",
    "SELECT DISTINCT l_returnflag, l_linestatus FROM lineitem ORDER BY 1 DESC, 2",
    "SELECT quarter(l_shipdate) AS q, l_shipmode, count(*) FROM lineitem WHERE l_shipdate < DATE '1995-06-17' GROUP BY q, "
    "l_shipmode ORDER BY q, l_shipmode LIMIT 7 OFFSET 3",
    "SELECT l_shipdate, count(*) AS n FROM lineitem WHERE l_shipdate BETWEEN DATE '1994-02-01' AND DATE '1994-03-31' "
    "GROUP BY l_shipdate ORDER BY n DESC, l_shipdate LIMIT 10",
    "SELECT l_shipmode, count(*) FROM lineitem WHERE l_quantity < 0 GROUP BY l_shipmode",
    # plain rows
    "SELECT * FROM lineitem LIMIT 5",
    "SELECT * FROM lineitem WHERE l_orderkey = 7",
    "SELECT l_orderkey, l_shipdate, l_shipmode, l_extendedprice * (1 - l_discount) AS price FROM lineitem "
    "WHERE l_quantity = 50 AND l_shipmode = 'AIR' LIMIT 5",
    "SELECT l_comment, l_orderkey FROM lineitem WHERE l_shipmode = 'TRUCK' AND l_tax = 0.08 AND l_discount = 0.10",
    "SELECT l_comment FROM lineitem WHERE l_orderkey % 1000 = 1",
    "SELECT l_orderkey, l_linenumber FROM lineitem WHERE l_extendedprice > 100000 ORDER BY l_extendedprice DESC, l_orderkey, "
    "l_linenumber LIMIT 20",
    "SELECT l_orderkey FROM lineitem OFFSET 60000",
    "SELECT l_orderkey, l_linenumber FROM lineitem LIMIT 10 OFFSET 4093",
    "SELECT l_orderkey FROM lineitem LIMIT 0",
    "SELECT l_shipmode, l_quantity FROM lineitem WHERE false",
    "SELECT l_orderkey FROM lineitem WHERE true AND l_linenumber = 7 AND l_shipinstruct = 'DELIVER IN PERSON'",
    "SELECT l_shipdate, l_shipdate + 30, l_shipdate - 1, l_receiptdate - l_shipdate FROM lineitem WHERE l_orderkey < 50",
    "SELECT l_orderkey, year(l_shipdate), month(l_shipdate), day(l_shipdate), dayofweek(l_shipdate), dayofyear(l_shipdate) "
    "FROM lineitem WHERE l_orderkey < 100",
    "SELECT CAST(l_extendedprice AS INTEGER), CAST(l_extendedprice AS DOUBLE), CAST(l_quantity AS BIGINT), "
    "CAST(l_discount AS DECIMAL(3,1)) FROM lineitem WHERE l_orderkey < 200",
    "SELECT CASE WHEN l_quantity < 10 THEN 1 WHEN l_quantity < 20 THEN 2 ELSE 3 END AS size, "
    "CASE l_linenumber WHEN 1 THEN l_tax END FROM lineitem WHERE l_orderkey < 300",
    "SELECT l_orderkey & 255, l_orderkey | 1, l_orderkey >> 3, ~l_linenumber, xor(l_orderkey, l_partkey), l_orderkey << 2 "
    "FROM lineitem WHERE l_suppkey = 5",
    "SELECT l_extendedprice / l_quantity, l_orderkey // 7, l_orderkey % 7, -l_tax, abs(l_discount - l_tax) FROM lineitem "
    "WHERE l_suppkey = 6",
    "SELECT greatest(l_shipdate, l_commitdate, l_receiptdate), least(l_discount, l_tax), coalesce(nullif(l_linenumber, 1), "
    "99) FROM lineitem WHERE l_suppkey = 7",
    "SELECT round(l_extendedprice), floor(l_extendedprice), ceil(l_extendedprice), round(l_extendedprice, 1), "
    "sqrt(l_extendedprice) FROM lineitem WHERE l_suppkey = 8",
    # strings: present, absent, empty
    "SELECT count(*) FROM lineitem WHERE l_shipmode = 'absent'",
    "SELECT count(*) FROM lineitem WHERE l_shipmode = ''",
    "SELECT count(*) FROM lineitem WHERE l_shipmode <> 'AIR' AND l_shipinstruct <> ''",
    "SELECT count(*) FROM lineitem WHERE l_shipmode IN ('AIR', 'REG AIR', 'absent', '')",
    "SELECT count(*) FROM lineitem WHERE l_shipmode NOT IN ('AIR', 'MAIL')",
    "SELECT count(*) FROM lineitem WHERE 'RAIL' = l_shipmode OR l_returnflag = 'A'",
    "SELECT count(*) FROM lineitem WHERE l_comment = 'absent' OR l_comment = ''",
    "SELECT l_shipmode = 'AIR' AS air, l_returnflag <> 'N' AS back FROM lineitem LIMIT 300",
    "SELECT count(*) FROM lineitem WHERE l_returnflag = l_linestatus",
    # conditions
    "SELECT count(*) FROM lineitem WHERE l_shipdate < '1994-01-01' OR NOT (l_commitdate >= DATE '1993-06-01' AND l_discount <> 0.05)",
    "SELECT count(*), sum(l_orderkey) FROM lineitem WHERE l_commitdate < l_receiptdate AND l_shipdate < l_commitdate "
    "AND l_shipmode IN ('MAIL', 'SHIP')",
    "SELECT sum(l_quantity) FROM lineitem WHERE (l_quantity BETWEEN 1 AND 11 AND l_shipmode IN ('AIR', "
    "'REG AIR')) OR (l_quantity BETWEEN 20 AND 30 AND l_tax > 0.04)",
    "SELECT count(*) FROM lineitem WHERE l_shipdate = DATE '1995-09-01' OR l_discount IN (0.01, 0.09)",
    "SELECT count(*) FROM lineitem WHERE l_extendedprice * (1 - l_discount) > 50000 AND l_extendedprice / l_quantity < 1500.5",
    "SELECT count(*) FROM lineitem WHERE l_comment IS NULL OR l_orderkey IS NULL",
    "SELECT sum(l_quantity) + 1 AS s, sum(l_linenumber) * 2 AS d FROM lineitem",
]


TABLES = ("lineitem", "orders", "customer", "part")


def make_tables(scale, folder):
    program = pathlib.Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run(
        [program, "parquet", "-s", scale, "--tables=" + ",".join(TABLES), f"--output-dir={folder}"],
        check=True,
        capture_output=True,
    )


def over_files(statement):
    """Its tables' names as files, each called as the table."""
    return re.sub(
        r"\b(FROM|JOIN)((?:\s+(?:%s)\b(?:\s+[ab]\b)?,?)+)" % "|".join(TABLES),
        lambda found: (
            found[1]
            + re.sub(
                r"(%s)\b(\s+[ab]\b)?" % "|".join(TABLES),
                lambda table: f"'{table[1]}.parquet'{table[2] or ''}",
                found[2],
            )
        ),
        statement,
    )


def main():
    options, tally = test_options(scale="0.01", tables=""), Tally()
    if not options.device:
        found = devices(options.penstock)
        options.device = [*found, ",".join([found[-1]] * 4)]
    with tempfile.TemporaryDirectory(prefix="penstock-tpch-") as folder:
        if options.tables:
            for table in TABLES:
                os.symlink(
                    os.path.abspath(f"{options.tables}/{table}.parquet"),
                    f"{folder}/{table}.parquet",
                )
        else:
            make_tables(options.scale, folder)
        oracle = Oracle(folder)
        cases = [(text, oracle.answer(text)) for text in map(over_files, STATEMENTS)]
        for driver in drivers(options, folder, tally):
            # Every third statement in chunks that are no multiple of a tile.
            check_answers(
                driver, tally, cases, lambda place: 0 if place % 3 else 4160, allowed_types=HUGE
            )
            driver.set(rows="device")
            check_answers(
                driver,
                tally,
                cases[: len(JOINS)],
                lambda place: 4160 if place % 3 else 0,
                label="tables of joins on the device",
                allowed_types=HUGE,
            )
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
