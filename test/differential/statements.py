"""A statement with its expected answer, as it is compared now or recorded for later. Needs Python's own library alone."""

import dataclasses

from answers import Answer, Bound, Column, difference, sorted_rows


@dataclasses.dataclass
class Statement:
    text: str
    expected: Answer
    nodes: list = dataclasses.field(default_factory=list)  # the expressions; what `rebuild` takes
    rebuild: object = None  # a statement of some of the expressions
    bounds: dict = dataclasses.field(default_factory=dict)
    unsigned_zeros: list = dataclasses.field(default_factory=list)
    sort_keys: int = 0
    batch_rows: int = 0
    cases: int = 1
    table: str = ""

    def record(self):
        answer = (
            {"error": self.expected.error}
            if self.expected.error
            else {"columns": [dataclasses.asdict(column) for column in self.expected.columns]}
        )
        return {
            "text": self.text,
            "cases": self.cases,
            "answer": answer,
            "sort_keys": self.sort_keys,
            "batch_rows": self.batch_rows,
            "bounds": {str(n): dataclasses.asdict(b) for n, b in self.bounds.items()},
            "unsigned_zeros": list(self.unsigned_zeros),
        }

    @staticmethod
    def of_record(record):
        answer = record["answer"]
        expected = (
            Answer(error=answer["error"])
            if "error" in answer
            else Answer([Column(**column) for column in answer["columns"]])
        )
        return Statement(
            record["text"],
            expected,
            bounds={int(n): Bound(**b) for n, b in record["bounds"].items()},
            cases=record["cases"],
            unsigned_zeros=record["unsigned_zeros"],
            sort_keys=record["sort_keys"],
            batch_rows=record["batch_rows"],
        )


def wrong(statement, ours):
    """None where the answer is right; "refused"; or what is wrong."""
    expected = statement.expected
    if ours.error == "crash":
        return "crash: " + ours.message
    if ours.error == "unsupported":
        return "refused"
    if ours.error:
        # A fault of DuckDB's must be one of ours; which of the two codes hangs on the first row that faults.
        return (
            None
            if expected.error and ours.error in ("overflow", "invalid")
            else f"{ours.error}: {ours.message}; DuckDB " + (expected.message or "answers")
        )
    if expected.error:
        return f"answered; DuckDB: {expected.message or 'an error'}"
    if statement.sort_keys:
        ours = sorted_rows(ours, statement.sort_keys)
    return difference(ours, expected, statement.bounds, unsigned_zeros=statement.unsigned_zeros)
