"""Ibis over Penstock: ibis.penstock.connect("cuda:0").

Ibis finds this module by its entry point and writes statements in DuckDB's dialect. A connection has
a session of its own, whose tables are Arrow data in memory, and whose views may be files.
"""

import collections
import contextlib
import operator
import os
import weakref

import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
import pyarrow
import sqlglot
import sqlglot.expressions as sge
from ibis.backends import NoUrl
from ibis.backends.sql import SQLBackend
from ibis.backends.sql.compilers.duckdb import DuckDBCompiler
from ibis.common import exceptions
from ibis.formats.pandas import PandasData
from ibis.formats.pyarrow import PyArrowData

import penstock
from penstock.session import Session
from penstock.tables import reader_of

_DATABASE = ("memory", "main")


class _Rows:
    """The rows of a statement, as ibis reads a cursor."""

    def __init__(self, table):
        self.table = table

    def fetchall(self):
        return list(zip(*(column.to_pylist() for column in self.table.columns), strict=True))

    def __iter__(self):
        return iter(self.fetchall())

    def close(self):
        pass


class _ArrowData(PyArrowData):
    """Columns of Arrow in the types that Ibis expects of an expression.

    Decimals stay as they are: Ibis gives products fewer digits than DuckDB and Penstock compute.
    """

    @classmethod
    def convert_table(cls, table, schema):
        columns = [cls.convert_column(table[name], kind) for name, kind in schema.items()]
        return pyarrow.Table.from_arrays(columns, names=list(schema.names))

    @classmethod
    def convert_column(cls, column, dtype):
        return column if dtype.is_decimal() else super().convert_column(column, dtype)

    @classmethod
    def convert_scalar(cls, scalar, dtype):
        return scalar if dtype.is_decimal() else super().convert_scalar(scalar, dtype)


class Backend(SQLBackend, NoUrl):
    """An Ibis backend. `device`, `planner` and `cache_limit_bytes` are those of penstock.Session."""

    name = "penstock"
    compiler = DuckDBCompiler()
    supports_python_udfs = False
    supports_temporary_tables = True  # every table ends with its connection

    def do_connect(self, device="", *, planner="auto", cache_limit_bytes=None, session=None):
        """Opens a session, or takes one."""
        # Memtables by name, which are no tables of the user's: a token, or None if a view needs it.
        self._memtable_tokens = {}
        self._memtables_gone = collections.deque()  # (name, token), dropped before a statement
        self._owns_session = session is None
        if session is None:
            session = Session(device, planner=planner, cache_limit_bytes=cache_limit_bytes)
        self.con = session

    @classmethod
    def from_connection(cls, con, /):
        """Returns a backend over a penstock.Session, which it does not close."""
        backend = cls(session=con)
        backend.reconnect()
        return backend

    def disconnect(self):
        """Closes the session that it opened. One of from_connection() stays open."""
        if self._owns_session:
            self.con.close()
        else:
            self._drop_memtables_gone()

    @property
    def version(self):
        """The version of the package."""
        return penstock.__version__

    @property
    def current_catalog(self):
        """Names the one catalog as DuckDB names a database in memory."""
        return _DATABASE[0]

    @property
    def current_database(self):
        """Names the one schema."""
        return _DATABASE[1]

    def list_tables(self, *, like=None, database=None):
        """Lists tables and views in the order of their names."""
        self._check_database(database)
        self._drop_memtables_gone()
        names = self.con.query("SHOW TABLES").column("name").to_pylist()
        own = [name for name in names if name not in self._memtable_tokens]
        return self._filter_with_like(own, like)

    def get_schema(self, table_name, *, catalog=None, database=None):
        """Returns the columns of a table, a view or a file."""
        self._check_database((catalog, database))
        try:
            return self._get_schema_using_query(self._quoted(table_name))
        except penstock.PenstockError as error:
            if table_name.lower() not in map(str.lower, self.list_tables()):
                raise exceptions.TableNotFound(table_name) from error
            raise

    def create_table(
        self, name, /, obj=None, *, schema=None, database=None, temp=False, overwrite=False
    ):
        """Makes a table of Arrow data, a frame, an expression, or of a schema alone."""
        self._check_database(database)
        if obj is None and schema is None:
            raise ValueError("a table is made of rows, or of a schema")
        if not overwrite and name.lower() in map(str.lower, self.list_tables()):
            raise exceptions.IbisError(f"{name!r} exists already; overwrite=True replaces it")
        if schema is not None:
            schema = ibis.schema(schema)
        if isinstance(obj, ir.Expr):
            table = obj.as_table() if schema is None else obj.as_table().cast(dict(schema.items()))
            self._run_pre_execute_hooks(table)
            self._create("TABLE", name, self.compile(table), overwrite)
        else:
            self.con.register(name, self._arrow_of(obj, schema))
            self._memtable_tokens.pop(name, None)
        return self.table(name)

    def create_view(self, name, /, obj, *, database=None, overwrite=False):
        """Makes a view of an expression."""
        self._check_database(database)
        self._run_pre_execute_hooks(obj)
        self._create("VIEW", name, self.compile(obj), overwrite)
        for memtable in obj.op().find(ops.InMemoryTable):
            self._memtable_tokens[memtable.name] = None
        return self.table(name)

    def drop_table(self, name, /, *, database=None, force=False):
        """Drops a table; `force` passes over one that is not there."""
        self._check_database(database)
        self._drop("TABLE", name, force)

    def drop_view(self, name, /, *, database=None, force=False):
        """Drops a view; `force` passes over one that is not there."""
        self._check_database(database)
        self._drop("VIEW", name, force)

    def truncate_table(self, name, /, *, database=None):
        """Deletes all rows of a table."""
        self._check_database(database)
        self.con.query(f"TRUNCATE {self._quoted(name)}")

    def insert(self, name, /, obj, *, database=None, overwrite=False):
        """Adds rows to a table, or puts them in the place of its rows."""
        self._check_database(database)
        if overwrite and hasattr(obj, "to_pyarrow"):
            obj = self.to_pyarrow(obj)  # it may read the table whose rows go
        super().insert(name, obj, overwrite=overwrite)

    def read_parquet(self, paths, /, *, table_name=None, **options):
        """Makes a view of Parquet files. Options are those of SQL's read_parquet()."""
        return self._read("read_parquet", paths, table_name, options)

    def read_csv(self, paths, /, *, table_name=None, **options):
        """Makes a view of CSV files. Options are those of SQL's read_csv()."""
        return self._read("read_csv", paths, table_name, options)

    def read_json(self, paths, /, *, table_name=None, **options):
        """Makes a view of JSON files. Options are those of SQL's read_json()."""
        return self._read("read_json", paths, table_name, options)

    def raw_sql(self, query):
        """Answers a statement, and returns its rows as an object with `table` and `fetchall()`."""
        self._drop_memtables_gone()
        text = query if isinstance(query, str) else query.sql(self.dialect)
        return _Rows(self.con.query(text))

    def execute(self, expr, /, *, params=None, limit=None, **options):
        """Returns a frame, a series or a value of pandas."""
        table = self._answer(expr, params, limit, options)
        columns = {name: _to_pandas(table.column(name)) for name in table.column_names}
        import pandas

        frame = pandas.DataFrame(columns, columns=table.column_names)
        return expr.__pandas_result__(PandasData.convert_table(frame, expr.as_table().schema()))

    def to_pyarrow(self, expr, /, *, params=None, limit=None, **options):
        """Returns a table, an array or a scalar of Arrow."""
        rows = self._answer(expr, params, limit, options)
        return expr.__pyarrow_result__(rows, data_mapper=_ArrowData)

    def to_pyarrow_batches(
        self, expr, /, *, params=None, limit=None, chunk_size=1_000_000, **options
    ):
        """Returns a reader of batches. The statement has ended before."""
        table = self._answer(expr, params, limit, options)
        table = _ArrowData.convert_table(table, expr.as_table().schema())
        return pyarrow.RecordBatchReader.from_batches(
            table.schema, table.to_batches(max_chunksize=chunk_size)
        )

    def _answer(self, expr, params, limit, options):
        self._drop_memtables_gone()
        self._run_pre_execute_hooks(expr)
        text = self.compile(expr.as_table(), params=params, limit=limit, **options)
        return self.con.query(text)

    def _read(self, function, paths, table_name, options):
        is_one = isinstance(paths, (str, os.PathLike))
        paths = [os.path.abspath(path) for path in ([paths] if is_one else paths)]
        name = table_name or ibis.util.gen_name(function)
        given = "".join(f", {_option(key, value)}" for key, value in options.items())
        source = f"{function}({_literal(paths)}{given})"
        self._create("VIEW", name, f"SELECT * FROM {source}", True)
        return self.table(name)

    def _quoted(self, name):
        return sqlglot.to_identifier(name, quoted=True).sql(self.dialect)

    def _create(self, kind, name, query, overwrite):
        replace = "OR REPLACE " if overwrite else ""
        self.con.query(f"CREATE {replace}{kind} {self._quoted(name)} AS {query}")
        self._forget(name)

    def _drop(self, kind, name, force):
        self.con.query(f"DROP {kind} {'IF EXISTS ' if force else ''}{self._quoted(name)}")
        self._forget(name)

    def _forget(self, name):
        """Lets a registered table's data go, which the session keeps to open again."""
        self._memtable_tokens.pop(name, None)
        with self.con._changed:
            for known in [key for key in self.con._registered if key.lower() == name.lower()]:
                del self.con._registered[known]

    def _drop_memtables_gone(self):
        while self._memtables_gone:
            name, token = self._memtables_gone.popleft()
            if token is not None and self._memtable_tokens.get(name) is token:
                self._drop("TABLE", name, force=True)

    @staticmethod
    def _arrow_of(obj, schema):
        if obj is None:
            return schema.to_pyarrow().empty_table()
        table = reader_of(obj).read_all()
        return table if schema is None else table.cast(schema.to_pyarrow())

    def _check_database(self, database):
        if isinstance(database, sge.Table):
            database = (database.catalog, database.db)
        parts = database.split(".") if isinstance(database, str) else list(database or ())
        parts = [part or None for part in parts]
        known = [
            part is None or part == name for part, name in zip(parts, _DATABASE[-len(parts) :])
        ]
        if not all(known):
            raise exceptions.IbisError(f"there is one database, main, and no {database!r}")

    @contextlib.contextmanager
    def _safe_raw_sql(self, query, **_):
        yield self.raw_sql(query)

    def _get_schema_using_query(self, query):
        rows = self.con.query(f"DESCRIBE {query}")
        types = self.compiler.type_mapper
        return ibis.schema(
            {
                name: types.from_string(kind, nullable=True)
                for name, kind in zip(
                    rows.column("column_name").to_pylist(),
                    rows.column("column_type").to_pylist(),
                    strict=True,
                )
            }
        )

    def _register_in_memory_table(self, op):
        is_of_view = self._memtable_tokens.get(op.name, op) is None
        self.con.register(op.name, op.data.to_pyarrow(op.schema))
        self._memtable_tokens[op.name] = token = None if is_of_view else object()
        # The collector of garbage may run amid a statement, so that this only notes the name.
        gone = self._memtables_gone.append
        weakref.finalize(op.data, gone, (op.name, token)).atexit = False

    def _make_memtable_finalizer(self, name):
        return None  # Ibis would call it at the end of the process alone

    def _register_udfs(self, expr):
        for udf in expr.op().find(ops.ScalarUDF):
            if udf.__input_type__.name != "BUILTIN":
                raise exceptions.UnsupportedOperationError(
                    f"{type(udf).__name__} is a function in Python; Session.define() takes one in"
                    " Kernel C, and ibis.udf.scalar.builtin calls it"
                )


def _to_pandas(column):
    """Returns a column's values as pandas has them; None stays None in columns of objects."""
    is_nested = pyarrow.types.is_nested(column.type)
    return column.to_pylist() if is_nested or column.null_count else column.to_pandas()


def _option(key, value):
    """Writes an option of a function of SQL that reads files."""
    if not key.isidentifier():
        raise ValueError(f"{key!r} is no name of an option")
    try:
        return f"{key} = {_literal(value)}"
    except TypeError as error:
        raise TypeError(f"the option {key}: {error}") from error


def _literal(value):
    """Writes an option's value as SQL."""
    if type(value).__name__ in ("bool", "bool_"):  # Python's, and NumPy's by version
        return str(bool(value)).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, float):
        return repr(float(value))
    if not hasattr(value, "__index__"):
        raise TypeError(f"a value of an option is no {type(value).__name__}")
    return str(operator.index(value))
