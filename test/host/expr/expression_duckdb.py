"""Asks DuckDB for the types and values that expression_duckdb_test.cpp expects, and writes them as expression_duckdb.hpp.

    python test/host/expr/expression_duckdb.py > test/host/expr/expression_duckdb.hpp     (needs the package duckdb, 2.0)

An expression is written as "(add t 1)": operations by our names, columns by those below, literals as SQL spells them.
"""

import re
import textwrap

import duckdb

COLUMNS = {
    "t": ("TINYINT", "5"),
    "s": ("SMALLINT", "5"),
    "i": ("INTEGER", "5"),
    "b": ("BIGINT", "5"),
    "ut": ("UTINYINT", "5"),
    "us": ("USMALLINT", "5"),
    "ui": ("UINTEGER", "5"),
    "ub": ("UBIGINT", "5"),
    "f": ("FLOAT", "2.5"),
    "d": ("DOUBLE", "2.5"),
    "bo": ("BOOLEAN", "true"),
    "d2": ("DECIMAL(15,2)", "2.50"),
    "e2": ("DECIMAL(18,2)", "2.50"),
    "d41": ("DECIMAL(4,1)", "2.5"),
    "d94": ("DECIMAL(9,4)", "2.5"),
    "d18": ("DECIMAL(18,0)", "2"),
    "da": ("DATE", "1998-12-01"),
    "ts": ("TIMESTAMP", "1998-12-01 03:04:05.678"),
    "st": ("VARCHAR", "x"),
}
SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "integer_divide": "//",
    "modulo": "%",
    "bit_and": "&",
    "bit_or": "|",
    "shift_left": "<<",
    "shift_right": ">>",
    "equal": "=",
    "not_equal": "<>",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "and": "AND",
    "or": "OR",
}
PREFIXES = {"negate": "-", "bit_not": "~", "not": "NOT "}
MATRICES = [
    "add",
    "multiply",
    "integer_divide",
    "modulo",
    "divide",
    "bit_and",
    "shift_left",
    "coalesce",
    "equal",
]


def sql(node):
    if isinstance(node, str):
        return node
    name, *inputs = node
    if name == "cast":
        return f"CAST({sql(inputs[1])} AS {inputs[0]})"
    texts = [sql(i) for i in inputs]
    if name in SYMBOLS:
        return f"({texts[0]} {SYMBOLS[name]} {texts[1]})"
    if name in PREFIXES:
        return f"({PREFIXES[name]}{texts[0]})"
    if name == "is_null":
        return f"({texts[0]} IS NULL)"
    if name == "select":
        return f"(CASE WHEN {texts[0]} THEN {texts[1]} ELSE {texts[2]} END)"
    return f"{name}({', '.join(texts)})"


def parse(text):
    tokens = re.findall(r"[()]|(?:[^\s()]|\(\d+,\d+\))+", text)

    def read():
        token = tokens.pop(0)
        if token != "(":
            return token
        items = []
        while tokens[0] != ")":
            items.append(read())
        tokens.pop(0)
        return items

    return read()


connection = duckdb.connect()
connection.execute(
    "CREATE TABLE one AS SELECT "
    + ", ".join(f"CAST('{v}' AS {t}) AS {n}" for n, (t, v) in COLUMNS.items())
)


def answer(text):
    """The type and the value as text; REFUSED, or a fault, without a type."""
    expression = sql(parse(text))
    try:
        return connection.execute(
            f"SELECT typeof(v), CAST(v AS VARCHAR) FROM (SELECT {expression} AS v FROM one)"
        ).fetchone()
    except duckdb.BinderException:
        return ("REFUSED", "")
    except duckdb.Error as error:
        message = str(error)
        if "Unimplemented" in message:
            return ("REFUSED", "")
        return ("FAULT", "invalid" if "Division by zero" in message else "overflow")


def type_of(text):
    """Also where the value is a fault. Some casts are refused only when they run."""
    if answer(text)[0] == "REFUSED":
        return "REFUSED"
    return connection.execute(f"DESCRIBE SELECT {sql(parse(text))} AS v FROM one").fetchone()[1]


VALUES = [
    line.strip()
    for line in open(__file__.replace(".py", ".txt"))
    if line.strip() and not line.startswith("#")
]

print(
    "// Written by expression_duckdb.py from DuckDB",
    duckdb.__version__ + "'s answers; not edited by hand.",
)
print("#pragma once\n")
print(
    "struct DuckColumn { const char *name, *type, *value; };\nstruct DuckMatrix { const char *op, *left, *types; };"
)
print("struct DuckValue { const char *expression, *type, *value; };\n")
print("inline constexpr DuckColumn duck_columns[] = {")
for name, (type_, value) in COLUMNS.items():
    print(f'    {{"{name}", "{type_}", "{value}"}},')
print(
    "};\n\n// The type of `left op right` for each column as right, in their order.\ninline constexpr DuckMatrix duck_matrices[] = {"
)
for op in MATRICES:
    for left in COLUMNS:
        types = " ".join(type_of(f"({op} {left} {right})") for right in COLUMNS)
        halves = textwrap.wrap(
            types, 100, drop_whitespace=False
        )  # literals that the compiler joins
        print(
            f'    {{"{op}", "{left}",\n     '
            + "\n     ".join(f'"{half}"' for half in halves)
            + "},"
        )
print("};\n\ninline constexpr DuckValue duck_values[] = {")
for text in VALUES:
    type_, value = answer(text)
    print(
        f'    {{"{text}", "{type_}", "{value}"}},'
        if value is not None
        else f'    {{"{text}", "{type_}", nullptr}},'
    )
print("};")
