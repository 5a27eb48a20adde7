"""Plans that DataFusion exported to Substrait: their answers beside DataFusion's, on every device found.

    substrait_test.py QUERY_DRIVER PENSTOCK [--suite tpch] [--scale 0.01] [--device ID] [--tables FOLDER]

The plans are those of test/sql/plans. TPC-H's tables are generated; a suite of another name needs a folder of its Parquet files. All
rows must be equal: floats to 12 digits, everything else to the last one, and so are the types of the columns. Without DataFusion
(pip install datafusion) it is skipped.
"""

import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import pyarrow
from pyarrow import parquet

from driver import Tally, devices, test_options

try:
    from datafusion import SessionContext
    from datafusion.substrait import Consumer, Serde
except ImportError:
    print("skipped: DataFusion is not installed (pip install datafusion)\n0 passed, 0 failed")
    sys.exit(0)

PLANS = pathlib.Path(__file__).resolve().parents[1] / "sql" / "plans"
sys.path.insert(0, str(PLANS))

import record_substrait


def make_tables(scale, folder):
    program = pathlib.Path(sys.executable).with_name("tpchgen-cli")
    command = [program, "parquet", "-s", scale, f"--output-dir={folder}"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def recorded_tables(suite, source, folder):
    """Copies of the tables, in the types that the plans were recorded over."""
    known = json.loads((PLANS / "tables.json").read_text())[suite]
    copies = []
    for name, table in known.items():
        types = [(column, record_substrait.type_of(text)) for column, text in table["columns"]]
        rows = parquet.read_table(source / f"{name}.parquet", columns=[name for name, _ in types])
        copies.append(folder / f"{name}.parquet")
        parquet.write_table(rows.cast(pyarrow.schema(types)), copies[-1])
    return copies


class DataFusion:
    """Answers a plan's bytes."""

    def __init__(self, tables):
        self.context = SessionContext()
        for table in tables:
            self.context.register_parquet(table.stem, str(table))

    def answer(self, plan):
        read = Consumer.from_substrait_plan(self.context, Serde.deserialize_bytes(plan))
        return self.context.create_dataframe_from_logical_plan(read).to_arrow_table()


def answer_of_penstock(program, device, plan, tables, folder):
    """The rows, or the error's text."""
    file, rows = folder / "plan.bin", folder / "rows.arrow"
    file.write_bytes(plan)
    named = [part for table in tables for part in ("--table", f"{table.stem}={table}")]
    ended = subprocess.run(
        [program, "query", "--plan", file, "--device", device, "--output", rows, *named],
        capture_output=True,
        text=True,
        timeout=600,
    )
    if ended.returncode != 0:
        return ended.stderr.strip() or f"it ended with {ended.returncode}"
    return pyarrow.ipc.open_file(rows).read_all()


def is_same(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-12)
    return ours == theirs


def name_of(kind):
    """A text has several layouts in Arrow."""
    value = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    return str(value).replace("_view", "")


def rows_of(table):
    return list(zip(*(column.to_pylist() for column in table.columns)))


def difference(ours, theirs):
    if isinstance(ours, str):
        return ours
    types = [list(map(name_of, each.schema.types)) for each in (ours, theirs)]
    if types[0] != types[1]:
        return f"types {types[0]}, DataFusion's {types[1]}"
    ours, theirs = rows_of(ours), rows_of(theirs)
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, DataFusion's {len(theirs)}"
    for mine, other in zip(sorted(ours, key=repr), sorted(theirs, key=repr)):
        if not all(map(is_same, mine, other)):
            return f"{mine}\nDataFusion: {other}"
    return None


def main():
    options, tally = test_options(suite="tpch", scale="0.01", tables=""), Tally()
    recorded = json.loads(
        gzip.decompress((PLANS / f"{options.suite}-substrait.json.gz").read_bytes())
    )
    with tempfile.TemporaryDirectory(prefix="penstock-substrait-") as name:
        folder = pathlib.Path(name)
        given = pathlib.Path(options.tables) if options.tables else None
        source = given or make_tables(options.scale, folder / "made")
        tables = recorded_tables(options.suite, source, folder)
        oracle = DataFusion(tables)
        for each in recorded["plans"]:
            plan = bytes.fromhex(each["plan"])
            theirs = oracle.answer(plan)
            for device in options.device or devices(options.penstock):
                ours = answer_of_penstock(options.penstock, device, plan, tables, folder)
                label = f"{device}: {options.suite} {each['number']}"
                tally.check(label, difference(ours, theirs))
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
