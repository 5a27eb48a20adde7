from typing import Literal

_Code = Literal[
    "invalid",
    "unsupported",
    "corrupt",
    "truncated",
    "overflow",
    "capacity",
    "no_memory",
    "no_device",
    "compile",
    "device_lost",
    "io",
    "cancelled",
    "internal",
]

class PenstockError(Exception):
    message: str
    code: _Code
    def __init__(self, message: str, code: _Code = "invalid") -> None: ...
