from collections.abc import Callable
from typing import Any, TypeVar, overload

import pyarrow
from penstock.tracing import Column, _Value

_Traced = TypeVar("_Traced", bound=Callable[..., Any])

class _OfKernelC:
    name: str
    signature: str
    body: str | Callable[..., Any]
    result_type: pyarrow.DataType
    parameters: list[tuple[str, pyarrow.DataType]]
    def is_same(self, other: _OfKernelC) -> bool: ...
    def kernel_body(self) -> tuple[str, bool]: ...
    def define_in(self, session: Any) -> None: ...

class Function(_OfKernelC):
    def __init__(self, name: str, signature: str, body: str | Callable[..., Any]) -> None: ...
    def __call__(self, *arguments: _Value) -> Column: ...

class Reduction(_OfKernelC):
    neutral: float
    associative: bool
    commutative: bool
    def __init__(
        self,
        name: str,
        signature: str,
        body: str | Callable[..., Any],
        neutral: float,
        associative: bool,
        commutative: bool,
    ) -> None: ...
    def __call__(self, column: Column) -> Column: ...

# function("norm", "double(double x)", body), @function, and @function("norm", "double(double x)").
@overload
def function(name: _Traced, signature: None = None, body: None = None) -> _Traced: ...
@overload
def function(name: str, signature: str, body: str | Callable[..., Any]) -> Function: ...
@overload
def function(
    name: str, signature: str, body: None = None
) -> Callable[[Callable[..., Any]], Function]: ...
def reduction(
    name: str,
    signature: str,
    body: str | Callable[..., Any],
    neutral: float,
    associative: bool = False,
    commutative: bool = False,
) -> Reduction: ...
