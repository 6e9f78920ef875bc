"""Seeds for everything random in a run.

They follow from the seed of the configuration, the purpose and the place in the run. So a run that
was killed draws the same again, and nothing is drawn twice for different purposes.
"""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What random numbers are drawn for; the values must not change, or runs would."""

    LABELS = 0
    VALIDATION = 1
    IMPROVE = 2
    TRAIN = 3
    WARM_UP = 4
    OWN_STATES = 5


def derived_seed(*numbers: int) -> int:
    """Derive one seed from several numbers."""
    return int(np.random.default_rng(numbers).integers(2**62))
