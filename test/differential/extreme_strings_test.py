"""Strings of 0 bytes and of 16 MiB, bytes that are not UTF-8, by dictionaries and by plain pages, against DuckDB.

extreme_strings_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

ROWS = 4000
MEBIBYTE = 1 << 20


def long_text(rng, size):
    part = "".join(rng.choice("abcdefgh \u00e9\u8336") for _ in range(997))
    return (part * (size // 997 + 1))[:size]


def make_tables(seed):
    """The same rows, and a few that are long; `r` repeats, `u` hardly does."""
    rng = random.Random(seed)
    short = [
        "",
        "a",
        "ab",
        "\0",
        "a\0",
        "a\0b",
        " ",
        "\u00e9",
        "\u8336",
        "\U0001f600",
        "aaaaaaa",
        "aaaaaaaa",
    ]
    maybe = lambda value: None if rng.random() < 0.1 else value
    rows = {
        "r": [maybe(rng.choice(short)) for _ in range(ROWS)],
        "u": [maybe(rng.choice(short) + str(rng.randrange(ROWS))) for _ in range(ROWS)],
        "e": [maybe("") for _ in range(ROWS)],
    }
    table = pyarrow.table(
        {name: pyarrow.array(values, pyarrow.string()) for name, values in rows.items()}
    )
    table = table.append_column("id", pyarrow.array(range(ROWS), pyarrow.int32()))
    sizes = [0, 1, MEBIBYTE - 1, MEBIBYTE, 16 * MEBIBYTE, 16 * MEBIBYTE, 0]
    texts = [long_text(rng, size) for size in sizes]
    texts[5] = texts[4][:-1] + "z"  # they differ in the last character alone
    long = pyarrow.table(
        {
            "r": pyarrow.array([*texts, None, texts[4]], pyarrow.string()),
            "id": pyarrow.array(range(9), pyarrow.int32()),
        }
    )
    # Bytes that are no text, as a column of bytes.
    blobs = [
        b"",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf8\x88\x80\x80\x80",
        b"a\x80b",
        b"plain",
        None,
    ]
    bytes_ = pyarrow.table(
        {
            "b": pyarrow.array([rng.choice(blobs) for _ in range(ROWS)], pyarrow.binary()),
            "id": pyarrow.array(range(ROWS), pyarrow.int32()),
        }
    )
    return {"short": table, "long": long, "bytes": bytes_}


def statements_of_short():
    for column in ("r", "u", "e"):
        yield f"SELECT count(*) AS n, count({column}) AS p, count(DISTINCT {column}) AS d, min({column}) AS a, max({column}) AS z FROM $"
        yield f"SELECT {column} AS x, count(*) AS n, min(id) AS i FROM $ GROUP BY x ORDER BY n DESC, x LIMIT 50"
        yield f"SELECT id, {column} AS x FROM $ ORDER BY x DESC NULLS LAST, id LIMIT 20"
        yield f"SELECT count(*) AS n FROM $ WHERE {column} = ''"
        yield f"SELECT count(*) AS n FROM $ WHERE {column} <> '' AND {column} LIKE '%a%'"
        yield f"SELECT length({column}) AS l, strlen({column}) AS s, {column} || 'x' AS x, id FROM $ ORDER BY id LIMIT 99"
        yield f"SELECT upper({column}) AS x, count(*) AS n FROM $ GROUP BY x ORDER BY x LIMIT 30"
        yield f"SELECT {column} LIKE '' AS l, {column} LIKE '_' AS o, count(*) AS n FROM $ GROUP BY ALL ORDER BY ALL"
        yield f"SELECT substr({column}, 2) AS x, left({column}, 1) AS y, count(*) AS n FROM $ GROUP BY x, y ORDER BY x, y LIMIT 60"
        yield f"SELECT count(*) AS n FROM $ a JOIN $ b ON a.{column} = b.{column} AND a.id = b.id"
        yield f"SELECT replace({column}, '', 'x') AS x, instr({column}, '') AS i, id FROM $ ORDER BY id LIMIT 40"
    yield "SELECT r, lag(u) OVER (PARTITION BY r ORDER BY id) AS l FROM $ ORDER BY id LIMIT 100"
    yield "SELECT count(*) AS n FROM $ a JOIN (SELECT DISTINCT r FROM $) b ON a.r = b.r"


def statements_of_long():
    yield "SELECT id, strlen(r) AS s, length(r) AS l, left(r, 9) AS x, right(r, 9) AS y FROM $ ORDER BY id"
    yield "SELECT count(DISTINCT r) AS d, count(r) AS p FROM $"
    yield "SELECT md5(r) AS m, count(*) AS n FROM $ GROUP BY r ORDER BY m"
    yield "SELECT md5(max(r)) AS z, strlen(min(r)) AS a FROM $"
    yield "SELECT id FROM $ ORDER BY r, id"
    yield "SELECT count(*) AS n FROM $ WHERE r LIKE '%z'"
    yield "SELECT a.id, b.id AS other FROM $ a JOIN $ b ON a.r = b.r ORDER BY a.id, other"
    yield "SELECT id, md5(upper(r)) AS m, instr(r, 'z') AS i FROM $ ORDER BY id"
    yield "SELECT id, strlen(r || r) AS s, md5(replace(r, 'a', 'bb')) AS m FROM $ ORDER BY id"


def statements_of_bytes():
    yield "SELECT count(*) AS n, count(b) AS p, count(DISTINCT b) AS d FROM $"
    yield "SELECT hex(b) AS x, count(*) AS n FROM $ GROUP BY x ORDER BY x"
    yield "SELECT id, hex(b) AS x, octet_length(b) AS l FROM $ ORDER BY b, id LIMIT 200"
    yield "SELECT hex(min(b)) AS a, hex(max(b)) AS z FROM $"


STATEMENTS = {
    "short": statements_of_short,
    "long": statements_of_long,
    "bytes": statements_of_bytes,
}


def write(folder, tables):
    """Each table with a dictionary, without one, and with one that ends in the middle of a column."""
    forms = {
        "dictionary": {},
        "plain": {"use_dictionary": False},
        "both": {"dictionary_pagesize_limit": 64},
    }
    for name, table in tables.items():
        for form, options in forms.items():
            pyarrow.parquet.write_table(
                table,
                f"{folder}/{name}-{form}.parquet",
                row_group_size=1500,
                data_page_size=4096,
                **options,
            )
    return forms


def write_invalid_text(folder):
    """A column that is said to be text, and has bytes that are none."""
    values = [b"plain", b"\xff\xfe", b"", None, b"a\x80"]
    table = pyarrow.table({"s": pyarrow.array(values, pyarrow.binary()).view(pyarrow.string())})
    for form, dictionary in (("dictionary", True), ("plain", False)):
        pyarrow.parquet.write_table(
            table, f"{folder}/invalid-{form}.parquet", use_dictionary=dictionary
        )


def check_invalid_text(driver, oracle, tally):
    """DuckDB refuses the file. An answer here is an error too, which says so."""
    for form in ("dictionary", "plain"):
        for statement in (
            "SELECT count(DISTINCT s) AS n FROM $",
            "SELECT s FROM $",
            "SELECT max(s) AS m FROM $",
            "SELECT upper(s) AS u FROM $",
            "SELECT count(*) AS n FROM $ WHERE s LIKE '%a%'",
        ):
            text = statement.replace("$", f"'invalid-{form}.parquet'")
            theirs, ours = oracle.answer(text), driver.answer(text)
            assert theirs.error, text
            wrong = (
                ""
                if ours.error == "corrupt" and "UTF-8" in ours.message
                else f"{ours.error} {ours.message}"
            )
            tally.check(f"{driver.device}: {text}", wrong)


def main():
    options = test_options(seed=52)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        forms = write(folder, make_tables(options.seed))
        write_invalid_text(folder)
        oracle = Oracle(folder)
        cases = [
            (text.replace("$", f"'{name}-{form}.parquet'"))
            for name, make in STATEMENTS.items()
            for form in forms
            for text in make()
        ]
        cases = [(text, oracle.answer(text)) for text in cases]
        for driver in drivers(options, folder, tally):
            for pages in ("host", "device"):
                driver.set(pages=pages)
                # Kernels read no strings of 16 MiB and no BLOBs (docs/limitations.md).
                read = [case for case in cases if pages == "host" or "'short-" in case[0]]
                check_answers(driver, tally, read, lambda place: 0, label=f"{pages} ")
            driver.set(pages="")
            check_invalid_text(driver, oracle, tally)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
