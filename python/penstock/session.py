"""A device that stays open, and statements over files and Arrow data on it."""

import contextlib
import threading

import pyarrow

from penstock import arguments
from penstock import parameters as values
from penstock.core import check_process, core, is_first_process
from penstock.device_data import DeviceTable, has_host_methods
from penstock.errors import PenstockError
from penstock.table_names import as_written, is_untimed_change, removed_name
from penstock.tables import device_table_of, reader_of, without_dictionaries

__all__ = ["PenstockError", "Report", "Session", "query", "reader_of", "session_of"]


class Report(dict):
    """What a statement did: rows_read, rows_out, seconds, kernel_seconds, kernels_compiled, notes...

    Its entries are attributes too.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _read(capsule):
    rows = pyarrow.RecordBatchReader._import_from_c_capsule(capsule).read_all()
    return without_dictionaries(rows)


class Session:
    """A device that stays open between statements, with kernels and columns that it has made.

    Threads may share one. It belongs to the process that made it: a process forked from one that
    has used the library gets an error, and one that is spawned opens its own.
    """

    def __init__(self, device="", *, cache_limit_bytes=None, planner="auto"):
        """`device`: "cuda:0", "opencl:1", "cuda", "gpu", "cpu"; by default the first one.

        `cache_limit_bytes`: of columns kept between statements; by default a quarter of the
        device's memory, and 0 keeps none. `planner`: "own", "duckdb", or "auto", which takes
        DuckDB's where ours does not bind the statement.
        """
        self.device = arguments.text("device", device)
        self.planner = arguments.text("planner", planner)
        self.cache_limit_bytes = arguments.count_or_none("cache_limit_bytes", cache_limit_bytes)
        self._changed = threading.Condition()
        self._defining = threading.Lock()  # compiles, while statements run
        self._session = None
        self._running = set()  # cancellations of the statements that run
        self._registered = {}
        self._functions = {}
        self.report = None  # of the last statement

    def _open(self):
        if self._session is None:
            session = core.Session(self.device, self.cache_limit_bytes, self.planner)
            for name, held in self._registered.items():
                session.define_table(name, held, True)
            for function in self._functions.values():
                self._define(session, function)
            self._session = session
        return self._session

    @staticmethod
    def _held(session, name, data):
        """Returns a table as statements take it. Arrays on the session's device are not copied."""
        try:
            there, here = (data, None) if isinstance(data, DeviceTable) else device_table_of(data)
            if there is not None:
                if there.is_on_device_of(session) or not has_host_methods(data):
                    return there.held_by(session)
                here = pyarrow.RecordBatchReader.from_stream(data)  # which its owner copies
            reader = reader_of(here)
        except PenstockError as error:
            raise PenstockError(f"the table {name!r}: {error.message}", error.code) from error
        return core.hold_table(reader.__arrow_c_stream__(), name)

    def _asked(self, session, sql, tables, parameters, planner):
        arguments.text("sql", sql)
        tables = arguments.tables(tables)
        held = {name: self._held(session, name, data) for name, data in tables.items()}
        written = core.written_parameters(sql) if parameters else []
        streams, names = values.encoded(parameters, written)
        planner = arguments.text("planner", planner or "")
        return sql, as_written(held, sql), streams, names, planner

    @contextlib.contextmanager
    def _used(self):
        """Yields the open session and a statement's cancellation; close() waits for its end."""
        check_process()  # before the lock, which another thread of the parent may have held
        cancellation = core.Cancellation()
        with self._changed:
            session = self._open()
            self._running.add(cancellation)
        try:
            yield session, cancellation
        finally:
            with self._changed:
                self._running.discard(cancellation)
                self._changed.notify_all()

    def _answer(self, sql, tables, parameters, planner, profile=False):
        with self._used() as (session, cancellation):
            asked = self._asked(session, sql, tables, parameters, planner)
            rows, report = session.query(*asked, cancellation, profile)
            self._forget(removed_name(sql))
        self.report = report = Report(report)
        return _read(rows), report

    def arrays(self, sql, tables=None, parameters=None, planner=None):
        """Answers a statement and returns a dict of columns, in device memory where they can stay.

        Numbers without NULLs of a filter, a map or a join stay: a column is an array with
        __dlpack__. The others are pyarrow's ChunkedArrays.
        """
        return self._arrays(sql, tables, parameters, planner)[0]

    def _arrays(self, sql, tables, parameters, planner):
        with self._used() as (session, cancellation):
            asked = self._asked(session, sql, tables, parameters, planner)
            columns, report = session.query_on_device(*asked, cancellation)
            self._forget(removed_name(sql))
        self.report = report = Report(report)
        made = {
            name: column if hasattr(column, "__dlpack__") else _read(column).column(0)
            for name, column in columns
        }
        if len(made) != len(columns):
            raise PenstockError("two columns have one name; AS names them apart")
        return made, report

    def _names(self):
        """Returns the names of the session's tables and views, in small letters."""
        if self._session is None:  # a variable does not open the device
            return {name.lower() for name in self._registered}
        with self._used() as (session, cancellation):
            rows, _ = session.query("SHOW TABLES", {}, None, [], "own", cancellation, False)
        return {name.lower() for name in _read(rows).column("name").to_pylist()}

    def _has_own_memory(self):
        """Whether results may stay in memory that is not the host's."""
        with self._used() as (session, _):
            return core.has_own_memory(session)

    def _as_arrow(self, sql, tables, parameters, planner):
        """Returns a DeviceResult if all columns stay in device memory, or a Table; and the report."""
        with self._used() as (session, cancellation):
            asked = self._asked(session, sql, tables, parameters, planner)
            made, report = session.query_as_arrow(*asked, cancellation)
            self._forget(removed_name(sql))
        self.report = report = Report(report)
        return made if isinstance(made, core.DeviceResult) else _read(made), report

    def query(self, sql, tables=None, parameters=None, planner=None):
        """Answers a statement and returns a pyarrow Table.

        `tables` has data by the names in FROM; other names there are files. `parameters`: a list
        for `?` and `$1`, a dict for `$name`. `planner`: instead of the session's.
        """
        return self._answer(sql, tables, parameters, planner)[0]

    def profile(self, sql, tables=None, parameters=None, planner=None):
        """Answers a statement, and returns the times of all it did as a trace of Chrome's, in JSON.

        chrome://tracing and ui.perfetto.dev show it.
        """
        if not is_untimed_change(arguments.text("sql", sql)):
            _, report = self._answer(sql, tables, parameters, planner, profile=True)
            if "profile" in report:
                return report["profile"]
        raise PenstockError("profile() times SELECT, COPY and CREATE TABLE AS", "unsupported")

    def explain(self, sql, tables=None, parameters=None, planner=None):
        """Returns the steps, operators and kernels of a SELECT, and reads no row."""
        with self._used() as (session, _):
            return session.explain(*self._asked(session, sql, tables, parameters, planner))

    def source(self, sql, tables=None, parameters=None, target="cuda", planner=None):
        """Returns the kernels of a SELECT for "cuda", "opencl", "sycl", "metal" or "cpu"."""
        arguments.text("target", target)
        with self._used() as (session, _):
            return session.source(*self._asked(session, sql, tables, parameters, planner), target)

    def register(self, name, data):
        """Keeps a table under a name, for all statements of the session. It replaces another."""
        arguments.text("name", name)
        with self._used() as (session, _):
            held = self._held(session, name, data)
            session.define_table(name, held, True)
            with self._changed:  # before close() may open anew without it
                self._forget(name)
                self._registered[name] = held

    def _forget(self, name):
        """Lets go of a registered table, in any case of its name; None does nothing."""
        if name is None:
            return
        with self._changed:
            for same in [one for one in self._registered if one.lower() == name.lower()]:
                del self._registered[same]

    def define(self, function):
        """Makes a function in Kernel C known by its name; penstock.function() makes one."""
        if not hasattr(function, "kernel_body"):
            raise TypeError(
                "function= is of penstock.function() or reduction(), with a signature, not "
                f"{type(function).__name__}"
            )
        name = function.name.lower()
        with self._used() as (session, _), self._defining:
            known = self._functions.get(name)
            if known is function or (known is not None and known.is_same(function)):
                return
            self._define(session, function)
            with self._changed:
                self._functions[name] = function

    @staticmethod
    def _define(session, function):
        result = pyarrow.schema([("result", function.result_type)]).__arrow_c_schema__()
        body = function.kernel_body()
        if hasattr(function, "neutral"):
            neutral = values.stream_of("the neutral value", function.neutral, function.result_type)
            properties = function.associative, function.commutative
            session.define_reduction(function.name, result, neutral, *body, *properties)
            return
        parameters = pyarrow.schema(function.parameters).__arrow_c_schema__()
        session.define_function(function.name, parameters, result, *body)

    def cancel(self):
        """Ends the statements that other threads run here: they raise PenstockError, "cancelled"."""
        check_process()
        with self._changed:
            for cancellation in self._running:
                cancellation.cancel()

    def sql(self, sql, parameters=None, *, tables=None, planner=None):
        """Returns a lazy result; names in FROM may be variables of the caller. See penstock.sql().

        Tables and views of the session go before variables.
        """
        from penstock.result import lazy

        return lazy(self, sql, parameters, tables, planner, depth=2)

    def close(self):
        """Waits for the statements of other threads. A later one opens the device again."""
        if not is_first_process():
            return  # those threads, and the device, are the parent's
        with self._changed:
            self._changed.wait_for(lambda: not self._running)
            self._session = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


_sessions = {}
_sessions_lock = threading.Lock()


def session_of(device=""):
    """Returns the process's session of a device, which stays open to its end."""
    check_process()  # before the lock, which another thread of the parent may have held
    arguments.text("device", device)
    with _sessions_lock:
        if device not in _sessions:
            _sessions[device] = Session(device)
        return _sessions[device]


def query(sql, tables=None, device="", parameters=None, planner=None):
    """Answers a statement over Arrow data and files; see Session.query().

    The device stays open for the next call.
    """
    return session_of(device).query(sql, tables, parameters, planner)
