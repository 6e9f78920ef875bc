"""Self-improved learning (paper, section Self-Improved Training), to be read from top to bottom."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from sil._native import Interrupt
from sil.construct import construct
from sil.errors import InputError, SilError, StoppedError
from sil.policy.model import Policy
from sil.policy.native import NativePolicy
from sil.policy.weights import save
from sil.problem import Problem
from sil.solution import Solution
from sil.threads import require_threads
from sil.train.batch import draw_batch
from sil.train.begun import Begun, begin_and_complete
from sil.train.checkpoint import Checkpoint, Progress, damaged
from sil.train.config import Begin, Optimiser, Schedule, Score, Stage, TrainConfig
from sil.train.display import Display
from sil.train.fit import DivergedError, Fitter, arrays_of, given_weights
from sil.train.folder import SCRATCH, require_ours, take_folder
from sil.train.improve import improved, side_by_side
from sil.train.instances import draw_problem, require_room
from sil.train.log import write_log
from sil.train.pool import Pool
from sil.train.processes import Processes
from sil.train.rate import rate_now
from sil.train.validate import Validation
from sil.train.warmup import reinforce

_SECONDS_BETWEEN_SAVES = 60.0
_MOST_ROLLBACKS = 5
# What is drawn for one purpose must not be drawn again for another.
_LABELS, _VALIDATION, _IMPROVE, _TRAIN, _WARM_UP, _BEGIN = range(6)

T = TypeVar("T")


class Training:
    """A run in a folder; if there is one already, it goes on.

    Parameters
    ----------
    config
        What to do.
    folder
        Keeps everything: ``best.safetensors`` is the best policy, ``log.csv`` how it went.
    threads
        For improving and validating, in each process; by default they share all cores.
    interrupt
        When set, the run ends soon, and can go on another time.
    display
        Shows how it goes.
    """

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        threads: int | None = None,
        interrupt: Interrupt | None = None,
        display: Display | None = None,
    ) -> None:
        self.config, self.folder = config, folder
        self._interrupt = interrupt or Interrupt()
        self._processes = Processes()
        self._threads = self._processes.threads if threads is None else require_threads(threads)
        self._display = display if display and self._processes.is_first else Display()
        if self._processes.size > min(stage.instances for stage in config.stages):
            raise InputError("each process needs an instance of its own in every stage")
        require_room(config)
        require_ours(folder)
        given = None
        if config.weights is not None and not self._file.exists():
            # Before anything is written, lest the corrected configuration be refused.
            given = given_weights(config.weights, config.policy)
        if self._processes.is_first:
            self._lock = take_folder(config, folder)
        torch.manual_seed(config.seed)
        self.at = Progress()
        self._policy = Policy(replace(config.policy, reach=1.0)).to(self._processes.device)
        self._together()
        kept = Checkpoint.load(self._file) if self._file.exists() else None
        if kept is not None:
            self.at = kept.progress
        elif given is not None:
            self._policy.load_state_dict(given)
        self._fitter = self._new_fitter()
        self._best_weights = self._fitter.weights()
        if kept is not None:
            self._resume(kept)
            if self.at.stage < len(config.stages):
                self._display.resumed(self.at)
        self._before_epoch = self._checkpoint()
        if self.at.step > 0 and self._epoch_file.exists():
            self._before_epoch = Checkpoint.load(self._epoch_file)
        self._started = time.perf_counter() - self.at.seconds
        self._saved = time.perf_counter()

    def run(self) -> bool:
        """Train; return whether it came to its end."""
        try:
            if self.at.stage < 0:
                self._warm_up()
            while self.at.stage < len(self.config.stages):
                self._stage(self.config.stages[self.at.stage])
        except StoppedError:
            self._save()
            return False
        finally:
            self._processes.leave()
            if self._processes.is_first:
                self._lock.close()
        return True

    @property
    def is_first(self) -> bool:
        """Whether this is the process that talks to people."""
        return self._processes.is_first

    def _warm_up(self) -> None:
        """Learn from nothing on small instances (paper, appendix Warm Up Stage)."""
        settings, cost = self.config.warm_up, math.nan
        while settings is not None and self.at.step < settings.steps:
            self._stop_if_asked()
            seeds = (self.config.seed, _WARM_UP, self.at.step, self._processes.rank)
            try:
                cost = reinforce(self._fitter, settings, seeds, self._threads)
            except DivergedError:
                self._display.say(f"step {self.at.step} of the warm-up diverged and is left out")
            self.at.step += 1
            share = self.at.step / settings.steps
            self._display.status("warm-up", share, f"mean cost {cost:.3f}")
            self._save_now_and_then()
        self._best_weights = self._fitter.weights()
        self.at.stage, self.at.step = 0, 0
        self._fitter = self._new_fitter()
        self._save()

    def _stage(self, stage: Stage) -> None:
        """Episodes at one size."""
        self._policy.config = self.config.policy_in(stage)
        folder = self.folder / f"stage-{self.at.stage + 1}"
        labels = self._labels(stage, folder / "labels")
        if self._processes.is_first and not (folder / "reference").exists():
            drawn = range(stage.validation)
            seeds = [(self.at.stage, _VALIDATION, index) for index in drawn]
            unseen = [draw_problem(self.config, stage, each) for each in seeds]
            Validation.create(folder / "reference", unseen, labels, self.folder / SCRATCH)
        self._together()
        validation = Validation(folder / "reference", stage, labels, self._processes)
        self._display.status("references for validation")
        self._all_finish(lambda: validation.find_references(self._threads, self._interrupt))
        if not any(row["stage"] == self.at.stage + 1 for row in self.at.history):
            self._validate(stage, validation)
            self.at.best_before = self.at.best
            self._save()
        while self.at.episode < stage.episodes and self.at.idle < stage.patience:
            self._improve(stage, labels)
            begun = self._begin(stage, labels, folder / "begun")
            while self.at.epoch < stage.epochs:
                try:
                    self._epoch(stage, labels, begun, validation)
                except DivergedError:
                    self._roll_back()
            self._end_episode()
        self.at.stage += 1
        self.at.episode = self.at.idle = self.at.rollbacks = 0
        self.at.steps_before = self.at.total_steps
        self.at.best = self.at.best_before = self.at.best_loss = math.inf
        self._fitter.load(self._best_weights)
        self._save()

    def _labels(self, stage: Stage, folder: Path) -> Pool:
        """Open the pool of a stage; if there is none, draw instances and their first labels."""
        if self._processes.is_first and not folder.exists():
            self._display.status(f"{stage.instances} instances of {stage.nodes} nodes")
            seeds = [(self.at.stage, _LABELS, index) for index in range(stage.instances)]
            drawn = (draw_problem(self.config, stage, each) for each in seeds)
            Pool.create(folder, drawn, self.folder / SCRATCH)
        self._together()
        pool = Pool(folder)
        engine = self._engine(self._fitter.weights()) if self._is_trained else None

        def begin(index: int) -> None:
            problem = pool.problem(index)
            if engine is None or self.config.begin is Begin.INSERTION:
                pool.put(index, 0, construct(problem, "insertion", index))
            else:
                pool.put(index, 0, engine.construct(problem, index, Interrupt(self._interrupt)))

        if self.at.episode == 0:
            missing = [index for index in self._mine(pool) if not pool.has(index, 0)]
            self._on_instances(begin, pool, missing, "first labels")
        return pool

    def _improve(self, stage: Stage, labels: Pool) -> None:
        """Improve the labels with the best policy (paper, section Local Reconstruction)."""
        engine = self._engine(self._best_weights) if self._is_trained else None
        last, this = self.at.episode, self.at.episode + 1

        def improve(index: int) -> None:
            seed = _seed(self.config.seed, self.at.stage, _IMPROVE, this, index)
            better = improved(
                labels.problem(index),
                labels.solution(index, last),
                stage.improve,
                engine,
                stage.longest,
                seed,
                self._interrupt,
            )
            labels.put(index, this, better)

        missing = [index for index in self._mine(labels) if not labels.has(index, this)]
        self._on_instances(improve, labels, missing, f"episode {this}, improving labels")

    def _begin(self, stage: Stage, labels: Pool, folder: Path) -> Pool | None:
        """Let the best policy begin solutions that the search completes; None if none are used."""
        if not (stage.own and self._is_trained):
            return None
        if self._processes.is_first and not folder.exists():
            same = (labels.problem(index) for index in range(len(labels)))
            Pool.create(folder, same, self.folder / SCRATCH)
        self._together()
        pool, this = Pool(folder), self.at.episode + 1
        engine = self._engine(self._best_weights)

        def begin(index: int) -> None:
            begun = begin_and_complete(
                labels.problem(index),
                labels.solution(index, this),
                engine,
                stage.longest,
                self._begin_seed(index),
                Interrupt(self._interrupt),
            )
            pool.put(index, this, begun)

        missing = [index for index in self._mine(pool) if not pool.has(index, this)]
        self._on_instances(begin, pool, missing, f"episode {this}, beginning and completing")
        return pool

    def _engine(self, weights: dict[str, Tensor]) -> NativePolicy:
        """Make the policy as it will be used."""
        return NativePolicy(self.config.policy, arrays_of(weights))

    def _begin_seed(self, index: int) -> int:
        return _seed(self.config.seed, self.at.stage, _BEGIN, self.at.episode + 1, index)

    def _epoch(
        self, stage: Stage, labels: Pool, begun: Pool | None, validation: Validation
    ) -> None:
        """Train on states cut from the labels (paper, section Training), and validate."""
        at, settings = self.at, self.config.optimiser
        if at.step == 0:
            self._before_epoch = self._checkpoint()
            if self._processes.is_first:
                self._before_epoch.save(self._epoch_file)
        mine, this = self._mine(labels), at.episode + 1
        kept = lru_cache(maxsize=max(16, 4_000_000 // stage.nodes))

        @kept
        def labelled(index: int) -> tuple[Problem, Solution]:
            return labels.problem(index), labels.solution(index, this)

        @kept
        def begun_by_policy(index: int) -> tuple[Problem, Begun]:
            assert begun is not None
            problem, solution = labelled(index)
            completed = begun.solution(index, this)
            seed = self._begin_seed(index)
            return problem, Begun.of(problem, solution, completed, stage.longest, seed)

        began, seen_before = time.perf_counter(), at.seen
        while at.seen < stage.states:
            self._stop_if_asked()
            place = (at.stage, _TRAIN, at.episode, at.epoch, at.step, self._processes.rank)
            examples = draw_batch(
                settings.batch,
                stage,
                self._policy.config,
                mine,
                labelled,
                begun_by_policy if begun else None,
                np.random.default_rng((self.config.seed, *place)),
            )
            rate = rate_now(stage, settings, at) * 0.5**at.rollbacks
            fit = self._fitter.step(examples, rate)
            at.step += 1
            at.total_steps += 1
            at.seen += settings.batch * self._processes.size
            loss, accuracy = self._processes.total(fit.loss, fit.accuracy)
            at.loss += loss / self._processes.size
            at.accuracy += accuracy / self._processes.size
            speed = (at.seen - seen_before) / (time.perf_counter() - began)
            self._display.status(
                f"episode {at.episode + 1} epoch {at.epoch + 1}",
                at.seen / stage.states,
                f"loss {fit.loss:.3f}, accuracy {fit.accuracy:.1%}, {speed:,.0f} states/s",
            )
            self._save_now_and_then()
        speed = (at.seen - seen_before) / max(time.perf_counter() - began, 1e-9)
        self._validate(stage, validation, speed)
        at.epoch += 1
        at.step = at.seen = 0
        at.loss = at.accuracy = 0.0
        self._save()

    def _validate(self, stage: Stage, validation: Validation, speed: float = 0.0) -> None:
        """Measure the gaps, write them down, and keep the policy if it is the best."""
        self._display.status("validating")
        engine = self._engine(self._fitter.weights())
        costs = self._all_finish(
            lambda: validation.policy_costs(engine, self._threads, self._interrupt)
        )
        greedy, prc = validation.policy_gaps(costs)
        at = self.at
        steps = at.step
        loss, accuracy = (at.loss / steps, at.accuracy / steps) if steps else (math.nan, math.nan)
        if loss > 2 * at.best_loss:
            raise DivergedError
        at.best_loss = min(at.best_loss, loss)
        score = {Score.GREEDY: greedy, Score.PRC: prc}[self.config.select]
        if better := score < at.best:
            at.best = score
            self._best_weights = self._fitter.weights()
        at.history.append(
            {
                "stage": at.stage + 1,
                "nodes": stage.nodes,
                "episode": at.episode + bool(steps),
                "epoch": at.epoch + bool(steps),
                "steps": at.total_steps,
                "seconds": round(self._seconds(), 1),
                "states_per_second": round(speed),
                "loss": round(loss, 5),
                "accuracy": round(accuracy, 5),
                "label_gap": round(validation.label_gap(at.episode + bool(steps)), 4),
                "greedy_gap": round(greedy, 4),
                "prc_gap": round(prc, 4),
                "best": int(better),
                "rollbacks": at.rollbacks,
            }
        )
        self._display.row(at.history[-1])

    def _end_episode(self) -> None:
        """Carry on with the best policy, or under a falling rate with the last one.

        What the last one has learnt shows only when the rate has fallen.
        """
        at = self.at
        at.idle = 0 if at.best < at.best_before else at.idle + 1
        at.best_before = at.best
        at.episode += 1
        at.epoch = 0
        if self.config.optimiser.schedule is Schedule.DECAY and not at.history[-1]["best"]:
            self._fitter.load(self._best_weights)
        self._save()

    def _roll_back(self) -> None:
        """Go back to the beginning of the epoch, and on with half the learning rate."""
        rollbacks = self.at.rollbacks + 1
        if rollbacks > _MOST_ROLLBACKS:
            raise SilError(
                f"training diverged {rollbacks} times, the last in episode {self.at.episode + 1}: "
                "try a lower rate"
            )
        self._restore(self._before_epoch)
        self.at.rollbacks = rollbacks
        self._display.say(f"diverged: back to the last epoch, with the rate times {0.5**rollbacks}")
        self._save()

    @property
    def _is_trained(self) -> bool:
        """Whether the policy knew anything when this episode began."""
        at, config = self.at, self.config
        begins_trained = config.begin is Begin.WARM_UP or config.weights is not None
        return begins_trained or at.stage > 0 or at.episode > 0

    def _mine(self, pool: Pool) -> range:
        return self._processes.share(range(len(pool)))

    def _on_instances(
        self, work: Callable[[int], None], pool: Pool, indices: list[int], doing: str
    ) -> None:
        """Do work that puts a solution into the pool for each index."""
        done = 0

        def counted(index: int) -> None:
            nonlocal done
            work(index)
            done += 1
            self._display.status(doing, done / len(indices))

        def all_of_mine() -> None:
            side_by_side(counted, indices, self._threads, self._interrupt)
            pool.flush()

        self._all_finish(all_of_mine)

    def _all_finish(self, work: Callable[[], T]) -> T:
        """Do this process's part; if any process was stopped, all are."""
        result: T | None = None
        with suppress(StoppedError):
            result = work()
        self._stop_if_asked()
        return result  # type: ignore[return-value]

    def _stop_if_asked(self) -> None:
        if self._processes.any(self._interrupt.is_set()):
            raise StoppedError

    def _together(self) -> None:
        """Wait until all processes are here."""
        self._processes.any(False)

    def _new_fitter(self) -> Fitter:
        # The warm-up has an optimiser of its own, the paper's.
        settings = Optimiser() if self.at.stage < 0 else self.config.optimiser
        return Fitter(self._policy, settings, self._processes)

    @property
    def _file(self) -> Path:
        return self.folder / "checkpoint.pt"

    @property
    def _epoch_file(self) -> Path:
        """Where to go back to if this epoch diverges."""
        return self.folder / "epoch.pt"

    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    def _checkpoint(self) -> Checkpoint:
        return Checkpoint(
            replace(self.at, history=list(self.at.history)),
            self._best_weights,
            self._fitter.state(),
        )

    def _resume(self, kept: Checkpoint) -> None:
        """Go on from the checkpoint in the folder, if it is one of this run."""
        try:
            if not -1 <= kept.progress.stage <= len(self.config.stages):
                raise ValueError(f"it is in stage {kept.progress.stage + 1}")
            self._fitter.load(kept.best_weights)  # which finds out whether they fit
            self._restore(kept)
        except Exception as error:
            raise damaged(self._file, error) from error

    def _restore(self, kept: Checkpoint) -> None:
        self.at = replace(kept.progress, history=list(kept.progress.history))
        self._best_weights = kept.best_weights
        self._fitter.restore(kept.fitter)

    def _save(self) -> None:
        self.at.seconds = self._seconds()
        self._saved = time.perf_counter()
        if not self._processes.is_first:
            return
        self._checkpoint().save(self._file)
        write_log(self.folder, self.at.history)
        if self.at.stage >= 0:
            best = arrays_of(self._best_weights)
            save(self.folder / "best.safetensors", self.config.policy, best)

    def _save_now_and_then(self) -> None:
        if time.perf_counter() - self._saved > _SECONDS_BETWEEN_SAVES:
            self._save()


def _seed(*numbers: int) -> int:
    return int(np.random.default_rng(numbers).integers(2**62))
