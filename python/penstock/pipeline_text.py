"""A SELECT written as text, with the tables and parameters that it names."""

import dataclasses

from penstock import tracing_types as types
from penstock.pipeline_select import Derived, Join
from penstock.tracing_values import literal

# A SELECT above so many levels of FROM, or with so large an expression, is named by WITH: the
# engine nests 16 levels, and 1000 words and signs.
FROM_LEVELS = 3
FROM_EXPRESSION_SIZE = 150
# libpg_query cuts off longer names, at 63 bytes.
NAME_BYTES = 60
JOINS = {
    "inner": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "cross": "CROSS JOIN",
}


@dataclasses.dataclass(frozen=True)
class Statement:
    """`sql` with $1, $2, ... for `parameters`, which are (value, type)."""

    sql: str
    tables: dict
    parameters: tuple
    functions: tuple  # of penstock.function(), which the session must know
    needs_duckdb: bool  # the own planner lacks an aggregate


def statement_of(select, with_literals=False):
    writer = _Writer(with_literals)
    sql = writer.select(select)
    if writer.named_selects:
        sql = "WITH " + ", ".join(writer.named_selects) + " " + sql
    return Statement(
        sql, writer.tables, tuple(writer.parameters), tuple(writer.functions), writer.needs_duckdb
    )


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def safe_names(names):
    """Returns names that SQL tells apart and keeps: c0, c1, ... in place of others.

    SQL finds names in any case, cuts off long ones, and has none that is empty.
    """
    folded = [name.casefold() for name in names]
    is_safe = len(set(folded)) == len(folded) and all(
        name and "\0" not in name and len(name.encode(errors="replace")) <= NAME_BYTES
        for name in names
    )
    return list(names) if is_safe else [f"c{index}" for index in range(len(names))]


class _Writer:
    def __init__(self, with_literals):
        self.tables, self.parameters, self.functions = {}, [], []
        self.needs_duckdb = False
        self.named_selects = []  # of WITH
        self._levels = 0  # of FROM below the SELECT that was written last
        self._with_literals = with_literals
        self._aliases = {}  # of the sources in FROM: (alias, names)
        self._table_names = {}  # by the data's identity
        self._alias_count = 0
        self._parameter_texts = {}

    def select(self, select):
        """Returns the text of a SELECT."""
        self._levels = 0
        source = self._source(select.source)  # first: columns are written by its alias
        levels = self._levels
        names = safe_names([name for name, _ in select.columns])
        items = ", ".join(
            f"{self._text(node)} AS {quoted(name)}"
            for name, (_, node) in zip(names, select.columns)
        )
        text = f"SELECT {self._distinct(select)}{items} FROM {source}" + self._clauses(select)
        self._levels = levels
        return text

    def _distinct(self, select):
        if not select.distinct:
            return "" if select.distinct is None else "DISTINCT "
        return f"DISTINCT ON ({self._texts(select.distinct)}) "

    def _clauses(self, select):
        made = self._condition("WHERE", select.where)
        if select.keys:
            made += f" GROUP BY {self._texts(select.keys)}"
        made += self._condition("HAVING", select.having)
        if select.order:
            made += " ORDER BY " + ", ".join(
                f"{self._text(node)} {'DESC' if is_descending else 'ASC'} "
                f"NULLS {'LAST' if are_last else 'FIRST'}"
                for node, is_descending, are_last in select.order
            )
        if select.limit is not None:
            made += f" LIMIT {select.limit}"
        return made + (f" OFFSET {select.offset}" if select.offset else "")

    def _condition(self, clause, conditions):
        return f" {clause} " + " AND ".join(map(self._text, conditions)) if conditions else ""

    def _texts(self, nodes):
        return ", ".join(map(self._text, nodes))

    # ---- FROM ----

    def _source(self, source):
        if isinstance(source, Join):
            left = self._source(source.left)
            levels, self._levels = self._levels, 0
            right = self._source(source.right)
            self._levels = max(self._levels, levels)
            on = "" if source.condition is None else f" ON {self._text(source.condition)}"
            return f"{left} {JOINS[source.how]} {right}{on}"
        text = self._derived(source) if isinstance(source, Derived) else None
        alias = f"t{self._alias_count}"
        self._alias_count += 1
        given = [name for name, _ in source.schema]
        names = safe_names(given)
        self._aliases[id(source)] = alias, names
        # A SELECT in FROM has safe names already.
        renamed = "" if text or names == given else f"({', '.join(names)})"
        return f"{text or self._table(source)} AS {alias}{renamed}"

    def _derived(self, source):
        text = self.select(source.select)
        expressions = [node for _, node in source.select.columns] + [*source.select.where]
        largest = max(node.size for node in expressions)
        if self._levels < FROM_LEVELS and largest < FROM_EXPRESSION_SIZE:
            self._levels += 1
            return f"({text})"
        self._levels = 0
        name = f"step{len(self.named_selects)}"
        self.named_selects.append(f"{name} AS ({text})")
        return name

    def _table(self, table):
        if table.path is not None:
            return "'" + table.path.replace("'", "''") + "'"
        name = self._table_names.setdefault(id(table.data), f"table{len(self._table_names)}")
        self.tables[name] = table.data
        return name

    # ---- expressions ----

    def _text(self, node):
        if node.kind == "column":
            alias, names = self._aliases[id(node.payload[0])]
            return f"{alias}.{quoted(names[node.payload[1]])}"
        if node.kind == "parameter":
            return self._parameter(node)
        if node.kind == "exists":
            return self._exists(node)
        self.needs_duckdb |= "planner" in node.has
        if node.payload is not None:
            self._call(node.payload)
        return node.template.format(*map(self._text, node.operands))

    def _call(self, function):
        if function not in self.functions:
            self.functions.append(function)

    def _parameter(self, node):
        value, type_ = node.payload, node.type
        if self._with_literals or value is None:
            return literal(value, type_)
        if id(node) not in self._parameter_texts:
            self.parameters.append((value, type_))
            place = f"${len(self.parameters)}"
            text = place if isinstance(value, str) else f"CAST({place} AS {types.sql_name(type_)})"
            self._parameter_texts[id(node)] = text
        return self._parameter_texts[id(node)]

    def _exists(self, node):
        ours = [self._text(operand) for operand in node.operands]
        right, keys = node.payload
        source = self._source(right.source)
        equal = [f"{self._text(key)} = {text}" for key, text in zip(keys, ours)]
        conditions = [*map(self._text, right.where), *equal]
        return f"{node.template} (SELECT 1 FROM {source} WHERE {' AND '.join(conditions)})"
