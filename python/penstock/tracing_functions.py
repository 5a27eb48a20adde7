"""Functions and reductions of the caller's own: Python functions, which are traced, or Kernel C.

norm = penstock.function("norm", "double(double x, double y)", "return x * x + y * y;")
pipeline.map(n=lambda r: norm(r.x, r.y))
"""

import copy
import hashlib
import inspect
import re

import pyarrow

from penstock import tracing_nodes as nodes
from penstock import tracing_types as types
from penstock.tracing import Column, column_of, trace_of
from penstock.tracing_casts import is_castable
from penstock.tracing_errors import error_here

# Types of Kernel C, and their names in <stdint.h>.
KERNEL_TYPES = {
    "double": pyarrow.float64(),
    "float": pyarrow.float32(),
    "i8": pyarrow.int8(),
    "i16": pyarrow.int16(),
    "i32": pyarrow.int32(),
    "i64": pyarrow.int64(),
    "u8": pyarrow.uint8(),
    "u16": pyarrow.uint16(),
    "u32": pyarrow.uint32(),
    "u64": pyarrow.uint64(),
    "f32": pyarrow.float32(),
    "f64": pyarrow.float64(),
    "bool": pyarrow.bool_(),
    "date": pyarrow.date32(),
    "timestamp": types.TIMESTAMP,
}
KERNEL_TYPES.update({f"int{n}_t": KERNEL_TYPES[f"i{n}"] for n in (8, 16, 32, 64)})
KERNEL_TYPES.update({f"uint{n}_t": KERNEL_TYPES[f"u{n}"] for n in (8, 16, 32, 64)})
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
NAME_BYTES = 48  # libpg_query cuts off longer names than 63 bytes
SIGNATURE = re.compile(r"\s*(\w+)\s*\((.*)\)\s*\Z", re.DOTALL)


def _parsed(signature):
    """Returns (result type, [(parameter's name, type)]) of "double(double x, double y)"."""
    found = SIGNATURE.match(signature) if isinstance(signature, str) else None
    if found is None:
        raise error_here(
            f'a signature has the form "double(double x, double y)", not {signature!r}'
        )
    parameters = []
    for text in found[2].split(","):
        words = text.split()
        if len(words) != 2 or not NAME.match(words[1]):
            raise error_here(f'a parameter is a type and a name, not "{text.strip()}"')
        parameters.append((words[1], _kernel_type(words[0])))
    return _kernel_type(found[1]), parameters


def _kernel_type(name):
    if name not in KERNEL_TYPES:
        raise error_here(f'"{name}" is no type of a function; these are: {", ".join(KERNEL_TYPES)}')
    return KERNEL_TYPES[name]


class _OfKernelC:
    """Functions and reductions have: `name`, `signature`, `result_type`, `parameters`
    (name, pyarrow type) and `body`, as Session.define() takes them."""

    _of_pipelines = None

    def __init__(self, name, signature, body):
        if not isinstance(name, str) or not NAME.match(name):
            raise error_here(f"a function's name has letters, digits and _, not {name!r}")
        self.name, self.signature, self.body = name, signature, body
        self.result_type, self.parameters = _parsed(signature)

    def is_same(self, other):
        """Tells whether both are one definition."""
        return self.name == other.name and self._digest() == other._digest()

    def _digest(self):
        definition = type(self).__name__, self.signature, self.kernel_body(), self._properties()
        return hashlib.sha256(repr(definition).encode()).hexdigest()

    def _properties(self):
        return ()

    def of_pipelines(self):
        """Returns the function under the name that pipelines give it, which no other one has.

        Pipelines of several threads may have functions of one name in one session.
        """
        if self._of_pipelines is None:
            made = copy.copy(self)
            made.name = f"{self.name[:NAME_BYTES]}_{self._digest()[:12]}"
            self._of_pipelines = made
        return self._of_pipelines

    def define_in(self, session):
        """Makes the function known to a session; it is compiled into the kernels that call it."""
        if not hasattr(session, "define"):
            raise error_here(
                f'"{self.name}" is Kernel C, and this session defines no functions; give the body '
                "as a Python function, which is traced",
                "unsupported",
            )
        session.define(self.of_pipelines())

    def _converted(self, value, name, type_):
        """Returns an argument in the parameter's type."""
        column = column_of(value, beside=type_)
        if column.dtype == type_:
            return column
        if not is_castable(column.dtype, type_):
            raise error_here(
                f"{self.name}: {name} is {types.sql_name(type_)}, and no cast of "
                f"{types.sql_name(column.dtype)} makes one"
            )
        return column.cast(type_)

    def _traced(self, *arguments):
        """Returns what a Python function makes of traced arguments, cast to the result's type."""
        result = column_of(self.body(*arguments), beside=self.result_type)
        if not is_castable(result.dtype, self.result_type):
            raise error_here(f"{self.name}() returned {types.sql_name(result.dtype)}")
        return result if result.dtype == self.result_type else result.cast(self.result_type)

    def kernel_body(self):
        """Returns (Kernel C, False), or (the SELECT of a Python function that is traced, True)."""
        if not callable(self.body):
            return self.body, False
        from penstock.pipeline import from_arrow
        from penstock.pipeline_text import statement_of

        rows = from_arrow(pyarrow.schema(self._parameters_of_body()).empty_table())
        made = rows.map(result=lambda row: self._traced(*(row[name] for name in rows.schema.names)))
        return statement_of(made._select, with_literals=True).sql, True

    def _parameters_of_body(self):
        return self.parameters


class Function(_OfKernelC):
    """A function of a row's values; NULL if one of them is NULL."""

    def __call__(self, *arguments):
        if len(arguments) != len(self.parameters):
            raise error_here(
                f"{self.name}() takes {len(self.parameters)} arguments, not {len(arguments)}"
            )
        made = [self._converted(value, *one) for value, one in zip(arguments, self.parameters)]
        if callable(self.body):
            return self._traced(*made)
        template = self.of_pipelines().name + "(" + ", ".join("{}" for _ in made) + ")"
        node = nodes.call(template, self.result_type, *(one._node for one in made), payload=self)
        return Column(node, trace_of(*made))


class Reduction(_OfKernelC):
    """A reduction of a group's values, as an aggregate: agg(x=("price", reduction))."""

    def __init__(self, name, signature, body, neutral, associative, commutative):
        super().__init__(name, signature, body)
        type_ = self.result_type
        if len(self.parameters) != 2 or any(one != type_ for _, one in self.parameters):
            raise error_here(f"{name}: a reduction has the form T(T a, T b), not {signature}")
        if not associative:
            raise error_here(
                f"{name}: the device combines values in any grouping; `associative=True` says "
                "that this changes nothing"
            )
        if neutral is None:
            raise error_here(f"{name}: a reduction needs a neutral value, which is not NULL")
        self.neutral, self.associative, self.commutative = neutral, associative, commutative

    def _properties(self):
        return self.neutral, self.associative, self.commutative

    def _parameters_of_body(self):
        return [("a", self.result_type), ("b", self.result_type)]

    def kernel_body(self):
        body, is_traced = super().kernel_body()
        return (body if is_traced else self._declarations() + body), is_traced

    def _declarations(self):
        """Returns declarations of the signature's names: the engine calls both values a and b.

        Values commute, so that it does not matter which of them is which.
        """
        names = [name for name, _ in self.parameters]
        free = [one for one in "ab" if one not in names]
        kernel_type = next(
            name
            for name, type_ in KERNEL_TYPES.items()
            if type_ == self.result_type and name not in ("double", "float")
        )
        kernel_type = {"bool": "u32", "date": "i32", "timestamp": "i64"}.get(
            kernel_type, kernel_type
        )
        return "".join(
            f"const {kernel_type} {name} = {free.pop(0)}; " for name in names if name not in "ab"
        )

    def __call__(self, column):
        if not isinstance(column, Column):
            raise error_here(f"{self.name} reduces a column")
        made = self._converted(column, "its value", self.result_type)
        template = self.of_pipelines().name + "({})"
        node = nodes.Node(
            "aggregate", self.result_type, template, [made._node], self, ("aggregate",)
        )
        return Column(node, made._trace)


def function(name, signature=None, body=None):
    """Makes a function for lambdas.

    `function("norm", "double(double x, double y)", "return x * x + y * y;")` is Kernel C; with a
    Python function as `body` it is traced, and its arguments are cast. `@function` alone leaves a
    Python function as it is: lambdas may call any.
    """
    if callable(name) and signature is None and body is None:
        if inspect.iscoroutinefunction(name) or inspect.isgeneratorfunction(name):
            raise error_here("a traced function returns a value; it is no coroutine or generator")
        return name
    if signature is None:
        raise error_here('function() takes a name, a signature "double(double x)" and a body')
    if body is None:
        return lambda traced: Function(name, signature, traced)
    return Function(name, signature, body)


def reduction(name, signature, body, neutral, associative=False, commutative=False):
    """Makes an aggregate, of Kernel C over `a` and `b` or of a Python function, which is traced:

    reduction("widest", "double(double a, double b)", "return a > b ? a : b;",
              neutral=float("-inf"), associative=True, commutative=True)
    """
    return Reduction(name, signature, body, neutral, associative, commutative)
