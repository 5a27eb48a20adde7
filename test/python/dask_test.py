"""penstock.dask: answers over partitions are one machine's, whichever scheduler runs the tasks."""

import unittest

import driver

try:
    import dask
    import numpy
    import pyarrow
    import sqlglot  # noqa: F401

    import penstock
    import penstock.dask
except ImportError as error:
    driver.skip_all(error)
try:
    import dask.dataframe as dataframe
except ImportError:
    dataframe = None

import stages_data as data

RANDOM = numpy.random.default_rng(20_260_103)
TABLES = {"t": data.facts(RANDOM), "u": data.towns(RANDOM)}
THREADS = {"scheduler": "threads", "num_workers": 4}


def partitions_of(table, count):
    return [dask.delayed(piece) for piece in data.blocks_of(table, count, RANDOM)]


def rows_in(parts, **options):
    return pyarrow.concat_tables(dask.compute(*parts, **options))


class Answers(unittest.TestCase):
    def compare(self, sql, tables, limits, options=THREADS):
        actual = rows_in(penstock.dask.sql(sql, tables, **limits, **options), **options)
        expected = penstock.query(sql, TABLES)
        in_order = "ORDER BY" in sql.split(")")[-1]
        self.assertEqual(data.types_of(actual), data.types_of(expected), sql)
        self.assertEqual(data.rows_of(actual, in_order), data.rows_of(expected, in_order), sql)

    def test_of_every_form_are_those_of_one_machine(self):
        tables = {name: partitions_of(table, 4) for name, table in TABLES.items()}
        for sql in data.GROUPS[::3] + data.ROWS_OF_ONE[::3] + data.JOINS[::3]:
            with self.subTest(sql=sql):
                self.compare(sql, tables, {"broadcast_limit_bytes": 0, "partitions": 3})

    def test_with_small_tables_sent_to_all_tasks(self):
        tables = {"t": partitions_of(TABLES["t"], 4), "u": TABLES["u"]}
        for sql in data.JOINS[::4]:
            with self.subTest(sql=sql):
                self.compare(sql, tables, {})

    def test_of_processes_that_have_their_own_device(self):
        sql = "SELECT g, avg(d) AS a, count(DISTINCT k) AS n FROM t GROUP BY g"
        options = {"scheduler": "processes", "num_workers": 2}
        tables = {"t": partitions_of(TABLES["t"], 3)}
        self.compare(sql, tables, {"broadcast_limit_bytes": 0, "partitions": 2}, options)

    def test_of_partitions_that_are_arrow_tables(self):
        pieces = data.blocks_of(TABLES["t"], 3, RANDOM)
        self.compare("SELECT s, max(x) AS m FROM t GROUP BY s", {"t": pieces}, {})

    def test_of_an_unnamed_table(self):
        pieces = partitions_of(TABLES["t"], 3)
        self.compare("SELECT count(*) AS n FROM t WHERE k < 9", pieces, {})

    @unittest.skipUnless(dataframe, "there is no dask.dataframe")
    def test_of_a_frame_are_a_frame(self):
        table = TABLES["t"].select(["k", "x"])
        frame = dataframe.from_pandas(table.to_pandas(), npartitions=3)
        sql = "SELECT k % 4 AS m, sum(x) AS y FROM t GROUP BY 1 ORDER BY 1"
        found = penstock.dask.sql(sql, frame, scheduler="threads").compute(scheduler="threads")
        expected = penstock.query(sql, {"t": table})
        self.assertEqual(found["m"].tolist(), expected["m"].to_pylist())
        numpy.testing.assert_allclose(found["y"].tolist(), expected["y"].to_pylist(), rtol=1e-12)


if __name__ == "__main__":
    driver.main()
