"""Rows of more columns than a kernel has parameters, against DuckDB: columns are gathered by row number, by the host and out of pages.

wide_rows_test.py QUERY_DRIVER PENSTOCK [--device ID]
"""

import datetime
import decimal
import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet

from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

ROWS = 9000
COPIES = 4


def makers(rng):
    """A type and a value of it, of each kind that pages store differently."""
    decimals = lambda digits, scale: decimal.Decimal(
        rng.randrange(-(10**digits) + 1, 10**digits)
    ).scaleb(-scale)
    days = lambda: datetime.date(1990, 1, 1) + datetime.timedelta(rng.randrange(20000))
    return {
        "b": (pyarrow.bool_(), lambda: rng.random() < 0.5),
        "i8": (pyarrow.int8(), lambda: rng.randrange(-128, 128)),
        "u8": (pyarrow.uint8(), lambda: rng.randrange(256)),
        "i16": (pyarrow.int16(), lambda: rng.randrange(-(2**15), 2**15)),
        "u16": (pyarrow.uint16(), lambda: rng.randrange(2**16)),
        "i32": (pyarrow.int32(), lambda: rng.randrange(-(2**31), 2**31)),
        "u32": (pyarrow.uint32(), lambda: rng.randrange(2**32)),
        "i64": (pyarrow.int64(), lambda: rng.randrange(-(2**63), 2**63)),
        "f": (pyarrow.float32(), lambda: rng.randrange(-1000, 1000) / 8),
        "d": (pyarrow.float64(), lambda: rng.gauss(0, 1e9)),
        "dt": (pyarrow.date32(), days),
        "ts": (
            pyarrow.timestamp("us"),
            lambda: datetime.datetime(2020, 1, 1, 0, 0, rng.randrange(60)),
        ),
        "p5": (pyarrow.decimal128(5, 2), lambda: decimals(5, 2)),
        "p15": (pyarrow.decimal128(15, 3), lambda: decimals(15, 3)),
        "few": (pyarrow.string(), lambda: rng.choice(["", "a", "\u00fcber", "zz"])),
        "many": (pyarrow.string(), lambda: "text " * rng.randrange(3) + str(rng.randrange(10**6))),
    }


def make_table(seed):
    rng = random.Random(seed)
    columns = {"id": pyarrow.array(range(ROWS), pyarrow.int32())}
    for copy in range(COPIES):
        share_of_nulls = (0, 0.3, 0.01, 1)[copy]
        for name, (type, value) in makers(rng).items():
            values = [None if rng.random() < share_of_nulls else value() for _ in range(ROWS)]
            columns[f"{name}_{copy}"] = pyarrow.array(values, type)
    return pyarrow.table(columns)


STATEMENTS = (
    "SELECT * FROM $ ORDER BY id LIMIT 9",
    "SELECT * FROM $ ORDER BY i32_0 DESC, id LIMIT 7",
    "SELECT * FROM $ WHERE many_0 LIKE '%77%' ORDER BY ts_1, id LIMIT 11",
    "SELECT * FROM $ WHERE few_1 = 'zz' ORDER BY many_2 DESC, id LIMIT 5 OFFSET 3",
    "SELECT * FROM $ WHERE id % 500 = 3",
    "SELECT *, i16_0 + 1 AS computed FROM $ WHERE id BETWEEN 2990 AND 3010",
    "SELECT * FROM $ WHERE id < 0",
    "SELECT * FROM $ WHERE b_0 ORDER BY d_0 LIMIT 3",
)


def main():
    options, tally = test_options(), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-wide-rows-") as folder:
        pyarrow.parquet.write_table(
            make_table(5),
            f"{folder}/rows.parquet",
            row_group_size=3000,
            use_dictionary=[
                f"{name}_{copy}" for name in ("few", "i16", "dt") for copy in range(COPIES)
            ],
        )
        oracle = Oracle(folder)
        texts = [text.replace("$", "'rows.parquet'") for text in STATEMENTS]
        cases = [(text, oracle.answer(text)) for text in texts]
        for driver in drivers(options, folder, tally):
            for pages in ("host", "device"):
                for cache in (0, 64):
                    driver.set(pages=pages, cache=cache)
                    label = f"{pages}, {cache} MiB: "
                    check_answers(driver, tally, cases + cases, lambda _: 0, label=label)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
