"""Kernels that read Parquet's pages against DuckDB: every encoding, codec, version, NULL pattern.

    pages_test.py QUERY_DRIVER PENSTOCK [--statements 32] [--files 64] [--seed N] [--device ID]

Every statement is asked of every file, so that its kernel is compiled once or twice. Statements that kernels cannot answer out of
pages are refused by name; they are counted, and must stay few.
"""

import itertools
import os
import random
import sys
import tempfile

import pyarrow.parquet

import tables
from answers import difference, sorted_rows
from driver import Tally, drivers, test_options
from oracle import Oracle

KINDS = [
    "b",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u32",
    "u64",
    "f32",
    "f64",
    "d9_4",
    "d15_2",
    "dt",
    "ts",
    "s",
]
ROW_COUNTS = [0, 1, 31, 33, 129, 1000, 4097, 20000]
MAX_REFUSED = 0.05
INTEGERS = ["DICTIONARY", "PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
ENCODINGS = {
    "b": ["PLAIN", "RLE"],
    "f32": ["DICTIONARY", "PLAIN", "BYTE_STREAM_SPLIT"],
    "f64": ["DICTIONARY", "PLAIN", "BYTE_STREAM_SPLIT"],
    "d9_4": ["DICTIONARY", "PLAIN"],
    "d15_2": ["DICTIONARY", "PLAIN"],
    "s": ["DICTIONARY", "DICTIONARY", "PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
}


def write(table, path, number, rng, **more):
    """The number goes through codecs and page versions; the encodings of columns are drawn. `more` are pyarrow's options."""
    chosen = {
        name: rng.choice(ENCODINGS.get(name.removesuffix("n"), INTEGERS))
        for name in table.column_names
    }
    is_int96 = rng.random() < 0.3
    if is_int96:
        chosen |= {name: rng.choice(["DICTIONARY", "PLAIN"]) for name in ("ts", "tsn")}
    encodings = {name: encoding for name, encoding in chosen.items() if encoding != "DICTIONARY"}
    pyarrow.parquet.write_table(
        table,
        path,
        use_dictionary=[name for name, encoding in chosen.items() if encoding == "DICTIONARY"],
        column_encoding=encodings,
        compression=["none", "snappy", "zstd", "gzip", "lz4"][number % 5],
        data_page_version=["1.0", "2.0"][number // 5 % 2],
        row_group_size=rng.choice([100, 1000, 7000, 1 << 20]),
        data_page_size=rng.choice([64, 1000, 20000, 1 << 20]),
        # A dictionary that grows larger than this is given up, and the chunk goes on without.
        dictionary_pagesize_limit=rng.choice([100, 1 << 20]),
        write_statistics=rng.random() < 0.7,
        store_decimal_as_integer=rng.random() < 0.5,
        use_deprecated_int96_timestamps=is_int96,
        **more,
    )


def make_files(folder, count, seed):
    paths = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        table = tables.make(
            f"{seed}/{number}",
            ROW_COUNTS[number % len(ROW_COUNTS)],
            True,
            null_share=rng.choice([0.0, 0.01, 0.3, 0.9, 1.0]),
            kinds=KINDS,
        )
        paths.append(f"pages{number}.parquet")
        write(table, os.path.join(folder, paths[-1]), number, rng)
    return paths


class Statements:
    """Random statements. Values are tame: sums of floats are exact."""

    NUMBERS = [kind + n for kind in KINDS if kind not in ("b", "dt", "ts", "s") for n in ("", "n")]
    KEYS = [
        "i8",
        "i8n",
        "u8n",
        "b",
        "bn",
        "s",
        "sn",
        "d9_4n % 3",
        "year(dtn)",
        "i32 % 10",
        "lower(sn)",
        "substring(s, 1, 2)",
    ]

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def condition(self):
        number = self.rng.choice(self.NUMBERS)
        return self.rng.choice(
            [
                f"{number} > {self.rng.randrange(10)}",
                f"{number} <= {self.rng.randrange(10)} OR {self.rng.choice(self.NUMBERS)} IS NULL",
                f"{number} IN (1, 3, 5, 7)",
                "bn",
                "NOT b",
                "dt >= DATE '1995-06-01'",
                "tsn < TIMESTAMP '2000-01-01 12:00:00'",
                "dtn IS NOT NULL",
                "sn LIKE '%A%'",
                "s LIKE '_b%' OR s LIKE '%日%'",
                "sn = 'AIR'",
                "s IN ('a', '', 'NULL', 'key 7')",
                "sn > 'a'",
                "'b' >= s",
                "length(sn) > 2",
                "strlen(s) = 3",
                "sn IS NULL",
                "sn <> 'abc'",
            ]
        )

    def aggregate(self):
        number = self.rng.choice(self.NUMBERS)
        any_column = self.rng.choice([kind + n for kind in KINDS for n in ("", "n")])
        ordered = self.rng.choice([kind + n for kind in KINDS if kind != "s" for n in ("", "n")])
        return self.rng.choice(
            [
                f"sum({number})",
                f"avg({number})",
                f"min({ordered})",
                f"max({ordered})",
                f"count({any_column})",
                "count(*)",
                "sum(length(sn))",
                "sum(CASE WHEN s LIKE 'a%' THEN i32 ELSE 0 END)",
            ]
        )

    def next(self):
        """A text with $ for the file, and how many keys its rows are sorted by."""
        where = f" WHERE {self.condition()}" + (
            f" AND ({self.condition()})" if self.rng.random() < 0.5 else ""
        )
        shape = self.rng.randrange(4)
        aggregates = ", ".join(self.aggregate() for _ in range(self.rng.randrange(1, 5)))
        if shape == 0:
            keys = self.rng.sample(self.KEYS, self.rng.randrange(1, 3))
            places = ", ".join(str(1 + i) for i in range(len(keys)))
            return f"SELECT {', '.join(keys)}, {aggregates} FROM $ GROUP BY {places}", len(keys)
        if shape == 1:
            columns = self.rng.sample([kind + n for kind in KINDS for n in ("", "n")], 3)
            text = self.rng.choice(["s", "sn", "upper(sn)", "lower(s)"])
            return f"SELECT id, {', '.join(columns)}, {text} FROM ${where}", 0
        return f"SELECT {aggregates} FROM ${where if shape == 2 else ''}", 0


def check(driver, tally, statement, path, theirs, sort_keys):
    ours = driver.answer(statement)
    if ours.error == "unsupported" and "cannot be decoded on a device" in ours.message:
        return tally.refuse(ours.message[ours.message.index("cannot be decoded") :])
    if ours.error:
        wrong = f"{ours.error}: {ours.message}"
    else:
        wrong = difference(sorted_rows(ours, sort_keys) if sort_keys else ours, theirs)
    tally.check(f"{driver.device}: {statement}", wrong)


def main():
    options, tally = test_options(statements=32, files=64, seed=1), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-pages-") as folder:
        paths = make_files(folder, options.files, options.seed)
        oracle, statements = Oracle(folder), Statements(options.seed)
        # DuckDB 2.0.0 finds a string of DELTA_LENGTH_BYTE_ARRAY to be NULL by a filter that its
        # reader applies: of pages11.parquet it counts 33 NULLs, where Arrow and its footer have 32.
        oracle.connection.execute("SET disabled_optimizers = 'filter_pushdown'")
        cases = []
        for (text, sort_keys), path in itertools.product(
            [statements.next() for _ in range(options.statements)], paths
        ):
            statement = text.replace("$", f"'{path}'")
            theirs = oracle.answer(statement, sort_keys)
            assert not theirs.error, f"{statement}: {theirs.message}"
            cases.append((statement, path, theirs, sort_keys))
        for driver in drivers(options, folder, tally):
            driver.set(pages="device")
            for case in cases:
                check(driver, tally, *case)
    total = tally.passed + tally.failed + tally.refused
    if tally.refused > MAX_REFUSED * total:
        tally.fail("refusals", f"{tally.refused} of {total} cases were refused")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
