"""Aggregates of traced values: over groups, and by .over() over the rows of a partition."""

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_nodes as nodes
from penstock import tracing_types as types
from penstock.tracing_errors import error_here

WIDE_DIGITS = pyarrow.decimal128(38, 0)


class Aggregates:
    __slots__ = ()

    def sum(self):
        """Of integers int64 or uint64, as in NumPy; a sum beyond that is an error."""
        type_ = self.dtype
        if kinds.is_boolean(type_) or kinds.is_integer(type_):
            total = self._aggregate("sum({})", WIDE_DIGITS)
            return total.cast("uint64" if kinds.is_unsigned_integer(type_) else "int64")
        self._need(types.is_number(type_), "sum()")
        if kinds.is_decimal128(type_):
            return self._aggregate("sum({})", pyarrow.decimal128(38, type_.scale))
        return self._aggregate("sum({})", pyarrow.float64())

    def mean(self):
        if kinds.is_boolean(self.dtype):
            return self.cast("int8").mean()
        self._need(types.is_number(self.dtype), "mean()")
        return self._aggregate("avg({})", pyarrow.float64())

    def min(self):
        return self._of_ordered("min")

    def max(self):
        return self._of_ordered("max")

    def _of_ordered(self, function):
        self._need(types.is_comparable(self.dtype, self.dtype), function + "()")
        return self._aggregate(function + "({})", self.dtype)

    def count(self):
        """How many values are not NULL."""
        return self._aggregate("count({})", pyarrow.int64())

    def len(self):
        """How many rows there are."""
        return self._aggregate("count(CASE WHEN {} IS NULL THEN 1 ELSE 1 END)", pyarrow.int64())

    def null_count(self):
        return self.is_null().sum()

    def n_unique(self):
        """How many different values there are; NULL is one, as in Polars."""
        different = self._aggregate("count(DISTINCT {})", pyarrow.int64())
        has_null = self._aggregate("max(CASE WHEN {} IS NULL THEN 1 ELSE 0 END)", pyarrow.int32())
        return different + has_null.cast("int64").fill_null(0)

    def any(self):
        self._need(kinds.is_boolean(self.dtype), "any()")
        return self._aggregate("bool_or({})", pyarrow.bool_())

    def all(self):
        self._need(kinds.is_boolean(self.dtype), "all()")
        return self._aggregate("bool_and({})", pyarrow.bool_())

    def std(self, ddof=1):
        return self._moment("stddev", ddof)

    def var(self, ddof=1):
        return self._moment("var", ddof)

    def _moment(self, function, ddof):
        self._need(types.is_number(self.dtype), function + "()")
        if ddof not in (0, 1):
            raise error_here(f"ddof is 0 or 1, not {ddof!r}")
        template = f"{function}_{'samp' if ddof else 'pop'}(CAST({{}} AS DOUBLE))"
        return self._aggregate(template, pyarrow.float64(), has=("planner",))

    def median(self):
        self._need(types.is_number(self.dtype), "median()")
        template = "median(CAST({} AS DOUBLE))"
        return self._aggregate(template, pyarrow.float64(), has=("planner",))

    def reduce(self, reduction):
        """Reduces the values by a function of penstock.reduction()."""
        return reduction(self)

    def filter(self, condition):
        """The values in rows that meet a condition, for an aggregate: r.x.filter(r.y > 1).sum()."""
        condition = self._lift(condition)
        if not kinds.is_boolean(condition.dtype):
            raise error_here(f"filter() takes a condition, not {types.sql_name(condition.dtype)}")
        return self._filtered(condition)

    def over(self, *partition):
        """Computes the value's aggregates over the rows with equal `partition`, in each row.

        A partition is a traced value, or a column's name.
        """
        keys = [self._key(one) for one in partition]
        if "aggregate" not in self._node.has:
            raise error_here("over() follows an aggregate: r.x.sum().over(r.shop)")
        if next(nodes.loose_columns(self._node, ()), None) is not None:
            raise error_here("over() computes aggregates alone: r.x - r.x.mean().over(r.shop)")
        if custom := next(own_aggregates(self._node), None):
            raise error_here(
                f"{custom.name} is an aggregate of your own, which over() does not take",
                "unsupported",
            )
        if self._node.has & {"planner", "window"}:
            raise error_here("this aggregate is not supported in over()", "unsupported")
        places = ", ".join(f"{{{index + 1}}}" for index in range(len(keys)))
        window = f"{{0}} OVER ({'PARTITION BY ' + places if keys else ''})"
        return self._windowed(window, keys)


def own_aggregates(node):
    """Yields the reductions of penstock.reduction() that an expression has."""
    if node.kind == "aggregate" and node.payload is not None:
        yield node.payload
    for operand in node.operands:
        yield from own_aggregates(operand)


def windowed_node(node, window, keys):
    """Returns a graph whose aggregates are written with a window."""
    if node.kind == "aggregate":
        bare = nodes.Node("call", node.type, node.template, node.operands)
        return nodes.call(window, node.type, bare, *keys, has=("window",))
    if not node.operands:
        return node
    operands = [windowed_node(operand, window, keys) for operand in node.operands]
    return nodes.Node(node.kind, node.type, node.template, operands, node.payload)
