import numpy as np

from tests.fuzz.kill_serve import kill_serve
from tests.fuzz.kill_solve import kill_solve


def test_a_solution_is_never_half_written(tmp_path):
    tally = kill_solve(6, np.random.default_rng(0), tmp_path)
    assert tally.failures == []
    assert tally.kills == 6
    assert tally.files > 6


def test_no_accepted_job_is_lost_and_each_is_as_good_as_was_told(tmp_path):
    tally = kill_serve(5, np.random.default_rng(0), tmp_path)
    assert tally.failures == []
    assert tally.kills == 5
    assert tally.completed > 0
