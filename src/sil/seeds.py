"""Random generators from seeds."""

import numpy as np

from sil.errors import InputError, excerpt
from sil.validate import whole_number


def generator(seed: int) -> np.random.Generator:
    """Make a generator from a seed, which may be any non-negative whole number."""
    number = whole_number(seed, "the seed")
    if number < 0:
        raise InputError(f"the seed is {excerpt(number)}: it must not be negative")
    return np.random.default_rng(number)
