"""The functions of strings, as x.str.contains("a"); under Polars' names."""

import re

import pyarrow

from penstock import tracing_types as types
from penstock.tracing_errors import error_here, unknown_here

# Polars strips Unicode's white space; trim() of SQL blanks alone.
WHITE_SPACE = (
    " \t\n\x0b\x0c\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$\-])")


def _escaped(text):
    return SPECIAL.sub(r"\\\1", text)


def _constant(value, function):
    if not isinstance(value, str):
        raise error_here(f".str.{function}() takes a constant string, not {value!r}")
    return value


def _whole(value, function):
    if isinstance(value, bool) or not isinstance(value, int):
        raise error_here(f".str.{function}() takes a whole constant, not {value!r}")
    return value


def _replacement(value):
    """Returns a replacement of Polars' syntax, $1 and ${1}, in that of RE2, \\1."""
    escaped = value.replace("\\", "\\\\")
    return re.sub(r"\$(?:\{(\d)\}|(\d))", lambda found: "\\" + (found[1] or found[2]), escaped)


class Text:
    __slots__ = ("_column",)

    def __init__(self, column):
        if column.dtype != pyarrow.string():
            raise error_here(f".str is of strings, not of {types.sql_name(column.dtype)}")
        self._column = column

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise unknown_here("method .str", name, (), ".str", [n for n in dir(Text) if n[0] != "_"])

    def _apply(self, template, type_, *arguments):
        lifted = [self._column._lift(one, beside=pyarrow.binary()) for one in arguments]
        return self._column._call(template, type_, *lifted)

    def _part(self, template, type_, part):
        """Applies a function of two strings."""
        lifted = self._column._lift(part)
        if lifted.dtype != pyarrow.string():
            raise error_here(f"a part of a string is a string, not {types.sql_name(lifted.dtype)}")
        return self._column._call(template, type_, lifted)

    # ---- tests ----

    def contains(self, pattern, literal=False):
        """By a regular expression of RE2's syntax; with literal=True by the text itself."""
        if literal or not isinstance(pattern, str):
            return self._part("contains({}, {})", pyarrow.bool_(), pattern)
        if not SPECIAL.search(pattern):
            return self._part("contains({}, {})", pyarrow.bool_(), pattern)
        return self._apply("regexp_matches({}, {})", pyarrow.bool_(), pattern)

    def starts_with(self, prefix):
        return self._part("starts_with({}, {})", pyarrow.bool_(), prefix)

    def ends_with(self, suffix):
        return self._part("ends_with({}, {})", pyarrow.bool_(), suffix)

    def like(self, pattern):
        """By a pattern of SQL: % stands for any characters, _ for one."""
        return self._apply("({} LIKE {})", pyarrow.bool_(), _constant(pattern, "like"))

    # ---- lengths and parts ----

    def len_chars(self):
        return self._apply("length({})", pyarrow.int64())

    def len_bytes(self):
        return self._apply("strlen({})", pyarrow.int64())

    def find(self, part):
        """The place of the first occurrence in characters from 0, or NULL."""
        return self._part(
            "CASE WHEN strpos({0}, {1}) > 0 THEN strpos({0}, {1}) - 1 ELSE NULL END",
            pyarrow.int64(),
            part,
        )

    def slice(self, offset, length=None):
        """`length` characters from `offset`, which counts from the end if it is negative."""
        first = _whole(offset, "slice")
        first += first >= 0
        if length is None:
            return self._apply(f"substring({{}}, {first})", pyarrow.string())
        count = _whole(length, "slice")
        if count < 0:
            raise error_here(f".str.slice() takes a length of 0 or more, not {length}")
        if first < 0:
            # Characters before the string's beginning count towards the length.
            return self._apply(
                f"left(substring({{0}}, {first}), "
                f"greatest(0, {count} + least(0, length({{0}}) + {first})))",
                pyarrow.string(),
            )
        return self._apply(f"substring({{}}, {first}, {count})", pyarrow.string())

    def head(self, n):
        return self._apply(f"left({{}}, {_whole(n, 'head')})", pyarrow.string())

    def tail(self, n):
        return self._apply(f"right({{}}, {_whole(n, 'tail')})", pyarrow.string())

    def extract(self, pattern, group_index=1):
        """The group of the first match, or NULL."""
        pattern, group = _constant(pattern, "extract"), _whole(group_index, "extract")
        return self._apply(
            "CASE WHEN regexp_matches({0}, {1}) "
            f"THEN regexp_extract({{0}}, {{1}}, {group}) ELSE NULL END",
            pyarrow.string(),
            pattern,
        )

    # ---- other strings ----

    def to_uppercase(self):
        return self._apply("upper({})", pyarrow.string())

    def to_lowercase(self):
        return self._apply("lower({})", pyarrow.string())

    def reverse(self):
        return self._apply("reverse({})", pyarrow.string())

    def strip_chars(self, characters=None):
        return self._strip("trim", characters)

    def strip_chars_start(self, characters=None):
        return self._strip("ltrim", characters)

    def strip_chars_end(self, characters=None):
        return self._strip("rtrim", characters)

    def _strip(self, function, characters):
        stripped = WHITE_SPACE if characters is None else _constant(characters, "strip_chars")
        return self._apply(function + "({}, {})", pyarrow.string(), stripped)

    def pad_start(self, length, fill_char=" "):
        return self._pad("lpad", length, fill_char)

    def pad_end(self, length, fill_char=" "):
        return self._pad("rpad", length, fill_char)

    def _pad(self, function, length, fill_char):
        if len(_constant(fill_char, "pad_start")) != 1:
            raise error_here(f"fill_char is one character, not {fill_char!r}")
        count = _whole(length, "pad_start")
        # Longer strings stay; SQL cuts them off.
        template = (
            f"CASE WHEN length({{0}}) < {count} THEN {function}({{0}}, {count}, {{1}}) "
            "ELSE {0} END"
        )
        return self._apply(template, pyarrow.string(), fill_char)

    def replace(self, pattern, value, literal=False):
        """Replaces the first match of a regular expression; $1 in `value` is a group."""
        pattern, value = _constant(pattern, "replace"), _constant(value, "replace")
        if literal:
            pattern, value = _escaped(pattern), value.replace("\\", "\\\\")
        else:
            value = _replacement(value)
        return self._apply("regexp_replace({}, {}, {})", pyarrow.string(), pattern, value)

    def replace_all(self, pattern, value, literal=False):
        pattern, value = _constant(pattern, "replace_all"), _constant(value, "replace_all")
        if literal:
            return self._apply("replace({}, {}, {})", pyarrow.string(), pattern, value)
        return self._apply(
            "regexp_replace({}, {}, {}, 'g')", pyarrow.string(), pattern, _replacement(value)
        )

    def to_integer(self, strict=True):
        return self._column.cast(pyarrow.int64(), strict=strict)

    def to_date(self, format=None, strict=True):
        if format is None:
            return self._column.cast(pyarrow.date32(), strict=strict)
        return self.to_datetime(format, strict).cast(pyarrow.date32())

    def to_datetime(self, format=None, strict=True):
        if format is None:
            return self._column.cast(types.TIMESTAMP, strict=strict)
        function = "strptime" if strict else "try_strptime"
        return self._apply(function + "({}, {})", types.TIMESTAMP, _constant(format, "to_datetime"))
