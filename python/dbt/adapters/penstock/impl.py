"""The adapter: relations are files of a folder, and names of a session."""

import datetime
import decimal
from dataclasses import dataclass, field

import pyarrow
import pyarrow.parquet
from dbt.adapters.base import BaseRelation, available
from dbt.adapters.base.column import Column
from dbt.adapters.contracts.relation import Policy
from dbt.adapters.penstock.connections import PenstockConnectionManager
from dbt.adapters.penstock.folder import TABLE, VIEW, DatabaseFolder, in_quotes
from dbt.adapters.sql import SQLAdapter


def _identifier_alone():
    return Policy(database=False, schema=False, identifier=True)


@dataclass(frozen=True, eq=False, repr=False)
class PenstockRelation(BaseRelation):
    """A name stands alone in statements: it is of the whole database."""

    include_policy: Policy = field(default_factory=_identifier_alone)


class PenstockAdapter(SQLAdapter):
    """Tables are Parquet files, views are files of SQL; both are views of the session."""

    ConnectionManager = PenstockConnectionManager
    Relation = PenstockRelation
    Column = Column

    @classmethod
    def date_function(cls):
        return "now()"

    @classmethod
    def is_cancelable(cls):
        return True

    @classmethod
    def convert_text_type(cls, agate_table, col_idx):
        return "VARCHAR"

    @classmethod
    def convert_number_type(cls, agate_table, col_idx):
        return "DOUBLE" if _has_fractions(agate_table, col_idx) else "BIGINT"

    @classmethod
    def convert_datetime_type(cls, agate_table, col_idx):
        return "TIMESTAMP"

    @classmethod
    def quote(cls, identifier):
        return in_quotes(identifier)

    @property
    def _folder(self):
        return DatabaseFolder(self.config.credentials.path)

    def _run(self, statement):
        return self.execute(statement, auto_begin=False)

    def _define(self, relation, kind):
        self._run(self._folder.definition(relation.schema, relation.identifier, kind))

    def _undefine(self, name):
        """Drops a name: a view of the folder, or a temporary table of dbt's own."""
        listed = f"SELECT table_type FROM information_schema.tables WHERE table_name = {in_quotes(name, chr(39))}"
        _, rows = self.execute(listed, fetch=True)
        for row in rows.rows:
            kind = "VIEW" if row["table_type"] == "VIEW" else "TABLE"
            self._run(f"DROP {kind} IF EXISTS {in_quotes(name)}")

    def list_schemas(self, database):
        return self._folder.schemas()

    def check_schema_exists(self, database, schema):
        return schema.lower() in map(str.lower, self._folder.schemas())

    def create_schema(self, relation):
        self._folder.create_schema(relation.schema)

    def drop_schema(self, relation):
        for name, _ in self._folder.relations(relation.schema):
            self._undefine(name)
        self._folder.drop_schema(relation.schema)
        self.cache.drop_schema(relation.database, relation.schema)

    def list_relations_without_caching(self, schema_relation):
        database, schema = schema_relation.database, schema_relation.schema
        return [
            self.Relation.create(database=database, schema=schema, identifier=name, type=kind)
            for name, kind in self._folder.relations(schema)
        ]

    def get_columns_in_relation(self, relation):
        _, table = self.execute(f"DESCRIBE {in_quotes(relation.identifier)}", fetch=True)
        return [Column(row["column_name"], row["column_type"]) for row in table.rows]

    def drop_relation(self, relation):
        self.cache_dropped(relation)
        self._undefine(relation.identifier)
        self._folder.drop(relation.schema, relation.identifier)

    def truncate_relation(self, relation):
        path = self._folder.file_of(relation.schema, relation.identifier, TABLE)
        pyarrow.parquet.write_table(pyarrow.parquet.read_schema(path).empty_table(), path)

    def rename_relation(self, from_relation, to_relation):
        self.cache_renamed(from_relation, to_relation)
        old = from_relation.schema, from_relation.identifier
        self._folder.rename(*old, to_relation.schema, to_relation.identifier)
        self._undefine(from_relation.identifier)
        for name, kind in self._folder.relations(to_relation.schema):
            if name == to_relation.identifier:
                self._define(to_relation, kind)

    @available.parse(lambda *_: "")
    def table_file(self, relation):
        """Returns the path of a table's file as a string of SQL, and defines the name as that."""
        self._folder.create_schema(relation.schema)
        self._define(relation, TABLE)
        path = self._folder.file_of(relation.schema, relation.identifier, TABLE)
        return in_quotes(path, "'")

    @available.parse(lambda *_: "")
    def catalog_query(self, schemas):
        """Returns a SELECT of the columns of some schemas, as `dbt docs generate` reads them."""
        rows = [
            ", ".join(in_quotes(text, "'") for text in (schema, name, kind))
            for schema in sorted(schemas)
            for name, kind in self._folder.relations(schema)
        ]
        values = ", ".join(f"({row})" for row in rows) or "('', '', '')"
        return f"""
            SELECT {in_quotes(self.config.credentials.database, "'")} AS table_database,
                r.schema_name AS table_schema, r.name AS table_name, r.kind AS table_type,
                CAST(NULL AS VARCHAR) AS table_comment, CAST(NULL AS VARCHAR) AS table_owner,
                c.column_name, c.ordinal_position AS column_index, c.data_type AS column_type,
                CAST(NULL AS VARCHAR) AS column_comment
            FROM (VALUES {values}) AS r(schema_name, name, kind)
            JOIN information_schema.columns AS c ON c.table_name = r.name
            ORDER BY table_schema, table_name, column_index"""

    @available.parse_none
    def keep_table(self, relation):
        """Defines a table that has been written."""
        self._folder.keep_table(relation.schema, relation.identifier)
        self._define(relation, TABLE)

    @available.parse_none
    def keep_view(self, relation, query):
        """Writes and defines a view."""
        self._folder.keep_view(relation.schema, relation.identifier, query)
        self._define(relation, VIEW)

    @available.parse_none
    def write_seed(self, relation, rows, column_types):
        """Writes a seed's rows as a table; `column_types` has types of SQL by column."""
        table = _arrow_of(rows)
        casts = ", ".join(
            f"CAST({in_quotes(name)} AS {column_types[name]}) AS {in_quotes(name)}"
            if name in column_types
            else in_quotes(name)
            for name in table.column_names
        )
        name = f"dbt_seed_{relation.identifier}"
        with self.connections.get_thread_connection().handle.cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="replace")
            path = self.table_file(relation)
            cursor.execute(f"COPY (SELECT {casts} FROM {in_quotes(name)}) TO {path}")
            cursor.execute(f"DROP TABLE {in_quotes(name)}")
        self.keep_table(relation)


def _has_fractions(rows, index):
    values = rows.columns[index].values_without_nulls()
    return any(value != int(value) for value in values)


def _arrow_of(rows):
    """Returns agate's rows as Arrow's. Numbers are BIGINT or DOUBLE, as their values are."""
    columns = {}
    for index, name in enumerate(rows.column_names):
        values = list(rows.columns[index].values())
        present = [value for value in values if value is not None]
        if all(isinstance(value, bool) for value in present) and present:
            kind = pyarrow.bool_()
        elif present and all(isinstance(value, (int, decimal.Decimal)) for value in present):
            is_double = _has_fractions(rows, index)
            kind = pyarrow.float64() if is_double else pyarrow.int64()
            values = [
                value if value is None else float(value) if is_double else int(value)
                for value in values
            ]
        elif present and all(isinstance(value, datetime.datetime) for value in present):
            kind = pyarrow.timestamp("us")
        elif present and all(isinstance(value, datetime.date) for value in present):
            kind = pyarrow.date32()
        else:
            kind = pyarrow.string()
            values = [value if value is None else str(value) for value in values]
        columns[name] = pyarrow.array(values, kind)
    return pyarrow.table(columns)
