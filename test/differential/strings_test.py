"""Functions, comparisons and choices of strings against DuckDB: dictionary, plain and FSST columns, in one chunk and in many.

strings_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import random
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.parquet

from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

TEXTS = [
    "e\u0301x",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467a",
    "a,b,,c",
    "line\r\nend",
    "long " * 60 + "\u65e5" * 50,
    "",
    "a",
    "ab",
    "abc",
    "Abc",
    "ABC",
    "google",
    "https://www.google.com/search?q=1",
    "\u00fcber",
    "na\u00efve caf\u00e9",
    "\u65e5\u672c\u8a9e\u30c6\u30ad\u30b9\u30c8",
    "x%y",
    "a_b",
    "  pad  ",
    "tab\there",
    "%",
    "_",
    "\\",
    "zz",
    "Z",
    "aaaaab",
    "foo bar",
    "MAIL",
    "quote'd",
    'dq"x',
    "emoji \U0001f600 end",
]
PATTERNS = [
    "%google%",
    "a%",
    "%b",
    "a_c",
    "%",
    "_",
    "",
    "%a%b%",
    "%\u00e9",
    "\u65e5_\u8a9e%",
    "x\\%y",
    "%%",
    "A%",
    "%\U0001f600%",
    "__",
]
# Texts that casts read, and others that they nearly read.
VALUES = (
    "1|1.5|-3.5|0.5|-0|+5|007|300|1e3|1e-3|1.|.5|.|1_000|1__0|1e_1|0x1F|0b11|0x_1|-0x1|abc||99999999999999999999|1e400|inf|-inf|nan|"
    "true|TRUE|f|yes|no|on| true| 1 |--1|1 2|1.0e|123456.785|9223372036854775807|9223372036854775808|-9223372036854775808|255.5|"
    "2020-01-31|2020-1-3|2020/01/03|2020-02-30|31-12-2020|2020-01-31 10:11:12|2020-01-31T10:11:12.345678Z|2020-01-31 10:11|"
    "2020-01-31 25:00:00|2020-01-31 24:00:00|2020-01-31 10:11:12+02|2020-01-31 10:11:12 UTC|2020-01-31x|infinity|epoch|"
    "0044-03-15 (BC)|10000-01-01|-0001-01-01|5881580-07-11|\u0661"
).split("|")
TYPES = (
    "TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE BOOLEAN DATE TIMESTAMP DECIMAL(5,2) "
    "DECIMAL(18,3)"
).split()

# RE2's syntax: classes, groups, repetition, flags, anchors, Unicode.
EXPRESSIONS = [
    "",
    "o",
    "^a",
    "b$",
    "^[a-z]+$",
    "(a)(b)?",
    "^https?://(?:www\\.)?([^/]+)/.*$",
    "\\s+",
    "[^[:alnum:]]",
    "(?i)ABC",
    "\\p{Han}+",
    ".",
    "(.)(.)$",
    "x*",
    "caf\u00e9|\u00fcber",
    "a{2,3}",
    "\\bfoo\\b",
    "(?P<first>[a-z])[a-z]*",
    "\U0001f600",
]
REPLACEMENTS = ["", "-", "<\\0>", "\\\\", "\u8a9e"]
PLACES = [-9, -3, -1, 0, 1, 2, 5, 100]
ROWS = 5000


def make_table(seed):
    rng = random.Random(seed)
    maybe = lambda share, value: None if rng.random() < share else value
    return pyarrow.table(
        {
            "id": pyarrow.array(range(ROWS), pyarrow.int32()),
            "s": pyarrow.array(
                [maybe(0.1, rng.choice(TEXTS)) for _ in range(ROWS)], pyarrow.string()
            ),
            "u": pyarrow.array(
                [rng.choice(TEXTS) + str(rng.randrange(3000)) for _ in range(ROWS)],
                pyarrow.string(),
            ),
            "m": pyarrow.array(
                [maybe(0.2, rng.choice(["MAIL", "SHIP", "AIR", "RAIL"])) for _ in range(ROWS)],
                pyarrow.string(),
            ),
            "v": pyarrow.array(
                [maybe(0.1, rng.choice(VALUES)) for _ in range(ROWS)], pyarrow.string()
            ),
            "n": pyarrow.array(
                [maybe(0.1, str(rng.randrange(-500, 500))) for _ in range(ROWS)], pyarrow.string()
            ),
            "k": pyarrow.array([rng.randrange(100) for _ in range(ROWS)], pyarrow.int32()),
        }
    )


def statements():
    for pattern in PATTERNS:
        yield f"SELECT id, s FROM $ WHERE s LIKE '{pattern}' ORDER BY id"
        yield f"SELECT count(*), sum(id) FROM $ WHERE s NOT LIKE '{pattern}'"
        if pattern.isascii():  # ILIKE folds ASCII letters alone, see docs/sql.md
            yield f"SELECT count(*), sum(id) FROM $ WHERE s ILIKE '{pattern}'"
    for start in PLACES:
        yield f"SELECT id, substring(s, {start}) AS x, left(s, {start}) AS y, right(s, {start}) AS z FROM $ ORDER BY id"
        for length in (-3, -1, 0, 1, 2, 7):
            yield f"SELECT id, substring(s, {start}, {length}) AS x FROM $ ORDER BY id"
    for count in PLACES:
        yield (
            f"SELECT id, split_part(s, ',', {count}) AS a, split_part(s, '', {count}) AS b, split_part(s, 'oo', {count}) AS c, "
            f"lpad(s, {count}, 'xy') AS d, rpad(s, {count}, '\u65e5') AS e, repeat(s, {count}) AS f FROM $ ORDER BY id"
        )
    for characters in ["", "a", "abA", "\u65e5 \u00fc", "e\u0301", "x%"]:
        yield (
            f"SELECT id, trim(s, '{characters}') AS a, ltrim(s, '{characters}') AS b, rtrim(s, '{characters}') AS c, "
            f"translate(s, '{characters}', 'z') AS d, translate(s, 'a\u65e5oa', '{characters}') AS e FROM $ ORDER BY id"
        )
    for place, expression in enumerate(EXPRESSIONS):
        options = ["c", "i", "s", "l", "im"][place % 5]
        replacement = REPLACEMENTS[place % 5]
        yield (
            f"SELECT id, regexp_matches(s, '{expression}') AS a, s ~ '{expression}' AS b, s !~* '{expression}' AS c, "
            f"regexp_full_match(s, '{expression}') AS d, s SIMILAR TO '{expression}' AS e, s NOT SIMILAR TO '{expression}' AS f, "
            f"regexp_matches(s, '{expression}', '{options}') AS g FROM $ ORDER BY id"
        )
        yield (
            f"SELECT id, regexp_extract(s, '{expression}') AS a, regexp_extract(s, '{expression}', 1) AS b, "
            f"regexp_extract(s, '{expression}', 2, '{options}') AS c, regexp_replace(s, '{expression}', '{replacement}') AS d, "
            f"regexp_replace(s, '{expression}', '{replacement}', 'g') AS e FROM $ ORDER BY id"
        )
        yield f"SELECT regexp_replace(u, '[0-9]{expression}', '') AS x, count(*), min(id) FROM $ GROUP BY x ORDER BY x"
        yield f"SELECT count(*), sum(id) FROM $ WHERE u ~ '{expression}' AND NOT m SIMILAR TO '.A.*'"
    for kind in TYPES:
        yield f"SELECT id, TRY_CAST(v AS {kind}) AS a FROM $ ORDER BY id"
        yield f"SELECT v, TRY_CAST(v AS {kind}) IS NULL AS a, count(*), min(id) FROM $ GROUP BY v, a ORDER BY v, a"
    yield from (
        "SELECT id, n::INTEGER AS a, n::DOUBLE + 1 AS b, n::SMALLINT * k AS c, CAST(n AS DECIMAL(9,2)) AS d FROM $ ORDER BY id",
        "SELECT n::INTEGER % 10 AS x, count(*), sum(n::BIGINT), avg(CAST(n AS FLOAT)) FROM $ GROUP BY x ORDER BY x",
        "SELECT count(*), sum(id) FROM $ WHERE n::INTEGER > 100 AND TRY_CAST(v AS DATE) > '2020-01-15'",
        "SELECT year(TRY_CAST(v AS TIMESTAMP)) AS x, count(*) FROM $ WHERE v LIKE '2020%' GROUP BY x ORDER BY x",
        "SELECT id, CAST(substring(n, 1, 1) || '1' AS VARCHAR) AS a, TRY_CAST(substring(v, 1, 4) AS INTEGER) AS b FROM $ ORDER BY id",
        "SELECT id, regexp_replace(s, '^(.)(.*)$', '\\2\\1') AS a, upper(regexp_extract(s, '([a-z])([a-z])', 2)) AS b FROM $ ORDER BY id",
        "SELECT id, reverse(s) AS a, hex(s) AS b, ascii(s) AS c, unicode(s) AS d, ord(m) AS e, bit_length(s) AS f FROM $ ORDER BY id",
        "SELECT id, s ^@ 'a' AS a, trim(BOTH 'a' FROM s) AS b, trim(TRAILING FROM s) AS c, chr(26085) AS d FROM $ ORDER BY id",
        "SELECT id, concat(s) AS a, concat('<', s, '>', NULL, 1, 2.50, true) AS b, concat(NULL, DATE '2020-01-31') AS c FROM $ ORDER BY id",
        "SELECT id, concat_ws('-', s) AS a, concat_ws(', ', 'a', s, '', 'b') AS b, concat_ws('', NULL, s) AS c FROM $ ORDER BY id",
        "SELECT id, concat_ws(NULL, s) AS d FROM $ ORDER BY id",
        "SELECT concat(m, '!') AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT ascii(u) AS x, count(*), sum(ascii(s)) FROM $ WHERE unicode(s) > 96 GROUP BY x ORDER BY x",
        "SELECT split_part(u, 'o', 1) AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT length(repeat(reverse(s), 3)) AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT count(*) FROM $ WHERE regexp_matches(s, NULL) OR s ~ 'a' OR regexp_replace(m, 'A', NULL) = ''",
        "SELECT id, 'abc' ~ 'b' AS a, regexp_replace('h\u00e4h\u00e4', '\u00e4', 'a', 'g') AS b FROM $ ORDER BY id LIMIT 2",
        "SELECT count(*) FROM $ WHERE s LIKE 'x!%y' ESCAPE '!'",
        "SELECT count(*) FROM $ WHERE s NOT LIKE 'a!_b' ESCAPE '!'",
        "SELECT count(*) FROM $ WHERE s LIKE NULL",
        "SELECT id, upper(m), lower(m), length(s), strlen(s) FROM $ ORDER BY id",
        "SELECT upper(m) AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT length(s) AS l, count(*), min(id) FROM $ GROUP BY l ORDER BY l",
        "SELECT id, trim(s) AS a, ltrim(s) AS b, rtrim(s) AS c FROM $ ORDER BY id",
        "SELECT id, replace(s, 'a', '<>') AS a, replace(s, '', 'x') AS b FROM $ ORDER BY id",
        "SELECT id, contains(s, 'oo') AS a, starts_with(s, 'ab') AS b, ends_with(s, 'c') AS c, prefix(s, 'A') AS d, suffix(s, '') AS e "
        "FROM $ ORDER BY id",
        "SELECT id, strpos(s, 'o') AS a, position('a' IN s) AS b, instr(s, '\u8a9e') AS c FROM $ ORDER BY id",
        "SELECT id, s || '!' AS a, 'x' || s AS b FROM $ ORDER BY id",
        "SELECT count(*) FROM $ WHERE s < 'b'",
        "SELECT count(*) FROM $ WHERE s >= 'a' AND s <= 'google'",
        "SELECT count(*) FROM $ WHERE 'b' > s",
        "SELECT count(*) FROM $ WHERE s BETWEEN 'A' AND 'a'",
        "SELECT count(*) FROM $ WHERE NOT (s < 'c' OR s IS NULL)",
        "SELECT id, CASE WHEN k > 50 THEN 'high' WHEN k > 20 THEN 'mid' ELSE s END AS x FROM $ ORDER BY id",
        "SELECT id, coalesce(m, 'none') AS x FROM $ ORDER BY id",
        "SELECT coalesce(m, s, '?') AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT CASE WHEN m = 'MAIL' THEN 'yes' END AS x, count(*), sum(k) FROM $ GROUP BY x ORDER BY x",
        "SELECT count(*) FROM $ WHERE CASE WHEN k > 50 THEN m ELSE s END = 'MAIL'",
        "SELECT upper(substring(s, 1, 2)) AS x, count(*) FROM $ WHERE lower(s) LIKE 'a%' GROUP BY x ORDER BY x",
        "SELECT length(substring(upper(s), 2)) AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT m, sum(length(u)) AS t, max(length(u)) FROM $ WHERE u LIKE 'a%' GROUP BY m ORDER BY m",
        "SELECT count(*) FROM $ WHERE u LIKE '%1%' AND m = 'AIR'",
        "SELECT count(*) FROM $ WHERE upper(m) IN ('MAIL', 'SHIP')",
        "SELECT id, length('h\u00e4b') AS x, upper('a') AS y FROM $ ORDER BY id LIMIT 3",
        "SELECT DISTINCT lower(m) AS x FROM $ ORDER BY x",
        "SELECT nullif(m, 'AIR') AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT if(k > 5, 'a', 'b') AS x, count(*) FROM $ GROUP BY x ORDER BY x",
        "SELECT id, s FROM $ WHERE s > 'a' ORDER BY lower(s) DESC, id LIMIT 20",
        "SELECT m, count(*) FROM $ GROUP BY m HAVING m LIKE '%A%' ORDER BY m",
        "SELECT count(*), sum(id) FROM $ WHERE s = 'google' OR s = '' OR s IN ('a', 'zz')",
        "SELECT count(*), count(s), count(DISTINCT u) FROM $ WHERE m <> 'AIR' AND s IS NOT NULL",
        "SELECT count(*) FROM $ WHERE s NOT IN ('a', '\u00fcber') AND k < 50",
        "SELECT u, s FROM $ WHERE u LIKE '%77%' AND s <> '' ORDER BY u, s",
        "SELECT s, m, count(*), sum(length(u)) FROM $ WHERE u NOT LIKE '%1%' GROUP BY s, m ORDER BY s, m",
        "SELECT count(*) FILTER (WHERE s LIKE 'a%') AS x, sum(CASE WHEN m LIKE 'M%' THEN k ELSE 0 END) AS y FROM $",
    )


def over(text, file):
    return text.replace("FROM $", f"FROM '{file}'")


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-strings-") as folder:
        table = make_table(7)
        pyarrow.parquet.write_table(table, f"{folder}/rows.parquet", row_group_size=1800)
        with (
            pyarrow.OSFile(f"{folder}/plain.arrow", "wb") as sink,
            pyarrow.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table, max_chunksize=700)
        subprocess.run(
            [
                options.penstock,
                "encode",
                f"{folder}/plain.arrow",
                "-o",
                f"{folder}/encoded.arrow",
                "--codec",
                "s=fsst,u=fsst,m=fsst,v=fsst,n=fsst",
            ],
            check=True,
            capture_output=True,
        )
        oracle = Oracle(folder)
        expected = [(text, oracle.answer(over(text, "rows.parquet"))) for text in statements()]
        for driver in drivers(options, folder, tally):
            for file in ("rows.parquet", "plain.arrow", "encoded.arrow"):
                cases = [(over(text, file), theirs) for text, theirs in expected]
                check_answers(driver, tally, cases, lambda place: 640 if place % 2 else 0)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
