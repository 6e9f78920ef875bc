"""Solve travelling salesman and vehicle routing problems with up to a million nodes.

>>> import sil
>>> problem = sil.generate_tsp(1000, seed=1)
>>> result = sil.solve(problem, stop=sil.MaxRuntime(5))
>>> result.cost(), result.is_feasible()
"""

from importlib.metadata import version as _version

from sil._native import Interrupt
from sil.construct import STARTS, construct
from sil.errors import InputError, InvalidSolutionError, MissingExtraError, SilError
from sil.generate import TEST_SETS, Distribution, generate_cvrp, generate_tsp
from sil.io import read, read_solution, write, write_solution
from sil.io.frames import from_frame, to_frames
from sil.map.page import save_map
from sil.methods import METHODS, Method, method_named
from sil.metric import Metric
from sil.model import Model
from sil.partial import PartialSolutions
from sil.plot import plot_problem, plot_solution
from sil.policy.engine import PolicyEngine
from sil.policy.load import load_engine
from sil.policy.native import NativePolicy
from sil.problem import Problem
from sil.reconstruct.exact import ExactReconstructor
from sil.reconstruct.policy import PolicyReconstructor
from sil.reconstruct.protocol import Reconstructor, Round
from sil.reconstruct.search import SearchReconstructor
from sil.reconstruct.segments import SegmentReconstructor
from sil.result import Progress, Result, Share
from sil.solution import Solution
from sil.solve import solve
from sil.stop import (
    MaxIterations,
    MaxRuntime,
    MultipleCriteria,
    NoImprovement,
    StoppingCriterion,
    TargetCost,
)
from sil.train.train_edges import EdgeTrainingResult, train_edges
from sil.train.train_policy import TrainingResult, train_policy

__version__ = _version("sil-routing")

__all__ = [
    "METHODS",
    "STARTS",
    "TEST_SETS",
    "Distribution",
    "EdgeTrainingResult",
    "ExactReconstructor",
    "InputError",
    "Interrupt",
    "InvalidSolutionError",
    "MaxIterations",
    "MaxRuntime",
    "Method",
    "Metric",
    "MissingExtraError",
    "Model",
    "MultipleCriteria",
    "NativePolicy",
    "NoImprovement",
    "PartialSolutions",
    "PolicyEngine",
    "PolicyReconstructor",
    "Problem",
    "Progress",
    "Reconstructor",
    "Result",
    "Round",
    "SearchReconstructor",
    "SegmentReconstructor",
    "Share",
    "SilError",
    "Solution",
    "StoppingCriterion",
    "TargetCost",
    "TrainingResult",
    "construct",
    "from_frame",
    "generate_cvrp",
    "generate_tsp",
    "load_engine",
    "method_named",
    "plot_problem",
    "plot_solution",
    "read",
    "read_solution",
    "save_map",
    "solve",
    "to_frames",
    "train_edges",
    "train_policy",
    "write",
    "write_solution",
]
