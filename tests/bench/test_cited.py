from sil.bench.cited import cited
from sil.bench.suites import SUITES


def test_values_of_the_paper_belong_to_suites():
    assert len(cited()) > 400
    assert {value.problem for value in cited()} == {"TSP", "CVRP"}
    assert {value.table.partition("-")[0] for value in cited()} <= set(SUITES)


def test_every_value_is_there_or_has_a_reason():
    assert all(value.value or value.note for value in cited())
