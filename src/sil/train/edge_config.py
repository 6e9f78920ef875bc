"""What a run that learns edges does, read from TOML."""

from dataclasses import dataclass
from typing import Literal

from sil._native import EDGE_CANDIDATES
from sil.errors import InputError, excerpt
from sil.train.from_values import convert_fields

_BOUNDS = {
    "cycles": (1, 1_000),
    "tours": (1, 10**6),
    "validation": (1, 10**6),
    "least_nodes": (EDGE_CANDIDATES + 1, 10**6),
    "most_nodes": (EDGE_CANDIDATES + 1, 10**6),
    "rounds": (1, 10**6),
    "width": (2, EDGE_CANDIDATES),
    "epochs": (1, 10**6),
    "batch": (1, 10**6),
    "seed": (0, 2**63 - 1),
}


@dataclass(frozen=True)
class EdgeConfig:
    """A run that learns which edges are likely, from tours that the search finds.

    Parameters
    ----------
    learn
        Always ``"edges"``; it tells this configuration from that of a policy.
    cycles
        How often to improve all tours and learn from them.
    tours
        Number of instances to learn from.
    validation
        Number of further instances, for measuring.
    least_nodes, most_nodes
        Their sizes.
    rounds
        Rounds of search per tour and cycle.
    width
        Length of the lists that the search gets from the network.
    epochs
        How often the network sees each node in a cycle. It begins from random weights each time.
    batch
        Nodes per optimiser step.
    rate
        The highest learning rate.
    seed
        Equal seeds give equal runs.
    """

    learn: Literal["edges"] = "edges"
    cycles: int = 3
    tours: int = 160
    validation: int = 16
    least_nodes: int = 1_500
    most_nodes: int = 4_000
    rounds: int = 20
    width: int = 8
    epochs: int = 20
    batch: int = 1_024
    rate: float = 3e-3
    seed: int = 0

    def __post_init__(self) -> None:
        convert_fields(self)
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise InputError(
                    f"{name} is {excerpt(value)}: it must be from {least:,} to {most:,}"
                )
        if self.least_nodes > self.most_nodes:
            raise InputError("least_nodes is larger than most_nodes")
        if not 1e-12 <= self.rate <= 10.0:
            raise InputError(f"rate is {excerpt(self.rate)}: it must be from 1e-12 to 10")
