"""Checks of what the steps of pipelines are given."""

import operator

from penstock.tracing import Column, Record
from penstock.tracing_errors import error_here


def need_lambda(step, function, name=None):
    where = step if name is None else f'{step}, column "{name}"'
    if isinstance(function, (Column, Record)) or not callable(function):
        raise error_here(
            f"{where}: a lambda of the record is wanted, not {type(function).__name__}; "
            "write lambda r: r.x, or lambda r: penstock.lit(value)"
        )


def rows(step, result):
    """Returns the node of a value of each row."""
    if "aggregate" in result._node.has:
        raise error_here(
            f"{step}: an aggregate is no value of a row; write .over() behind it, or "
            "group_by().agg()"
        )
    return result._node


def named(step, columns, named, may_be_empty=False):
    if callable(columns):
        raise error_here(
            f"{step} takes a lambda for each column, {step}(x=lambda r: ...) or "
            f'{step}({{"a b": lambda r: ...}}), and not one for all'
        )
    if columns is not None and not isinstance(columns, dict):
        raise error_here(f"{step} takes name=lambda r: ..., or a dict for other names")
    made = dict(columns or {})
    if twice := set(made) & set(named):
        raise error_here(f"{step}: columns of one name: {', '.join(sorted(twice))}")
    made.update(named)
    if not made and not may_be_empty:
        raise error_here(f"{step} takes columns: name=lambda r: ...")
    for name in made:
        checked_name(step, name)
    return made


def checked_name(step, name):
    if not isinstance(name, str):
        raise error_here(f"{step}: a column's name is a string, not {name!r}")
    return name


def listed(names):
    """Returns names of ("a", "b") or (["a", "b"],) as a list."""
    if len(names) == 1 and isinstance(names[0], (list, tuple)):
        return list(names[0])
    return list(names)


def flags(flag, keys):
    if isinstance(flag, (list, tuple)):
        if len(flag) != len(keys):
            raise error_here(f"sort: {len(keys)} keys, but {len(flag)} flags")
        return [bool(one) for one in flag]
    return [bool(flag)] * len(keys)


def count(step, value):
    try:
        count = operator.index(value)
    except TypeError:
        raise error_here(f"{step} takes a whole number, not {value!r}") from None
    if count < 0:
        raise error_here(f"{step} takes a number of 0 or more, not {count}")
    return count
