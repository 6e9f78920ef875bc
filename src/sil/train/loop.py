"""Self-improved learning (paper, section Self-Improved Training), to be read from top to bottom."""

import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from sil._native import Interrupt
from sil.construct import construct
from sil.errors import InputError, StoppedError
from sil.problem import Problem
from sil.solution import Solution
from sil.threads import require_threads
from sil.train.batch import Batches
from sil.train.config import Begin, Schedule, Score, Stage, TrainConfig
from sil.train.display import Display
from sil.train.fit import DivergedError, given_weights
from sil.train.folder import CHECKPOINT, SCRATCH, require_ours, take_folder
from sil.train.improve import improved
from sil.train.instances import GeneratedInstances, Instances
from sil.train.learning_rate import learning_rate
from sil.train.log import LogRow
from sil.train.own_states import begin_and_complete
from sil.train.pool import Pool
from sil.train.processes import Processes
from sil.train.run_state import RunState
from sil.train.seeds import Purpose, derived_seed
from sil.train.validate import Validation, to_validate_on
from sil.train.warmup import reinforce
from sil.train.workers import Workers


class Training:
    """A run in a folder; a run that is already there is resumed.

    Parameters
    ----------
    config
        What to do.
    folder
        Holds everything: ``best.safetensors`` is the best policy, ``log.csv`` the history.
    threads
        Threads of each process for improving and validating; by default the processes share all
        cores.
    interrupt
        When set, the run ends soon and can be resumed later.
    display
        Shows the progress.
    instances
        What to train and validate on; by default what the configuration describes.
    device
        The PyTorch device that fits the weights and runs the policy; see `Processes`.
    """

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        threads: int | None = None,
        interrupt: Interrupt | None = None,
        display: Display | None = None,
        instances: Instances | None = None,
        device: str | None = None,
    ) -> None:
        self._config, self._folder = config, folder
        self._instances = instances or GeneratedInstances(config)
        self._processes = Processes(device)
        self._display = display if display and self.is_first else Display()
        threads = self._processes.threads if threads is None else require_threads(threads)
        self._workers = Workers(self._processes, threads, interrupt or Interrupt(), self._display)
        if self._processes.size > min(map(self._instances.num_training, range(len(config.stages)))):
            raise InputError("each process needs an instance of its own in every stage")
        self._instances.require_memory()
        require_ours(folder)
        weights = None
        if config.weights is not None and not (folder / CHECKPOINT).exists():
            # Before anything is written: the corrected configuration must not be refused.
            weights = given_weights(config.weights, config.policy)
        if self.is_first:
            self._lock = take_folder(config, folder, self._instances.identity)
        self._workers.wait_for_all()
        self._state = RunState(config, folder, self._processes, weights)
        if self._state.is_resumed and self._state.at.stage < len(config.stages):
            self._display.resumed(self._state.at)

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes files and prints."""
        return self._processes.is_first

    @property
    def history(self) -> list[LogRow]:
        """All validations so far."""
        return list(self._state.at.history)

    def run(self) -> bool:
        """Train; return whether the run has finished."""
        try:
            if self._state.at.stage < 0:
                self._warm_up()
            while self._state.at.stage < len(self._config.stages):
                self._stage(self._config.stages[self._state.at.stage])
        except StoppedError:
            self._state.save()
            return False
        finally:
            self._processes.leave()
            if self.is_first:
                self._lock.close()
        return True

    def _warm_up(self) -> None:
        """Learn from nothing on small instances (paper, appendix Warm Up Stage)."""
        settings, at, cost = self._config.warm_up, self._state.at, math.nan
        while settings is not None and at.step < settings.steps:
            self._workers.stop_if_asked()
            seeds = (self._config.seed, Purpose.WARM_UP, at.step, self._processes.rank)
            try:
                cost = reinforce(self._state.fitter, settings, seeds, self._workers.threads)
            except DivergedError:
                self._display.say(f"step {at.step} of the warm-up diverged and is skipped")
            at.step += 1
            self._display.status("warm-up", at.step / settings.steps, f"mean cost {cost:.3f}")
            self._state.save_from_time_to_time()
        self._state.end_warm_up()

    def _stage(self, stage: Stage) -> None:
        """Run episodes until none improves the policy any more, or the budget is used."""
        state = self._state
        state.begin_stage(stage)
        labels = self._first_labels()
        validation = self._validation(stage, labels)
        if not any(row.stage == state.at.stage + 1 for row in state.at.history):
            self._validate(validation)
            state.at.best_before = state.at.best
            state.save()
        while state.at.episode < stage.episodes and state.at.idle < stage.patience:
            self._improve_labels(stage, labels)
            own = self._reach_own_states(stage, labels)
            while state.at.epoch < stage.epochs:
                try:
                    speed = self._train(stage, labels, own)
                    self._validate(validation, speed)
                    state.end_epoch()
                except DivergedError:
                    state.roll_back()
                    rate = 0.5**state.at.rollbacks
                    self._display.say(
                        f"diverged: repeating the epoch with {rate} times the learning rate"
                    )
            self._end_episode()
        state.end_stage()

    def _first_labels(self) -> Pool:
        """Make the pool of a stage: its instances with their first labels."""
        at = self._state.at
        self._display.status(f"preparing {self._instances.num_training(at.stage)} instances")
        pool = self._pool("labels", lambda: self._instances.training(at.stage))
        begins_with_policy = self._config.begin is Begin.WARM_UP
        policy = self._state.current_policy() if begins_with_policy else None

        def label(index: int) -> Solution:
            problem = pool.problem(index)
            if policy is None:
                return construct(problem, "insertion", index)
            return policy.construct(problem, index, Interrupt(self._workers.interrupt))

        if at.episode == 0:
            self._workers.fill(pool, 0, label, "first labels")
        return pool

    def _validation(self, stage: Stage, labels: Pool) -> Validation:
        """Prepare the instances to validate on, with reference solutions."""
        number, instances = self._state.at.stage, self._instances
        references = self._pool(
            "reference", lambda: to_validate_on(instances.validation(number), labels)
        )
        num_unseen = instances.num_validation(number)
        validation = Validation(references, num_unseen, stage.longest, labels, self._workers)
        validation.find_references()
        return validation

    def _improve_labels(self, stage: Stage, labels: Pool) -> None:
        """Improve the labels with the best policy (paper, section Local Reconstruction)."""
        policy = self._state.best_policy() if self._is_trained else None
        episode = self._state.at.episode

        def improve(index: int) -> Solution:
            return improved(
                labels.problem(index),
                labels.solution(index, episode),
                stage.improve,
                policy,
                stage.longest,
                self._seed(Purpose.IMPROVE, index),
                self._workers.interrupt,
            )

        doing = f"episode {episode + 1}, improving labels"
        self._workers.fill(labels, episode + 1, improve, doing)

    def _reach_own_states(self, stage: Stage, labels: Pool) -> Pool | None:
        """Let the best policy begin solutions and the search complete them; None if not used."""
        if not (stage.own and self._is_trained):
            return None
        pool = self._pool("begun", lambda: map(labels.problem, range(len(labels))))
        policy, episode = self._state.best_policy(), self._state.at.episode + 1

        def begin(index: int) -> Solution:
            return begin_and_complete(
                labels.problem(index),
                labels.solution(index, episode),
                policy,
                stage.longest,
                self._seed(Purpose.OWN_STATES, index),
                Interrupt(self._workers.interrupt),
            )

        doing = f"episode {episode}, beginning and completing"
        self._workers.fill(pool, episode, begin, doing)
        return pool

    def _train(self, stage: Stage, labels: Pool, own: Pool | None) -> float:
        """Train for an epoch on states cut from the labels (paper, section Training).

        Returns the number of states per second.
        """
        state, settings = self._state, self._config.optimiser
        at = state.at
        if at.step == 0:
            state.begin_epoch()
        batches = Batches(
            stage,
            state.policy.config,
            self._workers.share(labels),
            labels,
            own,
            lambda index: self._seed(Purpose.OWN_STATES, index),
            at.episode + 1,
        )
        speed, began, seen_before = 0.0, time.perf_counter(), at.seen
        while at.seen < stage.states:
            self._workers.stop_if_asked()
            place = (at.stage, Purpose.TRAIN, at.episode, at.epoch, at.step, self._processes.rank)
            rng = np.random.default_rng((self._config.seed, *place))
            examples = batches.draw(settings.batch, rng)
            fit = state.fitter.step(examples, learning_rate(stage, settings, at))
            loss, accuracy = self._processes.total(fit.loss, fit.accuracy)
            at.loss += loss / self._processes.size
            at.accuracy += accuracy / self._processes.size
            at.step += 1
            at.total_steps += 1
            at.seen += settings.batch * self._processes.size
            speed = (at.seen - seen_before) / (time.perf_counter() - began)
            self._display.status(
                f"episode {at.episode + 1} epoch {at.epoch + 1}",
                at.seen / stage.states,
                f"loss {fit.loss:.3f}, accuracy {fit.accuracy:.1%}, {speed:,.0f} states/s",
            )
            state.save_from_time_to_time()
        return speed

    def _validate(self, validation: Validation, speed: float = 0.0) -> None:
        """Measure the gaps, write them down, and keep the policy if it is the best."""
        at = self._state.at
        trained = at.step > 0
        greedy, prc = validation.policy_gaps(self._state.current_policy())
        loss = at.loss / at.step if trained else math.nan
        accuracy = at.accuracy / at.step if trained else math.nan
        if loss > 2 * at.best_loss:
            raise DivergedError
        at.best_loss = min(at.best_loss, loss)
        score = {Score.GREEDY: greedy, Score.PRC: prc}[self._config.select]
        if better := score < at.best:
            at.best = score
            self._state.keep_as_best()
        row = LogRow(
            stage=at.stage + 1,
            nodes=self._instances.nodes(at.stage),
            episode=at.episode + trained,
            epoch=at.epoch + trained,
            steps=at.total_steps,
            seconds=round(self._state.seconds, 1),
            states_per_second=round(speed),
            loss=round(loss, 5),
            accuracy=round(accuracy, 5),
            label_gap=round(validation.label_gap(at.episode + trained), 4),
            greedy_gap=round(greedy, 4),
            prc_gap=round(prc, 4),
            best=better,
            rollbacks=at.rollbacks,
        )
        at.history.append(row)
        self._display.row(row)

    def _end_episode(self) -> None:
        """Go on to the next episode with the best policy.

        Under a schedule that falls to zero, continue with the latest one instead: what it has
        learnt shows only when the rate has fallen.
        """
        at = self._state.at
        at.idle = 0 if at.best < at.best_before else at.idle + 1
        at.best_before = at.best
        at.episode += 1
        at.epoch = 0
        if self._config.optimiser.schedule is Schedule.DECAY and not at.history[-1].best:
            self._state.continue_from_best()
        self._state.save()

    @property
    def _is_trained(self) -> bool:
        """Whether the policy had learnt anything when this episode began."""
        at, config = self._state.at, self._config
        starts_trained = config.begin is Begin.WARM_UP or config.weights is not None
        return starts_trained or at.stage > 0 or at.episode > 0

    def _pool(self, name: str, problems: Callable[[], Iterable[Problem]]) -> Pool:
        """Open a pool of this stage; if there is none, make it of these problems."""
        folder = self._folder / f"stage-{self._state.at.stage + 1}" / name
        if self.is_first and not folder.exists():
            Pool.create(folder, problems(), self._folder / SCRATCH)
        self._workers.wait_for_all()
        return Pool(folder)

    def _seed(self, purpose: Purpose, index: int) -> int:
        """Return the seed of an instance in this episode."""
        at = self._state.at
        return derived_seed(self._config.seed, at.stage, purpose, at.episode + 1, index)
