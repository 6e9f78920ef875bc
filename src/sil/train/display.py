"""How a training run goes, on standard error: a row an epoch, and a line that lives meanwhile."""

import math
import sys
import time
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from sil.errors import MissingExtraError
from sil.train.checkpoint import Progress

_SECONDS_BETWEEN_LINES = 20.0
_COLUMNS = (
    ("stage", "{:.0f}", 5),
    ("nodes", "{:,.0f}", 8),
    ("episode", "{:.0f}", 7),
    ("epoch", "{:.0f}", 5),
    ("loss", "{:.4f}", 8),
    ("accuracy", "{:.2%}", 8),
    ("label_gap", "{:.2f} %", 9),
    ("greedy_gap", "{:.2f} %", 10),
    ("prc_gap", "{:.2f} %", 9),
    ("states_per_second", "{:,.0f}", 8),
    ("seconds", "{:,.0f}", 8),
)
_TITLES = {"states_per_second": "states/s", "prc_gap": "PRC10 gap"}


class Display:
    """Shows nothing; what a run uses if nobody looks, and other processes than the first."""

    def status(self, doing: str, done: float | None = None, details: str = "") -> None:
        """Tell what is being done, what share of it is done already, and how it goes."""

    def row(self, values: dict[str, Any]) -> None:
        """Add a row to the table of validations."""

    def say(self, text: str) -> None:
        """Tell something that should stay to be seen."""

    def resumed(self, at: Progress) -> None:
        """Tell that a run goes on."""


class TerminalDisplay(Display):
    """Writes rows, and between them a live line on a terminal or a plain one now and then."""

    def __init__(self) -> None:
        # Deferred: only people need it.
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
        """Tell what is being done, what share of it is done already, and how it goes."""
        now = time.perf_counter()
        if doing != self._doing:
            self._doing, self._began, self._done_before = doing, now, done or 0.0
        text = f"{doing}, {details}" if details else doing
        if done is not None:
            text += f", {done:.0%}"
            if done > self._done_before:
                left = (now - self._began) * (1 - done) / (done - self._done_before)
                text += f", {_spelt(left)} left of this"
        if self._live is not None:
            self._live.update(text)
        elif now - self._shown > _SECONDS_BETWEEN_LINES:
            self._console.print(text)
            self._shown = now

    def row(self, values: dict[str, Any]) -> None:
        """Add a row to the table of validations."""
        if not self._titled:
            titles = (_TITLES.get(n, n.replace("_", " ")).rjust(w) for n, _, w in _COLUMNS)
            self._console.print("  ".join(titles))
            self._titled = True
        cells = (
            ("–" if math.isnan(values[name]) else form.format(values[name])).rjust(width)
            for name, form, width in _COLUMNS
        )
        self._console.print("  ".join(cells) + ("  best" if values["best"] else ""))

    def say(self, text: str) -> None:
        """Tell something that should stay to be seen."""
        self._console.print(text)

    def resumed(self, at: Progress) -> None:
        """Tell that a run goes on, and show how it went so far."""
        where = f"stage {at.stage + 1}, episode {at.episode + 1}, epoch {at.epoch + 1}"
        self.say("going on with the warm-up" if at.stage < 0 else f"going on at {where}")
        for values in at.history:
            self.row(values)


class TensorBoardDisplay(Display):
    """Writes each row for TensorBoard, and passes everything on.

    Parameters
    ----------
    shown
        The display that people see.
    folder
        Of the run; the files go to ``tensorboard`` in it.
    """

    def __init__(self, shown: Display, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError("writing for TensorBoard", "tensorboard") from error
        self._shown = shown
        # Opened with the first row, for the run may be refused before.
        self._open_writer = cache(lambda: SummaryWriter(str(folder / "tensorboard")))

    def status(self, doing: str, done: float | None = None, details: str = "") -> None:
        """Tell what is being done, what share of it is done already, and how it goes."""
        self._shown.status(doing, done, details)

    def say(self, text: str) -> None:
        """Tell something that should stay to be seen."""
        self._shown.say(text)

    def resumed(self, at: Progress) -> None:
        """Tell that a run goes on."""
        self._shown.resumed(at)

    def row(self, values: dict[str, Any]) -> None:
        """Add a row to the table of validations."""
        self._shown.row(values)
        for name in ("loss", "accuracy", "label_gap", "greedy_gap", "prc_gap", "states_per_second"):
            self._open_writer().add_scalar(name, values[name], values["steps"])
        self._open_writer().flush()


def _spelt(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3600:.1f} h"
