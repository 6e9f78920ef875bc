import numpy as np
import pandas as pd
import pytest

from sil import InputError, Metric, Solution, from_frame, plan, to_frames


def frame(**columns):
    places = {"lat": [45.0, 45.1, 45.2], "Longitude": [7.0, 7.1, 7.2], "qty": [np.nan, 2, 3]}
    return pd.DataFrame({**places, "name": ["depot", "A", None], **columns})


def test_a_frame_is_a_problem():
    problem = from_frame(frame(), capacity=9, name="shops")
    assert (problem.name, problem.metric) == ("shops", Metric.HAVERSINE)
    assert problem.demand.tolist() == [0, 2, 3]
    assert problem.names.tolist() == ["depot", "A", ""]
    assert from_frame(frame(), 9, depot="depot").coords.tolist() == problem.coords.tolist()


def test_wrong_cells_are_named_by_row_and_column():
    with pytest.raises(InputError, match="row 1, column 'lat': 'north' is not a number"):
        from_frame(frame(lat=[45.0, "north", 46.0]), capacity=9)
    with pytest.raises(InputError, match="not a data frame"):
        from_frame([[1, 2]])


def test_a_plan_is_two_frames():
    problem = from_frame(frame(), capacity=9)
    solution = Solution.from_routes([[2], [1]])
    stops, routes = to_frames(solution, problem)
    assert stops["id"].tolist() == ["", "A"]
    assert routes["length"].tolist() == plan.routes(solution, problem)["length"].tolist()
