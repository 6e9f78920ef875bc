"""The errors that `sil` raises on purpose; their text says what to do."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sil._native import Interrupt


class SilError(Exception):
    """Base of all errors of this package; their text can be printed to any terminal.

    Parameters
    ----------
    message
        What was seen, what was expected and what to do. Control characters other than line
        breaks are escaped, for parts of it may come from a file.
    """

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(map(printable, message.split("\n"))))


class InputError(SilError, ValueError):
    """A file, an option or an array that cannot be used as given."""


class InvalidSolutionError(SilError):
    """A solution that breaks the rules of its problem."""


class MissingExtraError(SilError, ImportError):
    """A feature that needs an optional dependency."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'sil-routing[{extra}]'")


class StoppedError(Exception):
    """Work was interrupted before it had anything to show; `sil.solve` does without it."""

    @classmethod
    def raise_if(cls, interrupt: "Interrupt | None") -> None:
        """Stop here if the interrupt, if there is one, is set."""
        if interrupt is not None and interrupt.is_set():
            raise cls


def printable(text: object) -> str:
    """Write text of unknown origin, such as a file's name, so that a terminal only shows it.

    What cannot be printed, such as line breaks and escape sequences, is written as in Python.
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in shown)


def excerpt(value: object, at_most: int = 60) -> str:
    """Quote a value of unknown origin in an error: escaped, and cut where it is long."""
    if isinstance(value, str):
        return repr(value if len(value) <= at_most else value[: at_most - 1] + "…")
    try:
        shown = repr(value)
    except Exception:  # such as that of a number with too many digits
        return f"a value of type {type(value).__name__}"
    return printable(shown if len(shown) <= at_most else shown[: at_most - 1] + "…")
