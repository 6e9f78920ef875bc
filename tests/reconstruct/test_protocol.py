import numpy as np
import pytest

import sil
from sil import MaxIterations, MaxRuntime, generate_tsp


class Noting:
    """Keeps what it is told."""

    name = "noting"

    def __init__(self):
        self.told = []

    def improve(self, problem, solution, this):
        self.told.append(this)
        return solution


def test_a_reconstructor_is_told_about_its_round():
    noting = Noting()
    sil.solve(generate_tsp(20), MaxIterations(4), reconstructors=[noting], threads=2)
    assert [this.number for this in noting.told] == [0, 1, 2, 3]
    assert [this.used for this in noting.told] == [0.25, 0.5, 0.75, 1]
    assert {this.threads for this in noting.told} == {2}
    assert {this.seconds for this in noting.told} == {None}
    assert all(isinstance(this.rng, np.random.Generator) for this in noting.told)


def test_a_reconstructor_is_told_the_time_of_the_whole_run():
    noting = Noting()
    sil.solve(generate_tsp(20), MaxRuntime(0.2), reconstructors=[noting])
    assert noting.told[0].seconds == pytest.approx(0.2, abs=0.01)
    assert noting.told[-1].used > noting.told[0].used
