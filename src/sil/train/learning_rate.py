"""The learning rate over a run."""

import math

from sil.train.checkpoint import Position
from sil.train.config import Optimiser, Schedule, Stage


def learning_rate(stage: Stage, settings: Optimiser, at: Position) -> float:
    """Return the learning rate of the present step.

    It rises anew in each stage, so that the first steps do not spoil good weights. Each rollback
    halves it.
    """
    epochs = at.episode * stage.epochs + at.epoch
    if settings.schedule is Schedule.DECAY:
        rate = stage.rate * settings.decay**epochs
    else:
        done = (epochs + at.seen / stage.states) / (stage.episodes * stage.epochs)
        rate = stage.rate * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
    if settings.ramp:
        steps = at.total_steps - at.steps_before
        rate *= min(1.0, (steps + 1) / settings.ramp)
    return rate * 0.5**at.rollbacks
