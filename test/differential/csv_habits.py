"""Files of comma-separated values with the habits of people and programs, drawn by a seed.

csv_habits.py FOLDER [--count N] [--seed N]      writes them, with a list of their habits
"""

import argparse
import dataclasses
import pathlib
import random

import csv_faults
import csv_programs
import csv_values

NAMES = ["id", "name", "date", "amount", "count", "city", "flag", "note", "value", "time", "code"]
ODD_NAMES = [
    "",
    " ",
    "a b",
    " id ",
    "ID",
    "Id",
    "1",
    "2024",
    "order",
    "größe",
    "x" * 80,
    "a.b",
    "a\nb",
    "#",
    "name_1",
]
ROW_COUNTS = [0, 1, 1, 2, 3, 3, 5, 8, 12, 20, 40, 100]
LACKING = {
    "an empty field": "",
    "a quoted empty field": '""',
    "NULL": "NULL",
    "NA": "NA",
    "\\N": "\\N",
}


@dataclasses.dataclass
class HabitFile:
    name: str
    habits: list
    content: bytes


@dataclasses.dataclass
class Drawn:
    """A table of texts: names of columns, and rows in which None is a value that is lacking."""

    header: list
    rows: list
    habits: list


def _header(rng, width):
    drawn = rng.random()
    if drawn < 0.6:
        return "plain names", [
            NAMES[i % len(NAMES)] + ("" if i < len(NAMES) else str(i)) for i in range(width)
        ]
    if drawn < 0.7:
        return "repeated names", [rng.choice(NAMES[:3]) for _ in range(width)]
    if drawn < 0.9:
        return "odd names", [rng.choice(ODD_NAMES + NAMES) for _ in range(width)]
    if drawn < 0.95:
        return "names that are numbers", [str(2020 + i) for i in range(width)]
    return "letters", [chr(97 + i % 26) for i in range(width)]


def draw_table(rng):
    width = rng.choice([1, 1, 2, 2, 3, 3, 3, 4, 5, 8, rng.randrange(9, 70)])
    count = rng.choice(ROW_COUNTS)
    if rng.random() < 0.01:
        width, count = min(width, 3), rng.choice([2100, 5000, 21000])
    naming, header = _header(rng, width)
    kinds = [csv_values.draw(rng, 0.8 if width < 9 else 0.1) for _ in range(width)]
    lacking = rng.choice([0, 0, 0.1, 0.4])
    rows = [
        [None if rng.random() < lacking else make(rng, place) for _, make in kinds]
        for place in range(count)
    ]
    habits = [
        naming,
        f"{width} columns",
        f"{count} rows",
        *dict.fromkeys(name for name, _ in kinds),
    ]
    return Drawn(header, rows, habits)


@dataclasses.dataclass
class Dialect:
    delimiter: str
    quote: str
    escape: str  # "doubled", "backslash" or "none"
    quoted: str  # "where needed", "all", "texts", "never"
    lacking: str

    def field(self, value, is_text=False):
        if value is None:
            return LACKING[self.lacking].replace('"', self.quote or "")
        special = [self.delimiter, "\n", "\r"] + ([self.quote] if self.quote else [])
        if not self.quote or self.quoted == "never":
            return value.replace("\n", " ").replace("\r", " ").replace(self.delimiter, "_")
        if (
            self.quoted == "all"
            or self.quoted == "texts"
            and is_text
            or any(s in value for s in special)
        ):
            return self.quote + self.escaped(value) + self.quote
        return value

    def escaped(self, value):
        if self.escape == "backslash":
            return value.replace("\\", "\\\\").replace(self.quote, "\\" + self.quote)
        return value.replace(self.quote, self.quote * 2 if self.escape == "doubled" else "")

    def lines(self, header, rows):
        texts = [any(v and not v.lstrip("-").isdigit() for v in column) for column in zip(*rows)]
        texts = texts or [True] * len(header)
        yield self.delimiter.join(self.field(name, True) for name in header)
        for row in rows:
            yield self.delimiter.join(self.field(value, text) for value, text in zip(row, texts))

    def habits(self):
        return [
            f"delimiter {self.delimiter!r}",
            f"quote {self.quote!r}",
            f"escape {self.escape}",
            f"quoted {self.quoted}",
            f"lacking {self.lacking}",
        ]


def draw_dialect(rng):
    return Dialect(
        rng.choice(
            [","] * 10 + [";"] * 4 + ["\t"] * 4 + ["|"] * 3 + [" ", ":", "^", "~", "\x01", "||"]
        ),
        rng.choice(['"'] * 12 + ["'", ""]),
        rng.choice(["doubled"] * 7 + ["backslash"] * 2 + ["none"]),
        rng.choice(["where needed"] * 5 + ["all", "all", "texts", "texts", "never"]),
        rng.choice(list(LACKING)[:1] * 4 + list(LACKING)),
    )


def draw_faults(rng, lines, delimiter):
    """Returns the names of up to two faults, and the lines with them."""
    names = rng.sample(list(csv_faults.FAULTS), rng.choice([0, 0, 0, 1, 1, 2]))
    for name in names:
        lines = csv_faults.FAULTS[name](rng, lines, delimiter) if lines else lines
    return names, lines


def make(seed, number):
    """Returns the file of a number, always the same one."""
    rng = random.Random(f"{seed}/{number}")
    table = draw_table(rng)
    if number % 10 == 9:
        content = csv_programs.python_by_any_habits(rng, table)
        return HabitFile(f"habit{number}.csv", ["Python, any habits", *table.habits], content)
    if rng.random() < 0.35:
        program, content = csv_programs.write(rng, table)
        return HabitFile(f"habit{number}.csv", [program, *table.habits], content)
    dialect = draw_dialect(rng)
    faults, lines = draw_faults(
        rng, list(dialect.lines(table.header, table.rows)), dialect.delimiter
    )
    end_name, join = csv_faults.ends(rng)
    encoding, content = csv_faults.encode(rng, join(lines))
    habits = [*faults, *dialect.habits(), end_name, encoding, *table.habits]
    return HabitFile(f"habit{number}.csv", habits, content)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.count):
        file = make(options.seed, number)
        (options.folder / file.name).write_bytes(file.content)
        print(f"{file.name}: {'; '.join(file.habits)}")


if __name__ == "__main__":
    main()
