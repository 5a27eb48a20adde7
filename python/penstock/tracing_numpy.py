"""NumPy's functions over traced values: np.sqrt(r.x), np.where(c, a, b)."""

import pyarrow

from penstock import tracing_types as types
from penstock.tracing_errors import error_here

# NumPy's ufuncs by their names, as methods of the first traced value. The others are arguments.
UNARY = {
    "negative": "neg",
    "absolute": "abs",
    "fabs": "abs",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "exp": "exp",
    "log": "log",
    "log10": "log10",
    "log2": "log2",
    "log1p": "log1p",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "round",
    "sign": "sign",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsin": "arcsin",
    "arccos": "arccos",
    "arctan": "arctan",
    "arcsinh": "arcsinh",
    "arccosh": "arccosh",
    "arctanh": "arctanh",
    "radians": "radians",
    "deg2rad": "radians",
    "degrees": "degrees",
    "rad2deg": "degrees",
    "isnan": "is_nan",
    "isfinite": "is_finite",
    "isinf": "is_infinite",
    "invert": "not_",
    "logical_not": "not_",
    "positive": "__pos__",
}
BINARY = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "true_divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "mod": "mod",
    "power": "pow",
    "float_power": "pow",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "logical_and": "and_",
    "logical_or": "or_",
    "logical_xor": "xor",
    "left_shift": "shift_left",
    "right_shift": "shift_right",
    "maximum": "_maximum",
    "minimum": "_minimum",
    "fmax": "_greatest",
    "fmin": "_least",
    "arctan2": "_arctan2",
    "hypot": "_hypot",
}
# NumPy's functions that are no ufuncs, as methods of their first argument.
FUNCTIONS = {
    "round": "round",
    "around": "round",
    "clip": "clip",
    "isin": "is_in",
    "sum": "sum",
    "mean": "mean",
    "min": "min",
    "max": "max",
    "amin": "min",
    "amax": "max",
    "any": "any",
    "all": "all",
    "std": "_numpy_std",
    "var": "_numpy_var",
    "median": "median",
}


class NumpyFunctions:
    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        name = ufunc.__name__
        if method != "__call__" or options:
            detail = (
                f"np.{name}.{method}" if method != "__call__" else f"np.{name}({list(options)})"
            )
            raise error_here(f"{detail} is not supported for traced values", "unsupported")
        if name == "square":
            return self * self
        if name in UNARY:
            return getattr(self, UNARY[name])()
        if name not in BINARY or len(inputs) != 2:
            raise error_here(f"np.{name} is not supported for traced values", "unsupported")
        left, right = inputs
        if not isinstance(left, NumpyFunctions):
            left = right._lift(left)
        return getattr(left, BINARY[name])(right)

    def __array_function__(self, function, classes, arguments, named):
        name = function.__name__
        if name == "where" and len(arguments) == 3 and not named:
            # Choices are made of traced values; their module needs this one.
            from penstock.tracing_choices import select

            return select(*arguments)
        if name in FUNCTIONS and arguments and isinstance(arguments[0], NumpyFunctions):
            return getattr(arguments[0], FUNCTIONS[name])(*arguments[1:], **named)
        raise error_here(f"np.{name} is not supported for traced values", "unsupported")

    def _maximum(self, other):
        return self._strict("greatest", other)

    def _minimum(self, other):
        return self._strict("least", other)

    def _greatest(self, other):
        return self._extreme("greatest", self._lift(other))

    def _least(self, other):
        return self._extreme("least", self._lift(other))

    def _strict(self, function, other):
        """NULL and NaN stay: greatest() of SQL leaves NULLs out, and has NaN above all numbers."""
        other = self._lift(other)
        chosen = self._extreme(function, other)
        missing = (
            f"CASE WHEN {self._missing('{0}')} THEN {{0}} WHEN {other._missing('{1}')} THEN {{1}}"
        )
        return self._call(missing + " ELSE {2} END", chosen.dtype, other, chosen)

    def _missing(self, place):
        """Returns the condition that a value is NULL or NaN."""
        is_real = types.is_real(self.dtype)
        return f"{place} IS NULL" + (f" OR isnan({place})" if is_real else "")

    def _arctan2(self, other):
        other = self._lift(other, beside=pyarrow.float64())
        self._real("arctan2")
        other._real("arctan2")
        return self._call("atan2({}, {})", pyarrow.float64(), other)

    def _hypot(self, other):
        other = self._lift(other)
        return (self * self + other * other).sqrt()

    def _numpy_std(self, ddof=0):
        return self.std(ddof)

    def _numpy_var(self, ddof=0):
        return self.var(ddof)
