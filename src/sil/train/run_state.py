"""What changes during a run: how far it is, the fitter and the best policy; saved and resumed."""

import math
import time
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from sil.errors import SilError
from sil.policy.engine import PolicyEngine
from sil.policy.model import Policy
from sil.policy.weights import save
from sil.train.checkpoint import Checkpoint, Position, damaged
from sil.train.config import Optimiser, Stage, TrainConfig
from sil.train.fit import Fitter, arrays_of, engine_of
from sil.train.folder import BEST, CHECKPOINT
from sil.train.log import write_log
from sil.train.processes import Processes

_SECONDS_BETWEEN_SAVES = 60.0
_MOST_ROLLBACKS = 5


class RunState:
    """The state of a run in its folder: a new one, or what the last checkpoint holds.

    Parameters
    ----------
    config
        The run.
    folder
        Where it is saved, by the first process only.
    processes
        All processes of the run.
    weights
        What a new run starts from; by default random weights.
    """

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        processes: Processes,
        weights: dict[str, Tensor] | None = None,
    ) -> None:
        self._config, self._folder, self._processes = config, folder, processes
        torch.manual_seed(config.seed)
        self.policy = Policy(replace(config.policy, reach=1.0)).to(processes.device)
        self.at = Position()
        self.is_resumed = self._file.exists()
        kept = Checkpoint.load(self._file) if self.is_resumed else None
        if kept is not None:
            self.at = kept.progress
        elif weights is not None:
            self.policy.load_state_dict(weights)
        self.fitter = self._new_fitter()
        self.best_weights = self.fitter.weights()
        if kept is not None:
            self._resume(kept)
        self._before_epoch = self._checkpoint()
        if self.at.step > 0 and self._epoch_file.exists():
            self._before_epoch = Checkpoint.load(self._epoch_file)
        self._started = time.perf_counter() - self.at.seconds
        self._saved = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time that the run has taken, over all its interruptions."""
        return time.perf_counter() - self._started

    def best_policy(self) -> PolicyEngine:
        """Make the engine of the best policy, as it will be used."""
        return engine_of(self._config.policy, self.best_weights, self._processes)

    def current_policy(self) -> PolicyEngine:
        """Make the engine of the present policy, as it will be used."""
        return engine_of(self._config.policy, self.fitter.weights(), self._processes)

    def keep_as_best(self) -> None:
        """Take the present policy as the best one."""
        self.best_weights = self.fitter.weights()

    def continue_from_best(self) -> None:
        """Continue training from the best policy; the optimiser keeps its state."""
        self.fitter.load(self.best_weights)

    def end_warm_up(self) -> None:
        """Go on to the first stage, with a new optimiser."""
        self.keep_as_best()
        self.at.stage, self.at.step = 0, 0
        self.fitter = self._new_fitter()
        self.save()

    def begin_stage(self, stage: Stage) -> None:
        """Let the network see as many candidates as the stage says."""
        self.policy.config = self._config.policy_in(stage)

    def end_stage(self) -> None:
        """Go on to the next stage from the best policy."""
        at = self.at
        at.stage += 1
        at.episode = at.idle = at.rollbacks = 0
        at.steps_before = at.total_steps
        at.best = at.best_before = at.best_loss = math.inf
        self.continue_from_best()
        self.save()

    def begin_epoch(self) -> None:
        """Remember where to return to if this epoch diverges."""
        self._before_epoch = self._checkpoint()
        if self._processes.is_first:
            self._before_epoch.save(self._epoch_file)

    def end_epoch(self) -> None:
        """Go on to the next epoch."""
        at = self.at
        at.epoch += 1
        at.step = at.seen = 0
        at.loss = at.accuracy = 0.0
        self.save()

    def roll_back(self) -> None:
        """Return to the beginning of a diverged epoch; the learning rate is halved."""
        rollbacks = self.at.rollbacks + 1
        if rollbacks > _MOST_ROLLBACKS:
            raise SilError(
                f"training diverged {rollbacks} times, last in episode {self.at.episode + 1}: "
                "choose a lower rate"
            )
        self._restore(self._before_epoch)
        self.at.rollbacks = rollbacks
        self.save()

    def save(self) -> None:
        """Write checkpoint, log and best policy."""
        self.at.seconds = self.seconds
        self._saved = time.perf_counter()
        if not self._processes.is_first:
            return
        self._checkpoint().save(self._file)
        write_log(self._folder, self.at.history)
        if self.at.stage >= 0:
            save(self._folder / BEST, self._config.policy, arrays_of(self.best_weights))

    def save_from_time_to_time(self) -> None:
        """Save if the last time is a minute ago."""
        if time.perf_counter() - self._saved > _SECONDS_BETWEEN_SAVES:
            self.save()

    @property
    def _file(self) -> Path:
        return self._folder / CHECKPOINT

    @property
    def _epoch_file(self) -> Path:
        return self._folder / "epoch.pt"

    def _new_fitter(self) -> Fitter:
        # The warm-up has an optimiser of its own, with the settings of the paper.
        settings = Optimiser() if self.at.stage < 0 else self._config.optimiser
        return Fitter(self.policy, settings, self._processes)

    def _checkpoint(self) -> Checkpoint:
        at = replace(self.at, history=list(self.at.history))
        return Checkpoint(at, self.best_weights, self.fitter.state())

    def _resume(self, kept: Checkpoint) -> None:
        """Continue from a checkpoint, if it belongs to this run."""
        try:
            if not -1 <= kept.progress.stage <= len(self._config.stages):
                raise ValueError(f"there is no stage {kept.progress.stage + 1}")
            self.fitter.load(kept.best_weights)  # raises an error if the shapes differ
            self._restore(kept)
        except Exception as error:
            raise damaged(self._file, error) from error

    def _restore(self, kept: Checkpoint) -> None:
        self.at = replace(kept.progress, history=list(kept.progress.history))
        self.best_weights = kept.best_weights
        self.fitter.restore(kept.fitter)
