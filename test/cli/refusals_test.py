"""Statements that are not supported are refused by name, and no other answer is given for them."""

import decimal

import pyarrow
import pyarrow.parquet
from command_line import main
from refusal_case import RefusalTest, duckdb


class AnswersOfFormats(RefusalTest):
    def test_a_format_of_texts_for_a_double_is_refused_and_does_not_crash(self):
        self.table("t")
        for call in ("printf('%s', d)", "format('{:s}', d)", "format('{:10s}', d)"):
            self.assert_refused(
                f"SELECT {call} FROM 't.parquet'",
                "the format 's' of DOUBLE is not supported",
                "{:.2f}",
            )

    def test_a_format_of_texts_prints_no_memory(self):
        self.assert_refused("SELECT printf('%s', 1.5::FLOAT)", "the format 's' of ")

    def test_a_format_of_integers_for_real_numbers_is_refused(self):
        self.table("t")
        for call in (
            "format('{:x}', d)",
            "printf('%d', d)",
            "format('{:b}', d)",
            "printf('%x', dc)",
        ):
            self.assert_refused(
                f"SELECT {call} FROM 't.parquet'", "the format '", "is not supported"
            )

    def test_a_boolean_by_a_letter_of_numbers_is_1_or_0(self):
        for call in ("format('{:d}', true)", "printf('%d', true)", "format('{:x}', 1 = 1)"):
            self.assertEqual(self.value(f"SELECT {call}"), "1")
        self.assertEqual(self.value("SELECT format('{} {:5}|', true, false)"), "true false|")

    def test_a_decimal_is_formatted_as_double(self):
        calls = [
            "format('{}', 1.10)",
            "format('{}', 5.00::DECIMAL(10,2))",
            "format('{:10}', 1.10)",
            "format('{}', 12345678901234567890.12::DECIMAL(38,2))",
        ]
        for call in calls:
            self.assertEqual(
                self.value(f"SELECT {call} AS x"),
                str(duckdb.execute(f"SELECT {call}").fetchall()[0][0]).strip(),
            )

    def test_doubles_have_an_exponent_from_16_digits_on_alone(self):
        for number in ("100000.0", "1e15", "1e16", "0.0001", "1e-5", "123456789012345680.0", "0.0"):
            call = f"SELECT format('{{}}', {number}::DOUBLE) AS x"
            self.assertEqual(self.value(call), duckdb.execute(call).fetchall()[0][0])

    def test_a_date_with_a_width_is_padded(self):
        self.assertEqual(
            self.value("SELECT format('{:12}|', DATE '2020-01-01') AS x"), "2020-01-01  |"
        )


class AnswersOfTypes(RefusalTest):
    def test_a_cast_to_json_is_refused(self):
        self.table("n")
        self.table("t")
        for value in (
            "st::JSON FROM 'n.parquet'",
            "l::JSON FROM 'n.parquet'",
            "s::JSON FROM 't.parquet'",
        ):
            self.assert_refused(f"SELECT {value}", "a cast to JSON is not supported")
        self.assert_refused("SELECT '{\"a\":'::JSON", "a cast to JSON is not supported")

    def test_a_list_of_another_length_is_no_array(self):
        self.table("n")
        for value in ("[1, 2]::INT[3]", "[1, 2, 3, 4]::INT[3]", "l::INT[3] FROM 'n.parquet'"):
            self.assert_refused(f"SELECT {value}", "not of the length 3")

    def test_a_list_of_the_length_is_an_array(self):
        self.table("n")
        self.assertEqual(
            self.value("SELECT l::INT[3] AS x FROM 'n.parquet' WHERE a = 1"), '"[1, 2, 3]"'
        )
        self.assertEqual(
            self.value("SELECT TRY_CAST(l AS INT[2]) IS NULL FROM 'n.parquet' LIMIT 1"), "true"
        )

    def test_an_array_column_with_null_is_read(self):
        lists = pyarrow.array([[1, 2], None, [3, 4]], pyarrow.list_(pyarrow.int32(), 2))
        pyarrow.parquet.write_table(pyarrow.table({"x": lists}), "lists.parquet")
        self.assertEqual(self.value("SELECT x FROM 'lists.parquet'"), '"[1, 2]"\n\n"[3, 4]"')

    def test_an_array_column_of_duckdb_with_null_is_not_called_corrupt(self):
        self.write("SELECT [1, 2, 3]::INT[3] AS x UNION ALL SELECT NULL", "arrays.parquet")
        self.assert_refused(
            "SELECT x FROM 'arrays.parquet'",
            "unsupported",
            "arrays of a fixed length",
            lacks=["corrupt"],
        )

    def test_a_variant_is_not_read_as_a_struct(self):
        try:
            self.write("SELECT 1 AS id, 1::VARIANT AS x", "variant.parquet")
        except duckdb.Error as error:
            self.skipTest(str(error))
        self.assert_refused("SELECT * FROM 'variant.parquet'", "'x'", "it is VARIANT")
        self.assertEqual(self.value("SELECT id FROM 'variant.parquet'"), "1")

    def test_a_time_with_its_zone_is_not_read_as_a_time(self):
        self.write("SELECT 1 AS id, TIMETZ '10:00:00+02' AS x", "zoned.parquet")
        self.assert_refused("SELECT x FROM 'zoned.parquet'", "it is TIME WITH TIME ZONE")
        self.write("SELECT TIME '10:00:00' AS x", "plain.parquet")
        self.assertEqual(self.value("SELECT x FROM 'plain.parquet'"), "10:00:00")

    def test_a_list_of_too_many_numbers_is_refused_before_it_is_made(self):
        for call in (
            "range(1000000000)",
            "range(1000000000000)[1]",
            "generate_series(1, 134217729)",
        ):
            self.assert_refused(f"SELECT {call}", "134,217,728")


class BothPlanners(RefusalTest):
    def test_a_refusal_is_kept_where_duckdb_may_read_no_file(self):
        self.csv_file()
        self.table("t")
        self.assert_refused(
            "FROM read_text('t.parquet')", "the table function read_text", lacks=["Permission"]
        )
        self.assert_refused(
            "PIVOT 't.parquet' ON s USING sum(a)", "is not supported", lacks=["Permission"]
        )

    def test_a_column_that_is_not_read_is_named_where_duckdb_takes_it_for_text(self):
        path = self.rows / "wide.parquet"
        values = pyarrow.array([decimal.Decimal(1)], pyarrow.decimal256(40, 2))
        pyarrow.parquet.write_table(pyarrow.table({"d": values}), path)
        self.assert_refused(
            f"SELECT sum(d) FROM '{path}'", "cannot be read: it is DECIMAL(40,2)", lacks=["VARCHAR"]
        )

    def test_a_refusal_is_kept_where_duckdb_does_not_write_its_plan(self):
        self.assert_refused("SELECT '101'::BIT", "the type BIT", lacks=["JSON"])
        self.assert_refused(
            "SELECT 123456789012345678901234567890123456789012", "38 digits", lacks=["JSON"]
        )

    def test_a_refusal_is_kept_where_duckdb_has_no_such_form(self):
        self.table("t")
        for form, what in (
            ("WHERE a BETWEEN SYMMETRIC 3 AND 1", "BETWEEN SYMMETRIC"),
            ("ORDER BY a USING >", "ORDER BY ... USING"),
            ("; SELECT 2", "more than one statement"),
        ):
            self.assert_refused(
                f"SELECT a FROM 't.parquet' {form}", what, "is not supported", lacks=["DuckDB"]
            )

    def test_a_refusal_of_the_same_operator_has_its_place(self):
        self.table("t")
        self.table("u")
        statement = "SELECT * FROM 't.parquet' t POSITIONAL JOIN 'u.parquet' u"
        self.assert_refused(statement, "POSITIONAL JOIN is not supported", lacks=["operator"])
        self.assertEqual(self.caret(statement), "POSITIONAL JOIN 'u.parquet' u")

    def test_errors_of_the_statement_are_those_of_duckdb(self):
        self.table("t")
        self.assert_refused("SELECT initcap(s) FROM 't.parquet'", "Catalog Error")
        self.assert_refused("SELECT [1, 2] FRO 't.parquet'", "Parser Error", lacks=["a list"])

    def test_a_refusal_before_the_first_table_points_at_its_expression(self):
        self.table("t")
        self.assertEqual(
            self.caret("SELECT a, [1, random()] FROM 't.parquet'"), "random()] FROM 't.parquet'"
        )

    def test_a_refusal_without_a_place_points_nowhere(self):
        self.table("t")
        self.assertIsNone(
            self.caret("SELECT median(a) OVER (ORDER BY a ROWS 2 PRECEDING) FROM 't.parquet'")
        )

    def test_lists_of_candidates_are_left_out(self):
        self.table("t")
        self.assert_refused(
            "SELECT sum(a) OVER (ORDER BY s RANGE 1 PRECEDING) FROM 't.parquet'",
            "Binder Error",
            lacks=["Candidate"],
        )

    def test_a_file_that_is_no_duckdb_is_named_behind_the_refusal(self):
        for program, why in (("/bin/true", "is no DuckDB"), ("/nowhere/x", "does not start")):
            ended = self.query("SELECT median(1)", PENSTOCK_DUCKDB=program)
            self.assert_fails(ended, "the function median", program, why)


class WithoutDuckDB(RefusalTest):
    def assert_named(self, rows, *words):
        self.table("t")
        self.table("u")
        self.table("n")
        self.assert_refused(rows, *words, "pip install duckdb-cli", planner="none")

    def test_forms_that_the_parser_takes_for_names_are_named(self):
        for rows, what in (
            ("FROM 't.parquet' PIVOT (sum(a) FOR s IN ('s0'))", "PIVOT"),
            ("FROM 'u.parquet' UNPIVOT (v FOR k IN (x, a))", "UNPIVOT"),
            ("SELECT * FROM 't.parquet' POSITIONAL JOIN 'u.parquet'", "POSITIONAL JOIN"),
            (
                "SELECT * FROM 't.parquet' t ASOF RIGHT JOIN 'u.parquet' u ON t.a >= u.a",
                "ASOF JOIN",
            ),
            ("SELECT * FROM 't.parquet' TABLESAMPLE bernoulli(50%)", "TABLESAMPLE"),
            ("SELECT * LIKE 'd%' FROM 't.parquet'", "* LIKE"),
            ("SELECT lag(a IGNORE NULLS) OVER () FROM 't.parquet'", "IGNORE NULLS"),
            ("SELECT a FROM 't.parquet' WHERE a = ?", "a parameter"),
        ):
            self.assert_named(rows, f"{what} is not supported")

    def test_another_syntax_error_says_that_duckdb_may_read_it(self):
        self.assert_named("SELECT 0x1F", "if DuckDB reads the statement")

    def test_a_misspelt_keyword_has_no_hint(self):
        self.table("t")
        self.assert_refused("SELECT a FRM 't.parquet'", planner="none", lacks=["pip install"])

    def test_what_duckdb_casts_is_refused_and_not_called_wrong(self):
        for rows in (
            "SELECT a FROM 't.parquet' WHERE s",
            "SELECT a FROM 't.parquet' WHERE a = s",
            "SELECT NOT s FROM 't.parquet'",
            "SELECT avg(ts) FROM 't.parquet'",
            "SELECT max(a, 2) FROM 't.parquet'",
            "SELECT t FROM 't.parquet' t",
        ):
            self.assert_named(rows, "unsupported")

    def test_a_field_by_a_dot_names_the_function(self):
        self.assert_named("SELECT st.p FROM 'n.parquet'", "struct_extract(st, 'p')")

    def test_an_error_beside_refusals_keeps_the_hint(self):
        self.assert_named("SELECT a, median(a) FROM 't.parquet'", "the function median")


class Explanations(RefusalTest):
    def test_explain_takes_one_device(self):
        for devices in ("cpu:0,cuda:0", "cpu:0,cpu:1"):
            ended = self.query("SELECT 1", "--explain", "--device", devices)
            self.assert_fails(ended, "explaining takes one device", devices)


main()
