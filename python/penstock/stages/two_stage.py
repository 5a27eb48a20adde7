"""A statement over all batches of a table as two: of each batch, and of what they yield."""

import dataclasses

import pyarrow
from sqlglot import exp

from penstock.session import session_of
from penstock.stages import planner, work
from penstock.stages import statement as st
from penstock.stages.errors import unsupported
from penstock.stages.executor import Executor
from penstock.tables import without_dictionaries


@dataclasses.dataclass(frozen=True)
class TwoStages:
    """`partial` reads the table by its own name, and `final` reads a table `partial`."""

    partial: str
    final: str
    table_name: str
    schema: object  # the names and types of the answer

    def answer(self, partials, device=""):
        """Merges the tables that `partial` yielded of all batches, and returns a pyarrow Table."""
        tables = [without_dictionaries(work.as_table(table)) for table in partials]
        rows = session_of(device).query(self.final, {"partial": pyarrow.concat_tables(tables)})
        return rows.rename_columns(self.schema.names).cast(self.schema)


def two_stage(statement, schema, device=""):
    """Returns the TwoStages of a SELECT over one table, of which `schema` has the columns."""
    names = st.table_names(st.parse(statement))
    if len(names) != 1:
        raise unsupported("a statement of several tables in two stages", "join them in a batch")
    name = names.pop()
    executor = Executor(device)
    # Two parts without rows: what is merged is merged by one worker.
    empty = without_dictionaries(schema.empty_table())
    relation = planner.source_relation(empty.schema, [empty, empty])
    plan = planner.Planner(executor, {name: relation})
    answer = plan.answer(statement)
    trees = plan.runner.statements
    if len(trees) == 1:
        columns = [st.quoted(column.alias_or_name) for column in trees[0].selects]
        trees = [trees[0], exp.select(*[exp.column(c) for c in columns]).from_("partial")]
    if len(trees) != 2:
        raise unsupported(
            "a statement of more than two stages", "use penstock.ray or penstock.dask"
        )
    partial, final = (_renamed(tree, table) for tree, table in zip(trees, (name, "partial")))
    return TwoStages(partial, final, name, answer.schema)


def _renamed(tree, name):
    tree = tree.copy()
    for table in tree.find_all(exp.Table):
        table.set("this", st.quoted(name))
    return st.text(tree)
