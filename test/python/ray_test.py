"""penstock.ray on a local cluster of four workers: answers are one machine's, and DuckDB's.

PENSTOCK_TPCH_SCALE=1 asks TPC-H at scale 1; by default it is 0.1.
"""

import logging
import os
import tempfile
import unittest

import driver

try:
    import duckdb
    import numpy
    import pyarrow
    import pyarrow.parquet
    import ray
    import ray.data
    import sqlglot  # noqa: F401

    import penstock
    import penstock.ray
except ImportError as error:
    driver.skip_all(error)

import stages_data as data
import tpch_data as tpch

WORKERS = 4
SCALE = os.environ.get("PENSTOCK_TPCH_SCALE", "0.1")
RANDOM = numpy.random.default_rng(20_260_102)
TABLES = {"t": data.facts(RANDOM), "u": data.towns(RANDOM)}


def setUpModule():
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    logging.getLogger("ray.data").setLevel("ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    # A session for all tests: workers start once.
    global EXCHANGING
    EXCHANGING = penstock.ray.Session("cpu", broadcast_limit_bytes=0, partitions=3)
    unittest.addModuleCleanup(ray.shutdown)
    unittest.addModuleCleanup(EXCHANGING.close)


def dataset_of(table, blocks):
    pieces = data.blocks_of(table, blocks, RANDOM)
    return ray.data.from_arrow_refs([ray.put(piece) for piece in pieces])


def rows_in(dataset):
    return pyarrow.concat_tables(ray.get(dataset.to_arrow_refs()))


class Case(unittest.TestCase):
    def assert_same(self, actual, expected, sql):
        in_order = "ORDER BY" in sql.split(")")[-1]
        self.assertEqual(data.types_of(actual), data.types_of(expected), sql)
        self.assertEqual(data.rows_of(actual, in_order), data.rows_of(expected, in_order), sql)

    def compare(self, sql, datasets, tables=TABLES, session=None):
        expected = penstock.query(sql, tables)
        self.assert_same(rows_in((session or EXCHANGING).sql(sql, datasets)), expected, sql)


class Answers(Case):
    """A statement of each form; stages_test.py has them all, in one process."""

    def test_of_every_form_are_those_of_one_machine(self):
        datasets = {name: dataset_of(table, 5) for name, table in TABLES.items()}
        for sql in data.GROUPS[1::7] + data.ROWS_OF_ONE[0::7] + data.JOINS[1::5]:
            with self.subTest(sql=sql):
                self.compare(sql, datasets)

    def test_do_not_depend_on_how_rows_lie_in_blocks(self):
        few = {"t": TABLES["t"].slice(0, 3), "u": TABLES["u"]}
        sql = """SELECT t.g, count(*) AS n, sum(u.size) AS s, avg(t.d) AS a FROM t
                 LEFT JOIN u ON t.k = u.k GROUP BY t.g"""
        for tables, blocks in ((TABLES, 1), (TABLES, 9), (few, 1), (few, 8)):
            with self.subTest(blocks=blocks):
                datasets = {name: dataset_of(table, blocks) for name, table in tables.items()}
                self.compare(sql, datasets, tables)

    def test_of_more_partitions_than_rows(self):
        few = {"t": TABLES["t"].slice(0, 3)}
        sql = "SELECT DISTINCT k, count(*) OVER (PARTITION BY k) AS n FROM t"
        with penstock.ray.Session("cpu", 2, broadcast_limit_bytes=0, partitions=9) as session:
            self.compare(sql, {"t": dataset_of(few["t"], 2)}, few, session)

    def test_of_a_dataset_without_rows(self):
        none = {"t": TABLES["t"].slice(0, 0)}
        for sql in (
            "SELECT count(*), sum(k), max(s) FROM t",
            "SELECT g, sum(d) FROM t GROUP BY g",
            "SELECT x * 2 AS y FROM t WHERE k > 3",
        ):
            with self.subTest(sql=sql):
                self.compare(sql, dataset_of(none["t"], 3), none)

    def test_of_pandas_blocks(self):
        table = TABLES["t"].select(["k", "x", "b"]).slice(0, 200)
        frames = [piece.to_pandas() for piece in data.blocks_of(table, 3, RANDOM)]
        frames = [frame for frame in frames if len(frame)]
        sql = "SELECT k % 3 AS m, sum(x) AS s FROM t GROUP BY 1"
        self.compare(sql, ray.data.from_pandas(frames), {"t": table})

    def test_rows_stay_a_dataset_that_is_computed_as_it_is_read(self):
        found = EXCHANGING.sql("SELECT x FROM t WHERE k < 9", dataset_of(TABLES["t"], 4))
        self.assertNotIsInstance(found, ray.data.dataset.MaterializedDataset)
        expected = penstock.query("SELECT x FROM t WHERE k < 9", TABLES)
        self.assertEqual(found.count(), expected.num_rows)


class Workers(Case):
    def test_keep_tables_between_statements(self):
        sql = "SELECT u.s, sum(t.x) AS y FROM t JOIN u ON t.k = u.k GROUP BY u.s"
        with penstock.ray.Session("cpu", 2, tables={"u": TABLES["u"]}) as session:
            for _ in range(2):
                self.compare(sql, {"t": dataset_of(TABLES["t"], 3)}, session=session)

    def test_get_arrow_tables_beside_datasets(self):
        sql = "SELECT count(*) AS n FROM t JOIN u ON t.k = u.k"
        self.compare(sql, {"t": dataset_of(TABLES["t"], 3), "u": TABLES["u"]})

    def test_raise_the_errors_of_one_machine(self):
        dataset = dataset_of(TABLES["t"], 3)
        for sql in ("SELECT nothing FROM t", "SELECT CAST(s AS INTEGER) FROM t ORDER BY 1"):
            with self.assertRaises(penstock.PenstockError) as raised:
                rows_in(EXCHANGING.sql(sql, dataset))
            self.assertEqual(raised.exception.code, "invalid")

    def test_are_not_started_for_a_statement_without_its_table(self):
        with self.assertRaisesRegex(penstock.PenstockError, "no table v"):
            EXCHANGING.sql("SELECT * FROM v", {"t": dataset_of(TABLES["t"], 1)})

    def test_end_with_the_call_of_sql(self):
        found = penstock.ray.sql(
            "SELECT s, count(*) AS n FROM t GROUP BY s",
            dataset_of(TABLES["t"], 3),
            device="cpu",
            actors=2,
        )
        expected = penstock.query("SELECT s, count(*) AS n FROM t GROUP BY s", TABLES)
        self.assert_same(rows_in(found), expected, "")


@unittest.skipUnless(tpch.generator(), "there is no tpchgen-cli")
class TpcH(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.paths = tpch.write(folder.name, SCALE)
        cls.tables = {name: pyarrow.parquet.read_table(path) for name, path in cls.paths.items()}
        cls.duckdb = duckdb.connect()
        for name, table in cls.tables.items():
            cls.duckdb.register(name, table)

    def compare_all(self, session, numbers, datasets):
        for number in numbers:
            sql = tpch.QUERIES[number]
            with self.subTest(query=number):
                actual = rows_in(session.sql(sql, datasets))
                expected = penstock.query(sql, self.tables, device="cpu")
                self.assertEqual(data.types_of(actual), data.types_of(expected))
                self.assertEqual(actual.to_pylist(), expected.to_pylist())
                self.assert_same(actual, self.duckdb.sql(sql).to_arrow_table(), sql)

    def test_of_files_is_one_machines_and_duckdbs(self):
        with penstock.ray.Session("cpu", WORKERS) as session:
            files = {"lineitem": ray.data.read_parquet(self.paths["lineitem"])}
            self.compare_all(session, (1, 6), files)

    def test_with_small_tables_on_every_worker_is_one_machines_and_duckdbs(self):
        datasets = {n: dataset_of(self.tables[n], 4) for n in ("orders", "lineitem")}
        small = {n: table for n, table in self.tables.items() if n not in datasets}
        with penstock.ray.Session("cpu", WORKERS, tables=small) as session:
            self.compare_all(session, tpch.QUERIES, datasets)

    def test_with_all_rows_exchanged_is_one_machines_and_duckdbs(self):
        datasets = {name: dataset_of(table, 4) for name, table in self.tables.items()}
        self.compare_all(EXCHANGING, (3, 5, 12), datasets)


if __name__ == "__main__":
    driver.main()
