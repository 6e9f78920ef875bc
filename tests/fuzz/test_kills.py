import numpy as np

from tests.fuzz.kill_solve import kill_solve


def test_a_solution_is_never_half_written(tmp_path):
    tally = kill_solve(6, np.random.default_rng(0), tmp_path)
    assert tally.failures == []
    assert tally.kills == 6
    assert tally.files > 6
