"""What cannot be split over machines is refused by name."""

from penstock.session import PenstockError


def unsupported(what, instead):
    return PenstockError(
        f"unsupported: {what} is not supported over several machines; {instead}", "unsupported"
    )


def invalid(message):
    return PenstockError(f"invalid: {message}", "invalid")
