"""Pipelines from lambdas: steps beside Polars, and what users may bring."""

import pathlib
import pickle
import random
import tempfile
import threading
import unittest

import driver
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from penstock.pipeline import from_arrow, from_file
from penstock.tracing_functions import function, reduction

try:
    import polars
except ImportError:
    polars = None
try:
    import pandas
except ImportError:
    pandas = None
DEVICE = driver.DEVICE
ROWS = 200


def table():
    made = random.Random(5)

    def column(value, null_share=0.15):
        return [None if made.random() < null_share else value() for _ in range(ROWS)]

    return pa.table(
        {
            "k": [made.randint(0, 3) for _ in range(ROWS)],
            "i": pa.array(column(lambda: made.randint(-50, 50)), pa.int32()),
            "j": column(lambda: made.choice([-7, -3, -2, -1, 1, 2, 3, 5, 11])),
            "p": column(lambda: made.uniform(0.1, 9)),
            "s": column(lambda: made.choice(["", "a", "b", "ab"])),
            "b": column(lambda: made.random() < 0.5),
        }
    )


RIGHT = pa.table({"k": [0, 1, 1, 7, None], "w": [1.5, 2.5, 3.5, 4.5, None], "i": [1, 2, 3, 4, 5]})


def rows_of(frame):
    def shown(value):
        return f"{value:.6g}" if isinstance(value, float) else value

    return [tuple(map(shown, row)) for row in frame.rows()]


@unittest.skipIf(polars is None, "Polars is not installed")
class BesidePolars(unittest.TestCase):
    def setUp(self):
        self.ours, self.right = from_arrow(table()), from_arrow(RIGHT)
        if polars is not None:
            self.theirs, self.their_right = polars.from_arrow(table()), polars.from_arrow(RIGHT)
            self.col = polars.col

    def same(self, pipeline, frame, ordered=True):
        made = pipeline.pl(device=DEVICE)
        self.assertEqual(made.columns, frame.columns)
        ours, theirs = rows_of(made), rows_of(frame)
        if not ordered:
            ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
        self.assertEqual(ours, theirs)

    def test_a_filter_behind_computed_columns_reads_their_values(self):
        ours = self.ours.filter(lambda r: r.j != 0).with_columns(q=lambda r: 100 // r.j)
        theirs = self.theirs.filter(self.col("j") != 0).with_columns(q=100 // self.col("j"))
        self.same(ours.filter(lambda r: r.q > 10), theirs.filter(self.col("q") > 10))

    def test_nulls_and_directions_sort_as_in_polars(self):
        for descending in ([False, False], [True, False], [False, True]):
            for nulls_last in (False, True):
                options = {"descending": descending, "nulls_last": nulls_last}
                ours = self.ours.sort("s", "p", **options).select("s", "p")
                self.same(ours, self.theirs.sort("s", "p", **options).select("s", "p"))

    def test_a_sort_keeps_the_order_of_equal_rows(self):
        ours = self.ours.sort("i").sort("k")
        theirs = self.theirs.sort("i", maintain_order=True).sort("k", maintain_order=True)
        self.same(ours, theirs)
        self.same(self.ours.sort("k"), self.theirs.sort("k", maintain_order=True))

    def test_steps_behind_head_read_the_cut_rows_alone(self):
        ours = self.ours.sort("p").head(50)
        theirs = self.theirs.sort("p", maintain_order=True).head(50)
        above = self.col("k") > 1
        self.same(ours.filter(lambda r: r.k > 1), theirs.filter(above))
        again = theirs.sort("i", maintain_order=True).head(10)
        self.same(ours.sort("i").head(10), again)
        groups = ours.group_by("k").agg(n=("*", "count"))
        self.same(groups, theirs.group_by("k").agg(n=polars.len()).sort("k"))

    def test_slices_of_slices_are_slices(self):
        for cuts in ([(10, 50), (5, 10), (2, None)], [(10, 5), (7, 3)], [(195, None)], [(0, 0)]):
            ours, theirs = self.ours, self.theirs
            for cut in cuts:
                ours, theirs = ours.slice(*cut), theirs.slice(*cut)
            self.same(ours, theirs)

    def test_groups_have_polars_aggregates(self):
        names = {"sum": "i", "count": "i", "max": "s", "min": "p", "mean": "p", "n_unique": "s"}
        names.update(any="b", all="b", null_count="i")
        ours = self.ours.group_by("k").agg({f: (column, f) for f, column in names.items()})
        theirs = [getattr(self.col(column), f)().alias(f) for f, column in names.items()]
        self.same(ours, self.theirs.group_by("k").agg(theirs).sort("k"))

    def test_lambdas_aggregate_expressions_and_chosen_rows(self):
        col = self.col
        ours = self.ours.group_by("k", m=lambda r: r.i % 3).agg(
            t=lambda g: (g.p * g.j).sum(),
            f=lambda g: g.p.filter(g.j > 0).sum(),
            x=lambda g: g.p.max() - g.p.min(),
            n=lambda g: g.len(),
        )
        theirs = self.theirs.group_by("k", (col("i") % 3).alias("m")).agg(
            t=(col("p") * col("j")).sum(),
            f=col("p").filter(col("j") > 0).sum(),
            x=col("p").max() - col("p").min(),
            n=polars.len(),
        )
        # A sum of no values is NULL here, 0 in Polars.
        ours = ours.with_columns(t=lambda r: r.t.fill_null(0.0), f=lambda r: r.f.fill_null(0.0))
        self.same(ours, theirs, ordered=False)

    def test_a_filter_of_groups_and_groups_of_groups(self):
        col = self.col
        ours = self.ours.group_by("k", "j").agg(t=("p", "sum"))
        theirs = self.theirs.group_by("k", "j").agg(t=col("p").sum())
        self.same(ours.filter(lambda r: r.t > 9), theirs.filter(col("t") > 9), ordered=False)
        again = theirs.group_by("k").agg(m=col("t").max()).sort("k")
        self.same(ours.group_by("k").agg(m=("t", "max")), again)

    def test_unique_rows_and_a_step_behind_them(self):
        ours, theirs = self.ours.select("k", "b").unique(), self.theirs.select("k", "b").unique()
        self.same(ours, theirs, ordered=False)
        above = theirs.filter(self.col("k") > 1)
        self.same(ours.filter(lambda r: r.k > 1), above, ordered=False)
        self.assertEqual(self.ours.unique("k").count(device=DEVICE), 4)

    def test_each_join_has_polars_rows_and_columns(self):
        col = self.col
        for how in ("inner", "left", "right", "full", "semi", "anti"):
            ours = self.ours.select("k", "i", "p").filter(lambda r: r.k < 3)
            theirs = self.theirs.select("k", "i", "p").filter(col("k") < 3)
            joined = theirs.join(self.their_right, on="k", how=how)
            self.same(ours.join(self.right, on="k", how=how), joined, ordered=False)
            right = self.right.filter(lambda r: r.i > 1).with_columns(w=lambda r: r.w.fill_null(0))
            their = self.their_right.filter(col("i") > 1).with_columns(w=col("w").fill_null(0))
            joined = theirs.join(their, on="k", how=how)
            self.same(ours.join(right, on="k", how=how), joined, ordered=False)

    def test_a_table_joins_itself(self):
        ours = self.right.join(self.right, on="k").join(self.right.select("k"), on="k")
        theirs = self.their_right.join(self.their_right, on="k")
        self.same(ours, theirs.join(self.their_right.select("k"), on="k"), ordered=False)

    def test_windows_are_computed_over_their_rows(self):
        col = self.col
        ours = self.ours.with_columns(x=lambda r: r.p - r.p.mean().over("k"))
        theirs = self.theirs.with_columns(x=col("p") - col("p").mean().over("k"))
        self.same(ours.filter(lambda r: r.x > 0), theirs.filter(col("x") > 0))
        shares = self.ours.group_by("k").agg(t=("p", "sum"))
        shares = shares.with_columns(s=lambda r: r.t / r.t.sum().over())
        theirs = self.theirs.group_by("k").agg(t=col("p").sum()).sort("k")
        self.same(shares, theirs.with_columns(s=col("t") / col("t").sum()))

    def test_columns_that_change_places_do_not_read_each_other(self):
        col = self.col
        ours = self.ours.map(a=lambda r: r.i, b=lambda r: r.j)
        ours = ours.with_columns(a=lambda r: r.b, b=lambda r: r.a)
        self.same(ours, self.theirs.select(a=col("j"), b=col("i")))

    def test_a_replaced_column_sorts_by_its_value_then(self):
        minus = -self.col("p")
        ours = self.ours.sort("p").with_columns(p=lambda r: -r.p)
        self.same(ours, self.theirs.sort("p", maintain_order=True).with_columns(p=minus))
        ours = self.ours.with_columns(p=lambda r: -r.p).sort("p")
        self.same(ours, self.theirs.with_columns(p=minus).sort("p", maintain_order=True))


class Sources(unittest.TestCase):
    def test_tables_of_other_libraries_are_taken(self):
        data = {"x": np.array([1, 2, 3]), "y": np.array([1.5, 2.5, 3.5])}
        sources = [data, pa.table(data), pa.table(data).to_batches()[0], pa.table(data).to_reader()]
        sources += [pandas.DataFrame(data)] if pandas else []
        sources += [polars.DataFrame(data)] if polars else []
        for source in sources:
            made = from_arrow(source).filter(lambda r: r.x > 1)
            self.assertEqual(made.sum("y", device=DEVICE), 6.0)

    def test_a_file_is_a_table_of_which_the_schema_is_read_first(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "it's.parquet"
            pyarrow.parquet.write_table(table(), path)
            rows = from_file(path, device=DEVICE)
            wanted = from_arrow(table())
            self.assertEqual(rows.schema, wanted.schema)
            made = [one.filter(lambda r: r.i > 3).sum("p", device=DEVICE) for one in (rows, wanted)]
            self.assertAlmostEqual(*made)

    def test_a_pipeline_is_a_table_for_others(self):
        made = from_arrow(pa.table({"x": [1, 2]})).filter(lambda r: r.x > 1)
        self.assertEqual(pa.table(made).to_pydict(), {"x": [2]})
        self.assertEqual(made.numpy(device=DEVICE)["x"].tolist(), [2])

    def test_scalars_are_pythons(self):
        rows = from_arrow(pa.table({"x": [1, 2, None], "f": [1.5, None, 2.5]}))
        found = [rows.sum("x", device=DEVICE), rows.mean("f", device=DEVICE)]
        found += [rows.count(device=DEVICE), rows.count("x", device=DEVICE)]
        found += [rows.max(lambda r: r.x * r.f, device=DEVICE), rows.n_unique("x", device=DEVICE)]
        self.assertEqual(found, [3, 2.0, 3, 2, 1.5, 3])

    def test_an_aggregate_of_no_rows_is_null_and_a_count_zero(self):
        rows = from_arrow(pa.table({"x": [1]})).filter(lambda r: r.x > 1)
        made = rows.agg(s=("x", "sum"), n=("*", "count"), u=("x", "n_unique"))
        self.assertEqual(made.arrow(device=DEVICE).to_pylist(), [{"s": None, "n": 0, "u": 0}])

    def test_threads_share_a_pipeline(self):
        base, answers = from_arrow(table()), {}
        wanted = pc.sum(table()["i"]).as_py()

        def run(n):
            made = base.with_columns(x=lambda r: r.i * n).agg(x=("x", "sum"))
            answers[n] = made.arrow(device=DEVICE)["x"][0].as_py()

        threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, {n: n * wanted for n in range(8)})

    def test_a_pipeline_is_pickled(self):
        made = from_arrow(pa.table({"x": [1, 2]})).filter(lambda r: r.x > 1)
        again = pickle.loads(pickle.dumps(made))
        self.assertEqual(again.with_columns(y=lambda r: r.x).count(device=DEVICE), 1)


class Statements(unittest.TestCase):
    def text(self, pipeline):
        return pipeline.sql()[0]

    def test_steps_in_the_order_of_clauses_are_one_select(self):
        made = from_arrow(table()).filter(lambda r: r.i > 1).with_columns(x=lambda r: r.p * 2)
        made = made.filter(lambda r: r.x > 1).group_by("k").agg(t=("x", "sum"))
        made = made.filter(lambda r: r.t > 3).sort("t", descending=True).head(10)
        self.assertEqual(self.text(made).count("SELECT"), 1)

    def test_long_pipelines_run(self):
        made = from_arrow(pa.table({"x": [1, 0, 2]}))
        for _ in range(300):
            made = made.with_columns(x=lambda r: r.x + 1)
        self.assertEqual(made.sum("x", device=DEVICE), 903)
        made = from_arrow(pa.table({"x": [1, 0, -1]}))
        for _ in range(40):
            made = made.with_columns(x=lambda r: r.x * r.x * r.x).head(3)
        self.assertEqual(made.arrow(device=DEVICE)["x"].to_pylist(), [1, 0, -1])

    def test_rows_that_a_step_dropped_raise_no_error(self):
        rows = from_arrow(pa.table({"x": [1, 2, 0]}))
        for made in (rows.filter(lambda r: r.x != 0), rows.head(2)):
            made = made.map(y=lambda r: 10 // r.x)
            self.assertEqual(made.arrow(device=DEVICE)["y"].to_pylist(), [10, 5])


class Functions(unittest.TestCase):
    def test_a_python_function_is_traced_with_its_signature(self):
        norm = function("norm", "float(double x, double y)", lambda x, y: (x * x + y * y) ** 0.5)
        made = from_arrow(pa.table({"x": [3], "y": [4]})).map(n=lambda r: norm(r.x, r.y))
        self.assertEqual(made.schema.field("n").type, pa.float32())
        self.assertEqual(made.arrow(device=DEVICE)["n"].to_pylist(), [5.0])

    def test_kernel_c_reaches_the_session_once(self):
        norm = function("norm", "double(double x, int32_t y)", "return x * x + y;")
        total = reduction("total", "double(double a, double b)", "return a + b;", 0.0, True, True)
        rows = from_arrow(pa.table({"x": [3.0], "y": [4]})).map(
            n=lambda r: norm(r.x, r.y) + norm(1.0, r.y)
        )
        made = rows.agg(t=("n", total))
        asked = []

        class Known:
            def define(self, one):
                asked.append(one.name)

            def query(self, sql, tables, parameters=None, planner=None):
                asked.append(sql)
                return pa.table({"t": [1.0]})

        made.run(session=Known())
        self.assertEqual([name.split("_")[0] for name in sorted(asked[:2])], ["norm", "total"])
        self.assertRegex(asked[2], r'total_\w+\(\(norm_\w+\(t0."x", CAST\(t0."y" AS INTEGER\)\)')


if __name__ == "__main__":
    driver.main()
