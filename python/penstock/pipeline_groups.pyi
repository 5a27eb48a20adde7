from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from penstock.pipeline import Pipeline
from penstock.tracing import Column, _Group, _Value
from penstock.tracing_functions import Reduction

_AggregateName: TypeAlias = Literal[
    "sum",
    "mean",
    "avg",
    "min",
    "max",
    "count",
    "len",
    "size",
    "n_unique",
    "nunique",
    "null_count",
    "any",
    "all",
    "std",
    "var",
    "median",
]
_Aggregate: TypeAlias = (
    Callable[[_Group], _Value]
    | tuple[
        str | Callable[[_Group], _Value],
        _AggregateName | Reduction | Callable[[Column], Column],
    ]
)

class GroupBy:
    def agg(
        self, columns: Mapping[str, _Aggregate] | None = None, /, **named: _Aggregate
    ) -> Pipeline: ...
    def len(self, name: str = "len") -> Pipeline: ...
