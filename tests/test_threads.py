import os

import numpy as np
import pytest

from sil import InputError
from sil.threads import available_threads, require_threads


def test_what_is_no_number_of_threads_is_refused():
    for threads in (0, -1, 1025, 2**31, 10**5000, 1.0, "2", True, None):
        with pytest.raises(InputError, match="threads"):
            require_threads(threads)


def test_numbers_of_threads():
    assert [require_threads(n) for n in (1, np.int64(3), 1024)] == [1, 3, 1024]
    assert 1 <= available_threads() <= (os.cpu_count() or 1)
