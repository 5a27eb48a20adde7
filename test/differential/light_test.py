"""Statements over Arrow files in light encodings against DuckDB over the Parquet files they were made from.

    light_test.py QUERY_DRIVER PENSTOCK [--statements 16] [--files 12] [--seed N] [--device ID]

Each file's columns have encodings that are drawn among their types' encodings. Kernels load rows
out of them; in every fourth case the host decodes them.
"""

import itertools
import os
import random
import subprocess
import sys
import tempfile

import pages_test
import pyarrow.parquet
import tables
from driver import Tally, drivers, test_options
from oracle import Oracle

ROW_COUNTS = [0, 1, 31, 1023, 1024, 1025, 3000, 20000]
WHOLE = ["bitpack", "for", "delta", "rle", "dictionary", "auto"]
FLOATS = ["alp", "rle", "dictionary", "auto"]
IDS = ["for", "delta", "auto"]


PLAIN = ["b", "s", "i16"]  # the same columns in every file, for which a kernel is compiled once


def codec_of(name, rng):
    kind = name.removesuffix("n")
    if kind in PLAIN:
        return None
    return rng.choice(FLOATS if kind in ("f32", "f64") else WHOLE)


def make_files(penstock, folder, count, seed):
    """Returns pairs: the Parquet file, and the Arrow file of the same rows."""
    paths = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        table = tables.make(
            f"{seed}/{number}",
            ROW_COUNTS[number % len(ROW_COUNTS)],
            True,
            null_share=rng.choice([0.0, 0.01, 0.3, 1.0]),
            kinds=pages_test.KINDS,
        )
        plain, encoded = f"light{number}.parquet", f"light{number}.arrow"
        pyarrow.parquet.write_table(table, os.path.join(folder, plain))
        chosen = {name: codec_of(name, rng) for name in table.column_names if name != "id"}
        chosen["id"] = rng.choice(IDS)
        codecs = ",".join(f"{name}={codec}" for name, codec in chosen.items() if codec)
        subprocess.run(
            [penstock, "encode", plain, "-o", encoded, "--codec", codecs],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        paths.append((plain, encoded))
    return paths


def main():
    options, tally = test_options(statements=16, files=12, seed=1), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-light-") as folder:
        paths = make_files(options.penstock, folder, options.files, options.seed)
        oracle, statements = Oracle(folder), pages_test.Statements(options.seed)
        cases = []
        for (text, sort_keys), (plain, encoded) in itertools.product(
            [statements.next() for _ in range(options.statements)], paths
        ):
            theirs = oracle.answer(text.replace("$", f"'{plain}'"), sort_keys)
            assert not theirs.error, f"{text}: {theirs.message}"
            cases.append((text.replace("$", f"'{encoded}'"), encoded, theirs, sort_keys))
        for driver in drivers(options, folder, tally):
            for place, (statement, path, theirs, sort_keys) in enumerate(cases):
                driver.set(
                    pages="host" if place % 4 == 3 else "device",
                    batch_rows=[0, 1024, 640][place % 3],
                )
                pages_test.check(driver, tally, statement, path, theirs, sort_keys)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
