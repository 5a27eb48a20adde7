import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias, overload

import pyarrow
from penstock.tables import _DlpackArray

_Chroma: TypeAlias = Literal["400", "420", "422", "444"]

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...

_Plane: TypeAlias = _DlpackArray | _CudaArray
_Frame: TypeAlias = _Plane | Sequence[_Plane]
_Path: TypeAlias = str | os.PathLike[str]

class VideoScores:
    by_key: dict[str, list[float | None]]
    aggregates: dict[str, float]
    def __init__(
        self, by_key: dict[str, list[float | None]], aggregates: dict[str, float]
    ) -> None: ...
    def keys(self) -> list[str]: ...
    def __getitem__(self, key: str) -> list[float | None]: ...
    def pooled(self, key: str) -> dict[str, float | None]: ...
    def arrow(self) -> pyarrow.Table: ...
    def df(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

def features() -> dict[str, str]: ...
@overload
def score(
    reference: _Path,
    distorted: _Path,
    features: str | Iterable[str],
    *,
    device: str = "",
    raw: tuple[int, int, int, _Chroma] | None = None,
    bits: int | None = None,
    subsample: int = 1,
    frame_limit: int = 0,
) -> VideoScores: ...
@overload
def score(
    reference: Iterable[_Frame],
    distorted: Iterable[_Frame],
    features: str | Iterable[str],
    *,
    device: str = "",
    raw: None = None,
    bits: int | None = None,
    subsample: int = 1,
    frame_limit: int = 0,
) -> VideoScores: ...
