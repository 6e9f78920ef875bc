import numpy as np
import pytest

from sil import InputError, MaxIterations, Model, Problem, solve


def test_a_model_is_the_problem_of_its_places():
    model = Model("HAVERSINE", name="town", detour=1.3)
    model.add_depot(45.0, 7.0, name="depot")
    assert model.add_client(45.1, 7.1, demand=2, name="A") == 1
    assert model.add_client(45.2, 7.2, demand=3) == 2
    model.add_vehicle_type(capacity=5)
    assert model.data() == Problem(
        [[45.0, 7.0], [45.1, 7.1], [45.2, 7.2]],
        [0, 2, 3],
        5,
        "HAVERSINE",
        name="town",
        names=["depot", "A", ""],
        detour=1.3,
    )
    assert solve(model.data(), MaxIterations(1)).best.num_routes == 1


def test_without_a_depot_it_is_a_tour():
    model = Model()
    for x in range(5):
        model.add_client(x, x**2)
    assert np.array_equal(model.data().nodes, range(5))
    assert model.data().names is None


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="needs places"):
        Model().data()
    model = Model()
    model.add_depot(0, 0)
    with pytest.raises(InputError, match="several depots"):
        model.add_depot(1, 1)
    model.add_client(1, 1, demand=1)
    with pytest.raises(InputError, match="go together"):
        model.data()
    model.add_vehicle_type(capacity=4)
    with pytest.raises(InputError, match="several types"):
        model.add_vehicle_type(capacity=5)


def test_vehicles_have_limits():
    model = Model()
    model.add_depot(0, 0)
    model.add_client(3, 4, demand=2, service_duration=7)
    model.add_client(0, 1, demand=1)
    model.add_vehicle_type(3, max_distance=20, max_duration=30, speed=0.5)
    assert model.data() == Problem(
        [[0, 0], [3, 4], [0, 1]],
        [0, 2, 1],
        3,
        service=[0, 7, 0],
        speed=0.5,
        max_distance=20,
        max_duration=30,
        max_vehicles=3,
    )
