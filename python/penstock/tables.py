"""Tables of other libraries, as Arrow streams: Arrow, pandas, Polars, NumPy, tensors."""

import pyarrow

from penstock.errors import PenstockError


def _module_of(data):
    return type(data).__module__.split(".")[0]


def is_table(data):
    """Whether a variable of this value may stand for a table in FROM."""
    if isinstance(data, (pyarrow.Table, pyarrow.RecordBatch, pyarrow.RecordBatchReader)):
        return True
    if isinstance(data, dict):
        return bool(data) and all(is_column(column) for column in data.values())
    return _is_frame(data) or hasattr(data, "__arrow_c_stream__") or is_column(data)


def _is_frame(data):
    return _module_of(data) in ("pandas", "polars") and hasattr(data, "columns")


def is_column(data):
    """Whether a value is an array: NumPy's, or one that is exchanged by DLPack."""
    is_array = _module_of(data) == "numpy" and hasattr(data, "dtype") and hasattr(data, "shape")
    is_array = is_array or isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray))
    return (is_array or hasattr(data, "__dlpack__")) and getattr(data, "shape", (1,)) != ()


def _host_array(data, name):
    """Returns an array of one column as pyarrow's; tensors of a device are refused by name."""
    if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
        return data
    if _module_of(data) != "numpy":
        import numpy

        if data.__dlpack_device__()[0] not in (1, 3):  # DLPack's numbers: CPU, pinned by CUDA
            raise PenstockError(
                f"column {name!r} is in the memory of a device; copy it to the host first",
                "unsupported",
            )
        data = numpy.from_dlpack(data.detach() if hasattr(data, "detach") else data)
    return pyarrow.array(data)


def _columns_of_array(data):
    """Returns {name: column} of a structured array, or of one with one or two dimensions."""
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names:
        return {name: data[name] for name in names}
    if len(getattr(data, "shape", (1,))) == 1 or isinstance(data, pyarrow.ChunkedArray):
        return {"column0": data}
    if len(data.shape) == 2:
        return {f"column{i}": data[:, i] for i in range(data.shape[1])}
    raise PenstockError(f"an array of {len(data.shape)} dimensions is no table; one of 1 or 2 is")


def reader_of(data):
    """Returns a RecordBatchReader over whatever holds a table. It reads a reader once."""
    if isinstance(data, pyarrow.RecordBatchReader):
        return data
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.RecordBatchReader.from_batches(data.schema, [data])
    if isinstance(data, pyarrow.Table):
        return data.to_reader()
    if _module_of(data) == "pandas" and _is_frame(data):
        return pyarrow.Table.from_pandas(data, preserve_index=False).to_reader()
    if _module_of(data) == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__") and not isinstance(data, pyarrow.ChunkedArray):
        return pyarrow.RecordBatchReader.from_stream(data)
    if is_column(data):
        data = _columns_of_array(data)
    if isinstance(data, dict):
        columns = {str(name): _host_array(column, name) for name, column in data.items()}
        return pyarrow.table(columns).to_reader()
    raise PenstockError(
        f"a table is Arrow data, a frame of pandas or Polars, an array, or a dict of arrays, not "
        f"{type(data).__name__}"
    )


def table_of(data):
    """Returns a pyarrow Table of data that holds its rows."""
    return data if isinstance(data, pyarrow.Table) else reader_of(data).read_all()
