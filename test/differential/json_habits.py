"""JSON files with the habits of people and programs, drawn by a seed: lines, arrays, nested, lacking and mixed values.

json_habits.py FOLDER [--count N] [--seed N]      writes them, with a list of their habits
"""

import argparse
import json
import pathlib
import random

import csv_values
from csv_habits import HabitFile

KEYS = ["id", "name", "date", "amount", "count", "city", "flag", "note", "value"]
ODD_KEYS = [
    "",
    " ",
    "a b",
    "ID",
    "Id",
    "1",
    "größe",
    "a.b",
    'a"b',
    "a\nb",
    "a\\b",
    "x" * 70,
    "order",
]


def _of(*texts):
    return lambda rng, place: rng.choice(texts)


def _text(kind):
    """Values of a column of CSV files, as strings."""
    return lambda rng, place: json.dumps(kind(rng, place), ensure_ascii=rng.random() < 0.5)


def _whole(rng, place):
    return str(rng.randint(-1000, 1000))


def _decimal(rng, place):
    return f"{rng.uniform(-1000, 1000):.2f}"


# Values are the texts of JSON, so that numbers are written in every form.
NUMBERS = {
    "integers": _whole,
    "row numbers": lambda rng, place: str(place),
    "bigints": lambda rng, place: str(rng.randrange(-(2**63), 2**63)),
    "beyond signed 64 bits": _of("9223372036854775808", "18446744073709551615", "5"),
    "beyond 64 bits": _of("18446744073709551616", "-9223372036854775809", "5"),
    "beyond 128 bits": lambda rng, place: str(rng.getrandbits(140)),
    "decimals": _decimal,
    "integers and decimals": lambda rng, place: rng.choice([_whole, _decimal])(rng, place),
    "doubles": lambda rng, place: repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)),
    "exponents": _of("1e5", "2E-3", "1.5e+10", "-7e0", "6.02e23", "1e-400"),
    "too large for a double": _of("1e400", "1"),
    "negative zeros": _of("-0", "0", "-0.0"),
    "many digits": _of("0.1234567890123456789012345", "3.99999999999999999999"),
    "unsigned and negative": _of("18446744073709551615", "-1"),
}
OTHERS = {
    "booleans": _of("true", "false"),
    "nulls": _of("null"),
    "strings": _text(csv_values.TEXTS["sentences"]),
    "empty strings": _of('""', '"x"'),
    "escapes": _of(r'"\"\\\/\b\f\n\r\t"', r'"\u00e9\u4e2d"', r'"\ud83c\udf32"', '"tab\\tend"'),
    "half surrogates": _of(r'"\ud83c"', '"x"'),
    "zero characters": _of(r'"a\u0000b"', '"x"'),
    "unicode": _text(csv_values.TEXTS["unicode"]),
    "strings of numbers": _text(csv_values.NUMBERS["integers"]),
    "strings of leading zeros": _text(csv_values.NUMBERS["leading zeros"]),
    "strings of big numbers": _text(csv_values.NUMBERS["beyond 64 bits"]),
    "strings of truth": _of('"true"', '"false"'),
    "uuids": _text(csv_values.TEXTS["uuids"]),
    "json in strings": _text(csv_values.TEXTS["json"]),
    "long strings": _text(csv_values.TEXTS["long texts"]),
    "empty objects": _of("{}"),
    "objects": lambda rng, place: f'{{"u": {rng.randrange(9)}, "v": "{rng.choice("abc")}"}}',
    "objects that differ": _of('{"u": 1}', '{"v": 2}', '{"u": 1.5, "w": null}'),
    "arrays": lambda rng, place: f"[{rng.randrange(9)}, {rng.randrange(9)}]",
    "arrays of objects": _of('[{"u": 1}]', '[{"u": 2}, {"u": 3}]', "[]"),
    "empty arrays": _of("[]"),
    "mixed arrays": _of('[1, "x", null]', "[true]"),
    "numbers and strings": _of("1", '"x"', "2.5"),
    "numbers and strings of numbers": _of("1", '"2"'),
    "numbers and truth": _of("1", "true"),
    "strings and truth": _of('"x"', "true"),
    "numbers and objects": _of("1", '{"u": 1}'),
    "arrays and strings": _of("[1]", '"x"'),
    "deep": _of('{"a": {"b": {"c": {"d": [[[1]]]}}}}'),
    "dates and strings": _of('"2024-05-01"', '"soon"'),
    "dates and numbers": _of('"2024-05-01"', "7"),
}
MOMENTS = {name: _text(maker) for name, maker in {**csv_values.DAYS, **csv_values.CLOCKS}.items()}
GROUPS = [NUMBERS, OTHERS, MOMENTS]


def _keys(rng, width):
    drawn = rng.random()
    if drawn < 0.75:
        return [KEYS[i % len(KEYS)] + ("" if i < len(KEYS) else str(i)) for i in range(width)]
    return list(dict.fromkeys(rng.choice(ODD_KEYS + KEYS) for _ in range(width)))


def draw_objects(rng):
    """Returns habits, and objects as lists of a key's and a value's text."""
    width, count = rng.choice([1, 1, 2, 3, 3, 4, 6, 12]), rng.choice([1, 1, 2, 3, 5, 8, 20, 60])
    if rng.random() < 0.02:
        count = rng.choice([2100, 21000])
    keys = _keys(rng, width)
    names = [rng.choice(list(rng.choice(GROUPS))) for _ in keys]
    makers = [{**NUMBERS, **OTHERS, **MOMENTS}[name] for name in names]
    null_share, missing_share = rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0.3])
    objects = []
    for place in range(count):
        pairs = [
            (json.dumps(key), "null" if rng.random() < null_share else make(rng, place))
            for key, make in zip(keys, makers)
            if rng.random() >= missing_share
        ]
        objects.append(pairs)
    habits = [f"{count} objects", *dict.fromkeys(names)]
    return habits + ["lacking keys"] * bool(missing_share) + ["nulls"] * bool(null_share), objects


def _compact(pairs):
    return "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"


def _spaced(pairs):
    return "{ " + " , ".join(f"{key} : {value}" for key, value in pairs) + " }"


def _over_lines(pairs):
    return "{\n" + ",\n".join(f"  {key}: {value}" for key, value in pairs) + "\n}"


LAYOUTS = {
    "lines": lambda objects: "".join(_compact(o) + "\n" for o in objects),
    "lines with blanks": lambda objects: "".join("  " + _spaced(o) + " \n" for o in objects),
    "lines, none at the end": lambda objects: "\n".join(map(_compact, objects)),
    "lines of CRLF": lambda objects: "".join(_spaced(o) + "\r\n" for o in objects),
    "blank lines between": lambda objects: "\n\n".join(map(_compact, objects)) + "\n\n",
    "array": lambda objects: "[" + ",".join(map(_compact, objects)) + "]",
    "array over lines": lambda objects: "[\n" + ",\n".join(map(_over_lines, objects)) + "\n]\n",
    "array of lines": lambda objects: "[" + ",\n".join(map(_compact, objects)) + "\n]",
    "one after another": lambda objects: "".join(map(_compact, objects)),
    "objects over lines": lambda objects: "\n".join(map(_over_lines, objects)) + "\n",
}


def _shuffled(rng, objects):
    return [rng.sample(pairs, len(pairs)) for pairs in objects]


def _repeated_key(rng, objects):
    return [pairs + pairs[:1] for pairs in objects]


def _cut(rng, text):
    return text[: rng.randrange(len(text))] if text else text


def _changed_byte(rng, text):
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice('{}[]",:\\0x\n ') + text[place + 1 :]


FAULTS = {
    "keys in any order": (_shuffled, None),
    "a key twice": (_repeated_key, None),
    "cut": (None, _cut),
    "a byte changed": (None, _changed_byte),
    "a comma too many": (None, lambda rng, text: text.replace("}", ",}", 1)),
    "apostrophes": (None, lambda rng, text: text.replace('"', "'")),
    "NaN": (None, lambda rng, text: text.replace(":", ':NaN,"nan":', 1)),
    "a comment": (None, lambda rng, text: "// made by hand\n" + text),
    "more behind": (None, lambda rng, text: text + "end"),
    "a byte order mark": (None, lambda rng, text: "\ufeff" + text),
    "a number among objects": (None, lambda rng, text: text + "\n17\n"),
    "blanks before": (None, lambda rng, text: " \n\t" + text),
}


def make(seed, number):
    """Returns the file of a number, always the same one."""
    rng = random.Random(f"json {seed}/{number}")
    habits, objects = draw_objects(rng)
    layout = rng.choice(list(LAYOUTS))
    faults = rng.sample(list(FAULTS), 1) if rng.random() < 0.35 else []
    for name in faults:
        objects = FAULTS[name][0](rng, objects) if FAULTS[name][0] else objects
    text = LAYOUTS[layout](objects)
    for name in faults:
        text = FAULTS[name][1](rng, text) if FAULTS[name][1] else text
    ending = rng.choice([".json", ".json", ".ndjson", ".jsonl"])
    content = text.encode(errors="surrogatepass")
    return HabitFile(f"habit{number}{ending}", [*faults, layout, *habits], content)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.count):
        file = make(options.seed, number)
        (options.folder / file.name).write_bytes(file.content)
        print(f"{file.name}: {'; '.join(file.habits)}")


if __name__ == "__main__":
    main()
