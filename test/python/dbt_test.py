"""The dbt adapter: a project with seeds, models and tests builds, and its state is a folder."""

import datetime
import decimal
import json
import os
import pathlib
import tempfile
import threading
import unittest

import driver

try:
    import duckdb
    from dbt.adapters import penstock  # noqa: F401
    from dbt.adapters.penstock.folder import DatabaseFolder
    from dbt.cli.main import dbtRunner
except ImportError as error:
    driver.skip_all(error)

PROJECT = {
    "dbt_project.yml": """
name: shop
version: "1.0"
config-version: 2
profile: shop
model-paths: ["models"]
seed-paths: ["seeds"]
test-paths: ["tests"]
macro-paths: ["macros"]
flags: {send_anonymous_usage_stats: false}
models: {shop: {staging: {+materialized: view}, marts: {+materialized: table}}}
seeds: {shop: {raw_orders: {+column_types: {amount: "DECIMAL(9, 2)"}}}}
""",
    "seeds/raw_customers.csv": "id,name,joined,vip\n1,Ada,2024-01-05,true\n2,Bo,,false\n3,Cy,2024-03-01,\n",
    "seeds/raw_orders.csv": (
        "id,customer,ordered,status,amount\n"
        "10,1,2024-02-01,placed,12.50\n11,1,2024-02-03,returned,7\n"
        "12,2,2024-02-03,placed,100.25\n13,1,2024-03-09,placed,0.75\n"
    ),
    "models/staging/customers.sql": (
        "-- a comment first\n"
        "with source as (select * from {{ ref('raw_customers') }})\n"
        "select id as customer_id, upper(name) as name, joined, coalesce(vip, false) as vip from source\n"
    ),
    "models/staging/orders.sql": (
        "{{ config(materialized='view') }}\n"
        "select id as order_id, customer as customer_id, ordered, status, amount"
        " from {{ ref('raw_orders') }} where status <> 'returned'\n"
    ),
    "models/marts/customer_orders.sql": (
        "select c.customer_id, c.name, count(o.order_id) as orders, sum(o.amount) as paid,"
        " min(o.ordered) as first_order\n"
        "from {{ ref('customers') }} c left join {{ ref('orders') }} o using (customer_id)\n"
        "group by 1, 2\n"
    ),
    "models/marts/days.sql": (
        "select ordered as day, count(*) as orders, sum(amount) as paid"
        " from {{ ref('orders') }} group by ordered\n"
    ),
    "models/schema.yml": """
models:
  - name: customers
    columns:
      - name: customer_id
        data_tests: [unique, not_null]
  - name: orders
    columns:
      - name: customer_id
        data_tests:
          - relationships: {arguments: {to: ref('customers'), field: customer_id}}
      - name: status
        data_tests:
          - accepted_values: {arguments: {values: [placed, shipped]}}
""",
    "tests/paid_is_not_negative.sql": "select * from {{ ref('customer_orders') }} where paid < 0\n",
}
PROFILE = "shop: {{target: dev, outputs: {{dev: {{type: penstock, path: '{path}', schema: main, device: 'cpu:0', threads: 2}}}}}}\n"


class Project(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.database = self.folder / "database"
        for name, text in PROJECT.items():
            self.write(name, text)
        self.write("profiles.yml", PROFILE.format(path=self.database))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def dbt(self, *arguments, succeeds=True):
        """Runs dbt and returns (name, status, message) of each node."""
        place = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
        outcome = dbtRunner().invoke([*arguments, *place, "--quiet"])
        results = self.folder / "target" / "run_results.json"
        nodes = json.loads(results.read_text())["results"] if results.exists() else []
        found = [(n["unique_id"].split(".")[2], n["status"], n["message"]) for n in nodes]
        self.assertEqual(outcome.success, succeeds, (outcome.exception, found))
        return found

    def rows(self, name):
        path = self.database / "main" / f"{name}.parquet"
        return duckdb.sql(f"SELECT * FROM '{path}' ORDER BY 1").fetchall()

    def test_a_project_builds(self):
        found = self.dbt("build")
        self.assertEqual(len(found), 11)
        self.assertEqual({status for _, status, _ in found}, {"success", "pass"})
        self.assertEqual(
            DatabaseFolder(self.database).relations("main"),
            [
                ("customer_orders", "table"),
                ("customers", "view"),
                ("days", "table"),
                ("orders", "view"),
                ("raw_customers", "table"),
                ("raw_orders", "table"),
            ],
        )
        day = datetime.date
        self.assertEqual(
            self.rows("customer_orders"),
            [
                (1, "ADA", 2, decimal.Decimal("13.25"), day(2024, 2, 1)),
                (2, "BO", 1, decimal.Decimal("100.25"), day(2024, 2, 3)),
                (3, "CY", 0, None, None),
            ],
        )
        self.assertEqual(self.rows("raw_customers")[1], (2, "Bo", None, False))

    def test_commands_find_what_earlier_ones_left(self):
        self.dbt("seed")
        self.dbt("run", "--select", "staging")
        self.dbt("run", "--select", "days")
        self.assertEqual(len(self.rows("days")), 3)
        self.write("models/marts/days.sql", "select 1 as day\n")
        self.dbt("run", "--select", "days")
        self.assertEqual(self.rows("days"), [(1,)])

    def test_a_model_changes_its_kind(self):
        self.dbt("build")
        self.write("models/marts/days.sql", "{{ config(materialized='view') }}\nselect 2 as day\n")
        self.dbt("run", "--select", "days")
        self.assertFalse((self.database / "main" / "days.parquet").exists())
        self.write("models/marts/days.sql", "select day + 1 as day from (select 2 as day)\n")
        self.dbt("run", "--select", "days")
        self.assertEqual(self.rows("days"), [(3,)])
        self.assertFalse((self.database / "main" / "days.sql").exists())

    def test_a_test_that_fails_says_so(self):
        self.dbt("build")
        self.write(
            "tests/paid_is_not_negative.sql", "select * from {{ ref('days') }} where paid > 1"
        )
        found = self.dbt("test", "--select", "paid_is_not_negative", succeeds=False)
        self.assertEqual(
            found, [("paid_is_not_negative", "fail", "Got 2 results, configured to fail if != 0")]
        )

    def test_documentation_has_columns_and_types(self):
        self.dbt("build")
        self.dbt("docs", "generate")
        catalog = json.loads((self.folder / "target" / "catalog.json").read_text())
        columns = catalog["nodes"]["model.shop.customer_orders"]["columns"]
        self.assertEqual(
            {name: column["type"] for name, column in columns.items()},
            {
                "customer_id": "BIGINT",
                "name": "VARCHAR",
                "orders": "BIGINT",
                "paid": "DECIMAL(38,2)",
                "first_order": "DATE",
            },
        )
        self.assertEqual(catalog["nodes"]["model.shop.customers"]["metadata"]["type"], "view")

    def test_failures_are_stored(self):
        self.dbt("build")
        self.write(
            "tests/paid_is_not_negative.sql", "select * from {{ ref('days') }} where paid > 1"
        )
        for _ in range(2):
            self.dbt("test", "--select", "paid_is_not_negative", "--store-failures", succeeds=False)
        stored = self.database / "main_dbt_test__audit" / "paid_is_not_negative.parquet"
        self.assertEqual(len(duckdb.sql(f"SELECT * FROM '{stored}'").fetchall()), 2)

    def test_a_model_is_tested_with_rows_of_the_test(self):
        self.dbt("seed")
        self.dbt("run", "--select", "staging")
        self.write(
            "models/unit.yml",
            """
unit_tests:
  - name: days_are_counted
    model: days
    given:
      - input: ref('orders')
        rows:
          - {ordered: 2024-01-01, amount: 1.5}
          - {ordered: 2024-01-01, amount: 2}
    expect:
      rows:
        - {day: 2024-01-01, orders: 2, paid: 3.5}
""",
        )
        found = self.dbt("test", "--select", "test_type:unit")
        self.assertEqual([status for _, status, _ in found], ["pass"])

    def test_an_error_is_the_models(self):
        self.dbt("build")
        for text in (
            "select nope from {{ ref('orders') }}",
            "{{ config(materialized='view') }} selec 1",
        ):
            self.write("models/marts/days.sql", text)
            ((name, status, message),) = self.dbt("run", "--select", "days", succeeds=False)
            self.assertEqual((name, status), ("days", "error"))
            self.assertRegex(message, "nope|selec")
        self.assertEqual(len(self.rows("days")), 3)

    def test_what_it_does_not_do_is_refused_by_name(self):
        self.dbt("build")
        self.write(
            "models/marts/days.sql", "{{ config(materialized='incremental') }} select 1 as a"
        )
        ((_, _, message),) = self.dbt("run", "--select", "days", succeeds=False)
        self.assertIn("no incremental models", message)


class Folder(unittest.TestCase):
    def test_names_that_are_no_files_are_refused(self):
        folder = DatabaseFolder("/nowhere")
        for name in ("", "..", "a/b", "a\\b", "/tmp", None):
            with self.assertRaises(ValueError):
                folder.file_of("main", name, "table")
            with self.assertRaises(ValueError):
                folder.drop("main", name)

    def test_schemas_that_lead_elsewhere_are_refused(self):
        with tempfile.TemporaryDirectory() as path:
            folder = DatabaseFolder(pathlib.Path(path) / "database")
            outside = pathlib.Path(path) / "outside"
            outside.mkdir()
            for schema in ("", ".", "..", "../outside", str(outside), ".hidden"):
                for call in (
                    lambda: folder.create_schema(schema),  # noqa: B023
                    lambda: folder.relations(schema),  # noqa: B023
                    lambda: folder.drop_schema(schema),  # noqa: B023
                    lambda: folder.file_of(schema, "x", "table"),  # noqa: B023
                    lambda: folder.keep_view(schema, "x", "SELECT 1"),  # noqa: B023
                ):
                    with self.assertRaises(ValueError, msg=schema):
                        call()
            self.assertEqual([entry.name for entry in pathlib.Path(path).iterdir()], ["outside"])

    def test_hidden_folders_are_no_schemas(self):
        with tempfile.TemporaryDirectory() as path:
            folder = DatabaseFolder(path)
            folder.create_schema("main")
            (pathlib.Path(path) / ".git").mkdir()
            self.assertEqual(folder.schemas(), ["main"])

    def table(self, path, schema, name):
        (pathlib.Path(path) / schema / f"{name}.parquet").write_bytes(b"")

    def test_a_name_is_of_one_kind_after_a_change(self):
        with tempfile.TemporaryDirectory() as path:
            folder = DatabaseFolder(path)
            folder.keep_view("main", "view", "SELECT 1")
            self.table(path, "main", "table")
            folder.rename("main", "view", "main", "table")
            self.assertEqual(folder.relations("main"), [("table", "view")])
            self.table(path, "main", "TABLE")
            folder.keep_table("main", "TABLE")
            self.assertEqual(folder.relations("main"), [("TABLE", "table")])
            folder.keep_view("Main", "Table", "SELECT 1")
            self.assertEqual(folder.relations("main"), [("Table", "view")])
            folder.rename("main", "table", "main", "table")
            self.assertEqual(folder.relations("MAIN"), [("table", "view")])
            folder.drop("main", "TABLE")
            self.assertEqual(folder.relations("main"), [])

    def test_names_that_differ_by_case_alone_are_an_error(self):
        with tempfile.TemporaryDirectory() as path:
            folder = DatabaseFolder(path)
            folder.keep_view("main", "x", "SELECT 1")
            self.table(path, "main", "X")
            with self.assertRaisesRegex(ValueError, "'X' and 'x' of the schema main"):
                folder.definitions()

    def test_changes_and_definitions_go_together(self):
        """Files change in the same process, and in another that knows no lock."""
        with tempfile.TemporaryDirectory() as path:
            folder, errors = DatabaseFolder(path), []
            folder.keep_view("main", "other", "SELECT 1")

            def change():
                try:
                    for _ in range(300):
                        folder.keep_view("main", "x", "SELECT 1")
                        folder.drop("main", "x")
                except OSError as error:
                    errors.append(error)

            def change_without_lock():
                for _ in range(300):
                    file = pathlib.Path(path) / "main" / "y.sql"
                    file.write_text("SELECT 2")
                    file.unlink()

            threads = [threading.Thread(target=f) for f in (change, change_without_lock)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                self.assertIn(len(folder.definitions()), (1, 2, 3))
            self.assertEqual((len(folder.definitions()), errors), (1, []))

    def test_a_name_of_two_schemas_is_an_error(self):
        with tempfile.TemporaryDirectory() as path:
            folder = DatabaseFolder(path)
            folder.keep_view("a", "x", "SELECT 1")
            folder.keep_view("b", "X", "SELECT 1")
            with self.assertRaisesRegex(ValueError, "schemas a and b"):
                folder.definitions()
            folder.drop_schema("b")
            self.assertEqual(len(folder.definitions()), 1)


if __name__ == "__main__":
    driver.main()
