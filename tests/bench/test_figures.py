from sil.bench import figures
from tests.bench.test_results import row


def test_rounds_of_one_policy_are_one_line():
    rows = [row(method=f"PRC{rounds}", cost=60.0 - rounds / 100) for rounds in (10, 50, 100)]
    rows += [row(method="PRC10@other/best.safetensors?0", cost=61.0), row(method="search")]
    (drawn,) = figures.gaps_over_time(rows)
    legend = [name for name in ("PRC", "PRC10", "search") if f"<!-- {name} -->" in drawn]
    assert legend == ["PRC", "search"]
    assert "<!-- PRC with other/best.safetensors -->" in drawn
