import sil
from sil.result import format_cost


def test_summary_tells_what_matters():
    result = sil.solve(
        sil.generate_cvrp(200, seed=4, capacity=50),
        sil.MaxIterations(10),
        3,
        start="insertion",
        reconstructors=[sil.ExactReconstructor()],
    )
    text = result.summary()
    for part in (
        "cvrp200-uniform-4, CVRP of 200 nodes",
        "insertion",
        format_cost(result.cost()),
        f"routes      {result.best.num_routes}",
        "exact, 10 rounds, seed 3",
        "below the start",
    ):
        assert part in text
    assert "interrupted" not in text


def test_costs_are_written_for_people():
    assert format_cost(1234567) == "1,234,567"
    assert format_cost(1234.5) == "1,234.5000"


def test_a_result_is_shown_in_one_line():
    result = sil.solve(sil.generate_tsp(50), sil.MaxIterations(2), method="search")
    shown = repr(result)
    assert format_cost(result.cost()) in shown
    assert "tsp50-uniform-0" in shown
    assert "search, 2 rounds" in shown
    assert len(shown) < 200
