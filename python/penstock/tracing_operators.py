"""Operators of traced values: arithmetic, comparisons, logic and bits."""

import numbers

import pyarrow
import pyarrow.types as kinds

from penstock import tracing_types as types
from penstock.tracing_errors import error_here

# Exponents that are multiplied out: x ** 3 is x * x * x, in the type of x.
EXPONENT_LIMIT = 64


def signature(template, *columns):
    return template.format(*(types.sql_name(one.dtype) for one in columns))


def _operator(method):
    """Returns the operator and its reflection, which Python calls if the left side has none."""

    def reflected(self, other):
        return method(self._lift(other), self)

    return method, reflected


class Operators:
    __slots__ = ()

    def _need(self, is_met, operation):
        if not is_met:
            raise error_here(f"no operation {operation} of {types.sql_name(self.dtype)}")

    # ---- arithmetic ----

    def _arithmetic(self, sign, other, template=None):
        other = self._lift(other)
        type_ = types.arithmetic(sign, self.dtype, other.dtype)
        if type_ is None:
            hint = ""
            if types.is_number(self.dtype) and types.is_number(other.dtype):
                hint = ": no type holds both; cast() one to the type of the other"
            raise error_here(signature(f"no operation {{}} {sign} {{}}", self, other) + hint)
        return self._call(template or f"({{}} {sign} {{}})", type_, other)

    def add(self, other):
        other = self._lift(other)
        if pyarrow.string() in (self.dtype, other.dtype) or self.dtype == pyarrow.binary():
            if self.dtype != other.dtype:
                raise error_here(
                    signature("no operation {} + {}: .cast(str) makes text", self, other)
                )
            return self._call("({} || {})", self.dtype, other)
        return self._arithmetic("+", other)

    def sub(self, other):
        return self._arithmetic("-", other)

    def mul(self, other):
        return self._arithmetic("*", other)

    def truediv(self, other):
        return self._arithmetic("/", other)

    def floordiv(self, other):
        """Rounds towards negative infinity, as Python, NumPy and Polars do; SQL cuts off."""
        other = self._lift(other)
        if kinds.is_integer(self.dtype) and kinds.is_integer(other.dtype):
            quotient = self._arithmetic("//", other)
            if kinds.is_unsigned_integer(self.dtype) and kinds.is_unsigned_integer(other.dtype):
                return quotient
            # The types of the literals: a choice of 1 and 0 is an INTEGER.
            template = (
                "(({0} // {1}) - CAST(CASE WHEN ({0} % {1}) <> 0 AND ({0} < 0) <> ({1} < 0) "
                f"THEN 1 ELSE 0 END AS {types.sql_name(quotient.dtype)}))"
            )
            return self._arithmetic("//", other, template)
        return self._arithmetic("/", other).floor()

    def mod(self, other):
        """Has the sign of the divisor, as Python, NumPy and Polars have it; SQL the dividend's."""
        other = self._lift(other)
        rest = self._arithmetic("%", other)
        if kinds.is_unsigned_integer(self.dtype) and kinds.is_unsigned_integer(other.dtype):
            return rest
        template = (
            "CASE WHEN ({0} % {1}) <> 0 AND (({0} % {1}) < 0) <> ({1} < 0) "
            "THEN ({0} % {1}) + {1} ELSE {0} % {1} END"
        )
        # With a decimal's digit more than the rest has, which a sum may need.
        made = self._arithmetic("%", other, template)
        return made.cast(rest.dtype) if kinds.is_decimal128(rest.dtype) else made

    def pow(self, exponent):
        """Multiplies for a whole constant exponent, in the type of the base; else DOUBLE."""
        is_whole = isinstance(exponent, numbers.Integral) and not isinstance(exponent, bool)
        if is_whole and 1 <= exponent <= EXPONENT_LIMIT:
            return self._product(int(exponent))
        exponent = self._lift(exponent, beside=pyarrow.float64())
        self._need(types.is_number(exponent.dtype), "**")
        return self._call("power({}, {})", self._real("**"), exponent)

    def _product(self, exponent):
        self._need(types.is_number(self.dtype), "**")
        half = self if exponent < 2 else self._product(exponent // 2)
        squared = half if exponent < 2 else half * half
        return squared * self if exponent > 1 and exponent % 2 else squared

    def neg(self):
        self._need(types.is_number(self.dtype) or self.dtype == types.INTERVAL, "-x")
        return self._call("(-{})", self.dtype)

    def __pos__(self):
        return self

    __add__, __radd__ = _operator(add)
    __sub__, __rsub__ = _operator(sub)
    __mul__, __rmul__ = _operator(mul)
    __truediv__, __rtruediv__ = _operator(truediv)
    __floordiv__, __rfloordiv__ = _operator(floordiv)
    __mod__, __rmod__ = _operator(mod)
    __pow__, __rpow__ = _operator(pow)
    __neg__ = neg

    # ---- comparisons ----

    def _compare(self, sign, other):
        if other is None:
            raise error_here(
                f"{sign} None is NULL in every row; write .is_null() or .is_not_null()"
            )
        other = self._lift(other)
        if not types.is_comparable(self.dtype, other.dtype):
            raise error_here(signature(f"{{}} and {{}} are not compared by {sign}", self, other))
        return self._call(f"({{}} {sign} {{}})", pyarrow.bool_(), other)

    def eq(self, other):
        return self._compare("=", other)

    def ne(self, other):
        return self._compare("<>", other)

    def lt(self, other):
        return self._compare("<", other)

    def le(self, other):
        return self._compare("<=", other)

    def gt(self, other):
        return self._compare(">", other)

    def ge(self, other):
        return self._compare(">=", other)

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = eq, ne, lt, le, gt, ge

    def eq_missing(self, other):
        """Equality in which NULL equals NULL."""
        return self._compare("IS NOT DISTINCT FROM", other)

    def ne_missing(self, other):
        return self._compare("IS DISTINCT FROM", other)

    def is_between(self, lower, upper, closed="both"):
        signs = {"both": (">=", "<="), "left": (">=", "<"), "right": (">", "<=")}
        signs["none"] = (">", "<")
        if closed not in signs:
            raise error_here(f'closed is "both", "left", "right" or "none", not {closed!r}')
        below, above = signs[closed]
        return self._compare(below, lower) & self._compare(above, upper)

    def is_in(self, alternatives):
        """Tells whether the value is one of a list of constants."""
        if isinstance(alternatives, (str, bytes)) or not hasattr(alternatives, "__iter__"):
            raise error_here('is_in() takes a list of values; join(other, how="semi") a table')
        listed = [self._lift(one) for one in alternatives]
        if not listed:
            return self._call("({} IS NULL AND false)", pyarrow.bool_())
        for one in listed:
            if not types.is_comparable(self.dtype, one.dtype):
                raise error_here(signature("{} is not compared with {}", self, one))
        places = ", ".join("{}" for _ in listed)
        return self._call(f"({{}} IN ({places}))", pyarrow.bool_(), *listed)

    # ---- logic and bits ----

    def _logic(self, sign, word, other):
        other = self._lift(other)
        if kinds.is_boolean(self.dtype) and kinds.is_boolean(other.dtype):
            return self._call(f"({{}} {word} {{}})", pyarrow.bool_(), other)
        type_ = types.bits(self.dtype, other.dtype)
        if type_ is None:
            raise error_here(
                signature(f"no operation {{}} {sign} {{}}", self, other)
                + "; comparisons beside & and | stand in parentheses: (r.a > 1) & (r.b < 2)"
            )
        function = {"&": "({} & {})", "|": "({} | {})", "^": "xor({}, {})"}[sign]
        return self._call(function, type_, other)

    def and_(self, other):
        return self._logic("&", "AND", other)

    def or_(self, other):
        return self._logic("|", "OR", other)

    def xor(self, other):
        return self._logic("^", "<>", other)

    def not_(self):
        if kinds.is_boolean(self.dtype):
            return self._call("(NOT {})", self.dtype)
        self._need(kinds.is_integer(self.dtype), "~")
        return self._call("(~{})", self.dtype)

    def _shift(self, sign, other):
        other = self._lift(other)
        type_ = types.bits(self.dtype, other.dtype)
        if type_ is None:
            raise error_here(signature(f"no operation {{}} {sign} {{}}", self, other))
        return self._call(f"({{}} {sign} {{}})", type_, other)

    def shift_left(self, other):
        return self._shift("<<", other)

    def shift_right(self, other):
        return self._shift(">>", other)

    __and__, __rand__ = _operator(and_)
    __or__, __ror__ = _operator(or_)
    __xor__, __rxor__ = _operator(xor)
    __lshift__, __rlshift__ = _operator(shift_left)
    __rshift__, __rrshift__ = _operator(shift_right)
    __invert__ = not_
