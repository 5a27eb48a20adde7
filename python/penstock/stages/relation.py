"""Rows that are shared by workers, and SELECTs over them that have not run."""

import dataclasses
import re

from sqlglot import exp

from penstock.stages import statement as st
from penstock.stages.errors import unsupported

# Arrow has these types, so that the next statement reads a column as the last one wrote it.
CARRIED = re.compile(
    r"(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|VARCHAR|BLOB|DATE|TIME"
    r"|TIMESTAMP|TIMESTAMP WITH TIME ZONE|INTERVAL|.*\[\d*\]|STRUCT\(.*\)|MAP\(.*\))$"
)


def _read_back(name, table, type_):
    """Returns a column as the statement that made it knew it: Arrow has no HUGEINT, say."""
    found = st.column(table, name)
    if type_ is None or (CARRIED.match(type_) and "HUGEINT" not in type_):
        return found
    if re.fullmatch(r"U?HUGEINT|UUID", type_):
        return exp.cast(found, type_, dialect=st.DIALECT)
    raise unsupported(f"a column of the type {type_} between stages", "cast it")


@dataclasses.dataclass
class Relation:
    """A table: parts of workers, or a dataset whose blocks are read as a statement asks for them."""

    names: list  # as statements have them, in lower case
    columns: list  # as Arrow has them
    types: list  # SQL types of columns, or None where Arrow's are meant
    schema: object
    parts: list = None
    source: object = None
    resident: str = ""  # the name under which all workers have all rows
    key: str = ""  # under which workers keep a resident table from statement to statement
    stream: object = None  # a result that is computed as it is read

    @property
    def bytes(self):
        return sum(part.bytes for part in self.parts)

    @property
    def rows(self):
        return sum(part.rows for part in self.parts)

    def references(self, alias):
        """Returns columns by what statements call them: {alias.name: the column to read}."""
        return {
            st.column(alias, name): _read_back(column, alias, type_)
            for name, column, type_ in zip(self.names, self.columns, self.types)
        }


@dataclasses.dataclass
class Stage:
    """FROM and WHERE over shares of rows: what each worker will compute of its own.

    Expressions are written as the statement has them; `expressed` puts columns of the stage's
    tables in their place.
    """

    inputs: dict = dataclasses.field(default_factory=dict)  # Relations by name: shared alike
    tables: list = dataclasses.field(default_factory=list)  # FROM: (name, alias, kind, ON)
    references: dict = dataclasses.field(default_factory=dict)  # expressions to expressions
    where: list = dataclasses.field(default_factory=list)  # expressed
    group: list = None  # expressed keys; None without aggregates
    having: object = None  # expressed
    derived: object = None  # columns beside those of the only table, for derived tables
    # Where equal rows meet: for each key the expressions (of the statement) that are equal to it,
    # its kind, and the number of partitions.
    placed: tuple = ()

    @property
    def aliases(self):
        return {reference.table for reference in self.references if _is_column(reference)}

    @property
    def relation(self):
        """The only shared table, or None."""
        return next(iter(self.inputs.values())) if len(self.inputs) == 1 else None

    @property
    def is_plain(self):
        """Whether the stage is the rows of a table as they are."""
        relation = self.relation
        is_one = len(self.tables) == 1 and relation is not None and relation.parts is not None
        return is_one and not self.where and self.group is None and self.derived is None

    @property
    def share_count(self):
        """The number of shares, or None before a dataset is read."""
        if not self.inputs:
            return 1
        parts = next(iter(self.inputs.values())).parts
        return None if parts is None else len(parts)

    def expressed(self, expression):
        found = st.substituted(expression, self.references)
        own = {alias for _, alias, _, _ in self.tables}
        for node in st.walk(found):
            if isinstance(node, exp.Column) and node.table not in own:
                raise unsupported(
                    f"{st.text(expression)} beside groups", "write it by the keys and aggregates"
                )
        return found

    def meets(self, keys):
        """Whether rows with equal keys are in one share."""
        if self.share_count == 1:
            return True
        if not self.placed:
            return False
        return all(any(key in equals for key in keys) for equals in self.placed[0])

    def select(self, outputs, distinct=False):
        """Returns a SELECT of [(expressed, name)]."""
        tree = exp.Select(
            expressions=[
                exp.alias_(value.copy(), st.quoted(name), copy=False) for value, name in outputs
            ]
        )
        name, alias, _, _ = self.tables[0]
        tree = tree.from_(self._first(name, alias), copy=False)
        for name, alias, kind, on in self.tables[1:]:
            tree.append("joins", _join(_table(name, alias), kind, on))
        if self.where:
            tree = tree.where(*self.where, dialect=st.DIALECT, copy=False)
        if self.group:
            tree = tree.group_by(*[key.copy() for key in self.group], copy=False)
        if self.having is not None:
            tree = tree.having(self.having.copy(), copy=False)
        return tree.distinct(copy=False) if distinct else tree

    def _first(self, name, alias):
        if self.derived is None:
            return _table(name, alias)
        inner = exp.select(exp.Star(), *self.derived).from_(_table(name, alias))
        return exp.Subquery(this=inner, alias=exp.TableAlias(this=st.quoted(alias)))


def _is_column(node):
    return isinstance(node, exp.Column)


def _table(name, alias):
    table = exp.Table(this=st.quoted(name))
    return exp.alias_(table, alias, table=True, quoted=True)


def _join(table, kind, on):
    if kind == ",":
        return exp.Join(this=table)
    side = kind if kind in ("LEFT", "RIGHT", "FULL") else None
    word = "CROSS" if on is None and side is None else None
    return exp.Join(this=table, side=side, kind=word, on=on.copy() if on is not None else None)
