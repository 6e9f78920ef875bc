"""Which edges are likely in a good tour: the learned edge network, and the lists it makes.

The search only tries edges between a node and the nodes in its list. A network that knows which
edges good tours have makes lists that are shorter and still hold more of them.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sil._native import EDGE_CANDIDATES, EDGE_FEATURES, EdgeNetwork, Instance, Interrupt, Neighbours
from sil.errors import InputError, StoppedError
from sil.io.atomic import replacing
from sil.policy.tensors import read_tensors

_NEAREST = 8  # nodes in a list where there is nothing to learn from
HIDDEN = 128  # width of both hidden layers
LAYER_SIZES = (EDGE_CANDIDATES * EDGE_FEATURES, HIDDEN, HIDDEN, EDGE_CANDIDATES)

# Makes lists for the search from an instance and the `EDGE_CANDIDATES` nearest nodes of each node.
EdgeLists = Callable[[Instance, Neighbours, int, Interrupt], Neighbours]


def likely_edges(
    network: EdgeNetwork, most: int = 10, fewest: int = 4, least: float = -4.5
) -> EdgeLists:
    """Make lists of the likeliest candidates, nearest first.

    A list has the candidates whose logit is at least `least`, but no fewer than `fewest` and no
    more than `most`. The node itself fills a shorter list. With the defaults, lists of 5.2 nodes
    on average hold as many edges of good tours as 6.3 likeliest ones.

    Where there are no places (a matrix), or fewer nodes than the network needs, they are the
    nearest nodes.
    """

    def lists(
        instance: Instance, near: Neighbours, threads: int, interrupt: Interrupt
    ) -> Neighbours:
        if not instance.has_places or near.width < EDGE_CANDIDATES:
            return near.narrowed(min(near.width, _NEAREST))
        candidates = instance.candidates(near, threads, interrupt)
        if candidates is None:
            raise StoppedError
        found = network.likeliest(instance, candidates, most, fewest, least, threads, interrupt)
        if found is None:
            raise StoppedError
        return found

    return lists


def all_around(width: int) -> EdgeLists:
    """Make lists of Delaunay neighbours, filled with the nearest nodes: the best without learning.

    Training starts from these.
    """

    def lists(
        instance: Instance, near: Neighbours, threads: int, interrupt: Interrupt
    ) -> Neighbours:
        candidates = instance.candidates(near.narrowed(min(width, near.width)), threads, interrupt)
        if candidates is None:
            raise StoppedError
        return candidates.lists

    return lists


@cache
def shipped_network() -> EdgeNetwork:
    """Load the edge network that ships with the package."""
    with as_file(files("sil.policy") / "pretrained" / "edges.safetensors") as path:
        return load_network(path)


def load_network(path: Path) -> EdgeNetwork:
    """Read an edge network that `sil train edges` has written."""
    return EdgeNetwork([*load_layers(path)])


def save_layers(path: Path, layers: Sequence[NDArray[np.float32]]) -> None:
    """Write weights and bias of each layer, in half precision: lists need no more."""
    from safetensors.numpy import save as serialised

    if path.suffix != ".safetensors":
        raise InputError(f"{path}: weights are written as .safetensors")
    arrays = {
        name: np.ascontiguousarray(array, dtype=np.float16)
        for name, array in zip(_shapes(), layers, strict=True)
    }
    with replacing(path) as scratch:
        scratch.write_bytes(serialised(arrays))


def load_layers(path: Path) -> list[NDArray[np.float32]]:
    """Read weights and bias of each layer."""
    arrays = read_tensors(path, _shapes())
    return [arrays[name] for name in _shapes()]


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (inputs, outputs) in enumerate(pairwise(LAYER_SIZES)):
        shapes[f"{layer}.weight"] = (outputs, inputs)
        shapes[f"{layer}.bias"] = (outputs,)
    return shapes
