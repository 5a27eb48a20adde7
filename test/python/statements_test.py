"""Statements to a session: SHOW, SET, INSERT, DELETE, UPDATE, information_schema. DuckDB answers too."""

import datetime
import decimal
import pathlib
import tempfile
import threading
import unittest

import driver

try:
    import duckdb
    import pyarrow
    from adbc_driver_penstock import dbapi
except ImportError as error:
    driver.skip_all(error)

ROWS = pyarrow.table(
    {
        "a": pyarrow.array([1, 2, None, 4], pyarrow.int32()),
        "b": ["x", None, "z", "it's"],
        "c": pyarrow.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.50"), None]).cast(
            pyarrow.decimal128(9, 2)
        ),
        "d": [datetime.date(2020, 1, 1), None, datetime.date(1969, 12, 31), None],
    }
)


class Statements(unittest.TestCase):
    """One session of each, which get the same statements."""

    def setUp(self):
        self.connection = dbapi.connect(device="cpu:0")
        self.addCleanup(self.connection.close)
        self.cursor = self.connection.cursor()
        self.addCleanup(self.cursor.close)
        self.oracle = duckdb.connect()
        self.addCleanup(self.oracle.close)
        self.cursor.adbc_ingest("t", ROWS)
        self.oracle.register("rows", ROWS)
        self.oracle.execute("CREATE TABLE t AS SELECT * FROM rows")
        self.oracle.unregister("rows")

    def ask(self, statement):
        return self.cursor.execute(statement).fetch_arrow_table()

    def both(self, *statements):
        """Compares names and rows of the last statement; each changes as many rows in both."""
        for statement in statements:
            expected = self.oracle.execute(statement).to_arrow_table()
            actual = self.ask(statement)
            if expected.column_names not in (["Count"], ["Success"]):
                self.assertEqual(actual.column_names, expected.column_names, statement)
            if expected.num_rows > 0:
                self.assertEqual(actual.to_pylist(), expected.to_pylist(), statement)

    def refused(self, statement, *words):
        with self.assertRaises(dbapi.Error) as caught:
            self.ask(statement)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def all_rows(self):
        return "SELECT * FROM t ORDER BY a NULLS LAST, b NULLS LAST, c NULLS LAST"


class Listing(Statements):
    def test_tables_are_listed(self):
        self.both("CREATE VIEW v AS SELECT a, b FROM t WHERE a > 1", "SHOW TABLES")
        self.both("SHOW ALL TABLES", "DESCRIBE", "PRAGMA show_tables", "SHOW TABLES FROM main")

    def test_columns_are_listed(self):
        self.both("SHOW t", "DESCRIBE t", "PRAGMA table_info('t')")

    def test_schemas_and_databases_are_listed(self):
        self.both("SHOW SCHEMAS", "SHOW DATABASES")

    def test_information_schema_has_duckdbs_columns(self):
        self.both("CREATE VIEW v AS SELECT b, c FROM t")
        self.both("SELECT * FROM information_schema.tables ORDER BY table_name")
        self.both("SELECT * FROM information_schema.columns ORDER BY table_name, ordinal_position")

    def test_information_schema_is_joined_and_qualified(self):
        self.both(
            "SELECT tables.table_type, count(*) AS n FROM information_schema.tables JOIN"
            " information_schema.columns AS c USING (table_name) WHERE c.data_type LIKE '%INT%'"
            " GROUP BY ALL"
        )
        self.both(
            "SELECT schema_name FROM information_schema.schemata WHERE catalog_name = 'memory'"
        )

    def test_information_schema_is_read_anew(self):
        counted = "SELECT count(*) AS n FROM information_schema.tables"
        self.both(counted, "CREATE TABLE u AS SELECT 1 AS x", counted, "DROP TABLE u", counted)

    def test_both_planners_know_the_schema(self):
        for planner in ("own", "duckdb"):
            self.ask(f"SET planner = '{planner}'")
            names = self.ask("SELECT table_name FROM information_schema.tables").to_pylist()
            self.assertEqual(names, [{"table_name": "t"}])
            self.assertEqual(self.ask("SELECT a FROM main.t AS x WHERE x.a = 4").num_rows, 1)


class Explaining(Statements):
    def test_a_plan_has_duckdbs_columns(self):
        for statement in (
            "EXPLAIN SELECT sum(a) FROM t",
            "EXPLAIN CREATE TABLE u AS SELECT a FROM t",
            "EXPLAIN INSERT INTO t SELECT * FROM t",
        ):
            table = self.ask(statement)
            names = self.oracle.execute(statement).to_arrow_table().column_names
            self.assertEqual(table.column_names, names)
            self.assertEqual(table.num_rows, 1)
            self.assertIn("Operators", table.column("explain_value")[0].as_py())
        self.both("SHOW TABLES", self.all_rows())

    def test_no_row_is_read(self):
        plan = self.ask("EXPLAIN SELECT CAST(b AS INTEGER) FROM t").column("explain_value")[0]
        self.assertIn("scan", plan.as_py())

    def test_what_has_no_plan_is_refused(self):
        self.refused("EXPLAIN SHOW TABLES", "EXPLAIN of a statement without a SELECT")
        self.refused("EXPLAIN ANALYZE SELECT 1", "penstock profile")


class Settings(Statements):
    def shown(self, name):
        return self.ask(f"SHOW {name}").column(0)[0].as_py()

    def test_a_setting_is_kept_and_reset(self):
        before = self.shown("planner")
        self.ask("SET planner = 'own'")
        self.assertEqual(self.shown("planner"), "own")
        self.refused("SELECT median(a) FROM t", "median")  # of DuckDB's planner
        self.ask("RESET planner")
        self.assertEqual(self.shown("planner"), before)
        self.both("SELECT median(a) AS m FROM t")

    def test_names_and_spellings_are_duckdbs(self):
        for statement in (
            "SET threads = 1",
            "SET threads TO 2",
            "PRAGMA threads = 2",
            "set WORKER_THREADS = 1",
            "SET memory_limit = '1GB'",
            "SET max_memory = '512 MiB'",
            "RESET threads",
            "SET schema = 'main'",
        ):
            self.oracle.execute(statement)
            self.ask(statement)
        self.assertEqual(self.shown("memory_limit"), "536870912 bytes")
        self.both("SELECT sum(a) AS s FROM t")

    def test_a_setting_that_there_is_not_is_named(self):
        self.refused("SET nonsense = 3", "nonsense", "memory_limit")
        self.refused("PRAGMA nonsense", "nonsense")
        self.refused("SHOW nonsense", "nonsense")

    def test_a_value_that_no_setting_takes_is_refused(self):
        for setting in ("threads = 0", "threads = 'x'", "memory_limit = '4'", "planner = 'x'"):
            self.refused(f"SET {setting}", "is not")
        self.refused("SET schema = 'other'", "one schema")
        self.refused("SET TimeZone = 'Asia/Tokyo'", "TZ")


class Transactions(Statements):
    def test_begin_and_commit_are_answered(self):
        self.both("BEGIN", "INSERT INTO t (a) VALUES (9)", "COMMIT", self.all_rows())
        self.both("START TRANSACTION", "SELECT 1 AS one", "END TRANSACTION")

    def test_nothing_is_rolled_back_as_if_it_were(self):
        self.both("BEGIN", "SELECT 1 AS one", "ROLLBACK")
        self.ask("BEGIN TRANSACTION")
        self.ask("DELETE FROM t")
        self.refused("ROLLBACK", "each statement is a transaction of its own")
        self.assertEqual(self.ask("SELECT * FROM t").num_rows, 0)


class Creating(Statements):
    def test_columns_make_an_empty_table(self):
        self.both(
            'CREATE TABLE u (i INTEGER, "Some name" VARCHAR(20), d DECIMAL(7, 3) NULL,'
            " t TIMESTAMP WITH TIME ZONE, x DOUBLE, l BIGINT)",
            "DESCRIBE u",
            "SELECT * FROM u",
        )

    def test_replace_and_if_not_exists(self):
        self.both(
            "CREATE OR REPLACE TABLE t (a BIGINT)",
            "CREATE TABLE IF NOT EXISTS t (z INTEGER)",
            "INSERT INTO t VALUES (5)",
            "SELECT * FROM t",
            "CREATE OR REPLACE TABLE t AS SELECT a + 1 AS a FROM t",
            "SELECT * FROM main.t",
        )

    def test_drop_takes_cascade_and_the_schema(self):
        self.both("CREATE VIEW main.v AS SELECT a FROM main.t", "SELECT max(a) AS m FROM main.v")
        self.both("DROP VIEW IF EXISTS main.v CASCADE", "DROP VIEW IF EXISTS v", "SHOW TABLES")
        self.both("DROP TABLE memory.main.t RESTRICT", "SHOW TABLES")

    def test_a_constraint_is_refused_by_its_name(self):
        for constraint in ("PRIMARY KEY", "NOT NULL", "UNIQUE", "DEFAULT 3", "CHECK (i > 1)"):
            self.refused(f"CREATE TABLE u (i INTEGER {constraint})", constraint.split()[0])
        self.refused("CREATE TABLE u (i INTEGER, PRIMARY KEY (i))", "PRIMARY")
        self.refused("CREATE TABLE u (i INTEGER, I BIGINT)", "named twice")
        self.refused("CREATE TABLE u (i)", "a type is expected")


class Inserting(Statements):
    def test_values(self):
        self.both(
            "INSERT INTO t VALUES (7, 'new', 1.255, '2024-02-29'), (NULL, NULL, NULL, NULL)",
            "INSERT INTO t VALUES (8.6, 8, '2', DATE '2000-01-01')",
            self.all_rows(),
        )

    def test_columns_by_name_and_in_another_order(self):
        self.both(
            "INSERT INTO t (b, a) VALUES ('q', 10)",
            "INSERT INTO t BY NAME SELECT 3.5 AS c, 11 AS a",
            "INSERT INTO t (a) (SELECT 12)",
            self.all_rows(),
        )

    def test_rows_of_a_select_and_of_the_table_itself(self):
        self.both(
            "INSERT INTO t SELECT * FROM t",
            "INSERT INTO t SELECT x.a + 100, y.b, x.c, y.d FROM t x JOIN t y ON x.a = y.a",
            "INSERT INTO t WITH q AS (SELECT 5 AS n) SELECT n, 'w', n, NULL FROM q",
            self.all_rows(),
        )

    def test_many_inserts_add_up(self):
        for i in range(200):
            self.ask(f"INSERT INTO t (a, b) VALUES ({i}, 'n{i % 7}')")
        table = self.ask("SELECT b, count(*) AS n, sum(a) AS s FROM t GROUP BY b ORDER BY b")
        self.oracle.execute("INSERT INTO t (a, b) SELECT range, 'n' || range % 7 FROM range(200)")
        expected = self.oracle.execute(
            "SELECT b, count(*) AS n, sum(a) AS s FROM t GROUP BY b ORDER BY b"
        )
        self.assertEqual(table.to_pylist(), expected.to_arrow_table().to_pylist())

    def test_threads_lose_no_row(self):
        def insert():
            with self.connection.cursor() as cursor:
                for i in range(25):
                    cursor.execute("INSERT INTO t (a) VALUES (?)", [i])

        threads = [threading.Thread(target=insert) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.ask("SELECT count(*) AS n FROM t").to_pylist(), [{"n": 104}])

    def test_rows_that_do_not_fit_change_nothing(self):
        for statement in (
            "INSERT INTO t VALUES (1)",
            "INSERT INTO t (a, a) VALUES (1, 2)",
            "INSERT INTO t (nope) VALUES (1)",
            "INSERT INTO t (a) VALUES ('text')",
            "INSERT INTO t (a) VALUES (3000000000)",
        ):
            with self.assertRaises(duckdb.Error):
                self.oracle.execute(statement)
            self.refused(statement)
        self.both(self.all_rows())

    def test_what_is_not_supported_is_named(self):
        self.refused("INSERT INTO t VALUES (1, 'x', 1, NULL) RETURNING a", "RETURNING")
        self.refused("INSERT INTO t VALUES (1, 'x', 1, NULL) ON CONFLICT DO NOTHING", "ON")
        self.refused("INSERT OR REPLACE INTO t VALUES (1, 'x', 1, NULL)", "INSERT OR")
        self.refused("INSERT INTO t DEFAULT VALUES", "DEFAULT")
        self.ask("CREATE VIEW v AS SELECT * FROM t")
        self.refused("INSERT INTO v VALUES (1, 'x', 1, NULL)", "is a view")


class Copying(Statements):
    def setUp(self):
        super().setUp()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_rows_of_a_file_are_added(self):
        for name, options in (("a.csv", ""), ("a.parquet", ""), ("b", " (FORMAT csv)")):
            file = self.folder / name
            with self.subTest(name):
                written = options or f" (FORMAT {file.suffix[1:]})"
                self.oracle.execute(f"COPY (SELECT * FROM t WHERE a = 4) TO '{file}'{written}")
                self.both(f"COPY t FROM '{file}'{options}", self.all_rows())

    def test_named_columns_are_filled(self):
        (self.folder / "c.csv").write_text("b,a\nq,7\n")
        self.both(f"COPY t (b, a) FROM '{self.folder}/c.csv'", self.all_rows())

    def test_what_is_not_supported_is_named(self):
        self.refused("COPY t FROM 'x.csv' (DELIMITER ';')", "DELIMITER")
        self.refused("COPY t FROM 'x' (FORMAT avro)", "AVRO")
        self.refused("COPY t FROM stdin", "a file's name")


class Changing(Statements):
    def test_rows_are_deleted(self):
        self.both("DELETE FROM t WHERE a > 1", self.all_rows())
        self.both("DELETE FROM t x WHERE x.b IS NULL OR x.c < 0", self.all_rows())
        self.both("DELETE FROM t", "SELECT count(*) AS n FROM t")

    def test_a_condition_reads_other_tables(self):
        self.both("CREATE TABLE gone AS SELECT 2 AS a UNION ALL SELECT 4")
        self.both("DELETE FROM main.t WHERE a IN (SELECT a FROM gone)", self.all_rows())

    def test_truncate_keeps_the_columns(self):
        self.both("TRUNCATE t", "DESCRIBE t", "INSERT INTO t (a) VALUES (1)", self.all_rows())

    def test_rows_are_updated(self):
        self.both("UPDATE t SET b = upper(b), a = a * 2 WHERE a = 1 OR b = 'z'", self.all_rows())
        self.both("UPDATE t AS x SET c = x.a + 0.125, d = '2001-02-03'", self.all_rows())
        self.both("UPDATE t SET a = NULL WHERE b IS DISTINCT FROM 'X'", self.all_rows())

    def test_a_value_that_does_not_fit_changes_nothing(self):
        self.refused("UPDATE t SET a = 3000000000")
        self.refused("UPDATE t SET a = 1, A = 2", "twice")
        self.refused("UPDATE t SET nope = 1", "nope")
        self.refused("DELETE FROM t WHERE nope", "nope")
        self.both(self.all_rows())

    def test_what_is_not_closed_changes_nothing(self):
        for statement in (
            "DELETE FROM t /* WHERE a = 1",
            "DELETE FROM t 'WHERE a = 1",
            'UPDATE t SET a = 9 "WHERE a = 1',
            "DROP TABLE t /*",
        ):
            self.refused(statement, "not closed")
        self.both(self.all_rows())

    def test_brackets_do_not_leave_a_condition(self):
        self.refused("DELETE FROM t WHERE a = 1) OR (a = 4", "end of the statement")
        self.refused("UPDATE t SET a = 1) + (1", "end of the statement")
        self.both(self.all_rows())

    def test_a_change_is_no_query(self):
        self.refused("INSERT INTO t DELETE FROM t", "SELECT")
        self.refused("CREATE TABLE u AS INSERT INTO t (a) VALUES (1)", "SELECT")
        self.refused("INSERT INTO t " * 1500 + "VALUES (1)")
        self.refused("EXPLAIN " * 20000 + "SELECT 1", "EXPLAIN")
        self.both(self.all_rows())

    def test_a_view_of_all_columns_does_not_read_itself(self):
        self.ask("CREATE VIEW v AS SELECT * FROM information_schema.columns")
        names = self.ask("SELECT DISTINCT table_name FROM information_schema.columns")
        self.assertIn("t", names["table_name"].to_pylist())

    def test_a_wrong_value_of_a_setting_changes_nothing(self):
        self.ask("SET validate = true")
        self.refused("SET validate = maybe", "true or false")
        self.assertEqual(self.ask("SHOW validate")[0].to_pylist(), ["true"])

    def test_what_is_not_supported_is_named(self):
        self.refused("UPDATE t SET a = u.a FROM u WHERE u.b = t.b", "FROM")
        self.refused("DELETE FROM t USING u WHERE t.a = u.a", "USING")
        self.refused("DELETE FROM t RETURNING a", "RETURNING")
        self.refused("ALTER TABLE t ADD COLUMN e INTEGER", "ALTER")


if __name__ == "__main__":
    driver.main()
