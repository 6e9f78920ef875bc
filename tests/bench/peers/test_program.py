import sys

import pytest

from sil import Metric, Problem, Solution, generate_tsp, io
from sil.bench.peers.program import ProgramPeer


class Peer(ProgramPeer):
    name, variable, kind = "peer", "SIL_TEST_PEER", "TSP"
    largest = 1000

    def solve(self, problem, limits) -> Solution:
        del limits
        return self._run(problem, lambda program, file, result: [program, str(file), str(result)])


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Make the program do what is written here."""

    def make(body: str) -> None:
        script = tmp_path / "program"
        script.write_text(f"#!{sys.executable}\nimport sys, pathlib, shutil\n{body}\n")
        script.chmod(0o755)
        monkeypatch.setenv(Peer.variable, str(script))

    return make


TOUR = "TOUR_SECTION\n" + "\n".join(str(node) for node in range(1, 21)) + "\n-1\nEOF\n"
WRITE = f"pathlib.Path(sys.argv[2], 'a.tour').write_text({TOUR!r})\n"


def test_a_program_reads_a_grid_and_its_solution_is_read(program, tmp_path, capfd):
    program(f"shutil.copy(sys.argv[1], {str(tmp_path / 'seen.tsp')!r})\n{WRITE}")
    assert Peer().solve(generate_tsp(20), None).nodes.tolist() == list(range(20))
    seen = io.read(tmp_path / "seen.tsp")
    assert seen.metric is Metric.EUC_2D
    assert seen.coords.max() == 1000


def test_rounded_distances_are_passed_on_as_they_are(program, tmp_path, capfd):
    program(f"shutil.copy(sys.argv[1], {str(tmp_path / 'seen.tsp')!r})\n{WRITE}")
    problem = Problem((50 * generate_tsp(20).coords).round(), metric=Metric.CEIL_2D)
    Peer().solve(problem, None)
    assert io.read(tmp_path / "seen.tsp").coords.tolist() == problem.coords.tolist()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print('boom')\nsys.exit(3)", "program ended with exit code 3: boom"),
        ("print('nothing')", "program wrote no solution; its last line was: nothing"),
    ],
)
def test_a_program_that_fails_is_an_error(program, body, message, capfd):
    program(body)
    with pytest.raises(RuntimeError, match=message):
        Peer().solve(generate_tsp(20), None)


def test_the_version_is_that_of_the_program(program):
    program(WRITE)
    first = Peer().version
    program(WRITE + "\n")
    assert Peer().version != first
