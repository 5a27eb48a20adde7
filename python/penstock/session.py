"""A device that stays open, and statements over Arrow tables on it."""

import contextlib
import ctypes
import os
import sys
import threading

import pyarrow

from penstock import library

# The codes of penstock_code in device.h, in their order.
CODES = (
    "ok invalid unsupported corrupt truncated overflow capacity no_memory no_device compile "
    "device_lost io cancelled internal"
).split()


class PenstockError(Exception):
    """An error of the library; `code` is one of CODES."""

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


def reader_of(data):
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
    """The library's threads and drivers' handles belong to the process that used it first."""
    global _first_process
    if _first_process is None:
        _first_process = os.getpid()
    elif _first_process != os.getpid():
        raise PenstockError(
            "this process was forked from one that has used penstock, whose threads and device it "
            'lacks; start workers by spawn: multiprocessing.get_context("spawn")',
            "unsupported",
        )


class _Streams:
    """Tables as the library takes them. Releases tables that the library did not take."""

    def __init__(self, readers):
        self.streams = [library.ArrowArrayStream() for _ in readers]
        self.named = (library.NamedStream * len(readers))()
        self._exported = []
        try:
            for (name, reader), stream, entry in zip(readers.items(), self.streams, self.named):
                entry.name, entry.stream = name.encode(), ctypes.pointer(stream)
                reader._export_to_c(ctypes.addressof(stream))
                self._exported.append(stream)
        except BaseException:
            self._release()
            raise

    def _release(self):
        for stream in self._exported:
            # A reader that is imported again releases the stream when it goes.
            pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))


class Session:
    """A device that stays open between queries, with the kernels compiled for it.

    Threads may share one. It belongs to the process that made it: a process forked from one that
    has used the library gets an error, and one that is spawned opens its own.
    """

    def __init__(self, device=""):
        self.device = device
        self._changed = threading.Condition()
        self._handle = None
        self._running = 0  # queries that use the handle
        self.report = None  # of the last query: rows_read, rows_out, kernels_compiled, seconds

    def _open(self):
        if self._handle is None:
            handle, status = ctypes.c_void_p(), library.Status()
            opened = library.load().penstock_session_open(
                self.device.encode(), ctypes.byref(handle), ctypes.byref(status)
            )
            _check(opened, status)
            self._handle = handle
        return self._handle

    @contextlib.contextmanager
    def _used_handle(self):
        with self._changed:
            handle = self._open()
            self._running += 1
        try:
            yield handle
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def query(self, sql, tables=None):
        """Answers a SELECT and returns a pyarrow Table.

        `tables` has Arrow data by the names in FROM; other names there are files.
        """
        _check_process()
        readers = {name: reader_of(data) for name, data in (tables or {}).items()}
        rows, report, status = library.ArrowArrayStream(), library.Report(), library.Status()
        with self._used_handle() as handle:
            given = _Streams(readers)
            code = library.load().penstock_session_query(
                handle,
                sql.encode(),
                given.named,
                len(readers),
                ctypes.byref(rows),
                ctypes.byref(report),
                ctypes.byref(status),
            )
        _check(code, status)
        self.report = report
        return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(rows)).read_all()

    def close(self):
        """Waits for the queries of other threads. A later query opens the device again."""
        if _first_process != os.getpid():
            return
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0)
            handle, self._handle = self._handle, None
            if handle is not None:
                library.load().penstock_session_close(handle)

    def __del__(self):
        # No query runs: it would hold the session. At the process's end modules may be gone.
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None and not sys.is_finalizing() and _first_process == os.getpid():
            library.load().penstock_session_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


_sessions = {}
_sessions_lock = threading.Lock()


def session_of(device):
    """Returns the process's session of a device, which stays open to its end."""
    _check_process()  # before the lock, which another thread of the parent may have held
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
