"""Statements over shared rows, in one process: names, types and rows are those of one machine."""

import unittest

import driver

try:
    import numpy
    import penstock
    import pyarrow
    import sqlglot  # noqa: F401
    from penstock.stages import planner as stages
    from penstock.stages.executor import Executor
    from penstock.stages.runner import Limits
except ImportError as error:
    driver.skip_all(error)

import stages_data as data

RANDOM = numpy.random.default_rng(20_260_101)
TABLES = {"t": data.facts(RANDOM), "u": data.towns(RANDOM)}


def shared_answer(sql, limits, tables=TABLES, blocks=5, small=()):
    """Answers a statement over tables that are cut at random; those in `small` are whole."""
    executor, relations = Executor(), {}
    for name, table in tables.items():
        if name in small:
            relations[name] = stages.resident_relation(executor, name, table)
        else:
            pieces = data.blocks_of(table, blocks, RANDOM)
            relations[name] = stages.source_relation(table.schema, pieces)
    parts = stages.Planner(executor, relations, limits).answer(sql).parts
    return pyarrow.concat_tables([table for part in parts for table in part.handles])


# Every row is sent to its partition; small tables and results go to all; more partitions than rows.
SETTINGS = {
    "all rows are split": dict(limits=Limits(broadcast=0, partitions=4)),
    "small tables are sent": dict(limits=Limits()),
    "u is with all workers": dict(limits=Limits(broadcast=0, partitions=3), small=("u",)),
}


class Statements(unittest.TestCase):
    def compare(self, sql, tables=TABLES, **setting):
        expected = penstock.query(sql, tables)
        actual = shared_answer(sql, tables=tables, **setting)
        self.assertEqual(data.types_of(actual), data.types_of(expected), sql)
        in_order = "ORDER BY" in sql.split(")")[-1]
        self.assertEqual(data.rows_of(actual, in_order), data.rows_of(expected, in_order), sql)

    def compare_all(self, statements):
        for name, setting in SETTINGS.items():
            for sql in statements:
                with self.subTest(setting=name, sql=sql):
                    self.compare(sql, **setting)

    def test_groups(self):
        self.compare_all(data.GROUPS)

    def test_rows_windows_and_sets(self):
        self.compare_all(data.ROWS_OF_ONE)

    def test_joins(self):
        self.compare_all(data.JOINS)


if __name__ == "__main__":
    driver.main()
