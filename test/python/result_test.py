"""Tables in of every library, results out to every library; the oracles are these libraries."""

import csv
import datetime
import decimal
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import driver

try:
    import numpy
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

    import penstock
    from penstock.table_names import names_after_from
except ImportError as error:
    driver.skip_all(error)


def module(name):
    try:
        return __import__(name)
    except ImportError:
        return None


duckdb, pandas, polars, torch = map(module, ("duckdb", "pandas", "polars", "torch"))
if polars is not None:
    import polars.testing


def needs(library, name):
    return unittest.skipIf(library is None, f"{name} is not installed")


SALES = pyarrow.table(
    {
        "shop": ["a", None, "b"],
        "count": pyarrow.array([1, None, 3], pyarrow.int32()),
        "price": [1.5, None, 2.5],
        "paid": [True, None, False],
        "day": [datetime.date(2024, 1, 2), None, datetime.date(2024, 2, 3)],
        "at": [datetime.datetime(2024, 1, 2, 3, 4, 5, 6), None, datetime.datetime(1969, 12, 31)],
        "amount": pyarrow.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.50")]),
        "tags": [["x"], None, []],
    }
)


def asked(data, sql="SELECT * FROM data"):
    return penstock.sql(sql, tables={"data": data}, planner="own")


class TablesIn(unittest.TestCase):
    def expect(self, data, columns):
        self.assertEqual(asked(data).arrow().to_pydict(), columns)

    def test_arrow_in_all_its_forms(self):
        batches = SALES.to_batches(max_chunksize=2)
        dataset = pyarrow.dataset.dataset(SALES)
        for data in (
            SALES,
            SALES.to_reader(),
            dataset,
            dataset.scanner(columns=SALES.column_names),
            pyarrow.Table.from_batches(batches),
        ):
            with self.subTest(type=type(data)):
                self.expect(data, SALES.to_pydict())
        self.expect(batches[0], SALES.slice(0, 2).to_pydict())

    def test_a_dataset_of_files_is_scanned(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in range(3):
                pyarrow.parquet.write_table(SALES, os.path.join(folder, f"{part}.parquet"))
            sales = pyarrow.dataset.dataset(folder)
            rows = penstock.sql("SELECT count(*) AS n, sum(count) AS s FROM sales", planner="own")
            self.assertEqual(rows.fetchall(), [(9, 12)])

    def test_encodings_of_strings(self):
        for type_ in (
            pyarrow.large_string(),
            pyarrow.string_view(),
            pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
        ):
            with self.subTest(type=type_):
                texts = pyarrow.array(["a", None, "b"]).cast(type_)
                self.expect(pyarrow.table({"s": texts}), {"s": ["a", None, "b"]})

    def test_arrays_of_numpy(self):
        numbers = numpy.arange(6)
        fields = numpy.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
        for data, columns in (
            (numbers, {"column0": [0, 1, 2, 3, 4, 5]}),
            (numbers[::-2], {"column0": [5, 3, 1]}),
            (numbers.reshape(3, 2), {"column0": [0, 2, 4], "column1": [1, 3, 5]}),
            (numpy.asfortranarray(numbers.reshape(2, 3))[:, :1], {"column0": [0, 3]}),
            (fields, {"a": [1, 3], "b": [2.5, 4.5]}),
            ({"a": numbers[:2].astype(">i2")}, {"a": [0, 1]}),
            ({"a": numpy.array([1, 0.5], "f2")}, {"a": [1.0, 0.5]}),
            ({"a": numpy.array(["x", "yz"])}, {"a": ["x", "yz"]}),
            ({"a": numpy.array(["x", None], object)}, {"a": ["x", None]}),
            ({"a": numpy.ma.MaskedArray([1, 2], [False, True])}, {"a": [1, None]}),
            (
                {"a": numpy.array(["2024-01-02", "NaT"], "M8[D]")},
                {"a": [datetime.date(2024, 1, 2), None]},
            ),
        ):
            with self.subTest(data=data):
                self.expect(data, columns)

    def test_lists_and_arrow_arrays_by_name(self):
        self.expect({"a": [1, None], "b": ("x", "y")}, {"a": [1, None], "b": ["x", "y"]})
        chunked = pyarrow.chunked_array([[1], [None]])
        self.expect(
            {"a": chunked, "b": pyarrow.array([None, 2.5])}, {"a": [1, None], "b": [None, 2.5]}
        )

    def test_nulls_alone_and_half_numbers_become_what_duckdb_makes_of_them(self):
        halves = pyarrow.array([1.5, None], pyarrow.float16())
        data = pyarrow.table({"n": pyarrow.nulls(2), "h": halves, "x": [1, 2]})
        rows = asked(data).arrow()
        self.assertEqual(rows.to_pydict(), {"n": [None, None], "h": [1.5, None], "x": [1, 2]})
        types = [field.type for field in rows.schema]
        self.assertEqual(types, [pyarrow.int32(), pyarrow.float32(), pyarrow.int64()])

    @needs(pandas, "pandas")
    def test_frames_and_series_of_pandas(self):
        frame = pandas.DataFrame({"a": [1, 2], "c": pandas.Categorical(["x", None])}, index=[7, 8])
        self.expect(frame, {"a": [1, 2], "c": ["x", None]})
        self.expect(frame["a"], {"a": [1, 2]})
        self.expect({"b": pandas.Series([1.5, None])}, {"b": [1.5, None]})
        self.expect(pandas.DataFrame({"a": pandas.array([1, None])}), {"a": [1, None]})
        self.expect(frame.iloc[::-1], {"a": [2, 1], "c": [None, "x"]})

    @needs(pandas, "pandas")
    def test_an_order_of_categories_that_sql_has_not_is_a_warning(self):
        def ordered(*categories):
            return pandas.Categorical(["lo", "hi"], categories=categories, ordered=True)

        lost = pandas.DataFrame({"size": ordered("lo", "mid", "hi")})
        for data in (lost, lost["size"], {"size": lost["size"]}):
            with self.assertWarnsRegex(RuntimeWarning, "'size' is an ordered Categorical"):
                asked(data).arrow()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.expect(pandas.DataFrame({"size": ordered("hi", "lo")}), {"size": ["lo", "hi"]})

    @needs(pandas, "pandas")
    def test_periods_of_pandas_are_refused_by_name(self):
        frame = pandas.DataFrame({"month": pandas.period_range("2024-01", periods=2, freq="M")})
        for data in (frame, frame["month"], pyarrow.Table.from_pandas(frame)):
            with self.assertRaisesRegex(penstock.PenstockError, "'month' is of .* Period"):
                asked(data).arrow()

    @needs(polars, "Polars")
    def test_objects_of_polars_are_refused_by_name(self):
        frame = polars.DataFrame({"o": polars.Series([object()], dtype=polars.Object)})
        for data in (frame, frame["o"], {"o": frame["o"]}, frame.lazy()):
            with self.assertRaisesRegex(penstock.PenstockError, "'o' is of Polars' type Object"):
                asked(data).arrow()

    @needs(polars, "Polars")
    def test_frames_and_series_of_polars(self):
        frame = polars.DataFrame(
            {
                "a": [1, None],
                "s": ["x", "y"],
                "c": polars.Series(["x", None], dtype=polars.Categorical),
                "l": [[1], []],
                "t": [datetime.datetime(2024, 1, 2), None],
            }
        )
        self.expect(frame, frame.to_dict(as_series=False))
        self.expect(frame.lazy().select("a"), {"a": [1, None]})
        self.expect(frame["s"], {"s": ["x", "y"]})
        self.expect({"z": frame["a"]}, {"z": [1, None]})

    @needs(duckdb, "DuckDB")
    def test_relations_of_duckdb(self):
        relation = duckdb.sql("SELECT i, 'x' || i AS s FROM range(3) AS t(i)")
        self.expect(relation, {"i": [0, 1, 2], "s": ["x0", "x1", "x2"]})
        rows = penstock.sql("SELECT sum(i) AS s FROM relation", planner="own")
        self.assertEqual(rows.fetchone(), (3,))

    @needs(torch, "PyTorch")
    def test_tensors(self):
        self.expect({"a": torch.tensor([1.5, 2.5], requires_grad=True)}, {"a": [1.5, 2.5]})

    def test_what_is_no_table_is_an_error_with_its_type(self):
        for data, words in (
            (None, "NoneType"),
            ([1, 2], "list"),
            ("text", "str"),
            (numpy.zeros((2, 2, 2)), "3 dimensions"),
            ({"a": numpy.zeros(2), "b": numpy.zeros(3)}, "length"),
            ({"a": numpy.zeros(2, complex)}, "NumPy's type"),
            ({"a": [1, "x"]}, "x"),
        ):
            with self.subTest(data=data), self.assertRaises(penstock.PenstockError) as caught:
                asked(data).arrow()
            self.assertEqual(caught.exception.code, "invalid")
            self.assertIn(words, caught.exception.message)


class Names(unittest.TestCase):
    def test_names_of_tables_and_no_others(self):
        for sql, names in (
            ("SELECT a FROM t", ["t"]),
            ("FROM t SELECT a", ["t"]),
            ("SELECT x FROM a, b AS c, d WHERE x IN (e, f) ORDER BY g, h", ["a", "b", "d"]),
            ("SELECT a, b FROM t GROUP BY a, c HAVING d > 1 LIMIT 3", ["t"]),
            ("SELECT * FROM a JOIN b ON f(a.x, y) = b.x, c", ["a", "b", "c"]),
            ("SELECT * FROM (SELECT x, y FROM a) AS s, b", ["a", "b"]),
            ("SELECT * FROM (a JOIN b USING (x, y)) LEFT JOIN c USING (x)", ["a", "b", "c"]),
            (
                "WITH s AS (SELECT x FROM a UNION ALL SELECT y FROM b) SELECT * FROM s",
                ["a", "b", "s"],
            ),
            ("SELECT extract(year FROM day), trim(both FROM s) FROM t", ["t"]),
            ("SELECT x IS DISTINCT FROM y, z FROM t", ["t"]),
            ("SELECT * FROM schema.t, range(3), u", ["u"]),
            ("SELECT * FROM 'a.parquet', \"b c\" -- FROM d\n /* FROM e */", ["b c"]),
            ("SELECT (SELECT max(x) FROM a), 'FROM b' FROM c", ["a", "c"]),
            ("SELECT * FROM (VALUES (a, b), (c, d)) AS v(x, y)", []),
            ("DESCRIBE t", ["t"]),
            ("SUMMARIZE t", ["t"]),
            ("COPY (SELECT * FROM t) TO 'x.parquet'", ["t"]),
            ("SELECT 1", []),
            ("FROM", []),
            ("(((", []),
            (")))FROM t", ["t"]),
        ):
            with self.subTest(sql=sql):
                self.assertEqual(names_after_from(sql), names)

    def test_a_variable_that_is_no_table_stays_a_file(self):
        t = 3
        with self.assertRaises(penstock.PenstockError) as caught:
            penstock.sql("SELECT x FROM t", planner="own").arrow()
        self.assertEqual((caught.exception.code, t), ("io", 3))

    def test_a_variable_behind_order_by_is_not_read(self):
        count = numpy.zeros((2, 2, 2))
        rows = penstock.sql("SELECT count, shop FROM SALES ORDER BY shop, count", planner="own")
        self.assertEqual((len(rows), count.ndim), (3, 3))


class ResultsOut(unittest.TestCase):
    def setUp(self):
        self.result = asked(SALES)

    def test_rows_as_tuples(self):
        rows = list(zip(*SALES.to_pydict().values()))
        self.assertEqual(self.result.fetchall(), rows)
        self.assertEqual(list(self.result), rows)
        self.assertEqual(self.result.fetchone(), rows[0])
        self.assertEqual((len(self.result), self.result.columns), (3, SALES.column_names))

    def test_no_rows(self):
        none = asked(SALES, "SELECT shop, count FROM data WHERE count > 5")
        self.assertEqual(
            (none.fetchall(), none.fetchone(), list(none), len(none)), ([], None, [], 0)
        )
        self.assertEqual(none.numpy()["count"].dtype, numpy.int32)
        self.assertIn("shop", none._repr_html_())

    def test_nulls_in_numpy(self):
        made = self.result.numpy()
        numpy.testing.assert_array_equal(made["count"], [1, numpy.nan, 3])
        numpy.testing.assert_array_equal(made["price"], [1.5, numpy.nan, 2.5])
        numpy.testing.assert_array_equal(made["amount"], [1.25, numpy.nan, -3.5])
        self.assertEqual(list(made["paid"]), [True, None, False])
        self.assertEqual(list(made["shop"]), ["a", None, "b"])
        self.assertEqual(made["day"].dtype.kind, "M")
        self.assertTrue(numpy.isnat(made["day"][1]) and numpy.isnat(made["at"][1]))
        self.assertEqual(made["at"][0], numpy.datetime64("2024-01-02T03:04:05.000006"))

    def test_whole_numbers_that_a_float_does_not_hold_stay_exact(self):
        for type_ in (pyarrow.int64(), pyarrow.uint64()):
            large = pyarrow.array([2**60 + 1, None, 1], type_)
            self.assertEqual(list(asked({"x": large}).numpy()["x"]), [2**60 + 1, None, 1])
        low = pyarrow.array([-(2**63), None], pyarrow.int64())
        self.assertEqual(list(asked({"x": low}).numpy()["x"]), [-(2**63), None])
        nulls = pyarrow.array([None, None], pyarrow.int64())
        self.assertTrue(numpy.isnan(asked({"x": nulls}).numpy()["x"]).all())
        exact = asked({"x": pyarrow.array([2**60 + 1])}).numpy()["x"]
        self.assertEqual((exact.dtype, exact[0]), (numpy.int64, 2**60 + 1))

    def test_sums_are_numbers_in_numpy(self):
        made = asked(SALES, "SELECT sum(count) AS s, count(*) AS n FROM data").numpy()
        self.assertEqual((made["s"].dtype, made["s"][0], made["n"][0]), (numpy.float64, 4, 3))

    def test_two_columns_of_one_name_are_no_dict(self):
        twice = asked(SALES, "SELECT count AS a, price AS a FROM data")
        for call in (twice.numpy, *([twice.pl] if polars is not None else [])):
            with self.assertRaises(penstock.PenstockError) as caught:
                call()
            self.assertIn("one name: a", caught.exception.message)
        self.assertEqual(twice.arrow().num_columns, 2)

    def test_one_column_is_an_array(self):
        one = asked(SALES, "SELECT price * 2 AS p FROM data WHERE price IS NOT NULL")
        numpy.testing.assert_array_equal(numpy.from_dlpack(one), [3.0, 5.0])
        numpy.testing.assert_array_equal(numpy.asarray(one), [3.0, 5.0])
        self.assertEqual(numpy.asarray(one, numpy.int8).dtype, numpy.int8)
        for call in (numpy.from_dlpack, numpy.asarray):
            with self.assertRaises(BufferError):
                call(self.result)

    @needs(pandas, "pandas")
    @needs(duckdb, "DuckDB")
    def test_pandas_has_duckdbs_frame(self):
        pandas.testing.assert_frame_equal(self.result.df(), duckdb.sql("FROM SALES").df())

    @needs(polars, "Polars")
    def test_polars_reads_it_by_its_stream(self):
        expected = polars.from_arrow(SALES)
        polars.testing.assert_frame_equal(self.result.pl(), expected)
        polars.testing.assert_frame_equal(polars.DataFrame(self.result), expected)

    @needs(duckdb, "DuckDB")
    def test_duckdb_reads_it_by_its_stream(self):
        result = asked(SALES, "SELECT count, shop FROM data")
        self.assertEqual(duckdb.sql("SELECT sum(count) FROM result").fetchall(), [(4,)])

    def test_a_stream_for_arrow_and_for_ourselves(self):
        self.assertTrue(pyarrow.table(self.result).equals(self.result.arrow()))
        again = asked(self.result, "SELECT max(count) AS m FROM data")
        self.assertEqual(again.fetchone(), (3,))

    @needs(torch, "PyTorch")
    def test_tensors_of_numbers_alone(self):
        made = asked(SALES, "SELECT price FROM data").torch()
        self.assertEqual(made["price"].tolist()[::2], [1.5, 2.5])
        with self.assertRaises(penstock.PenstockError) as caught:
            self.result.torch()
        self.assertIn("shop", caught.exception.message)

    def test_parquet_and_csv_files_are_what_pyarrow_and_csv_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sales.parquet"
            self.result.to_parquet(path, compression="zstd")
            self.assertTrue(pyarrow.parquet.read_table(path).equals(self.result.arrow()))
            flat = asked(SALES, "SELECT shop, count, day FROM data")
            flat.to_csv(path.with_suffix(".csv"))
            with open(path.with_suffix(".csv"), newline="") as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[:2], [["shop", "count", "day"], ["a", "1", "2024-01-02"]])
            with self.assertRaises(FileNotFoundError):
                flat.to_csv(pathlib.Path(folder) / "no" / "folder.csv")

    def test_a_notebook_shows_the_first_rows_and_no_markup_of_the_data(self):
        shown = asked({"<b>": ["<script>"] * 30})._repr_html_()
        self.assertEqual(shown.count("<tr>"), 21)
        self.assertIn("20 of 30 rows", shown)
        self.assertNotIn("<script>", shown)
        self.assertNotIn("<b>", shown)

    def test_a_result_is_computed_once(self):
        calls = []

        def batches():
            calls.append(1)
            yield from SALES.to_batches()

        result = asked(pyarrow.RecordBatchReader.from_batches(SALES.schema, batches()))
        self.assertIn("not computed", repr(result))
        self.assertEqual(calls, [])
        self.assertEqual((len(result), len(result.fetchall()), calls), (3, 3, [1]))
        self.assertEqual(result.report.rows_out, 3)


class TheEnd(unittest.TestCase):
    def test_a_process_that_holds_sessions_ends_without_a_word(self):
        program = (
            "import penstock\n"
            "from penstock.table_names import names_after_from\n"
            "session = penstock.Session('cpu', planner='own')\n"
            "ask = lambda: session.query('SELECT 1 AS x')\n"
            "ask(); rows = penstock.sql('SELECT 1 AS x', planner='own'); rows.fetchall()\n"
            "import gc; cycle = [session, rows]; cycle.append(cycle)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    driver.main()
