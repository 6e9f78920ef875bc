import pytest

from sil import NativePolicy, construct, generate_tsp
from sil._native import Interrupt
from sil.errors import StoppedError
from sil.train.pool import Pool
from sil.train.processes import Processes
from sil.train.validate import Validation, to_validate_on
from sil.train.workers import Workers
from tests.train.runs import Recorded

UNSEEN = [generate_tsp(40, seed) for seed in (10, 11)]


@pytest.fixture
def labels(tmp_path):
    problems = [generate_tsp(40, seed) for seed in range(3)]
    pool = Pool.create(tmp_path / "labels", problems, tmp_path / "scratch")
    for index, problem in enumerate(problems):
        pool.put(index, 0, construct(problem, "insertion", index))
    return pool


def validation(folder, labels, interrupt=None) -> Validation:
    if not (folder / "reference").exists():
        chosen = to_validate_on(UNSEEN, labels)
        Pool.create(folder / "reference", chosen, folder / "scratch")
    workers = Workers(Processes(), 1, interrupt or Interrupt(), Recorded())
    return Validation(Pool(folder / "reference"), len(UNSEEN), 30, labels, workers)


def test_references_are_for_unseen_instances_and_a_sample_of_the_labels(tmp_path, labels):
    expected = [*UNSEEN, labels.problem(0), labels.problem(1)]
    assert to_validate_on(UNSEEN, labels) == expected
    assert len(to_validate_on(3 * UNSEEN, labels)) == 6 + 3


def test_gaps_are_measured_against_the_references(tmp_path, labels):
    measured = validation(tmp_path, labels)
    measured.find_references()
    references = Pool(tmp_path / "reference")
    assert measured.label_gap(0) > 0
    for index in range(2):
        labels.put(index, 1, references.solution(2 + index, 0))
    assert measured.label_gap(1) == pytest.approx(0)
    greedy, prc = measured.policy_gaps(NativePolicy.load(UNSEEN[0]))
    assert -1 < prc < greedy < 30
    assert measured.policy_gaps(NativePolicy.load(UNSEEN[0])) == (greedy, prc)


def test_references_are_found_once(tmp_path, labels, monkeypatch):
    validation(tmp_path, labels).find_references()
    monkeypatch.setattr("sil.train.validate.construct", None)
    validation(tmp_path, labels).find_references()


def test_an_interrupt_stops_it(tmp_path, labels):
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(StoppedError):
        validation(tmp_path, labels, interrupt).find_references()
    with pytest.raises(StoppedError):
        validation(tmp_path, labels, interrupt).policy_gaps(NativePolicy.load(UNSEEN[0]))
