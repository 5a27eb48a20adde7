"""Writes the tables of the suite of strings, and its statements beside them.

    generate.py --rows 2000000 FOLDER
    suites.py run --threads 2 FOLDER

Log lines, e-mail addresses, file paths, texts in JSON, product names in several scripts, empty
strings, NULLs, and one text of 16 MiB. The same rows come of the same seed.
"""

import argparse
import pathlib
import shutil

import numpy
import pyarrow
from pyarrow import parquet

LEVELS = ["DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR"]
VERBS = ["opened", "closed", "read", "wrote", "refused", "retried", "timed out on", "deleted"]
FOLDERS = ["usr", "var", "home", "etc", "srv", "data", "backup", "Über uns", "文档", "tmp"]
SUFFIXES = ["txt", "log", "parquet", "tar.gz", "json", "", "JPG", "csv"]
NAMES = ["ana", "bob", "chloé", "dmitri", "eun-ji", "fatima", "günther", "haruki", "ines", "jörg"]
DOMAINS = ["example.org", "mail.example.com", "例え.jp", "пример.рф", "sub.domain.example.net"]
WORDS = {
    "latin": ["Blue", "Tea", "Café", "Straße", "naïve", "Lamp", "Chair", "Über", "No. 7", "O'Neil"],
    "cyrillic": ["чай", "Лампа", "стул", "Синий", "Ёлка", "книга", "СТОЛ", "окно"],
    "greek": ["τσάι", "Λάμπα", "ΚΑΡΕΚΛΑ", "μπλε", "βιβλίο", "Σίσυφος"],
    "chinese": ["茶", "灯", "椅子", "蓝色", "书", "窗户", "𠮷野家"],
    "arabic": ["شاي", "مصباح", "كرسي", "أزرق", "كتاب"],
    "emoji": ["☕", "💡", "🪑", "👩‍🔬", "🇫🇷", "é"],
}
CATEGORIES = ["drinks", "light", "seats", "books", "windows", ""]


class Texts:
    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)

    def of(self, choices, rows, skewed=False):
        choices = pyarrow.array(choices, pyarrow.string())
        picks = self.random.integers(0, len(choices), rows)
        if skewed:
            picks = (len(choices) * self.random.random(rows) ** 3).astype(numpy.int64)
        return choices.take(pyarrow.array(picks))

    def numbers(self, most, rows):
        return pyarrow.array(self.random.integers(0, most, rows)).cast(pyarrow.string())

    def with_nulls(self, texts, share):
        mask = pyarrow.array(self.random.random(len(texts)) < share)
        return pyarrow.compute.if_else(mask, pyarrow.scalar(None, pyarrow.string()), texts)

    def emptied(self, texts, share):
        mask = pyarrow.array(self.random.random(len(texts)) < share)
        return pyarrow.compute.if_else(mask, "", texts)


def joined(*parts):
    return pyarrow.compute.binary_join_element_wise(*parts, "")


def logs(rows, seed):
    texts = Texts(seed)
    users = [
        f"{name}.{i}@{DOMAINS[i % len(DOMAINS)]}" for i in range(rows // 40) for name in NAMES[:2]
    ]
    level, service = (
        texts.of(LEVELS, rows),
        texts.of([f"service-{i}" for i in range(60)], rows, True),
    )
    folders = [texts.of(FOLDERS, rows) for _ in range(3)]
    path = joined(
        "/",
        folders[0],
        "/",
        folders[1],
        "/",
        folders[2],
        "/file-",
        texts.numbers(max(rows // 50, 1), rows),
        ".",
        texts.of(SUFFIXES, rows),
    )
    line = joined(
        "[",
        level,
        "] ",
        service,
        " ",
        texts.of(VERBS, rows),
        " ",
        path,
        " in ",
        texts.numbers(5000, rows),
        " ms; request=",
        texts.numbers(1 << 40, rows),
    )
    moments = numpy.datetime64("2026-01-01", "us") + numpy.sort(
        texts.random.integers(0, 90 * 86_400_000_000, rows)
    ).astype("timedelta64[us]")
    return pyarrow.table(
        {
            "id": pyarrow.array(numpy.arange(rows)),
            "at": pyarrow.array(moments),
            "level": level,
            "service": service,
            "line": line,
            "email": texts.with_nulls(texts.emptied(texts.of(users, rows, True), 0.02), 0.1),
            "path": path,
            "status": pyarrow.array(
                texts.random.choice([200, 204, 301, 404, 500], rows), pyarrow.int32()
            ),
            "bytes": pyarrow.array(texts.random.integers(0, 1 << 20, rows)),
        }
    )


def products(rows, seed):
    texts = Texts(seed)
    words = [word for of_script in WORDS.values() for word in of_script]
    name = joined(texts.of(words, rows), " ", texts.of(words, rows), " ", texts.numbers(rows, rows))
    category = texts.with_nulls(texts.of(CATEGORIES, rows), 0.05)
    tags = joined(
        '{"colour": "',
        texts.of(words, rows),
        '", "size": ',
        texts.numbers(100, rows),
        ', "tags": ["',
        texts.of(words, rows),
        '", "',
        texts.of(CATEGORIES, rows),
        '"]}',
    )
    return pyarrow.table(
        {
            "product": pyarrow.array(numpy.arange(rows)),
            "name": texts.emptied(name, 0.01),
            "category": category,
            "attributes": texts.with_nulls(tags, 0.02),
            "maker": texts.of(FOLDERS, rows),
            "price": pyarrow.array(texts.random.integers(1, 100_000, rows)),
        }
    )


def documents(seed):
    """Few texts, of 0 bytes to 16 MiB."""
    texts = Texts(seed)
    lengths = [0, 1, 7, 8, 9, 4095, 4096, 65_535, 65_536, 1 << 20, 16 << 20]
    bodies = [
        "".join(chr(97 + i % 26) for i in range(min(n, 4096))) * max(n // 4096, 1) for n in lengths
    ]
    bodies += ["", None, "日本語" * 1000, "a" * 12, "a" * 13, "\t\n\"quoted\", 'and' \\ escaped"]
    bodies += [f"short text {i}" for i in texts.random.integers(0, 500, 2000)]
    return pyarrow.table({"document": numpy.arange(len(bodies)), "body": bodies})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of logs")
    parser.add_argument("--seed", type=int, default=52)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    tables = {
        "logs": logs(arguments.rows, arguments.seed),
        "products": products(max(arguments.rows // 20, 1), arguments.seed + 1),
        "documents": documents(arguments.seed + 2),
    }
    for name, table in tables.items():
        # Dictionaries where they fit, plain pages behind them: both forms in one column.
        parquet.write_table(table, arguments.folder / f"{name}.parquet", row_group_size=1 << 18)
    for statement in pathlib.Path(__file__).parent.glob("*.sql"):
        shutil.copy(statement, arguments.folder / statement.name)


if __name__ == "__main__":
    main()
