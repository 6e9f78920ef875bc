"""What holds for all formats: reading back gives the same, and damage is never read as valid."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sil import (
    InputError,
    Metric,
    Problem,
    Solution,
    generate_cvrp,
    generate_tsp,
    read,
    read_solution,
    write,
    write_solution,
)
from sil.io import read_stated_cost, require_solution_format
from tests.strategies import problems, random_solution

UNROUNDED = (Metric.EUCLIDEAN, Metric.HAVERSINE)  # TSPLIB cannot express these


def ending(problem: Problem) -> str:
    return {"TSP": ".tsp", "CVRP": ".vrp"}[problem.kind]


@given(problems(max_nodes=8), st.data())
def test_reading_back_gives_the_same_problem(problem, data):
    endings = [".npz", ".json"]
    if problem.metric not in UNROUNDED:
        endings.append(ending(problem))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{data.draw(st.sampled_from(endings))}"
        write(path, problem)
        assert read(path) == problem


@given(problems(max_nodes=8), st.integers(0, 100), st.data())
def test_reading_back_gives_the_same_solution(problem, seed, data):
    solution = random_solution(problem, seed)
    endings = [".npz", ".json", ".tour" if problem.kind == "TSP" else ".sol"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{data.draw(st.sampled_from(endings))}"
        write_solution(path, solution, problem)
        assert read_solution(path) == solution
        if path.suffix != ".tour":
            assert read_stated_cost(path) == pytest.approx(solution.cost(problem))


def csv_text(problem: Problem) -> str:
    rows = problem.coords.tolist()
    return "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in rows)


def damaged(original: bytes, data: st.DataObject) -> bytes:
    """Cut short, lines in another order, or one field replaced by nonsense."""
    how = data.draw(st.sampled_from(["truncate", "shuffle", "break"]))
    if how == "truncate":
        return original[: data.draw(st.integers(0, len(original) - 1))]
    lines = original.split(b"\n")
    if how == "shuffle":
        return b"\n".join(data.draw(st.permutations(lines)))
    row = data.draw(st.integers(0, len(lines) - 1))
    fields = lines[row].split(b" ")
    field = data.draw(st.integers(0, len(fields) - 1))
    fields[field] = data.draw(
        st.sampled_from([b"", b"x", b"nan", b"-", b"1e999", b"\xff", b":", b"0x10", b"1 2", b"\0"])
    )
    lines[row] = b" ".join(fields)
    return b"\n".join(lines)


def survives(path: Path, original: Problem) -> bool:
    """Whether the file reads as this problem; an error of ours is the only other outcome."""
    try:
        return bool(read(path) == original)
    except InputError as error:
        assert str(error).startswith(str(path))
        assert len(str(error)) > len(str(path)) + 10
        return False


@settings(max_examples=400)
@given(problems(max_nodes=6), st.data())
def test_damaged_problem_files_are_refused_or_harmless(problem, data):
    endings = [".json", ".npz"]
    if problem.metric not in UNROUNDED:
        endings += 2 * [ending(problem)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{data.draw(st.sampled_from(endings))}"
        write(path, problem)
        original = path.read_bytes()
        spoilt = damaged(original, data)
        path.write_bytes(spoilt)
        if not survives(path, problem):
            try:
                other = read(path)
            except InputError:
                return
            # Only what a name may hold, or the order of equal rows, can change without notice.
            assert other == Problem(
                problem.coords,
                problem.demand,
                problem.capacity,
                problem.metric,
                problem.matrix,
                other.name,
            )


@settings(max_examples=100)
@given(st.integers(1, 6), st.data())
def test_truncated_csv_is_refused_or_harmless(size, data):
    problem = generate_tsp(size)
    text = csv_text(problem)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_text(text[: data.draw(st.integers(0, len(text) - 1))])
        try:
            found = read(path)
        except InputError:
            return
        # Rows have no number, so whole rows can be missing, but none is read wrongly.
        assert np.array_equal(found.coords, problem.coords[: found.num_nodes])


@settings(max_examples=200)
@given(problems(max_nodes=6), st.integers(0, 100), st.data())
def test_damaged_solution_files_are_refused_or_checked(problem, seed, data):
    solution = random_solution(problem, seed)
    endings = [".npz", ".json", ".tour" if problem.kind == "TSP" else ".sol"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{data.draw(st.sampled_from(endings))}"
        write_solution(path, solution, problem)
        path.write_bytes(damaged(path.read_bytes(), data))
        try:
            found = read_solution(path)
        except InputError:
            return
        assert isinstance(found.check(problem), list)


@pytest.mark.parametrize("reader", [read, read_solution])
def test_paths_that_cannot_be_read(reader, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        reader(tmp_path / "missing.json")
    with pytest.raises(InputError, match="extension must be one of"):
        reader(tmp_path / "what.xyz")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        reader(tmp_path / "folder.json")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.sol"
    path.write_text("precious")
    problem = generate_cvrp(3)
    broken = Solution([1, 2, 9], [True, False, False])
    with pytest.raises(Exception, match="node 9"):
        write_solution(path, broken, problem)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "missing" / "a.npz", problem)


def test_each_problem_has_its_solution_formats():
    tsp, cvrp = generate_tsp(3), generate_cvrp(3)
    require_solution_format("a.tour", tsp)
    require_solution_format("a.geojson", cvrp)
    with pytest.raises(InputError, match=r"written as \.tour"):
        require_solution_format("a.sol", tsp)
    with pytest.raises(InputError, match=r"written as \.sol"):
        require_solution_format("a.tour", cvrp)
    with pytest.raises(InputError, match="extension must be one of"):
        require_solution_format("a.pdf", cvrp)


def test_options_for_other_formats_are_refused(tmp_path):
    path = tmp_path / "a.json"
    write(path, generate_tsp(3))
    with pytest.raises(InputError, match="only for npz files"):
        read(path, index=0)
    with pytest.raises(InputError, match="only for tables"):
        read(path, capacity=3)


@pytest.mark.parametrize("reader", [read, read_solution])
def test_what_is_no_file_is_not_waited_for(reader, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    for name in ("pipe.json", "zero.json"):
        with pytest.raises(InputError, match="a device or a pipe"):
            reader(tmp_path / name)
    for odd in (5, None, b"a.json", "a\0.json"):
        with pytest.raises(InputError, match=r"is not a path|null|ending"):
            reader(odd)


def test_a_file_name_cannot_write_to_the_terminal(tmp_path):
    for call in (read, read_solution, lambda path: write(path, generate_tsp(3))):
        with pytest.raises(InputError) as caught:
            call(tmp_path / "no" / "a\x1b[2J\n.json")
        assert str(caught.value).isprintable()


def test_too_little_memory_is_an_error_of_ours(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise MemoryError

    write(tmp_path / "a.json", generate_tsp(3))
    monkeypatch.setattr("json.loads", full)
    with pytest.raises(InputError, match="not enough memory"):
        read(tmp_path / "a.json")


@pytest.mark.parametrize("index", [True, 1.5, "1"])
def test_an_index_is_a_whole_number(tmp_path, index):
    write(tmp_path / "a.npz", generate_tsp(3))
    with pytest.raises(InputError, match="must be a whole number"):
        read(tmp_path / "a.npz", index=index)
    with pytest.raises(InputError, match="no problem -1"):
        read(tmp_path / "a.npz", index=-1)


def test_every_format_is_known_in_capitals(tmp_path):
    problem, solution = generate_cvrp(5), Solution.from_routes([[1, 2], [3, 4, 5]])
    for ending in (".SOL", ".NPZ", ".JSON"):
        write_solution(tmp_path / f"a{ending}", solution, problem)
        assert read_solution(tmp_path / f"a{ending}") == solution
    write_solution(tmp_path / "a.GEOJSON", solution, problem)
    (tmp_path / "a.CSV").write_text("x,y\n0,1\n")
    assert read(tmp_path / "a.CSV").num_nodes == 1
