"""The differences from DuckDB's readers of text that are meant to be. Each is a sentence of docs/sql.md."""

import dataclasses
import pathlib
import re

from reader_comparison import FAILING, Verdict

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/sql.md"


@dataclasses.dataclass
class Agreed:
    kind: str  # of reader_comparison's CLASSES
    detail: str  # a pattern of what differs
    content: bytes  # a pattern of the file that has the difference
    sentence: str  # words of docs/sql.md


AGREED = [
    Agreed(
        "only we read it",
        "automatically detect the CSV parsing dialect",
        rb"\r\n(?s:.*)(?<!\r)\n|(?<!\r)\n(?s:.*)\r\n",
        "DuckDB refuses the mixture",
    ),
    Agreed("only we read it", "unterminated quote", rb'""\s*$', "A quote too many in a CSV"),
    Agreed("other names", "", rb"[\"'] [\"']", "A blank is no delimiter that is found"),
    Agreed("other rows", "", rb"[\"'] [\"']", "A blank is no delimiter that is found"),
    Agreed("other types", "DATE, DuckDB's VARCHAR", rb"\d/\d+/\d", "its own format of dates"),
    Agreed("only we read it", "to 'DOUBLE'", rb"\d'\d\d\d", "A number with apostrophes in quotes"),
    Agreed(
        "other types",
        "(VARCHAR|TIMESTAMP), DuckDB's (DATE|TIMESTAMP)",
        rb"infinity|epoch",
        "DuckDB reads it as 1900-01-01",
    ),
    Agreed("only we read it", "Schema mismatch", b"", "Columns are matched by name"),
    Agreed("only we read it", "Table with name", b"", "A folder's name alone is all files below"),
    Agreed("other rows", "6 rows, DuckDB has 7", b"", "A pattern leaves out hidden files"),
    Agreed("other types", "BIGINT, DuckDB's VARCHAR", rb"^read_csv", "Columns are matched by name"),
    Agreed("other types", "BIGINT, DuckDB's HUGEINT", rb"[{\[]", "64 bits hold is BIGINT"),
    Agreed(
        "other types", r'VARCHAR\S*, DuckDB\'s .*(JSON|"NULL")', b"", "DuckDB has NULL and JSON"
    ),
    Agreed(
        "other rows", r"\d+, DuckDB has \d+", rb'\{[^}]*"\d+-\d+-\d+"', "by the format of the value"
    ),
]


def judge(file, verdict):
    """A verdict with the sentence of an agreed difference as its kind, or the verdict itself."""
    if verdict.kind not in FAILING:
        return verdict
    for agreed in AGREED:
        if (
            verdict.kind == agreed.kind
            and re.search(agreed.detail, verdict.detail)
            and re.search(agreed.content, file.content)
        ):
            return Verdict(agreed.sentence)
    return verdict


def check_document():
    """Every agreed difference is told to users."""
    text = " ".join(DOCUMENT.read_text().split())
    missing = [agreed.sentence for agreed in AGREED if agreed.sentence not in text]
    assert not missing, f"docs/sql.md does not say: {missing}"
