"""The network's input: features of decoding states, computed in ``_native/policy/state.h``."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Features:
    """The network's input, as `sil.policy.model.Policy` takes it.

    Nodes (b, k, f), start (b, f), destination (b, f), context (b, c), and which of the nodes
    exist (b, k).
    """

    nodes: NDArray[np.float32]
    start: NDArray[np.float32]
    destination: NDArray[np.float32]
    context: NDArray[np.float32]
    valid: NDArray[np.bool_]

    def arrays(self) -> tuple[NDArray, ...]:  # type: ignore[type-arg]
        """Return the inputs in the order of the network's parameters."""
        return self.nodes, self.start, self.destination, self.context, self.valid
