"""The cycle that learns edges: tours, network, better tours."""

import numpy as np
import pytest

from sil import Interrupt
from sil.errors import InputError
from sil.policy.edges import load_layers
from sil.train.display import Display
from sil.train.edge_config import EdgeConfig
from sil.train.edges import EdgeTraining
from sil.train.pool import Pool

CONFIG = EdgeConfig(
    cycles=2, tours=6, validation=2, least_nodes=60, most_nodes=90, rounds=2, epochs=4, batch=32
)


class StopAfter(Display):
    """Sets the interrupt after some messages."""

    def __init__(self, interrupt: Interrupt, messages: int) -> None:
        self.interrupt, self.left = interrupt, messages

    def status(self, doing: str, done: float | None = None, details: str = "") -> None:
        self.left -= 1
        if self.left == 0:
            self.interrupt.set()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges") / "run"
    training = EdgeTraining(CONFIG, folder, 2)
    assert training.run()
    return folder, training.history


def without_times(history):
    return [(row.cycle, row.tour, row.loss, row.held_5, row.held_6, row.held_8) for row in history]


def test_each_cycle_improves_the_tours_and_learns(finished):
    folder, history = finished
    assert [row.cycle for row in history] == [1, 2]
    assert history[1].tour <= history[0].tour
    # Lists without knowledge would hold 8/16 of the edges.
    assert all(50 < row.held_5 < row.held_6 < row.held_8 <= 100 for row in history)
    pool = Pool(folder / "labels")
    for index in range(len(pool)):
        assert pool.solution(index, 2).check(pool.problem(index)) == []


@pytest.mark.parametrize("messages", [1, 5, 8, 12])
def test_a_stopped_run_ends_like_one_that_was_not(finished, tmp_path, messages):
    interrupt = Interrupt()
    stopped = EdgeTraining(CONFIG, tmp_path, 1, interrupt, StopAfter(interrupt, messages))
    assert not stopped.run()
    resumed = EdgeTraining(CONFIG, tmp_path, 2)
    assert resumed.run()
    folder, history = finished
    assert without_times(resumed.history) == without_times(history)
    for one, other in zip(
        load_layers(tmp_path / "best.safetensors"),
        load_layers(folder / "best.safetensors"),
        strict=True,
    ):
        assert np.array_equal(one, other)


def test_a_finished_run_is_left_alone(finished):
    folder, history = finished
    before = (folder / "best.safetensors").stat().st_mtime_ns
    again = EdgeTraining(CONFIG, folder)
    assert again.run()
    assert again.history == history
    assert (folder / "best.safetensors").stat().st_mtime_ns == before


def test_another_run_and_a_damaged_log_are_refused(finished, tmp_path):
    folder, _ = finished
    with pytest.raises(InputError, match="tours: 6, now 7"):
        EdgeTraining(EdgeConfig(**{**vars(CONFIG), "tours": 7}), folder)
    EdgeTraining(CONFIG, tmp_path, interrupt=stopped()).run()
    (tmp_path / "log.csv").write_text("cycle\nx\n")
    with pytest.raises(InputError, match="not the log"):
        EdgeTraining(CONFIG, tmp_path)


def stopped() -> Interrupt:
    interrupt = Interrupt()
    interrupt.set()
    return interrupt
