"""Joins, subqueries and recursions that both planners answer, against DuckDB's answers.

    planners_test.py QUERY_DRIVER PENSTOCK [--device ID] [--planner own]

The tables are those of nested_test.py. A statement that is refused is a failure.
"""

import re
import sys
import tempfile

import nested_test
from driver import Tally, drivers, test_options

TABLE = re.compile(r"(?<![\w.])(t[0-4])\b(?!\.)")
RECURSIONS = [
    # Counts up, and ends where a condition does not hold.
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20) SELECT x, x * x AS y FROM n",
    # Repeated rows of base and steps are dropped, or kept.
    "WITH RECURSIVE n AS (SELECT a % 3 AS x FROM t0 UNION SELECT (x + 1) % 5 FROM n) SELECT * FROM n",
    "WITH RECURSIVE n(x) AS (SELECT a FROM t2 UNION ALL SELECT x // 2 FROM n WHERE x > 1) SELECT x, count(*) FROM n GROUP BY x",
    # A graph with cycles and NULLs, by a join with a table.
    "WITH RECURSIVE r(x) AS (SELECT a FROM t2 UNION SELECT (t1.b % 40)::INTEGER FROM r JOIN t1 ON r.x = t1.a) SELECT * FROM r",
    # Rows that do not change, with a subquery of their own and an aggregate.
    "WITH RECURSIVE r(x, d) AS (SELECT a, 0 FROM t2 UNION SELECT s.m, d + 1 FROM r JOIN "
    "(SELECT a, max(b % 40)::INTEGER AS m FROM t1 GROUP BY a) s ON r.x = s.a WHERE d < 4) SELECT x, d FROM r",
    # The types are those of the base.
    "WITH RECURSIVE r(x, y) AS (SELECT 1::BIGINT, 'a' UNION ALL SELECT (x + 1)::INTEGER, y || 'b' FROM r WHERE x < 6) SELECT * FROM r",
    # Read twice, by a name of WITH behind it, and in a subquery.
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5), m AS (SELECT x + 10 AS y FROM n) "
    "SELECT n.x, m.y FROM n JOIN m ON n.x + 10 = m.y",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT a FROM t0 WHERE a IN (SELECT x FROM n)",
    # A recursion within a recursion's base.
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4), "
    "m(y) AS (SELECT x FROM n UNION SELECT y * 2 FROM m WHERE y < 20) SELECT y FROM m",
    # It need not recur.
    "WITH RECURSIVE n(x) AS (SELECT a FROM t2 UNION SELECT a FROM t4) SELECT * FROM n",
    "WITH RECURSIVE n AS (SELECT a, b FROM t2) SELECT a FROM n",
    # No rows to begin with.
    "WITH RECURSIVE n(x) AS (SELECT a FROM t3 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT count(*) FROM n",
]
JOINS = [
    "SELECT x.a, y.c FROM t0 x RIGHT JOIN t2 y ON x.a = y.a",
    "SELECT x.a, y.c FROM t0 x RIGHT JOIN t2 y ON x.a = y.a AND x.b > 0 WHERE y.a > 1",
    "SELECT x.a, y.a, x.b + 1 AS z FROM t0 x FULL JOIN t2 y ON x.a = y.a",
    "SELECT x.a, y.a FROM t0 x FULL JOIN t2 y ON x.a = y.a AND x.b < y.b",
    "SELECT count(*), count(x.a), count(y.a) FROM t0 x FULL JOIN t1 y ON x.a < y.a",
    "SELECT x.a, y.a, z.a FROM t2 x JOIN t0 y ON x.a = y.a RIGHT JOIN t4 z ON y.b = z.b",
    "SELECT x.a, y.a, z.a FROM t2 x LEFT JOIN (t0 y JOIN t4 z ON y.a = z.a) ON x.a = y.a",
    "SELECT x.a, y.a, z.a FROM t2 x FULL JOIN (t0 y LEFT JOIN t1 z ON y.a = z.a AND z.b > 3) ON x.a = z.a, t4 w",
    "SELECT x.a, w.a FROM t1 w, t2 x RIGHT JOIN t0 y ON x.a = y.a WHERE w.b = y.b",
    "SELECT count(*) FROM t3 x FULL JOIN t0 y ON x.a = y.a",
    "SELECT x.a, y.a FROM t2 x, t2 y",
    "SELECT x.a, y.a FROM t2 x CROSS JOIN t0 y WHERE x.a + y.a = 7",
    "SELECT x.a, y.a FROM t2 x JOIN t0 y ON x.a < y.a AND x.b <> y.b",
    "SELECT x.a, y.a, z.a FROM t2 x JOIN t0 y ON x.a >= y.a JOIN t1 z ON z.a = y.a WHERE x.b > z.b",
    "SELECT x.a, y.a FROM t2 x LEFT JOIN t0 y ON x.a < y.a",
    "SELECT x.a, y.a FROM t2 x LEFT JOIN t0 y ON x.a = y.a AND x.b < y.b AND y.d > 0",
    "SELECT x.a, y.a FROM t2 x LEFT JOIN t0 y ON x.a > 3 AND y.a > 3",
    "SELECT x.a, y.a FROM t2 x LEFT JOIN t0 y ON true",
    "SELECT x.a, x.b, y.b FROM t2 x LEFT JOIN t0 y USING (a) WHERE y.b IS NULL",
    "SELECT * FROM (SELECT a, b FROM t2) x NATURAL JOIN (SELECT a, c FROM t0) y",
    "SELECT * FROM (SELECT a, b FROM t2) x NATURAL LEFT JOIN (SELECT b, a, c FROM t0) y",
]
SUBQUERIES = [
    "SELECT a, (SELECT max(b) FROM t1 y WHERE y.a = x.a) AS m FROM t0 x",
    "SELECT a, (SELECT count(*) FROM t1 y WHERE y.a = x.a) AS m FROM t0 x",
    "SELECT a, (SELECT coalesce(sum(b), -1) + count(c) FROM t1 y WHERE y.a = x.a AND y.g) AS m FROM t0 x",
    "SELECT a FROM t0 x WHERE b > (SELECT avg(b) FROM t1 y WHERE y.a = x.a)",
    "SELECT a FROM t0 x WHERE 2 < (SELECT count(*) FROM t1 y WHERE y.a = x.a AND y.b = x.b) OR a = 1",
    "SELECT x.a, z.b FROM t0 x JOIN t2 z ON x.a = z.a WHERE x.b < (SELECT max(b) FROM t1 y WHERE y.a = x.a AND y.g = z.g)",
    "SELECT a, sum(b) AS s, (SELECT min(c) FROM t1 y WHERE y.a = x.a) AS m FROM t0 x GROUP BY a",
    "SELECT a, sum(b) AS s FROM t0 x GROUP BY a HAVING sum(b) > (SELECT min(b) FROM t1 y WHERE y.a = x.a)",
    "SELECT sum((SELECT max(b) FROM t1 y WHERE y.a = x.a)) AS s FROM t0 x",
    "SELECT a FROM t0 x WHERE (a, b) IN (SELECT a, b FROM t0 WHERE g)",
    "WITH u AS (SELECT a FROM t2) SELECT a FROM t0 WHERE a IN (TABLE u) UNION ALL TABLE u",
    "SELECT a FROM t0 WHERE a > ANY (SELECT a FROM t2)",
    "SELECT a FROM t0 WHERE a <= ALL (SELECT a FROM t2 WHERE a IS NOT NULL)",
    "SELECT a FROM t0 WHERE a >= ALL (SELECT a FROM t2)",
    "SELECT a FROM t0 WHERE a <> ALL (SELECT b FROM t4)",
    "SELECT a FROM t0 WHERE NOT a = ANY (SELECT a FROM t3)",
    "SELECT a FROM t0 x WHERE b < ANY (SELECT b FROM t1 y WHERE y.a = x.a)",
    "SELECT a FROM t0 x WHERE EXISTS (SELECT 1 FROM t1 y WHERE y.a = x.a AND y.b > x.b)",
    "SELECT a FROM t0 x WHERE NOT EXISTS (SELECT 1 FROM t1 y WHERE y.a = x.a AND y.c <> x.c)",
    "SELECT a FROM t0 x WHERE EXISTS (SELECT 1 FROM t2 y WHERE y.a > x.a)",
    "SELECT a FROM t0 x WHERE EXISTS (SELECT 1 FROM t3)",
    "SELECT a FROM t2 x WHERE NOT EXISTS (SELECT a FROM t3 UNION ALL SELECT a FROM t3)",
    "SELECT a FROM t0 x WHERE g OR EXISTS (SELECT 1 FROM t1 y WHERE y.a = x.a)",
    "SELECT a FROM t0 x WHERE a IN (SELECT a FROM t2) OR b > 3",
    "SELECT a, a IN (SELECT a FROM t2) AS i, NOT EXISTS (SELECT 1 FROM t1 y WHERE y.b = x.b) AS e FROM t0 x",
    "SELECT CASE WHEN a NOT IN (SELECT a FROM t1 WHERE a > 2) THEN 1 ELSE 2 END AS k, count(*) FROM t0 GROUP BY 1",
    "SELECT a, count(*) FROM t0 GROUP BY a HAVING a IN (SELECT a FROM t2)",
    "SELECT a FROM t0 x WHERE a IN (SELECT a FROM t1 y WHERE y.b > x.b) ",
    "SELECT a FROM t0 x WHERE a < ALL (SELECT a + 2 FROM t1 y WHERE y.b > x.b AND y.a = x.a)",
    "SELECT a, b, g IN (SELECT g FROM t1 y WHERE y.a = x.a) AS i FROM t0 x",
    "SELECT a, b, EXISTS (SELECT g FROM t1 y WHERE y.a = x.a AND y.b < x.b) AS i FROM t0 x",
    "SELECT x.a FROM t0 x JOIN t2 y ON x.a = y.a AND x.b IN (SELECT b FROM t1)",
]
OTHERS = [
    # The value of a subquery is one for all groups: it is joined to the groups, not aggregated.
    "SELECT t0.a, max(m) AS x, count(*) AS c FROM t0, (SELECT max(b) AS m FROM t1) s GROUP BY t0.a",
    "SELECT t0.a, min(m) AS x, sum(b) AS y, max(n) AS z FROM t0, (SELECT max(b) AS m, min(a) AS n FROM t1) s "
    "WHERE t0.b > n GROUP BY t0.a HAVING sum(b) > max(m) / 4",
    "SELECT t0.a, max(m) AS x, count(*) AS c FROM t0, (SELECT max(b) AS m FROM t3) s GROUP BY t0.a",
    # Partners are only looked for, below DISTINCT, extremes and IN; sums and counts want each pair.
    "SELECT DISTINCT x.a FROM t1 x, t0 y WHERE x.a = y.a AND x.b <> y.b",
    "SELECT DISTINCT y.a, x.b FROM t1 x, t0 y WHERE x.a = y.a",
    "SELECT x.a, max(x.b) AS m, min(y.a) AS n FROM t1 x, t0 y WHERE x.a = y.a AND y.b > 3 GROUP BY x.a",
    "SELECT x.a, sum(x.b) AS m, count(DISTINCT y.a) AS n FROM t1 x, t0 y WHERE x.a = y.a GROUP BY x.a",
    "SELECT count(*) AS c FROM t2 WHERE a IN (SELECT x.a FROM t1 x, t0 y, t4 z WHERE x.a = y.a AND y.b <> x.b AND z.a = y.a)",
    "SELECT x.a FROM t1 x, t0 y WHERE x.a = y.a UNION SELECT y.a FROM t2 x, t0 y WHERE x.a = y.a AND x.b <> y.b",
    "SELECT count(DISTINCT x.b) AS c, sum(DISTINCT y.a) AS s FROM t1 x JOIN t0 y ON x.a = y.a",
    "SELECT max(m) AS x, count(*) AS c FROM t3, (SELECT max(b) AS m FROM t1) s",
    "SELECT t3.a, max(m) AS x FROM t3, (SELECT max(b) AS m FROM t1) s GROUP BY ROLLUP (t3.a)",
    "SELECT t0.a, max(m) AS x FROM t2, t0 LEFT JOIN (SELECT max(b) AS m FROM t1) s ON s.m < t0.b WHERE t2.a = t0.a GROUP BY t0.a",
    "SELECT DISTINCT ON (a) a, b FROM t0 ORDER BY a, b DESC NULLS LAST, c, d, e, f, g",
    "SELECT DISTINCT ON (a % 3, g) b FROM t0 ORDER BY a % 3, g, b, c",
    "SELECT a, b FROM t0 QUALIFY row_number() OVER (PARTITION BY a ORDER BY b, c, d, e, f, g) = 1",
    "SELECT a, sum(b) AS s FROM t0 GROUP BY a QUALIFY rank() OVER (ORDER BY sum(b)) <= 3 ORDER BY a",
    "SELECT a, rank() OVER (ORDER BY b) AS r FROM t0 WHERE a > 0 QUALIFY (r < 4 OR a = 2)",
    "SELECT DISTINCT a FROM t0 QUALIFY count(*) OVER (PARTITION BY a) > 1",
    "SELECT a FROM (SELECT a FROM t1 QUALIFY count(*) OVER (PARTITION BY a) > 2) x "
    "WHERE a IN (SELECT a FROM t0 GROUP BY a HAVING count(*) > 1)",
    "SELECT DISTINCT ON (1) a, sum(b) AS s FROM t0 GROUP BY a, g ORDER BY s, g LIMIT 3",
]
# DuckDB's plan has row values, which are structs.
OWN_ALONE = [
    "SELECT a FROM t0 x WHERE (a, c) IN ((1, 'a'), (2, 'b'), (3, NULL)) OR (a, a) = (b, 4)",
    "SELECT a FROM t0 x WHERE NOT (a, c) IN ((1, 'a'), (2, NULL))",
    "SELECT a FROM t0 x WHERE (a, c) <> (3, NULL)",
]
STATEMENTS = [*RECURSIONS, *JOINS, *SUBQUERIES, *OTHERS]


def check(engines, driver, planner, text):
    """What is wrong with our answer, or None."""
    theirs = engines.answer(text)
    asked = TABLE.sub(r"'\1.parquet'", text) if planner == "own" else engines.recorded(text)
    assert theirs is not None and asked is not None, f"DuckDB has no answer, or two: {text}"
    ours = driver.answer(asked)
    if ours.error:
        return f"{ours.error}: {ours.message}"
    columns = ([c.type for c in ours.columns], [c.values for c in ours.columns])
    return nested_test.difference(columns, theirs)


def main():
    options, tally = test_options(seed=4, planner=""), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-planners-") as folder:
        nested_test.write_tables(folder, options.seed)
        engines = nested_test.Engines(folder)
        for driver in drivers(options, folder, tally):
            for planner in [options.planner] if options.planner else ["own", "duckdb"]:
                for text in STATEMENTS + (OWN_ALONE if planner == "own" else []):
                    wrong = check(engines, driver, planner, text)
                    tally.check(f"{driver.device}, {planner}: {text}", wrong)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
