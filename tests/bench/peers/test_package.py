import sys

from sil import generate_cvrp, generate_tsp
from sil.bench.peers.package import PackagePeer


class Peer(PackagePeer):
    name, package, kinds = "peer", "numpy", ("TSP",)


class Absent(PackagePeer):
    name, package = "absent", "no_such_package"


def test_a_peer_needs_its_package_and_its_kind_of_problem():
    assert Peer().missing(generate_tsp(5)) is None
    assert Peer().missing(generate_cvrp(5)) == "it solves TSP only"
    assert "no_such_package" in Absent().missing(generate_cvrp(5))


def test_its_version_names_the_package_and_how_it_is_called():
    assert Peer().version.startswith("numpy ")
    assert "called by" in Peer().version


def test_preparing_imports_the_package(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    monkeypatch.setattr(Peer, "package", "colorsys")
    Peer().prepare()
    assert "colorsys" in sys.modules
