"""The library's error."""


class PenstockError(Exception):
    """An error of the library; `code` says which kind.

    invalid, unsupported, corrupt, truncated, overflow, capacity, no_memory, no_device, compile,
    device_lost, io, cancelled or internal: docs/python.md explains each.
    """

    def __init__(self, message, code="invalid"):
        super().__init__(message, code)
        self.message, self.code = message, code

    def __str__(self):
        return self.message
