"""The learning rate over a run."""

import math

from sil.train.checkpoint import Progress
from sil.train.config import Optimiser, Schedule, Stage


def rate_now(stage: Stage, settings: Optimiser, at: Progress) -> float:
    """Learning rate of the present step; it rises anew in each stage, lest good weights be lost."""
    epochs = at.episode * stage.epochs + at.epoch
    if settings.schedule is Schedule.DECAY:
        rate = stage.rate * settings.decay**epochs
    else:
        done = (epochs + at.seen / stage.states) / (stage.episodes * stage.epochs)
        rate = stage.rate * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
    steps = at.total_steps - at.steps_before
    return rate * min(1.0, (steps + 1) / settings.ramp) if settings.ramp else rate
