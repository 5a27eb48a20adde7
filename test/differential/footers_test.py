"""Parquet files with wrong footers, and pages without values: right rows, or a refusal by name.

    footers_test.py QUERY_DRIVER PENSTOCK [--device ID]

DuckDB answers over the file as it was written.
"""

import os
import sys
import tempfile

import pyarrow
import pyarrow.ipc
import pyarrow.parquet

from answers import difference
from driver import Tally, drivers, test_options
from oracle import Oracle
from parquet_parts import (
    BINARY,
    CHUNK_META,
    FILE_ROWS,
    FILE_WRITER,
    GROUP_ROWS,
    I32,
    I64,
    KIND_DICTIONARY,
    META_STATISTICS,
    META_TYPE,
    META_VALUES,
    SCHEMA_NAME,
    STATISTICS_NULLS,
    STRUCT,
    ParquetParts,
    empty_page,
    put_together,
)

A, B, D, S = range(4)
EVERY_ROW = "SELECT a, b, d, s FROM $"
# Statements that read NULLs of column a, or only count them.
OF_NULLS = [
    "SELECT a FROM $",
    "SELECT count(a) AS n FROM $",
    "SELECT count(a) AS n, count(*) AS m, sum(b) AS t FROM $",
    "SELECT sum(a) AS t, min(a) AS x, avg(a) AS y FROM $",
    "SELECT b, count(a) AS n FROM $ GROUP BY b ORDER BY b",
    "SELECT count(*) AS n FROM $ WHERE a IS NULL",
    "SELECT count(*) AS n FROM $ WHERE a IS NOT NULL",
    "SELECT b FROM $ WHERE coalesce(a, 0) = 0",
    "SELECT b FROM $ WHERE a IS DISTINCT FROM 5",
    "SELECT min(a) AS x, max(a) AS y FROM $",
    "SELECT b FROM $ WHERE a = 7",
    "SELECT a, b FROM $ ORDER BY a NULLS FIRST, b LIMIT 5",
]


def rows():
    """Two row groups of 150 rows: numbers with NULLs, without, floats, strings."""
    return pyarrow.table(
        {
            "a": pyarrow.array([5, None, 7] * 100, pyarrow.int32()),
            "b": pyarrow.array([i % 4 for i in range(300)], pyarrow.int64()),
            "d": pyarrow.array([i / 2 for i in range(300)], pyarrow.float64()),
            "s": pyarrow.array(["x", "yy", None] * 100),
        },
        schema=pyarrow.schema(
            [
                pyarrow.field("a", pyarrow.int32()),
                pyarrow.field("b", pyarrow.int64(), nullable=False),
                pyarrow.field("d", pyarrow.float64()),
                pyarrow.field("s", pyarrow.string()),
            ]
        ),
    )


class Footers:
    def __init__(self, folder, driver, oracle, tally):
        self.folder, self.driver, self.oracle, self.tally = folder, driver, oracle, tally
        self.number = 0
        self.write("whole.parquet")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, **options):
        options = {"compression": "snappy", "row_group_size": 150, **options}
        pyarrow.parquet.write_table(rows(), self.path(name), **options)
        return ParquetParts(self.path(name))

    def changed(self, change, **options):
        """The name of a file; change(footer, meta of each chunk of a column) changes its footer."""
        self.number += 1
        name = f"changed{self.number}.parquet"
        pages, footer = self.write(name, **options).place_pages()
        groups = footer[4][1][1]
        change(footer, lambda column: [g[1][1][1][column][CHUNK_META][1] for g in groups])
        with open(self.path(name), "wb") as file:
            file.write(put_together(pages, footer))
        return name

    def ask(self, text, name, pages="host", validate=0):
        self.driver.set(pages=pages, validate=validate)
        return self.driver.answer(text.replace("$", f"'{name}'"))

    def answers(self, claim, name, texts, validate=0, ways=("host", "device")):
        """Every way to read the file gives DuckDB's answer over the whole one."""
        for text in texts:
            theirs = self.oracle.answer(text.replace("$", "'whole.parquet'"))
            assert not theirs.error, theirs.message
            for pages in ways:
                ours = self.ask(text, name, pages, validate)
                wrong = f"{ours.error}: {ours.message}" if ours.error else difference(ours, theirs)
                self.tally.check(f"{self.driver.device}: {claim}, {pages}: {text}", wrong)

    def refuses(self, claim, name, texts, *words):
        for text in texts:
            for pages in ("host", "device"):
                ours = self.ask(text, name, pages)
                missing = [word for word in (name, *words) if word not in ours.message]
                wrong = None
                if ours.error != "corrupt" or missing:
                    wrong = f"{ours.error or 'an answer'}: {ours.message}, without {missing}"
                self.tally.check(f"{self.driver.device}: {claim}, {pages}: {text}", wrong)


def pages_without_values(footers):
    for version in ("1.0", "2.0"):
        for codec in ("none", "snappy", "zstd"):
            for coded in (True, False):
                name = f"empty_{version}_{codec}_{coded}.parquet"
                parts = footers.write(
                    name,
                    compression=codec,
                    use_dictionary=coded,
                    data_page_version=version,
                    data_page_size=200,
                    write_batch_size=50,
                )
                for (group, column), pages in parts.pages.items():
                    data = [page for page in pages if page.kind != KIND_DICTIONARY]
                    empty = empty_page(data[0], parts.meta(group, column), column != B)
                    among = [one for page in data for one in (empty, empty, page)]
                    parts.pages[group, column] = pages[: -len(data)] + among + [empty]
                with open(footers.path(name), "wb") as file:
                    file.write(put_together(*parts.place_pages()))
                footers.answers("pages without values", name, [EVERY_ROW, OF_NULLS[1]])


def counts_of_values(footers):
    def change(_, chunks):
        chunks(A)[0][META_VALUES] = [I64, 3]

    name = footers.changed(change)
    asked = ["SELECT count(a) AS n FROM $", "SELECT min(a) AS x FROM $", "SELECT a FROM $"]
    words = ("column 'a'", "row group 0", "claims 3 values for 150 rows")
    footers.refuses("a chunk with fewer values than rows", name, asked, *words)
    others = ["SELECT count(*) AS n FROM $", "SELECT b FROM $", "SELECT max(b) AS x FROM $"]
    footers.answers("beside a chunk with fewer values", name, others)

    def change_rows(footer, _):
        footer[4][1][1][1][GROUP_ROWS] = [I64, 149]

    name = footers.changed(change_rows)
    words = ("row group 1 claims 149 rows",)
    footers.refuses("a row group with fewer rows", name, others, *words)


def types_of_chunks(footers):
    def change(_, chunks):
        for chunk in chunks(D):
            chunk[META_TYPE] = [I32, 1]

    name = footers.changed(change)
    asked = ["SELECT d FROM $", "SELECT max(d) AS x FROM $", "SELECT count(d) AS n FROM $"]
    footers.refuses("a chunk of another type", name, asked, "column 'd'", "INT32", "DOUBLE")


def counts_of_nulls(footers):
    for claimed in (0, 150, 49, -1, 1000):

        def change(_, chunks, claimed=claimed):
            for chunk in chunks(A):
                chunk[META_STATISTICS][1][STATISTICS_NULLS] = [I64, claimed]

        footers.answers(f"{claimed} NULLs claimed", footers.changed(change), OF_NULLS)

    def change_without_bounds(_, chunks):
        for chunk in chunks(A):
            chunk[META_STATISTICS] = [STRUCT, {STATISTICS_NULLS: [I64, 150]}]

    name = footers.changed(change_without_bounds)
    footers.answers("nothing but NULLs claimed", name, OF_NULLS)

    def change_strings(_, chunks):
        for chunk in chunks(S):
            chunk[META_STATISTICS][1][STATISTICS_NULLS] = [I64, 0]

    name = footers.changed(change_strings)
    asked = ["SELECT s FROM $", "SELECT count(s) AS n, count(*) AS m FROM $"]
    footers.answers("no NULL claimed among strings", name, asked)

    def change_writer(footer, chunks):
        footer[FILE_WRITER] = [BINARY, b"parquet-cpp-arrow version 4.0.0"]
        change_strings(footer, chunks)

    footers.answers("no NULL claimed by Arrow 4.0", footers.changed(change_writer), asked)
    join = "SELECT count(*) AS n FROM $ x, $ y WHERE x.s = y.s AND x.b = 1 AND y.b = 2"
    footers.answers("no NULL claimed on both sides of a join", name, [join])


def counts_of_rows(footers):
    for claimed in (0, 1, 1 << 40, -1):

        def change(footer, _, claimed=claimed):
            footer[FILE_ROWS] = [I64, claimed]

        asked = [
            EVERY_ROW,
            "SELECT count(*) AS n, sum(b) AS t FROM $",
            "SELECT count(*) AS n FROM $",
        ]
        footers.answers(f"{claimed} rows claimed of the file", footers.changed(change), asked)


def names_of_columns(footers):
    def change(footer, _):
        footer[2][1][1][1][SCHEMA_NAME] = [BINARY, b"a\xff"]

    words = ("the name of column 1 is not valid UTF-8",)
    asked = ["SELECT * FROM $", "SELECT count(*) AS n FROM $"]
    footers.refuses("a name that is not UTF-8", footers.changed(change), asked, *words)
    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({"b": [1], "name_of_a": [2]})
    with pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with open(footers.path("names.arrow"), "wb") as file:
        file.write(sink.getvalue().to_pybytes().replace(b"name_of_a", b"name_of_\xff"))
    words = ("the name of column 2 is not valid UTF-8",)
    footers.refuses("a name that is not UTF-8 in Arrow", "names.arrow", ["SELECT b FROM $"], *words)


def columns_not_asked_for(footers):
    parts = ParquetParts(footers.path("whole.parquet"))
    for page in parts.pages[0, D]:
        page.body = (
            page.body[:-1] + b"\xff" if page.kind == KIND_DICTIONARY else b"\xff" * len(page.body)
        )
    with open(footers.path("damaged.parquet"), "wb") as file:
        file.write(put_together(*parts.place_pages()))
    asked = [
        "SELECT count(*) AS n FROM $",
        "SELECT sum(b) AS t FROM $ WHERE b > 1",
        "SELECT b, count(a) AS n FROM $ GROUP BY b ORDER BY b",
        "SELECT a FROM $ ORDER BY a, b LIMIT 7",
    ]
    footers.answers("validated beside damage", "damaged.parquet", asked, 1, ("host",))
    table = rows().add_column(0, "blob", pyarrow.array([b"\xff"] * 300))
    pyarrow.parquet.write_table(table, footers.path("blob.parquet"), row_group_size=150)
    footers.answers("validated beside a BLOB", "blob.parquet", asked, 1, ("host",))


def statements_without_columns(footers):
    asked = ["SELECT 1 AS one FROM $ LIMIT 3", "SELECT count(*) AS n FROM $ WHERE 1 = 0"]
    footers.answers("no column is read", "whole.parquet", asked)


CLAIMS = [
    pages_without_values,
    counts_of_values,
    types_of_chunks,
    counts_of_nulls,
    counts_of_rows,
    names_of_columns,
    columns_not_asked_for,
    statements_without_columns,
]


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-footers-") as folder:
        oracle = Oracle(folder)
        for driver in drivers(options, folder, tally):
            footers = Footers(folder, driver, oracle, tally)
            for claim in CLAIMS:
                claim(footers)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
