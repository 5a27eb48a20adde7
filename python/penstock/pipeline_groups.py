"""Groups of a pipeline's rows, and their aggregates."""

import pyarrow

from penstock import pipeline_arguments as arguments
from penstock import tracing_nodes as nodes
from penstock.tracing import Column, Record, Trace, trace
from penstock.tracing_errors import error_here, unknown_here

AGGREGATES = ("sum mean min max count len n_unique null_count any all std var median").split()
OTHER_NAMES = {"avg": "mean", "nunique": "n_unique", "size": "len"}


class GroupBy:
    """group_by(), which waits for agg()."""

    __slots__ = ("_pipeline", "_keys")

    @classmethod
    def _over(cls, pipeline, keys):
        made = object.__new__(cls)
        made._pipeline, made._keys = pipeline, keys
        return made

    def agg(self, columns=None, /, **named):
        """Aggregates: total=("price", "sum"), n=("*", "count"), m=lambda g: g.price.max()."""
        given = arguments.named("agg", columns, named, may_be_empty=bool(self._keys))
        made = []
        for name, wanted in given.items():
            if name in self._keys:
                raise error_here(f'agg: "{name}" is a key of the groups; name it otherwise')
            made.append((name, self._aggregate(f'agg, column "{name}"', wanted)))
        grouped = self._pipeline._select.group(list(self._keys.items()), made)
        return self._pipeline._then("group_by().agg", grouped)

    def len(self, name="len"):
        return self.agg({name: ("*", "count")})

    def _aggregate(self, step, wanted):
        schema = self._pipeline._select.schema
        if callable(wanted) and not isinstance(wanted, (tuple, Column)):
            made, result = trace(step, wanted, schema, is_grouped=True)
            self._check(made, result)
            return result._node
        if not isinstance(wanted, tuple) or len(wanted) != 2:
            raise error_here(
                f'{step}: an aggregate is ("column", "sum"), ("*", "count") or a lambda, '
                f"not {wanted!r}"
            )
        return self._named_aggregate(step, *wanted)._node

    def _named_aggregate(self, step, column, function):
        schema = self._pipeline._select.schema
        if callable(column):
            made, value = trace(step, column, schema, is_grouped=True)
        else:
            made = Trace(step, None, schema, is_grouped=True)
            value = None if column == "*" and column not in dict(schema) else Record(made)[column]
        if callable(function):
            return function(value) if value is not None else function(Record(made))
        name = OTHER_NAMES.get(function, function)
        if name not in AGGREGATES:
            raise unknown_here("aggregate", function, AGGREGATES)
        if value is None or name == "len":
            if name not in ("count", "len"):
                raise error_here(f'{step}: {name} of "*"; it takes a column')
            return Column(nodes.aggregate("count(*)", pyarrow.int64()), made)
        return getattr(value, name)()

    def _check(self, made, result):
        """Keys stand beside aggregates; other columns have a value for each row of a group."""
        is_key = {node.payload[1] for node in self._keys.values() if node.kind == "input"}
        for loose in nodes.loose_columns(result._node, ()):
            if loose.payload[1] not in is_key:
                name = made.schema[loose.payload[1]][0]
                raise made.error(
                    f'"{name}" has a value in each row of a group; aggregate it: g["{name}"].sum()'
                )
        if "window" in result._node.has:
            raise made.error("over() belongs into map() or with_columns(), not into groups")
