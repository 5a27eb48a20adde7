"""Functions and reductions of the caller's own: Python functions, which are traced, or Kernel C.

norm = penstock.function("norm", "double(double x, double y)", "return x * x + y * y;")
pipeline.map(n=lambda r: norm(r.x, r.y))
"""

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
    """What functions and reductions share: `name`, `signature`, `result_type`, `parameters`
    (name, pyarrow type) and `body`, as Session.define() takes them."""

    def __init__(self, name, signature, body):
        if not isinstance(name, str) or not NAME.match(name):
            raise error_here(f"a function's name has letters, digits and _, not {name!r}")
        self.name, self.signature, self.body = name, signature, body
        self.result_type, self.parameters = _parsed(signature)

    def define_in(self, session):
        """Makes the function known to a session; it is compiled into the kernels that call it."""
        if not hasattr(session, "define"):
            raise error_here(
                f'"{self.name}" is Kernel C, and this session defines no functions; give the body '
                "as a Python function, which is traced",
                "unsupported",
            )
        session.define(self)

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


class Function(_OfKernelC):
    """A function of a row's values; NULL if one of them is NULL."""

    def __call__(self, *arguments):
        if len(arguments) != len(self.parameters):
            raise error_here(
                f"{self.name}() takes {len(self.parameters)} arguments, not {len(arguments)}"
            )
        made = [self._converted(value, *one) for value, one in zip(arguments, self.parameters)]
        if callable(self.body):
            return self._traced(made)
        template = self.name + "(" + ", ".join("{}" for _ in made) + ")"
        node = nodes.call(template, self.result_type, *(one._node for one in made), payload=self)
        return Column(node, trace_of(*made))

    def _traced(self, arguments):
        result = column_of(self.body(*arguments), beside=self.result_type)
        if not is_castable(result.dtype, self.result_type):
            raise error_here(f"{self.name}() returned {types.sql_name(result.dtype)}")
        made = result if result.dtype == self.result_type else result.cast(self.result_type)
        return made


class Reduction(_OfKernelC):
    """A reduction of a group's values, as an aggregate: agg(x=("price", reduction))."""

    def __init__(self, name, signature, body, neutral, associative, commutative):
        super().__init__(name, signature, body)
        type_ = self.result_type
        if len(self.parameters) != 2 or any(one != type_ for _, one in self.parameters):
            raise error_here(f"{name}: a reduction has the form T(T a, T b), not {signature}")
        if callable(body):
            raise error_here(f"{name}: the body of a reduction is Kernel C", "unsupported")
        if not associative:
            raise error_here(
                f"{name}: the device combines values in any grouping; `associative=True` says "
                "that this changes nothing"
            )
        self.neutral, self.associative, self.commutative = neutral, associative, commutative

    def __call__(self, column):
        if not isinstance(column, Column):
            raise error_here(f"{self.name} reduces a column")
        made = self._converted(column, "its value", self.result_type)
        node = nodes.Node(
            "aggregate", self.result_type, self.name + "({})", [made._node], self, ("aggregate",)
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
    """Makes an aggregate of Kernel C:

    reduction("product", "double(double a, double b)", "return a * b;", neutral=1.0,
              associative=True, commutative=True)
    """
    return Reduction(name, signature, body, neutral, associative, commutative)
