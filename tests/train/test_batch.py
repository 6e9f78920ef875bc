import numpy as np
import pytest

from sil import NativePolicy, construct, generate_tsp
from sil._native import Interrupt
from sil.train import batch
from sil.train.batch import Batches
from sil.train.own_states import begin_and_complete
from sil.train.pool import Pool
from tests.policy.networks import arrays, random_policy
from tests.train.runs import small_config

CONFIG = small_config()
STAGE = CONFIG.stages[0]  # half of the states are the policy's own


@pytest.fixture(scope="module")
def pools(tmp_path_factory):
    """Labels of three instances, and what a policy has begun of them."""
    folder = tmp_path_factory.mktemp("pools")
    problems = [generate_tsp(24, seed) for seed in range(3)]
    labels = Pool.create(folder / "labels", problems, folder / "scratch")
    own = Pool.create(folder / "own", problems, folder / "scratch")
    policy = NativePolicy(CONFIG.policy, arrays(random_policy(CONFIG.policy)))
    for index, problem in enumerate(problems):
        label = construct(problem, "greedy")
        labels.put(index, 1, label)
        begun = begin_and_complete(problem, label, policy, STAGE.longest, index, Interrupt())
        own.put(index, 1, begun)
    return labels, own


def batches(labels, own, indices=range(3)) -> Batches:
    policy = CONFIG.policy_in(STAGE)
    return Batches(STAGE, policy, indices, labels, own, lambda index: index, 1)


@pytest.mark.parametrize("with_own", [True, False])
def test_a_batch_has_its_size_and_equal_seeds_give_equal_ones(pools, with_own):
    labels, own = pools
    found = [
        batches(labels, own if with_own else None).draw(50, np.random.default_rng(7))
        for _ in range(2)
    ]
    assert len(found[0]) == 50
    assert found[0].allowed.shape[1] == STAGE.candidates
    assert np.array_equal(found[0].right, found[1].right)
    assert np.array_equal(found[0].features.nodes, found[1].features.nodes)


def test_own_states_have_their_share(pools, monkeypatch):
    drawn = {"own": 0, "label": 0}

    def counted(name, real):
        def call(*arguments):
            drawn[name] += 1
            return real(*arguments)

        return call

    monkeypatch.setattr(batch, "draw_own_examples", counted("own", batch.draw_own_examples))
    monkeypatch.setattr(batch, "draw_examples", counted("label", batch.draw_examples))
    batches(*pools).draw(2_000, np.random.default_rng(0))
    share = drawn["own"] / sum(drawn.values())
    assert abs(share - STAGE.own) < 0.15
    drawn["own"] = 0
    batches(pools[0], None).draw(200, np.random.default_rng(0))
    assert drawn["own"] == 0


def test_only_the_given_instances_are_drawn_from(pools, monkeypatch):
    asked = set()

    def noted(self, index, real=Pool.problem):
        asked.add(index)
        return real(self, index)

    monkeypatch.setattr(Pool, "problem", noted)
    batches(*pools, indices=range(0, 3, 2)).draw(200, np.random.default_rng(0))
    assert asked == {0, 2}
