"""The errors that `sil` raises deliberately; their messages say what to do."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sil._native import Interrupt


class SilError(Exception):
    """Base class of all errors of this package; their messages are safe to print to a terminal.

    Parameters
    ----------
    message
        What was found, what was expected and what to do. Control characters other than line breaks
        are escaped, because parts of the message may come from a file.
    """

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(map(printable, message.split("\n"))))


class InputError(SilError, ValueError):
    """A file, an option or an array cannot be used."""


class InvalidSolutionError(SilError):
    """A solution violates the constraints of its problem."""


class MissingExtraError(SilError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs optional packages: pip install 'sil-routing[{extra}]'")


class StoppedError(Exception):
    """Work was interrupted before it had a result; `sil.solve` handles this error itself."""

    @classmethod
    def raise_if(cls, interrupt: "Interrupt | None") -> None:
        """Raise this error if there is an interrupt and it is set."""
        if interrupt is not None and interrupt.is_set():
            raise cls


def printable(text: object) -> str:
    """Escape text of unknown origin, such as a file name, so that it is safe on a terminal.

    Characters that cannot be printed, such as line breaks and escape sequences, are written as in
    Python string literals.
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in shown)


def excerpt(value: object, at_most: int = 60) -> str:
    """Quote a value of unknown origin for an error message: escaped, and shortened if long."""
    if isinstance(value, str):
        return repr(value if len(value) <= at_most else value[: at_most - 1] + "…")
    try:
        shown = repr(value)
    except Exception:  # for example a number with too many digits
        return f"a value of type {type(value).__name__}"
    return printable(shown if len(shown) <= at_most else shown[: at_most - 1] + "…")
