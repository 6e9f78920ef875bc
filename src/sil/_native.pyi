"""
The native core of sil: instances, starts, search and the policy engine.
"""

import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

class Metric(enum.Enum):
    EUCLIDEAN = 0

    EUC_2D = 1

    CEIL_2D = 2

    ATT = 3

    GEO = 4

    HAVERSINE = 5

    EXPLICIT = 6

class Interrupt:
    """Asks native work to stop."""

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, parent: Interrupt) -> None:
        """
        An interrupt with its own deadline. It is also set when its parent is, and reports progress to it.
        """

    def set(self) -> None:
        """Stop all work that watches this object."""

    def expire_in(self, seconds: float) -> None:
        """Stop the work this many seconds from now."""

    def is_set(self) -> bool:
        """Whether it is set or its deadline has passed."""

    @property
    def fraction(self) -> float:
        """Progress of the current native work, from 0 to 1."""

    @property
    def requested(self) -> bool:
        """Whether `set` was called, regardless of the deadline."""

class Routes:
    """Nodes in the order of their visit, and where routes begin."""

    def __init__(
        self,
        nodes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        starts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def starts(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

class Neighbours:
    """A list of near nodes for each node."""

    def __init__(
        self,
        lists: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def width(self) -> int:
        """Length of each list."""

    @property
    def lists(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """The lists, shape (nodes, width)."""

    def narrowed(self, width: int) -> Neighbours:
        """Keep the first `width` entries of each list."""

    def spread(
        self, instance: Instance, width: int, threads: int, interrupt: Interrupt
    ) -> Neighbours | None:
        """
        Keep `width` entries of each list, in all directions; None when interrupted.
        """

    def renumbered(
        self,
        order: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        without_depot: bool,
        width: int,
        threads: int,
        interrupt: Interrupt,
    ) -> Neighbours | None:
        """
        Renumber the nodes, so that node i is the previous node order[i], and keep the first `width` entries of each list, with or without the depot; None when interrupted.
        """

class Candidates:
    """Near nodes on all sides of each node."""

    @property
    def lists(self) -> Neighbours:
        """The nodes, nearest first."""

    @property
    def around(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """
        Bit k of a node: entry k of its list is its neighbour in the Delaunay triangulation.
        """

class Instance:
    """A problem, prepared for native code."""

    def __init__(
        self,
        metric: Metric,
        coords: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ]
        | None = None,
        matrix: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ]
        | None = None,
        layout: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ]
        | None = None,
        demand: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        capacity: int = 0,
        detour: float = 1.0,
        service: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        max_length: float = float("inf"),
        max_duration: float = float("inf"),
        max_routes: int | None = None,
    ) -> None:
        """
        Service times and the greatest duration are given as lengths. The matrix is not copied and must not change.
        """

    def __len__(self) -> int: ...
    @property
    def has_places(self) -> bool:
        """Whether nodes have places, or only a matrix of distances."""

    def distance(self, i: int, j: int) -> float:
        """Distance from node i to node j."""

    def cost(self, routes: Routes) -> float:
        """Length of a tour, or total length of all routes."""

    def nearest(self, count: int, threads: int, interrupt: Interrupt) -> Neighbours | None:
        """
        Find the nearest other nodes of each node, including the depot, and keep them; None when interrupted.
        """

    def candidates(self, near: Neighbours, threads: int, interrupt: Interrupt) -> Candidates | None:
        """
        Find near nodes on all sides of each node, given lists of the nearest; None when interrupted.
        """

    def expect_nearest(self, count: int) -> None:
        """Announce that lists of this length will be needed."""

    def renumbered(
        self,
        order: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Instance:
        """Renumber the nodes, so that node i is the previous node order[i]."""

    def with_demand(
        self,
        demand: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Instance:
        """Return the same nodes with other demands."""

def triangulate(
    coords: NDArray[numpy.float64], threads: int, interrupt: Interrupt
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]] | None:
    """
    Triangulate points (Delaunay): where the list of each point begins, and its neighbours, nearest first; None when interrupted.
    """

def hilbert_keys(
    coords: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Position of each point on a Hilbert curve."""

def insertion(
    instance: Instance,
    order: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    num_seeds: int,
    interrupt: Interrupt,
) -> Routes | None:
    """
    Insert nodes in order, each at the cheapest place; None when interrupted.
    """

def greedy_edge(
    instance: Instance, neighbours: Neighbours, threads: int, interrupt: Interrupt
) -> Routes | None:
    """Grow a tour from the shortest edges; None when interrupted."""

def savings(
    instance: Instance, neighbours: Neighbours, threads: int, interrupt: Interrupt
) -> Routes | None:
    """Join routes, largest savings first; None when interrupted."""

class Effort:
    """How hard to search."""

    def __init__(self, steps: float, temperature: float = 0.0, seed: int = 0) -> None:
        """Steps per node, a temperature in units of the metric, and a seed."""

def search_tour(
    instance: Instance,
    neighbours: Neighbours,
    routes: Routes,
    region: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    regions: int,
    descend: bool,
    effort: Effort,
    threads: int,
    interrupt: Interrupt,
) -> Routes:
    """Improve a tour inside each region by iterated k-opt."""

def search_routes(
    instance: Instance,
    neighbours: Neighbours,
    routes: Routes,
    group: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    groups: int,
    effort: Effort,
    threads: int,
    interrupt: Interrupt,
    held: Annotated[
        NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    removals: int = 0,
) -> Routes:
    """Improve each group of routes by ruin and recreate."""

def improve_order(
    instance: Instance,
    neighbours: Neighbours,
    routes: Routes,
    fixed_ends: bool,
    effort: Effort,
    threads: int,
    interrupt: Interrupt,
) -> Routes:
    """
    Improve the order within routes, or within runs between fixed ends, by k-opt.
    """

class PartialSolutions:
    """Runs of nodes between fixed ends, rebuilt in place."""

    def __init__(
        self,
        nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu")],
        via_depot: Annotated[
            NDArray[numpy.bool_], dict(shape=(None, None), order="C", device="cpu")
        ]
        | None = None,
        load_before: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        load_after: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        travel_before: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ]
        | None = None,
        travel_after: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ]
        | None = None,
    ) -> None: ...

MAX_EXACT_LENGTH: int = 10

def reconstruct_exactly(
    instance: Instance, parts: PartialSolutions, threads: int, interrupt: Interrupt
) -> None:
    """Replace each partial solution, in place, by the cheapest order."""

def recombine(
    instance: Instance,
    run: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    old: Routes,
    rebuilt: Routes,
) -> tuple[Routes, float]:
    """
    Combine old and rebuilt runs into shorter ones; return the routes and the gain.
    """

def nearest_others(
    points: Annotated[
        NDArray[numpy.float64],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    wanted: int,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None, None))]:
    """
    Find the nearest others of each point (b, k, 2): indices (b, k, wanted), or -1.
    """

def attention_aggregate(
    queries: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    nodes: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    valid: Annotated[
        NDArray[numpy.bool_], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    threads: int,
    weights: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")
    ],
    mixed: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu")
    ],
) -> None:
    """Let representatives attend to nodes; write `weights` and `mixed`."""

def attention_aggregate_back(
    queries: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    nodes: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    weights: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    to_mixed: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    threads: int,
    to_queries: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu")
    ],
    to_nodes: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")
    ],
) -> None:
    """Write the gradients of `attention_aggregate`."""

def attention_broadcast(
    nodes: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    keys: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    values: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    threads: int,
    weights: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")
    ],
    out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None:
    """Let nodes attend to representatives; write `weights` and `out`."""

def attention_broadcast_back(
    nodes: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    keys: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    values: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None, None), order="C", device="cpu", writable=False),
    ],
    weights: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    to_out: Annotated[
        NDArray[numpy.float32],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    threads: int,
    to_nodes: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")
    ],
    to_keys: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu")
    ],
    to_values: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu")
    ],
) -> None:
    """Write the gradients of `attention_broadcast`."""

class Frame(enum.Enum):
    INSTANCE = 0

    SEGMENT = 1

    STEP = 2

class PolicyShape:
    """The sizes of a policy, and what it sees."""

    def __init__(
        self,
        dim: int,
        layers: int,
        heads: int,
        feed_forward: int,
        representatives: int,
        features: int,
        context: int,
        actions: int,
        candidates: int,
        neighbours: int,
        frame: Frame,
        reach: float,
        normalised: bool,
    ) -> None: ...

def instruction_sets() -> list[str]:
    """Builds of the engine that this processor can run, fastest first."""

def observe(
    shape: PolicyShape,
    instance: Instance,
    parts: PartialSolutions,
    steps: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))],
    Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
]:
    """
    Return a state of each part: candidates, remaining, and the network's four inputs.
    """

class Policy:
    """The policy, ready to score and decode."""

    def __init__(
        self, shape: PolicyShape, weights: dict[str, object], instruction_set: str
    ) -> None: ...
    def logits(
        self,
        nodes: Annotated[
            NDArray[numpy.float32],
            dict(shape=(None, None, None), order="C", device="cpu", writable=False),
        ],
        start: Annotated[
            NDArray[numpy.float32],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        destination: Annotated[
            NDArray[numpy.float32],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        context: Annotated[
            NDArray[numpy.float32],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Score the candidates of decoding states, without padding."""

    def decode(
        self,
        instance: Instance,
        parts: PartialSolutions,
        mirrored: bool,
        sample: bool,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> None:
        """Rebuild partial solutions in place, node by node."""

class Decoding:
    """Decodes step by step, with a network that runs elsewhere."""

    def __init__(
        self,
        shape: PolicyShape,
        instance: Instance,
        parts: PartialSolutions,
        mirrored: bool,
        sample: bool,
        seed: int,
    ) -> None: ...
    @property
    def left(self) -> int:
        """Number of nodes that each part has yet to choose."""

    def observe(
        self, threads: int, interrupt: Interrupt
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))],
        Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
        Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
        Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
    ]:
        """Return the network's four inputs for the next step."""

    def choose(
        self,
        logits: Annotated[
            NDArray[numpy.float32],
            dict(shape=(None, None, None), order="C", device="cpu", writable=False),
        ],
    ) -> None:
        """
        Visit the candidates that the logits (parts, candidates, actions) select.
        """

    def finish(self) -> None:
        """Write the new order to the parts."""

EDGE_CANDIDATES: int = 16

EDGE_FEATURES: int = 7

def edge_features(
    instance: Instance, candidates: Candidates
) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """What the edge network sees of each node, shape (nodes, features)."""

class EdgeNetwork:
    """Says which candidates are likely beside a node."""

    def __init__(self, weights: list[object]) -> None:
        """Three layers: weights (outputs, inputs) and bias (outputs) of each."""

    def likeliest(
        self,
        instance: Instance,
        candidates: Candidates,
        width: int,
        fewest: int,
        least: float,
        threads: int,
        interrupt: Interrupt,
    ) -> Neighbours | None:
        """
        Keep candidates whose logit is at least `least`, nearest first, but at least the `fewest` and at most the `width` likeliest; the node itself fills a shorter list. None when interrupted.
        """
