"""All that a run needs to go on as if nothing had happened."""

import io
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from sil.errors import InputError
from sil.io.atomic import replacing
from sil.train.config import TrainConfig, config_of


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
            return cls(**{**values, "progress": Progress(**values["progress"])})
        except Exception as error:
            raise InputError(f"{path}: cannot be read as a checkpoint: {error}") from error


def require_same_config(config: TrainConfig, folder: Path) -> None:
    """Write the configuration to a new folder, or compare it with the one that is there."""
    path = folder / "config.json"
    if path.exists():
        before = config_of(json.loads(path.read_text(encoding="utf-8")))
        if differing := before.differences(config):
            raise InputError(
                f"{folder} holds a run with another configuration; choose another folder with "
                "--out, or take back the change:\n  " + "\n  ".join(differing)
            )
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror or error}") from error
    with replacing(path) as scratch:
        scratch.write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")
