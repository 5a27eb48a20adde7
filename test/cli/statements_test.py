"""Statements beside SELECT: DESCRIBE, SUMMARIZE and COPY, and the program's options for CSV files."""

import json

from command_line import CommandLineTest, main


class Described(CommandLineTest):
    def test_describe_lists_names_and_types_without_a_device(self):
        path = self.csv_file()
        ended = self.query(
            f"DESCRIBE '{path}'", "--format", "csv", PENSTOCK_HIDE="cuda,cpu,opencl,sycl"
        )
        self.assertEqual(
            (ended.returncode, ended.out),
            (
                0,
                "column_name,column_type,null,key,default,extra\n"
                "a,BIGINT,YES,,,\nb,DOUBLE,YES,,,\nname,VARCHAR,YES,,,\n",
            ),
            ended.err,
        )

    def test_describe_tells_what_a_select_yields(self):
        rows = self.answer(f"DESCRIBE SELECT name, a + 1 AS next FROM '{self.csv_file()}'")
        self.assertEqual(
            [(row["column_name"], row["column_type"]) for row in rows],
            [("name", "VARCHAR"), ("next", "BIGINT")],
        )

    def test_what_duckdb_plans_is_described_summarized_and_copied(self):
        rows = f"FROM '{self.csv_file(text=chr(10).join(['n,s', '4,b', '1,a', ',b', '3,']))}'"
        if "planner is not found" in self.query(f"SELECT median(n) {rows}").err:
            self.skipTest("no DuckDB")
        (described,) = self.answer(f"DESCRIBE SELECT median(n) AS m {rows}")
        self.assertEqual((described["column_name"], described["column_type"]), ("m", "DOUBLE"))
        (summary,) = self.answer(f"SUMMARIZE SELECT median(n) AS m {rows}")
        self.assertEqual((summary["min"], summary["max"], summary["count"]), ("3.0", "3.0", 1))
        copied = self.folder / "medians.csv"
        self.answer(f"COPY (SELECT s, median(n) AS m {rows} GROUP BY s ORDER BY s) TO '{copied}'")
        self.assertEqual(copied.read_text().split(), ["s,m", "a,1.0", "b,4.0", ",3.0"])
        view = self.folder / "view.sql"
        view.write_text(f"CREATE VIEW v AS SELECT median(n) AS m {rows}; DESCRIBE v; SUMMARIZE v;")
        ended = self.run_program("query", "--file", view, "--format", "csv")
        self.assertIn("m,DOUBLE,YES", ended.out, ended.err)
        self.assertIn("m,DOUBLE,3.0,3.0,1", ended.out, ended.err)
        pivoted = self.answer(f"DESCRIBE PIVOT {rows[5:]} ON s IN ('a', 'b') USING sum(n)")
        self.assertEqual([row["column_name"] for row in pivoted], ["a", "b"])

    def test_sums_of_groups_have_moving_averages(self):
        table = self.numbers_file(40)
        ended = self.query(
            "SELECT g, sum(s) OVER (ORDER BY g ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS t, avg(s) OVER "
            f"(ORDER BY g ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS m FROM (SELECT n % 4 AS g, sum(n) AS s FROM "
            f"'{table}' GROUP BY g) ORDER BY g",
            "--format",
            "csv",
        )
        if "planner is not found" in ended.err:
            self.skipTest("no DuckDB")
        rows = ended.out.split()
        self.assertEqual(
            rows, ["g,t,m", "0,180,180.0", "1,370,185.0", "2,390,195.0", "3,410,205.0"]
        )

    def test_summarize_tells_of_each_column(self):
        path = self.csv_file(text="n,s,d\n4,b,2024-01-02\n1,a,2024-01-01\n,b,\n3,,2024-01-04\n")
        number, text, date = self.answer(f"SUMMARIZE '{path}'")
        self.assertEqual(
            [number[key] for key in ("min", "max", "approx_unique", "q25", "q50", "q75", "count")],
            ["1", "4", 3, "1", "3", "4", 4],
        )
        self.assertAlmostEqual(float(number["avg"]), 8 / 3)
        self.assertAlmostEqual(float(number["std"]), (7 / 3) ** 0.5)
        self.assertEqual(number["null_percentage"], 25.00)
        self.assertEqual(
            (text["min"], text["max"], text["avg"], text["q50"]), ("a", "b", None, None)
        )
        self.assertEqual((date["q50"], date["avg"]), ("2024-01-02", "2024-01-02 08:00:00"))

    def test_summarize_computes_a_recursion_first(self):
        counts = "SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 5"
        (number,) = self.answer(f"SUMMARIZE WITH RECURSIVE n AS ({counts}) SELECT * FROM n")
        self.assertEqual((number["min"], number["max"], number["count"]), ("1", "5", 5))


class Copied(CommandLineTest):
    def copied(self, statement):
        rows = self.answer(statement)
        self.assertEqual(list(rows[0]), ["Count"])
        return rows[0]["Count"]

    def test_rows_are_written_in_the_format_of_the_ending(self):
        table, out = self.csv_file(), self.folder / "out"
        for ending in ("csv", "parquet", "arrow"):
            target = f"{out}.{ending}"
            self.assertEqual(self.copied(f"COPY (FROM '{table}') TO '{target}'"), 3)
            described = self.query(f"DESCRIBE '{target}'", "--format", "csv").out
            self.assertIn("name,VARCHAR", described)
        self.assertEqual((self.folder / "out.csv").read_text(), table.read_text())

    def test_json_is_lines_or_an_array(self):
        table, out = self.csv_file(text="a,s\n1,x\n2,\n"), self.folder / "out.json"
        self.copied(f"COPY '{table}' TO '{out}'")
        self.assertEqual(
            [json.loads(line) for line in out.read_text().splitlines()],
            [{"a": 1, "s": "x"}, {"a": 2, "s": None}],
        )
        self.copied(f"COPY '{table}' TO '{out}' (ARRAY true)")
        self.assertEqual(len(json.loads(out.read_text())), 2)

    def test_options_of_csv_are_followed(self):
        table, out = self.csv_file(text="a,s\n1,x;y\n,z\n"), self.folder / "out.txt"
        options = "(FORMAT csv, HEADER false, DELIMITER ';', NULL 'NA')"
        self.assertEqual(self.copied(f"COPY (FROM '{table}') TO '{out}' {options}"), 2)
        self.assertEqual(out.read_text(), '1;"x;y"\nNA;z\n')

    def test_partitions_are_folders_of_their_values(self):
        table = self.csv_file(text="k,s,n\na/b,x,1\n,y,2\na/b,x,3\n")
        folder = self.folder / "parts"
        copy = f"COPY '{table}' TO '{folder}' (FORMAT csv, PARTITION_BY (k, s)"
        self.assertEqual(self.copied(copy + ")"), 3)
        files = {
            str(path.relative_to(folder)): path.read_text() for path in folder.glob("*/*/*.csv")
        }
        self.assertEqual(
            files,
            {
                "k=a%2Fb/s=x/data_0.csv": "n\n1\n3\n",
                "k=__HIVE_DEFAULT_PARTITION__/s=y/data_0.csv": "n\n2\n",
            },
        )
        self.assert_fails(self.query(copy + ")"), "is not empty", "OVERWRITE_OR_IGNORE")
        self.assertEqual(self.copied(copy + ", OVERWRITE_OR_IGNORE)"), 3)

    def test_a_target_that_is_an_input_is_refused_by_any_name(self):
        table = self.csv_file()
        before = table.read_text()
        link = self.rows / "link.csv"
        link.symlink_to(table)
        copied = f"COPY (SELECT a FROM '{table}') TO"
        for target in (table, link, self.rows / ".." / self.rows.name / table.name):
            self.assert_fails(self.query(f"{copied} '{target}'"), "is the same file as the input")
        self.assert_fails(
            self.query(f"COPY '{self.rows}/*.csv' TO '{table}'"), "is the same file as the input"
        )
        self.assertEqual(table.read_text(), before)
        self.assertTrue(link.is_symlink())

    def test_wrong_targets_are_told_and_leave_nothing(self):
        table, out = self.csv_file(), self.folder / "out.csv"
        for target, word in (
            (f"'{self.folder}/out.xyz'", "names no format"),
            (f"'{out}' (HEDAER)", "did you mean header?"),
            (f"'{out}' (HEADER 7)", "takes true or false"),
            (f"'{out}' (COMPRESSION zstd)", "is of another format"),
            (f"'{out}' (FORMAT xml)", "the format 'xml' is not written"),
            (f"'{self.folder}/p' (FORMAT csv, PARTITION_BY (zip))", "do not have"),
            (f"'{self.folder}/p' (FORMAT csv, PARTITION_BY (a, b, name))", "none is left"),
            (f"'{self.folder}/p.parquet' (COMPRESSION lzo)", "uncompressed, snappy, gzip"),
        ):
            self.assert_fails(self.query(f"COPY '{table}' TO {target}"), word)
        self.assertEqual(list(self.folder.iterdir()), [self.rows])

    def test_a_file_of_statements_copies_and_reads_what_it_wrote(self):
        table, out = self.csv_file(), self.folder / "out.parquet"
        path = self.folder / "statements.sql"
        path.write_text(f"COPY '{table}' TO '{out}';\nFROM '{out}' SELECT sum(a) AS total;")
        ended = self.run_program("query", "-f", path, "--format", "csv")
        self.assertEqual((ended.returncode, ended.out), (0, "Count\n3\ntotal\n6\n"), ended.err)


class OfASession(CommandLineTest):
    def test_a_file_of_statements_makes_changes_and_shows_tables(self):
        path = self.folder / "statements.sql"
        path.write_text(
            "CREATE TABLE t (a INTEGER, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, NULL);\n"
            "BEGIN; UPDATE t SET a = a + 10 WHERE b IS NULL; COMMIT; SHOW TABLES; SELECT * FROM t;\n"
            "SET threads = 1; SHOW threads; DELETE FROM t; SELECT count(*) AS n FROM t"
        )
        ended = self.run_program("query", "-f", path, "--format", "csv")
        self.assertEqual(
            (ended.returncode, ended.out),
            (0, "Count\n2\nCount\n1\nname\nt\na,b\n1,x\n12,\nthreads\n1\nCount\n2\nn\n0\n"),
            ended.err,
        )

    def test_explain_prints_what_the_option_prints(self):
        statement = f"SELECT sum(a) FROM '{self.csv_file()}'"
        self.query(statement)  # compiles, so that both find the kernel
        by_option = self.query(statement, "--explain").out
        self.assertIn("Operators", by_option)
        for spelt in (f"EXPLAIN {statement}", f"explain\n{statement};"):
            printed = self.query(spelt).out
            self.assertEqual(
                [line for line in printed.splitlines() if "cache:" not in line],
                [line for line in by_option.splitlines() if "cache:" not in line],
            )
        self.assertIn("Operators", self.query(f"EXPLAIN {statement}", "--explain").out)
        self.assert_fails(self.query("SHOW TABLES", "--explain"), "without a SELECT")

    def test_rows_of_a_listing_are_written(self):
        out = self.folder / "tables.csv"
        ended = self.query("SHOW DATABASES", "--output", str(out))
        self.assertEqual(ended.returncode, 0, ended.err)
        self.assertEqual(out.read_text(), "database_name\nmemory\n")


class Spelt(CommandLineTest):
    def test_a_select_without_a_table_is_one_row(self):
        self.assertEqual(
            self.answer("SELECT 1 + 1 AS two, TRY_CAST('x' AS INT) AS none"),
            [{"two": 2, "none": None}],
        )

    def test_try_cast_is_null_where_cast_fails(self):
        path = self.csv_file(text="n,r\n1,1.5\n127,127.4\n128,127.5\n-129,-128.5\n")
        rows = self.answer(
            f"SELECT TRY_CAST(n AS TINYINT) AS n, TRY_CAST(r AS TINYINT) AS r FROM '{path}'"
        )
        self.assertEqual([row["n"] for row in rows], [1, 127, None, None])
        self.assertEqual([row["r"] for row in rows], [2, 127, None, -128])

    def test_options_of_csv_files_reach_each_table_named_plainly(self):
        path = self.csv_file(text="zip|n\n7|x\n-|y\n")
        options = ["--types", "zip=VARCHAR", "--delim", "|", "--header", "--nullstr", "-"]
        told = self.query(f"SELECT zip, n FROM '{path}'", "--format", "csv", *options)
        self.assertEqual((told.returncode, told.out), (0, "zip,n\n7,x\n,y\n"), told.err)
        described = self.query(f"DESCRIBE '{path}'", "--format", "csv", *options).out
        self.assertIn("zip,VARCHAR", described)

    def test_wrong_options_of_csv_files_are_wrong_usage(self):
        for words, message in (
            (["--types", "zip"], "is not COLUMN=TYPE"),
            (["--sample-size", "x"], "no number of rows"),
            (["--header", "--no-header"], "leave one of the two out"),
        ):
            ended = self.query("SELECT 1", *words)
            self.assert_fails(ended, message, code=2)


main()
