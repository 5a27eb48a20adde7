"""Aggregates in two stages: states over each part of the rows, then their merger.

A state is an aggregate of a part. States merge into states, and the last ones into the answer:

    avg(x)      states sum(x), count(x); answer sum(sums) / sum(counts)
    stddev(x)   states count(x), avg(x), var_pop(x), merged as Chan, Golub and LeVeque do (1979)
"""

import dataclasses
import re

from sqlglot import exp

from penstock.stages.statement import is_aggregate

# Aggregates that merge as they are computed.
SAME = (
    exp.Max,
    exp.Min,
    exp.LogicalAnd,
    exp.LogicalOr,
    exp.BitwiseAndAgg,
    exp.BitwiseOrAgg,
    exp.BitwiseXorAgg,
)
MOMENTS = {
    exp.Variance: (1, False),  # what is taken from the count, and whether a root is drawn
    exp.VariancePop: (0, False),
    exp.Stddev: (1, True),
    exp.StddevSamp: (1, True),
    exp.StddevPop: (0, True),
}


@dataclasses.dataclass
class Split:
    """An aggregate as states, and how they merge. Expressions take columns of states."""

    states: list  # expressions over rows
    merged: object  # from columns of states and their SQL types to states of several parts
    answer: object  # from columns of states and their SQL types to the aggregate
    has_moments: bool = False  # needs the mean of all parts beside each: mean_of_parts()


def _call(kind, *arguments):
    return kind(this=arguments[0])


def _sum(column):
    return exp.Sum(this=column.copy())


def _whole(expression, type_="BIGINT"):
    """The number of rows of no part is 0."""
    zero = exp.Coalesce(this=expression, expressions=[exp.Literal.number(0)])
    return exp.cast(zero, type_, dialect="duckdb")


def _count(function, filtered):
    merged = lambda columns, types: [_whole(_sum(columns[0]), types[0])]
    return Split([filtered(function)], merged, lambda columns, types: merged(columns, types)[0])


def _same(function, filtered):
    kind = type(function)
    if isinstance(function, exp.Anonymous):
        rebuilt = lambda column: exp.Anonymous(this=function.this, expressions=[column.copy()])
    else:
        rebuilt = lambda column: kind(this=column.copy())
    merged = lambda columns, types: [rebuilt(columns[0])]
    return Split([filtered(function)], merged, lambda columns, types: rebuilt(columns[0]))


def _scale(type_):
    """Returns the digits after the point of a decimal sum, 0 for other types."""
    found = re.fullmatch(r"DECIMAL\(\d+,(\d+)\)", type_)
    return int(found[1]) if found else 0


def _in_units(total, scale):
    """Returns a decimal sum in units of its last digit, as a whole DOUBLE."""
    power = exp.Literal.number(f"1e{scale}")
    return exp.Round(this=exp.Mul(this=exp.cast(total, "DOUBLE"), expression=power))


def _quotient(columns, types, is_rounded):
    """Divides sums by counts as one machine does, so that the last digit is that one's mostly."""
    total, count, scale = _sum(columns[0]), _sum(columns[1]), _scale(types[0])
    if scale and not is_rounded:
        # An average alone divides once, an average beside its sum rounds the sum before.
        total = _in_units(total, scale)
        count = exp.paren(exp.Mul(this=count, expression=exp.Literal.number(f"1e{scale}")))
    return exp.paren(exp.Div(this=total, expression=count, typed=False, safe=False))


def _average(function, filtered, is_rounded):
    value = function.this if isinstance(function, exp.Avg) else function.expressions[0]
    states = [filtered(exp.Sum(this=value.copy())), filtered(exp.Count(this=value.copy()))]
    merged = lambda columns, types: [_sum(columns[0]), _whole(_sum(columns[1]))]
    return Split(states, merged, lambda columns, types: _quotient(columns, types, is_rounded))


def mean_name(column):
    """The name of the column with the mean of all parts, beside a part's own in `column`."""
    return f"{column}_mean"


def mean_of_parts(count, mean, keys):
    """Returns the mean of all parts of a group, for each of its parts."""
    products = exp.Mul(this=count.copy(), expression=mean.copy())
    over = lambda value: exp.Window(
        this=exp.Sum(this=value), partition_by=[key.copy() for key in keys]
    )
    return exp.Div(this=over(products), expression=over(count.copy()), typed=False, safe=False)


def _moments(function, filtered):
    value = function.this
    states = [
        filtered(exp.Count(this=value.copy())),
        filtered(exp.Avg(this=value.copy())),
        filtered(exp.VariancePop(this=value.copy())),
    ]
    taken, is_root = MOMENTS[type(function)]

    def answer(columns, types):
        count, mean, variance = columns
        all_mean = exp.column(
            exp.to_identifier(mean_name(mean.name), quoted=True), table=mean.args["table"].copy()
        )
        away = exp.paren(exp.Sub(this=mean.copy(), expression=all_mean))
        squares = exp.Mul(
            this=count.copy(),
            expression=exp.paren(
                exp.Add(this=variance.copy(), expression=exp.Mul(this=away, expression=away.copy()))
            ),
        )
        number = exp.Sub(this=_sum(count), expression=exp.Literal.number(taken))
        ratio = exp.Div(
            this=exp.Sum(this=squares), expression=exp.paren(number), typed=False, safe=False
        )
        ratio = exp.Sqrt(this=ratio) if is_root else ratio
        enough = exp.GT(this=_sum(count), expression=exp.Literal.number(taken))
        return exp.Case().when(enough, ratio)

    return Split(states, None, answer, has_moments=True)


def _has_its_sum(average, aggregates):
    """Whether the sum or the count of an average's values is asked for, too."""
    return any(
        isinstance(other, (exp.Sum, exp.Count)) and other.this == average.this
        for other in aggregates
    )


def split_of(aggregate, beside=(), has_keys=False):
    """Returns how an aggregate splits, or None for one that needs all rows of its group.

    `beside`: all aggregates of the SELECT. `has_keys`: whether it has GROUP BY.
    """
    function, where = aggregate, None
    if isinstance(function, exp.Filter):
        function, where = function.this, function.expression
    if isinstance(function, exp.IgnoreNulls) and isinstance(function.this, exp.AnyValue):
        function = function.this
    filtered = lambda state: (
        exp.Filter(this=state, expression=where.copy()) if where is not None else state.copy()
    )
    if _has_more_than_a_value(function):
        return None
    if isinstance(function, (exp.Count, exp.CountIf)):
        return _count(function, filtered)
    if isinstance(function, (exp.Sum, exp.AnyValue) + SAME):
        return _same(function, filtered)
    if isinstance(function, exp.Avg) or _is_named(function, "mean"):
        is_rounded = where is None and (not has_keys or _has_its_sum(function, beside))
        return _average(function, filtered, is_rounded)
    if type(function) in MOMENTS:
        return _moments(function, filtered)
    return _same(function, filtered) if _is_named(function, "product") else None


def _is_named(function, name):
    return isinstance(function, exp.Anonymous) and function.name.lower() == name


def _has_more_than_a_value(function):
    """DISTINCT, ORDER BY and a number of values (`max(x, 3)`) need all rows."""
    if not is_aggregate(function) or isinstance(function, exp.Anonymous):
        return len(function.expressions) != 1 or function.find(exp.Distinct, exp.Order) is not None
    if isinstance(function.this, (exp.Distinct, exp.Order)):
        # The least and the greatest value are those of different values, too.
        return True
    if isinstance(function, (exp.Min, exp.Max)) and function.expressions:
        return True
    if isinstance(function, exp.Count) and function.expressions:
        return True
    return isinstance(function, exp.AnyValue) and function.args.get("expressions") is not None


@dataclasses.dataclass
class DistinctSplit:
    """An aggregate of different values, of parts that share none of them."""

    values: list  # the expressions after DISTINCT
    split: Split


def distinct_split_of(aggregate):
    """Returns how count, sum, avg, min and max of DISTINCT values split, or None."""
    kinds = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
    if not isinstance(aggregate, kinds) or not isinstance(aggregate.this, exp.Distinct):
        return None
    distinct = aggregate.this
    if distinct.args.get("on") or len(distinct.expressions) != 1:
        return None
    if isinstance(aggregate, exp.Avg):
        states = [exp.Sum(this=distinct.copy()), exp.Count(this=distinct.copy())]
        plain = _average(exp.Avg(this=distinct.expressions[0].copy()), lambda state: state, False)
        split = Split(states, plain.merged, plain.answer)
    elif isinstance(aggregate, exp.Count):
        split = _count(aggregate, lambda state: state.copy())
    else:
        split = _same(aggregate, lambda state: state.copy())
    return DistinctSplit(distinct.expressions, split)
