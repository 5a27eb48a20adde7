"""Results of statements: computed when they are first asked for, in the shape that is asked for."""

import sys
import threading

import pyarrow

from penstock import arguments
from penstock import device_data as devices
from penstock import result_files as files
from penstock.column_values import imported, numpy_of
from penstock.errors import PenstockError
from penstock.result_text import html_of, rows_of, text_of
from penstock.session import Session, session_of
from penstock.table_names import is_change, names_after_from
from penstock.tables import is_table


def tables_of_caller(sql, depth):
    """Returns the caller's variables that a statement names in FROM, as DuckDB finds them."""
    frame = sys._getframe(depth)
    found = {}
    for name in names_after_from(sql):
        for scope in (frame.f_locals, frame.f_globals):
            if name in scope:
                if is_table(scope[name]):
                    found[name] = scope[name]
                break
    return found


def lazy(session, sql, parameters, tables, planner, depth):
    found = tables_of_caller(arguments.text("sql", sql), depth + 1)
    if found:
        known = session._names()
        found = {name: data for name, data in found.items() if name.lower() not in known}
    found.update(arguments.tables(tables))
    result = Result(session, sql, found, parameters, planner)
    if is_change(sql):  # nobody would wait for it
        result.arrow()
    return result


def sql(sql, parameters=None, *, tables=None, device="", planner=None, session=None):
    """Returns the lazy result of a statement over files, variables of the caller and `tables`.

    `sql`: SELECT, DESCRIBE, SUMMARIZE, COPY, CREATE VIEW... or a plan of Substrait. `parameters`: a
    list for `?` and `$1`, a dict for `$name`. Tables: Arrow data, frames of pandas and Polars,
    NumPy's arrays, tensors, other results. A table or view of the session goes before a variable of
    its name. Nothing runs before the rows are asked for, but CREATE, DROP,
    COPY, INSERT, UPDATE, DELETE and SET run at once.
    """
    if session is not None and not isinstance(session, Session):
        raise TypeError(f"session= is a penstock.Session, not {type(session).__name__}")
    return lazy(session or session_of(device), sql, parameters, tables, planner, depth=2)


def _different(table):
    """Returns the names of a table's columns, by which a dict has them."""
    names = table.column_names
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise PenstockError(f"columns of one name: {', '.join(twice)}; name one by AS")
    return names


class Result:
    """The rows of a statement. The first method that needs them computes them, once."""

    def __init__(self, session, sql, tables=None, parameters=None, planner=None):
        self._session, self._sql, self._tables = session, sql, tables or {}
        self._parameters, self._planner = parameters, planner
        self._rows, self.report = None, None
        self._computing = threading.RLock()  # a reader among the tables gives its rows once
        self._fetching, self._fetched = threading.Lock(), 0  # rows that fetchone() has returned

    def _table(self):
        if self._rows is None:
            with self._computing:
                if self._rows is None:  # no other thread has computed them meanwhile
                    self._rows, self.report = self._session._answer(
                        self._sql, self._tables, self._parameters, self._planner
                    )
        return self._rows

    def arrow(self):
        """Returns a pyarrow Table."""
        return self._table()

    def df(self):
        """Returns a frame of pandas, with the types that DuckDB's frames have."""
        imported("pandas", "df()")
        from penstock.frames import frame_of

        return frame_of(self._table())

    def pl(self):
        """Returns a frame of Polars."""
        polars = imported("polars", "pl()")
        _different(self._table())
        return polars.from_arrow(self._table())

    def numpy(self):
        """Returns a dict of NumPy's arrays by column.

        NULLs are NaN in columns of numbers, NaT in times, None in others. Decimals are float64. Whole
        numbers beyond 2**53 beside NULLs are objects, as float64 does not hold them.
        """
        imported("numpy", "numpy()")
        table = self._table()
        return {name: numpy_of(table.column(at)) for at, name in enumerate(_different(table))}

    def torch(self, device=None):
        """Returns a dict of tensors of PyTorch by column.

        `device`: "cuda" and the like; of a session on that GPU columns are not copied to the host.
        By default tensors are on the host.
        """
        torch = imported("torch", "torch()")
        is_on_host = device is None or self._rows is not None
        arrays = (
            self._numbers("torch()", self.numpy()) if is_on_host else self._arrays_there("torch()")
        )
        made = {
            name: torch.from_numpy(array.copy())
            if hasattr(array, "dtype")
            else torch.from_dlpack(array)
            for name, array in arrays
        }
        return {name: tensor.to(device) for name, tensor in made.items()} if device else made

    def cupy(self):
        """Returns a dict of CuPy's arrays by column, in the memory of the session's GPU."""
        cupy = imported("cupy", "cupy()")
        return {
            name: cupy.asarray(array) if hasattr(array, "dtype") else cupy.from_dlpack(array)
            for name, array in self._arrays_there("cupy()")
        }

    def _arrays_there(self, use):
        """Yields columns as arrays in device memory, and those on the host as NumPy's."""
        with self._computing:
            columns, self.report = self._session._arrays(
                self._sql, self._tables, self._parameters, self._planner
            )
        there = {name: column for name, column in columns.items() if hasattr(column, "__dlpack__")}
        here = {name: numpy_of(column) for name, column in columns.items() if name not in there}
        yield from there.items()
        yield from self._numbers(use, here)

    @staticmethod
    def _numbers(use, arrays):
        for name, array in arrays.items():
            if array.dtype.kind not in "biuf":
                raise PenstockError(
                    f"{use} has numbers alone, and the column {name!r} is {array.dtype}",
                    "unsupported",
                )
            yield name, array

    def fetchall(self):
        """Returns the rows as a list of tuples, without those that fetchone() has returned.

        Then it begins anew: a second call returns all.
        """
        with self._fetching:
            begin, self._fetched = self._fetched, 0
        return rows_of(self._table().slice(begin))

    def fetchmany(self, size=1):
        """Returns the next rows as a list of tuples: `size` of them, or less at the end."""
        size, rows = arguments.count("size", size), self._table()
        with self._fetching:
            begin, self._fetched = self._fetched, min(self._fetched + size, rows.num_rows)
        return rows_of(rows.slice(begin, size))

    def fetchone(self):
        """Returns the next row as a tuple; None at the end."""
        rows = self.fetchmany()
        return rows[0] if rows else None

    @property
    def description(self):
        """For each column its name, its pyarrow type and five None, as DB-API has it."""
        return [(field.name, field.type, *[None] * 5) for field in self._table().schema]

    @property
    def shape(self):
        """How many rows and columns there are."""
        return self._table().shape

    @property
    def schema(self):
        """The pyarrow schema."""
        return self._table().schema

    @property
    def columns(self):
        """The names of the columns."""
        return self._table().column_names

    def __len__(self):
        return self._table().num_rows

    def __iter__(self):
        """Yields all rows as tuples, whatever was fetched."""
        for batch in self._table().to_batches(max_chunksize=1024):
            yield from rows_of(batch)

    def __arrow_c_stream__(self, requested_schema=None):
        return devices.cast(self._table(), requested_schema).__arrow_c_stream__()

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        """Gives the rows where they are: in device memory if all columns stay there."""
        devices.need_no_options("__arrow_c_device_array__", options)
        there, table = self._there_or_here(requested_schema)
        return devices.host_array(table) if there is None else there.array()

    def __arrow_c_device_stream__(self, requested_schema=None, **options):
        """Does the same as a stream of one array."""
        devices.need_no_options("__arrow_c_device_stream__", options)
        there, table = self._there_or_here(requested_schema)
        return devices.host_stream(table) if there is None else there.stream()

    def _there_or_here(self, requested_schema):
        """Returns (a DeviceResult, None), or (None, a Table), in the schema that is asked for."""
        wanted = requested_schema
        if wanted is not None:
            wanted = pyarrow.Schema._import_from_c_capsule(requested_schema)
        with self._computing:
            there = self._there()
        if there is not None and (wanted is None or wanted.equals(devices.schema_of(there))):
            return there, None
        table = self._table()
        return None, table if wanted is None else devices.cast_to(table, wanted)

    def _there(self):
        """Returns a DeviceResult; None, with the rows kept, where they are on the host."""
        if self._rows is not None or not self._session._has_own_memory():
            return None
        made, self.report = self._session._as_arrow(
            self._sql, self._tables, self._parameters, self._planner
        )
        if not isinstance(made, pyarrow.Table):
            return made
        self._rows = made
        return None

    def _only_column(self):
        table = self._table()
        if table.num_columns != 1:
            raise BufferError(f"an array has one column, and this has {table.num_columns}; numpy()")
        return numpy_of(table.column(0))

    def __array__(self, dtype=None, copy=None):
        column = self._only_column()
        return column.astype(column.dtype if dtype is None else dtype, copy=bool(copy))

    def __dlpack__(self, **options):
        return self._only_column().__dlpack__(**options)

    def __dlpack_device__(self):
        return self._only_column().__dlpack_device__()

    def explain(self):
        """Returns the steps, operators and kernels; reads no row."""
        return self._session.explain(
            self._sql, self._tables, self._parameters, planner=self._planner
        )

    def source(self, target="cuda"):
        """Returns the kernels for "cuda", "opencl", "sycl", "metal" or "cpu"."""
        return self._session.source(
            self._sql, self._tables, self._parameters, target, planner=self._planner
        )

    def profile(self):
        """Runs a SELECT anew and returns a trace in JSON; chrome://tracing shows it."""
        if is_change(self._sql):
            raise PenstockError(
                "profile() would run the change again; Session.profile() runs it once",
                "unsupported",
            )
        return self._session.profile(
            self._sql, self._tables, self._parameters, planner=self._planner
        )

    def to_parquet(self, path, **options):
        """Writes the rows to a Parquet file; `options` are pyarrow.parquet.write_table()'s."""
        files.write_parquet(self._table(), path, options)

    def to_csv(self, path):
        """Writes the rows to a CSV file with a header; .gz, .zst and .lz4 compress it.

        Bytes, lists, structs, maps and intervals are the texts that CAST makes of them.
        """
        files.write_csv(self._session, self._table(), path)

    def show(self):
        """Prints the first rows."""
        print(text_of(self._table()))

    def _repr_html_(self):
        """Computes the rows, and shows the first ones in a notebook."""
        return html_of(self._table())

    def __repr__(self):
        if self._rows is None:
            sql = " ".join(self._sql.split())[:60]
            return f"<penstock.Result, not computed: show(), df() or fetchall() does it: {sql}>"
        return text_of(self._rows)
