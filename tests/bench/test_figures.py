from sil.bench import figures
from sil.bench.tables import gaps
from tests.bench.rows import row


def test_rounds_of_one_policy_are_one_line():
    rows = [row(method=f"PRC{rounds}", cost=60.0 - rounds / 100) for rounds in (10, 50, 100)]
    rows += [row(method="PRC10@other/best.safetensors?0", cost=61.0), row(method="search")]
    (drawn,) = figures.gaps_over_time(rows, gaps(rows))
    legend = [name for name in ("PRC", "PRC10", "search") if f"<!-- {name} -->" in drawn]
    assert legend == ["PRC", "search"]
    assert "<!-- PRC with other/best.safetensors (0) -->" in drawn


def test_a_figure_shows_the_gaps_of_the_table():
    mine = row(suite="uniform", cost=51.0)
    elsewhere = row(suite="ablation", cost=52.0, reference=50.0, origin="LKH-3")
    gap = gaps([mine, elsewhere])
    (drawn,) = figures.gaps_over_time([mine], gap)
    assert drawn != figures.gaps_over_time([mine], gaps([mine]))[0]


def test_a_method_has_the_same_colour_in_every_panel():
    rows = [
        row(set_name=name, instance=name, method=method, cost=cost)
        for name, method, cost in [("a", "greedy", 9), ("a", "search", 7), ("b", "search", 7)]
    ]
    first, second = figures.gaps_over_time(rows, gaps(rows))
    orange, blue = "#ff7f0e", "#1f77b4"
    assert blue in first and orange in first
    assert blue not in second and orange in second
