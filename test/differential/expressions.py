"""Random expressions over the tables of tables.py, typed by DuckDB itself.

An expression is a tree: a template and its inputs. Each node's type is what DuckDB says of it, so no rule of types is written
here twice; a node of a type that docs/sql.md says is refused (HUGEINT, more than 18 digits, INTERVAL, text) is drawn again.
"""

import dataclasses
import random

import tables

INTEGERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
NUMBERS_OF_BITS = {
    "TINYINT": 8,
    "SMALLINT": 16,
    "INTEGER": 32,
    "BIGINT": 64,
    "UTINYINT": 8,
    "USMALLINT": 16,
    "UINTEGER": 32,
    "UBIGINT": 64,
}
FAMILIES = ("boolean", "integer", "float", "decimal", "date", "timestamp")
# Two engines' libraries may round these differently; they stand outermost only, so that the error is not amplified.
# No upper: it changes ASCII letters alone here, and DuckDB's those of tables.STRINGS too.
CONDITIONS_OF_TEXT = [
    *[
        f"({{}} {negated}LIKE '{pattern}')"
        for negated in ("", "NOT ")
        for pattern in (
            "A%",
            "%a%",
            "a_",
            "%",
            "_",
            "",
            "%''s",
            "%\u00e9%",
            "_\u672c",
            "%R",
            "REG%AIR",
            "key 1%",
            "\\%",
            "%,%",
            "x%x",
        )
    ],
    "({} LIKE 'a!%%' ESCAPE '!')",
    "({} ILIKE 'a%')",
    "({} NOT ILIKE '%r')",
    "({} < 'a')",
    "({} >= 'AIR')",
    "('ab' > {})",
    "({} <= '')",
    "({} BETWEEN 'A' AND 'a')",
    "({} NOT BETWEEN '0' AND 'key 3')",
    "starts_with({}, 'a')",
    "ends_with({}, 'R')",
    "contains({}, ' ')",
    "({} IS NOT DISTINCT FROM 'AIR')",
    "({} IS NULL)",
]
NUMBERS_OF_TEXT = [
    "length({})",
    "strlen({})",
    "strpos({}, 'a')",
    "instr({}, 'IR')",
    "position(' ' IN {})",
]
TEXTS_OF_TEXT = [
    "lower({})",
    "trim({})",
    "ltrim({})",
    "rtrim({})",
    "substring({}, 1, 2)",
    "substring({}, -3)",
    "left({}, 1)",
    "right({}, 2)",
    "replace({}, 'A', 'bc')",
    "({} || '!')",
    "('<' || {})",
    "lower(substring({}, 2))",
]
CHOICES_OF_TEXT = [
    "CASE WHEN {0} THEN {1} ELSE {2} END",
    "CASE WHEN {0} THEN 'yes' ELSE {1} END",
    "CASE WHEN {0} THEN {1} END",
    "if({0}, {1}, NULL)",
    "CASE WHEN {0} THEN '' WHEN bn THEN 'no' END",
    "coalesce({}, 'none')",
    "coalesce({}, {}, '?')",
    "nullif({}, 'AIR')",
]
INEXACT = ["exp({})", "ln({})", "log10({})", "sin({})", "cos({})", "tan({})", "power({}, {})"]


def family_of(kind):
    if kind in INTEGERS:
        return "integer"
    if kind.startswith("DECIMAL"):
        return "decimal" if int(kind[8 : kind.index(",")]) <= 18 else None
    return {
        "BOOLEAN": "boolean",
        "FLOAT": "float",
        "DOUBLE": "float",
        "DATE": "date",
        "TIMESTAMP": "timestamp",
        "VARCHAR": "string",
    }.get(kind)


@dataclasses.dataclass(frozen=True)
class Node:
    template: str
    inputs: tuple = ()
    type: str = ""

    @property
    def sql(self):
        return self.template.format(*(node.sql for node in self.inputs))

    @property
    def size(self):
        return 1 + sum(node.size for node in self.inputs)

    def is_literal(self):
        return not self.inputs and self.template.split("::")[0] not in tables.COLUMNS

    def replaced(self, path, node):
        if not path:
            return node
        inputs = list(self.inputs)
        inputs[path[0]] = inputs[path[0]].replaced(path[1:], node)
        return dataclasses.replace(self, inputs=tuple(inputs))

    def walk(self, path=()):
        yield path, self
        for i, node in enumerate(self.inputs):
            yield from node.walk(path + (i,))


class Expressions:
    def __init__(self, seed, oracle, table):
        """`table` is any file with the columns of tables.COLUMNS: only its types are asked for."""
        self.chosen, self.oracle, self.table, self.known = random.Random(seed), oracle, table, {}

    def any(self, depth=None):
        return self.of(
            self.chosen.choice(FAMILIES),
            self.chosen.choice([1, 2, 2, 3, 3, 4]) if depth is None else depth,
        )

    def inexact(self):
        template = self.chosen.choice(INEXACT)
        while True:
            node = self._typed(
                template,
                *(
                    self.of(self.chosen.choice(["float", "float", "decimal", "integer"]), 2)
                    for _ in range(template.count("{}"))
                ),
            )
            if node:
                return node

    def of(self, family, depth):
        while True:
            if depth <= 0 or self.chosen.random() < 0.1:
                return self._leaf(family)
            for _ in range(20):
                node = getattr(self, "_" + family)(depth - 1)
                if node and family_of(node.type) == family:
                    return node

    def text(self, depth, chosen_among=True):
        """Of one column; or, with `chosen_among`, a choice of several such."""
        inner = self.column("string")
        if depth <= 0:
            return inner
        if chosen_among and self.chosen.random() < 0.4:
            template = self.chosen.choice(CHOICES_OF_TEXT)
            inputs = [self.of("boolean", depth - 1)] if "{0}" in template else []
            more = template.count("{") - len(inputs)
            return self._typed(
                template, *inputs, *[self.text(depth - 1, False) for _ in range(more)], text=True
            )
        return self._typed(self.chosen.choice(TEXTS_OF_TEXT), inner, text=True)

    def column(self, family):
        names = [name for name, kind in tables.COLUMNS.items() if family_of(kind) == family]
        name = self.chosen.choice(names)
        return Node(name, (), tables.COLUMNS[name])

    # ---- what follows may return None: drawn again

    def _typed(self, template, *inputs, text=False):
        """DuckDB's type of the node. It hangs on the inputs' types, and on values only where they are literals."""
        node = Node(template, inputs)
        key = (
            (template, *(i.sql if i.is_literal() else i.type for i in inputs))
            if all(i.type for i in inputs)
            else node.sql
        )
        if any(i.inputs and _is_constant(i) for i in inputs):
            key = node.sql
        if key not in self.known:
            kinds = self.oracle.types(f"SELECT {node.sql} AS v FROM '{self.table}'")
            self.known[key] = kinds[0] if kinds and family_of(kinds[0]) else None
        kind = self.known[key]
        return (
            dataclasses.replace(node, type=kind) if kind and (kind == "VARCHAR") == text else None
        )

    def _filled(self, templates, family, depth):
        template = self.chosen.choice(templates)
        count = template.count("{}")
        return self._typed(template, *[self.of(family, depth + 2 - count) for _ in range(count)])

    def _leaf(self, family):
        if self.chosen.random() < 0.75:
            return self.column(family)
        return self._literal(family)

    def _literal(self, family):
        chosen = self.chosen
        if family == "boolean":
            text = chosen.choice(["true", "false", "CAST(NULL AS BOOLEAN)"])
        elif family == "integer":
            kind = chosen.choice(INTEGERS)
            bits, signed = NUMBERS_OF_BITS[kind], kind[0] != "U"
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            number = tables._integer(chosen, low, high, chosen.random() < 0.6)
            plain = str(number) if number >= 0 else f"({number})"
            # -9223372036854775808 is the negation of a number that BIGINT does not hold.
            text = (
                plain
                if abs(number) < 1 << 62 and chosen.random() < 0.7
                else f"CAST('{number}' AS {kind})"
                if abs(number) < 1 << 62
                else "7"
            )
        elif family == "float":
            text = chosen.choice(
                [
                    "0e0",
                    "1e0",
                    "-1e0",
                    "0.5e0",
                    "2.5e0",
                    "1e3",
                    "1e-3",
                    "1e300",
                    "1e-300",
                    "CAST('nan' AS DOUBLE)",
                    "CAST('inf' AS DOUBLE)",
                    "CAST(0.1 AS FLOAT)",
                    "CAST(3 AS FLOAT)",
                    "CAST(NULL AS DOUBLE)",
                    "CAST(-2.5 AS FLOAT)",
                ]
            )
            text = f"({text})" if text[0] == "-" else text
        elif family == "decimal":
            text = chosen.choice(
                [
                    "0.0",
                    "1.0",
                    "0.05",
                    "0.5",
                    "1.5",
                    "100.00",
                    "0.001",
                    "99.9",
                    "123456.789",
                    "CAST(NULL AS DECIMAL(9,2))",
                    "CAST(7 AS DECIMAL(5,1))",
                ]
            )
        elif family == "date":
            text = chosen.choice(
                [
                    "DATE '1998-09-02'",
                    "DATE '1970-01-01'",
                    "DATE '1969-12-31'",
                    "DATE '0001-01-01'",
                    "DATE '9999-12-31'",
                    "DATE '2000-02-29'",
                    "DATE '1900-03-01'",
                    "CAST(NULL AS DATE)",
                ]
            )
        else:
            text = chosen.choice(
                [
                    "TIMESTAMP '1998-09-02 12:34:56.789'",
                    "TIMESTAMP '1970-01-01 00:00:00'",
                    "TIMESTAMP '1969-12-31 23:59:59.999999'",
                    "TIMESTAMP '0001-01-01 00:00:00'",
                    "TIMESTAMP '9999-12-31 23:59:59.999999'",
                    "CAST(NULL AS TIMESTAMP)",
                    "(DATE '1998-12-01' - INTERVAL '90' DAY)",
                    "(DATE '2000-01-31' + INTERVAL 1 MONTH)",
                    "(TIMESTAMP '1999-12-31 23:59:59.5' - INTERVAL '1 year 2 months')",
                    "(INTERVAL 3 WEEKS + DATE '1969-12-25')",
                    "(DATE '1996-02-29' + INTERVAL '4' YEAR)",
                    "(TIMESTAMP '2001-01-01 00:00:00' - INTERVAL 61 MINUTES)",
                ]
            )
        kinds = self.oracle.types(f"SELECT {text} AS v FROM '{self.table}'")
        return Node(text, (), kinds[0])

    def _choice(self, family, depth):
        """CASE, COALESCE...: of every family alike."""
        of, chosen = self.of, self.chosen
        way = chosen.randrange(8)
        if way == 0:
            return self._typed(
                "CASE WHEN {} THEN {} ELSE {} END",
                of("boolean", depth),
                of(family, depth),
                of(family, depth),
            )
        if way == 1:
            return self._typed(
                "CASE WHEN {} THEN {} WHEN {} THEN {} END",
                of("boolean", depth),
                of(family, depth),
                of("boolean", depth - 1),
                of(family, depth - 1),
            )
        if way == 2:
            return self._typed(
                "CASE {} WHEN {} THEN {} WHEN {} THEN {} ELSE {} END",
                *[of("integer", depth - 1) for _ in range(2)],
                of(family, depth - 1),
                self._literal("integer"),
                of(family, depth - 1),
                of(family, depth - 1),
            )
        if way == 3:
            return self._typed("coalesce({}, {})", of(family, depth), of(family, depth))
        if way == 4:
            return self._typed(
                "coalesce({}, {}, {})",
                of(family, depth - 1),
                of(family, depth - 1),
                of(family, depth),
            )
        if way == 5:
            return self._typed("nullif({}, {})", of(family, depth), of(family, depth))
        if way == 6 and family != "boolean":
            return self._filled(
                ["greatest({}, {})", "least({}, {})", "greatest({}, {}, {})", "least({}, {}, {})"],
                family,
                depth,
            )
        return self._typed(
            "if({}, {}, {})", of("boolean", depth), of(family, depth), of(family, depth)
        )

    def _divisor(self, family, depth):
        """Seldom zero: a division by zero ends the whole statement, and tells nothing of the other rows."""
        divisor = self.of(family, depth)
        if self.chosen.random() < 0.1:
            return divisor
        return self._typed("nullif({}, 0)", divisor)

    def _guarded(self, family, depth):
        """A number small enough that a sum or product of a few seldom leaves its type."""
        way, inner = self.chosen.randrange(4), self.of(family, depth)
        if way == 0 or len(inner.sql) > 100:  # a guard repeats its input
            return inner
        if way == 1:
            return self._typed("CASE WHEN {0} BETWEEN 0 AND 100 THEN {0} END", inner)
        if way == 2 and family == "integer" and inner.type not in ("UBIGINT",):
            return self._typed("CAST({} AS BIGINT)", inner)
        return self._typed("CASE WHEN {0} > -1000 AND {0} < 1000 THEN {0} ELSE 3 END", inner)

    def _integer(self, depth):
        of, chosen = self.of, self.chosen
        way = chosen.randrange(16)
        if way == 14:
            return self._typed(
                chosen.choice(NUMBERS_OF_TEXT), self.text(chosen.choice([0, 0, 1]), False)
            )
        if way < 4:
            left, right = self._guarded("integer", depth), self._guarded("integer", depth)
            return (
                left
                and right
                and self._typed(chosen.choice(["({} + {})", "({} - {})", "({} * {})"]), left, right)
            )
        if way < 6:
            divisor = self._divisor("integer", depth)
            return divisor and self._typed(
                chosen.choice(["({} // {})", "({} % {})", "mod({}, {})"]),
                of("integer", depth),
                divisor,
            )
        if way == 6:
            return self._typed(
                chosen.choice(["({} & {})", "({} | {})", "xor({}, {})"]),
                of("integer", depth),
                of("integer", depth),
            )
        if way == 7:
            inner = of("integer", depth)
            count = Node(str(chosen.randrange(0, NUMBERS_OF_BITS[inner.type])), (), "INTEGER")
            if chosen.getrandbits(1):
                return self._typed("({} >> {})", inner, count)
            inner = self._typed("({} & 15)", inner)
            return inner and self._typed(
                "({} << {})", inner, Node(str(chosen.randrange(0, 4)), (), "INTEGER")
            )
        if way == 8:
            return self._typed(
                chosen.choice(
                    ["(- {})", "abs({})", "(~ {})", "sign({})", "round({})", "trunc({})", "(+ {})"]
                ),
                of("integer", depth),
            )
        if way == 9:
            part = chosen.choice(
                ["year", "quarter", "month", "day", "dayofweek", "isodow", "dayofyear"]
            )
            return self._typed(
                chosen.choice(
                    [
                        f"{part}({{}})",
                        f"EXTRACT({part} FROM {{}})"
                        if part not in ("dayofweek", "dayofyear", "isodow")
                        else f"date_part('{part}', {{}})",
                    ]
                ),
                of(chosen.choice(["date", "timestamp"]), depth),
            )
        if way == 10:
            return self._typed(
                chosen.choice(["hour({})", "minute({})", "second({})", "EXTRACT(hour FROM {})"]),
                of("timestamp", depth),
            )
        if way == 11:
            return self._typed("({} - {})", of("date", depth), of("date", depth))
        if way == 12:
            kind = chosen.choice(INTEGERS)
            source = chosen.choice(["integer", "boolean", "integer", "decimal", "float"])
            if source in ("decimal", "float") or chosen.random() < 0.5:
                inner = self._guarded(source, depth) if source != "boolean" else of(source, depth)
                return inner and self._typed(f"CAST({{}} AS {kind})", inner)
            return self._typed(f"{{}}::{kind}", of(source, 0))
        return self._choice("integer", depth)

    def _float(self, depth):
        of, chosen = self.of, self.chosen
        way = chosen.randrange(10)
        if way < 3:
            return self._typed(
                chosen.choice(["({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} % {})"]),
                of("float", depth),
                of(chosen.choice(["float", "float", "integer", "decimal"]), depth),
            )
        if way == 3:
            number = chosen.choice(["integer", "decimal"])
            return self._typed("({} / {})", of(number, depth), of(number, depth))
        if way == 4:
            return self._typed(
                chosen.choice(
                    ["(- {})", "abs({})", "floor({})", "ceil({})", "round({})", "trunc({})"]
                ),
                of("float", depth),
            )
        if way == 5:
            return self._typed(
                "sqrt({})", of(chosen.choice(["float", "integer", "decimal"]), depth)
            )
        if way == 6:
            return self._typed(chosen.choice(["floor({})", "ceiling({})"]), of("integer", depth))
        if way == 7:
            return self._typed(
                f"CAST({{}} AS {chosen.choice(['FLOAT', 'DOUBLE'])})",
                of(chosen.choice(["integer", "float", "decimal", "boolean"]), depth),
            )
        return self._choice("float", depth)

    def _decimal(self, depth):
        of, chosen = self.of, self.chosen
        way = chosen.randrange(9)
        if way < 3:
            left, right = (
                self._guarded("decimal", depth),
                self._guarded(chosen.choice(["decimal", "decimal", "integer"]), depth),
            )
            return (
                left
                and right
                and self._typed(
                    chosen.choice(["({} + {})", "({} - {})", "({} * {})", "({} * (1 - {}))"]),
                    left,
                    right,
                )
            )
        if way == 3:
            divisor = self._divisor("decimal", depth)
            return divisor and self._typed("({} % {})", of("decimal", depth), divisor)
        if way == 4:
            return self._typed(
                chosen.choice(
                    [
                        "(- {})",
                        "abs({})",
                        "floor({})",
                        "ceil({})",
                        "round({})",
                        "trunc({})",
                        "round({}, 1)",
                        "round({}, 2)",
                    ]
                ),
                of("decimal", depth),
            )
        if way < 7:
            precision = chosen.choice([4, 9, 12, 15, 18])
            kind = f"DECIMAL({precision},{chosen.randrange(0, min(precision, 7))})"
            source = chosen.choice(["integer", "decimal", "float", "boolean"])
            inner = of("boolean", depth) if source == "boolean" else self._guarded(source, depth)
            return inner and self._typed(f"CAST({{}} AS {kind})", inner)
        return self._choice("decimal", depth)

    def _date(self, depth):
        of, chosen = self.of, self.chosen
        way = chosen.randrange(6)
        if way < 2:
            days = self._typed(
                "CAST(CASE WHEN {0} BETWEEN -100 AND 1000 THEN {0} END AS INTEGER)",
                of("integer", depth),
            )
            return days and self._typed(
                chosen.choice(["({} + {})", "({} - {})"]), of("date", depth), days
            )
        if way == 2:
            return self._typed(chosen.choice(["({} + 30)", "({} - 1)"]), of("date", depth))
        if way == 3:
            return self._typed("CAST({} AS DATE)", of("timestamp", depth))
        return self._choice("date", depth)

    def _timestamp(self, depth):
        if self.chosen.randrange(3) == 0:
            return self._typed("CAST({} AS TIMESTAMP)", self.of("date", depth))
        return self._choice("timestamp", depth)

    def _boolean(self, depth):
        of, chosen = self.of, self.chosen
        way = chosen.randrange(15)
        compare = chosen.choice(["=", "<>", "<", "<=", ">", ">=", "!=", "=="])
        if way < 4:
            family = chosen.choice(FAMILIES)
            return self._typed(f"({{}} {compare} {{}})", of(family, depth), of(family, depth))
        if way == 4:
            left, right = chosen.choice(
                [
                    ("integer", "float"),
                    ("integer", "decimal"),
                    ("decimal", "float"),
                    ("date", "timestamp"),
                    ("boolean", "integer"),
                ]
            )
            pair = [of(left, depth), of(right, depth)]
            chosen.shuffle(pair)
            return self._typed(f"({{}} {compare} {{}})", *pair)
        if way < 7:
            return self._filled(
                ["({} AND {})", "({} OR {})", "({} AND {} AND {})", "({} OR {} OR {})"],
                "boolean",
                depth,
            )
        if way == 7:
            return self._typed("(NOT {})", of("boolean", depth))
        if way == 8:
            inner = (
                of(chosen.choice(FAMILIES), depth)
                if chosen.random() < 0.8
                else self.column("string")
            )
            return self._typed(chosen.choice(["({} IS NULL)", "({} IS NOT NULL)"]), inner)
        if way == 9:
            return self._typed(
                f"({{}} IS {chosen.choice(['TRUE', 'FALSE', 'NOT TRUE', 'NOT FALSE', 'UNKNOWN', 'NOT UNKNOWN'])})",
                of("boolean", depth),
            )
        if way == 10:
            family = chosen.choice(FAMILIES)
            return self._typed(
                chosen.choice(["({} BETWEEN {} AND {})", "({} NOT BETWEEN {} AND {})"]),
                *[of(family, depth - 1) for _ in range(3)],
            )
        if way == 11:
            family = chosen.choice(["integer", "decimal", "date", "timestamp", "float"])
            return self._typed(
                chosen.choice(["({} IN ({}, {}, {}))", "({} NOT IN ({}, {}, {}))"]),
                of(family, depth),
                *[chosen.choice([self._literal, self.column])(family) for _ in range(3)],
            )
        if way == 12:
            family = chosen.choice(FAMILIES)
            return self._typed(
                chosen.choice(["({} IS DISTINCT FROM {})", "({} IS NOT DISTINCT FROM {})"]),
                of(family, depth),
                of(family, depth),
            )
        if way == 13:
            return self._typed(
                chosen.choice(CONDITIONS_OF_TEXT), self.text(chosen.choice([0, 0, 1]), False)
            )
        if chosen.random() < 0.7:
            text = (
                chosen.choice(tables.STRINGS + ["absent", "key 17"])
                .replace("'", "''")
                .replace("{", "{{")
                .replace("}", "}}")
            )
            return self._typed(
                chosen.choice(
                    [
                        f"({{}} = '{text}')",
                        f"({{}} <> '{text}')",
                        f"({{}} IN ('{text}', 'AIR', ''))",
                        f"({{}} NOT IN ('{text}', 'a'))",
                    ]
                ),
                self.column("string"),
            )
        return (
            self._typed(
                chosen.choice(["({} = {})", "({} <> {})"]),
                Node("s", (), "VARCHAR"),
                Node("sn", (), "VARCHAR"),
            )
            if chosen.getrandbits(1)
            else self._choice("boolean", depth)
        )


def _is_constant(node):
    return all(leaf.is_literal() for _, leaf in node.walk() if not leaf.inputs)


def shrink(node, still_wrong, oracle, table, limit=150):
    """A smaller tree of which still_wrong(node) holds. Nodes give way to their inputs, to columns and to literals, if it binds."""
    leaves = {
        "boolean": ["bn", "true"],
        "integer": ["i32", "i32n", "i8", "1", "0"],
        "float": ["f64", "1e0"],
        "decimal": ["d9_4", "1.5"],
        "date": ["dt"],
        "timestamp": ["ts"],
    }
    tried = 0
    changed = True
    while changed:
        changed = False
        for path, part in sorted(node.walk(), key=lambda item: -item[1].size):
            below = [
                inner
                for _, inner in part.walk()
                if inner is not part and family_of(inner.type) == family_of(part.type)
            ]
            simple = (
                [Node(text, (), part.type) for text in leaves.get(family_of(part.type), [])]
                if part.inputs
                else []
            )
            for candidate in below + simple:
                smaller = node.replaced(path, candidate)
                if (
                    smaller.size >= node.size
                    or tried >= limit
                    or oracle.types(f"SELECT {smaller.sql} AS v FROM '{table}'") is None
                ):
                    continue
                tried += 1
                if still_wrong(smaller):
                    node, changed = smaller, True
                    break
            if changed:
                break
    return node
