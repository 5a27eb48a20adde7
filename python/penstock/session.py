"""A device that stays open, and statements over Arrow tables on it."""

import ctypes
import os
import threading

import pyarrow

from penstock import library

# The codes of penstock_code in device.h, in their order.
CODES = (
    "ok invalid unsupported corrupt truncated overflow capacity no_memory no_device compile "
    "device_lost io cancelled internal"
).split()


class PenstockError(Exception):
    """What the library says; `code` is one of CODES."""

    def __init__(self, message, code="invalid"):
        super().__init__(message, code)
        self.message, self.code = message, code

    def __str__(self):
        return self.message


def _check(code, status):
    if code:
        raise PenstockError(
            status.message.decode(errors="replace"), CODES[code] if code < len(CODES) else str(code)
        )


def _reader(data):
    """Returns a RecordBatchReader over whatever holds Arrow data."""
    if isinstance(data, pyarrow.RecordBatchReader):
        return data
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.RecordBatchReader.from_batches(data.schema, [data])
    if isinstance(data, pyarrow.Table):
        return data.to_reader()
    if hasattr(data, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(data)
    raise PenstockError(
        f"a table is a pyarrow Table, RecordBatch or RecordBatchReader, not {type(data).__name__}"
    )


_first_process = None  # that used the library


def _check_process():
    global _first_process
    if _first_process is None:
        _first_process = os.getpid()
    if _first_process != os.getpid():
        raise PenstockError(
            "this process was forked from one that has used a device; start workers by spawn",
            "unsupported",
        )


class Session:
    """A device that stays open between queries, with the kernels compiled for it.

    Threads may share one. It belongs to the process that opened it: a forked process must start
    others by spawn, as threads and drivers do not outlive a fork.
    """

    def __init__(self, device=""):
        self.device = device
        self._idle = threading.Condition()
        self._queries = 0  # that run now
        self._handle = None
        self.report = None  # of the last query: rows_read, rows_out, kernels_compiled, seconds

    def _begin(self):
        """Returns the handle, which stays open until _end()."""
        _check_process()
        with self._idle:
            if self._handle is None:
                handle, status = ctypes.c_void_p(), library.Status()
                opened = library.load().penstock_session_open(
                    self.device.encode(), ctypes.byref(handle), ctypes.byref(status)
                )
                _check(opened, status)
                self._handle = handle
            self._queries += 1
            return self._handle

    def _end(self):
        with self._idle:
            self._queries -= 1
            self._idle.notify_all()

    def query(self, sql, tables=None):
        """Answers a SELECT and returns a pyarrow Table.

        `tables` has Arrow data by the names in FROM; other names there are files.
        """
        readers = {name: _reader(data) for name, data in (tables or {}).items()}
        handle = self._begin()
        try:
            return self._answer(handle, sql, readers)
        finally:
            self._end()

    def _answer(self, handle, sql, readers):
        streams = [library.ArrowArrayStream() for _ in readers]
        named = (library.NamedStream * len(readers))()
        for (name, reader), stream, entry in zip(readers.items(), streams, named):
            reader._export_to_c(ctypes.addressof(stream))
            entry.name, entry.stream = name.encode(), ctypes.pointer(stream)
        rows, report, status = library.ArrowArrayStream(), library.Report(), library.Status()
        code = library.load().penstock_session_query(
            handle,
            sql.encode(),
            named,
            len(readers),
            ctypes.byref(rows),
            ctypes.byref(report),
            ctypes.byref(status),
        )
        _check(code, status)
        self.report = report
        return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(rows)).read_all()

    def close(self):
        """Waits for queries that run. The next one opens the device anew."""
        with self._idle:
            self._idle.wait_for(lambda: self._queries == 0)
            if self._handle is not None and os.getpid() == _first_process:
                library.load().penstock_session_close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


_sessions = {}
_sessions_lock = threading.Lock()


def session_of(device):
    """Returns the process's session of a device, which stays open to its end."""
    with _sessions_lock:
        if device not in _sessions:
            _sessions[device] = Session(device)
        return _sessions[device]


def query(sql, tables=None, device=""):
    """Answers a SELECT over Arrow data and files; see Session.query().

    The device stays open for the next call. `device`: "cuda:0", "opencl:1", "cuda", "gpu", "cpu";
    by default the first one.
    """
    return session_of(device).query(sql, tables)
