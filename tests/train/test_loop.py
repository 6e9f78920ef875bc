import math

import numpy as np
import pytest

from sil import InputError, NativePolicy, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.errors import SilError
from sil.policy.weights import load
from sil.train import fit
from sil.train.checkpoint import Checkpoint
from sil.train.config import parse_config
from sil.train.loop import Training
from sil.train.pool import Pool
from tests.train.runs import Recorded, log_without_times, small_config, toml


def test_a_run_goes_through_all_stages_and_leaves_a_policy_that_works(finished):
    folder, display = finished
    places = [(row.stage, row.episode, row.epoch) for row in display.rows]
    assert places == [
        (1, 0, 0), (1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 0, 0), (2, 1, 1),
    ]  # fmt: skip
    assert [row.nodes for row in display.rows] == [24] * 5 + [40] * 2
    labels = [row.label_gap for row in display.rows]
    assert labels[1] < labels[0]
    problem, (config, weights) = generate_tsp(80), load(folder / "best.safetensors")
    assert config.candidates == 8
    assert NativePolicy(config, weights).construct(problem).check(problem) == []


def test_the_parts_of_the_procedure_follow_each_other(finished):
    doing = [text.partition(" epoch")[0] for text in finished[1].statuses]
    order = [text for text, before in zip(doing, [None, *doing], strict=False) if text != before]
    stage = ["first labels", "references for validation", "validating"]
    own = "beginning and completing"
    assert order == [
        "warm-up", "preparing 6 instances", *stage,
        "episode 1, improving labels", f"episode 1, {own}",
        "episode 1", "validating", "episode 1", "validating",
        "episode 2, improving labels", f"episode 2, {own}",
        "episode 2", "validating", "episode 2", "validating",
        "preparing 4 instances", *stage,
        "episode 1, improving labels", "episode 1", "validating",
    ]  # fmt: skip


def test_the_log_is_what_was_shown(finished):
    folder, display = finished
    found = log_without_times(folder)
    assert len(found) == len(display.rows)
    assert [float(row["prc_gap"]) for row in found] == [row.prc_gap for row in display.rows]


@pytest.mark.parametrize("begin", ["insertion", "warm-up"])
def test_cvrp_is_trained_by_the_same_loop(tmp_path, begin):
    assert Training(small_config("CVRP", begin), tmp_path / "run", 1).run()
    problem = generate_cvrp(60)
    policy = NativePolicy(*load(tmp_path / "run/best.safetensors"))
    assert policy.construct(problem).check(problem) == []


def test_a_run_may_start_from_given_weights(finished, tmp_path):
    given = finished[0] / "best.safetensors"
    text = f'weights = "{given}"\n' + toml(begin="insertion")
    interrupt = Interrupt()
    display = Recorded(lambda number: interrupt.set())
    assert not Training(parse_config(text), tmp_path / "on", 1, interrupt, display).run()
    kept = Checkpoint.load(tmp_path / "on" / "checkpoint.pt")
    for name, array in load(given)[1].items():
        assert np.array_equal(kept.best_weights[name].numpy(), array)
    # The policy is trained, so it can begin solutions already in the first episode.
    display = Recorded()
    assert Training(parse_config(text), tmp_path / "on", 1, display=display).run()
    assert any(doing.startswith("episode 1, beginning") for doing in display.statuses)


@pytest.mark.parametrize(
    ("weights", "says"), [("fast", "do not have the shape"), ("none.safetensors", "no such file")]
)
def test_weights_that_do_not_fit_are_an_error(tmp_path, weights, says):
    config = parse_config(f'weights = "{weights}"\n' + toml(begin="insertion"))
    with pytest.raises(InputError, match=says):
        Training(config, tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()  # so that the corrected one can start there


def test_the_rate_rises_and_falls_in_every_stage(tmp_path, monkeypatch):
    real, rates = fit.Fitter.step, []

    def noted(self, examples, rate, weight=None):
        rates.append(rate)
        return real(self, examples, rate, weight)

    monkeypatch.setattr(fit.Fitter, "step", noted)
    config = parse_config(toml(begin="insertion").replace("batch = 32", "batch = 32\nramp = 2"))
    assert Training(config, tmp_path / "run", 1).run()
    assert len(rates) == 4 * 5 + 3
    for stage, highest in ((rates[:20], 3e-3), (rates[20:], 1e-3)):
        assert stage[0] == pytest.approx(highest / 2)
        assert max(stage[1:]) < highest
        assert stage[1:] == sorted(stage[1:], reverse=True)


def test_divergence_is_rolled_back_and_reported(tmp_path, monkeypatch):
    real, steps = fit.Fitter.step, 0

    def sometimes(self, examples, rate, weight=None):
        nonlocal steps
        steps += 1
        if steps == 3:
            raise fit.DivergedError
        return real(self, examples, rate, weight)

    monkeypatch.setattr(fit.Fitter, "step", sometimes)
    display = Recorded()
    assert Training(small_config(begin="insertion"), tmp_path / "run", 1, display=display).run()
    assert display.said == ["diverged: repeating the epoch with 0.5 times the learning rate"]
    assert len(display.rows) == 7
    assert [row.rollbacks for row in display.rows] == [0, 1, 1, 1, 1, 0, 0]


def test_endless_divergence_is_an_error(tmp_path, monkeypatch):
    def never(self, examples, rate, weight=None):
        raise fit.DivergedError

    monkeypatch.setattr(fit.Fitter, "step", never)
    with pytest.raises(SilError, match="lower rate"):
        Training(small_config(begin="insertion"), tmp_path / "run", 1).run()


def test_a_step_of_the_warm_up_that_diverges_is_skipped(tmp_path, monkeypatch):
    def never(self, examples, rate, weight=None):
        raise fit.DivergedError

    interrupt = Interrupt()
    display = Recorded(lambda number: number == 4 and interrupt.set())
    monkeypatch.setattr(fit.Fitter, "step", never)
    Training(small_config(), tmp_path / "run", 1, interrupt, display).run()
    assert display.said == [
        f"step {step} of the warm-up diverged and is skipped" for step in range(4)
    ]


def test_a_stage_ends_when_its_patience_does(tmp_path):
    text = toml(begin="insertion").replace("episodes = 2", "episodes = 9\npatience = 1")
    training = Training(parse_config(text.replace("rate = 3e-3", "rate = 1e-12")), tmp_path, 1)
    assert training.run()
    # Nothing is learnt, so no policy is better than the first one.
    episodes = [row.episode for row in training.history if row.stage == 1]
    assert max(episodes) < 9


def test_the_history_tells_how_it_went(finished):
    training = Training(small_config(), finished[0], 1)
    assert training.run()
    first, *others = training.history
    assert math.isnan(first.loss)
    assert math.isnan(first.accuracy)
    assert all(row.loss > 0 and 0 <= row.accuracy <= 1 for row in others if row.epoch)


@pytest.mark.parametrize("threads", [0, -1, 2**31])
def test_threads_that_no_machine_has_are_refused(tmp_path, threads):
    with pytest.raises(InputError, match="1 to 1024"):
        Training(small_config(), tmp_path / "run", threads)
    assert not (tmp_path / "run").exists()


def test_instances_that_do_not_fit_into_memory_are_refused(tmp_path):
    huge = (
        toml().replace("instances = 6", "instances = 100").replace("nodes = 24", "nodes = 9999999")
    )
    with pytest.raises(InputError, match=r"stage 1, with 100 instances of 9,999,999 nodes, needs"):
        Training(parse_config(huge), tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()


def test_solutions_are_on_disk_before_a_checkpoint_relies_on_them(tmp_path, monkeypatch):
    unflushed, saves = set(), 0

    def put(self, *arguments, real=Pool.put):
        unflushed.add(self._folder)
        real(self, *arguments)

    def flush(self, real=Pool.flush):
        unflushed.discard(self._folder)
        real(self)

    def save(self, path, real=Checkpoint.save):
        nonlocal saves
        saves += 1
        assert not unflushed
        real(self, path)

    for kind, name, noted in (
        (Pool, "put", put), (Pool, "flush", flush), (Checkpoint, "save", save),
    ):  # fmt: skip
        monkeypatch.setattr(kind, name, noted)
    assert Training(small_config(), tmp_path / "run", 1).run()
    assert saves > 5
