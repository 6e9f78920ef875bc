import numpy as np

from sil import Problem, generate_tsp
from sil.describe import describe


def test_a_town_is_described_with_units():
    rng = np.random.default_rng(0)
    coords = rng.uniform((44.9, 6.9), (45.1, 7.1), (101, 2))
    coords[0] = 45.0, 7.0
    coords[100] = 46.0, 7.0
    names = ["depot", *(f"C{i}" for i in range(1, 100)), "the hut"]
    problem = Problem(
        coords,
        [0] + [2] * 100,
        20,
        "HAVERSINE",
        names=names,
        speed=14.0,
        max_duration=8 * 3600,
        max_vehicles=12,
    )
    text = " ".join(describe(problem))
    assert text.startswith("100 customers in an area of 15.6 km by 122.2 km.")
    assert "Each demands 2; the capacity is 20, so a vehicle serves about 10." in text
    assert "At least 10 routes are needed." in text
    assert "(the hut) is 111.2 km away; 1 is more than 3 times as far as that." in text
    assert text.endswith("Routes are at most 8 h 00 min long in time and at most 12 in number.")


def test_patterns_are_told_apart():
    assert "at random" in describe(generate_tsp(1_000))[1]
    towns = np.random.default_rng(0).random((5, 2))[np.arange(500) % 5]
    around = np.random.default_rng(1).normal(0, 0.02, (500, 2))
    assert "clustered" in describe(Problem(towns + around))[1]
    grid = np.stack(np.meshgrid(range(20), range(20)), axis=-1).reshape(-1, 2).astype(float)
    assert "like a grid" in describe(Problem(grid))[1]
    assert "on a line. 30 share" in describe(Problem([[0, 0]] * 30))[1]


def test_a_matrix_has_no_area():
    matrix = np.ones((4, 4)) - np.eye(4)
    assert describe(Problem(matrix=matrix, metric="EXPLICIT")) == [
        "4 places to visit with a matrix of distances."
    ]
