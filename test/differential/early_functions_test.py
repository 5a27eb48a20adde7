"""Functions of texts that are computed below joins, against DuckDB: each statement is asked three times of a session.

    early_functions_test.py QUERY_DRIVER PENSTOCK [--device ID] [--planner own]

The results are few or many. The second run has the numbers of texts, the third one those of results.
"""

import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

ROWS, FACT_ROWS = 70_000, 30_000
HUGE = [("BIGINT", "HUGEINT")]
PLACES = [("automatic", "automatic"), ("device", "host"), ("device", "device")]
T, F = "'table.parquet' AS t", "'facts.parquet' AS f"
JOINED = f"{F} JOIN {T} ON f.k = t.k"
SHARED = (
    "WITH c AS (SELECT t.k, t.phone, t.v FROM {t} WHERE {f}(t.phone) <> '1') SELECT {f}(c.phone) AS p, count(*) AS n, sum(c.v) AS s "
    "FROM c WHERE NOT EXISTS (SELECT * FROM {facts} WHERE f.k = c.k) AND c.v < (SELECT avg(v) FROM c) GROUP BY p ORDER BY p"
)
# Few results, many, and NULL for some texts.
CALLS = [
    "substring(t.phone, 1, 2)",
    "lower(t.phone)",
    "length(t.phone)",
    "regexp_extract(t.phone, '[0-9]+-([a-c])', 1)",
    "t.phone LIKE '1%'",
    "upper(substring(t.phone, 4, 1))",
    "nullif(substring(t.phone, 1, 1), '3')",
]
STATEMENTS = [
    *(
        f"SELECT {call} AS p, count(*) AS n, sum(f.v) AS s FROM {JOINED} GROUP BY p ORDER BY p LIMIT 50"
        for call in CALLS
    ),
    *(
        f"SELECT {call} AS p, count(*) AS n FROM {F} LEFT JOIN {T} ON f.k = t.k GROUP BY p ORDER BY p LIMIT 50"
        for call in CALLS
    ),
    *(
        f"SELECT count(DISTINCT {call}) AS p, min({call}) AS a, max({call}) AS b FROM {JOINED}"
        for call in CALLS[:4]
    ),
    # Two functions that are compared, and two of one text.
    f"SELECT count(*) AS n FROM {JOINED} WHERE substring(t.phone, 1, 2) = substring(f.text, 1, 2)",
    f"SELECT count(*) AS n FROM {F} FULL JOIN {T} ON f.k = t.k WHERE lower(t.phone) <> lower(f.text)",
    f"SELECT lower(t.phone) AS p, upper(t.phone) AS q, count(*) AS n FROM {JOINED} GROUP BY p, q ORDER BY n DESC, p, q LIMIT 9",
    f"SELECT lower(t.phone) AS p, t.phone, count(*) AS n FROM {JOINED} GROUP BY 1, 2 ORDER BY n DESC, 2 LIMIT 9",
    f"SELECT substring(t.phone, 1, 2) AS p, count(*) AS n FROM {JOINED} "
    "WHERE substring(t.phone, 1, 2) IN ('11', '2a', 'x') GROUP BY p ORDER BY p",
    f"SELECT substring(t.phone, 1, 2) AS p, f.v FROM {JOINED} WHERE f.v > 95 ORDER BY f.v, t.k, p LIMIT 9",
    f"SELECT substring(t.phone, 1, 2) AS p, count(*) AS n FROM {T} WHERE t.k IN (SELECT f.k FROM {F} WHERE f.v > 0) GROUP BY p ORDER BY p",
    f"SELECT substring(t.phone, 1, 2) AS p, count(*) AS n FROM {JOINED} WHERE f.v > 1000 GROUP BY p",
    *(SHARED.format(t=T, facts=F, f=f) for f in ("lower", "md5")),
    SHARED.format(t=T, facts=F, f="substring").replace("phone)", "phone, 1, 2)"),
]


def make_table(rng, rows, name, keys):
    maybe = lambda value: None if rng.random() < 0.05 else value
    text = lambda: (
        f"{rng.randrange(1, 4)}{rng.choice('12ab')}-{rng.choice('abcX')}{rng.randrange(rows)}"
    )
    return pyarrow.table(
        {
            "k": pyarrow.array([maybe(rng.randrange(keys)) for _ in range(rows)], pyarrow.int64()),
            name: pyarrow.array([maybe(text()) for _ in range(rows)], pyarrow.string()),
            "v": pyarrow.array([rng.randrange(-100, 100) for _ in range(rows)], pyarrow.int32()),
        }
    )


def main():
    options = test_options(planner="own")
    tally, rng = Tally(), random.Random(3)
    with tempfile.TemporaryDirectory(prefix="penstock-early-") as folder:
        for table, name, file in (
            (make_table(rng, ROWS, "phone", 90_000), "table", "table"),
            (make_table(rng, FACT_ROWS, "text", 100_000), "facts", "facts"),
        ):
            pyarrow.parquet.write_table(table, f"{folder}/{name}.parquet", row_group_size=30_000)
        oracle = Oracle(folder)
        cases = [(text, oracle.answer(text)) for text in STATEMENTS]
        for driver in drivers(options, folder, tally):
            for rows, pages in PLACES:
                driver.set(rows=rows, pages=pages, cache=64, planner=options.planner)
                for turn in range(3):
                    label = f"rows {rows}, pages {pages}, turn {turn}: "
                    check_answers(driver, tally, cases, lambda place: 0, label, HUGE)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
