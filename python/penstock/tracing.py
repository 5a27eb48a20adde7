"""Traced values: what a pipeline's lambda computes with, which leaves a graph of expressions.

A lambda is called once, when its step is added, with a Record. The record's columns are Columns,
whose operators and methods make new Columns. NumPy's functions and Polars' names work on them.
"""

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_nodes as nodes
from penstock import tracing_types as types
from penstock import tracing_values as values
from penstock.session import PenstockError
from penstock.tracing_aggregates import windowed_node
from penstock.tracing_errors import (
    error_at,
    error_here,
    line_of_caller,
    line_of_function,
    unknown_here,
)
from penstock.tracing_methods import Methods


class Trace:
    """One call of a lambda: its step, its line, and the columns of its record."""

    def __init__(self, step, function, schema, is_grouped=False):
        self.step, self.schema, self.is_grouped = step, schema, is_grouped
        self.line = line_of_function(function, line_of_caller())

    def error(self, message, code="invalid"):
        return error_at(self.line, f"{self.step}: {message}", code)


class Column(Methods):
    """A typed value of each row; made by a Record, by lit() and by what is computed of them."""

    __slots__ = ("_node", "_trace")

    def __init__(self, node, trace=None):
        if node.is_too_large():
            raise error_here(
                f"the expression is too large: {node.size} words and signs of SQL, {node.depth} "
                "levels; compute parts of it in a step before",
                "unsupported",
            )
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_trace", trace)

    @property
    def dtype(self):
        """The pyarrow type in which the engine computes it."""
        return self._node.type

    def __setattr__(self, name, value):
        raise error_here(f"a traced value has no {name} to set")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        methods = [known for known in dir(type(self)) if not known.startswith("_")]
        what = f"method of a {types.sql_name(self._node.type)}"
        raise unknown_here(what, name, methods, *self._space())

    def __repr__(self):
        return f"<traced {types.sql_name(self._node.type)}>"

    def _call(self, template, type_, *operands, has=()):
        """Returns a Column of a template of SQL over this value and other Columns."""
        made = nodes.call(template, type_, *(one._node for one in (self, *operands)), has=has)
        return Column(made, trace_of(self, *operands))

    def _aggregate(self, template, type_, has=()):
        if "aggregate" in self._node.has:
            raise error_here("an aggregate of an aggregate: group twice, or write .over()")
        return Column(nodes.aggregate(template, type_, self._node, has=has), self._trace)

    def _filtered(self, condition):
        return Filtered(self, condition)

    def _key(self, key):
        """Returns a Column of the partition of over(), which may be a column's name."""
        if isinstance(key, str):
            if self._trace is None:
                raise error_here("over() takes a traced value here, not a column's name")
            return Record(self._trace)[key]
        return column_of(key)

    def _windowed(self, window, keys):
        made = windowed_node(self._node, window, [key._node for key in keys])
        return Column(made, trace_of(self, *keys))

    def _lift(self, value, beside=None):
        return column_of(value, self.dtype if beside is None else beside)

    # ---- what Python asks of a value that is not there yet ----

    def __bool__(self):
        raise error_here(
            "a traced value is neither true nor false: it has a value in each row. For `and`, "
            "`or`, `not` write & | ~ with parentheses, for `if` when(c).then(a).otherwise(b), "
            "for a < b < c (a < b) & (b < c), for `in` .is_in(), for min() and max() np.minimum "
            "and np.maximum"
        )

    def __hash__(self):
        raise error_here(
            "a traced value is no key of a dictionary, set or cache; use .is_in() or when()"
        )

    def __iter__(self):
        raise error_here("a traced value cannot be iterated or unpacked: it is one value of a row")

    def __len__(self):
        raise error_here("a traced value has no len(); write .str.len_chars() for a string's")

    def __contains__(self, item):
        raise error_here("`in` is not traced; write .str.contains(part) or x.is_in(values)")

    def __getitem__(self, key):
        raise error_here("a traced value has no items; write .str.slice(offset, length)")

    def __call__(self, *arguments, **named):
        raise error_here("a column is a value, not a method: r.x, without parentheses")

    def _refuse_number(self):
        raise error_here(
            "a traced value is no number yet: functions of `math` take numbers; write NumPy's, "
            "such as np.sqrt(x), or .cast(int)"
        )

    __int__ = __float__ = __complex__ = __index__ = _refuse_number

    def __str__(self):
        raise error_here(
            "a traced value has no text yet; write .cast(str), and a + b to join strings "
            "(repr() shows its type)"
        )

    def __format__(self, specification):
        return str(self)

    def __array__(self, *arguments, **named):
        raise error_here("a traced value is no array: apply NumPy's functions to it as it is")


class Filtered(Column):
    """The values in rows that meet a condition, before an aggregate; elsewhere NULL."""

    __slots__ = ("_values", "_condition")

    def __init__(self, source, condition):
        made = source._call("CASE WHEN {1} THEN {0} ELSE NULL END", source.dtype, condition)
        super().__init__(made._node, made._trace)
        object.__setattr__(self, "_values", source)
        object.__setattr__(self, "_condition", condition)

    def _aggregate(self, template, type_, has=()):
        if "aggregate" in self._node.has:
            raise error_here("an aggregate of an aggregate: group twice, or write .over()")
        operands = self._values._node, self._condition._node
        template = template.replace("{}", "{0}") + " FILTER (WHERE {1})"
        return Column(nodes.aggregate(template, type_, *operands, has=has), self._trace)


def trace_of(*columns):
    """Returns the trace that columns belong to; those of two lambdas do not meet."""
    found = None
    for one in columns:
        if isinstance(one, Column) and one._trace is not None:
            if found is not None and one._trace is not found:
                raise error_here("a value of another lambda's record does not belong to this one")
            found = one._trace
    return found


def column_of(value, beside=None):
    """Returns a Column of a Column or of a constant, which takes a type that suits `beside`."""
    if isinstance(value, Column):
        return value
    if isinstance(value, Record):
        raise error_here(f"a record is all columns, not a value; name one: {value._hint()}")
    return Column(values.parameter_of(value, beside))


class Record:
    """A row with its columns as attributes and as items: r.price, r["unit price"].

    It has no methods of its own, so that every name is a column's.
    """

    __slots__ = ("_trace", "_columns")

    def __init__(self, trace):
        made = {
            name: Column(nodes.input_of(trace, index, type_), trace)
            for index, (name, type_) in enumerate(trace.schema)
        }
        object.__setattr__(self, "_trace", trace)
        object.__setattr__(self, "_columns", made)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        columns = object.__getattribute__(self, "_columns")
        if name in columns:
            return columns[name]
        if name == "len" and self._trace.is_grouped:
            return self._length
        raise unknown_here("column", name, columns)

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise error_here(f"a column is named by a string, not by {type(name).__name__}")
        if name not in self._columns:
            raise unknown_here("column", name, self._columns)
        return self._columns[name]

    def _length(self):
        """The number of rows of the group, as g.len()."""
        return Column(nodes.aggregate("count(*)", pyarrow.int64()), self._trace)

    def _hint(self):
        names = list(self._columns)
        return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")

    def __dir__(self):
        return list(self._columns)

    def __repr__(self):
        return f"<record of {self._hint()}>"

    def __setattr__(self, name, value):
        raise error_here(f"a record cannot be changed; with_columns({name}=...) adds a column")

    def __setitem__(self, name, value):
        raise error_here(f'a record cannot be changed; with_columns() adds "{name}"')

    def __bool__(self):
        raise error_here("a record is neither true nor false; compare one of its columns")

    def __iter__(self):
        raise error_here(f"a record cannot be iterated; its columns are {self._hint()}")

    def __contains__(self, name):
        return name in self._columns

    def __eq__(self, other):
        raise error_here("records are not compared; compare their columns")

    __hash__ = None


def trace(step, function, schema, is_grouped=False):
    """Calls a step's lambda with a record; returns (the Trace, the Column it returned)."""
    made = Trace(step, function, schema, is_grouped)
    try:
        result = function(Record(made))
    except PenstockError:
        raise
    except RecursionError as error:
        raise made.error("the lambda calls itself without end") from error
    except Exception as error:
        raise made.error(f"the lambda raised {type(error).__name__}: {error}") from error
    if isinstance(result, Record):
        raise made.error("the lambda returned its whole record; return one value of its columns")
    if isinstance(result, Column):
        if result._trace not in (None, made):
            raise made.error("the lambda returned a value of another lambda's record")
        return made, result
    return made, Column(_constant(made, result))


def _constant(made, result):
    if result is None:
        raise made.error(
            "the lambda returned None; a def needs `return`, a NULL is penstock.lit(None, type)"
        )
    if isinstance(result, (tuple, list, dict, set)):
        raise made.error(
            f"the lambda returned a {type(result).__name__}; return one value, and write a lambda "
            "for each column: map(a=lambda r: ..., b=lambda r: ...)"
        )
    if not values.is_constant(result):
        raise made.error(f"the lambda returned {type(result).__name__}, which is no value of a row")
    try:
        return values.parameter_of(result)
    except PenstockError as error:
        raise made.error(f"the lambda returned {error.message.split(': ', 1)[-1]}") from None


def trace_condition(step, function, schema):
    """Traces a lambda that chooses rows."""
    made, result = trace(step, function, schema)
    if not result._node.has:
        raise made.error(
            "the lambda returned a constant, not a condition on columns (`is`, `not` and == of "
            "other objects are Python's own: write .is_null(), ~x)"
        )
    if not kinds.is_boolean(result.dtype):
        raise made.error(f"the lambda returned {types.sql_name(result.dtype)}, not a condition")
    return made, result
