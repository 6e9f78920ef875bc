"""Solvers that people would otherwise pick, each optional."""

from sil.bench.method import Method
from sil.bench.peers.elkai import Elkai
from sil.bench.peers.filo2 import Filo2
from sil.bench.peers.hgs import Hgs
from sil.bench.peers.hygese import Hygese
from sil.bench.peers.lkh import Lkh
from sil.bench.peers.ortools import OrTools
from sil.bench.peers.pyvrp import PyVrp

PEERS: list[Method] = [PyVrp(), OrTools(), Hygese(), Elkai(), Lkh(), Hgs(), Filo2()]
