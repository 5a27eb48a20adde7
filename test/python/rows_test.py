"""Rows of a result: fetched, shown, as arrays and in files. DuckDB and Python's csv are the oracles."""

import contextlib
import csv
import gzip
import io
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid

import driver

try:
    import duckdb
    import numpy
    import pyarrow

    import penstock
except ImportError as error:
    driver.skip_all(error)


def counted(rows):
    return penstock.sql("SELECT x FROM t", tables={"t": {"x": list(range(rows))}}, planner="own")


def of(array):
    return penstock.sql("SELECT x FROM t", tables={"t": {"x": array}}, planner="own")


DAYS = (
    "10000-01-01",
    "9999-12-31",
    "0001-01-01",
    "0001-12-31 (BC)",
    "0044-03-15 (BC)",
    "0401-02-28 (BC)",
    "102024-02-29",
    "infinity",
    "-infinity",
)


class TimesThatPythonLacks(unittest.TestCase):
    def check(self, values):
        for value in values:
            with self.subTest(value):
                ours = penstock.sql(f"SELECT {value} AS x").fetchall()
                self.assertEqual(ours, duckdb.connect().execute(f"SELECT {value}").fetchall())

    def test_days_are_duckdbs_texts(self):
        self.check(f"{type_} '{day}'" for type_ in ("DATE", "TIMESTAMP") for day in DAYS)
        self.check(f"TIMESTAMPTZ '{day}'" for day in ("10000-01-01 00:00:00+00", "infinity"))

    def test_times_of_these_days_are_duckdbs_texts(self):
        for time in ("00:00:01", "23:59:59.999999", "12:30:00.5", "01:02:03.04"):
            self.check(f"TIMESTAMP '{day} {time}'" for day in DAYS[:-2])

    def test_the_end_of_a_day_is_no_midnight(self):
        self.check(("TIME '24:00:00'", "TIME '23:59:59.999999'", "TIME '00:00:00'", "NULL::TIME"))

    def test_values_inside_of_others_are_duckdbs_texts(self):
        self.check(
            (
                "[TIME '24:00:00', NULL, TIME '01:00:00']",
                "[DATE '10000-01-01', NULL, DATE '2024-01-01']",
                "{'a': DATE '10000-01-01', 'b': [TIMESTAMP '10000-01-01 00:00:01'], 'c': 1}",
                "MAP {DATE '10000-01-01': TIME '24:00:00'}",
            )
        )


class Threads(unittest.TestCase):
    def test_threads_that_share_a_result_read_a_reader_once(self):
        reader = pyarrow.table({"x": list(range(200_000))}).to_reader(1000)
        result = penstock.sql("SELECT x FROM t WHERE x >= 0", tables={"t": reader}, planner="own")
        begin, rows = threading.Barrier(8), []

        def ask():
            begin.wait()
            rows.append(len(result.arrow()))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(rows, [200_000] * 8)


class Fetching(unittest.TestCase):
    def test_fetchone_ends_as_duckdbs_does(self):
        ours, theirs = counted(3), duckdb.connect().execute("SELECT * FROM range(3)")
        for _ in range(5):
            self.assertEqual(ours.fetchone(), theirs.fetchone())

    def test_fetchmany_goes_on_and_ends_as_duckdbs_does(self):
        ours, theirs = counted(8), duckdb.connect().execute("SELECT * FROM range(8)")
        for arguments in ([3], [], [0], [9], [1]):
            self.assertEqual(ours.fetchmany(*arguments), theirs.fetchmany(*arguments))
        with self.assertRaisesRegex(penstock.PenstockError, "size="):
            ours.fetchmany(-1)

    def test_fetchall_has_what_is_left_and_begins_anew(self):
        result = counted(3)
        result.fetchone()
        self.assertEqual(result.fetchall(), [(1,), (2,)])
        self.assertEqual(result.fetchall(), [(0,), (1,), (2,)])
        self.assertEqual(result.fetchone(), (0,))

    def test_iterating_and_fetching_do_not_meet(self):
        result = counted(3)
        result.fetchone()
        self.assertEqual([list(result), len(result)], [[(0,), (1,), (2,)], 3])
        self.assertEqual(result.fetchone(), (1,))

    def test_values_are_duckdbs(self):
        for value in (
            "row(1, 'a')",
            "row(1)",
            "list_zip([1, 2], ['a', 'b'])",
            "{'a': row(1, 2), 'b': [row('x', INTERVAL 1 DAY)]}",
            "MAP {'k': 1}",
            "MAP {'k': row(1, 2)}",
            "MAP {[1]: 2}",
            "MAP {{'a': 1}: 2}",
            "INTERVAL 40 DAY",
            "INTERVAL '14 months 3 days 5 seconds'",
            "[INTERVAL 1 MONTH]",
            "{'i': INTERVAL 1 DAY, 'n': 9007199254740993}",
        ):
            sql = f"SELECT {value} AS x UNION ALL SELECT NULL UNION ALL SELECT {value}"
            with self.subTest(value):
                expected, result = duckdb.sql(sql).fetchall(), penstock.sql(sql)
                self.assertEqual(result.fetchall(), expected)
                self.assertEqual(list(result), expected)
                self.assertEqual([result.fetchone() for _ in range(3)], expected)

    def test_an_interval_that_python_lacks_is_an_error(self):
        with self.assertRaisesRegex(penstock.PenstockError, "interval"):
            penstock.sql("SELECT INTERVAL 100000000 MONTH AS x").fetchall()

    def test_description_and_shape(self):
        result = penstock.sql("SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'")
        self.assertEqual(result.shape, (2, 2))
        self.assertEqual([column[0] for column in result.description], ["a", "b"])
        self.assertEqual(result.description[0], ("a", pyarrow.int32(), *[None] * 5))


class Shown(unittest.TestCase):
    def test_a_result_says_how_it_is_computed_and_then_has_its_rows(self):
        result = penstock.sql(
            "SELECT x,\n  s FROM t", tables={"t": {"x": [1, 22], "s": ["a", None]}}
        )
        self.assertIn("not computed: show(), df() or fetchall() does it: SELECT x, s", repr(result))
        result.fetchall()
        lines = [
            "┌────┬──────┐",
            "│ x  │ s    │",
            "├────┼──────┤",
            "│  1 │ a    │",
            "│ 22 │ NULL │",
            "└────┴──────┘",
            "2 rows",
        ]
        self.assertEqual([line.strip() for line in repr(result).splitlines()][3:], lines[3:])
        self.assertEqual(repr(result).splitlines()[0], lines[0])

    def test_show_prints_the_first_rows_alone(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            counted(1000).show()
        self.assertIn("20 of 1000 rows\n", printed.getvalue())
        self.assertEqual(len(printed.getvalue().splitlines()), 25)

    def test_a_long_text_with_lines_stays_in_its_cell(self):
        result = of(["a\nb" + "c" * 1000])
        result.fetchall()
        self.assertEqual(len(result.__repr__().splitlines()), 6)
        self.assertLess(max(map(len, repr(result).splitlines())), 60)

    def test_null_is_no_text_of_python(self):
        self.assertIn("<td>NULL</td>", of(["a", None])._repr_html_())


class Arrays(unittest.TestCase):
    def test_whole_numbers_in_lists_and_structs_beside_null_stay_exact(self):
        large = 2**53 + 1
        for rows in ([[large], [1, None]], [[large], None], [[[large]], [None, [1, None]]]):
            with self.subTest(rows=rows):
                made = of(rows).numpy()["x"]
                plain = [None if row is None else _lists(row) for row in made]
                self.assertEqual(plain, rows)
        for rows in ([{"a": large}, {"a": None}], [{"a": large}, None]):
            self.assertEqual(list(of(rows).numpy()["x"]), rows)

    def test_lists_beside_a_null_list_keep_their_type(self):
        made = of([[1, 2], None, []]).numpy()["x"]
        self.assertEqual([made[0].dtype, made[0].tolist(), made[1]], [numpy.int64, [1, 2], None])
        self.assertEqual(len(made[2]), 0)

    def test_lists_of_one_length_are_rows(self):
        made = of([[1, 2], [3, 4]]).numpy()["x"]
        self.assertEqual((made.shape, made[1].tolist()), ((2,), [3, 4]))

    def test_intervals_are_timedeltas(self):
        made = penstock.sql("SELECT INTERVAL 1 DAY AS x UNION ALL SELECT NULL").numpy()["x"]
        self.assertEqual(made.dtype, numpy.dtype("m8[us]"))
        self.assertEqual(made[0], numpy.timedelta64(1, "D"))
        self.assertTrue(numpy.isnat(made[1]))

    def test_uuids_are_pythons(self):
        sql = "SELECT '00000000-0000-0000-0000-000000000001'::UUID AS x UNION ALL SELECT NULL"
        self.assertEqual(penstock.sql(sql).numpy()["x"].tolist(), [uuid.UUID(int=1), None])

    def test_pipelines_have_the_same_arrays(self):
        made = penstock.from_arrow({"x": [2**53 + 1, None]}).numpy()["x"]
        self.assertEqual(made.tolist(), [2**53 + 1, None])

    def test_a_library_that_is_not_there_is_named(self):
        program = (
            "import sys\n"
            "sys.modules['numpy'] = sys.modules['pandas'] = sys.modules['polars'] = None\n"
            "import penstock\n"
            "rows, steps = penstock.sql('SELECT 1 AS a'), penstock.from_arrow({'a': [1]})\n"
            "for made in (rows, steps):\n"
            "    for name in ('numpy', 'df', 'pl'):\n"
            "        try:\n"
            "            getattr(made, name)()\n"
            "        except penstock.PenstockError as error:\n"
            "            print(error)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        libraries = [line.split("pip install ")[-1] for line in done.stdout.splitlines()]
        self.assertEqual((libraries, done.stderr), (["numpy", "pandas", "polars"] * 2, ""))


def _lists(made):
    if isinstance(made, numpy.ndarray):
        return [_lists(one) for one in made]
    return None if made is None or made != made else int(made)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_a_csv_file_is_compressed_as_it_is_named(self):
        for suffix in ("gz", "zst", "lz4", "GZ"):
            path = self.path("x.csv." + suffix)
            counted(3).to_csv(path)
            with open(path, "rb") as file:
                self.assertEqual(penstock.decompress(file.read()), b'"x"\n0\n1\n2\n')
        with gzip.open(self.path("x.csv.gz"), "rt") as file:
            self.assertEqual(len(list(csv.reader(file))), 4)

    def test_a_compression_that_is_not_written_is_refused_before_the_file(self):
        for suffix in ("bz2", "xz", "sz", "zz"):
            with self.assertRaises(penstock.PenstockError) as caught:
                counted(3).to_csv(self.path("x.csv." + suffix))
            self.assertEqual(caught.exception.code, "unsupported")
        self.assertEqual(os.listdir(self.folder), [])

    def test_nested_values_are_the_texts_that_copy_writes(self):
        select = (
            "SELECT [1, NULL] AS l, {'a': 'x y'} AS s, MAP {'k': 1} AS m, row(1, 2) AS r, "
            "INTERVAL 40 DAY AS i, '00000000-0000-0000-0000-000000000001'::UUID AS u, 7 AS n, "
            "[2] AS l UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, 8, []"
        )
        penstock.sql(select).to_csv(self.path("ours.csv"))
        duckdb.sql(f"COPY ({select}) TO '{self.path('theirs.csv')}' (HEADER)")
        read = {}
        for name in ("ours", "theirs"):
            with open(self.path(name + ".csv"), newline="") as file:
                read[name] = list(csv.reader(file))
        self.assertEqual(read["ours"][1:], read["theirs"][1:])
        self.assertEqual(read["ours"][0], ["l", "s", "m", "r", "i", "u", "n", "l"])

    def test_bytes_are_the_texts_that_copy_writes(self):
        select = r"SELECT '\x00a\xFF, b'::BLOB AS x UNION ALL SELECT NULL"
        penstock.sql(select).to_csv(self.path("ours.csv"))
        duckdb.sql(f"COPY ({select}) TO '{self.path('theirs.csv')}' (HEADER)")
        read = []
        for name in ("ours.csv", "theirs.csv"):
            with open(self.path(name), newline="") as file:
                read.append(list(csv.reader(file)))
        self.assertEqual(read[0], read[1])

    def test_intervals_are_refused_before_the_parquet_file(self):
        for value in ("INTERVAL 1 DAY", "[INTERVAL 1 DAY]", "{'a': INTERVAL 1 DAY}"):
            with self.assertRaises(penstock.PenstockError) as caught:
                penstock.sql(f"SELECT {value} AS x").to_parquet(self.path("x.parquet"))
            self.assertEqual(caught.exception.code, "unsupported")
            self.assertIn("'x'", caught.exception.message)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    driver.main()
