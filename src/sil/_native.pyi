"""The native core of sil: geometry, construction and search."""

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

    EXPLICIT = 5

class Geometry:
    """The nodes of a problem and their distances."""

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
    ) -> None:
        """A matrix is not copied, so it must not change."""

    def __len__(self) -> int: ...
    def distance(self, i: int, j: int) -> float:
        """Distance from node i to node j."""

class Interrupt:
    """Asks native work to stop."""

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, parent: Interrupt) -> None:
        """
        An interrupt with a deadline of its own, also set when its parent is, which sees how far its work has come.
        """

    def set(self) -> None:
        """Stop all work that watches this object."""

    def expire_in(self, seconds: float) -> None:
        """Stop the work so many seconds from now."""

    def is_set(self) -> bool:
        """Whether set, or past the deadline."""

    @property
    def fraction(self) -> float:
        """How much of the native work under way is done, from 0 to 1."""

    @property
    def requested(self) -> bool:
        """Whether set by hand, whatever the deadline."""

class Fragments:
    """Paths that grow by joining their ends."""

    def __init__(
        self,
        demand: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        capacity: int,
    ) -> None: ...
    def join(
        self,
        geometry: Geometry,
        nodes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        at: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        neighbours: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        depot: int | None,
        interrupt: Interrupt,
    ) -> None:
        """
        Join ends with neighbouring ends while that is allowed: the nearest first or, with a depot, those whose joining saves most.
        """

    def ends(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """The two end nodes of each path."""

    def paths(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """All nodes path by path, and where each path begins."""

    def __len__(self) -> int: ...

def nearest(
    points: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    count: int,
    threads: int,
    interrupt: Interrupt,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))] | None:
    """
    Indices (n, count) of the nearest others of points (n, 2 or 3), nearest first; None when interrupted.
    """

def spread(
    points: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    near: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    count: int,
    threads: int,
    interrupt: Interrupt,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))] | None:
    """
    Choose `count` of near others (n, w), two of each quadrant first; None when interrupted.
    """

def insertion(
    geometry: Geometry,
    order: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    demand: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    capacity: int,
    num_seeds: int,
    interrupt: Interrupt,
) -> (
    tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]
    | None
):
    """
    Insert nodes in order, each at the cheapest place; None when interrupted.
    """

def improve_order(
    geometry: Geometry,
    nodes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    starts: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    fixed_ends: bool,
    neighbours: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    kicks: float,
    seed: int,
    threads: int,
    interrupt: Interrupt,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Improve the order of routes through node 0, or of runs between their ends, by k-opt.
    """

def search_tour(
    geometry: Geometry,
    tour: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    region: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    regions: int,
    neighbours: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    descend: bool,
    kicks: float,
    temperature: float,
    seed: int,
    threads: int,
    interrupt: Interrupt,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Improve a tour inside each region by iterated k-opt."""

def search_routes(
    geometry: Geometry,
    nodes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    starts: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    group: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    groups: int,
    demand: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    capacity: int,
    neighbours: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    held: Annotated[
        NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    iterations: float,
    temperature: float,
    seed: int,
    threads: int,
    interrupt: Interrupt,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int8], dict(shape=(None,))],
]:
    """Improve each group of routes by ruin and recreate."""

def hilbert_keys(
    coords: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Place of each point on a Hilbert curve."""

MAX_EXACT_LENGTH: int = 10

def reconstruct_exactly(
    geometry: Geometry,
    nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu")],
    via_depot: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order="C", device="cpu")]
    | None,
    load_before: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    load_after: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    demand: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    capacity: int,
    threads: int,
    interrupt: Interrupt,
) -> None:
    """Replace each partial solution, in place, by the cheapest there is."""

def recombine(
    geometry: Geometry,
    run: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    nodes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    via_depot: Annotated[
        NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    rebuilt_nodes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rebuilt_via_depot: Annotated[
        NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    demand: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    capacity: int,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int8], dict(shape=(None,))],
    float,
]:
    """
    Take what is shorter from runs that were rebuilt; return nodes, flags and the gain.
    """

def nearest_others(
    points: Annotated[
        NDArray[numpy.float64],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    wanted: int,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None, None))]:
    """
    Indices (b, k, wanted) of the nearest others of each of the points (b, k, 2), or -1.
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
    """Representatives attend to nodes: write two arrays."""

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
    """Nodes attend to representatives: write two arrays."""

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
    """Sizes of a policy and what it sees."""

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
    ) -> None: ...

def instruction_sets() -> list[str]:
    """What this processor can run of the engine's builds, the fastest first."""

def observe(
    shape: PolicyShape,
    coords: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu")],
    via_depot: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order="C", device="cpu")]
    | None,
    load_before: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    load_after: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    demand: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    capacity: int,
    box: tuple[float, float, float],
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
    What the network sees of a state of each run: candidates, remaining, its four inputs.
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
        """Score the candidates of decoding states that are all there."""

    def decode(
        self,
        coords: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu")],
        via_depot: Annotated[
            NDArray[numpy.bool_], dict(shape=(None, None), order="C", device="cpu")
        ]
        | None,
        load_before: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        load_after: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        demand: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        capacity: int,
        box: tuple[float, float, float],
        sample: bool,
        seed: int,
        threads: int,
        interrupt: Interrupt,
    ) -> None:
        """Rebuild partial solutions, in place, node by node."""
