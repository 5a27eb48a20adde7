"""Tables of other libraries, as Arrow streams: Arrow, pandas, Polars, NumPy, tensors."""

import warnings

import pyarrow

from penstock.device_data import DeviceTable, device_data_of, has_device_methods, has_host_methods
from penstock.errors import PenstockError


def _module_of(data):
    return type(data).__module__.split(".")[0]


def is_table(data):
    """Whether a variable of this value may stand for a table in FROM."""
    if isinstance(data, dict):
        return bool(data) and all(
            isinstance(column, (list, tuple)) or is_column(column) for column in data.values()
        )
    is_table = _is_frame(data) or _is_dataset(data) or hasattr(data, "__arrow_c_stream__")
    is_table = is_table or has_device_methods(data)
    return is_table or isinstance(data, pyarrow.RecordBatch) or is_column(data)


def _is_frame(data):
    return _module_of(data) in ("pandas", "polars") and hasattr(type(data), "columns")


def _is_series(data):
    return _module_of(data) in ("pandas", "polars") and hasattr(data, "dtype")


def _is_dataset(data):
    is_scanned = hasattr(data, "scanner") or hasattr(data, "scan_batches")
    return _module_of(data) == "pyarrow" and is_scanned


def is_column(data):
    """Whether a value is an array: NumPy's, Arrow's, a series, or one with DLPack's methods."""
    is_array = _module_of(data) == "numpy" and hasattr(data, "dtype") and hasattr(data, "shape")
    is_array = is_array or isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray))
    is_array = is_array or _is_series(data)
    # A result has both: it is a table of any number of columns.
    is_array = is_array or (hasattr(data, "__dlpack__") and not hasattr(data, "__arrow_c_stream__"))
    return is_array and getattr(data, "shape", (1,)) != ()


def arrays_on_device(data):
    """Returns {name: array} of a table in the memory of a GPU; None where it is on the host."""
    if hasattr(data, "__dlpack__") and not hasattr(data, "__arrow_c_stream__"):
        if not _is_on_device(data):
            return None
        data = _columns_of_array(data)
    if not isinstance(data, dict) or not any(map(_is_on_device, data.values())):
        return None
    if here := [str(name) for name, column in data.items() if not _is_on_device(column)]:
        raise PenstockError(
            f"columns {', '.join(here)} are on the host, and others on a device; move them to one",
            "unsupported",
        )
    return {str(name): _without_gaps(column) for name, column in data.items()}


def _without_gaps(column):
    """Returns an array of a device whose values follow one another: a copy there, if need be."""
    column = column.detach() if hasattr(column, "detach") else column
    if hasattr(column, "contiguous"):  # PyTorch's
        return column.contiguous()
    flags = getattr(column, "flags", None)  # CuPy's
    return column if getattr(flags, "c_contiguous", True) else column.copy()


def device_table_of(data):
    """Returns (the DeviceTable of data in a device's memory, None), or (None, data as Arrow's).

    The methods of an object are called once: a stream has its rows once.
    """
    arrays = arrays_on_device(data)
    if arrays is not None:
        return DeviceTable(arrays=arrays), None
    found = device_data_of(data)
    if found is None:
        return None, data
    if found.is_on_host():
        return None, pyarrow.RecordBatchReader._import_from_c_capsule(found.take_stream())
    return DeviceTable(found=found), None


def _is_on_device(data):
    if _module_of(data) in ("numpy", "pyarrow"):  # Arrow's arrays with NULLs have no DLPack
        return False
    where = getattr(data, "__dlpack_device__", None)
    return where is not None and where()[0] not in (1, 3)  # DLPack's numbers: CPU, pinned by CUDA


def _host_array(data, name):
    """Returns an array of one column as pyarrow's; tensors of a device are refused by name."""
    if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
        return data
    if _is_series(data):
        _check_type(name, data.dtype)
        is_polars = _module_of(data) == "polars"
        return data.to_arrow() if is_polars else pyarrow.Array.from_pandas(data)
    if isinstance(data, (list, tuple)):
        return pyarrow.array(data)
    if _module_of(data) != "numpy":
        import numpy

        if _is_on_device(data):
            raise PenstockError(
                f"column {name!r} is in the memory of a device; copy it to the host first",
                "unsupported",
            )
        try:
            data = numpy.from_dlpack(data.detach() if hasattr(data, "detach") else data)
        except (BufferError, RuntimeError) as error:
            raise PenstockError(f"column {name!r} is not read by DLPack: {error}") from error
    if not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    try:
        return pyarrow.array(data)
    except pyarrow.ArrowNotImplementedError:
        raise PenstockError(
            f"column {name!r} is of NumPy's type {data.dtype}, which SQL has not"
        ) from None


def _columns_of_array(data):
    """Returns {name: column} of a structured array, or of one with one or two dimensions."""
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names:
        return {name: data[name] for name in names}
    if len(getattr(data, "shape", (1,))) == 1 or isinstance(data, pyarrow.ChunkedArray):
        return {str(getattr(data, "name", None) or "column0"): data}
    if len(data.shape) == 2:
        return {f"column{i}": data[:, i] for i in range(data.shape[1])}
    raise PenstockError(f"an array of {len(data.shape)} dimensions is no table; one of 1 or 2 is")


def reader_of(data):
    """Returns a RecordBatchReader over whatever holds a table. It reads a reader once."""
    if _module_of(data) == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if _is_frame(data):
        for name, dtype in zip(data.columns, data.dtypes):
            _check_type(name, dtype)
    try:
        return _widened(_reader_of(_on_host(data)))
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        kind = type(data).__name__
        raise PenstockError(f"Arrow makes no table of this {kind}: {error}") from error


def _check_type(name, dtype):
    """Refuses objects of Polars, which Arrow has as addresses, and warns of an order that is lost."""
    if str(dtype) == "Object":  # pandas writes "object"
        raise PenstockError(f"column {name!r} is of Polars' type Object, which SQL has not")
    if getattr(dtype, "ordered", False):
        texts = [str(category) for category in dtype.categories]
        if texts != sorted(texts):
            warnings.warn(
                f"column {name!r} is an ordered Categorical, and SQL orders its texts by alphabet",
                RuntimeWarning,
                stacklevel=3,
            )


def _on_host(data):
    """Returns data of a device protocol as a reader of the host's memory, and others as they are."""
    if not has_device_methods(data) or is_column(data):
        return data
    there, here = device_table_of(data)
    if there is not None and not has_host_methods(data):
        raise PenstockError(
            f"the table is in the memory of a device, {there.device}; copy it to the host first",
            "unsupported",
        )
    return data if there is not None else here


def _reader_of(data):
    if isinstance(data, pyarrow.RecordBatchReader):
        return data
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.RecordBatchReader.from_batches(data.schema, [data])
    if isinstance(data, pyarrow.Table):
        return data.to_reader()
    if _module_of(data) == "pandas" and _is_frame(data):
        return pyarrow.Table.from_pandas(data, preserve_index=False).to_reader()
    if _is_dataset(data):
        return (data.scanner() if hasattr(data, "scanner") else data).to_reader()
    if hasattr(data, "__arrow_c_stream__") and not is_column(data):
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


def _widened(reader):
    """Casts types that the engine lacks: NULL alone becomes INTEGER, as in DuckDB, half FLOAT."""
    wider = {pyarrow.null(): pyarrow.int32(), pyarrow.float16(): pyarrow.float32()}
    for field in reader.schema:
        if getattr(field.type, "extension_name", "") == "pandas.period":
            raise PenstockError(
                f"column {field.name!r} is of pandas' type Period, which SQL has not; "
                "Series.dt.to_timestamp() makes times of it"
            )
    if not any(field.type in wider for field in reader.schema):
        return reader
    fields = [field.with_type(wider.get(field.type, field.type)) for field in reader.schema]
    schema = pyarrow.schema(fields)
    batches = (batch.cast(schema) for batch in reader)
    return pyarrow.RecordBatchReader.from_batches(schema, batches)


def table_of(data):
    """Returns a pyarrow Table of data that holds its rows."""
    return data if isinstance(data, pyarrow.Table) else reader_of(data).read_all()


def without_dictionaries(table):
    """Returns a table with strings in place of dictionaries of them, as DuckDB's results have.

    Every column may be NULL: a schema is of the statement, and not of the rows that it found.
    """
    columns = [
        column.cast(column.type.value_type) if pyarrow.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pyarrow.Table.from_arrays(columns, names=table.column_names)
