import numpy as np
import pytest

from sil import InputError, Metric, Problem, Solution, read, read_solution, write, write_solution
from sil.io import read_stated_cost

TSP = """NAME : five
COMMENT : made for this test
TYPE : TSP
DIMENSION : 5
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 3.0 4e0
3 -1 .5
4 1e2 7
5 0 0
EOF
"""
CVRP = """NAME:\tfour
COMMENT : "Anybody, (2017): No. of trucks: 2"
TYPE : CVRP\t
DIMENSION : 4
EDGE_WEIGHT_TYPE : CEIL_2D
CAPACITY :\t6

NODE_COORD_SECTION
 1\t0 0
 2\t3 4
# a comment
 3\t6 8
 4\t0 5
DEMAND_SECTION
1 0
2 2
3 3
4 4
DEPOT_SECTION
\t1
\t-1
EOF
"""


@pytest.fixture
def at(tmp_path):
    def put(name: str, text: str):
        path = tmp_path / name
        path.write_text(text)
        return path

    return put


def test_a_tsp_is_read(at):
    problem = read(at("a.tsp", TSP))
    assert (problem.name, problem.kind, problem.metric) == ("five", "TSP", Metric.EUC_2D)
    assert problem.coords.tolist() == [[0, 0], [3, 4], [-1, 0.5], [100, 7], [0, 0]]


def test_a_cvrp_is_read(at):
    problem = read(at("a.vrp", CVRP))
    assert (problem.name, problem.kind, problem.capacity) == ("four", "CVRP", 6)
    assert problem.demand.tolist() == [0, 2, 3, 4]
    assert Solution.from_routes([[1, 2], [3]]).cost(problem) == 20 + 10


def test_windows_line_ends_and_a_missing_eof_are_fine(at):
    expected = read(at("a.tsp", TSP))
    assert read(at("b.tsp", TSP.replace("\n", "\r\n"))) == expected
    assert read(at("c.tsp", TSP.replace("EOF\n", ""))) == expected


@pytest.mark.parametrize(
    ("layout", "numbers"),
    [
        ("FULL_MATRIX", "0 1 2\n1 0 3\n2 3 0"),
        ("UPPER_ROW", "1 2\n3"),
        ("LOWER_ROW", "1\n2 3"),
        ("UPPER_DIAG_ROW", "0 1 2 0 3 0"),
        ("LOWER_DIAG_ROW", "0\n1 0 2\n3 9"),
    ],
)
def test_all_layouts_of_a_matrix(at, layout, numbers):
    problem = read(
        at(
            "a.tsp",
            "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
            f"EDGE_WEIGHT_FORMAT: {layout}\nEDGE_WEIGHT_SECTION\n{numbers}\nEOF\n",
        )
    )
    assert problem.matrix.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    assert problem.name == "a"


def test_display_coordinates_of_a_matrix_are_kept(at):
    text = (
        "TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n"
        "DISPLAY_DATA_TYPE: TWOD_DISPLAY\nEDGE_WEIGHT_SECTION\n7\nDISPLAY_DATA_SECTION\n"
        "1 5 6\n2 7 8\nEOF\n"
    )
    problem = read(at("a.tsp", text))
    assert problem.coords.tolist() == [[5, 6], [7, 8]]
    assert problem.distance(0, 1) == 7


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TYPE : CVRP", "TYPE : ACVRP", "line 3: TYPE ACVRP is not supported"),
        ("TYPE : CVRP\t\n", "", "no TYPE"),
        ("CEIL_2D", "EXACT_2D", "line 5: EDGE_WEIGHT_TYPE EXACT_2D is not supported"),
        ("DIMENSION : 4", "DIMENSION : four", "line 4: DIMENSION is 'four'"),
        ("DIMENSION : 4", "DIMENSION : 5", "has 4 rows, but DIMENSION is 5"),
        ("CAPACITY :\t6", "CAPACITY : 6\nDISTANCE : far", "line 7: DISTANCE is 'far'"),
        ("CAPACITY :\t6", "CAPACITY : 6\nDISTANCE : 9", "node 1 cannot be served"),
        ("CAPACITY :\t6", "CAPACITY : 6\nSERVICE_TIME : -1", "SERVICE_TIME is '-1'"),
        ("CAPACITY :\t6", "CAPACITY : 6\nVEHICLES : 1.5", "VEHICLES is '1.5'"),
        ("CAPACITY :\t6", "CAPACITY : 6\nCOLOUR : red", "keyword COLOUR is not supported"),
        ("CAPACITY :\t6", "CAPACITY : 6\nCAPACITY : 7", "CAPACITY appears for the second"),
        ("CAPACITY :\t6", "", "no CAPACITY"),
        ("CAPACITY :\t6", "CAPACITY : 3", "more than the capacity 3"),
        ("DEPOT_SECTION\n", "TIME_WINDOW_SECTION\n1 0 9\nDEPOT_SECTION\n", "time windows"),
        ("\t1\n", "\t1\n\t2\n", "several depots are not supported"),
        ("\t1\n", "\t2\n", "must name node 1"),
        (
            " 3\t6 8",
            " 3\t6",
            "line 12: NODE_COORD_SECTION needs 3 numbers per row, found '3\\\\t6'",
        ),
        (" 3\t6 8", " 3\t6 8 9", "line 12: NODE_COORD_SECTION needs 3 numbers"),
        (" 3\t6 8", " 3\t6 eight", "line 12: NODE_COORD_SECTION needs 3 numbers"),
        (" 3\t6 8", " 7\t6 8", "line 12: .* expected node 3, found '7"),
        ("2 2\n3 3", "3 3\n2 2", "line 16: DEMAND_SECTION must list the nodes"),
        ("3 3\n", "3 3.5\n", "demand of node 2 is 3.5"),
        ("1 0\n2 2", "1 1\n2 2", "demand of the depot"),
        ("EOF\n", "NAME : again\n", "unexpected 'NAME : again'"),
        ("\t-1\nEOF\n", "\t-1", "in the middle of a line"),
        ("DEMAND_SECTION", "DEMANDS", "line 14: NODE_COORD_SECTION needs 3 numbers"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(at, old, new, message):
    assert old in CVRP
    with pytest.raises(InputError, match=message):
        read(at("a.vrp", CVRP.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("addition", "message"),
    [
        ("DEMAND_SECTION\n1 0\n", "DEMAND_SECTION needs TYPE CVRP"),
        ("EDGE_WEIGHT_SECTION\n1 0\n", "needs EDGE_WEIGHT_TYPE EXPLICIT"),
    ],
)
def test_sections_that_do_not_belong_are_refused(at, addition, message):
    with pytest.raises(InputError, match=message):
        read(at("a.tsp", TSP.replace("EOF\n", addition + "EOF\n")))


def test_exact_distances_have_no_place_in_tsplib(tmp_path):
    with pytest.raises(InputError, match="choose a rounding metric"):
        write(tmp_path / "a.tsp", Problem(np.zeros((2, 2))))
    with pytest.raises(InputError, match=r"a TSP is written as \.tsp"):
        write(tmp_path / "a.vrp", Problem(np.zeros((2, 2)), metric=Metric.EUC_2D))


def test_a_tour_is_read_and_written(at, tmp_path):
    problem = read(at("a.tsp", TSP))
    path = at("a.opt.tour", "TYPE : TOUR\nDIMENSION : 5\nTOUR_SECTION\n1 5\n3\n2\n4\n-1\nEOF\n")
    tour = read_solution(path)
    assert tour.nodes.tolist() == [0, 4, 2, 1, 3]
    written = tmp_path / "b.tour"
    write_solution(written, tour, problem)
    assert read_solution(written) == tour
    assert f"COMMENT : length {tour.cost(problem)}" in written.read_text()
    assert read_stated_cost(written) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TOUR_SECTION\n1\n2\n", "does not end with -1"),
        ("DIMENSION : 3\nTOUR_SECTION\n1\n2\n-1\nEOF\n", "2 nodes, but DIMENSION is 3"),
        ("TOUR_SECTION\n1\n2.5\n-1\nEOF\n", "node numbers"),
        ("TOUR_SECTION\n1\ntwo\n-1\nEOF\n", "line 3: TOUR_SECTION needs numbers only"),
        ("TYPE : TOUR\n", "no TOUR_SECTION"),
    ],
)
def test_a_broken_tour_is_refused(at, text, message):
    with pytest.raises(InputError, match=message):
        read_solution(at("a.tour", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TYPE : TSP\nTOUR_SECTION\n1\n2\n-1\nEOF\n", "line 1: TYPE TSP is not supported"),
        ("TOUR_SECTION\n1\n2\n-1\n1 2 -1\nEOF\n", "several tours"),
        ("TOUR_SECTION\n1\nnan\n-1\nEOF\n", "node numbers"),
        ("TOUR_SECTION\n1\n1e300\n-1\nEOF\n", "node numbers"),
        ("TOUR_SECTION\n1\n" + "9" * 5000 + "\n-1\nEOF\n", "node numbers"),
        ("TOUR_SECTION\n-2147483648\n-1\nEOF\n", "node numbers"),
        ("TOUR_SECTION\n1\n-1\nDEMAND_SECTION\n1 0\nEOF\n", "does not belong in a .tour"),
    ],
)
def test_an_odd_tour_is_refused(at, text, message):
    with pytest.raises(InputError, match=message):
        read_solution(at("a.tour", text))


def test_a_second_end_of_the_tours_is_fine(at):
    tour = read_solution(at("a.tour", "COMMENT : a\nCOMMENT : b\nTOUR_SECTION\n2 1 -1\n-1\nEOF\n"))
    assert tour.nodes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TYPE : TSP", "TYPE : TSP\nNODE_COORD_TYPE : THREED_COORDS", "THREED_COORDS is not supp"),
        ("EOF\n", "TOUR_SECTION\n1 2 3 4 5 -1\nEOF\n", "a tour belongs in a .tour file"),
        ("NAME : five", "NAME : " + "x" * 201, "201 characters"),
        ("NAME : five", "NAME : fi\x1b[31mve", "cannot be printed"),
    ],
)
def test_what_is_no_plain_tsp_is_refused(at, old, new, message):
    with pytest.raises(InputError, match=message):
        read(at("a.tsp", TSP.replace(old, new, 1)))
    read(at("a.tsp", TSP.replace("TYPE", "NODE_COORD_TYPE : TWOD_COORDS\nTYPE", 1)))


def test_a_depot_behind_the_end_of_the_depots_is_not_overlooked(at):
    with pytest.raises(InputError, match="several depots"):
        read(at("a.vrp", CVRP.replace("\t-1\n", "\t-1\n\t2\n")))


def test_a_matrix_of_absurd_order_is_refused_without_memory_for_it(at):
    text = (
        "TYPE: TSP\nDIMENSION: 4000000000\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
        "EDGE_WEIGHT_FORMAT: {}\nEDGE_WEIGHT_SECTION\n1 2 3\nEOF\n"
    )
    for layout in ("FULL_MATRIX", "LOWER_ROW", "UPPER_DIAG_ROW"):
        with pytest.raises(InputError, match=f"{layout} of 4000000000 nodes needs"):
            read(at("a.tsp", text.format(layout)))


def test_names_that_look_like_keywords_survive(tmp_path):
    for name in ("EOF", "X_SECTION", "a : b", "NODE_COORD_SECTION", "../[x] $y$"):
        problem = Problem(np.zeros((2, 2)), metric=Metric.EUC_2D, name=name)
        write(tmp_path / "a.TSP", problem)
        assert read(tmp_path / "a.TSP") == problem
        write_solution(tmp_path / "a.TOUR", Solution([1, 0]), problem)
        assert read_solution(tmp_path / "a.TOUR") == Solution([1, 0])


def test_limits_of_routes_are_read_and_written(at, tmp_path):
    limits = "CAPACITY : 6\nDISTANCE : 90.5\nVEHICLES : 3\nSERVICE_TIME : 10"
    problem = read(at("a.vrp", CVRP.replace("CAPACITY :\t6", limits)))
    assert problem.service.tolist() == [0, 10, 10, 10]
    assert (problem.max_duration, problem.max_distance, problem.max_vehicles) == (90.5, None, 3)
    bare = read(at("b.vrp", CVRP.replace("CAPACITY :\t6", "CAPACITY : 6\nDISTANCE : 90")))
    assert (bare.max_duration, bare.max_distance, bare.service) == (None, 90, None)
    uneven = problem.replace(service=[0, 1, 2.5, 3])
    for each in (problem, bare, uneven):
        write(tmp_path / "c.vrp", each)
        assert read(tmp_path / "c.vrp") == each
    assert "SERVICE_TIME_SECTION" in (tmp_path / "c.vrp").read_text()


@pytest.mark.parametrize(
    "changes",
    [
        {"max_distance": 50, "max_duration": 60},
        {"max_duration": 60, "service": [0, 1, 1, 1], "speed": 2.0},
        {"max_duration": 60},
        {"max_distance": 60, "service": [0, 1, 1, 1]},
    ],
)
def test_limits_that_vrplib_cannot_express_are_not_written(at, tmp_path, changes):
    problem = read(at("a.vrp", CVRP)).replace(**changes)
    with pytest.raises(InputError, match="VRPLIB has one limit"):
        write(tmp_path / "b.vrp", problem)
    write(tmp_path / "b.json", problem)
    assert read(tmp_path / "b.json") == problem
