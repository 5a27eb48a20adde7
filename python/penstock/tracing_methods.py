"""Methods of traced values, under the names that Polars and NumPy have for them."""

import math
import operator

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_types as types
from penstock.tracing_aggregates import Aggregates
from penstock.tracing_casts import is_castable, type_named
from penstock.tracing_dates import OF_TIME, Dates
from penstock.tracing_errors import error_here
from penstock.tracing_numpy import NumpyFunctions
from penstock.tracing_operators import Operators, signature
from penstock.tracing_text import Text


class Methods(Operators, Aggregates, NumpyFunctions):
    __slots__ = ()

    # ---- numbers ----

    def _real(self, operation):
        self._need(types.is_number(self.dtype), operation)
        return pyarrow.float64()

    def abs(self):
        self._need(types.is_number(self.dtype), "abs()")
        return self._call("abs({})", self.dtype)

    def sign(self):
        """-1, 0 or 1 in the type of the value, as Polars and NumPy have it; SQL has TINYINT."""
        self._need(types.is_number(self.dtype), "sign()")
        name = types.sql_name(self.dtype)
        if types.is_real(self.dtype):
            template = f"CASE WHEN isnan({{0}}) THEN {{0}} ELSE CAST(sign({{0}}) AS {name}) END"
            return self._call(template, self.dtype)
        return self._call(f"CAST(sign({{}}) AS {name})", self.dtype)

    def sqrt(self):
        return self._call("sqrt({})", self._real("sqrt()"))

    def floor(self):
        return self._whole("floor")

    def ceil(self):
        return self._whole("ceil")

    def _whole(self, function):
        """Integers stay as they are."""
        self._need(types.is_number(self.dtype), function + "()")
        if kinds.is_integer(self.dtype):
            return self
        type_ = self.dtype
        if kinds.is_decimal128(type_):
            type_ = pyarrow.decimal128(type_.precision, 0)
        return self._call(function + "({})", type_)

    def trunc(self):
        return self._whole("trunc")

    def round(self, decimals=0, mode="half_to_even"):
        """Rounds halves to even digits, as Polars and NumPy do; "half_away_from_zero" as SQL."""
        functions = {"half_to_even": "round_even", "half_away_from_zero": "round"}
        if mode not in functions:
            raise error_here(f"mode is one of {', '.join(functions)}, not {mode!r}")
        digits = _constant_int(decimals, "round()", "decimals")
        self._need(types.is_number(self.dtype), "round()")
        if kinds.is_integer(self.dtype) and digits >= 0:
            return self
        type_ = self.dtype
        if kinds.is_decimal128(type_):
            type_ = pyarrow.decimal128(type_.precision, max(0, min(type_.scale, digits)))
        made = self._call(f"{functions[mode]}({{}}, {digits})", type_)
        return made.cast(type_) if kinds.is_integer(type_) else made

    def log(self, base=math.e):
        if isinstance(base, float) and base == math.e:
            return self._call("ln({})", self._real("log()"))
        base = self._lift(base, beside=pyarrow.float64())
        return self._call("(ln({}) / ln({}))", self._real("log()"), base)

    def log1p(self):
        return (self + 1.0).log()

    def clip(self, lower_bound=None, upper_bound=None):
        made = self
        if lower_bound is not None:
            made = made._extreme("greatest", made._lift(lower_bound))
        if upper_bound is not None:
            made = made._extreme("least", made._lift(upper_bound))
        if made is self:
            return self
        template = f"CASE WHEN {self._missing('{0}')} THEN {{0}} ELSE {{1}} END"
        return self._call(template, made.dtype, made)

    def _extreme(self, function, other):
        other = self._lift(other)
        type_ = types.common(self.dtype, other.dtype)
        if type_ is None or type_ == types.INTERVAL:
            raise error_here(
                signature(f"{function} of {{}} and {{}} is not supported", self, other)
            )
        return self._call(function + "({}, {})", type_, other)

    def is_nan(self):
        return self._of_real("isnan", "false")

    def is_not_nan(self):
        return ~self.is_nan()

    def is_finite(self):
        return self._of_real("isfinite", "true")

    def is_infinite(self):
        return self._of_real("isinf", "false")

    def _of_real(self, function, of_exact_number):
        self._need(types.is_number(self.dtype), function + "()")
        if types.is_real(self.dtype):
            return self._call(function + "({})", pyarrow.bool_())
        template = f"CASE WHEN {{}} IS NULL THEN NULL ELSE {of_exact_number} END"
        return self._call(template, pyarrow.bool_())

    # ---- NULLs and types ----

    def is_null(self):
        return self._call("({} IS NULL)", pyarrow.bool_())

    def is_not_null(self):
        return self._call("({} IS NOT NULL)", pyarrow.bool_())

    def fill_null(self, value):
        other = self._lift(value)
        type_ = types.common(self.dtype, other.dtype)
        if type_ is None:
            raise error_here(signature("NULLs of {} are not filled with {}", self, other))
        return self._call("coalesce({}, {})", type_, other)

    def fill_nan(self, value):
        self._need(types.is_real(self.dtype), "fill_nan()")
        if value is None:
            return self._call("CASE WHEN isnan({0}) THEN NULL ELSE {0} END", self.dtype)
        other = self._lift(value)
        type_ = types.common(self.dtype, other.dtype)
        self._need(type_ is not None, "fill_nan()")
        return self._call("CASE WHEN isnan({0}) THEN {1} ELSE {0} END", type_, other)

    def cast(self, dtype, strict=True):
        """To a type; strict=False makes NULL of a value that does not fit, which is an error else.

        Numbers with a fraction are cut off when they become integers, as in Polars and NumPy.
        """
        type_ = type_named(dtype)
        if not is_castable(self.dtype, type_):
            raise error_here(f"no cast of {types.sql_name(self.dtype)} to {types.sql_name(type_)}")
        is_cut = kinds.is_integer(type_) and (
            types.is_real(self.dtype) or kinds.is_decimal128(self.dtype)
        )
        template = "trunc({})" if is_cut else "{}"
        function = "CAST" if strict else "TRY_CAST"
        return self._call(f"{function}({template} AS {types.sql_name(type_)})", type_)

    def astype(self, dtype):
        return self.cast(dtype)

    # ---- Python's functions ----

    def __abs__(self):
        return self.abs()

    def __round__(self, digits=0):
        return self.round(digits or 0)

    def __floor__(self):
        return self.floor().cast(pyarrow.int64())

    def __ceil__(self):
        return self.ceil().cast(pyarrow.int64())

    def __trunc__(self):
        return self.trunc().cast(pyarrow.int64())

    # ---- namespaces ----

    @property
    def str(self):
        return Text(self)

    @property
    def dt(self):
        return Dates(self)

    def _space(self):
        """Returns the name of the further methods that the type has, and their names."""
        if self.dtype == pyarrow.string():
            return ".str", [name for name in dir(Text) if name[0] != "_"]
        if self.dtype in OF_TIME:
            return ".dt", [name for name in dir(Dates) if name[0] != "_"]
        return "", ()


def _constant_int(value, function, name):
    try:
        return operator.index(value)
    except TypeError:
        raise error_here(f"{function} takes a whole constant for {name}, not {value!r}") from None


def _add_real_functions():
    """Adds functions that are DOUBLE for every number: name here, name in SQL."""
    same = "cbrt exp sin cos tan sinh cosh tanh degrees radians log10 log2"
    named = {name: name for name in same.split()}
    for name in "sin cos tan sinh cosh tanh".split():
        named["arc" + name] = "a" + name

    def method(name, function):
        def apply(self):
            return self._call(function + "({})", self._real(name + "()"))

        apply.__name__ = name
        apply.__doc__ = f"{function}(x) of SQL, as DOUBLE."
        return apply

    for name, function in named.items():
        setattr(Methods, name, method(name, function))


_add_real_functions()
