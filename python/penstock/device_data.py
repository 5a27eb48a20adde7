"""Tables in the memory of a device: Arrow's device protocols, and arrays by DLPack."""

import pyarrow

from penstock.core import core
from penstock.errors import PenstockError

_NUMBERS = {
    str(type_): type_
    for type_ in (
        *(pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64()),
        *(pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64()),
    )
}
_NUMBERS.update(float32=pyarrow.float32(), float64=pyarrow.float64())


def has_device_methods(data):
    """Whether an object has one of Arrow's device protocols, and is not known to be on the host."""
    if type(data).__module__.split(".")[0] == "pyarrow" and getattr(data, "is_cpu", True):
        return False
    return hasattr(data, "__arrow_c_device_stream__") or hasattr(data, "__arrow_c_device_array__")


def device_data_of(data):
    """Returns the DeviceData of such an object; None for others."""
    if not has_device_methods(data):
        return None
    if hasattr(data, "__arrow_c_device_stream__"):
        return core.take_device_stream(data.__arrow_c_device_stream__())
    return core.take_device_array(*data.__arrow_c_device_array__())


def has_host_methods(data):
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


class DeviceTable:
    """A table in the memory of a device, which several statements may read."""

    def __init__(self, arrays=None, found=None):
        self._arrays, self._found = arrays, found
        if found is not None:
            self.schema = pyarrow.Schema._import_from_c_capsule(found.take_schema())
        else:
            self.schema = pyarrow.schema([(n, _type_of(n, array)) for n, array in arrays.items()])
        self.column_names = self.schema.names
        self.device = "a GPU" if found is None else found.device()

    def is_on_device_of(self, session):
        return self._found is None or core.is_on_device_of(session, self._found)

    def held_by(self, session):
        if self._found is not None:
            return core.arrow_device_table(session, self._found)
        return core.device_table(session, self._arrays)


def _type_of(name, array):
    kind = str(array.dtype).rsplit(".", 1)[-1]
    if kind not in _NUMBERS:
        raise PenstockError(
            f"column {name!r} is of type {kind}, which is not read from a device: integers and "
            "floats are",
            "unsupported",
        )
    return _NUMBERS[kind]


def need_no_options(method, options):
    """A later version of the protocol may have more arguments, which None leaves out."""
    if given := [name for name, value in options.items() if value is not None]:
        raise NotImplementedError(f"{method}() takes no {', '.join(given)}")


def cast(table, requested_schema):
    """Returns a table in the schema of a capsule; an error where its values do not fit."""
    if requested_schema is None:
        return table
    wanted = pyarrow.Schema._import_from_c_capsule(requested_schema)
    return cast_to(table, wanted)


def cast_to(table, wanted):
    try:
        return table if table.schema.equals(wanted) else table.cast(wanted)
    except (pyarrow.ArrowException, ValueError) as error:
        raise PenstockError(f"requested_schema= does not fit the result: {error}") from None


def schema_of(result):
    """Returns the pyarrow schema of a DeviceResult."""
    return pyarrow.Schema._import_from_c_capsule(result.schema())


def host_array(table):
    """Returns what __arrow_c_device_array__ returns for a table on the host."""
    batches = table.combine_chunks().to_batches()
    if len(batches) > 1:
        raise PenstockError("the rows do not fit one array; __arrow_c_device_stream__", "capacity")
    empty = [pyarrow.array([], type=field.type) for field in table.schema]
    batch = batches[0] if batches else pyarrow.RecordBatch.from_arrays(empty, schema=table.schema)
    return batch.__arrow_c_device_array__()


def host_stream(table):
    return core.device_stream_of_host(table.__arrow_c_stream__())
