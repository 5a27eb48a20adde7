"""A refusal says what is not supported, where, and what to write instead, and has no inner names."""

from command_line import main
from refusal_case import RefusalTest


class PlannersMessages(RefusalTest):
    def test_an_aggregate_with_a_list_of_results_is_named(self):
        self.table("t")
        for call, what in (
            ("max(a, 2)", "max of 2 values"),
            ("arg_min(s, a, 2)", "arg_min of 3 values"),
            ("approx_quantile(a, [0.1])", "approx_quantile with a list of results"),
            ("quantile_cont(d, [0.1, 0.5])", "quantile_cont with a list of results"),
        ):
            self.assert_refused(
                f"SELECT {call} FROM 't.parquet'",
                f"the aggregate {what} is not supported",
                lacks=["cast"],
            )

    def test_a_mean_of_days_has_another_spelling_and_no_cast(self):
        self.table("t")
        self.assert_refused(
            "SELECT avg(dt) FROM 't.parquet'", "avg of DATE", "AS TIMESTAMP", lacks=["TIMESTAMP_NS"]
        )
        self.assertEqual(
            self.value("SELECT avg(CAST(dt AS TIMESTAMP)) FROM 't.parquet'"),
            "2024-01-05 12:00:00",
        )

    def test_a_window_function_has_its_sql_name(self):
        self.table("t")
        self.assert_refused(
            "SELECT fill(a) OVER (ORDER BY a) FROM 't.parquet'", "the window function fill is"
        )

    def test_a_distance_of_each_row_names_its_function(self):
        self.table("t")
        for planner in ("own", "duckdb"):
            self.assert_refused(
                "SELECT lag(a, b) OVER (ORDER BY a) FROM 't.parquet'",
                "lag() by a distance that is not a constant",
                planner=planner,
            )


class OwnMessages(RefusalTest):
    def assert_own(self, statement, *words, lacks=()):
        self.table("t")
        self.table("n")
        self.assert_refused(statement, *words, planner="own", lacks=lacks)

    def test_an_unknown_function_lists_no_others(self):
        self.assert_own(
            "SELECT list_zipper(l) FROM 'n.parquet'",
            "list_zipper is not",
            lacks=["the functions are"],
        )

    def test_advice_gives_the_same_rows(self):
        self.assert_own("SELECT * FROM 't.parquet' a POSITIONAL JOIN 't.parquet' b", "row_number()")
        self.assert_own(
            "SELECT * FROM 't.parquet' a ASOF JOIN 't.parquet' b ON a.a >= b.a",
            "ASOF JOIN is not supported",
            lacks=["joined by ="],
        )
        self.assert_own("SELECT * FROM 't.parquet' TABLESAMPLE 5%", "which are no sample")
        self.assert_own("SELECT [1, 2]", "list_value(1, 2)")

    def test_the_present_moment_is_written_as_one(self):
        self.assert_own("SELECT now()", "TIMESTAMPTZ '2026")
        self.assert_own("SELECT current_timestamp", "TIMESTAMPTZ '2026")
        self.assert_own("SELECT age(ts) FROM 't.parquet'", "write age(TIMESTAMP '2026")

    def test_a_limit_by_a_subquery_takes_a_number(self):
        self.assert_own("SELECT a FROM 't.parquet' LIMIT (SELECT 1)", "write a number")

    def test_a_subscript_is_pointed_at(self):
        self.table("n")
        statement = "SELECT a, l[1] FROM 'n.parquet'"
        self.assertEqual(self.caret(statement, "own"), "l[1] FROM 'n.parquet'")
        self.assert_own(statement, "list_extract(l, 1)")

    def test_an_argument_by_its_name_is_called_so(self):
        self.assert_own("SELECT abs(x := 1)", "an argument by its name", lacks=["NamedArgExpr"])

    def test_booleans_are_asked_for_without_inner_names(self):
        self.assert_own(
            "SELECT bool_and(a) FROM 't.parquet'", "bool_and(a <> 0)", lacks=["reduce:"]
        )

    def test_types_have_their_article(self):
        self.assert_own("SELECT 'x'::INT", "'x' is not an INTEGER")
        self.assert_own("SELECT 'x'::DATE", "'x' is not a DATE")

    def test_a_string_that_is_not_of_the_type_names_try_cast(self):
        self.assert_own("SELECT s::INT FROM 't.parquet'", "CAST(s AS INTEGER)", "TRY_CAST")
        self.table("n")
        self.assert_refused(
            "SELECT list_contains(l, 'x') FROM 'n.parquet'", "a string is not", lacks=["require("]
        )

    def test_functions_name_themselves_in_faults(self):
        self.assert_own("SELECT repeat(s, 100000000) FROM 't.parquet'", "repeat() by more than")
        self.assert_own("SELECT from_base64(s || '%') FROM 't.parquet'", "from_base64(): a text")
        self.assert_own("SELECT strptime(s, '%Y') FROM 't.parquet'", "try_strptime() gives NULL")

    def test_an_unknown_column_lists_those_that_there_are(self):
        self.assert_own("SELECT zebra FROM 't.parquet'", "there are a, b, d, s, dt, ts, f, dc")
        self.assert_own("SELECT filename FROM 't.parquet'", "filename = true")

    def test_an_unknown_field_lists_those_that_there_are(self):
        self.assert_own("SELECT struct_extract(st, 'zz') FROM 'n.parquet'", "no field 'zz'", "p, q")


class Files(RefusalTest):
    def test_a_name_of_the_net_is_not_called_missing(self):
        for name in ("https://example.com/x.parquet", "s3://b/x.parquet"):
            self.assert_refused(f"FROM '{name}'", "unsupported", "of this machine alone", "://")

    def test_a_file_of_xz_is_not_called_corrupt(self):
        (self.folder / "a.txt.xz").write_bytes(b"\xfd7zXZ\x00" + b"1" * 50)
        self.assert_refused("FROM 'a.txt.xz'", "xz -d", lacks=["corrupt"])

    def test_a_text_named_parquet_is_told_how_to_read(self):
        (self.folder / "text.parquet").write_text("hello, world\n")
        self.assert_refused("FROM 'text.parquet'", "read_csv('")

    def test_an_option_that_is_not_read_is_named(self):
        self.csv_file()
        self.assert_refused(f"FROM read_csv('{self.rows}/table.csv', delim = 'ab')", "unsupported")
        self.assert_refused(
            f"FROM read_csv('{self.rows}/table.csv', parallel = false)", "parallel = false is not"
        )

    def test_a_column_has_the_name_of_its_file(self):
        self.table("t")
        self.table("u")
        ended = self.ask(
            "SELECT (SELECT sum(x) FROM 'u.parquet' u WHERE u.a = t.a) FROM 't.parquet' t LIMIT 1",
            "duckdb",
        )
        self.assertIn("u.parquet", ended.out.split("\n")[0])
        self.assertNotIn("t0.", ended.out)


class Statements(RefusalTest):
    def test_a_verb_says_what_to_write_instead(self):
        for statement, words in (
            ("SET x = 1", ["the setting x is not", "threads", "timezone"]),
            ("alter table t add b int", ["ALTER is not", "COPY (SELECT ...)", "CREATE, DROP"]),
            ("PREPARE p AS SELECT 1", ["PREPARE is not", "write the values"]),
            ("update t set a = 1 from b", ["UPDATE ... FROM is not"]),
        ):
            self.assert_refused(statement, *words)

    def test_a_definition_of_another_kind_is_named(self):
        self.assert_refused("CREATE SCHEMA s", "CREATE SCHEMA is not supported")
        self.assert_refused("DROP TABLE a, b", "a DROP for each")
        self.assert_refused("CREATE TABLE other.x AS SELECT 1", "write the name alone")

    def test_a_compression_that_is_not_written_is_not_called_corrupt(self):
        self.assert_refused(
            "COPY (SELECT 1) TO 'x.parquet' (COMPRESSION brotli)", "unsupported", lacks=["corrupt"]
        )

    def test_a_missing_table_is_named_once(self):
        self.table("t")
        ended = self.ask("SELECT * FROM t1", "own")
        self.assertEqual(ended.err.count("write FROM") + ended.err.count("did you mean"), 1)


main()
