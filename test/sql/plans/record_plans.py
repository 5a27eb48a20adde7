"""Records DuckDB's plans of a suite's statements, for plans_test.cpp.

    record_plans.py SUITE TABLES STATEMENTS [OUTPUT]

TABLES: a folder of Parquet files, each a table of the file's name. STATEMENTS: a folder of .sql files. The DuckDB of this Python
plans them, and its version is the dialect of OUTPUT/SUITE-DIALECT.json.gz. OUTPUT/tables.json gets the schemas. No text of a
statement is kept, nor what the reader of plans (src/sql/duckdb) does not read.
"""

import gzip
import json
import pathlib
import re
import sys

import duckdb

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "differential"))

import duckdb_planner

# The members that src/sql/duckdb reads.
READ = frozenset(
    re.findall(
        r"\w+",
        """
    aggregate_type case_checks child child_filters children column_indexes comparison comparison_type condition conditions constant
    constant_integer cte_index days default_expr delim_flipped distinct distinct_targets distinct_type duplicate_eliminated_columns
    else_expr end error exclude_clause expr expr_types expression expression_class expressions filter filter_type filters
    function_data grouping_functions grouping_sets groups id ignore_nulls index input is_null is_recurring join_type key left
    left_projection_map limit limit_val lower lower_inclusive micros months name null_order offset offset_expr offset_val order_by
    orders parameters partitions path plans predicate projection_ids projection_map projections qname return_type return_types right
    right_projection_map scale setop_all start table_filters table_filters_by_projection table_index then_expr try_cast type
    type_info upper upper_inclusive value values when_expr width
    """,
    )
)


def pruned(node):
    """A member that is missing reads as NULL or as an empty list does."""
    if isinstance(node, list):
        return [pruned(child) for child in node]
    if not isinstance(node, dict):
        return node
    kept = {name: pruned(child) for name, child in node.items() if name in READ}
    return {name: child for name, child in kept.items() if child is not None and child != []}


def schemas(connection, folder):
    """By table: its columns as (name, type), and how many rows it has."""
    found = {}
    for file in sorted(folder.glob("*.parquet")):
        columns = connection.execute(f"DESCRIBE SELECT * FROM '{file}'").fetchall()
        rows = connection.execute(f"SELECT count(*) FROM '{file}'").fetchone()[0]
        found[file.stem] = {"columns": [row[:2] for row in columns], "rows": rows}
    return found


def main():
    suite, tables, statements = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    output = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else HERE
    connection = duckdb.connect()
    known = schemas(connection, tables)
    duckdb_planner.disable_optimizers(connection)
    for number, (name, table) in enumerate(known.items()):
        duckdb_planner.create_stand_in(connection, number, name, table["columns"], table["rows"])
    plans = []
    for file in sorted(statements.glob("*.sql")):
        text = file.read_text().strip().rstrip(";")
        plan, names, types = duckdb_planner.plan_of(connection, text)
        plans.append({"number": file.stem, "names": names, "types": types, "plan": pruned(plan)})
    dialect = ".".join(duckdb.__version__.split(".")[:2])
    recorded = {"version": duckdb.__version__, "tables": list(known), "plans": plans}
    packed = gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0)
    (output / f"{suite}-{dialect}.json.gz").write_bytes(packed)
    schema_file = output / "tables.json"
    all_schemas = json.loads(schema_file.read_text()) if schema_file.exists() else {}
    all_schemas[suite] = known
    lines = [
        f"  {json.dumps(suite)}: {{\n"
        + ",\n".join(f"    {json.dumps(n)}: {json.dumps(t)}" for n, t in tables.items())
        + "\n  }"
        for suite, tables in sorted(all_schemas.items())
    ]
    schema_file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(plans)} plans of {suite} by DuckDB {duckdb.__version__}: {len(packed)} bytes")


if __name__ == "__main__":
    main()
