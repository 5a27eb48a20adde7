"""Joins, subqueries and recursions that both planners answer, against DuckDB's answers.

    planners_test.py QUERY_DRIVER PENSTOCK [--device ID] [--planner own]

The tables are those of nested_test.py. A statement that is refused is a failure.
"""

import sys
import tempfile

import nested_test
from driver import Tally, drivers, test_options

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
STATEMENTS = [*RECURSIONS]


def check(engines, driver, planner, text):
    """What is wrong with our answer, or None."""
    theirs = engines.answer(text)
    asked = nested_test.over_files(text) if planner == "own" else engines.recorded(text)
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
                for text in STATEMENTS:
                    wrong = check(engines, driver, planner, text)
                    tally.check(f"{driver.device}, {planner}: {text}", wrong)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
