"""What all random choices of a run, an instance or a start follow from."""

import numpy as np

from sil.errors import InputError, excerpt
from sil.validate import whole_number


def generator(seed: int) -> np.random.Generator:
    """Make the generator of a seed, which may be any whole number from 0 on."""
    number = whole_number(seed, "the seed")
    if number < 0:
        raise InputError(f"the seed is {excerpt(number)}: it must not be negative")
    return np.random.default_rng(number)
