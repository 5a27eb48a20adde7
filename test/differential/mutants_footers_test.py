"""Parquet files of which one field of the footer, or of a page's header, has another value, or is not there.

    mutants_footers_test.py QUERY_DRIVER PENSTOCK [--count 250] [--seed N] [--device ID] [--keep FOLDER]

`--count 0` tries every value of every field. All else of a file fits. An answer is the one over the whole file, or that
of DuckDB and of pyarrow, which then agree. Smallest and largest values of the footer are believed as DuckDB believes
them. Otherwise the file is refused by name. Wrong counts of NULLs and of the file's rows change no answer at all.
"""

import collections
import copy
import dataclasses
import os
import random
import shutil
import sys
import tempfile

import pyarrow
import pyarrow.parquet

import duckdb

from answers import Answer, Column, difference
from driver import Tally, drivers, test_options
from mutants_pages_test import FILE_ERRORS, IsolatedOracle
from oracle import values_of
from parquet_parts import BINARY, BOOLEAN, BYTE, DOUBLE, I16, I32, I64, LIST, STRUCT
from parquet_parts import FALSE, ParquetParts, put_together

STATEMENTS = [
    "SELECT a, b, d, s FROM $",
    "SELECT count(a) AS n, min(a) AS x, max(b) AS y FROM $",
    "SELECT count(*) AS n, count(s) AS m, sum(b) AS t FROM $ WHERE a > 3",
    "SELECT count(*) AS n FROM $ WHERE a IS NULL",
]
NUMBERS = [0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 127, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1]
# Refusals of files that DuckDB and pyarrow read as the whole one.
MAX_NEEDLESS = 0.4


@dataclasses.dataclass
class Field:
    """The place of a value: the struct or list that holds it, found anew in a copy by `steps`."""

    steps: tuple
    kind: int
    value: object

    def is_one_of(self, *ends):
        return any(self.steps[-len(end) :] == end for end in ends)


def fields_of(struct, steps=()):
    for number, (kind, value) in struct.items():
        yield from _fields_below((*steps, number), kind, value)


def _fields_below(steps, kind, value):
    yield Field(steps, kind, value)
    if kind == STRUCT:
        yield from fields_of(value, steps)
    elif kind == LIST:
        for place, one in enumerate(value[1]):
            yield from _fields_below((*steps, place), value[0], one)


def other_values(kind, value):
    """None stands for a field that is not there."""
    if kind in (BYTE, I16, I32, I64):
        near = [value + 1, value - 1, 2 * value]
        return [None] + [one for one in dict.fromkeys(NUMBERS + near) if one != value]
    if kind in (BOOLEAN, FALSE):
        return [None, not value]
    if kind == BINARY:
        return [None, b"", value[:-1], value + b"\0", b"\xff" * len(value)]
    if kind == LIST:
        element, values = value
        return [None, (element, []), (element, values[:-1]), (element, values + values[-1:])]
    return [None] if kind in (STRUCT, DOUBLE) else []


def set_field(struct, steps, value):
    """Whether there was such a field."""
    holder = struct
    for step in steps[:-1]:
        holder = _below(holder, step)
    last = steps[-1]
    if isinstance(holder, dict):
        if value is None:
            del holder[last]
        else:
            holder[last][1] = value
        return True
    if value is None:
        return False  # an element: the list's own mutants leave it out
    holder[last] = value
    return True


def _below(holder, step):
    if isinstance(holder, dict):
        kind, value = holder[step]
        return value[1] if kind == LIST else value
    return holder[step]


def rows():
    return pyarrow.table(
        {
            "a": pyarrow.array([5, None, 7, 1] * 20, pyarrow.int32()),
            "b": pyarrow.array([i % 9 for i in range(80)], pyarrow.int64()),
            "d": pyarrow.array([i / 2 for i in range(80)], pyarrow.float64()),
            "s": pyarrow.array(["x", "yy", None, ""] * 20),
        }
    )


def pyarrow_answer(path, statement):
    try:
        whole = pyarrow.parquet.read_table(path, use_threads=False)  # noqa: F841
        relation = duckdb.sql(statement.replace("$", "whole"))
        found = relation.to_arrow_table()
    except Exception as error:  # pylint: disable=broad-except
        return Answer(error="error", message=str(error))
    types = [str(kind) for kind in relation.types]
    return Answer(
        [Column(n, k, values_of(c)) for n, k, c in zip(relation.columns, types, found.columns)]
    )


class Mutants:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.oracle = IsolatedOracle(folder)
        self.wholes = []
        for number, (version, codec) in enumerate([("1.0", "none"), ("2.0", "zstd")]):
            path = os.path.join(folder, f"whole{number}.parquet")
            pyarrow.parquet.write_table(
                rows(), path, row_group_size=40, data_page_version=version, compression=codec
            )
            self.wholes.append(ParquetParts(path))
        self.placed = [whole.place_pages() for whole in self.wholes]
        self.right = [
            self.oracle.answer(text.replace("$", "'whole0.parquet'"), 0) for text in STATEMENTS
        ]

    def all_mutants(self):
        """(a whole file, None for its footer or a page's place, field, other value)"""
        for number, whole in enumerate(self.wholes):
            for field in fields_of(whole.place_pages()[1]):
                for value in other_values(field.kind, field.value):
                    yield number, None, field, value
            for place, pages in whole.pages.items():
                for page in range(len(pages)):
                    for field in fields_of(pages[page].header):
                        for value in other_values(field.kind, field.value):
                            yield number, (place, page), field, value

    def bytes_of(self, number, place, field, value):
        whole = self.wholes[number]
        if place is None:
            pages, placed = self.placed[number]
            footer = copy.deepcopy(placed)
            return put_together(pages, footer) if set_field(footer, field.steps, value) else None
        page = whole.pages[place[0]][place[1]]
        header, page.header = page.header, copy.deepcopy(page.header)
        is_set = set_field(page.header, field.steps, value)
        content = put_together(*whole.place_pages()) if is_set else None
        page.header = header
        return content

    def wrong(self, driver, name, field, counts):
        path = os.path.join(self.folder, name)
        of_footer = field.steps[0] == 4 and len(field.steps) > 2
        changes_nothing = (
            (of_footer and field.steps[-3:] == (3, 12, 3)) or field.steps == (3,)
        ) and not name.startswith("page")
        is_bound = of_footer and field.steps[-3:-1] == (3, 12) and not changes_nothing
        for text, right in zip(STATEMENTS, self.right):
            for pages in ("host", "device"):
                driver.set(pages=pages)
                ours = driver.answer(text.replace("$", f"'{name}'"))
                wrong = self._wrong_answer(
                    ours, text, right, name, path, counts, changes_nothing, is_bound
                )
                if wrong:
                    return f"{pages}: {text}: {wrong}"
        return None

    def _wrong_answer(self, ours, text, right, name, path, counts, changes_nothing, is_bound):
        same = not ours.error and difference(ours, right) is None
        if same or changes_nothing:
            counts["as before"] += same
            return None if same else f"{ours.error}: {ours.message}" or "another answer"
        if ours.error and ours.error not in FILE_ERRORS | {"overflow"}:
            return f"{ours.error}: {ours.message}"
        named = (f"'{name}'", "column '", "not found in FROM")
        if ours.error and not any(word in ours.message for word in named):
            return f"the error names neither file nor column: {ours.message}"
        duck = self.oracle.answer(text.replace("$", f"'{name}'"), 0)
        arrow = pyarrow_answer(path, text)
        if ours.error:
            read = not duck.error and not arrow.error
            needless = read and not difference(duck, right) and not difference(arrow, right)
            counts["refused needlessly" if needless else "refused"] += 1
            return None
        as_duck = not duck.error and difference(ours, duck) is None
        as_arrow = not arrow.error and difference(ours, arrow) is None
        counts["as DuckDB and pyarrow"] += as_duck and as_arrow
        if as_duck and (as_arrow or is_bound):
            return None
        return (
            f"{[c.values[:6] for c in ours.columns]}, DuckDB {_text(duck)}, pyarrow {_text(arrow)}"
        )

    def check(self, number, mutant, driver, tally, counts):
        content = self.bytes_of(*mutant)
        if content is None:
            return
        whole, place, field, value = mutant
        name = f"{'footer' if place is None else 'page'}{number}.parquet"
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        wrong = self.wrong(driver, name, field, counts)
        where = f"footer {field.steps}" if place is None else f"page {place} {field.steps}"
        tally.check(f"{driver.device}: {name} of {whole}: {where}: {field.value} is {value}", wrong)
        if wrong and self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            shutil.copy(path, self.options.keep)
        os.remove(path)


def _text(answer):
    return answer.message[:80] if answer.error else [c.values[:6] for c in answer.columns]


def main():
    options, tally = test_options(count=250, seed=1, keep=""), Tally()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="penstock-footers-") as folder:
        mutants = Mutants(folder, options)
        every = list(enumerate(mutants.all_mutants()))
        some = random.Random(options.seed).sample(every, options.count) if options.count else every
        for driver in drivers(options, folder, tally):
            for number, mutant in some:
                mutants.check(number, mutant, driver, tally, counts)
        mutants.oracle.close()
    print(
        f"of {len(every)} mutants: " + ", ".join(f"{n} {what}" for what, n in counts.most_common())
    )
    refused = counts["refused"] + counts["refused needlessly"]
    if counts["refused needlessly"] > MAX_NEEDLESS * refused + 10:
        tally.fail("refusals", f"{counts['refused needlessly']} of {refused} are needless")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
