"""Records DataFusion's plans of a suite's statements in Substrait, for substrait_plans_test.cpp.

    record_substrait.py SUITE STATEMENTS [OUTPUT]

STATEMENTS: a folder of .sql files over the tables that tables.json has for the suite. DataFusion (pip install datafusion) plans
them over tables without rows. OUTPUT/SUITE-substrait.json.gz gets the plans' bytes as hexadecimal digits, with the names and types of
the results.
"""

import gzip
import importlib.metadata
import json
import pathlib
import re
import sys

import pyarrow
from datafusion import SessionContext
from datafusion.substrait import Consumer, Producer

HERE = pathlib.Path(__file__).resolve().parent

# DuckDB's names of types, by Arrow's.
NAMES = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "string_view": "VARCHAR",
    "date32[day]": "DATE",
    "timestamp[us]": "TIMESTAMP",
}
MADE = {
    "BOOLEAN": pyarrow.bool_(),
    "TINYINT": pyarrow.int8(),
    "SMALLINT": pyarrow.int16(),
    "INTEGER": pyarrow.int32(),
    "BIGINT": pyarrow.int64(),
    "DOUBLE": pyarrow.float64(),
    "VARCHAR": pyarrow.string(),
    "DATE": pyarrow.date32(),
    "TIMESTAMP": pyarrow.timestamp("us"),
}


def name_of(type_):
    decimal = re.match(r"decimal128\((\d+), (\d+)\)", str(type_))
    return f"DECIMAL({decimal[1]},{decimal[2]})" if decimal else NAMES[str(type_)]


def type_of(name):
    decimal = re.match(r"DECIMAL\((\d+),(\d+)\)", name)
    return pyarrow.decimal128(int(decimal[1]), int(decimal[2])) if decimal else MADE[name]


def planner(suite):
    """DataFusion over the suite's tables, without rows."""
    context = SessionContext()
    tables = json.loads((HERE / "tables.json").read_text())[suite]
    # DataFusion finds columns with capitals only where names stay as they are written.
    if any(column != column.lower() for table in tables.values() for column, _ in table["columns"]):
        context.sql("SET datafusion.sql_parser.enable_ident_normalization = false").collect()
    for name, table in tables.items():
        schema = pyarrow.schema([(column, type_of(text)) for column, text in table["columns"]])
        rows = pyarrow.RecordBatch.from_pylist([], schema=schema)
        context.register_record_batches(name, [[rows]])
    return context


def main():
    suite, statements = sys.argv[1], pathlib.Path(sys.argv[2])
    output = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else HERE
    context = planner(suite)
    plans = []
    for file in sorted(statements.glob("*.sql")):
        rows = context.sql(file.read_text().strip().rstrip(";"))
        plan = Producer.to_substrait_plan(rows.optimized_logical_plan(), context)
        # As DataFusion reads the plan: an optimised one may have other types than the statement.
        read = Consumer.from_substrait_plan(context, plan)
        schema = context.create_dataframe_from_logical_plan(read).schema()
        plans.append(
            {
                "number": file.stem,
                "names": schema.names,
                "types": [name_of(type_) for type_ in schema.types],
                "plan": plan.encode().hex(),
            }
        )
    version = importlib.metadata.version("datafusion")
    recorded = {"version": version, "plans": plans}
    packed = gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0)
    (output / f"{suite}-substrait.json.gz").write_bytes(packed)
    print(f"{len(plans)} plans of {suite} by DataFusion {version}: {len(packed)} bytes")


if __name__ == "__main__":
    main()
