"""Other solvers that people could choose instead of ours; all of them are optional."""

from sil.bench.peers.elkai import Elkai
from sil.bench.peers.filo2 import Filo2
from sil.bench.peers.hgs import Hgs
from sil.bench.peers.hygese import Hygese
from sil.bench.peers.lkh import Lkh
from sil.bench.peers.ortools import OrTools
from sil.bench.peers.pyvrp import PyVrp
from sil.bench.solver import Solver

PEERS: list[Solver] = [PyVrp(), OrTools(), Hygese(), Elkai(), Lkh(), Hgs(), Filo2()]
