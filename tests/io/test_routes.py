import pytest

from sil import InputError, Problem, read_solution, write_solution
from sil.io import read_stated_cost

PROBLEM = Problem([[0, 0], [3, 4], [6, 8], [0, 5]], [0, 2, 3, 4], 6, metric="CEIL_2D")


@pytest.fixture
def at(tmp_path):
    def put(text: str):
        path = tmp_path / "a.sol"
        path.write_text(text)
        return path

    return put


def test_routes_are_read_and_written(at, tmp_path):
    path = at("Route #1: 1 2 \nRoute #2: 3\nCost 31\n")
    solution = read_solution(path)
    assert [route.tolist() for route in solution.routes()] == [[1, 2], [3]]
    assert read_stated_cost(path) == 31
    write_solution(tmp_path / "b.sol", solution, PROBLEM)
    assert (tmp_path / "b.sol").read_text() == "Route #1: 1 2\nRoute #2: 3\nCost: 30\n"


@pytest.mark.parametrize(
    "text",
    [
        "Route #1: 1 2\nRoute #2: 3\nCost 31.5",
        "\ufeffroute 1 : 1 2\nROUTE #2:3\nRoute #3:\n\n# a remark\ncost: 31.5\nTime 12:30\n",
        "Cost : 31.5\r\nRoute #1: 1 2\r\nRoute #2: 3\r\n",
    ],
)
def test_ways_to_write_it(at, text):
    path = at(text)
    assert [route.tolist() for route in read_solution(path).routes()] == [[1, 2], [3]]
    assert read_stated_cost(path) == 31.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line 'Route #1"),
        ("Cost 5\n", "no line 'Route #1"),
        ("Route #1:\n", "no line 'Route #1"),
        ("Route\n", "line 1: expected 'Route #1"),
        ("Route #1 1 2\n", "line 1: expected 'Route #1"),
        ("Route #1: 1 x\n", "line 1: 'x' is not a customer number"),
        ("Route #1: 1 2: 3\n", "line 1: '2:' is not a customer number"),
        ("Route #1: 1 2 : 3 4\n", "line 1: ':' is not a customer number"),
        ("Route #1: 1 -2\n", "'-2' is not a customer number"),
        ("Route #1: 1 2.0\n", "'2.0' is not a customer number"),
        ("Route #1: 1_0\n", "'1_0' is not a customer number"),
        ("Route #1: \u0661\n", "is not a customer number"),
        ("Route #1: " + "9" * 5000 + "\n", "is not a customer number"),
        ("Route #1: 4000000000\n", "out of range"),
        ("Route #1: 1\n17 4\n", "line 2: expected"),
        ("Route #1: 1\nCost\n", "line 2: the cost is ''"),
        ("Route #1: 1\nCost nan\n", "line 2: the cost is 'nan'"),
        ("Route #1: 1\nCost " + "1" * 5000 + "\n", "line 2: the cost is '1111"),
        ("Route #1: 1\nCost 1\nCost 2\n", "line 3: the cost appears for the second time"),
    ],
)
def test_broken_routes_are_refused(at, text, message):
    with pytest.raises(InputError, match=message):
        read_solution(at(text))


def test_what_a_file_holds_cannot_write_to_the_terminal(at):
    with pytest.raises(InputError) as caught:
        read_solution(at("Route #1: \x1b[2J" + 500 * "x" + "\n"))
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 300
