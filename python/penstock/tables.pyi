from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import pyarrow

# What a table may be, by the protocols that its libraries have.
class _ArrowStream(Protocol):
    @property
    def __arrow_c_stream__(self) -> Callable[..., object]: ...

class _ArrowBatch(Protocol):
    @property
    def __arrow_c_array__(self) -> Callable[..., object]: ...

class _ArrowDeviceArray(Protocol):
    @property
    def __arrow_c_device_array__(self) -> Callable[..., object]: ...

class _ArrowDeviceStream(Protocol):
    @property
    def __arrow_c_device_stream__(self) -> Callable[..., object]: ...

class _DlpackArray(Protocol):
    @property
    def __dlpack__(self) -> Callable[..., Any]: ...
    @property
    def __dlpack_device__(self) -> Callable[..., Any]: ...

class _NumpyArray(Protocol):
    @property
    def __array_interface__(self) -> Any: ...

class _LazyFrame(Protocol):
    @property
    def collect(self) -> Callable[..., Any]: ...
    @property
    def collect_schema(self) -> Callable[..., Any]: ...

class _Dataset(Protocol):
    @property
    def scanner(self) -> Callable[..., Any]: ...

_Column: TypeAlias = _ArrowStream | _ArrowBatch | _DlpackArray | _NumpyArray
_Table: TypeAlias = (
    _Column
    | _ArrowDeviceArray
    | _ArrowDeviceStream
    | _LazyFrame
    | _Dataset
    | Mapping[str, _Column | Sequence[object]]
)

def is_table(data: object) -> bool: ...
def is_column(data: object) -> bool: ...
def arrays_on_device(data: object) -> dict[str, Any] | None: ...
def device_table_of(data: object) -> tuple[Any, Any]: ...
def reader_of(data: _Table) -> pyarrow.RecordBatchReader: ...
def table_of(data: _Table) -> pyarrow.Table: ...
def without_dictionaries(table: pyarrow.Table) -> pyarrow.Table: ...
