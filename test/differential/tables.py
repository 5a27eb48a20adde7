"""Makes tables of values that break things, and writes them in every format that is read.

A table has `id` (0, 1, 2...), and for each kind below a column that lacks no value ("i32") and one that lacks some ("i32n").
"""

import random

import numpy
import pyarrow
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

_INTEGERS = {
    "i8": (8, True),
    "i16": (16, True),
    "i32": (32, True),
    "i64": (64, True),
    "u8": (8, False),
    "u16": (16, False),
    "u32": (32, False),
    "u64": (64, False),
}
_DECIMALS = {"d4_1": (4, 1), "d9_4": (9, 4), "d15_2": (15, 2), "d18_0": (18, 0)}
KINDS = {
    "b": "BOOLEAN",
    "i8": "TINYINT",
    "i16": "SMALLINT",
    "i32": "INTEGER",
    "i64": "BIGINT",
    "u8": "UTINYINT",
    "u16": "USMALLINT",
    "u32": "UINTEGER",
    "u64": "UBIGINT",
    "f32": "FLOAT",
    "f64": "DOUBLE",
    **{name: f"DECIMAL({p},{s})" for name, (p, s) in _DECIMALS.items()},
    "dt": "DATE",
    "ts": "TIMESTAMP",
    "s": "VARCHAR",
}
COLUMNS = {
    "id": "BIGINT",
    **{name + suffix: kind for name, kind in KINDS.items() for suffix in ("", "n")},
}

FIRST_DAY, LAST_DAY = -719162, 2932896  # 0001-01-01 and 9999-12-31
DAY = 86_400_000_000
STRINGS = [
    "",
    "a",
    "A",
    "AIR",
    "REG AIR",
    "ab",
    "abc",
    "it's",
    "é",
    "日本",
    " ",
    "a ",
    "NULL",
    "0",
    "x" * 100,
    "\\",
    '"',
    "a,b",
    "%",
]


def arrow_type(kind):
    if kind in _INTEGERS:
        bits, signed = _INTEGERS[kind]
        return getattr(pyarrow, ("int" if signed else "uint") + str(bits))()
    if kind in _DECIMALS:
        return pyarrow.decimal128(*_DECIMALS[kind])
    return {
        "b": pyarrow.bool_(),
        "f32": pyarrow.float32(),
        "f64": pyarrow.float64(),
        "dt": pyarrow.date32(),
        "ts": pyarrow.timestamp("us"),
        "s": pyarrow.string(),
    }[kind]


def _integer(rng, low, high, tame):
    if tame:
        return rng.randint(max(low, -12), min(high, 12))
    branch = rng.randrange(4)
    if branch == 0:
        return rng.choice([low, low + 1, high, high - 1, 0, 1, max(low, -1)])
    if branch == 1:
        return rng.randint(max(low, -20), min(high, 20))
    if branch == 2:  # every magnitude alike
        value = rng.getrandbits(64) >> rng.randrange(64)
        return min(max(-value if rng.getrandbits(1) else value, low), high)
    return rng.randint(low, high)


def _real(rng, single, tame):
    if tame:
        return rng.randint(-400, 400) / 4
    largest, smallest = (
        (3.4028234663852886e38, 1e-45) if single else (1.7976931348623157e308, 5e-324)
    )
    branch = rng.randrange(3)
    if branch == 0:
        return rng.choice(
            [
                float("nan"),
                float("inf"),
                -float("inf"),
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                largest,
                -largest,
                smallest,
                -smallest,
                2.0**24,
                2.0**24 + 1,
                2.0**31,
                2.0**53,
                2.0**63,
                -(2.0**63),
                2.0**64,
                127.5,
                -128.5,
                0.1,
            ]
        )
    if branch == 1:
        return rng.uniform(-1000, 1000)
    bits = rng.getrandbits(32 if single else 64)
    return float(
        numpy.array([bits], dtype=numpy.uint32 if single else numpy.uint64).view(
            numpy.float32 if single else numpy.float64
        )[0]
    )


def value(rng, kind, tame):
    """Never None. Decimals as counts, dates as days, timestamps as microseconds."""
    if kind in _INTEGERS:
        bits, signed = _INTEGERS[kind]
        return _integer(
            rng,
            *((-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)),
            tame,
        )
    if kind in _DECIMALS:
        limit = 10 ** _DECIMALS[kind][0] - 1
        return (
            _integer(rng, -limit, limit, False)
            if not tame
            else rng.randint(-min(limit, 99999), min(limit, 99999))
        )
    if kind == "b":
        return bool(rng.getrandbits(1))
    if kind in ("f32", "f64"):
        return _real(rng, kind == "f32", tame)
    if kind == "dt":
        days = (8000, 12000) if tame else (FIRST_DAY, LAST_DAY)
        return (
            rng.choice([*days, 0, -1, 59, 10956, 11016, -719103])
            if not tame and rng.random() < 0.3
            else rng.randint(*days)
        )
    if kind == "ts":
        days = (8000, 12000) if tame else (FIRST_DAY, LAST_DAY)
        return rng.randint(*days) * DAY + rng.choice(
            [0, DAY - 1, 1, rng.randrange(DAY), rng.randrange(86400) * 1_000_000]
        )
    return rng.choice(STRINGS) if tame or rng.random() < 0.8 else f"key {rng.randrange(5000)}"


def array_of(kind, values):
    """An Arrow array of what value() gives, or None."""
    target = arrow_type(kind)
    if kind in ("b", "s") or kind in _INTEGERS or kind in ("f32", "f64"):
        return pyarrow.array(values, type=target)
    plain = pyarrow.array(values, type=pyarrow.int32() if kind == "dt" else pyarrow.int64())
    if kind in ("dt", "ts"):
        return plain.view(target)
    words = numpy.zeros((len(values), 2), dtype=numpy.int64)
    words[:, 0] = plain.fill_null(0).to_numpy()
    words[:, 1] = words[:, 0] >> 63
    mask = pyarrow.array([v is not None for v in values]).buffers()[1] if plain.null_count else None
    return pyarrow.Array.from_buffers(
        target, len(values), [mask, pyarrow.py_buffer(words)], plain.null_count
    )


def make(seed, rows, tame, null_share=0.2, kinds=KINDS):
    """`null_share` 1 makes the columns that may lack values lack all of them."""
    rng = random.Random(seed)
    columns, fields = (
        [pyarrow.array(range(rows), type=pyarrow.int64())],
        [pyarrow.field("id", pyarrow.int64(), nullable=False)],
    )
    for kind in kinds:
        # Long columns repeat a part: values are drawn one by one, and those are slow.
        part = [value(rng, kind, tame) for _ in range(min(rows, 5000))]
        values = (part * (rows // max(len(part), 1) + 1))[:rows]
        columns.append(array_of(kind, values))
        fields.append(pyarrow.field(kind, arrow_type(kind), nullable=False))
        rng.shuffle(values)
        columns.append(array_of(kind, [None if rng.random() < null_share else v for v in values]))
        fields.append(pyarrow.field(kind + "n", arrow_type(kind)))
    return pyarrow.Table.from_arrays(columns, schema=pyarrow.schema(fields))


def write_parquet(table, path, seed=0):
    """Seed 0 writes pyarrow's defaults; others draw what a writer can choose."""
    if seed == 0:
        return pyarrow.parquet.write_table(table, path)
    rng = random.Random(seed)
    dictionary = rng.choice([True, False, ["s", "i32n", "d15_2"]])
    encodings = {}
    if dictionary is False:
        for name, candidates in {
            "i32": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
            "i64n": ["PLAIN", "DELTA_BINARY_PACKED"],
            "f64": ["PLAIN", "BYTE_STREAM_SPLIT"],
            "s": ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"],
        }.items():
            if name in table.column_names:
                encodings[name] = rng.choice(candidates)
    elif isinstance(dictionary, list):
        dictionary = [name for name in dictionary if name in table.column_names]
    pyarrow.parquet.write_table(
        table,
        path,
        use_dictionary=dictionary,
        column_encoding=encodings or None,
        compression=rng.choice(["snappy", "zstd", "gzip", "none", "lz4"]),
        row_group_size=rng.choice([7, 64, 100, 1000, 1 << 20])
        if table.num_rows < 20000
        else rng.choice([4096, 10000, 1 << 20]),
        data_page_version=rng.choice(["1.0", "2.0"]),
        data_page_size=rng.choice([256, 4096, 1 << 20]),
        write_statistics=rng.random() < 0.7,
        store_decimal_as_integer=rng.random() < 0.5,
    )


def write(table, path):
    """By the ending: .parquet, .arrow (file), .arrows (stream), .csv."""
    if path.endswith(".parquet"):
        return write_parquet(table, path)
    if path.endswith(".csv"):
        return pyarrow.csv.write_csv(table, path)
    maker = pyarrow.ipc.new_file if path.endswith(".arrow") else pyarrow.ipc.new_stream
    with maker(path, table.schema) as sink:
        sink.write_table(table, max_chunksize=1000)
