"""Solve travelling-salesman and vehicle-routing problems with up to a million nodes.

>>> import sil
>>> problem = sil.generate_tsp(1000, seed=1)
>>> result = sil.solve(problem, stop=sil.MaxRuntime(5))
>>> result.cost(), result.is_feasible()
"""

from importlib.metadata import version as _version

from sil.construct import STARTS, construct
from sil.errors import InputError, InvalidSolutionError, MissingExtraError, SilError
from sil.generate import TEST_SETS, Distribution, generate_cvrp, generate_tsp
from sil.io import read, read_solution, write, write_solution
from sil.methods import METHODS, Method, method_named
from sil.plot import plot_problem, plot_solution
from sil.policy.native import NativePolicy
from sil.problem import Metric, Problem
from sil.reconstruct import ExactReconstructor, PolicyReconstructor
from sil.result import Progress, Result, Share
from sil.round import Reconstructor, Round
from sil.search import SearchReconstructor
from sil.solution import Solution
from sil.solve import solve
from sil.stop import MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement, TargetCost

__version__ = _version("sil-routing")

__all__ = [
    "METHODS",
    "STARTS",
    "TEST_SETS",
    "Distribution",
    "ExactReconstructor",
    "InputError",
    "InvalidSolutionError",
    "MaxIterations",
    "MaxRuntime",
    "Method",
    "Metric",
    "MissingExtraError",
    "MultipleCriteria",
    "NativePolicy",
    "NoImprovement",
    "PolicyReconstructor",
    "Problem",
    "Progress",
    "Reconstructor",
    "Result",
    "Round",
    "SearchReconstructor",
    "Share",
    "SilError",
    "Solution",
    "TargetCost",
    "construct",
    "generate_cvrp",
    "generate_tsp",
    "method_named",
    "plot_problem",
    "plot_solution",
    "read",
    "read_solution",
    "solve",
    "write",
    "write_solution",
]
