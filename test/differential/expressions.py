"""Random expressions over the tables of tables.py, typed by DuckDB itself.

An expression is a tree: a template and its inputs. Each node's type is what DuckDB says of it, so no rule of types is written
here twice; a node of a type that docs/sql.md says is refused (HUGEINT, more than 18 digits, INTERVAL, text) is drawn again.
"""

import dataclasses
import random

import tables

STARTS = ["millennium", "century", "decade", "year", "quarter", "month", "week", "isoyear"] + [
    "day",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
]
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
# No upper: it changes ASCII letters alone here; DuckDB's also changes other letters of
# tables.STRINGS.
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
        self.rng, self.oracle, self.table, self.known = random.Random(seed), oracle, table, {}

    def any(self, depth=None):
        return self.of(
            self.rng.choice(FAMILIES),
            self.rng.choice([1, 2, 2, 3, 3, 4]) if depth is None else depth,
        )

    def inexact(self):
        template = self.rng.choice(INEXACT)
        while True:
            node = self._typed(
                template,
                *(
                    self.of(self.rng.choice(["float", "float", "decimal", "integer"]), 2)
                    for _ in range(template.count("{}"))
                ),
            )
            if node:
                return node

    def of(self, family, depth):
        while True:
            if depth <= 0 or self.rng.random() < 0.1:
                return self._leaf(family)
            for _ in range(20):
                node = getattr(self, "_" + family)(depth - 1)
                if node and family_of(node.type) == family:
                    return node

    def text(self, depth, of_choices=True):
        """An expression of one column; or, with `of_choices`, a choice of several such."""
        inner = self.column("string")
        if depth <= 0:
            return inner
        if of_choices and self.rng.random() < 0.4:
            template = self.rng.choice(CHOICES_OF_TEXT)
            inputs = [self.of("boolean", depth - 1)] if "{0}" in template else []
            more = template.count("{") - len(inputs)
            return self._typed(
                template, *inputs, *[self.text(depth - 1, False) for _ in range(more)], text=True
            )
        return self._typed(self.rng.choice(TEXTS_OF_TEXT), inner, text=True)

    def column(self, family):
        names = [name for name, kind in tables.COLUMNS.items() if family_of(kind) == family]
        name = self.rng.choice(names)
        return Node(name, (), tables.COLUMNS[name])

    # ---- the following functions may return None: drawn again

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
        template = self.rng.choice(templates)
        count = template.count("{}")
        return self._typed(template, *[self.of(family, depth + 2 - count) for _ in range(count)])

    def _leaf(self, family):
        if self.rng.random() < 0.75:
            return self.column(family)
        return self._literal(family)

    def _literal(self, family):
        rng = self.rng
        if family == "boolean":
            text = rng.choice(["true", "false", "CAST(NULL AS BOOLEAN)"])
        elif family == "integer":
            kind = rng.choice(INTEGERS)
            bits, signed = NUMBERS_OF_BITS[kind], kind[0] != "U"
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            number = tables._integer(rng, low, high, rng.random() < 0.6)
            plain = str(number) if number >= 0 else f"({number})"
            # -9223372036854775808 is the negation of a number that BIGINT does not hold.
            text = (
                plain
                if abs(number) < 1 << 62 and rng.random() < 0.7
                else f"CAST('{number}' AS {kind})"
                if abs(number) < 1 << 62
                else "7"
            )
        elif family == "float":
            text = rng.choice(
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
            text = rng.choice(
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
            text = rng.choice(
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
            text = rng.choice(
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
        of, rng = self.of, self.rng
        branch = rng.randrange(8)
        if branch == 0:
            return self._typed(
                "CASE WHEN {} THEN {} ELSE {} END",
                of("boolean", depth),
                of(family, depth),
                of(family, depth),
            )
        if branch == 1:
            return self._typed(
                "CASE WHEN {} THEN {} WHEN {} THEN {} END",
                of("boolean", depth),
                of(family, depth),
                of("boolean", depth - 1),
                of(family, depth - 1),
            )
        if branch == 2:
            return self._typed(
                "CASE {} WHEN {} THEN {} WHEN {} THEN {} ELSE {} END",
                *[of("integer", depth - 1) for _ in range(2)],
                of(family, depth - 1),
                self._literal("integer"),
                of(family, depth - 1),
                of(family, depth - 1),
            )
        if branch == 3:
            return self._typed("coalesce({}, {})", of(family, depth), of(family, depth))
        if branch == 4:
            return self._typed(
                "coalesce({}, {}, {})",
                of(family, depth - 1),
                of(family, depth - 1),
                of(family, depth),
            )
        if branch == 5:
            return self._typed("nullif({}, {})", of(family, depth), of(family, depth))
        if branch == 6 and family != "boolean":
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
        if self.rng.random() < 0.1:
            return divisor
        return self._typed("nullif({}, 0)", divisor)

    def _guarded(self, family, depth):
        """A number small enough that a sum or product of a few seldom leaves its type."""
        branch, inner = self.rng.randrange(4), self.of(family, depth)
        if branch == 0 or len(inner.sql) > 100:  # a guard repeats its input
            return inner
        if branch == 1:
            return self._typed("CASE WHEN {0} BETWEEN 0 AND 100 THEN {0} END", inner)
        if branch == 2 and family == "integer" and inner.type not in ("UBIGINT",):
            return self._typed("CAST({} AS BIGINT)", inner)
        return self._typed("CASE WHEN {0} > -1000 AND {0} < 1000 THEN {0} ELSE 3 END", inner)

    def _integer(self, depth):
        of, rng = self.of, self.rng
        branch = rng.randrange(16)
        if branch == 14:
            return self._typed(rng.choice(NUMBERS_OF_TEXT), self.text(rng.choice([0, 0, 1]), False))
        if branch < 4:
            left, right = self._guarded("integer", depth), self._guarded("integer", depth)
            return (
                left
                and right
                and self._typed(rng.choice(["({} + {})", "({} - {})", "({} * {})"]), left, right)
            )
        if branch < 6:
            divisor = self._divisor("integer", depth)
            return divisor and self._typed(
                rng.choice(["({} // {})", "({} % {})", "mod({}, {})"]),
                of("integer", depth),
                divisor,
            )
        if branch == 6:
            return self._typed(
                rng.choice(["({} & {})", "({} | {})", "xor({}, {})"]),
                of("integer", depth),
                of("integer", depth),
            )
        if branch == 7:
            inner = of("integer", depth)
            count = Node(str(rng.randrange(0, NUMBERS_OF_BITS[inner.type])), (), "INTEGER")
            if rng.getrandbits(1):
                return self._typed("({} >> {})", inner, count)
            inner = self._typed("({} & 15)", inner)
            return inner and self._typed(
                "({} << {})", inner, Node(str(rng.randrange(0, 4)), (), "INTEGER")
            )
        if branch == 8 and rng.randrange(4) == 0:
            return self._typed("sign({})", of("float", depth))
        if branch == 8:
            return self._typed(
                rng.choice(
                    ["(- {})", "abs({})", "(~ {})", "sign({})", "round({})", "trunc({})", "(+ {})"]
                ),
                of("integer", depth),
            )
        if branch == 9:
            part = rng.choice(
                ["year", "quarter", "month", "day", "dayofweek", "isodow", "dayofyear"]
                + ["week", "yearweek", "isoyear", "decade", "century", "millennium", "era"]
            )
            return self._typed(
                rng.choice(
                    [
                        f"{part}({{}})",
                        f"EXTRACT({part} FROM {{}})"
                        if part in ("year", "quarter", "month", "day", "week", "decade")
                        else f"date_part('{part}', {{}})",
                    ]
                ),
                of(rng.choice(["date", "timestamp"]), depth),
            )
        if branch == 10:
            return self._typed(
                rng.choice(
                    ["hour({})", "minute({})", "second({})", "EXTRACT(hour FROM {})"]
                    + ["millisecond({})", "EXTRACT(us FROM {})", "epoch_us({})", "epoch_ms({})"]
                ),
                of("timestamp", depth),
            )
        if branch == 11:
            if rng.getrandbits(1):
                kinds = [rng.choice(["date", "timestamp"]) for _ in range(2)]
                pair = [of(kind, depth) for kind in kinds]
                return self._typed(f"date_diff('{rng.choice(STARTS)}', {{}}, {{}})", *pair)
            return self._typed("({} - {})", of("date", depth), of("date", depth))
        if branch == 12:
            kind = rng.choice(INTEGERS)
            source = rng.choice(["integer", "boolean", "integer", "decimal", "float"])
            if source in ("decimal", "float") or rng.random() < 0.5:
                inner = self._guarded(source, depth) if source != "boolean" else of(source, depth)
                return inner and self._typed(f"CAST({{}} AS {kind})", inner)
            return self._typed(f"{{}}::{kind}", of(source, 0))
        return self._choice("integer", depth)

    def _float(self, depth):
        of, rng = self.of, self.rng
        branch = rng.randrange(10)
        if branch < 3:
            return self._typed(
                rng.choice(["({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} % {})"]),
                of("float", depth),
                of(rng.choice(["float", "float", "integer", "decimal"]), depth),
            )
        if branch == 3:
            number = rng.choice(["integer", "decimal"])
            return self._typed("({} / {})", of(number, depth), of(number, depth))
        if branch == 4:
            return self._typed(
                rng.choice(
                    ["(- {})", "abs({})", "floor({})", "ceil({})", "round({})", "trunc({})"]
                ),
                of("float", depth),
            )
        if branch == 5:
            return self._typed("sqrt({})", of(rng.choice(["float", "integer", "decimal"]), depth))
        if branch == 6:
            return self._typed(rng.choice(["floor({})", "ceiling({})"]), of("integer", depth))
        if branch == 7:
            return self._typed(
                f"CAST({{}} AS {rng.choice(['FLOAT', 'DOUBLE'])})",
                of(rng.choice(["integer", "float", "decimal", "boolean"]), depth),
            )
        return self._choice("float", depth)

    def _decimal(self, depth):
        of, rng = self.of, self.rng
        branch = rng.randrange(9)
        if branch < 3:
            left, right = (
                self._guarded("decimal", depth),
                self._guarded(rng.choice(["decimal", "decimal", "integer"]), depth),
            )
            return (
                left
                and right
                and self._typed(
                    rng.choice(["({} + {})", "({} - {})", "({} * {})", "({} * (1 - {}))"]),
                    left,
                    right,
                )
            )
        if branch == 3:
            divisor = self._divisor("decimal", depth)
            return divisor and self._typed("({} % {})", of("decimal", depth), divisor)
        if branch == 4:
            return self._typed(
                rng.choice(
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
        if branch < 7:
            precision = rng.choice([4, 9, 12, 15, 18])
            kind = f"DECIMAL({precision},{rng.randrange(0, min(precision, 7))})"
            source = rng.choice(["integer", "decimal", "float", "boolean"])
            inner = of("boolean", depth) if source == "boolean" else self._guarded(source, depth)
            return inner and self._typed(f"CAST({{}} AS {kind})", inner)
        return self._choice("decimal", depth)

    def _date(self, depth):
        of, rng = self.of, self.rng
        branch = rng.randrange(6)
        if branch < 2:
            days = self._typed(
                "CAST(CASE WHEN {0} BETWEEN -100 AND 1000 THEN {0} END AS INTEGER)",
                of("integer", depth),
            )
            return days and self._typed(
                rng.choice(["({} + {})", "({} - {})"]), of("date", depth), days
            )
        if branch == 2:
            return self._typed(rng.choice(["({} + 30)", "({} - 1)"]), of("date", depth))
        if branch == 3:
            return self._typed("CAST({} AS DATE)", of("timestamp", depth))
        return self._choice("date", depth)

    def _timestamp(self, depth):
        branch = self.rng.randrange(5)
        if branch < 2:
            return self._typed("CAST({} AS TIMESTAMP)", self.of("date", depth))
        if branch == 2:
            part = self.rng.choice(STARTS)
            kind = self.rng.choice(["date", "timestamp"])
            return self._typed(f"date_trunc('{part}', {{}})", self.of(kind, depth))
        return self._choice("timestamp", depth)

    def _boolean(self, depth):
        of, rng = self.of, self.rng
        branch = rng.randrange(15)
        compare = rng.choice(["=", "<>", "<", "<=", ">", ">=", "!=", "=="])
        if branch < 4:
            family = rng.choice(FAMILIES)
            return self._typed(f"({{}} {compare} {{}})", of(family, depth), of(family, depth))
        if branch == 4:
            left, right = rng.choice(
                [
                    ("integer", "float"),
                    ("integer", "decimal"),
                    ("decimal", "float"),
                    ("date", "timestamp"),
                    ("boolean", "integer"),
                ]
            )
            pair = [of(left, depth), of(right, depth)]
            rng.shuffle(pair)
            return self._typed(f"({{}} {compare} {{}})", *pair)
        if branch < 7:
            return self._filled(
                ["({} AND {})", "({} OR {})", "({} AND {} AND {})", "({} OR {} OR {})"],
                "boolean",
                depth,
            )
        if branch == 7:
            return self._typed("(NOT {})", of("boolean", depth))
        if branch == 8:
            inner = of(rng.choice(FAMILIES), depth) if rng.random() < 0.8 else self.column("string")
            return self._typed(rng.choice(["({} IS NULL)", "({} IS NOT NULL)"]), inner)
        if branch == 9:
            return self._typed(
                f"({{}} IS {rng.choice(['TRUE', 'FALSE', 'NOT TRUE', 'NOT FALSE', 'UNKNOWN', 'NOT UNKNOWN'])})",
                of("boolean", depth),
            )
        if branch == 10:
            family = rng.choice(FAMILIES)
            return self._typed(
                rng.choice(["({} BETWEEN {} AND {})", "({} NOT BETWEEN {} AND {})"]),
                *[of(family, depth - 1) for _ in range(3)],
            )
        if branch == 11:
            family = rng.choice(["integer", "decimal", "date", "timestamp", "float"])
            return self._typed(
                rng.choice(["({} IN ({}, {}, {}))", "({} NOT IN ({}, {}, {}))"]),
                of(family, depth),
                *[rng.choice([self._literal, self.column])(family) for _ in range(3)],
            )
        if branch == 12:
            family = rng.choice(FAMILIES)
            return self._typed(
                rng.choice(["({} IS DISTINCT FROM {})", "({} IS NOT DISTINCT FROM {})"]),
                of(family, depth),
                of(family, depth),
            )
        if branch == 13:
            return self._typed(
                rng.choice(CONDITIONS_OF_TEXT), self.text(rng.choice([0, 0, 1]), False)
            )
        if rng.random() < 0.7:
            text = (
                rng.choice(tables.STRINGS + ["absent", "key 17"])
                .replace("'", "''")
                .replace("{", "{{")
                .replace("}", "}}")
            )
            return self._typed(
                rng.choice(
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
                rng.choice(["({} = {})", "({} <> {})"]),
                Node("s", (), "VARCHAR"),
                Node("sn", (), "VARCHAR"),
            )
            if rng.getrandbits(1)
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
