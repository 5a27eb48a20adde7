"""A SELECT as a value: the clauses that a pipeline's steps fill.

A step is added to the SELECT if the order of SQL's clauses allows it: WHERE is computed before
GROUP BY, then HAVING, windows, DISTINCT, ORDER BY and LIMIT. Otherwise the SELECT goes into FROM of
another one.
"""

import dataclasses

import pyarrow

from penstock import tracing_nodes as nodes

BOOLEAN = pyarrow.bool_()


class Table:
    """A table in FROM: Arrow data, or the path of a file. Each FROM has one of its own."""

    def __init__(self, data, schema, path=None):
        self.data, self.schema, self.path = data, schema, path

    def copy(self):
        return Table(self.data, self.schema, self.path)


class Derived:
    """A SELECT in FROM."""

    def __init__(self, select):
        self.select = select

    @property
    def schema(self):
        return self.select.schema

    def copy(self):
        return Derived(self.select)


class Join:
    """`how`: JOIN of SQL; `condition` is a node over columns of both, None for CROSS JOIN."""

    def __init__(self, left, right, how, condition):
        self.left, self.right, self.how, self.condition = left, right, how, condition


def columns_of(source):
    """Returns the (name, node) of each column of a Table or Derived."""
    return tuple(
        (name, nodes.column(source, index, type_))
        for index, (name, type_) in enumerate(source.schema)
    )


@dataclasses.dataclass(frozen=True)
class Select:
    source: object
    columns: tuple  # (name, node)
    where: tuple = ()
    keys: tuple | None = None  # nodes of GROUP BY; () is one group of all rows
    having: tuple = ()
    order: tuple = ()  # (node, is descending, are NULLs last)
    offset: int = 0
    limit: int | None = None
    distinct: tuple | None = None  # nodes of DISTINCT ON; () is DISTINCT

    @classmethod
    def of(cls, source):
        return cls(source, columns_of(source))

    @property
    def schema(self):
        return tuple((name, node.type) for name, node in self.columns)

    def changed(self, **fields):
        return dataclasses.replace(self, **fields)

    def nested(self):
        return Select.of(Derived(self))

    # ---- what the SELECT is ----

    @property
    def is_cut(self):
        return self.limit is not None or self.offset > 0

    @property
    def has_windows(self):
        return any("window" in node.has for _, node in self.columns)

    @property
    def yields_rows_of_from(self):
        """Tells whether WHERE and GROUP BY may still be added: no later clause is there."""
        is_late = self.keys is not None or self.distinct is not None
        return not (is_late or self.is_cut or self.has_windows)

    @property
    def is_plain(self):
        """Tells whether it has columns of FROM alone."""
        is_filtered = self.where or self.having or self.order
        are_columns = all(node.kind == "column" for _, node in self.columns)
        return self.yields_rows_of_from and not is_filtered and are_columns

    def compose(self, node):
        """Returns a lambda's expression over the columns of FROM; None if it becomes too large."""

        def leaf(one):
            return self.columns[one.payload[1]][1] if one.kind == "input" else one

        made = nodes.replace_leaves(node, leaf)
        return None if made.has_grown_too_large(node) else made

    def compose_all(self, traced):
        """Returns (this or a nested SELECT, the expressions over its columns of FROM)."""
        made = [self.compose(node) for node in traced]
        if all(node is not None for node in made):
            return self, made
        inner = self.nested()
        return inner, [inner.compose(node) for node in traced]

    # ---- steps ----

    def filter(self, condition):
        is_late = self.is_cut or self.distinct is not None or self.has_windows
        base = self.nested() if is_late or "window" in condition.has else self
        base, (made,) = base.compose_all([condition])
        if base.keys is not None:
            return base.changed(having=(*base.having, made))
        return base.changed(where=(*base.where, made))

    def map(self, names, traced):
        """Replaces the columns by expressions over them."""
        is_new = any(node.kind != "input" for node in traced)
        has_windows = any("window" in node.has for node in traced)
        # LIMIT and DISTINCT are computed behind the list of the SELECT: an expression there would
        # be computed for rows that they drop, and its errors reported.
        is_late = self.distinct is not None or (self.is_cut and is_new)
        if is_late or (has_windows and not self.yields_rows_of_from):
            return self.nested().map(names, traced)
        base, made = self.compose_all(traced)
        return base.changed(columns=tuple(zip(names, made)))

    def sort(self, keys):
        """`keys`: (traced node, is descending, are NULLs last). The order before breaks ties."""
        base = self.nested() if self.is_cut or self.distinct is not None else self
        base, made = base.compose_all([node for node, _, _ in keys])
        order = tuple((node, *rest) for node, (_, *rest) in zip(made, keys))
        return base.changed(order=order + base.order)

    def slice(self, offset, length):
        if self.distinct is not None:
            return self.nested().slice(offset, length)
        limit = length
        if self.limit is not None:
            left = max(0, self.limit - offset)
            limit = left if length is None else min(left, length)
        return self.changed(offset=self.offset + offset, limit=limit)

    def group(self, keys, aggregates):
        """`keys` and `aggregates`: (name, traced node). Rows of groups have no order."""
        base = self if self.yields_rows_of_from else self.nested()
        traced = [node for _, node in (*keys, *aggregates)]
        base, made = base.compose_all(traced)
        names = [name for name, _ in (*keys, *aggregates)]
        grouped = tuple(made[: len(keys)])
        return base.changed(columns=tuple(zip(names, made)), keys=grouped, order=())

    def unique(self, subset):
        """`subset`: places of columns that tell rows apart, or None for all."""
        base = self if self.yields_rows_of_from else self.nested()
        on = () if subset is None else tuple(base.columns[index][1] for index in subset)
        return base.changed(distinct=on, order=())

    # ---- joins ----

    def _side(self, may_filter, may_compute):
        """Returns the SELECT as one side of a join, nested unless its clauses stay valid."""
        made = self.changed(order=()) if not self.is_cut else self
        is_open = made.yields_rows_of_from and (may_filter or not made.where)
        are_columns = all(node.kind == "column" for _, node in made.columns)
        is_open = is_open and (may_compute or are_columns)
        return made if is_open else self.nested()

    def _with_own_source(self):
        """Returns the SELECT over a copy of its table, which may stand in FROM a second time."""
        if isinstance(self.source, Join):
            return self.nested()
        source = self.source.copy()

        def leaf(one):
            is_of_source = one.kind == "column" and one.payload[0] is self.source
            return nodes.column(source, one.payload[1], one.type) if is_of_source else one

        done = {}
        return self.changed(
            source=source,
            columns=tuple((n, nodes.replace_leaves(node, leaf, done)) for n, node in self.columns),
            where=tuple(nodes.replace_leaves(node, leaf, done) for node in self.where),
        )

    def joined(self, other, how, pairs):
        """Returns (FROM and WHERE of a join, the left columns' nodes, the right columns').

        `pairs`: places of the key columns. Rows that a LEFT JOIN adds have NULLs in the right
        columns, which no expression may fill, and no condition may drop.
        """
        is_inner = how in ("inner", "cross")
        left = self._side(is_inner or how == "left", is_inner or how == "left")
        right = other._side(is_inner, is_inner)._with_own_source()
        ours = [node for _, node in left.columns]
        theirs = [node for _, node in right.columns]
        source = Join(left.source, right.source, how, equality(ours, theirs, pairs))
        return Select(source, (), where=left.where + right.where), ours, theirs

    def semi(self, other, pairs, is_anti):
        """Keeps the rows that have (do not have) a partner."""
        base = self if self.yields_rows_of_from else self.nested()
        right = other._side(True, True)
        right = right if isinstance(right.source, Join) else right._with_own_source()
        ours = [base.columns[index][1] for index, _ in pairs]
        theirs = [right.columns[index][1] for _, index in pairs]
        partner = nodes.Node(
            "exists", BOOLEAN, "NOT EXISTS" if is_anti else "EXISTS", ours, (right, theirs)
        )
        return base.changed(where=(*base.where, partner))


def equality(ours, theirs, pairs):
    """Returns the condition of a join, or None without keys."""
    made = None
    for left, right in pairs:
        one = nodes.call("{} = {}", BOOLEAN, ours[left], theirs[right])
        made = one if made is None else nodes.call("{} AND {}", BOOLEAN, made, one)
    return made
