import numpy as np
import pytest

from sil import (
    InvalidSolutionError,
    MaxIterations,
    PartialSolutions,
    SegmentReconstructor,
    generate_cvrp,
    generate_tsp,
    solve,
)


class Shuffled(SegmentReconstructor):
    """Draws another order of each run."""

    name, longest = "shuffled", 6

    def __init__(self):
        self.lengths = set()

    def reconstruct(self, problem, parts, seed, threads, interrupt):
        self.lengths.add(parts.nodes.shape[1])
        rng = np.random.default_rng(seed)
        nodes = parts.nodes.copy()
        nodes[:, 1:-1] = rng.permuted(nodes[:, 1:-1], axis=1)
        return parts.rebuilt(nodes, parts.via_depot)


@pytest.mark.parametrize("problem", [generate_tsp(300), generate_cvrp(300, capacity=40)])
def test_only_what_is_shorter_and_fits_is_kept(problem):
    shuffled = Shuffled()
    result = solve(problem, MaxIterations(200), start="insertion", reconstructors=[shuffled])
    assert result.is_feasible()
    assert result.cost() < 0.99 * result.history[0].cost
    assert shuffled.lengths == {4, 5, 6}


class Faulty(SegmentReconstructor):
    """Returns something else than the rebuilt parts."""

    name, longest = "faulty", 10

    def __init__(self, spoil):
        self.spoil = spoil

    def reconstruct(self, problem, parts, seed, threads, interrupt):
        return self.spoil(parts)


def without_inner_nodes(parts):
    nodes = parts.nodes.copy()
    nodes[:, 1:-1] = nodes[:, :1]
    return parts.rebuilt(nodes, parts.via_depot)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (without_inner_nodes, "same nodes between the same ends"),
        (lambda parts: parts.nodes, "not a value of type ndarray"),
        (lambda parts: None, "not a value of type NoneType"),
        (lambda parts: PartialSolutions(parts.nodes), "via_depot for CVRP"),
    ],
)
def test_a_faulty_reconstruction_is_refused(spoil, says):
    with pytest.raises(InvalidSolutionError, match=says):
        solve(generate_cvrp(50), MaxIterations(1), reconstructors=[Faulty(spoil)])
