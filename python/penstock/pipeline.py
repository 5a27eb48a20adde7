"""Pipelines from lambdas: steps over a table that become one statement.

    penstock.from_arrow(sales)
        .filter(lambda r: r.price * 2 > floor)
        .group_by("shop").agg(total=("price", "sum"), best=lambda g: g.price.max())
        .sort("total", descending=True).head(10)
        .pl()

A lambda is called once, when its step is added, and leaves an expression. Nothing is read before
the pipeline runs. Captured values are parameters: another value compiles nothing.
"""

import pyarrow

from penstock import pipeline_arguments as arguments
from penstock import pipeline_run as running
from penstock import tracing_nodes as nodes
from penstock import tracing_types as types
from penstock.pipeline_groups import GroupBy
from penstock.pipeline_results import Results
from penstock.pipeline_select import Select, Table
from penstock.tracing import trace, trace_condition
from penstock.tracing_errors import error_here, line_of_caller, unknown_here

JOINS = ("inner", "left", "right", "full", "semi", "anti", "cross")


def from_arrow(data):
    """A pipeline over a table: pyarrow's, pandas', Polars', a dict of arrays, or a Pipeline."""
    if isinstance(data, Pipeline):
        return data
    table = running.table_of(data)
    names = table.column_names
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise error_here(
            f"columns of one name: {', '.join(twice)}; rename them: table.rename_columns(...)"
        )
    schema = tuple((field.name, types.engine_type(field.type)) for field in table.schema)
    if not schema:
        raise error_here("the table has no columns")
    return Pipeline._over(Select.of(Table(table, schema)), f"from_arrow at {line_of_caller()}")


def from_file(path, device="", session=None):
    """A pipeline over a Parquet, Arrow, CSV or JSON file, of which the schema alone is read."""
    path = str(path)
    schema = running.schema_of_file(path, device, session)
    return Pipeline._over(Select.of(Table(None, schema, path)), f"from_file at {line_of_caller()}")


class Pipeline(Results):
    """Steps over a table. It is a value: a step makes another one, and threads may share it."""

    __slots__ = ("_select", "_steps")

    @classmethod
    def _over(cls, select, *steps):
        made = object.__new__(cls)
        object.__setattr__(made, "_select", select)
        object.__setattr__(made, "_steps", steps)
        return made

    def __init__(self):
        raise error_here("a pipeline begins with penstock.from_arrow() or from_file()")

    def __setattr__(self, name, value):
        raise error_here("a pipeline cannot be changed; its steps make others")

    def __reduce__(self):
        return Pipeline._over, (self._select, *self._steps)

    def __repr__(self):
        columns = ", ".join(f"{name}: {types.sql_name(t)}" for name, t in self._select.schema)
        return f"<Pipeline of {columns}; {len(self._steps)} steps>"

    def _then(self, step, select):
        return Pipeline._over(select, *self._steps, f"{step} at {line_of_caller()}")

    @property
    def columns(self):
        return [name for name, _ in self._select.columns]

    @property
    def schema(self):
        """The pyarrow schema of the result."""
        return pyarrow.schema(self._select.schema)

    # ---- rows and columns ----

    def filter(self, *conditions):
        """Keeps the rows in which every condition is true, not false or NULL."""
        select = self._select
        if not conditions:
            raise error_here("filter() takes a lambda")
        for condition in conditions:
            arguments.need_lambda("filter", condition)
            _, result = trace_condition("filter", condition, select.schema)
            select = select.filter(arguments.rows("filter", result))
        return self._then("filter", select)

    def map(self, columns=None, /, **named):
        """Makes rows of these columns alone: map(price=lambda r: r.price * 2)."""
        made = self._traced("map", columns, named)
        return self._then("map", self._select.map(list(made), list(made.values())))

    def with_columns(self, columns=None, /, **named):
        """Adds columns, or replaces those of the same names."""
        made = {**self._inputs(), **self._traced("with_columns", columns, named)}
        return self._then("with_columns", self._select.map(list(made), list(made.values())))

    def select(self, *names, **named):
        """Keeps these columns in this order; lambdas by name add others behind them."""
        kept = self._inputs(arguments.listed(names), "select")
        added = self._traced("select", None, named) if named or not kept else {}
        if twice := set(kept) & set(added):
            raise error_here(f"select: columns of one name: {', '.join(sorted(twice))}")
        made = {**kept, **added}
        return self._then("select", self._select.map(list(made), list(made.values())))

    def drop(self, *names):
        dropped = self._inputs(arguments.listed(names), "drop")
        kept = {name: node for name, node in self._inputs().items() if name not in dropped}
        if not kept:
            raise error_here("drop: no column is left")
        return self._then("drop", self._select.map(list(kept), list(kept.values())))

    def rename(self, names=None, /, **named):
        """Renames columns: rename({"old name": "new"}, old="new")."""
        renamed = {**(names or {}), **named}
        self._inputs(list(renamed), "rename")
        made = [arguments.checked_name("rename", renamed.get(name, name)) for name in self.columns]
        if twice := sorted({name for name in made if made.count(name) > 1}):
            raise error_here(f"rename: columns of one name: {', '.join(twice)}")
        return self._then("rename", self._select.map(made, list(self._inputs().values())))

    def _inputs(self, names=None, step=""):
        """Returns columns as they are, by name: all, or the named ones."""
        made = {
            name: nodes.input_of(None, index, type_)
            for index, (name, type_) in enumerate(self._select.schema)
        }
        if names is None:
            return made
        for name in names:
            if name not in made:
                raise unknown_here(f"column for {step}", name, made)
        if len(set(names)) < len(names):
            raise error_here(f"{step}: a column is named twice")
        return {name: made[name] for name in names}

    def _traced(self, step, columns, named):
        """Returns the node that each lambda leaves, by the column's name."""
        made = {}
        for name, function in arguments.named(step, columns, named).items():
            arguments.need_lambda(step, function, name)
            _, result = trace(f'{step}, column "{name}"', function, self._select.schema)
            made[name] = arguments.rows(f'{step}, column "{name}"', result)
        return made

    # ---- order ----

    def sort(self, *keys, descending=False, nulls_last=False):
        """Sorts by columns or lambdas; NULLs are first unless `nulls_last`, as in Polars.

        `descending` and `nulls_last` are one bool, or a list of one for each key. Rows with equal
        keys keep the order that they had.
        """
        keys = arguments.listed(keys)
        if not keys:
            raise error_here("sort() takes a column's name or a lambda")
        flags = zip(arguments.flags(descending, keys), arguments.flags(nulls_last, keys))
        made = [(self._key("sort", key), *flag) for key, flag in zip(keys, flags)]
        for node, _, _ in made:
            if "columns" not in node.has:
                raise error_here("sort: a key is a constant")
        return self._then("sort", self._select.sort(made))

    def _key(self, step, key):
        if isinstance(key, str):
            return self._inputs([key], step)[key]
        arguments.need_lambda(step, key)
        return arguments.rows(step, trace(step, key, self._select.schema)[1])

    def head(self, n=5):
        return self._then("head", self._select.slice(0, arguments.count("head", n)))

    limit = head

    def slice(self, offset, length=None):
        """The rows from `offset` on, `length` of them or all."""
        count = None if length is None else arguments.count("slice", length)
        return self._then("slice", self._select.slice(arguments.count("slice", offset), count))

    def unique(self, *subset):
        """One row of each group of equal rows; with names, of rows equal in these columns."""
        names = self.columns
        places = [names.index(name) for name in self._inputs(arguments.listed(subset), "unique")]
        return self._then("unique", self._select.unique(places or None))

    # ---- groups ----

    def group_by(self, *keys, **named):
        """Groups by columns, and by lambdas: group_by("shop", year=lambda r: r.day.dt.year())."""
        plain = self._inputs(arguments.listed(keys), "group_by")
        computed = self._traced("group_by", None, named) if named else {}
        if twice := set(plain) & set(computed):
            raise error_here(f"group_by: keys of one name: {', '.join(sorted(twice))}")
        return GroupBy._over(self, {**plain, **computed})

    def agg(self, columns=None, /, **named):
        """One row of aggregates over all rows, as group_by().agg() has them."""
        return self.group_by().agg(columns, **named)

    # ---- joins ----

    def join(self, other, on=None, how="inner", *, left_on=None, right_on=None, suffix="_right"):
        """Joins by equal columns, which are never NULL.

        `how`: inner, left, right, full, semi, anti or cross. A right column gets the suffix if
        the left has its name. The right keys are left out, but not of a full join; of a right join
        the left ones are.
        """
        other = from_arrow(other)
        if how not in JOINS:
            raise error_here(f"join: how is one of {', '.join(JOINS)}, not {how!r}")
        left, right = self._join_keys(other, on, how, left_on, right_on)
        pairs = [
            (self.columns.index(one), other.columns.index(two)) for one, two in zip(left, right)
        ]
        if how in ("semi", "anti"):
            select = self._select.semi(other._select, pairs, how == "anti")
        else:
            select, ours, theirs = self._select.joined(other._select, how, pairs)
            kept = [name for name in self.columns if how != "right" or name not in left]
            added = [n for n in other.columns if how not in ("inner", "left") or n not in right]
            columns = [(name, ours[self.columns.index(name)]) for name in kept]
            for name in added:
                new = name + suffix if name in kept else name
                columns.append((new, theirs[other.columns.index(name)]))
            names = [name for name, _ in columns]
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise error_here(f"join: columns of one name: {', '.join(twice)}; change `suffix`")
            select = select.changed(columns=tuple(columns))
        made = self._then("join", select)
        steps = [step for step in other._steps if step not in made._steps]
        return Pipeline._over(select, *steps, *made._steps)

    def _join_keys(self, other, on, how, left_on, right_on):
        if (on is not None) and (left_on is not None or right_on is not None):
            raise error_here("join: `on`, or `left_on` and `right_on`")
        left = arguments.listed(() if on is None and left_on is None else (on or left_on,))
        right = (
            arguments.listed((right_on,))
            if right_on is not None
            else left
            if on is not None
            else []
        )
        if (how == "cross") == bool(left) or len(left) != len(right):
            raise error_here(
                "join: `on` names the key columns, or `left_on` and `right_on` as many of each; "
                "a cross join has none"
            )
        ours, theirs = self._inputs(left, "join"), other._inputs(right, "join, right side")
        for one, two in zip(left, right):
            if not types.is_comparable(ours[one].type, theirs[two].type):
                raise error_here(
                    f'join: "{one}" is {types.sql_name(ours[one].type)}, "{two}" of the right side '
                    f"{types.sql_name(theirs[two].type)}; cast() one"
                )
        return left, right
