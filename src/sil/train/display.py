"""The progress of a training run on standard error: a row per epoch, and a live status line."""

import math
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import TracebackType

from sil.errors import MissingExtraError
from sil.train.checkpoint import Position
from sil.train.log import LogRow

_SECONDS_BETWEEN_LINES = 20.0


class Display:
    """Shows nothing: the default, and the display of all processes but the first."""

    def status(self, doing: str, done: float | None = None, details: str = "") -> None:
        """Show what is being done, what share of it is done, and details."""

    def row(self, row: LogRow) -> None:
        """Add a row to the table of validations."""

    def say(self, text: str) -> None:
        """Print a message that stays visible."""

    def resumed(self, at: Position) -> None:
        """Say that a run is resumed."""


class TerminalDisplay(Display):
    """Prints rows, and between them a live line on a terminal or occasional plain lines."""

    def __init__(self) -> None:
        # Deferred: it is not needed elsewhere.
        from rich.console import Console
        from rich.status import Status

        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._live = Status("", console=self._console) if sys.stderr.isatty() else None
        self._shown = time.perf_counter()
        self._began = self._shown
        self._doing, self._done_before = "", 0.0
        self._titled = False

    def __enter__(self) -> "TerminalDisplay":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def status(self, doing: str, done: float | None = None, details: str = "") -> None:
        """Show what is being done, what share of it is done, and details."""
        now = time.perf_counter()
        if doing != self._doing:
            self._doing, self._began, self._done_before = doing, now, done or 0.0
        text = f"{doing}, {details}" if details else doing
        if done is not None:
            text += f", {done:.0%}"
            if done > self._done_before:
                left = (now - self._began) * (1 - done) / (done - self._done_before)
                text += f", {_spelt(left)} left"
        if self._live is not None:
            self._live.update(text)
        elif now - self._shown > _SECONDS_BETWEEN_LINES:
            self._console.print(text)
            self._shown = now

    def row(self, row: LogRow) -> None:
        """Add a row to the table of validations."""
        if not self._titled:
            self._console.print("  ".join(title.rjust(width) for title, width, _ in _COLUMNS))
            self._titled = True
        cells = (shown(row).rjust(width) for _, width, shown in _COLUMNS)
        self._console.print("  ".join(cells) + ("  best" if row.best else ""))

    def say(self, text: str) -> None:
        """Print a message that stays visible."""
        self._console.print(text)

    def resumed(self, at: Position) -> None:
        """Say that a run is resumed, and show its history."""
        where = f"stage {at.stage + 1}, episode {at.episode + 1}, epoch {at.epoch + 1}"
        self.say("Resuming the warm-up." if at.stage < 0 else f"Resuming at {where}.")
        for row in at.history:
            self.row(row)


class TensorBoardDisplay(Display):
    """Writes each row for TensorBoard, and passes everything on to another display.

    Parameters
    ----------
    shown
        The other display.
    folder
        Folder of the run; the files go to ``tensorboard`` in it.
    """

    def __init__(self, shown: Display, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError("writing for TensorBoard", "tensorboard") from error
        self._shown = shown
        # Opened with the first row: the run may still be refused.
        self._open_writer = cache(lambda: SummaryWriter(str(folder / "tensorboard")))

    def status(self, doing: str, done: float | None = None, details: str = "") -> None:
        """Show what is being done, what share of it is done, and details."""
        self._shown.status(doing, done, details)

    def say(self, text: str) -> None:
        """Print a message that stays visible."""
        self._shown.say(text)

    def resumed(self, at: Position) -> None:
        """Say that a run is resumed."""
        self._shown.resumed(at)

    def row(self, row: LogRow) -> None:
        """Add a row to the table of validations."""
        self._shown.row(row)
        for name in ("loss", "accuracy", "label_gap", "greedy_gap", "prc_gap", "states_per_second"):
            self._open_writer().add_scalar(name, getattr(row, name), row.steps)
        self._open_writer().flush()


def _unless_nan(form: str, value: float) -> str:
    return "–" if math.isnan(value) else form.format(value)


# Title, width and content.
_COLUMNS: tuple[tuple[str, int, Callable[[LogRow], str]], ...] = (
    ("stage", 5, lambda row: f"{row.stage}"),
    ("nodes", 8, lambda row: f"{row.nodes:,}"),
    ("episode", 7, lambda row: f"{row.episode}"),
    ("epoch", 5, lambda row: f"{row.epoch}"),
    ("loss", 8, lambda row: _unless_nan("{:.4f}", row.loss)),
    ("accuracy", 8, lambda row: _unless_nan("{:.2%}", row.accuracy)),
    ("label gap", 9, lambda row: f"{row.label_gap:.2f} %"),
    ("greedy gap", 10, lambda row: f"{row.greedy_gap:.2f} %"),
    ("PRC10 gap", 9, lambda row: f"{row.prc_gap:.2f} %"),
    ("states/s", 8, lambda row: f"{row.states_per_second:,}"),
    ("seconds", 8, lambda row: f"{row.seconds:,.0f}"),
)


def _spelt(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3600:.1f} h"
