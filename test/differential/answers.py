"""Answers, and what makes two of them equal. Nothing but Python's own library, so that recorded answers are compared anywhere.

A value is None, a bool, an int (integers, HUGEINT, dates as days, timestamps as microseconds, decimals as counts of their last
digit), a float or a str. Everything is compared exactly but for the columns that a Bound is given for.
"""

import dataclasses
import math
import re

EPSILON = (
    2.0**-53
)  # half a unit in the last place: what one rounding to DOUBLE adds, relative to its result


@dataclasses.dataclass
class Column:
    name: str
    type: str  # as SQL names it: "DECIMAL(15,2)"
    values: list


@dataclasses.dataclass
class Answer:
    columns: list = dataclasses.field(default_factory=list)
    error: str = ""  # a code of status.hpp, "crash", or "error" for DuckDB's
    message: str = ""
    device: str = ""
    skipped: dict = dataclasses.field(default_factory=dict)  # what was left out, by its reason
    kernels: int = 0

    @property
    def row_count(self):
        return len(self.columns[0].values) if self.columns else 0


@dataclasses.dataclass
class Bound:
    """The error that a float of a column may have.

    sum: of n numbers, in whatever order they are added, each of n - 1 additions rounds by at most EPSILON of a partial sum, which
    is at most the sum S of magnitudes: n * EPSILON * S to first order (Higham, Accuracy and Stability, 4.2). Both engines may
    be off by as much, hence twice. `average` is the same over n, and one rounding more. `magnitudes` and `counts` are S and n.
    function: `units` in the last place; OpenCL 1.2 (7.4) allows up to 16 (pow), the hosts' libraries about 1.
    """

    kind: str  # "sum", "average" or "function"
    magnitudes: list = None
    counts: list = None
    units: int = 20

    def allows(self, row, ours, theirs):
        if self.kind == "function":
            # If the result is a cancellation (sin near a multiple of pi), only the argument is
            # exact; still relative.
            return (
                abs(ours - theirs) <= self.units * 2 * EPSILON * abs(theirs) + 5e-324 * self.units
            )
        magnitude, count = self.magnitudes[row], self.counts[row]
        if magnitude is None or not count:
            return False
        if math.isinf(magnitude):  # finite numbers that overflow in one order and not in another
            return True
        bound = 2 * count * EPSILON * magnitude
        return abs(ours - theirs) <= (
            bound if self.kind == "sum" else bound / count + 4 * EPSILON * abs(theirs)
        )


def type_difference(ours, theirs, allowed=()):
    """Documented in docs/sql.md: no more than 18 digits in expressions, BIGINT in place of HUGEINT there, NULL as INTEGER."""
    if ours == theirs or (ours, theirs) in allowed or (ours, theirs) == ("INTEGER", '"NULL"'):
        return None
    wide, narrow = (re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", name) for name in (theirs, ours))
    if wide and narrow and int(wide[1]) > 18 and narrow[1] == "18" and wide[2] == narrow[2]:
        return None
    return f"type {ours}, DuckDB's {theirs}"


def value_difference(ours, theirs, row, bound, signed_zero):
    """None when equal. NaN equals NaN, whatever its bits."""
    if ours is None or theirs is None:
        return ours is not theirs
    if isinstance(theirs, float) and isinstance(ours, float):
        if math.isnan(ours) or math.isnan(theirs):
            return not (math.isnan(ours) and math.isnan(theirs)) and not (
                bound and bound.magnitudes and math.isinf(bound.magnitudes[row] or 0)
            )
        if ours == theirs:
            return signed_zero and ours == 0 and math.copysign(1, ours) != math.copysign(1, theirs)
        return not (bound and bound.allows(row, ours, theirs))
    return type(ours) is not type(theirs) or ours != theirs


def _rank(value):
    """A total order over values of one column, NULL last and NaN above all numbers; equal values rank equal."""
    if value is None:
        return (2, 0)
    if isinstance(value, float):
        return (1, 0) if math.isnan(value) else (0, value + 0.0)
    return (0, value)


def sorted_rows(answer, key_count):
    order = sorted(
        range(answer.row_count),
        key=lambda row: tuple(_rank(c.values[row]) for c in answer.columns[:key_count]),
    )
    return dataclasses.replace(
        answer,
        columns=[Column(c.name, c.type, [c.values[row] for row in order]) for c in answer.columns],
    )


def difference(ours, theirs, bounds=None, names=True, allowed_types=(), unsigned_zeros=()):
    """A sentence about the first difference between two answers that are no errors, or None."""
    if len(ours.columns) != len(theirs.columns):
        return f"{len(ours.columns)} columns, DuckDB has {len(theirs.columns)}"
    for number, (mine, reference) in enumerate(zip(ours.columns, theirs.columns)):
        if names and mine.name != reference.name:
            return f"column {number + 1} is named {mine.name!r}, DuckDB's {reference.name!r}"
        wrong = type_difference(mine.type, reference.type, allowed_types)
        if wrong:
            return f"column {number + 1} ({mine.name}): {wrong}"
        if len(mine.values) != len(reference.values):
            return f"{len(mine.values)} rows, DuckDB has {len(reference.values)}"
        bound, signed = (bounds or {}).get(number), number not in unsigned_zeros

        for row, (left, right) in enumerate(zip(mine.values, reference.values)):
            if (
                left is not right and left != right or left == 0 or left != left
            ) and value_difference(left, right, row, bound, signed):
                wrong_rows = sum(
                    bool(value_difference(a, b, i, bound, signed))
                    for i, (a, b) in enumerate(zip(mine.values, reference.values))
                )
                return (
                    f"row {row}, column {number + 1} ({mine.name}): {left!r}, DuckDB has {right!r}"
                    f" ({wrong_rows} of {len(mine.values)} rows differ)"
                )
    return None
