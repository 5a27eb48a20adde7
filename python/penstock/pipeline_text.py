"""A SELECT written as text, with the tables and parameters that it names."""

import dataclasses

from penstock import tracing_types as types
from penstock.pipeline_select import Derived, Join
from penstock.tracing_values import literal

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
        self._with_literals = with_literals
        self._aliases = {}  # of the sources in FROM: (alias, names)
        self._table_names = {}  # by the data's identity
        self._alias_count = 0
        self._parameter_texts = {}

    def select(self, select):
        """Returns the text of a SELECT."""
        source = self._source(select.source)  # first: columns are written by its alias
        names = safe_names([name for name, _ in select.columns])
        items = ", ".join(
            f"{self._text(node)} AS {quoted(name)}"
            for name, (_, node) in zip(names, select.columns)
        )
        return f"SELECT {self._distinct(select)}{items} FROM {source}" + self._clauses(select)

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
            left, right = self._source(source.left), self._source(source.right)
            on = "" if source.condition is None else f" ON {self._text(source.condition)}"
            return f"{left} {JOINS[source.how]} {right}{on}"
        text = f"({self.select(source.select)})" if isinstance(source, Derived) else None
        alias = f"t{self._alias_count}"
        self._alias_count += 1
        given = [name for name, _ in source.schema]
        names = safe_names(given)
        self._aliases[id(source)] = alias, names
        # A SELECT in FROM has safe names already.
        renamed = "" if text or names == given else f"({', '.join(names)})"
        return f"{text or self._table(source)} AS {alias}{renamed}"

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
        if node.payload is not None and node.payload not in self.functions:
            self.functions.append(node.payload)
        return node.template.format(*map(self._text, node.operands))

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
