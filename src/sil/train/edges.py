"""Learn which edges are likely, by self-improved learning: the search finds the labels.

The search improves the tours of many maps, choosing among the edges that the network finds likely.
The network then learns from these tours, and so on. The first cycle has no network yet and chooses
among Delaunay neighbours.
"""

import csv
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sil._native import EDGE_CANDIDATES, EdgeNetwork, Interrupt
from sil.construct import construct
from sil.errors import InputError, StoppedError
from sil.io.atomic import write_csv
from sil.io.records import read_records, to_cells
from sil.neighbours import nearest
from sil.policy.edges import EdgeLists, all_around, likely_edges, load_network, save_layers
from sil.problem import Problem
from sil.reconstruct.search import SearchReconstructor
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations
from sil.train.display import Display
from sil.train.edge_config import EdgeConfig
from sil.train.edge_fit import Examples, examples_of, fit, loss_of
from sil.train.folder import BEST, SCRATCH, take_folder
from sil.train.maps import random_map
from sil.train.pool import Pool
from sil.train.processes import Processes
from sil.train.seeds import Purpose, derived_seed
from sil.train.workers import Workers

_FIRST_WIDTH = 10  # of the lists that are not learned


@dataclass(frozen=True)
class EdgeLogRow:
    """One cycle; the fields are the columns of ``log.csv``, in this order.

    Parameters
    ----------
    cycle
        Number of the cycle, from 1.
    seconds
        Time that the cycle took, without what a resumed run had done before.
    tour
        Mean length of the tours of the validation.
    loss
        Loss of the network on the validation.
    held_5, held_6, held_8
        Share of the edges of the validation's tours that lists of this length hold, in percent.
    """

    cycle: int
    seconds: float
    tour: float
    loss: float
    held_5: float
    held_6: float
    held_8: float


class EdgeTraining:
    """A run that learns edges; after any interruption, a new object resumes it.

    Parameters
    ----------
    config
        What to do.
    folder
        Folder of the run.
    threads
        Threads for the search. Default: all cores.
    interrupt
        When it is set, the run stops soon.
    display
        Shows the progress.
    """

    def __init__(
        self,
        config: EdgeConfig,
        folder: Path,
        threads: int | None = None,
        interrupt: Interrupt | None = None,
        display: Display | None = None,
    ) -> None:
        processes = Processes()
        if processes.size > 1:
            processes.leave()
            raise InputError(
                "edges are learned by one process with several threads: use no torchrun"
            )
        self._config, self._folder, self._display = config, folder, display or Display()
        self._lock = take_folder(config, folder)
        self._workers = Workers(
            processes, threads or processes.threads, interrupt or Interrupt(), self._display
        )
        self.history = self._read_log()

    def run(self) -> bool:
        """Train; return whether the run has finished."""
        try:
            labels, validation = self._pool("labels"), self._pool("validation")
            for cycle in range(len(self.history) + 1, self._config.cycles + 1):
                self._cycle(cycle, labels, validation)
        except StoppedError:
            return False
        finally:
            self._lock.close()
        return True

    def _cycle(self, cycle: int, labels: Pool, validation: Pool) -> None:
        """Improve the tours with the network of the cycle before, then learn from them."""
        began, path = time.perf_counter(), self._folder / BEST
        edges = all_around(_FIRST_WIDTH)
        if cycle > 1:
            edges = likely_edges(load_network(path), self._config.width, self._config.width)
        self._improve(labels, cycle, edges, "tours")
        self._improve(validation, cycle, edges, "tours to validate on")
        self._display.status(f"cycle {cycle}, learning")
        seed = derived_seed(self._config.seed, Purpose.TRAIN, cycle)
        layers = fit(_examples(labels, cycle), self._config, seed, self._workers.interrupt)
        save_layers(path, layers)
        held = held_edges(load_network(path), validation, cycle)
        row = EdgeLogRow(
            cycle,
            round(time.perf_counter() - began, 1),
            validation.mean_cost(cycle, range(len(validation))),
            loss_of(layers, _examples(validation, cycle)),
            *held,
        )
        self.history.append(row)
        write_csv(self._folder / "log.csv", [to_cells(each) for each in self.history])
        self._display.say(
            f"cycle {cycle}: mean tour {row.tour:.5f}, loss {row.loss:.4f}, edges in lists of "
            f"5, 6 and 8: {row.held_5:.2f}, {row.held_6:.2f} and {row.held_8:.2f} %"
        )

    def _improve(self, pool: Pool, cycle: int, edges: EdgeLists, what: str) -> None:
        """Search from the tours of the cycle before, or from greedy ones in the first cycle."""

        def improve(index: int) -> Solution:
            problem = pool.problem(index)
            before = (
                pool.solution(index, cycle - 1) if cycle > 1 else construct(problem, "greedy", 0)
            )
            found = solve(
                problem,
                MaxIterations(self._config.rounds),
                derived_seed(self._config.seed, Purpose.IMPROVE, cycle, index),
                start=before,
                reconstructors=[SearchReconstructor(edges)],
                threads=1,
                interrupt=Interrupt(self._workers.interrupt),
            ).best
            # A partly improved tour would be valid, but the resumed run would differ.
            StoppedError.raise_if(self._workers.interrupt)
            return found

        self._workers.fill(pool, cycle, improve, f"cycle {cycle}, {what}")

    def _pool(self, name: str) -> Pool:
        folder = self._folder / name
        if folder.exists():
            return Pool(folder)
        purpose, count = Purpose.LABELS, self._config.tours
        if name == "validation":
            purpose, count = Purpose.VALIDATION, self._config.validation
        return Pool.create(
            folder, (self._drawn(purpose, i) for i in range(count)), self._folder / SCRATCH
        )

    def _drawn(self, purpose: Purpose, index: int) -> Problem:
        config, rng = self._config, np.random.default_rng((self._config.seed, purpose, index))
        return random_map(config.least_nodes, config.most_nodes, rng)

    def _read_log(self) -> list[EdgeLogRow]:
        path = self._folder / "log.csv"
        try:
            return read_records(path, EdgeLogRow) if path.exists() else []
        except (OSError, csv.Error, ValueError) as error:
            raise InputError(f"{path}: this is not the log of this run: {error}") from error


def held_edges(network: EdgeNetwork, pool: Pool, cycle: int) -> list[float]:
    """Return the share of the tours' edges that lists of length 5, 6 and 8 hold, in percent."""
    shares = []
    for width in (5, 6, 8):
        lists, held, total = likely_edges(network, width, width), 0, 0
        for index in range(len(pool)):
            problem, tour = pool.problem(index), pool.solution(index, cycle).nodes
            near = nearest(problem, EDGE_CANDIDATES)
            found = lists(problem.instance, near, 1, Interrupt()).lists  # (n, width)
            for other in (np.roll(tour, 1), np.roll(tour, -1)):
                held += int((found[tour] == other[:, None]).sum())
                total += len(tour)
        shares.append(round(100 * held / total, 3))
    return shares


def _examples(pool: Pool, cycle: int) -> Examples:
    """Return the nodes of all tours; see `sil.train.edge_fit.examples_of`."""
    found = [examples_of(pool.problem(i), pool.solution(i, cycle)) for i in range(len(pool))]
    features, is_beside = zip(*found, strict=True)
    return np.concatenate(features), np.concatenate(is_beside)
