# The compiled module; the other modules of the package give it its shape for users.
from collections.abc import Sequence
from typing import Any

from typing_extensions import Buffer

class HeldTable: ...

def version() -> str: ...
def written_parameters(statement: str) -> list[str]: ...
def hold_table(stream: object, name: str) -> HeldTable: ...
def decode_chunks(
    device: str,
    format: str,
    input: Any,
    offsets: list[int],
    sizes: list[int],
    capacities: list[int],
) -> tuple[Any, list[int], list[int]]: ...
def device_table(session: Session, arrays: dict[str, Any]) -> HeldTable: ...

class DeviceData:
    def is_on_host(self) -> bool: ...
    def device(self) -> str: ...
    def take_schema(self) -> object: ...
    def take_stream(self) -> object: ...

class DeviceResult:
    def schema(self) -> object: ...
    def array(self) -> tuple[object, object]: ...
    def stream(self) -> object: ...

def device_stream_of_host(stream: object) -> object: ...
def take_device_array(schema: object, array: object) -> DeviceData: ...
def take_device_stream(stream: object) -> DeviceData: ...
def is_on_device_of(session: Session, data: DeviceData) -> bool: ...
def has_own_memory(session: Session) -> bool: ...
def arrow_device_table(session: Session, data: DeviceData) -> HeldTable: ...

class Cancellation:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...

class Session:
    def __init__(self, device: str, cache_limit_bytes: int | None, planner: str) -> None: ...
    def query(
        self,
        text: str,
        tables: dict[str, HeldTable],
        values: list[object] | None,
        names: Sequence[str],
        planner: str,
        cancellation: Cancellation,
        profile: bool,
    ) -> tuple[object, dict[str, Any]]: ...
    def query_on_device(
        self,
        text: str,
        tables: dict[str, HeldTable],
        values: list[object] | None,
        names: Sequence[str],
        planner: str,
        cancellation: Cancellation,
    ) -> tuple[list[tuple[str, Any]], dict[str, Any]]: ...
    def query_as_arrow(
        self,
        text: str,
        tables: dict[str, HeldTable],
        values: list[object] | None,
        names: Sequence[str],
        planner: str,
        cancellation: Cancellation,
    ) -> tuple[object, dict[str, Any]]: ...
    def explain(
        self,
        text: str,
        tables: dict[str, HeldTable],
        values: list[object] | None,
        names: Sequence[str],
        planner: str,
    ) -> str: ...
    def source(
        self,
        text: str,
        tables: dict[str, HeldTable],
        values: list[object] | None,
        names: Sequence[str],
        planner: str,
        target: str,
    ) -> str: ...
    def define_table(self, name: str, table: HeldTable, replaces: bool) -> None: ...
    def define_function(
        self, name: str, parameters: object, result: object, body: str, traced: bool
    ) -> None: ...
    def define_reduction(
        self,
        name: str,
        type: object,
        neutral: object,
        body: str,
        traced: bool,
        associative: bool,
        commutative: bool,
    ) -> None: ...

def decompress(
    data: Buffer,
    format: str,
    max_output_bytes: int | None,
    threads: int,
    dictionary: bytes,
    device: str,
    fallback: bool,
    /,
) -> bytes: ...
def compress(
    data: Buffer, format: str, level: int, threads: int, block_bytes: int, device: str, /
) -> bytes: ...

class Reader:
    def __init__(
        self,
        source: object,
        format: str,
        max_output_bytes: int | None,
        threads: int,
        dictionary: bytes,
        device: str,
        fallback: bool,
        /,
    ) -> None: ...
    def read(self, limit: int, /) -> bytes: ...
    def close(self) -> None: ...

def video_features() -> list[tuple[str, str]]: ...
def score_files(
    reference: str,
    distorted: str,
    features: Sequence[str],
    device: str,
    raw: tuple[int, int, int, str] | None,
    subsample: int,
    frame_limit: int,
) -> tuple[tuple[dict[str, list[float | None]], dict[str, float]], str]: ...

class Scorer:
    def __init__(
        self,
        width: int,
        height: int,
        bits: int,
        chroma: str,
        features: Sequence[str],
        device: str,
        subsample: int,
        has_device_frames: bool,
        /,
    ) -> None: ...
    def add(self, reference: Sequence[Any], distorted: Sequence[Any], /) -> None: ...
    def finish(self) -> tuple[dict[str, list[float | None]], dict[str, float]]: ...
    def places(self) -> list[str]: ...

def devices() -> list[dict[str, Any]]: ...
def run_program(words: Sequence[str], /) -> int: ...
