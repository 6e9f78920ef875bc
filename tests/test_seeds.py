import math

import numpy as np
import pytest

from sil import InputError, construct, generate_tsp
from sil.seeds import generator


def test_equal_seeds_give_equal_draws():
    assert generator(7).random() == generator(np.int8(7)).random() != generator(8).random()


def test_what_is_no_seed_is_refused():
    for seed in (-1, 1.5, math.inf, "1", None, True, [1]):
        with pytest.raises(InputError, match="seed"):
            generator(seed)
        with pytest.raises(InputError, match="seed"):
            construct(generate_tsp(9), "insertion", seed)
