"""The errors that `sil` raises on purpose; their text says what to do."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sil._native import Interrupt


class SilError(Exception):
    """Base of all errors of this package."""


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
