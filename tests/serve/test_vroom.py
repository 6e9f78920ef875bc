import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import InputError, Metric, construct
from sil.serve import vroom
from sil.serve.options import FieldError

PARIS = [2.35, 48.86]


def request(jobs=5, capacity=4, vehicles=3, amount="delivery", **more) -> dict:
    rng = np.random.default_rng(1)
    places = np.array(PARIS) + rng.normal(0, 0.05, (jobs, 2))
    return {
        "vehicles": [
            {"id": 100 + k, "start": PARIS, "end": PARIS, "capacity": [capacity]}
            for k in range(vehicles)
        ],
        "jobs": [
            {"id": 1000 + k, "location": place, amount: [1 + k % 2]}
            for k, place in enumerate(places.tolist())
        ],
    } | more


def with_matrix() -> dict:
    return {
        "vehicles": [{"id": 0, "start_index": 0, "end_index": 0, "profile": "bike"}],
        "jobs": [{"id": 1414, "location_index": 2}, {"id": 1515, "location_index": 1}],
        "matrices": {"bike": {"durations": [[0, 7, 9, 8], [7, 0, 3, 8], [9, 3, 0, 8], [8] * 4]}},
    }


def answered(values, start="savings"):
    problem, given_ = vroom.read_request(values)
    solution = construct(problem, start)
    return vroom.answer(problem, solution, given_, 12)


def test_all_jobs_are_visited_once_within_the_capacity():
    told = answered(request(jobs=8))
    assert told["code"] == 0
    visited = [step["id"] for route in told["routes"] for step in route["steps"] if "id" in step]
    assert sorted(visited) == list(range(1000, 1008))
    assert told["summary"]["delivery"] == [12]
    for route in told["routes"]:
        assert route["steps"][0]["type"] == "start"
        assert route["steps"][-1]["type"] == "end"
        loads = [step["load"][0] for step in route["steps"]]
        assert loads[0] == route["delivery"][0] <= 4
        assert loads[-1] == 0
        assert loads == sorted(loads, reverse=True)
    assert told["summary"]["distance"] == sum(route["distance"] for route in told["routes"])
    json.dumps(told)


def test_what_is_picked_up_is_carried_to_the_end():
    told = answered(request(jobs=8, amount="pickup"))
    for route in told["routes"]:
        loads = [step["load"][0] for step in route["steps"]]
        assert loads[0] == 0
        assert loads[-1] == route["pickup"][0]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(2, 6))
def test_what_the_vehicles_cannot_take_is_unassigned(jobs, vehicles, capacity):
    told = answered(request(jobs=jobs, vehicles=vehicles, capacity=capacity))
    assert len(told["routes"]) <= vehicles
    visited = [step["id"] for route in told["routes"] for step in route["steps"] if "id" in step]
    left = [each["id"] for each in told["unassigned"]]
    assert sorted(visited + left) == list(range(1000, 1000 + jobs))
    assert all(route["delivery"][0] <= capacity for route in told["routes"])


def test_a_matrix_gives_travel_times():
    problem, _ = vroom.read_request(with_matrix())
    assert (problem.kind, problem.metric) == ("TSP", Metric.EXPLICIT)
    told = answered(with_matrix(), "greedy")
    assert told["summary"]["cost"] == told["summary"]["duration"] == 19
    assert "distance" not in told["summary"]
    steps = told["routes"][0]["steps"]
    assert [step["location_index"] for step in steps] in ([0, 1, 2, 0], [0, 2, 1, 0])


def broken(path, value):
    values = request()
    here = values
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return values


@pytest.mark.parametrize(
    ("values", "field"),
    [
        (broken(("shipments",), []), "shipments"),
        (broken(("jobs", 2, "service"), 300), "jobs[2].service"),
        (broken(("jobs", 2, "time_windows"), [[0, 9]]), "jobs[2].time_windows"),
        (broken(("jobs", 2, "skills"), [1]), "jobs[2].skills"),
        (broken(("jobs", 2, "delivery"), [1, 2]), "jobs[2].delivery"),
        (broken(("jobs", 2, "pickup"), [1]), "jobs.pickup"),
        (broken(("jobs", 2, "location"), [200, 0]), "jobs[2].location"),
        (broken(("jobs", 2, "location"), None), "jobs[2].location"),
        (broken(("jobs", 2, "id"), 1000), "jobs"),
        (broken(("vehicles", 1, "max_distance"), 5), "vehicles[1].max_distance"),
        (broken(("vehicles", 1, "max_travel_time"), 5), "vehicles[1].max_travel_time"),
        (broken(("vehicles", 1, "end"), None), "vehicles[1].end"),
        (broken(("vehicles", 1, "capacity"), [9]), "vehicles[1].capacity"),
        (broken(("vehicles", 0, "capacity"), [4, 4]), "vehicles[0].capacity"),
        (broken(("vehicles",), []), "vehicles"),
        ({"jobs": []}, "vehicles"),
        (with_matrix() | {"matrices": {"car": {"durations": []}}}, "matrices"),
        (
            with_matrix() | {"matrices": {"bike": {"durations": [[0, 1]]}}},
            "matrices.bike.durations",
        ),
        (with_matrix() | {"jobs": [{"id": 1, "location_index": 4}]}, "jobs[0].location_index"),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_refused_by_name(values, field):
    with pytest.raises(FieldError) as caught:
        vroom.read_request(values)
    assert caught.value.field == field


def test_a_matrix_that_is_not_symmetric_is_refused():
    values = with_matrix()
    values["matrices"]["bike"]["durations"][0][1] = 6
    with pytest.raises(InputError, match="symmetric"):
        vroom.read_request(values)


def test_what_an_answer_needs_survives_the_disk(tmp_path):
    _, given_ = vroom.read_request(request())
    given_.save(tmp_path / "v")
    assert vroom.Answerable.load(tmp_path / "v") == given_


@pytest.mark.parametrize(
    ("values", "verdict"), [({"jobs": []}, True), ({"locs": []}, False), ([], False)]
)
def test_requests_of_vroom_are_recognised(values, verdict):
    assert vroom.is_vroom(values) is verdict
