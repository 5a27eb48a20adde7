"""Statements over shared rows, in one process: names, types and rows are those of one machine."""

import decimal
import unittest

import driver

try:
    import numpy
    import penstock
    import pyarrow
    import sqlglot  # noqa: F401
    from penstock.stages import hashing
    from penstock.stages import planner as stages
    from penstock.stages.executor import Executor
    from penstock.stages.runner import Limits
    from penstock.stages.two_stage import two_stage
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


class Refusals(unittest.TestCase):
    """A statement that is not split is refused by name, with what to write instead."""

    def refused(self, sql, message, limits=None, code="unsupported"):
        with self.assertRaisesRegex(penstock.PenstockError, message) as raised:
            shared_answer(sql, limits or Limits(broadcast=0, partitions=2))
        self.assertEqual(raised.exception.code, code)

    def test_name_what_is_not_split(self):
        for sql, message in {
            "SELECT g, sum(k) FROM t GROUP BY ROLLUP (g)": "ROLLUP.*UNION ALL",
            "SELECT sum(k), 5 FROM t GROUP BY ALL": "GROUP BY of constants alone",
            "SELECT DISTINCT ON (g) g, x FROM t ORDER BY g": "DISTINCT ON.*row_number",
            "SELECT k FROM t UNION SELECT k FROM u LIMIT 1 + 1": "LIMIT that is no number",
            "SELECT count(*) FROM t JOIN u ON t.x < u.size": "without an equality",
            "SELECT count(*) FROM t FULL JOIN u ON t.x < u.size": "without an equality in ON",
        }.items():
            with self.subTest(sql=sql):
                self.refused(sql, message)

    def test_rows_that_one_place_shall_hold_have_a_limit(self):
        limits = Limits(broadcast=0, partitions=2, gather=1000)
        for sql, message in {
            "SELECT x FROM t ORDER BY x": "ORDER BY without LIMIT.*gather_limit_bytes.*sort",
            "SELECT x, rank() OVER (ORDER BY x) FROM t": "PARTITION BY in common",
        }.items():
            with self.subTest(sql=sql):
                self.refused(sql, message, limits)

    def test_keys_of_types_that_are_equal_in_no_way_are_refused(self):
        tables = {"t": TABLES["t"], "u": pyarrow.table({"f": pyarrow.array([1.5], "float")})}
        with self.assertRaisesRegex(penstock.PenstockError, "cast one to the other's type"):
            shared_answer("SELECT count(*) FROM t JOIN u ON t.d = u.f", Limits(broadcast=0), tables)

    def test_errors_of_one_machine_come_first(self):
        self.refused("SELECT nothing FROM t GROUP BY ROLLUP (g)", "nothing", code="invalid")
        self.refused("SELECT x FROM nowhere", "no table nowhere", code="invalid")


class Hashes(unittest.TestCase):
    """Equal keys meet in one partition, whatever their Arrow types; others are spread."""

    def partitions(self, values, type_, kind):
        table = pyarrow.table({"k": pyarrow.array(values, type_)})
        return hashing.partition_numbers(table, [("k", kind)], 1 << 20).tolist()

    def same(self, kind, *arrays):
        found = [self.partitions(values, type_, kind) for values, type_ in arrays]
        for other in found[1:]:
            self.assertEqual(found[0], other)

    def test_of_whole_numbers_do_not_depend_on_their_width(self):
        values = [0, 1, -1, 127, -128, None]
        types = (pyarrow.int8(), pyarrow.int32(), pyarrow.int64(), pyarrow.decimal128(38, 0))
        self.same("exact:0", *[(values, type_) for type_ in types])
        self.same("exact:0", ([1, None], pyarrow.uint64()), ([1, None], pyarrow.int16()))

    def test_of_decimals_do_not_depend_on_their_scale(self):
        values = [decimal.Decimal(text) for text in ("0", "1.5", "-99999.5", "3")]
        self.same(
            "exact:4",
            (values, pyarrow.decimal128(7, 1)),
            (values, pyarrow.decimal128(30, 4)),
        )

    def test_of_zeros_and_of_nans_are_equal(self):
        found = self.partitions([0.0, -0.0, float("nan"), -float("nan")], None, "float")
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[2], found[3])
        self.assertNotEqual(found[0], found[2])

    def test_of_strings_do_not_depend_on_where_they_lie(self):
        values = ["", None, "a", "ab", "ba", "\0", "\0\0", "Zürich"] * 3
        whole = self.partitions(values, None, "text")
        table = pyarrow.table({"k": pyarrow.array(["x", *values])}).slice(1)
        self.assertEqual(hashing.partition_numbers(table, [("k", "text")], 1 << 20).tolist(), whole)
        self.assertEqual(len(set(whole)), 8)

    def test_spread_keys_evenly(self):
        counts = numpy.bincount(self.partitions(range(80_000), None, "exact:0"), minlength=1 << 20)
        shares = counts.reshape(8, -1).sum(axis=1)
        self.assertLess(shares.max() / shares.min(), 1.1)


class TwoStages(unittest.TestCase):
    """two_stage() writes a batch's statement and the last one."""

    def test_merged_answers_are_those_of_all_rows(self):
        batches = data.blocks_of(TABLES["t"], 6, RANDOM)
        for sql in (
            "SELECT g, avg(d) AS a, count(*), sum(k) // 3 FROM t GROUP BY g HAVING count(*) > 2",
            "SELECT count(DISTINCT k) AS n, max(s) FROM t WHERE x > 50",
            "SELECT k, x FROM t ORDER BY x DESC LIMIT 4",
            "SELECT x FROM t WHERE k = 3",
        ):
            with self.subTest(sql=sql):
                stages_of = two_stage(sql, TABLES["t"].schema)
                worker = penstock.BatchWorker(stages_of.partial, stages_of.table_name)
                actual = stages_of.answer(worker(batch) for batch in batches)
                expected = penstock.query(sql, TABLES)
                self.assertEqual(data.types_of(actual), data.types_of(expected))
                self.assertEqual(data.rows_of(actual), data.rows_of(expected))

    def test_a_statement_of_more_stages_is_refused(self):
        for sql in (
            "SELECT a.k FROM t a JOIN u b ON a.k = b.k",
            "SELECT g, rank() OVER (ORDER BY sum(k)) FROM t GROUP BY g",
        ):
            with self.assertRaises(penstock.PenstockError) as raised:
                two_stage(sql, TABLES["t"].schema)
            self.assertEqual(raised.exception.code, "unsupported")


if __name__ == "__main__":
    driver.main()
