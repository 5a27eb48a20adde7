"""Results of statements: computed when they are first asked for, in the shape that is asked for."""

import re
import sys

import pyarrow

from penstock.errors import PenstockError
from penstock.session import session_of
from penstock.tables import is_table

# Strings and comments hold no names; a quoted name is one.
_TOKENS = re.compile(
    r"""'(?:[^']|'')*' | --[^\n]* | /\*.*?\*/ | (?P<quoted>"(?:[^"]|"")*") | (?P<word>[^\W\d]\w*)
    | \S""",
    re.VERBOSE | re.DOTALL,
)


def names_after_from(sql):
    """Returns the names that stand where FROM and JOIN have tables, in their order."""
    names, follows = [], False
    for match in _TOKENS.finditer(sql):
        word, quoted = match["word"], match["quoted"]
        if word and word.upper() in ("FROM", "JOIN"):
            follows = True
        elif (word or quoted) and follows:
            names.append(word or quoted[1:-1].replace('""', '"'))
            follows = False
        elif match.group() == ",":
            follows = bool(names)
        elif match.group()[:2] not in ("--", "/*"):
            follows = False
    return names


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
    found = tables_of_caller(sql, depth + 1)
    found.update(tables or {})
    return Result(session, sql, found, parameters, planner)


def sql(sql, parameters=None, *, tables=None, device="", planner=None, session=None):
    """Returns the lazy result of a statement over files, variables of the caller and `tables`.

    `sql`: SELECT, DESCRIBE, SUMMARIZE, COPY, CREATE VIEW... or a plan of Substrait. `parameters`: a
    list for `?` and `$1`, a dict for `$name`. Tables: Arrow data, frames of pandas and Polars,
    NumPy's arrays, tensors, other results. Nothing runs before the rows are asked for.
    """
    return lazy(session or session_of(device), sql, parameters, tables, planner, depth=2)


def _import(name, use):
    try:
        return __import__(name)
    except ImportError:
        raise PenstockError(f"{use} needs {name}: pip install {name}", "unsupported") from None


class Result:
    """The rows of a statement. The first method that needs them computes them, once."""

    def __init__(self, session, sql, tables=None, parameters=None, planner=None):
        self._session, self._sql, self._tables = session, sql, tables or {}
        self._parameters, self._planner = parameters, planner
        self._rows, self.report = None, None

    def _table(self):
        if self._rows is None:
            self._rows = self._session.query(
                self._sql, self._tables, self._parameters, self._planner
            )
            self.report = self._session.report
        return self._rows

    def arrow(self):
        """Returns a pyarrow Table."""
        return self._table()

    def df(self):
        """Returns a frame of pandas."""
        _import("pandas", "df()")
        return self._table().to_pandas()

    def pl(self):
        """Returns a frame of Polars."""
        return _import("polars", "pl()").from_arrow(self._table())

    def numpy(self):
        """Returns a dict of NumPy's arrays by column. Numbers with NULLs are floats with NaN."""
        table = self._table()
        return {name: column.to_numpy() for name, column in zip(table.column_names, table.columns)}

    def torch(self, device=None):
        """Returns a dict of tensors of PyTorch by column, on `device` or on the host."""
        torch = _import("torch", "torch()")
        made = {name: torch.from_numpy(array.copy()) for name, array in self._numbers("torch()")}
        return {name: tensor.to(device) for name, tensor in made.items()} if device else made

    def cupy(self):
        """Returns a dict of CuPy's arrays by column, in the memory of the current GPU."""
        cupy = _import("cupy", "cupy()")
        return {name: cupy.asarray(array) for name, array in self._numbers("cupy()")}

    def _numbers(self, use):
        for name, array in self.numpy().items():
            if array.dtype.kind not in "biuf":
                raise PenstockError(
                    f"{use} has numbers alone, and the column {name!r} is {array.dtype}",
                    "unsupported",
                )
            yield name, array

    def fetchall(self):
        """Returns the rows as a list of tuples."""
        columns = [column.to_pylist() for column in self._table().columns]
        return list(zip(*columns))

    def fetchone(self):
        """Returns the first row as a tuple; None if there is none."""
        rows = self._table().slice(0, 1)
        return tuple(column[0].as_py() for column in rows.columns) if rows.num_rows else None

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

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table().__arrow_c_stream__(requested_schema)

    def _only_column(self):
        table = self._table()
        if table.num_columns != 1:
            raise BufferError(f"DLPack has one array, and this has {table.num_columns} columns")
        return table.column(0).to_numpy()

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
        """Runs the statement anew and returns a trace in JSON; chrome://tracing shows it."""
        return self._session.profile(
            self._sql, self._tables, self._parameters, planner=self._planner
        )

    def to_parquet(self, path, **options):
        """Writes the rows to a Parquet file; `options` are pyarrow.parquet.write_table()'s."""
        import pyarrow.parquet

        pyarrow.parquet.write_table(self._table(), path, **options)

    def to_csv(self, path):
        """Writes the rows to a CSV file with a header."""
        import pyarrow.csv

        pyarrow.csv.write_csv(self._table(), path)

    def __repr__(self):
        if self._rows is None:
            return f"<penstock.Result, not computed: {self._sql.strip()[:60]}>"
        return repr(self._rows)
