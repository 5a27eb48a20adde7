"""The end of a SELECT: windows, DISTINCT, ORDER BY and LIMIT."""

from sqlglot import exp

from penstock.stages import statement as st
from penstock.stages.errors import unsupported
from penstock.stages.groups import keys_of, read_by


def finished(runner, stage, tree, items, schema=None):
    """Returns the Relation of a SELECT's rows; `schema`: the names and types that they shall have."""
    return Output(runner, tree, items, schema).relation(stage)


class Output:
    def __init__(self, runner, tree, items, schema):
        self.runner, self.tree, self.items, self.schema = runner, tree, items, schema
        self.names = [item.alias_or_name.lower() for item in tree.selects]
        self.order = list(tree.args["order"].expressions) if tree.args.get("order") else []
        self.limit = _number(tree.args.get("limit"), "LIMIT")
        self.offset = _number(tree.args.get("offset"), "OFFSET") or 0
        self.is_distinct = tree.args.get("distinct") is not None
        if self.is_distinct and tree.args["distinct"].args.get("on"):
            raise unsupported("DISTINCT ON", "write QUALIFY row_number() OVER (...) = 1")

    def relation(self, stage):
        stage = self._windowed(stage)
        hidden, order = self._order()
        if self.is_distinct:
            if hidden:
                raise unsupported("ORDER BY of what SELECT DISTINCT does not list", "list it")
            stage = self._distinct(stage)
        values = self.items + hidden
        outputs = [(stage.expressed(value), f"c{at}") for at, value in enumerate(values)]
        if not order and self.limit is None and not self.offset:
            return self._rows(stage, outputs)
        return self._ordered(stage, outputs, order)

    def _run(self, tree, inputs):
        return self.runner.run(tree, inputs, self.schema, self.names)

    def _rows(self, stage, outputs):
        """Computes rows that need no other share; of a dataset, as Ray streams it."""
        relation = stage.relation
        is_streamed = self.schema is not None and relation is not None and relation.parts is None
        if is_streamed and stage.group is None and not self.is_distinct:
            return self.runner.streamed(
                stage.select(outputs), stage.inputs, self.schema, self.names
            )
        return self._run(stage.select(outputs), stage.inputs)

    # Windows

    def _windowed(self, stage):
        qualify = self.tree.args.get("qualify")
        found = st.windows(read_by(self.tree, self.items))
        if not found:
            return stage
        if not stage.meets(self._partition(found)) or stage.group is not None:
            stage = self._met(self.runner.computed(stage, self._leaves()), found)
        if qualify is None:
            return stage
        # QUALIFY is a WHERE over the rows with their windows.
        condition = qualify.this
        extra = [o.this for o in self.order if self._place(o) is None]
        stage = self.runner.computed(stage, self.items + extra + [condition])
        stage.where = [stage.references[condition]]
        return stage

    def _leaves(self):
        """Returns what windows are computed of: columns of rows, or keys and aggregates."""
        group = self.tree.args.get("group")
        expressions = read_by(self.tree, self.items)
        found = st.aggregates(expressions)
        partition = [p for w in st.windows(expressions) for p in w.args.get("partition_by") or []]
        if group is None and not found:
            return list(dict.fromkeys(st.columns_of(expressions) + partition))
        return list(dict.fromkeys(keys_of(self.tree, self.items) + found + partition))

    def _partition(self, found):
        """Returns the keys by which all windows are partitioned."""
        keys = list(found[0].args.get("partition_by") or [])
        for window in found[1:]:
            keys = [key for key in keys if key in (window.args.get("partition_by") or [])]
        return keys

    def _met(self, stage, found):
        keys = self._partition(found)
        if stage.meets(keys):
            return stage
        if keys:
            return self.runner.exchanged(stage, keys)
        return self.runner.in_one_place(
            stage, "windows without a key of PARTITION BY in common", "add PARTITION BY"
        )

    # DISTINCT

    def _distinct(self, stage):
        stage = self.runner.computed(stage, self.items, distinct=True)
        if stage.share_count != 1:
            stage = self.runner.exchanged(stage, list(dict.fromkeys(self.items)))
            stage = self.runner.computed(stage, self.items, distinct=True)
        return stage

    # ORDER BY and LIMIT

    def _place(self, ordered):
        """Returns the item that ORDER BY means, or None for another expression."""
        value = ordered.this
        if isinstance(value, exp.Literal) and value.is_int:
            return int(value.this) - 1
        if isinstance(value, exp.Column) and not value.table and value.name.lower() in self.names:
            return self.names.index(value.name.lower())
        return self.items.index(value) if value in self.items else None

    def _order(self):
        """Returns expressions beside the items, and ORDER BY over columns c0, c1, ..."""
        if len(self.order) == 1 and isinstance(self.order[0].this, exp.Var):
            return [], [self._ordered_by(self.order[0], at) for at in range(len(self.items))]
        hidden, order = [], []
        for ordered in self.order:
            place = self._place(ordered)
            if place is None:
                place = len(self.items) + len(hidden)
                hidden.append(ordered.this)
            order.append(self._ordered_by(ordered, place))
        return hidden, order

    def _ordered_by(self, ordered, place):
        copy = ordered.copy()
        copy.set("this", exp.column(st.quoted(f"c{place}")))
        return copy

    def _ordered(self, stage, outputs, order):
        """Sorts and cuts each share, then all that is left."""
        share_count = stage.share_count
        first = stage.select(outputs)
        wanted = None if self.limit is None else self.limit + self.offset
        if share_count != 1:
            if wanted is not None:
                first = _cut(first, order, wanted, 0)
            relation = self.runner.run(first, stage.inputs)
            stage = self.runner.stage_of(relation)
            stage = self.runner.in_one_place(
                stage,
                "ORDER BY without LIMIT" if self.limit is None else "a LIMIT",
                "leave it out, and sort the result: Dataset.sort()",
            )
            references = list(stage.references.values())
            outputs = [(r, name) for r, (_, name) in zip(references, outputs)]
            first = stage.select(outputs)
        kept = len(self.items)
        if len(outputs) == kept:
            return self._run(_cut(first, order, self.limit, self.offset), stage.inputs)
        relation = self.runner.run(_cut(first, order, self.limit, self.offset), stage.inputs)
        stage = self.runner.stage_of(relation)
        references = list(stage.references.values())[:kept]
        outputs = [(r, f"c{at}") for at, r in enumerate(references)]
        return self._run(stage.select(outputs), stage.inputs)


def _number(node, what):
    if node is None:
        return None
    value = node.expression
    if node.args.get("limit_options") is not None and node.args["limit_options"].args.get(
        "percent"
    ):
        raise unsupported("LIMIT of a share of the rows", "write a number")
    if not (isinstance(value, exp.Literal) and value.is_int):
        raise unsupported(f"{what} that is no number", "write a number")
    return int(value.this)


def _cut(tree, order, limit, offset):
    tree = tree.copy()
    if order:
        tree.set("order", exp.Order(expressions=[o.copy() for o in order]))
    if limit is not None:
        tree.set("limit", exp.Limit(expression=exp.Literal.number(limit)))
    if offset:
        tree.set("offset", exp.Offset(expression=exp.Literal.number(offset)))
    return tree
