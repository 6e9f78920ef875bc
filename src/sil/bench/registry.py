"""All solvers by name."""

from pathlib import Path

from sil.bench.decoding_memory import DECODING_STEPS
from sil.bench.method_name import MethodName
from sil.bench.own_methods import OWN_METHODS, OwnMethod
from sil.bench.peers import PEERS
from sil.bench.solver import Solver
from sil.errors import InputError

SOLVERS: dict[str, Solver] = {
    solver.name: solver for solver in (*OWN_METHODS, *PEERS, *DECODING_STEPS)
}


def solver_named(name: MethodName) -> Solver:
    """Look up a solver; only our own methods take a weights file."""
    if name.plain not in SOLVERS:
        raise InputError(f"unknown method {name.plain!r}: choose from {', '.join(SOLVERS)}")
    solver = SOLVERS[name.plain]
    if not name.weights:
        return solver
    if not isinstance(solver, OwnMethod):
        raise InputError(f"{name.plain} takes no weights")
    return solver.using(Path(name.weights))
