"""BatchWorker as Dask, Ray Data and processes call it: batches in, batches out, partial sums."""

import concurrent.futures
import multiprocessing
import pickle
import unittest

import driver

try:
    import duckdb
    import pyarrow

    import penstock
    from penstock.worker import _as_batch
except ImportError as error:
    driver.skip_all(error)

try:
    import dask
except ImportError:
    dask = None
try:
    import ray.data
except ImportError:
    ray = None

SALES = pyarrow.table(
    {
        "shop": pyarrow.array(["a", "b", "c", "a", None] * 400),
        "price": pyarrow.array([1.5, 2.5, None, 0.25, 8.0] * 400),
    }
)
BATCHES = SALES.to_batches(max_chunksize=300)
# A batch's share of an average; the final statement adds up shares.
PARTIAL = "SELECT shop, sum(price) AS price_sum, count(price) AS prices FROM batch GROUP BY shop"
FINAL = (
    "SELECT shop, sum(price_sum) / sum(prices) AS mean FROM partial"
    " GROUP BY shop ORDER BY shop NULLS LAST"
)


def duckdb_means():
    sales = SALES  # noqa: F841: DuckDB finds it by its name
    return duckdb.sql(
        "SELECT shop, avg(price) AS mean FROM sales GROUP BY shop ORDER BY shop NULLS LAST"
    ).to_arrow_table()


def means_of(partials):
    partial = pyarrow.concat_tables(
        pyarrow.Table.from_batches([p]) if isinstance(p, pyarrow.RecordBatch) else p
        for p in partials
    )
    return penstock.query(FINAL, {"partial": partial})


class Worker(unittest.TestCase):
    def test_a_batch_stays_a_batch_and_a_table_a_table(self):
        worker = penstock.BatchWorker("SELECT price FROM batch WHERE price > 2", "batch")
        self.assertIsInstance(worker(BATCHES[0]), pyarrow.RecordBatch)
        self.assertIsInstance(worker(SALES), pyarrow.Table)
        self.assertEqual(worker(SALES)["price"].to_pylist(), [2.5, 8.0] * 400)

    def test_a_batch_without_rows_keeps_its_columns(self):
        worker = penstock.BatchWorker("SELECT price FROM batch WHERE price > 99", "batch")
        rows = worker(BATCHES[0])
        self.assertEqual((rows.num_rows, rows.schema.names), (0, ["price"]))

    def test_the_second_batch_compiles_nothing(self):
        worker = penstock.BatchWorker("SELECT price * 3 AS p FROM batch", "batch")
        worker(BATCHES[0])
        worker(BATCHES[1])
        from penstock.session import session_of

        self.assertEqual(session_of("").report.kernels_compiled, 0)

    def test_it_is_pickled_by_its_arguments(self):
        shops = pyarrow.table({"shop": ["a"], "town": ["Bern"]})
        sql = "SELECT town, price FROM batch JOIN shops ON batch.shop = shops.shop"
        worker = penstock.BatchWorker(sql, "batch", tables={"shops": shops})
        expected = worker(SALES)
        again = pickle.loads(pickle.dumps(worker))
        self.assertEqual(again(SALES), expected)
        self.assertEqual(expected.num_rows, 800)

    def test_every_batch_sees_the_rows_of_a_reader(self):
        shops = pyarrow.table({"shop": ["a"], "town": ["Bern"]})
        sql = "SELECT town, price FROM batch JOIN shops ON batch.shop = shops.shop"
        worker = penstock.BatchWorker(sql, "batch", tables={"shops": shops.to_reader()})
        self.assertEqual([worker(SALES).num_rows for _ in range(2)], [800, 800])

    def test_partial_aggregates_add_up_to_duckdbs(self):
        worker = penstock.BatchWorker(PARTIAL, "batch")
        self.assertEqual(
            means_of(worker(b) for b in BATCHES).to_pylist(), duckdb_means().to_pylist()
        )

    def test_processes_each_open_their_own_device(self):
        worker = penstock.BatchWorker(PARTIAL, "batch")
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            partials = list(pool.map(worker, BATCHES))
        self.assertEqual(means_of(partials).to_pylist(), duckdb_means().to_pylist())


class LongTable:
    """Stands for texts beyond 2 GiB, which Arrow leaves in chunks."""

    num_rows = 2

    def combine_chunks(self):
        return pyarrow.table({"x": pyarrow.chunked_array([["a"], ["b"]])})


class Batches(unittest.TestCase):
    def test_no_chunk_of_a_long_table_is_left_out(self):
        with self.assertRaises(penstock.PenstockError) as caught:
            _as_batch(LongTable())
        self.assertEqual(caught.exception.code, "overflow")


@unittest.skipUnless(dask, "there is no dask")
class Dask(unittest.TestCase):
    def test_delayed_batches_add_up_to_duckdbs(self):
        worker = dask.delayed(penstock.BatchWorker(PARTIAL, "batch"), pure=True)
        partials = dask.compute(*[worker(batch) for batch in BATCHES], scheduler="threads")
        self.assertEqual(means_of(partials).to_pylist(), duckdb_means().to_pylist())

    def test_partitions_of_a_frame_are_mapped(self):
        try:
            import dask.dataframe as dataframe
        except ImportError as error:
            self.skipTest(str(error))
        frame = dataframe.from_pandas(SALES.to_pandas(), npartitions=3)
        worker = penstock.BatchWorker("SELECT price FROM batch WHERE price > 2", "batch")
        meta = SALES.select(["price"]).slice(0, 0).to_pandas()
        rows = frame.map_partitions(worker, meta=meta).compute(scheduler="threads")
        self.assertEqual(rows["price"].tolist(), [2.5, 8.0] * 400)


@unittest.skipUnless(ray, "there is no ray")
class Ray(unittest.TestCase):
    def test_mapped_batches_add_up_to_duckdbs(self):
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
        self.addCleanup(ray.shutdown)
        worker = penstock.BatchWorker(PARTIAL, "batch")
        mapped = (
            ray.data.from_arrow(SALES).repartition(4).map_batches(worker, batch_format="pyarrow")
        )
        partials = ray.get(mapped.to_arrow_refs())
        self.assertEqual(means_of(partials).to_pylist(), duckdb_means().to_pylist())


if __name__ == "__main__":
    driver.main()
