import pytest

from sil import InputError, Solution, generate_cvrp, read, write_solution


def test_csv_of_a_tsp_and_of_a_cvrp(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n0,0\n\n3,4\n")
    assert read(path).distance(0, 1) == 5
    path.write_text("\ufeffX, Y ,demand\n0,0,0\n3,4,2\n", encoding="utf-8")
    problem = read(path, capacity=2)
    assert (problem.kind, problem.capacity, problem.demand.tolist()) == ("CVRP", 2, [0, 2])


@pytest.mark.parametrize(
    ("text", "capacity", "message"),
    [
        ("", None, "line 1: the header"),
        ("a,b\n1,2\n", None, "line 1: the header"),
        ("x,y\n1,2\n3\n", None, "line 3: 1 fields instead of 2"),
        ("x,y\n1,2\n\n3,z\n", None, "line 4: .* is not a row of numbers"),
        ("x,y\n", None, "no nodes"),
        ("x,y\n1,2\n3,4", None, "line 3: the last line has no line break"),
        ("x,y\n1,2\n", 5, "needs a column 'demand'"),
        ("x,y,demand\n1,2,0\n1,2,3\n", None, "give it separately"),
        ("x,y\n1,1_0\n", None, "line 2: .* is not a row of numbers"),
        ("x,y\n1,\u0661\n", None, "line 2: .* is not a row of numbers"),
        ("x,y\n1,\n", None, "line 2: .* is not a row of numbers"),
        ("x,y\n1,True\n", None, "line 2: .* is not a row of numbers"),
        ("x,y\n1,nan\n", None, "must be finite"),
        ("x,y\n1," + "9" * 5000 + "\n", None, "must be finite"),
        ("x,y\n" + "1," * 1_000_000 + "\n", None, "line 2: 1000001 fields instead of 2"),
        ("x," * 1_000_000 + "\n", None, "line 1: the header"),
        ("x,y\n1,\x1b[2J" + "z" * 999 + "\n", None, "line 2: '1,.x1b.*is not a row of numbers"),
        ("x,y,demand\n1,2,0\n1,2,3\n", "5", "capacity is '5'"),
        ("x,y,demand\n1,2,0\n1,2,3\n", 10**300, "capacity is 1000"),
    ],
)
def test_bad_csv_is_refused(tmp_path, text, capacity, message):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read(path, capacity=capacity)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_a_solution_is_written_as_a_row_per_visit(tmp_path):
    solution = Solution.from_routes([[3, 1], [2]])
    write_solution(tmp_path / "x.csv", solution, generate_cvrp(3, capacity=99))
    rows = "route,stop,node\n1,1,3\n1,2,1\n2,1,2\n"
    assert (tmp_path / "x.csv").read_text() == rows
