"""Values and files at the edges, against DuckDB: infinite dates, Unicode's spaces and cases, decimals of 38 digits, strings that are
not UTF-8, CSV dialects, and what both engines refuse.

corner_values_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.ipc
import pyarrow.parquet

from answers import difference
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

INFINITE = [
    "SELECT d, t FROM 'infinite.parquet'",
    "SELECT d + 1, d - 1, 2 + d, d - DATE '2020-01-01', DATE '2020-01-01' - d, d::TIMESTAMP, t::DATE FROM 'infinite.parquet'",
    "SELECT d = DATE 'infinity', d < '-Infinity', t > TIMESTAMP 'INFINITY', d < DATE '2020-01-02' FROM 'infinite.parquet'",
    "SELECT min(d), max(d), min(t), max(t), count(DISTINCT d) FROM 'infinite.parquet'",
    "SELECT d, count(*) FROM 'infinite.parquet' GROUP BY d ORDER BY d",
    "SELECT year(d), hour(t), dayofweek(d) FROM 'infinite.parquet' WHERE d < DATE 'infinity' AND d > DATE '-infinity'",
]
INFINITE_REFUSED = [
    f"SELECT {part}({column}) FROM 'infinite.parquet'"
    for part in ("year", "quarter", "month", "day", "dayofweek", "isodow", "dayofyear", "hour")
    for column in "dt"
]
CHARACTERS = [
    "SELECT i, lower(s) AS l, upper(s) AS u, s ILIKE '\u00e4' AS i1, '\u01c5' ILIKE s AS i2 FROM 'characters.parquet'",
    "SELECT i, trim(p) AS b, ltrim(p) AS l, rtrim(p) AS r, length(trim(p)) AS n FROM 'characters.parquet'",
    "SELECT upper(s) AS u, count(*) FROM 'characters.parquet' WHERE i < 1000 GROUP BY upper(s) ORDER BY u",
    "SELECT substring(w FOR 2), substring(w FROM 2 FOR 2), substring(w FROM 3) FROM 'words.parquet'",
]
# Neither engine answers these; the message names the types as DuckDB's does.
REFUSED = [
    ("SELECT avg(b) FROM 'words.parquet'", "argument types 'avg(BOOLEAN)'"),
    ("SELECT avg(b) OVER () FROM 'words.parquet'", "argument types 'avg(BOOLEAN)'"),
    ("SELECT lower(n) FROM 'words.parquet'", "argument types 'lower(BIGINT)'"),
    ("SELECT nothing FROM 'words.parquet'", 'column "nothing" not found in FROM clause'),
    ("SELECT n FORM 'words.parquet'", "syntax error at or near"),
    ("SELECT n, count(*) FROM 'words.parquet'", '"n" must appear in the GROUP BY clause'),
]
CSV = {
    "semicolon.csv": "a;b;c\n1;x;2.5\n2;y;3.5\n",
    "tab.csv": "a\tb\n1\tx,y\n2\tz,z\n",
    "pipe.csv": "a|b\n1|x\n2|y\n",
    "comma.csv": 'a,b\n1,"x;y"\n2,"z;z"\n',
    "decimal_comma.csv": "a;b\nx;1,5\ny;2,5\n",
    "bare.csv": "1,x,2020-01-01\n2,y,2020-01-02\n",
    "bare_tab.csv": "1\tx\n2\ty\n",
    "bare_one.csv": "5\n6\n7\n",
    "all_strings.csv": "a,b\nx,y\nz,w\n",
    "header_alone.csv": "a,b\n",
    "wide_bare.csv": ",".join(str(i) for i in range(12)) + "\n" + ",".join("7" * 12) + "\n",
}


def make_files(folder, oracle):
    ask = oracle.connection.execute
    ask(
        "COPY (SELECT * FROM (VALUES (DATE '2020-01-01', TIMESTAMP '2020-01-01 10:00:00'), ('infinity', 'infinity'), "
        "('-infinity', '-infinity'), (NULL, NULL)) v(d, t)) TO '%s/infinite.parquet'" % folder
    )
    # Every code point but NUL and the surrogates.
    ask(
        "COPY (SELECT i, chr(i::INT) AS s, chr(i::INT) || ' x ' || chr(i::INT) AS p FROM range(1, 1114112) r(i) "
        "WHERE i NOT BETWEEN 55296 AND 57343) TO '%s/characters.parquet'" % folder
    )
    ask(
        "COPY (SELECT * FROM (VALUES ('hello', true, 1::BIGINT), ('ab', false, 2), ('', true, 3), (NULL, NULL, 4)) v(w, b, n)) "
        "TO '%s/words.parquet'" % folder
    )
    for name, text in CSV.items():
        (folder / name).write_text(text)


def refused(driver, oracle, tally):
    for statement in INFINITE_REFUSED:
        ours = driver.answer(statement)
        wrong = None if "infinite" in ours.message else f"{ours.error}: {ours.message}"
        tally.check(f"{driver.device}: {statement}", wrong)
    for statement, words in REFUSED:
        ours, theirs = driver.answer(statement), oracle.answer(statement)
        wrong = None
        if not theirs.error:
            wrong = "DuckDB answers"
        elif words not in ours.message or words.lower() not in theirs.message.lower():
            wrong = f"{words!r} is not in both of {ours.message!r} and {theirs.message!r}"
        tally.check(f"{driver.device}: {statement}", wrong)


def csv_dialects(driver, oracle, tally):
    # Types differ where docs/sql.md says so; names and values as strings do not.
    for name in CSV:
        statement = f"SELECT * FROM '{name}'"
        ours, theirs = driver.answer(statement), oracle.answer(statement)
        wrong = f"{ours.error}{theirs.error}" if ours.error or theirs.error else None
        if not wrong and [c.name for c in ours.columns] != [c.name for c in theirs.columns]:
            wrong = f"columns {[c.name for c in ours.columns]}, DuckDB has {[c.name for c in theirs.columns]}"
        elif not wrong and ours.row_count != theirs.row_count:
            wrong = f"{ours.row_count} rows, DuckDB has {theirs.row_count}"
        tally.check(f"{name}", wrong)


def wide_decimals(folder, program, driver, oracle, tally):
    """Files that --output writes are read back: a sum of integers is DECIMAL(38,0) in a file."""
    statement = "SELECT b, sum(n) AS total FROM 'words.parquet' GROUP BY b ORDER BY b"
    for ending in (".parquet", ".arrow"):
        file = folder / f"sums{ending}"
        ended = subprocess.run(
            [program, "query", statement, "--output", str(file)], cwd=folder, capture_output=True
        )
        tally.check(f"write {file.name}", ended.stderr.decode() if ended.returncode else None)
        ours = driver.answer(f"SELECT total, total + 1 AS more FROM '{file.name}' ORDER BY total")
        values = [c.values for c in ours.columns]
        wrong = None if values == [[2, 4, 4], [3, 5, 5]] else f"{ours.message} {values}"
        tally.check(f"read {file.name}", wrong)
    values = [1, 10**18, None, -(10**38) + 1]
    table = pyarrow.table({"d": pyarrow.array(values, pyarrow.decimal128(38, 0))})
    pyarrow.parquet.write_table(table, folder / "wide.parquet")
    with pyarrow.ipc.new_file(folder / "wide.arrow", table.schema) as writer:
        writer.write_table(table)
    for file in ("wide.parquet", "wide.arrow"):
        ours = driver.answer(f"SELECT d FROM '{file}'")
        read = [c.values for c in ours.columns] == [values]
        tally.check(
            f"read {file}", None if read else f"{ours.error}: {ours.message} {ours.columns}"
        )


def not_utf8(folder, driver, tally):
    """A string that is not UTF-8 is an error that names the column and the row, however the file holds it."""
    values = [b"ok", None, b"a\xf8b", b"x" * 30]
    halves = [b"a\xc3", b"\xa9b"]  # together a character
    cases = {
        "dictionary": (values, {}, "row 3"),
        "plain": (values, {"use_dictionary": False}, "row 3"),
        "groups": ([b"ok"] * 2000 + values, {"row_group_size": 500}, "row 2003"),
        "halves": (halves, {"use_dictionary": False}, "row 1"),
    }
    for name, (content, options, row) in cases.items():
        raw = pyarrow.array(content, pyarrow.binary())
        strings = pyarrow.Array.from_buffers(
            pyarrow.string(), len(raw), raw.buffers(), raw.null_count
        )
        file = f"not_utf8_{name}.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"s": strings}), folder / file, **options)
        for statement in (
            f"SELECT s FROM '{file}'",
            f"SELECT count(*) FROM '{file}' WHERE s > 'a'",
        ):
            ours = driver.answer(statement)
            said = all(words in ours.message for words in ("UTF-8", row, "'s'"))
            tally.check(statement, None if said else f"{ours.error}: {ours.message}")


def program_prints(folder, program, tally):
    """JSON that a strict reader takes, and counts that take no kernel."""
    ended = subprocess.run(
        [
            program,
            "query",
            "SELECT CAST(0.5 AS DECIMAL(2,2)) AS x, CAST(-0.25 AS DECIMAL(2,2)) AS y FROM 'words.parquet' LIMIT 1",
            "--format",
            "json",
        ],
        cwd=folder,
        capture_output=True,
    )
    wrong = None if b'"x": 0.50, "y": -0.25' in ended.stdout else ended.stdout.decode()
    tally.check("JSON of DECIMAL(2,2)", wrong)
    json.loads(ended.stdout)
    counted = ["SELECT count(*), count(1) AS n FROM 'words.parquet'"]
    ended = subprocess.run([program, "query", *counted], cwd=folder, capture_output=True)
    tally.check(
        "count(*) of a file", None if b"no kernel ran" in ended.stderr else ended.stderr.decode()
    )
    (folder / "words.csv.gz").write_bytes(b"\x1f\x8b\x08\x00rest")
    for statement, words in (
        ("SELECT 1 FROM 'words.csv.gz'", "truncated: gzip"),
        ("SELECT 1 FROM 'wrods.parquet'", "words.parquet"),
        ("SELECT 1 FROM 'words.parqet'", "words.parquet"),
        ("SELECT 1 FROM 'words'", "words.parquet"),
    ):
        ended = subprocess.run([program, "query", statement], cwd=folder, capture_output=True)
        tally.check(statement, None if words.encode() in ended.stderr else ended.stderr.decode())


def main():
    options = test_options()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-corners-") as name:
        folder = pathlib.Path(name)
        oracle = Oracle(folder)
        make_files(folder, oracle)
        program = pathlib.Path(options.penstock).resolve()
        for driver in drivers(options, folder, tally):
            cases = [(text, oracle.answer(text)) for text in INFINITE + CHARACTERS]
            check_answers(driver, tally, cases, lambda number: 128 if number < len(INFINITE) else 0)
            refused(driver, oracle, tally)
            wide_decimals(folder, program, driver, oracle, tally)
            not_utf8(folder, driver, tally)
            csv_dialects(driver, oracle, tally)
        program_prints(folder, program, tally)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
