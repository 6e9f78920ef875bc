"""What all random choices of a run, an instance or a start follow from."""

from numbers import Integral

import numpy as np

from sil.errors import InputError, excerpt


def generator(seed: int) -> np.random.Generator:
    """Make the generator of a seed, which may be any whole number from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"seed is {excerpt(seed)}: it must be a whole number from 0 on")
    return np.random.default_rng(int(seed))
