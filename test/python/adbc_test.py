"""The ADBC driver through adbc_driver_manager: answers are DuckDB's, errors have ADBC's codes."""

import datetime
import decimal
import pathlib
import tempfile
import threading
import time
import unittest

import driver

try:
    import adbc_driver_manager
    import duckdb
    import pyarrow
    import pyarrow.parquet
    from adbc_driver_penstock import dbapi
except ImportError as error:
    driver.skip_all(error)

UTC = datetime.timezone.utc
VALUES = {
    "tiny": pyarrow.scalar(-128, pyarrow.int8()),
    "big": pyarrow.scalar(-(2**63), pyarrow.int64()),
    "unsigned": pyarrow.scalar(2**64 - 1, pyarrow.uint64()),
    "real": pyarrow.scalar(0.1, pyarrow.float64()),
    "single": pyarrow.scalar(1.1, pyarrow.float32()),
    "infinite": pyarrow.scalar(float("-inf"), pyarrow.float64()),
    "truth": pyarrow.scalar(True),
    "text": pyarrow.scalar("it's ?, $1 \\ \u00e9"),
    "large_text": pyarrow.scalar("x", pyarrow.large_string()),
    "money": pyarrow.scalar(decimal.Decimal("-0.05"), pyarrow.decimal128(10, 2)),
    "wide": pyarrow.scalar(decimal.Decimal(10**37 + 1), pyarrow.decimal128(38, 0)),
    "day": pyarrow.scalar(datetime.date(1969, 12, 31)),
    "moment": pyarrow.scalar(datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)),
    "instant": pyarrow.scalar(datetime.datetime(2024, 7, 1, 12, tzinfo=UTC)),
    "clock": pyarrow.scalar(datetime.time(23, 59, 59, 1)),
    "bytes": pyarrow.scalar(b"\x00'\\\xff"),
    "missing": pyarrow.scalar(None, pyarrow.date32()),
}
NUMBERS = pyarrow.table({"n": pyarrow.array([3, 1, None, 2], pyarrow.int64())})
SALES = pyarrow.table(
    {
        "shop": pyarrow.array(["a", "b", None, "a"] * 50),
        "price": pyarrow.array([1.5, 2.5, 3.5, None] * 50),
        "day": pyarrow.array([datetime.date(2020, 1, 1 + i % 28) for i in range(200)]),
        "amount": pyarrow.array([decimal.Decimal("1.25")] * 200, pyarrow.decimal128(15, 2)),
    }
)
ENDLESS = (
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n % 7 + 1 FROM r) SELECT count(*) FROM r"
)


def plain(table):
    """Rows in UTC, as sessions of DuckDB and Penstock have other zones."""
    return [
        {
            name: value.astimezone(UTC) if getattr(value, "tzinfo", None) else value
            for name, value in row.items()
        }
        for row in table.to_pylist()
    ]


class Connected(unittest.TestCase):
    def setUp(self):
        self.connection = dbapi.connect(device="cpu:0")
        self.addCleanup(self.connection.close)
        self.cursor = self.connection.cursor()
        self.addCleanup(self.cursor.close)

    def rows(self, statement, parameters=None):
        return self.cursor.execute(statement, parameters).fetchall()

    def ingest(self, data, mode="create", name="t"):
        return self.cursor.adbc_ingest(name, data, mode=mode)

    def assert_raises(self, kind, code, call, *arguments):
        with self.assertRaises(kind) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.status_code, code)
        return caught.exception


class AnswersAreDuckDBs(Connected):
    def compare(self, statement, parameters=None):
        with duckdb.connect() as connection:
            connection.register("sales", SALES)
            expected = connection.execute(statement, parameters or []).to_arrow_table()
        actual = self.cursor.execute(statement, parameters).fetch_arrow_table()
        self.assertEqual(actual.schema.names, expected.schema.names)
        self.assertEqual(plain(actual), plain(expected))
        return actual

    def setUp(self):
        super().setUp()
        self.ingest(SALES, name="sales")

    def test_groups(self):
        self.compare(
            "SELECT shop, sum(price) AS s, count(*) AS c, max(day) AS d, sum(amount) AS a"
            " FROM sales GROUP BY shop ORDER BY shop NULLS LAST"
        )

    def test_parameters_in_their_order(self):
        self.compare(
            "SELECT price, ? AS given FROM sales WHERE price > ? AND shop = ?", ["x", 1.0, "b"]
        )

    def test_parameters_by_number(self):
        self.compare("SELECT $2 || $1 || $2 AS s", ["one", "two"])

    def test_parameters_by_name(self):
        self.compare(
            "SELECT count(*) AS c FROM sales WHERE day > $first AND price < $most",
            {"most": 3, "first": datetime.date(2020, 1, 5)},
        )

    def test_a_limit_is_a_parameter(self):
        self.compare("SELECT day FROM sales ORDER BY day LIMIT ? OFFSET ?", [5, 3])

    def test_values_in_a_list(self):
        self.compare("SELECT count(*) AS c FROM sales WHERE shop IN (?, ?)", ["a", "c"])


class Parameters(Connected):
    def test_every_type_comes_back_as_it_was_given(self):
        for name, value in VALUES.items():
            with self.subTest(name):
                batch = pyarrow.record_batch({"0": pyarrow.array([value.as_py()], value.type)})
                table = self.cursor.execute("SELECT ? AS v", batch).fetch_arrow_table()
                got = table.column("v")[0]
                expected = value.as_py()
                if name == "instant":
                    self.assertEqual(got.as_py().astimezone(UTC), expected)
                    continue
                self.assertEqual(got.as_py(), expected)
                wanted = pyarrow.string() if name == "large_text" else value.type
                self.assertEqual(got.type, wanted)

    def test_a_statement_runs_once_for_each_row(self):
        batch = pyarrow.record_batch({"0": pyarrow.array([1, None, 3]), "1": ["a", "b", None]})
        self.assertEqual(
            self.rows("SELECT ? AS n, ? AS s", batch), [(1, "a"), (None, "b"), (3, None)]
        )
        self.assertEqual(self.cursor.rowcount, -1)

    def test_executemany_counts_the_rows(self):
        self.ingest(NUMBERS)
        self.cursor.executemany("SELECT n FROM t WHERE n >= ?", [[1], [2], [5]])
        self.assertEqual(self.cursor.rowcount, 5)

    def test_no_row_of_parameters_yields_no_row(self):
        batch = pyarrow.record_batch({"0": pyarrow.array([], pyarrow.int32())})
        table = self.cursor.execute("SELECT ? + 1 AS n", batch).fetch_arrow_table()
        self.assertEqual(table.num_rows, 0)
        self.assertEqual(table.schema.field("n").type, pyarrow.int32())

    def test_values_of_one_execution_are_not_those_of_the_next(self):
        self.assertEqual(self.rows("SELECT ? AS v", [1]), [(1,)])
        self.assert_raises(
            dbapi.ProgrammingError,
            adbc_driver_manager.AdbcStatusCode.INVALID_STATE,
            self.rows,
            "SELECT ? AS v",
        )

    def test_none_is_null_of_any_type(self):
        self.ingest(SALES)
        self.assertEqual(self.rows("SELECT ? IS NULL AS a, ? AS b", [None, 1]), [(True, 1)])
        self.assertEqual(self.rows("SELECT count(*) FROM t WHERE shop = ?", [None]), [(0,)])
        self.assertEqual(self.rows("SELECT count(*) FROM t WHERE price > $p", {"p": None}), [(0,)])

    def test_text_is_never_syntax(self):
        self.ingest(NUMBERS)
        self.assertEqual(self.rows("SELECT n FROM t WHERE ? = 'x'", ["' OR 1=1 --"]), [])

    def test_a_wrong_number_of_values_is_an_error(self):
        for values in ([1], [1, 2, 3]):
            self.assert_raises(
                dbapi.ProgrammingError,
                adbc_driver_manager.AdbcStatusCode.INVALID_ARGUMENT,
                self.rows,
                "SELECT ?, ?",
                values,
            )

    def test_the_schema_of_parameters_has_their_names(self):
        self.cursor.adbc_prepare("SELECT 1")
        self.assertEqual(self.cursor.adbc_prepare("SELECT ?, ?").names, ["1", "2"])
        self.assertEqual(self.cursor.adbc_prepare("SELECT $b + $a + $b").names, ["b", "a"])


class Ingestion(Connected):
    def test_create_makes_a_table_once(self):
        self.assertEqual(self.ingest(NUMBERS), 4)
        self.assertEqual(self.rows("SELECT sum(n), count(*) FROM T"), [(6, 4)])
        self.assert_raises(
            dbapi.ProgrammingError,
            adbc_driver_manager.AdbcStatusCode.ALREADY_EXISTS,
            self.ingest,
            NUMBERS,
        )

    def test_append_adds_rows(self):
        self.ingest(NUMBERS)
        self.assertEqual(self.rows("SELECT count(*) FROM t"), [(4,)])
        self.ingest(NUMBERS, "append")
        self.ingest(NUMBERS.to_reader(), "append")
        self.assertEqual(self.rows("SELECT sum(n), count(*) FROM t"), [(18, 12)])

    def test_null_follows_rows_without_it(self):
        full = pyarrow.record_batch({"n": pyarrow.array([7], pyarrow.int64())})
        self.ingest(full)
        self.ingest(NUMBERS.to_batches()[0], "append")
        self.assertEqual(self.rows("SELECT count(*), count(n), sum(n) FROM t"), [(5, 4, 13)])

    def test_append_needs_a_table_with_the_same_columns(self):
        code = adbc_driver_manager.AdbcStatusCode
        self.assert_raises(dbapi.ProgrammingError, code.NOT_FOUND, self.ingest, NUMBERS, "append")
        self.ingest(NUMBERS)
        other = pyarrow.table({"n": pyarrow.array([1], pyarrow.int32())})
        self.assert_raises(
            dbapi.ProgrammingError, code.ALREADY_EXISTS, self.ingest, other, "append"
        )
        self.assertEqual(self.rows("SELECT count(*) FROM t"), [(4,)])

    def test_replace_takes_the_place_of_other_columns(self):
        self.ingest(NUMBERS, "replace")
        self.ingest(SALES, "replace")
        self.assertEqual(self.rows("SELECT count(shop) FROM t"), [(150,)])

    def test_create_append_does_either(self):
        self.ingest(NUMBERS, "create_append")
        self.ingest(NUMBERS, "create_append")
        self.assertEqual(self.rows("SELECT count(*) FROM t"), [(8,)])

    def test_no_rows_make_a_table(self):
        self.assertEqual(self.ingest(NUMBERS.schema.empty_table()), 0)
        self.assertEqual(self.rows("SELECT n FROM t"), [])

    def test_every_type_is_read_back(self):
        arrays = {
            name: pyarrow.array([value.as_py(), None], value.type) for name, value in VALUES.items()
        }
        self.ingest(pyarrow.table(arrays))
        table = self.cursor.execute("SELECT * FROM t").fetch_arrow_table()
        self.assertEqual(plain(table), plain(pyarrow.table(arrays)))

    def test_another_connection_reads_the_table(self):
        self.ingest(NUMBERS)
        database = self.connection.adbc_database
        with adbc_driver_manager.AdbcConnection(database) as other:
            self.assertEqual(other.get_table_schema(None, None, "t").address != 0, True)

    def test_statements_make_tables_of_it(self):
        self.ingest(NUMBERS)
        self.cursor.execute("CREATE TABLE u AS SELECT n * 2 AS n FROM t WHERE n > 1")
        self.assertEqual(self.cursor.rowcount, 2)
        self.cursor.execute("CREATE VIEW v AS SELECT * FROM u")
        self.assertEqual(self.rows("SELECT sum(n) FROM v"), [(10,)])
        self.cursor.execute("DROP TABLE t")
        self.assertEqual(self.ingest(NUMBERS), 4)

    def test_rows_outlive_their_table(self):
        self.ingest(NUMBERS)
        reader = self.cursor.execute("SELECT n FROM t").fetch_record_batch()
        with self.connection.cursor() as other:
            other.execute("DROP TABLE t")
        self.assertEqual(reader.read_all().num_rows, 4)

    def test_a_type_that_is_not_read_is_refused_by_name(self):
        data = pyarrow.table({"d": pyarrow.array([1], pyarrow.duration("s"))})
        refused = self.assert_raises(
            dbapi.NotSupportedError,
            adbc_driver_manager.AdbcStatusCode.NOT_IMPLEMENTED,
            self.ingest,
            data,
        )
        self.assertIn("'d'", str(refused))


class Objects(Connected):
    def objects(self, **options):
        return self.connection.adbc_get_objects(**options).read_all().to_pylist()

    def tables(self, **options):
        (catalog,) = self.objects(**options)
        (schema,) = catalog["catalog_db_schemas"]
        return {table["table_name"]: table for table in schema["db_schema_tables"]}

    def setUp(self):
        super().setUp()
        self.ingest(NUMBERS, name="numbers")
        self.ingest(SALES, name="sales")
        self.cursor.execute("CREATE VIEW seen AS SELECT * FROM numbers")

    def test_a_depth_ends_with_null(self):
        self.assertEqual(
            self.objects(depth="catalogs"), [{"catalog_name": "", "catalog_db_schemas": None}]
        )
        self.assertEqual(
            self.objects(depth="db_schemas")[0]["catalog_db_schemas"],
            [{"db_schema_name": "main", "db_schema_tables": None}],
        )
        for table in self.tables(depth="tables").values():
            self.assertIsNone(table["table_columns"])

    def test_tables_and_views_have_their_kinds(self):
        kinds = {name: table["table_type"] for name, table in self.tables().items()}
        self.assertEqual(kinds, {"numbers": "table", "sales": "table", "seen": "view"})
        self.assertEqual(self.connection.adbc_get_table_types(), ["table", "view"])
        self.assertEqual(list(self.tables(table_types_filter=["view"])), ["seen"])

    def test_columns_have_places_and_types(self):
        columns = self.tables(table_name_filter="sales")["sales"]["table_columns"]
        self.assertEqual(
            [(c["column_name"], c["ordinal_position"], c["xdbc_type_name"]) for c in columns],
            [
                ("shop", 1, "VARCHAR"),
                ("price", 2, "DOUBLE"),
                ("day", 3, "DATE"),
                ("amount", 4, "DECIMAL(15,2)"),
            ],
        )

    def test_filters_are_patterns(self):
        self.assertEqual(list(self.tables(table_name_filter="s%")), ["sales", "seen"])
        self.assertEqual(list(self.tables(table_name_filter="s__n")), ["seen"])
        self.assertEqual(list(self.tables(table_name_filter="%e%s")), ["numbers", "sales"])
        columns = self.tables(column_name_filter="%a%")["sales"]["table_columns"]
        self.assertEqual([c["column_name"] for c in columns], ["day", "amount"])
        self.assertEqual(self.objects(catalog_filter="other"), [])
        self.assertEqual(self.objects(db_schema_filter="other")[0]["catalog_db_schemas"], [])

    def test_a_table_has_a_schema_of_arrow(self):
        schema = self.connection.adbc_get_table_schema("sales")
        self.assertEqual(schema, SALES.schema)
        self.assertEqual(
            self.connection.adbc_get_table_schema("seen", db_schema_filter="main").names, ["n"]
        )
        self.assert_raises(
            dbapi.ProgrammingError,
            adbc_driver_manager.AdbcStatusCode.NOT_FOUND,
            self.connection.adbc_get_table_schema,
            "missing",
        )

    def test_a_view_whose_file_is_gone_has_no_columns(self):
        self.cursor.execute("CREATE VIEW lost AS SELECT * FROM 'lost.parquet'")
        tables = self.tables()
        self.assertIsNone(tables["lost"]["table_columns"])
        self.assertEqual(len(tables["numbers"]["table_columns"]), 1)

    def statistics(self, **options):
        (catalog,) = self.connection.adbc_get_statistics(**options).read_all().to_pylist()
        (schema,) = catalog["catalog_db_schemas"]
        return {
            (row["table_name"], row["column_name"], row["statistic_key"]): row["statistic_value"]
            for row in schema["db_schema_statistics"]
        }

    def test_statistics_count_rows_and_nulls(self):
        rows, nulls = 6, 5
        found = self.statistics(approximate=False)
        self.assertEqual(found["numbers", None, rows], 4)
        self.assertEqual(found["sales", None, rows], 200)
        self.assertEqual(found["seen", None, rows], 4)
        counts = {column: count for (_, column, key), count in found.items() if key == nulls}
        self.assertEqual(counts, {"n": 1, "shop": 50, "price": 50, "day": 0, "amount": 0})
        self.assertEqual(
            self.statistics(), {("numbers", None, rows): 4, ("sales", None, rows): 200}
        )
        self.assertEqual(next(iter(self.statistics(table_name_filter="NUMBERS")))[0], "numbers")
        self.assertEqual(self.connection.adbc_get_statistic_names().read_all().num_rows, 0)

    def test_info_names_the_driver(self):
        info = self.connection.adbc_get_info()
        self.assertEqual(info["vendor_name"], "Penstock")
        self.assertEqual(info["driver_adbc_version"], 1001000)


class Folders(unittest.TestCase):
    def test_files_of_a_folder_are_views(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            pyarrow.parquet.write_table(NUMBERS, folder / "Numbers.parquet")
            (folder / "words.csv").write_text("w,n\na,1\nb,2\n")
            (folder / "notes.md").write_text("no table")
            (folder / "_hidden.csv").write_text("a\n1\n")
            (folder / "parts").mkdir()
            pyarrow.parquet.write_table(NUMBERS, folder / "parts" / "1.parquet")
            for uri in (name, folder, f"file://{name}"):
                with dbapi.connect(uri, device="cpu:0") as connection:
                    cursor = connection.cursor()
                    cursor.execute(
                        "SELECT w, count(*) FROM numbers JOIN words USING (n) GROUP BY w"
                    )
                    self.assertEqual(sorted(cursor.fetchall()), [("a", 1), ("b", 1)])
                    cursor.execute("SELECT count(n) FROM parts")
                    self.assertEqual(cursor.fetchone(), (3,))
                    tables = connection.adbc_get_objects(depth="tables").read_all()
                    listed = tables.to_pylist()[0]["catalog_db_schemas"][0]["db_schema_tables"]
                    self.assertEqual(
                        [table["table_name"] for table in listed], ["Numbers", "parts", "words"]
                    )
                    cursor.close()

    def test_a_folder_that_is_missing_is_an_error(self):
        for uri in ("/no/such/folder", "postgres://host/database"):
            with self.assertRaises(dbapi.Error):
                dbapi.connect(uri)

    def test_options_are_checked(self):
        for options in (
            {"planner": "oracle"},
            {"cache_limit_bytes": "1 GB"},
            {"db_kwargs": {"penstock.nothing": "1"}},
        ):
            with self.subTest(options), self.assertRaises(dbapi.Error):
                dbapi.connect(**options)


class Errors(Connected):
    def test_a_column_that_is_missing_is_the_programs_error(self):
        self.ingest(NUMBERS)
        raised = self.assert_raises(
            dbapi.ProgrammingError,
            adbc_driver_manager.AdbcStatusCode.INVALID_ARGUMENT,
            self.rows,
            "SELECT prize FROM t",
        )
        self.assertIn("prize", str(raised))
        self.assertEqual(raised.sqlstate, "42000")
        self.assertIn(("penstock.code", b"invalid"), [_pair(d) for d in raised.details])

    def test_a_value_out_of_range_is_the_datas_error(self):
        self.ingest(pyarrow.table({"n": pyarrow.array([2**63 - 1], pyarrow.int64())}))
        self.assert_raises(
            dbapi.DataError,
            adbc_driver_manager.AdbcStatusCode.INVALID_DATA,
            self.rows,
            "SELECT n + 1 FROM t",
        )

    def test_a_statement_without_text_has_the_wrong_state(self):
        statement = adbc_driver_manager.AdbcStatement(self.connection.adbc_connection)
        self.addCleanup(statement.close)
        self.assert_raises(
            dbapi.ProgrammingError,
            adbc_driver_manager.AdbcStatusCode.INVALID_STATE,
            statement.execute_query,
        )

    def test_there_is_no_transaction_to_end(self):
        low_level = self.connection.adbc_connection
        for call in (low_level.commit, low_level.rollback):
            self.assert_raises(
                dbapi.ProgrammingError, adbc_driver_manager.AdbcStatusCode.INVALID_STATE, call
            )
        self.assert_raises(
            dbapi.NotSupportedError,
            adbc_driver_manager.AdbcStatusCode.NOT_IMPLEMENTED,
            self.connection.adbc_connection.set_autocommit,
            False,
        )

    def test_the_next_statement_runs_after_an_error(self):
        with self.assertRaises(dbapi.Error):
            self.rows("SELECT FROM WHERE")
        self.assertEqual(self.rows("SELECT 1"), [(1,)])

    def test_bytes_that_are_no_plan_are_refused(self):
        with self.assertRaises(dbapi.Error):
            self.cursor.execute(b"SELECT 1")


def _pair(detail):
    key, value = detail
    return (key.decode() if isinstance(key, bytes) else key, value)


class Cancelling(Connected):
    def test_another_thread_ends_a_statement(self):
        outcome = []

        def run():
            try:
                self.cursor.execute(ENDLESS)
            except dbapi.Error as error:
                outcome.append(error.status_code)

        thread = threading.Thread(target=run)
        thread.start()
        deadline = time.monotonic() + 60
        while thread.is_alive() and time.monotonic() < deadline:
            time.sleep(0.05)
            self.cursor.adbc_cancel()
        thread.join(5)
        self.assertEqual(outcome, [adbc_driver_manager.AdbcStatusCode.CANCELLED])
        self.assertEqual(self.rows("SELECT 1"), [(1,)])


class Statements(Connected):
    def test_the_schema_is_that_of_the_rows(self):
        self.ingest(SALES)
        statement = "SELECT shop, price * 2 AS p, day, amount FROM t"
        schema = self.cursor.adbc_execute_schema(statement)
        self.assertEqual(schema, self.cursor.execute(statement).fetch_arrow_table().schema)

    def test_semicolons_end_a_statement(self):
        self.assertEqual(self.rows("SELECT ';' AS s;\n ;"), [(";",)])

    def test_description_has_names(self):
        self.cursor.execute("SELECT 1 AS a, 'x' AS b")
        self.assertEqual([column[0] for column in self.cursor.description], ["a", "b"])

    def test_a_plan_of_substrait_is_answered(self):
        try:
            import datafusion
            from datafusion import substrait
        except ImportError:
            self.skipTest("datafusion is not installed")
        self.ingest(NUMBERS)
        context = datafusion.SessionContext()
        context.register_record_batches("t", [NUMBERS.to_batches()])
        plan = substrait.Serde.serialize_bytes("SELECT n + 1 AS m FROM t WHERE n > 1", context)
        self.assertEqual(sorted(self.cursor.execute(plan).fetchall()), [(3,), (4,)])

    def test_statements_of_one_connection_overlap(self):
        self.ingest(NUMBERS)
        answers = []

        def ask():
            with self.connection.cursor() as cursor:
                answers.append(cursor.execute("SELECT sum(n) FROM t").fetchone())

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [(6,)] * 4)


if __name__ == "__main__":
    driver.main()
