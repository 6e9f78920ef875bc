"""Each peer on small problems, where it is installed."""

import sys

import pytest

from sil import generate_cvrp, generate_tsp
from sil.bench.peers import PEERS
from sil.bench.solver import Limits

PROBLEMS = {"TSP": generate_tsp(30), "CVRP": generate_cvrp(30, capacity=40)}


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
@pytest.mark.parametrize("kind", PROBLEMS)
def test_its_solutions_are_valid_and_good(peer, kind, capfd):
    problem = PROBLEMS[kind]
    if reason := peer.missing(problem):
        pytest.skip(reason)
    solution = peer.solve(problem, Limits(seconds=0.5, threads=1, seed=0))
    assert solution.check(problem) == []
    best = {"TSP": 4.6, "CVRP": 6.3}[kind]
    assert solution.cost(problem) < 1.1 * best


def test_the_time_of_pyvrp_begins_before_its_first_local_search(monkeypatch):
    pyvrp = pytest.importorskip("pyvrp")
    asked = []

    def solve(data, stop, **options):
        asked.append(stop(0))
        raise RuntimeError

    monkeypatch.setattr(pyvrp, "solve", solve)
    (peer,) = (peer for peer in PEERS if peer.name == "PyVRP")
    for seconds in (0.0, 600.0):
        with pytest.raises(RuntimeError):
            peer.solve(PROBLEMS["CVRP"], Limits(seconds, threads=1, seed=0))
    assert asked == [True, False]


TOUR = "TOUR_SECTION\n" + "\n".join(str(node) for node in range(1, 31)) + "\n-1\nEOF\n"


@pytest.mark.parametrize(
    ("name", "variable", "body"),
    [
        (
            "LKH",
            "LKH",
            "lines = dict(line.split(' = ') for line in open(sys.argv[1]).read().splitlines())\n"
            f"open(lines['OUTPUT_TOUR_FILE'], 'w').write({TOUR!r})",
        ),
        (
            "FILO2",
            "FILO2",
            "out = sys.argv[sys.argv.index('--outpath') + 1]\n"
            "lines = [f'Route #{i}: {i}' for i in range(1, 31)]\n"
            "open(out + '/x.sol', 'w').write('\\n'.join(lines) + '\\nCost 1\\n')",
        ),
    ],
)
def test_programs_that_the_user_names(name, variable, body, tmp_path, monkeypatch):
    script = tmp_path / "program"
    script.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    script.chmod(0o755)
    (peer,) = (peer for peer in PEERS if peer.name == name)
    problem = PROBLEMS["TSP" if name == "LKH" else "CVRP"]
    monkeypatch.delenv(variable, raising=False)
    assert peer.missing(problem) == f"set {variable} to the path of the program"
    monkeypatch.setenv(variable, str(tmp_path / "nowhere"))
    assert "cannot be executed" in peer.missing(problem)
    monkeypatch.setenv(variable, str(script))
    assert peer.missing(problem) is None
    assert peer.solve(problem, Limits(1.0, 1, 0)).check(problem) == []
