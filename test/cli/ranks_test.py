"""mpirun penstock query: ranks share the rows, rank 0 alone speaks, answers are one process's.

Runs with every MPI that is installed (Open MPI, MPICH), and reports what it skips.
"""

import os
import shutil
import subprocess
import unittest

import command_line
from command_line import PROGRAM, CommandLineTest

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

# Debian's names of each MPI's mpirun, and what its processes need here.
OVERSUBSCRIBED = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_plm": "isolated",
}
LAUNCHERS = [name for name in ("mpirun.openmpi", "mpirun.mpich") if shutil.which(name)]

SHARED = [
    "SELECT sum(n) AS s, count(r) AS c, avg(r) AS a, min(n) AS lo, max(t) AS hi FROM {rows}",
    "SELECT g, sum(n) AS s, count(*) AS c, avg(r) AS a FROM {rows} GROUP BY g",
    "SELECT t, count(DISTINCT g) AS d FROM {rows} WHERE n > 700 GROUP BY t ORDER BY d, t",
    "SELECT n, t FROM {rows} WHERE n % 7 = 3 AND r < 900",
    "SELECT n, r FROM {rows} ORDER BY r DESC NULLS LAST, n LIMIT 20",
    "SELECT g, t, n FROM {rows} WHERE n < 900 ORDER BY g, t",
    "SELECT k.name, sum(x.n) AS s FROM {rows} AS x JOIN {names} AS k ON x.g = k.g GROUP BY k.name",
    "SELECT n FROM {rows} WHERE n < 0",
    "SELECT n FROM {rows} LIMIT 1500 OFFSET 400",
    "SELECT n, sum(n) OVER (PARTITION BY g ORDER BY n) AS s FROM {rows} WHERE n > 99",
]


@unittest.skipUnless(LAUNCHERS, "there is no mpirun of Open MPI or MPICH")
@unittest.skipUnless(pyarrow, "there is no pyarrow")
class RanksTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.environment.update(OVERSUBSCRIBED)
        self.rows_file = self.table_file("rows.parquet", 4000, group_rows=250)
        self.names_file = self.rows / "names.parquet"
        names = {"g": list(range(11)), "name": [f"name {i % 4}" for i in range(11)]}
        pyarrow.parquet.write_table(pyarrow.table(names), self.names_file)

    def table_file(self, name, count, group_rows):
        path = self.rows / name
        numbers = range(count)
        table = pyarrow.table(
            {
                "n": pyarrow.array(numbers, pyarrow.int64()),
                "g": pyarrow.array([i * 7919 % 13 for i in numbers], pyarrow.int32()),
                "r": pyarrow.array([None if i % 11 == 5 else i * 37 % 1000 / 4 for i in numbers]),
                "t": pyarrow.array([f"text {i % 5}" for i in numbers]),
            }
        )
        pyarrow.parquet.write_table(table, path, row_group_size=group_rows)
        return path

    def start(self, launcher, *parts, **changes):
        """Each part: the number of ranks, arguments of mpirun, arguments of query."""
        command = [launcher]
        for i, (count, placing, query) in enumerate(parts):
            command += [":"] if i else []
            command += ["-n", str(count), *map(str, placing), PROGRAM, "query", *map(str, query)]
        ended = subprocess.run(
            command, capture_output=True, env={**self.environment, **changes}, timeout=240
        )
        ended.out, ended.err = ended.stdout.decode(), ended.stderr.decode(errors="replace")
        return ended

    def ranks(self, launcher, count, *query, **changes):
        return self.start(launcher, (count, (), query), **changes)

    def each_launcher(self):
        for launcher in LAUNCHERS:
            with self.subTest(launcher=launcher):
                yield launcher

    def assert_ends(self, ended, *words, without=()):
        """Ended with an error that rank 0 printed once, and no rows."""
        self.assertNotEqual(ended.returncode, 0, ended.err)
        self.assertEqual(ended.out, "")
        for word in words:
            self.assertEqual(ended.err.count(word), 1, f"{word!r} in {ended.err}")
        for word in without:
            self.assertNotIn(word, ended.err)

    def test_files_of_a_table_are_shared(self):
        for key in range(3):
            (self.rows / f"key={key}").mkdir()
            self.table_file(f"key={key}/rows.parquet", 500 + key, group_rows=250)
        text = (
            f"SELECT key, g, sum(n) AS s FROM '{self.rows}/*/*.parquet' WHERE key <> 1 "
            "GROUP BY key, g ORDER BY key, g"
        )
        alone = self.query(text, "--format", "csv")
        self.assertEqual(alone.returncode, 0, alone.err)
        ended = self.ranks(LAUNCHERS[0], 2, text, "--format", "csv")
        self.assertEqual(ended.returncode, 0, ended.err)
        self.assertEqual(ended.out, alone.out)
        self.assertIn("share of rank 1 (", ended.err)

    def test_answers_are_those_of_one_process(self):
        for number, statement in enumerate(SHARED):
            text = statement.format(rows=f"'{self.rows_file}'", names=f"'{self.names_file}'")
            alone = self.query(text, "--format", "csv")
            self.assertEqual(alone.returncode, 0, alone.err)
            launcher = LAUNCHERS[number % len(LAUNCHERS)]
            with self.subTest(statement=text, launcher=launcher):
                ended = self.ranks(launcher, 3, text, "--format", "csv")
                self.assertEqual(ended.returncode, 0, ended.err)
                self.assertEqual(ended.out, alone.out)
                self.assertIn("share of rank 2 (", ended.err)
                self.assertNotIn("rank 0 ran all", ended.err)

    def test_the_report_has_each_ranks_rows(self):
        text = f"SELECT sum(r) AS s FROM '{self.rows_file}'"
        for launcher in self.each_launcher():
            ended = self.ranks(launcher, 4, text)
            self.assertEqual(ended.returncode, 0, ended.err)
            for rank in range(4):
                self.assertRegex(ended.err, rf"share of rank {rank} \(.*\): 1,?000 rows \(25 %\)")
            self.assertRegex(ended.err, r"4 ranks of .*: 4,?000 rows in")

    def test_ranks_without_rows_yield_none(self):
        small = self.table_file("small.parquet", 100, group_rows=100)
        text = f"SELECT g, sum(n) AS s FROM '{small}' GROUP BY g"
        alone = self.query(text, "--format", "csv")
        for launcher in self.each_launcher():
            ended = self.ranks(launcher, 3, text, "--format", "csv")
            self.assertEqual((ended.returncode, ended.out), (0, alone.out), ended.err)
            self.assertIn("no rows", ended.err)

    def test_what_has_no_known_rows_is_rank_0s_and_the_report_says_so(self):
        text = f"SELECT sum(n) AS s FROM '{self.numbers_file(100)}'"
        alone = self.query(text, "--format", "csv")
        ended = self.ranks(LAUNCHERS[0], 2, text, "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, alone.out), ended.err)
        self.assertIn("rank 0 ran all", ended.err)

    def test_an_error_of_one_rank_names_it_and_ends_all(self):
        text = f"SELECT sum(n) AS s FROM '{self.rows_file}'"
        for launcher in self.each_launcher():
            ended = self.start(launcher, (1, (), [text]), (1, (), [text, "--device", "opencl:99"]))
            self.assert_ends(ended, "opencl:99", "on rank 1 of 2, host")

    def test_damage_in_the_share_of_one_rank_names_it(self):
        damaged = self.rows / "damaged.parquet"
        content = bytearray(self.rows_file.read_bytes())
        last = pyarrow.parquet.ParquetFile(self.rows_file).metadata.row_group(15).column(2)
        start = last.dictionary_page_offset or last.data_page_offset
        for at in range(start, start + last.total_compressed_size):
            content[at] ^= 0xFF
        damaged.write_bytes(content)
        for launcher in self.each_launcher():
            ended = self.ranks(launcher, 2, f"SELECT sum(r) AS s FROM '{damaged}'")
            self.assert_ends(ended, "on rank 1 of 2, host")

    def test_an_error_of_the_statement_is_printed_once_without_a_rank(self):
        for launcher in self.each_launcher():
            ended = self.ranks(launcher, 2, f"SELECT x FROM '{self.rows_file}'")
            self.assert_ends(ended, 'referenced column "x"', without=["on rank"])

    def test_ranks_that_see_other_files_are_told(self):
        places = [self.rows / "here", self.rows / "there"]
        for place, count in zip(places, (500, 700)):
            place.mkdir()
            self.table_file(f"{place.name}/part.parquet", count, group_rows=100)
        query = ["SELECT sum(n) AS s FROM 'part.parquet'"]
        for launcher in self.each_launcher():
            ended = self.start(launcher, *((1, ("-wdir", place), query) for place in places))
            self.assert_ends(ended, "500 rows", "700 rows", "on rank 1 of 2")

    def test_ranks_that_see_other_row_groups_are_told(self):
        places = [self.rows / "here", self.rows / "there"]
        for place, group_rows in zip(places, (100, 130)):
            place.mkdir()
            self.table_file(f"{place.name}/part.parquet", 500, group_rows=group_rows)
        query = ["SELECT sum(n) AS s FROM 'part.parquet'"]
        for launcher in self.each_launcher():
            ended = self.start(launcher, *((1, ("-wdir", place), query) for place in places))
            self.assert_ends(ended, "other row groups", "on rank 1 of 2")

    def test_ranks_with_other_literals_are_told(self):
        queries = [f"SELECT sum(n) AS s FROM '{self.rows_file}' WHERE n > {n}" for n in (5, 6)]
        for launcher in self.each_launcher():
            ended = self.start(launcher, *((1, (), [query]) for query in queries))
            self.assert_ends(ended, "another statement", "on rank 1 of 2")

    def test_a_list_of_devices_where_no_rows_are_shared(self):
        text = f"SELECT sum(n) AS s FROM '{self.numbers_file(100)}'"
        devices = ("--device", "cpu:0,cpu:0", "--format", "csv")
        alone = self.query(text, "--format", "csv")
        ended = self.ranks(LAUNCHERS[0], 2, text, *devices)
        self.assertEqual((ended.returncode, ended.out), (0, alone.out), ended.err)

    def test_the_output_file_is_written_by_rank_0(self):
        output = self.rows / "out.parquet"
        text = f"SELECT n FROM '{self.rows_file}' WHERE n % 2 = 0"
        ended = self.ranks(LAUNCHERS[0], 2, text, "--output", output)
        self.assertEqual((ended.returncode, ended.out), (0, ""), ended.err)
        self.assertEqual(
            pyarrow.parquet.read_table(output)["n"].to_pylist(), list(range(0, 4000, 2))
        )

    def test_a_missing_library_is_named(self):
        ended = self.ranks(LAUNCHERS[0], 2, "SELECT 1", PENSTOCK_MPI="/nowhere/libmpi.so")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("/nowhere/libmpi.so", ended.err)

    def test_off_runs_each_alone(self):
        text = f"SELECT count(*) AS c FROM '{self.rows_file}'"
        ended = self.ranks(LAUNCHERS[0], 2, text, "--format", "csv", PENSTOCK_MPI="off")
        self.assertEqual(ended.out, "c\n4000\nc\n4000\n", ended.err)


@unittest.skipUnless(os.path.exists("/proc"), "LD_DEBUG is the linker's of Linux")
class AloneTest(CommandLineTest):
    def test_a_process_alone_opens_no_mpi(self):
        ended = self.query(f"SELECT sum(n) AS s FROM '{self.numbers_file(10)}'", LD_DEBUG="libs")
        self.assertEqual(ended.returncode, 0)
        self.assertNotIn("libmpi", ended.err)


if __name__ == "__main__":
    command_line.main()
