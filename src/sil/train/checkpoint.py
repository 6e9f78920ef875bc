"""Everything a run needs to resume exactly, in one file."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.io.records import columns, from_cells
from sil.train.log import LogRow


@dataclass
class Position:
    """How far a run has come; it advances by whole steps only.

    Everything random is drawn from the seed and these numbers, so there is no random state to
    save.
    """

    stage: int = -1  # the warm-up
    episode: int = 0
    epoch: int = 0
    step: int = 0  # in this epoch
    seen: int = 0  # states in this epoch
    total_steps: int = 0  # since the warm-up
    steps_before: int = 0  # of these, in earlier stages
    loss: float = 0.0  # sum over the steps of this epoch
    accuracy: float = 0.0  # likewise
    best: float = float("inf")  # score of the best policy in this stage
    best_before: float = float("inf")  # the same when this episode began
    best_loss: float = float("inf")
    idle: int = 0  # episodes without a better policy
    rollbacks: int = 0
    seconds: float = 0.0  # time that the run has taken
    history: list[LogRow] = field(default_factory=list)


@dataclass
class Checkpoint:
    """Progress, the best policy, and the state of the fitter."""

    progress: Position
    best_weights: dict[str, torch.Tensor]
    fitter: dict[str, Any]

    def save(self, path: Path) -> None:
        """Write to a file; a failure leaves the file as it was."""
        history = [row.values() for row in self.progress.history]
        progress = {**vars(self.progress), "history": history}
        buffer = io.BytesIO()
        torch.save({**vars(self), "progress": progress}, buffer)
        with replacing(path) as scratch:
            scratch.write_bytes(buffer.getbuffer())

    @classmethod
    def load(cls, path: Path) -> "Checkpoint":
        """Read from a file."""
        try:
            values = torch.load(path, map_location="cpu", weights_only=True)
            return cls(**{**values, "progress": _position(values["progress"])})
        except Exception as error:
            raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> InputError:
    """Make an error that says what to do about an unusable checkpoint."""
    reason = (str(error) or repr(error)).partition("\n")[0][:200]
    return InputError(
        f"{path}: cannot be read as a checkpoint of this run: {reason}; restore it from a copy, or "
        "start anew in another folder (--out)"
    )


def _position(values: dict[str, Any]) -> Position:
    position = Position(**values)
    for name, default in vars(Position()).items():
        value = getattr(position, name)
        wanted = (int, float) if isinstance(default, float) else type(default)
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise ValueError(f"{name} is {excerpt(value)}")
    position.history = [
        from_cells(LogRow, {name: str(row[name]) for name in columns(LogRow)})
        for row in values["history"]
    ]
    return position
