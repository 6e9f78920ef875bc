import numpy as np
import pytest

from sil import TEST_SETS, Distribution, InputError, generate_cvrp, generate_tsp


@pytest.mark.parametrize("distribution", list(Distribution))
def test_equal_seeds_give_equal_instances(distribution):
    assert generate_tsp(50, 3, distribution) == generate_tsp(50, 3, distribution)
    assert generate_cvrp(50, 3, distribution) == generate_cvrp(50, 3, distribution)
    assert generate_tsp(50, 3, distribution) != generate_tsp(50, 4, distribution)


@pytest.mark.parametrize("distribution", list(Distribution))
@pytest.mark.parametrize("size", [1, 2, 999])
def test_nodes_lie_in_the_unit_square(distribution, size):
    coords = generate_cvrp(size, 0, distribution).coords
    assert coords.shape == (size + 1, 2)
    assert coords.min() >= 0
    assert coords.max() <= 1


def test_clusters_are_denser_than_uniform():
    def nearest_distance(distribution):
        problem = generate_tsp(500, 0, distribution)
        nodes = problem.nodes
        matrix = problem.distance(nodes[:, None], nodes[None, :]) + 9 * np.eye(500)
        return matrix.min(axis=1).mean()

    uniform = nearest_distance("uniform")
    assert nearest_distance("clustered") < nearest_distance("mixed") < uniform


def test_cvrp_has_the_papers_demands_and_capacities():
    problem = generate_cvrp(5_000)
    assert problem.capacity == 500
    assert sorted(set(problem.demand[1:].tolist())) == list(range(1, 10))
    assert [generate_cvrp(n).capacity for n in (100, 1_000, 9_000, 20_000)] == [
        250,
        250,
        1000,
        2000,
    ]
    assert generate_cvrp(100, capacity=33).capacity == 33


def test_size_must_be_positive():
    with pytest.raises(InputError, match="at least one"):
        generate_tsp(0)


def test_named_sets_are_the_papers():
    sizes = {name: (s.size, s.count, s.capacity) for name, s in TEST_SETS.items()}
    assert sizes == {
        "tsp1k": (1_000, 128, None),
        "tsp5k": (5_000, 16, None),
        "tsp10k": (10_000, 16, None),
        "tsp50k": (50_000, 16, None),
        "tsp100k": (100_000, 16, None),
        "cvrp1k": (1_000, 128, 250),
        "cvrp5k": (5_000, 16, 500),
        "cvrp10k": (10_000, 16, 1_000),
        "cvrp50k": (50_000, 16, 2_000),
        "cvrp100k": (100_000, 16, 2_000),
        "cvrp1k-c200": (1_000, 100, 200),
        "cvrp2k-c300": (2_000, 100, 300),
        "cvrp5k-c300": (5_000, 16, 300),
        "cvrp7k-c300": (7_000, 16, 300),
    }


def test_the_tsp5k_set_is_the_papers_bit_for_bit():
    *_, last = problems = list(TEST_SETS["tsp5k"].problems())
    assert len(problems) == 16
    assert problems[0].coords[0].tolist() == [0.6964691855978616, 0.28613933495037946]
    assert last.coords[-1].tolist() == [0.13185686334446423, 0.8107232336841114]


def test_the_cvrp5k_set_is_the_papers_bit_for_bit():
    problems = list(TEST_SETS["cvrp5k"].problems())
    assert problems[2].coords[0].tolist() == [0.771320643266746, 0.0207519493594015]
    assert problems[2].coords[-1].tolist() == [0.43087900698628356, 0.95304247405661]
    assert problems[2].demand[:5].tolist() == [0, 2, 6, 3, 2]
    assert problems[15].coords[0].tolist() == [0.010374153885699955, 0.5018745921487388]
    assert problems[15].demand[-3:].tolist() == [6, 7, 5]


def test_the_cvrp1k_set_is_the_papers_bit_for_bit():
    first, *_, last = TEST_SETS["cvrp1k"].problems()
    assert first.coords[0].tolist() == [0.1915194503788923, 0.6221087710398319]
    assert first.coords[-1].tolist() == [0.2388659741962913, 0.1374101207316113]
    assert first.demand[:5].tolist() == [0, 5, 7, 8, 9]
    assert last.coords[0].tolist() == [0.5655167240598379, 0.6588734886482086]
    assert last.coords[-1].tolist() == [0.4570130046713077, 0.5362226617845286]
    assert last.demand[-3:].tolist() == [2, 5, 6]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 10**15}, "must be below 1,073,741,824"),
        ({"size": -1}, "at least one"),
        ({"size": 2.5}, "whole number"),
        ({"size": True}, "whole number"),
        ({"size": "9"}, "whole number"),
        ({"size": 9, "seed": -1}, "seed is -1"),
        ({"size": 9, "seed": 0.5}, "whole number"),
        ({"size": 9, "distribution": "magic"}, "choose from uniform, clustered, mixed"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    for generate in (generate_tsp, generate_cvrp):
        with pytest.raises(InputError, match=message):
            generate(**arguments)


def test_what_does_not_fit_into_memory_is_not_tried(monkeypatch):
    monkeypatch.setattr("sil.memory.available_memory", lambda: 10**9)
    with pytest.raises(
        InputError, match=r"100,000,000 nodes needs 15.0 GB of memory, but only 1.0 GB"
    ):
        generate_tsp(10**8)


def test_a_capacity_of_zero_is_not_the_usual_one():
    with pytest.raises(InputError, match="capacity is 0"):
        generate_cvrp(9, capacity=0)


def test_any_seed_has_a_name():
    assert len(generate_tsp(9, 10**3000).name) < 200
    assert generate_tsp(9, 10**5000) != generate_tsp(9, 10**5000 + 1)
