"""All that a run needs to go on as if nothing had happened."""

import io
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.train.log import COLUMNS


@dataclass
class Progress:
    """How far a run is; it grows by whole steps only.

    All that is random is drawn anew from the seed and these numbers, so there is no generator to
    save.
    """

    stage: int = -1  # the warm-up
    episode: int = 0
    epoch: int = 0
    step: int = 0  # in this epoch
    seen: int = 0  # states in this epoch
    total_steps: int = 0  # since the warm-up
    steps_before: int = 0  # of them in earlier stages
    loss: float = 0.0  # sum over the steps of this epoch
    accuracy: float = 0.0
    best: float = float("inf")  # score of the best policy in this stage
    best_before: float = float("inf")  # when this episode began
    best_loss: float = float("inf")
    idle: int = 0  # episodes without a better policy
    rollbacks: int = 0
    seconds: float = 0.0  # that the run has taken
    history: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Checkpoint:
    """Progress, the best policy, and all that the fitter remembers."""

    progress: Progress
    best_weights: dict[str, torch.Tensor]
    fitter: dict[str, Any]

    def save(self, path: Path) -> None:
        """Write to a file, which is complete or as it was."""
        buffer = io.BytesIO()
        torch.save({**vars(self), "progress": asdict(self.progress)}, buffer)
        with replacing(path) as scratch:
            scratch.write_bytes(buffer.getbuffer())

    @classmethod
    def load(cls, path: Path) -> "Checkpoint":
        """Read from a file."""
        try:
            values = torch.load(path, map_location="cpu", weights_only=True)
            return cls(**{**values, "progress": _progress(values["progress"])})
        except Exception as error:
            raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> InputError:
    """Make an error that says what to do about a checkpoint that is of no use."""
    reason = (str(error) or repr(error)).partition("\n")[0][:200]
    return InputError(
        f"{path}: cannot be read as a checkpoint of this run: {reason}; put back a copy, or choose "
        "another folder with --out to begin anew"
    )


def _progress(values: dict[str, Any]) -> Progress:
    progress = Progress(**values)
    for name, default in vars(Progress()).items():
        value = getattr(progress, name)
        wanted = (int, float) if isinstance(default, float) else type(default)
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise ValueError(f"{name} is {excerpt(value)}")
    if not all(isinstance(row, dict) and row.keys() >= set(COLUMNS) for row in progress.history):
        raise ValueError("its log is not one of a run")
    return progress
