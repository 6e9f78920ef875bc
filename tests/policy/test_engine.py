import numpy as np
import pytest

from sil import InputError, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.policy.config import PolicyConfig
from sil.policy.engine import PolicyEngine


class Backwards(PolicyEngine):
    """Visits the nodes in the opposite order, and the depot before each of them."""

    def __init__(self, kind):
        self.config = PolicyConfig(kind)

    def rebuild(self, problem, parts, **options):
        self.require_kind(problem)
        nodes = parts.nodes.copy()
        nodes[:, 1:-1] = nodes[:, -2:0:-1]
        return parts.rebuilt(nodes, parts.via_depot)


@pytest.mark.parametrize("problem", [generate_tsp(9), generate_cvrp(9)], ids=["TSP", "CVRP"])
def test_whole_solutions_are_constructed_by_rebuilding(problem):
    found = Backwards(problem.kind).construct(problem, seed=1)
    assert found.check(problem) == []
    if problem.kind == "CVRP":
        assert np.array_equal(found.nodes, problem.nodes[::-1])
        assert found.num_routes == 9


def test_an_interrupted_construction_has_no_solution():
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(StoppedError):
        Backwards("TSP").construct(generate_tsp(9), interrupt=interrupt)


def test_the_other_kind_of_problem_is_refused():
    with pytest.raises(InputError, match="for CVRP"):
        Backwards("CVRP").construct(generate_tsp(9))
