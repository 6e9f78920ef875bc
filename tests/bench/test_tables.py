from dataclasses import replace

import pytest

from sil.bench.cited import cited
from sil.bench.method_name import MethodName
from sil.bench.row import Status
from sil.bench.suites import SUITES
from sil.bench.tables import Cell, Label, Table, duration, gaps, in_order, skipped, tables
from tests.bench.rows import row


def by_name(table: Table) -> dict[str, dict[str, Cell]]:
    return {str(label): cells for label, cells in table.measured.items()}


def test_gaps_are_to_the_reference_or_else_to_the_best():
    known = row(cost=110.0, reference=100.0)
    best, worse = row(instance="b", cost=50.0), row(instance="b", cost=60.0, method="auto")
    failed = row(status=Status.CRASH, cost=None)
    assert gaps([known, best, worse, failed]) == {
        known: pytest.approx(10.0),
        best: 0.0,
        worse: pytest.approx(20.0),
    }


def test_rows_of_one_instance_have_one_reference():
    before, after = row(cost=51.0, method="auto"), row(cost=52.0, reference=50.0, origin="LKH-3")
    elsewhere = row(suite="scaling", cost=49.0)
    (table,) = tables(SUITES["scaling"], [before, after, elsewhere])
    assert table.heads["tsp-60"] == "1 instance, gap to LKH-3"
    found = gaps([before, after, elsewhere])
    assert found[before] == pytest.approx(2.0)
    (table,) = tables(SUITES["uniform"], [before, after, elsewhere])
    assert table.heads["tsp-60"] == "1 instance, gap to LKH-3"
    assert gaps([before, elsewhere])[before] == pytest.approx(100 * (51 / 49 - 1))


def test_methods_stand_in_one_order_whenever_they_ran():
    rows = [
        row(method=method, seconds_asked=seconds)
        for method, seconds in [("PRC10", 0), ("search", 2), ("search", 5), ("auto", 2), ("HGS", 2)]
    ]
    assert in_order(rows[::-1]) == rows


def test_a_table_has_means_and_tells_how_many_were_solved():
    rows = [
        row(instance="a", cost=10.0),
        row(instance="b", cost=20.0),
        row(instance="a", cost=11.0, method="HGS"),
        row(instance="b", cost=None, status=Status.TIMEOUT, method="HGS"),
        row(instance="a", cost=None, status=Status.MEMORY, method="PyVRP"),
        row(instance="a", cost=None, status=Status.SKIPPED, method="LKH", message="set LKH"),
    ]
    (table,) = tables(SUITES["uniform"], rows)
    assert table.sets == ["tsp-60"]
    assert by_name(table)["search"]["tsp-60"].value == "15.00"
    assert by_name(table)["search"]["tsp-60"].gap == "+0.00"
    assert by_name(table)["HGS"]["tsp-60"].value == "11.00 (1 of 2)"
    assert by_name(table)["HGS"]["tsp-60"].gap == "+10.00"
    assert not by_name(table)["HGS"]["tsp-60"].complete
    assert by_name(table)["search"]["tsp-60"].complete
    assert by_name(table)["PyVRP"]["tsp-60"].value == "memory"
    assert table.heads["tsp-60"] == "2 instances, gap to best of this benchmark"
    assert "LKH" not in by_name(table)
    assert skipped(rows) == {MethodName("LKH"): "set LKH"}
    assert tables(SUITES["scaling"], rows) == []


def test_the_papers_rows_stand_beside_the_sets_that_they_are_about():
    (table,) = tables(SUITES["uniform"], [row(set_name="tsp5k"), row(set_name="tsp-60")])
    assert table.cited["LKH3"] == {"tsp5k": table.cited["LKH3"]["tsp5k"]}
    assert table.cited["LKH3"]["tsp5k"].value == "50.97"
    (table,) = tables(
        SUITES["capacity"], [row(suite="capacity", problem="CVRP", set_name="cvrp2k-c300")]
    )
    assert table.cited["HGS"]["cvrp2k-c300"].value == "57.2"


def test_memory_is_what_a_step_adds():
    rows = [
        row(suite="memory", set_name="tsp-1000", method="model, linear attention", cost=None,
            peak_mb=300.0, growth_mb=12.3)
    ]  # fmt: skip
    (table,) = tables(SUITES["memory"], rows)
    assert table.columns == ("added memory", "time")
    assert by_name(table)["model, linear attention"]["tsp-1000"].value == "12 MB"
    assert table.cited["LEHD, model"]["tsp-1000"].value == "101.1 MB"
    assert table.cited["Linear Attention, attention"]["tsp-1000"].value == "<1 MB"
    (table,) = tables(SUITES["memory"], [replace(rows[0], set_name="tsp-50000")])
    assert table.cited["LEHD, model"]["tsp-50000"].value == "OOM"


def test_several_time_limits_are_rows_of_their_own():
    rows = [row(suite="ablation", seconds_asked=s, cost=c) for s, c in ((1.0, 8.0), (2.0, 7.0))]
    (table,) = tables(SUITES["ablation"], rows)
    assert list(by_name(table)) == ["search 1 s", "search 2 s"]
    (table,) = tables(
        SUITES["ablation"], [*rows, replace(rows[1], set_name="tsp-90", instance="b")]
    )
    assert list(by_name(table)) == ["search 1 s", "search 2 s"]


def test_rows_with_other_threads_are_rows_of_their_own():
    (table,) = tables(SUITES["uniform"], [row(threads=1, cost=8.0), row(threads=2, cost=7.0)])
    assert {name: cells["tsp-60"].value for name, cells in by_name(table).items()} == {
        "search, 1 thread": "8.00",
        "search, 2 threads": "7.00",
    }


def test_the_library_has_a_mean_over_its_instances():
    costs = {"pcb3038": (137_694, 1.01), "fnl4461": (182_566, 1.01), "rl5915": (565_530, 1.03),
             "rl5934": (556_045, 1.03)}  # fmt: skip
    rows = [
        row(suite="library", set_name=name, instance=name, cost=best * factor, reference=best)
        for name, (best, factor) in costs.items()
    ]
    rows.append(replace(rows[0], method=MethodName("HGS")))
    (table,) = tables(SUITES["library"], rows)
    assert by_name(table)["search"]["mean"].gap == "+2.00"
    partial = by_name(table)["HGS"]["mean"]
    assert (partial.value, partial.gap, partial.complete) == ("1 of 4", "+1.00", False)
    assert table.cited["LKH3"]["pcb3038"].gap == "+0.06"
    # As the paper has it for the instances up to 10,000 nodes.
    assert table.cited["SIL PRC100"]["mean"].gap == "+3.50"
    (table,) = tables(
        SUITES["library"], [row(suite="library", set_name="rl11849", reference=923_288)]
    )
    assert table.cited["BQ bs16"]["rl11849"].value == "OOM"
    assert table.cited["BQ bs16"]["mean"].gap == ""


def test_cited_rows_keep_the_papers_gaps_and_ours_are_to_the_newest():
    ghent = row(
        suite="library", problem="CVRP", set_name="Ghent1", instance="Ghent1", cost=473_550.0,
        reference=469_483.0, origin="best known (2026-11)",
    )  # fmt: skip
    old = replace(ghent, method=MethodName("auto"), reference=469_531.0, origin="best known")
    for rows in ([ghent, old], [old, ghent]):
        (table,) = tables(SUITES["library"], rows)
        assert table.heads["Ghent1"] == "1 instance, gap to best known (2026-11)"
        for method in ("search", "auto"):
            expected = 100 * (473_550 / 469_483 - 1)
            assert by_name(table)[method]["Ghent1"].gap == f"{expected:+.2f}"
        assert table.cited["BKS"]["Ghent1"].gap == "+0.00"
        assert table.cited["HGS"]["Ghent1"].gap == f"{100 * (483_599 / 469_531 - 1):+.2f}"


def test_an_instance_may_be_called_mean():
    rows = [
        row(suite="library", set_name=name, instance=name, cost=cost, reference=10.0)
        for name, cost in (("mean", 11.0), ("other", 12.0))
    ]
    (table,) = tables(SUITES["library"], rows)
    assert len(set(table.sets)) == len(table.sets) == 3
    assert by_name(table)["search"]["mean"].gap == "+10.00"
    assert by_name(table)["search"]["mean of all"].gap == "+15.00"


def test_nodes_in_one_place_have_no_gap():
    assert list(gaps([row(cost=0.0)]).values()) == [0.0]
    first, second = row(cost=0.0), row(cost=1.0, method="auto")
    assert gaps([first, second])[second] == float("inf")
    (table,) = tables(SUITES["uniform"], [first, second])
    assert by_name(table)["auto"]["tsp-60"].gap == "+inf"


def test_figures_of_the_paper():
    assert len(cited()) > 400
    assert {figure.problem for figure in cited()} == {"TSP", "CVRP"}


def test_labels_show_weights_threads_and_limits():
    name = MethodName.parse("PRC10@/far/away/mine/best.safetensors?1a")
    assert str(Label(name)) == "PRC10 with mine/best.safetensors (1a)"
    assert str(Label(MethodName("auto"), 2, 0.5)) == "auto, 2 threads 0.5 s"


def test_durations():
    assert [duration(s) for s in (0.04, 12.2, 90, 7200)] == ["0.0 s", "12 s", "1.5 min", "2.0 h"]
