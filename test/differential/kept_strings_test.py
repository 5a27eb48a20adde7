"""Strings whose numbers a session keeps, against DuckDB: each statement is asked twice, by pages of the host and of the device.

kept_strings_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import random
import re
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.parquet

import strings_test
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

ROWS = 12000


def make_table(seed):
    rng = random.Random(seed)
    maybe = lambda share, value: None if rng.random() < share else value
    text = lambda: rng.choice(strings_test.TEXTS)
    columns = {
        "s": [maybe(0.1, text()) for _ in range(ROWS)],
        "m": [maybe(0.2, rng.choice(["MAIL", "SHIP", "AIR", "RAIL"])) for _ in range(ROWS)],
        "u": [text() + str(rng.randrange(9000)) for _ in range(ROWS)],  # plain pages
        "v": [maybe(0.3, text() + str(rng.randrange(40))) for _ in range(ROWS)],
        "nothing": [None] * ROWS,
        "same": ["one"] * ROWS,
        # The last rows alone have the least and the greatest string.
        "late": ["m" + str(rng.randrange(50)) for _ in range(ROWS - 2)] + ["", "\U0001f600"],
        # The first eight bytes are equal.
        "prefixed": [
            "prefixed" + chr(rng.randrange(97, 123)) * rng.randrange(9) for _ in range(ROWS)
        ],
    }
    table = {name: pyarrow.array(values, pyarrow.string()) for name, values in columns.items()}
    table["id"] = pyarrow.array(range(ROWS), pyarrow.int32())
    table["k"] = pyarrow.array([rng.randrange(100) for _ in range(ROWS)], pyarrow.int32())
    return pyarrow.table(table)


def orders():
    """Least and greatest strings, and top-k by strings."""
    for column in ("s", "m", "u", "v", "nothing", "same", "late", "prefixed"):
        yield f"SELECT min({column}) AS a, max({column}) AS b, count({column}) AS c FROM $"
        yield f"SELECT k, min({column}) AS a, max({column}) AS b FROM $ WHERE id % 3 = 1 GROUP BY k ORDER BY k"
        yield f"SELECT {column} AS t, count(*) AS c, min({column}) AS a FROM $ GROUP BY t ORDER BY t"
        for order in ("", "DESC", "NULLS FIRST", "DESC NULLS LAST"):
            yield f"SELECT {column} AS t, id FROM $ ORDER BY t {order}, id LIMIT 7"
        yield f"SELECT id FROM $ WHERE {column} > 'b' ORDER BY {column}, id LIMIT 20 OFFSET 30"
        yield f"SELECT id, k FROM $ ORDER BY k, {column} DESC, id LIMIT 30"
        yield f"SELECT min({column}) AS a, max({column}) AS b FROM $ WHERE id < 0"
        # Some row groups are skipped, so that no chunk of the rest is kept.
        yield f"SELECT min({column}) AS a, max({column}) AS b FROM $ WHERE id BETWEEN 5200 AND 5230"
        yield f"SELECT id, {column} AS t FROM $ WHERE id BETWEEN 5200 AND 5230 ORDER BY t DESC, id LIMIT 3"
        yield f"SELECT k % 3 AS r, max({column}) AS b FROM $ WHERE id > 9990 GROUP BY r ORDER BY r"
    yield from (
        "SELECT m, min(s) AS a, max(u) AS b, min(id) AS c, count(DISTINCT v) AS d FROM $ GROUP BY m ORDER BY m",
        "SELECT min(s) AS a, min(upper(s)) AS b, max(s || 'x') AS c FROM $",
        "SELECT min(CASE WHEN k > 50 THEN s ELSE u END) AS a FROM $",
        "SELECT m, max(late) AS a FROM $ GROUP BY m HAVING max(late) > 'n' ORDER BY m",
        "SELECT v, max(u) AS a FROM $ GROUP BY v ORDER BY a DESC, v LIMIT 5",
        "SELECT k, min(late) AS a FROM $ GROUP BY k ORDER BY a, k LIMIT 5",
    )


def comparisons():
    """Strings of two columns have codes that compare; a column's own numbers do not."""
    yield from (
        "SELECT count(*) AS c FROM $ WHERE s = v",
        "SELECT count(*) AS c FROM $ WHERE s <> m AND v = 'a1'",
        "SELECT count(*) AS c FROM $ WHERE same = 'one' AND s = 'google'",
        "SELECT count(*) AS c FROM $ WHERE s = 'not there' OR m = 'not there'",
        "SELECT s, m, count(*) AS c FROM $ WHERE s <> 'not there either' GROUP BY s, m ORDER BY s, m",
        "SELECT s, v, m, count(*) AS c FROM $ GROUP BY s, v, m ORDER BY c DESC, s, v, m LIMIT 40",
        "SELECT coalesce(s, v) AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x",
        "SELECT s, coalesce(s, v) AS x, count(*) AS c FROM $ GROUP BY s, x ORDER BY s, x",
        "SELECT s, upper(s) AS x, count(*) AS c FROM $ GROUP BY s, x ORDER BY s, x",
        "SELECT count(DISTINCT s) AS a, count(DISTINCT u) AS b, count(DISTINCT nothing) AS c FROM $",
        "SELECT m, count(DISTINCT u) AS c FROM $ GROUP BY m ORDER BY m",
        "SELECT a.s AS x, count(*) AS c FROM $ a JOIN $ b ON a.u = b.v GROUP BY x ORDER BY x",
        "SELECT a.m AS x, min(b.u) AS c FROM $ a JOIN $ b ON a.id = b.id WHERE a.s = b.s GROUP BY x ORDER BY x",
        # Tables that only their join reads: once where repeated rows make no difference.
        "SELECT a.m AS x FROM $ a, $ b WHERE a.u = b.v GROUP BY x ORDER BY x",
        "SELECT DISTINCT a.s AS x FROM $ a, $ b, $ c WHERE a.u = b.v AND b.k = c.id AND c.s = 'a' ORDER BY x",
        "SELECT a.m AS x, count(*) AS n FROM $ a, $ b WHERE a.u = b.v GROUP BY x ORDER BY x",
        "SELECT a.m AS x, min(a.u) AS y, count(DISTINCT a.k) AS n FROM $ a, $ b WHERE a.u = b.v GROUP BY x ORDER BY x",
        "SELECT a.m AS x, min(a.u) AS y, sum(a.k) AS n FROM $ a, $ b WHERE a.u = b.v GROUP BY x ORDER BY x",
        "SELECT a.m AS x FROM $ a, $ b WHERE a.u = b.v AND a.k < b.k GROUP BY x ORDER BY x",
        "SELECT a.m AS x FROM $ a, $ b, $ c WHERE a.u = b.v AND b.k = c.id AND a.id = c.k GROUP BY x ORDER BY x",
        "SELECT a.m AS x FROM $ a, $ b WHERE a.u = b.v GROUP BY x HAVING max(b.k) > 3 ORDER BY x",
        "SELECT s, u FROM $ WHERE u LIKE '%77%' AND s <> '' ORDER BY id LIMIT 12",
        "SELECT nothing, count(*) AS c FROM $ GROUP BY nothing",
        "SELECT count(*) AS c FROM $ WHERE nothing = 'a' OR nothing IS NULL",
    )


def chosen():
    """Constants that a choice gives, of which some are no string of the column; functions as keys."""
    for column in ("s", "m", "u", "nothing", "late"):
        yield f"SELECT CASE WHEN k > 50 THEN {column} ELSE 'no string' END AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x"
        three = f"CASE WHEN k > 70 THEN {column} WHEN k > 40 THEN 'no string' WHEN k > 20 THEN 'neither' END"
        yield f"SELECT {three} AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x"
        yield f"SELECT coalesce({column}, 'missing') AS x, min(id) AS a FROM $ WHERE {column} <> 'missing' OR id < 99 GROUP BY x ORDER BY x"
        yield f"SELECT id, CASE WHEN k < 9 THEN '' ELSE {column} END AS x FROM $ ORDER BY id LIMIT 30"
        yield f"SELECT upper({column}) AS x, count(*) AS c, min({column}) AS a FROM $ GROUP BY x ORDER BY x"
        yield f"SELECT CASE WHEN k > 50 THEN lower({column}) ELSE 'No String' END AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x"
        yield f"SELECT regexp_replace({column}, '[aeiou]', 'X') AS x, count(DISTINCT {column}) AS c FROM $ GROUP BY x ORDER BY x"
        one_more = f"CASE WHEN k > 30 THEN {column} ELSE 'one more' END"
        yield f"SELECT count(DISTINCT left({column}, 2)) AS c, count(DISTINCT {one_more}) AS d FROM $"
    yield from (
        "SELECT CASE WHEN s = 'google' THEN 'google' ELSE 'other' END AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x",
        "SELECT CASE WHEN k > 50 THEN 'many' ELSE 'few' END AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x",
        "SELECT count(*) AS c FROM $ WHERE s <> '' AND u <> '' AND v <> ''",
        "SELECT s, u, count(*) AS c FROM $ WHERE s <> 'one' AND u <> 'one' AND same = 'one' GROUP BY s, u ORDER BY s, u LIMIT 50",
        "SELECT CASE WHEN k > 50 THEN s ELSE u END AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x",
        "SELECT CASE WHEN k > 50 THEN upper(m) ELSE m END AS x, count(*) AS c FROM $ GROUP BY x ORDER BY x",
        "SELECT upper(m) AS x, lower(m) AS y, m, count(*) AS c FROM $ WHERE upper(m) <> 'AIR' GROUP BY x, y, m ORDER BY x, y, m",
        "SELECT CASE WHEN k > 50 THEN m ELSE 'zebra' END AS x, max(m) AS a FROM $ GROUP BY x ORDER BY x DESC LIMIT 3",
        "SELECT max(CASE WHEN k > 50 THEN m ELSE 'zebra' END) AS a, min(upper(s)) AS b FROM $",
        "SELECT a.m AS x, coalesce(b.m, 'none') AS y, count(*) AS c FROM $ a LEFT JOIN $ b ON a.id = b.k GROUP BY x, y ORDER BY x, y",
    )


def encode(penstock, table, folder):
    """Writes the table to encoded.arrow, with strings by FSST."""
    with (
        pyarrow.OSFile(f"{folder}/plain.arrow", "wb") as sink,
        pyarrow.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table, max_chunksize=3000)
    codecs = ",".join(f"{name}=fsst" for name in ("s", "m", "u", "v", "late", "prefixed"))
    command = [penstock, "encode", f"{folder}/plain.arrow", "-o", f"{folder}/encoded.arrow"]
    subprocess.run([*command, "--codec", codecs], check=True, capture_output=True)


def in_file(text, file):
    return re.sub(r"(FROM|JOIN|,) \$", rf"\1 '{file}'", text)


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-kept-strings-") as folder:
        pyarrow.parquet.write_table(
            make_table(11),
            f"{folder}/rows.parquet",
            row_group_size=5000,
            use_dictionary=["s", "m", "v", "same", "late", "prefixed"],
        )
        encode(options.penstock, make_table(11), folder)
        oracle = Oracle(folder)
        pyarrow.parquet.write_table(
            strings_test.make_table(7), f"{folder}/strings.parquet", row_group_size=1800
        )
        texts = [in_file(text, "rows.parquet") for text in (*orders(), *comparisons(), *chosen())]
        of_rows = len(texts)
        texts += [in_file(text, "strings.parquet") for text in list(strings_test.statements())[::4]]
        cases = [(text, oracle.answer(text)) for text in texts]
        for driver in drivers(options, folder, tally):
            for pages in ("host", "device"):
                driver.set(pages=pages, cache=64)
                check_answers(driver, tally, cases, lambda _: 0, label=f"{pages}, first: ")
                check_answers(driver, tally, cases, lambda _: 0, label=f"{pages}, again: ")
                driver.set(cache=0)
            driver.set(pages="", cache=64)
            encoded = [
                (text.replace("rows.parquet", "encoded.arrow"), theirs)
                for text, theirs in cases[:of_rows]
            ]
            check_answers(driver, tally, encoded, lambda _: 0, label="encoded, first: ")
            check_answers(driver, tally, encoded, lambda _: 0, label="encoded, again: ")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
