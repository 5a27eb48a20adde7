"""Text files beside DuckDB: the class of each, and the smallest file of each kind of difference.

Nothing may differ silently. A file is read as DuckDB reads it, or it is refused with its name.
"""

import collections
import dataclasses
import pathlib
import re

import answers
from driver import Driver
from oracle import Oracle

# Types that DuckDB finds in files of text, and that queries do not read.
UNREAD_TYPES = re.compile(
    r"TIME$|TIME WITH|TIMESTAMP WITH|TIMESTAMP_NS|HUGEINT|BIGNUM|UUID|JSON|STRUCT|MAP|\[|BLOB|NULL"
)
SILENT = ["other names", "other types", "other rows", "only we read it"]
FAILING = SILENT + ["refused without its name", "crash"]
CLASSES = [
    "equal",
    "equal but for types that are not read",
    "refused by name",
    "both refuse",
] + FAILING


@dataclasses.dataclass
class Verdict:
    kind: str  # of CLASSES
    detail: str = ""
    message: str = ""  # of a refusal

    def signature(self):
        """The difference, without the values that a smaller file would lack."""
        types = re.search(r"type (.*), DuckDB's (.*)", self.detail)
        return (self.kind, types.groups() if types and self.kind == "other types" else ())


def _names_or_types(ours, theirs):
    """A Verdict about the columns, or None where they are the same."""
    names = [[column.name for column in answer.columns] for answer in (ours, theirs)]
    if names[0] != names[1]:
        return Verdict("other names", f"{names[0]}, DuckDB's {names[1]}")
    for mine, reference in zip(ours.columns, theirs.columns):
        wrong = answers.type_difference(mine.type, reference.type)
        if wrong:
            return Verdict("other types", f"column {mine.name!r}: {wrong}")
    return None


def compare_read(ours, theirs):
    different = _names_or_types(ours, theirs)
    if different:
        return different
    wrong = answers.difference(ours, theirs)
    return Verdict("other rows", wrong) if wrong else Verdict("equal")


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Comparison:
    """`source` names what is behind FROM: a file as 'name', or a call of a function."""

    def __init__(self, program, folder, device=""):
        self.folder = pathlib.Path(folder)
        self.driver, self.oracle = Driver(program, folder, device, 600), Oracle(folder)

    def ask(self, source):
        theirs = self.oracle.answer(f"SELECT * FROM {source}")
        ours = self.driver.answer(f"SELECT * FROM {source}")
        if not ours.error:
            return (
                Verdict("only we read it", theirs.message)
                if theirs.error
                else compare_read(ours, theirs)
            )
        if ours.error in ("crash", "internal"):
            return Verdict("crash", ours.message)
        if not theirs.error and any(UNREAD_TYPES.search(column.type) for column in theirs.columns):
            return self._ask_without_unread(source, theirs, ours)
        return self._refusal(source, ours, bool(theirs.error))

    def ask_statement(self, statement):
        theirs, ours = self.oracle.answer(statement), self.driver.answer(statement)
        if not ours.error and not theirs.error:
            return compare_read(ours, theirs)
        if ours.error in ("crash", "internal"):
            return Verdict("crash", ours.message)
        both = "both refuse" if theirs.error else "refused by name"
        return (
            Verdict(both, "", ours.message)
            if ours.error
            else Verdict("only we read it", theirs.message)
        )

    def _refusal(self, source, ours, both):
        named = (re.search(r"'(.+?)'", source) or [""] * 2)[1]
        pattern = re.escape(named).replace(r"\?", ".").replace(r"\*", ".*")  # one of its files
        if not re.search(pattern, ours.message):
            return Verdict("refused without its name", "", ours.message)
        return Verdict("both refuse" if both else "refused by name", "", ours.message)

    def _ask_without_unread(self, source, theirs, refusal):
        """The columns of other types are read as they would be without those that are refused."""
        read = [column for column in theirs.columns if not UNREAD_TYPES.search(column.type)]
        if not read:
            return self._refusal(source, refusal, False)
        ours = self.driver.answer(
            f"SELECT {', '.join(_quoted(c.name) for c in read)} FROM {source}"
        )
        if ours.error:
            return self._refusal(source, ours, False)
        verdict = compare_read(ours, answers.Answer(read))
        return (
            Verdict("equal but for types that are not read") if verdict.kind == "equal" else verdict
        )

    def reduce(self, name, verdict, tries=400):
        """The smallest content found that still has the verdict's signature: parts are left out, lines first, then bytes."""
        kept = (self.folder / name).read_bytes()
        budget = [tries]
        small = self.folder / ("small" + pathlib.Path(name).suffix)

        def holds(parts):
            budget[0] -= 1
            small.write_bytes(b"".join(parts))
            found = self.ask(f"'{small.name}'")
            return found.signature() == verdict.signature()

        for split in (
            lambda text: text.splitlines(keepends=True),
            lambda text: [bytes([b]) for b in text],
        ):
            kept = b"".join(_leave_out(split(kept), holds, budget))
        small.write_bytes(kept)
        return kept, self.ask(f"'{small.name}'")


def _leave_out(parts, holds, budget):
    """Halves, quarters and so on of the parts are left out while what remains `holds` (delta debugging, Zeller 1999)."""
    width = max(len(parts) // 2, 1)
    while budget[0] > 0:
        place, before = 0, len(parts)
        while place < len(parts) and budget[0] > 0:
            rest = parts[:place] + parts[place + width :]
            if rest and holds(rest):
                parts = rest
            else:
                place += width
        if width == 1 and len(parts) == before:
            break
        width = max(width // 2, 1)
    return parts


class Record:
    """Counts classes, and keeps what fails; prints it as it comes unless files are `reduced` first."""

    def __init__(self, reduced=False):
        self.counts, self.failures = collections.Counter(), []
        self.refusals, self.reduced = collections.Counter(), reduced

    def add(self, name, verdict, description):
        self.counts[verdict.kind] += 1
        if verdict.kind in FAILING:
            self.failures.append((name, verdict, description))
            if not self.reduced:
                text = verdict.detail or verdict.message
                print(
                    f"FAIL: {name} ({description})\n    {verdict.kind}: {text}"[:1000], flush=True
                )
        elif verdict.message:
            self.refusals[_message_without_values(verdict.message)] += 1

    def print_counts(self):
        print(f"{sum(self.counts.values())} tried")
        for kind in CLASSES:
            if self.counts[kind]:
                print(f"  {self.counts[kind]:5} {kind}")
        for kind, count in self.counts.items():
            if kind not in CLASSES:
                print(f"  {count:5} agreed: {kind}")
        for message, count in self.refusals.most_common(12):
            print(f"    {count} refused: {message}")


def _message_without_values(message):
    return re.sub(
        r"\S*\w+\.(csv|json\w*|tsv|txt)", "FILE", re.sub(r"\d+", "N", message.split("\n")[0])
    )[:160]


def report_reduced(record, comparison):
    """Prints the smallest file found of each signature, and how many have it."""
    left = collections.Counter(verdict.signature() for _, verdict, _ in record.failures)
    for name, verdict, description in record.failures:
        if left[verdict.signature()]:
            content, found = comparison.reduce(name, verdict)
            count = left.pop(verdict.signature())
            print(f"{count} files: {verdict.kind}, first {name} ({description})")
            print(f"    {content[:400]!r}\n    {found.detail or found.message}"[:1500], flush=True)
