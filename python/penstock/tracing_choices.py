"""Choices among traced values, and constants: when(), select(), coalesce(), lit()."""

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_nodes as nodes
from penstock import tracing_types as types
from penstock import tracing_values as values
from penstock.tracing import Column, column_of, trace_of
from penstock.tracing_casts import type_named
from penstock.tracing_errors import error_here


def lit(value, type=None):
    """A constant as a traced value; `type` is a pyarrow type, a NumPy type or a type's name."""
    if type is None:
        return column_of(value)
    type_ = type_named(type)
    if value is None:
        return Column(values.null_of(type_))
    return column_of(value, beside=type_).cast(type_)


class _When:
    """when(condition), which waits for .then(value)."""

    __slots__ = ("_branches", "_condition")

    def __init__(self, branches, condition):
        condition = column_of(condition)
        if not kinds.is_boolean(condition.dtype):
            raise error_here(f"when() takes a condition, not {types.sql_name(condition.dtype)}")
        self._branches, self._condition = branches, condition

    def then(self, value):
        return Choice((*self._branches, (self._condition, value)), None)

    def __bool__(self):
        raise error_here("when(c) has no value before .then(value)")


class Choice(Column):
    """when(c).then(a), a value that is NULL elsewhere; with .when() and .otherwise() to go on."""

    __slots__ = ("_branches",)

    def __init__(self, branches, otherwise):
        chosen = [value for _, value in branches] + [otherwise]
        # when(c).then(None) has a type after .otherwise().
        made = _unified(chosen, if_null=pyarrow.int32())
        conditions = [condition for condition, _ in branches]
        operands = [part._node for branch in zip(conditions, made[:-1]) for part in branch] + [
            made[-1]._node
        ]
        text = "".join(" WHEN {} THEN {}" for _ in branches)
        type_ = _common_type([one.dtype for one in made])
        super().__init__(
            nodes.call(f"CASE{text} ELSE {{}} END", type_, *operands),
            trace_of(*conditions, *made),
        )
        object.__setattr__(self, "_branches", branches)

    def when(self, condition):
        return _When(self._branches, condition)

    def otherwise(self, value):
        return Column(Choice(self._branches, value)._node, trace_of(self, value))


def _unified(chosen, if_null=None):
    """Returns Columns of alternatives that have a common type; None is a NULL of that type."""
    is_open = [
        not isinstance(one, Column) and (one is None or values.is_weak(one)) for one in chosen
    ]
    made = [None if is_free else column_of(one) for one, is_free in zip(chosen, is_open)]
    met = _common_type([one.dtype for one in made if one is not None])
    made = [
        column_of(value, beside=met) if one is None and value is not None else one
        for one, value in zip(made, chosen)
    ]
    met = _common_type([one.dtype for one in made if one is not None]) or if_null
    if met is None:
        raise error_here("every value is NULL; give one a type: penstock.lit(None, pa.int64())")
    return [Column(values.null_of(met)) if one is None else one for one in made]


def _common_type(met):
    found = met[0] if met else None
    for type_ in met[1:]:
        both = types.common(found, type_)
        if both is None:
            raise error_here(
                f"{types.sql_name(found)} and {types.sql_name(type_)} have no common type; "
                "cast() one"
            )
        found = both
    return found


def when(condition):
    """when(c).then(a).when(d).then(b).otherwise(e): CASE of SQL, under Polars' name."""
    return _When((), condition)


def select(condition, value, otherwise):
    """`value` in rows that meet the condition, else (also for NULL) `otherwise`."""
    return when(condition).then(value).otherwise(otherwise)


def coalesce(*alternatives):
    """The first value that is not NULL."""
    if not alternatives:
        raise error_here("coalesce() takes one value or more")
    made = _unified(alternatives)
    type_ = _common_type([one.dtype for one in made])
    template = "coalesce(" + ", ".join("{}" for _ in made) + ")"
    return Column(nodes.call(template, type_, *(one._node for one in made)), trace_of(*made))
