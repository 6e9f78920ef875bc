"""Random problems, and the paper's test sets by name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.memory import require_memory
from sil.problem import Problem
from sil.seeds import generator
from sil.validate import LARGEST_DIMENSION, clean_name, whole_number

# Peak memory of drawing and checking an instance, for coordinates and demands together.
_BYTES_PER_NODE = 150


class Distribution(StrEnum):
    """How nodes are distributed over the unit square."""

    UNIFORM = "uniform"
    CLUSTERED = "clustered"
    MIXED = "mixed"


def generate_tsp(
    size: int, seed: int = 0, distribution: Distribution = Distribution.UNIFORM
) -> Problem:
    """Draw a TSP of `size` nodes in the unit square, with exact Euclidean distances."""
    rng = _generator(size, seed)
    return Problem(_draw(size, distribution, rng), name=_name("tsp", size, distribution, seed))


def generate_cvrp(
    size: int,
    seed: int = 0,
    distribution: Distribution = Distribution.UNIFORM,
    capacity: int | None = None,
) -> Problem:
    """Draw a CVRP of `size` customers with demands 1 to 9 and a random depot.

    Parameters
    ----------
    size
        Number of customers.
    seed
        Equal seeds give equal instances.
    distribution
        How the customers are distributed over the unit square.
    capacity
        Vehicle capacity. Default: the paper's for the next larger size that it uses.
    """
    rng = _generator(size, seed)
    depot = rng.random((1, 2))
    coords = np.concatenate([depot, _draw(size, distribution, rng)])
    demand = np.concatenate([[0], rng.integers(1, 10, size)])
    if capacity is None:
        capacity = usual_capacity(size)
    return Problem(coords, demand, capacity, name=_name("cvrp", size, distribution, seed))


def usual_capacity(size: int) -> int:
    """Capacity in the paper's experiments (section Experiments, Problem Setting)."""
    for largest, capacity in ((1_000, 250), (5_000, 500), (10_000, 1_000)):
        if size <= largest:
            return capacity
    return 2_000


@dataclass(frozen=True)
class TestSet:
    """A named set of the paper (section Experiments, Problem Setting).

    The sets of 1,000 and 5,000 nodes, except TSP1K, are identical to the paper's. The other sizes
    are drawn in the same way.

    Parameters
    ----------
    name
        Its name, in lower case.
    size
        Number of nodes, without the depot.
    count
        Number of instances.
    capacity
        Vehicle capacity; None for TSP.
    drawn_together
        Whether a CVRP set draws all depots first, then all customers, then all demands.
    """

    name: str
    size: int
    count: int
    capacity: int | None = None
    drawn_together: bool = False

    def problems(self) -> Iterator[Problem]:
        """Generate the instances one after the other."""
        if self.capacity is None:
            drawn = self._tsp()
        else:
            drawn = self._cvrp_together() if self.drawn_together else self._cvrp_by_seed()
        for index, problem in enumerate(drawn):
            yield Problem(
                problem.coords, problem.demand, problem.capacity, name=f"{self.name}-{index:03d}"
            )

    def _tsp(self) -> Iterator[Problem]:
        rng = np.random.RandomState(123)
        for _ in range(self.count):
            yield Problem(rng.uniform(size=(self.size, 2)))

    def _cvrp_together(self) -> Iterator[Problem]:
        rng = np.random.RandomState(1234)
        depots = rng.uniform(size=(self.count, 1, 2))
        customers = rng.uniform(size=(self.count, self.size, 2))
        demands = rng.randint(1, 10, size=(self.count, self.size))
        for depot, places, demand in zip(depots, customers, demands, strict=True):
            yield Problem(np.concatenate([depot, places]), np.append(0, demand), self.capacity)

    def _cvrp_by_seed(self) -> Iterator[Problem]:
        # The paper's files sort the seeds as text, so 10 comes before 2.
        for seed in sorted(range(self.count), key=str):
            rng = np.random.RandomState(seed)
            coords = rng.uniform(size=(self.size + 1, 2))
            demand = np.concatenate([[0], rng.randint(1, 10, size=self.size)])
            yield Problem(coords, demand, self.capacity)


def _test_sets() -> Iterator[TestSet]:
    yield TestSet("tsp1k", 1_000, 128)
    yield TestSet("cvrp1k", 1_000, 128, 250, drawn_together=True)
    for size in (5_000, 10_000, 50_000, 100_000):
        yield TestSet(f"tsp{size // 1000}k", size, 16)
        yield TestSet(f"cvrp{size // 1000}k", size, 16, usual_capacity(size))
    yield TestSet("cvrp1k-c200", 1_000, 100, 200, drawn_together=True)
    yield TestSet("cvrp2k-c300", 2_000, 100, 300, drawn_together=True)
    for size in (5_000, 7_000):
        yield TestSet(f"cvrp{size // 1000}k-c300", size, 16, 300)


TEST_SETS: dict[str, TestSet] = {test_set.name: test_set for test_set in _test_sets()}


def _draw(size: int, distribution: Distribution, rng: np.random.Generator) -> NDArray[np.float64]:
    try:
        draw = _DRAWS[Distribution(distribution)]
    except ValueError:
        raise InputError(
            f"unknown distribution {excerpt(distribution)}: choose from {', '.join(Distribution)}"
        ) from None
    return draw(size, rng)


def _generator(size: int, seed: int) -> np.random.Generator:
    """Make the generator of an instance, after checking its size."""
    whole_number(size, "size")
    if size < 1:
        raise InputError(f"size is {excerpt(size)}: an instance needs at least one node")
    if size >= LARGEST_DIMENSION:
        raise InputError(f"size is {excerpt(size)}: it must be below {LARGEST_DIMENSION:,}")
    require_memory(_BYTES_PER_NODE * int(size), f"an instance of {size:,} nodes")
    return generator(seed)


def _name(kind: str, size: int, distribution: Distribution, seed: int) -> str:
    """Name an instance after its parameters; the seed may have any number of digits."""
    return clean_name(f"{kind}{size}-{distribution}-{excerpt(int(seed))}")


def _uniform(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.random((size, 2))


def _clustered(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw about one Gaussian cluster per hundred nodes, reflected at the border of the square."""
    centres = rng.random((max(1, size // 100), 2))
    spread = 0.3 / np.sqrt(len(centres))
    points = centres[rng.integers(len(centres), size=size)] + rng.normal(0, spread, (size, 2))
    return np.clip(np.abs(np.where(points > 1, 2 - points, points)), 0, 1)


def _mixed(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    half = size // 2
    points = [_uniform(size - half, rng)] + ([_clustered(half, rng)] if half else [])
    return rng.permutation(np.concatenate(points))


_DRAWS: dict[Distribution, Callable[[int, np.random.Generator], NDArray[np.float64]]] = {
    Distribution.UNIFORM: _uniform,
    Distribution.CLUSTERED: _clustered,
    Distribution.MIXED: _mixed,
}
