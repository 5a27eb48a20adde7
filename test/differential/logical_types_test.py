"""TIME, TIMESTAMP WITH TIME ZONE, BLOB, UUID, INTERVAL, lists, structs and maps, against DuckDB.

logical_types_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import os
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.ipc

from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

os.environ["TZ"] = "UTC"  # of both: how instants are printed
TYPES = ("tm", "tz", "b", "u", "iv", "l", "s", "m", "ls", "ll", "le")
ROWS = """
SELECT i AS id, i % 11 AS k,
    CASE WHEN i % 7 > 0 THEN TIME '00:00:01.5' + to_microseconds(i % 40 * 1234567891) END AS tm,
    CASE WHEN i % 5 > 0 THEN (TIMESTAMP '2019-12-30 00:00:00' + to_hours(i % 60 * 7))::TIMESTAMPTZ END AS tz,
    CASE WHEN i % 6 > 0 THEN ('\\x00\\xFFab''"' || (i % 30))::BLOB END AS b,
    CASE WHEN i % 4 > 0 THEN ('00000000-0000-0000-ff00-' || lpad((i * 17 % 50)::VARCHAR, 12, '0'))::UUID END AS u,
    CASE WHEN i % 3 > 0 THEN to_months((i % 20)::INT) + to_days((i % 3)::INT)
        + to_microseconds((i % 50) * 1001000) END AS iv,
    CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN [] ELSE [i % 9, NULL, -i % 4] END AS l,
    CASE WHEN i % 8 > 0 THEN {'a': i % 12, 'b': 'text ' || i % 3, 'c': [(i % 7)::DOUBLE / 2]} END AS s,
    CASE WHEN i % 9 > 0 THEN MAP {'k' || (i % 3): i % 14, 'z': NULL} END AS m,
    [{'x': i % 21, 'y': NULL::VARCHAR}, {'x': NULL, 'y': 'q, "r"'}] AS ls,
    [['a', 'b' || i % 4], [NULL], [], NULL, ['', ' x', 'it''s', 'NULL', 'a\\b', '{', 'ü']] AS ll,
    CASE WHEN i % 2 = 0 THEN [i::FLOAT / 3, 'nan'::FLOAT, '-inf'::FLOAT, -0.5] END AS le
FROM range({rows}) AS t(i)
"""


def make_tables(oracle, folder):
    for name, rows in (("rows", 3000), ("few", 40)):
        text = ROWS.replace("{rows}", str(rows))
        oracle.connection.execute(
            f"COPY ({text}) TO '{folder}/{name}.parquet' (ROW_GROUP_SIZE 2048)"
        )


def statements():
    yield "SELECT * FROM 'rows.parquet' ORDER BY id"
    yield "SELECT * FROM 'rows.parquet' WHERE id % 100 = 7 ORDER BY id"
    yield "SELECT * FROM 'rows.parquet' ORDER BY id LIMIT 3 OFFSET 5"
    for column in TYPES:
        yield f"SELECT id, {column} FROM 'rows.parquet' ORDER BY {column}, id"
        yield f"SELECT id, {column} FROM 'rows.parquet' ORDER BY {column} DESC NULLS LAST, id LIMIT 50"
        yield f"SELECT {column}, count(*) AS c, sum(id) AS n FROM 'rows.parquet' GROUP BY {column} ORDER BY c, n"
        yield f"SELECT k, min({column}) AS a, max({column}) AS b, count({column}) AS c FROM 'rows.parquet' GROUP BY k ORDER BY k"
        yield f"SELECT count(DISTINCT {column}) AS c FROM 'rows.parquet'"
        yield f"SELECT count(*) AS c FROM (SELECT DISTINCT {column} FROM 'rows.parquet')"
        yield f"SELECT count(*) AS c FROM 'rows.parquet' WHERE {column} IS NULL"
        yield f"SELECT count(*) AS c, sum(a.id) AS n FROM 'rows.parquet' a JOIN 'few.parquet' b ON a.{column} = b.{column}"
        yield f"SELECT a.id, b.{column} FROM 'few.parquet' a LEFT JOIN 'few.parquet' b ON a.id = b.id + 3 ORDER BY a.id"
        yield f"SELECT id, lag({column}) OVER (ORDER BY id) AS x FROM 'few.parquet' ORDER BY id"
        yield f"SELECT id, first_value({column}) OVER (PARTITION BY k ORDER BY id) AS x FROM 'rows.parquet' ORDER BY id"
        yield f"SELECT id, row_number() OVER (PARTITION BY {column} ORDER BY id) AS x FROM 'rows.parquet' ORDER BY id"
        yield f"SELECT id, rank() OVER (ORDER BY {column}) AS x FROM 'rows.parquet' ORDER BY id"
        yield f"SELECT k, any_value({column}) AS x FROM 'few.parquet' WHERE id < 11 GROUP BY k ORDER BY k"
        yield f"SELECT k, first({column} ORDER BY id) AS x FROM 'rows.parquet' GROUP BY k ORDER BY k"
        yield f"SELECT arg_max({column}, id) AS x FROM 'rows.parquet' WHERE {column} IS NOT NULL"
        yield f"SELECT id, CASE WHEN k > 5 THEN {column} END AS x FROM 'rows.parquet' ORDER BY id"
        yield f"SELECT id, coalesce({column}, lag({column}) OVER (ORDER BY id)) AS x FROM 'few.parquet' ORDER BY id"
        yield f"SELECT id, {column}::VARCHAR AS x FROM 'rows.parquet' ORDER BY id"
        yield f"SELECT {column} FROM 'few.parquet' UNION SELECT {column} FROM 'few.parquet' ORDER BY 1"
        yield f"SELECT {column} FROM 'rows.parquet' EXCEPT SELECT {column} FROM 'few.parquet' ORDER BY 1"
        yield f"SELECT a.id FROM 'few.parquet' a, 'few.parquet' b WHERE a.id = b.id + 1 AND a.{column} < b.{column} ORDER BY a.id"
        yield f"SELECT id FROM 'rows.parquet' WHERE {column} IN (SELECT {column} FROM 'few.parquet' WHERE id < 5) ORDER BY id"
        yield f"SELECT id FROM 'rows.parquet' WHERE {column} = (SELECT max({column}) FROM 'few.parquet') ORDER BY id"
    for column in ("b", "encode('x' || k)"):
        yield f"SELECT id, octet_length({column}) AS a, hex({column}) AS b, base64({column}) AS c FROM 'rows.parquet' ORDER BY id"
        yield f"SELECT id, md5({column}) AS a, sha256({column}) AS b, {column} || {column} AS c FROM 'few.parquet' ORDER BY id"
        yield f"SELECT id, from_base64(base64({column})) AS a, unhex(hex({column})) AS b FROM 'few.parquet' ORDER BY id"
    yield "SELECT count(*) AS c FROM 'rows.parquet' WHERE from_hex(hex(b)) = b"
    yield "SELECT id, decode(encode('é' || k)) AS x FROM 'few.parquet' ORDER BY id"
    yield "SELECT '\\x00\\xAb-z'::BLOB AS a, 'FD3F1A8C-1111-2222-3333-444455556666'::UUID AS b FROM 'few.parquet' LIMIT 1"
    yield "SELECT id FROM 'rows.parquet' WHERE u = '00000000-0000-0000-ff00-000000000017' ORDER BY id"
    yield "SELECT id FROM 'rows.parquet' WHERE u > '00000000-0000-0000-ff00-000000000030'::UUID ORDER BY id"
    two = "('00000000-0000-0000-ff00-000000000017', '00000000-0000-0000-ff00-000000000034')"
    yield f"SELECT id FROM 'rows.parquet' WHERE u IN {two} ORDER BY id"
    yield "SELECT id, (u::VARCHAR)::UUID AS a, (b::VARCHAR)::BLOB AS c FROM 'few.parquet' ORDER BY id"
    some = "'00000000-0000-0000-ff00-0000000000' || lpad(id::VARCHAR, k::INT % 3, '0')"
    yield f"SELECT id, TRY_CAST({some} AS UUID) AS a FROM 'few.parquet' ORDER BY id"


def check_written(options, oracle, folder, tally):
    """Files that Penstock writes have the types and the values of the file that it read."""
    kept = "SELECT * EXCLUDE (iv) FROM"
    ours = "SELECT " + ", ".join(("id", "k", *(t for t in TYPES if t != "iv"))) + " FROM"
    theirs = oracle.connection.sql(f"{kept} 'rows.parquet' ORDER BY id")
    for ending in ("parquet", "arrow"):
        copy = f"COPY ({ours} 'rows.parquet') TO 'out.{ending}'"
        ended = subprocess.run(
            [os.path.abspath(options.penstock), "query", copy],
            cwd=folder,
            capture_output=True,
            timeout=300,
        )
        if ended.returncode != 0:
            tally.fail(copy, ended.stderr.decode())
            continue
        if ending == "arrow":
            read = pyarrow.ipc.open_file(f"{folder}/out.arrow").read_all()
            read = oracle.connection.from_arrow(read).order("id")
        else:
            read = oracle.connection.sql("SELECT * FROM 'out.parquet' ORDER BY id")
        wrong = "" if read.types == theirs.types else f"{read.types}, DuckDB's {theirs.types}"
        if not wrong and str(read.fetchall()) != str(theirs.fetchall()):
            wrong = "other values"
        tally.check(copy, wrong)


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(folder)
        make_tables(oracle, folder)
        cases = [(text, oracle.answer(text)) for text in statements()]
        check_written(options, oracle, folder, tally)
        for driver in drivers(options, folder, tally):
            driver.set(planner="auto")
            check_answers(driver, tally, cases, lambda place: (0, 640)[place % 2])
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
