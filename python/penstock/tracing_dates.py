"""The functions of dates and times, as x.dt.year(); under Polars' names."""

import pyarrow

from penstock import tracing_types as types
from penstock.tracing_errors import error_here, unknown_here

DATED = (pyarrow.date32(), types.TIMESTAMP, types.TIMESTAMP_UTC)
TIMED = (types.TIMESTAMP, types.TIMESTAMP_UTC, types.TIME)
OF_TIME = (*DATED, types.TIME, types.INTERVAL)
# The name here, the function of SQL, and the types that have it. All are int64.
PARTS = (
    ("year", "year({})", DATED),
    ("iso_year", "isoyear({})", DATED),
    ("quarter", "quarter({})", DATED),
    ("month", "month({})", DATED),
    ("week", "week({})", DATED),
    ("weekday", "isodow({})", DATED),
    ("day", "day({})", DATED),
    ("ordinal_day", "dayofyear({})", DATED),
    ("hour", "hour({})", TIMED),
    ("minute", "minute({})", TIMED),
    ("second", "second({})", TIMED),
    # SQL counts the seconds in.
    ("millisecond", "(millisecond({}) % 1000)", TIMED),
    ("microsecond", "(microsecond({}) % 1000000)", TIMED),
    ("nanosecond", "(microsecond({}) % 1000000 * 1000)", TIMED),
)
UNITS = "microsecond millisecond second minute hour day week month quarter year decade".split()
EPOCHS = {"s": 1_000_000, "ms": 1_000, "us": 1}


class Dates:
    __slots__ = ("_column",)

    def __init__(self, column):
        if column.dtype not in OF_TIME:
            raise error_here(f".dt is of dates and times, not of {types.sql_name(column.dtype)}")
        self._column = column

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise unknown_here("method .dt", name, (), ".dt", [n for n in dir(Dates) if n[0] != "_"])

    def _apply(self, name, template, type_, allowed):
        if self._column.dtype not in allowed:
            raise error_here(f"no operation .dt.{name}() of {types.sql_name(self._column.dtype)}")
        return self._column._call(template, type_)

    def date(self):
        return self._apply("date", "CAST({} AS DATE)", pyarrow.date32(), DATED)

    def time(self):
        return self._apply("time", "CAST({} AS TIME)", types.TIME, (types.TIMESTAMP, types.TIME))

    def truncate(self, unit):
        """The beginning of the unit ("month", "hour", ...), in the type of the value."""
        if unit not in UNITS:
            raise error_here(f"a unit is one of {', '.join(UNITS)}, not {unit!r}")
        type_ = self._column.dtype
        template = f"CAST(date_trunc('{unit}', {{}}) AS {types.sql_name(type_)})"
        return self._apply("truncate", template, type_, DATED)

    def month_start(self):
        return self.truncate("month")

    def month_end(self):
        """The last day of the month, as a date."""
        return self._apply("month_end", "last_day({})", pyarrow.date32(), DATED)

    def epoch(self, time_unit="us"):
        """Time since 1970 in "s", "ms" or "us"; with "d" in days."""
        if time_unit == "d":
            template = "(CAST({} AS DATE) - DATE '1970-01-01')"
            return self._apply("epoch", template, pyarrow.int64(), DATED)
        if time_unit not in EPOCHS:
            raise error_here(f'time_unit is "d", "s", "ms" or "us", not {time_unit!r}')
        whole = self._apply("epoch", "epoch_us({})", pyarrow.int64(), DATED)
        return whole // EPOCHS[time_unit]

    def strftime(self, format):
        if not isinstance(format, str):
            raise error_here(f".dt.strftime() takes a constant string, not {format!r}")
        if self._column.dtype not in DATED:
            raise error_here(f"no operation .dt.strftime() of {types.sql_name(self._column.dtype)}")
        text = self._column._lift(format, beside=pyarrow.string())
        return self._column._call("strftime({}, {})", pyarrow.string(), text)

    def to_string(self, format):
        return self.strftime(format)

    def total_seconds(self):
        return self._total("seconds", 1_000_000)

    def total_milliseconds(self):
        return self._total("milliseconds", 1_000)

    def total_microseconds(self):
        return self._total("microseconds", 1)

    def total_minutes(self):
        return self._total("minutes", 60_000_000)

    def total_hours(self):
        return self._total("hours", 3_600_000_000)

    def total_days(self):
        return self._total("days", 86_400_000_000)

    def _total(self, name, microseconds):
        """Cut off towards zero, as in Polars."""
        template = f"(epoch_us({{}}) // {microseconds})"
        return self._apply("total_" + name, template, pyarrow.int64(), (types.INTERVAL,))


def _add_parts():
    def method(name, template, allowed):
        def part(self):
            return self._apply(name, template, pyarrow.int64(), allowed)

        part.__name__ = name
        part.__doc__ = f"{template.format('x')} of SQL, as int64."
        return part

    for name, template, allowed in PARTS:
        setattr(Dates, name, method(name, template, allowed))


_add_parts()
