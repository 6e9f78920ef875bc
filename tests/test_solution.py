import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sil import InvalidSolutionError, Metric, Problem, Solution
from sil.solution import require_valid, summarise
from tests.strategies import problems, random_solution

LINE = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 0.0]])
TSP = Problem(LINE)
CVRP = Problem(LINE, [0, 2, 3, 4], 5)


def test_cost_of_a_tour_is_closed():
    assert Solution([0, 1, 2, 3]).cost(TSP) == 8.0
    assert Solution([0, 3, 1, 2]).cost(TSP) == 10.0


def test_cost_of_routes_includes_the_depot_legs():
    # 0-1-2-0 and 0-3-0
    assert Solution([1, 2, 3], [True, False, True]).cost(CVRP) == 4.0 + 8.0


def test_rounded_costs_are_integers():
    cost = Solution([0, 1, 2, 3]).cost(Problem(LINE, metric=Metric.EUC_2D))
    assert cost == 8
    assert isinstance(cost, int)
    assert isinstance(Solution([0, 1, 2, 3]).cost(TSP), float)


@given(problems(), st.integers(0, 1000))
def test_cost_agrees_with_a_plain_walk(problem, seed):
    solution = random_solution(problem, seed)
    total = 0.0
    for route in solution.routes():
        stops = [0, *route.tolist(), 0] if problem.kind == "CVRP" else [*route, route[0]]
        for a, b in itertools.pairwise(stops):
            total += problem.instance.distance(int(a), int(b))
    assert solution.cost(problem) == pytest.approx(total)
    assert solution.check(problem) == []


@given(problems(kind="CVRP"), st.integers(0, 1000))
def test_routes_and_flags_are_two_ways_to_say_the_same(problem, seed):
    solution = random_solution(problem, seed)
    assert Solution.from_routes(solution.routes()) == solution
    assert solution.num_routes == len(solution.routes())


def test_empty_routes_are_dropped():
    solution = Solution.from_routes([[1, 2], [], [3]])
    assert [route.tolist() for route in solution.routes()] == [[1, 2], [3]]
    assert Solution.from_routes([[]]).routes() == []


def test_check_names_every_violation():
    wrong = Solution([1, 1, 0, 7, 2], [True, False, False, True, True])
    assert CVRP.capacity == 5
    assert wrong.check(CVRP) == [
        "node 0 does not exist: nodes run from 1 to 3",
        "node 7 does not exist: nodes run from 1 to 3",
        "node 1 is visited 2 times",
        "node 3 is not visited",
    ]


def test_check_names_an_overloaded_route():
    solution = Solution([1, 2, 3], [True, True, False])
    assert solution.check(CVRP) == ["route 2 carries 7, more than the capacity 5"]


def test_check_names_the_wrong_kind():
    assert "this is a solution of a TSP" in Solution([1, 2, 3]).check(CVRP)[0]
    assert "the problem is a TSP" in Solution([0, 1, 2, 3], [1, 0, 0, 0]).check(TSP)[0]


def test_cost_of_nodes_that_do_not_exist_is_refused():
    with pytest.raises(InvalidSolutionError, match="node 9 does not exist"):
        Solution([0, 1, 2, 9]).cost(TSP)


def test_require_valid_tells_what_is_wrong():
    require_valid(Solution([0, 1, 2, 3]), TSP)
    with pytest.raises(InvalidSolutionError, match="node 3 is not visited"):
        require_valid(Solution([0, 1, 2]), TSP)


def test_long_lists_of_violations_are_summarised():
    assert summarise(["a", "b"]) == "a; b"
    assert summarise([str(i) for i in range(15)], at_most=2) == "0; 1; and 13 more"


@pytest.mark.parametrize(
    ("nodes", "via_depot", "message"),
    [
        ([[1]], None, "list of whole numbers"),
        ([1.5], None, "must be whole numbers"),
        ([2**40], None, "out of range"),
        ([1, 2], [True], "do not fit"),
        ([1, 2], [False, True], "through the depot"),
        ([1, True], None, "whole numbers, but one is of type bool"),
        (["1"], None, "whole numbers"),
        ([None], None, "whole numbers"),
        (None, None, "whole numbers"),
        ([1, [2]], None, "rows of equal length"),
        ([2**70], None, "too large"),
        (np.array([True]), None, "whole numbers, not of type bool"),
        (np.array([1.0]), None, "whole numbers, not of type float64"),
        (np.array([1], dtype="m8[s]"), None, "whole numbers, not of type timedelta64"),
        (np.array([1], dtype=object), None, "whole numbers, not of type object"),
        (np.ma.masked_equal([1, 2], 2), None, "some are masked"),
        (np.array([2**64 - 1], dtype=np.uint64), None, "out of range"),
        ([1, 2], ["a", "b"], "true and false"),
        ([1, 2], [1.0, np.nan], "true and false"),
        ([1, 2], [1, 2], "true and false only"),
        ([1, 2], [True, None], "true and false"),
    ],
)
def test_nonsense_is_refused(nodes, via_depot, message):
    with pytest.raises(InvalidSolutionError, match=message):
        Solution(nodes, via_depot)


@pytest.mark.parametrize(
    "routes",
    [[[1.0]], [[True], [2]], [[1], [2.0]], [1, 2], 5, None, [[[1, 2]]], [["a"]], [[None]], "ab"],
)
def test_routes_of_anything_but_nodes_are_refused(routes):
    with pytest.raises(InvalidSolutionError, match=r"whole numbers|list of lists"):
        Solution.from_routes(routes)


def test_loads_do_not_wrap_around():
    most = 2**53 - 1
    problem = Problem(np.zeros((2, 2)), [0, most], most)
    again = Solution(np.ones(1_025, dtype=np.int32), np.arange(1_025) == 0)
    assert any("more than the capacity" in violation for violation in again.check(problem))


def test_a_cost_that_cannot_be_is_refused_in_a_few_words():
    with pytest.raises(InvalidSolutionError, match="and 991 more") as caught:
        Solution(np.arange(4, 1_004)).cost(Problem(LINE[:1]))
    assert len(str(caught.value)) < 1_000
