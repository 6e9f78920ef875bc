import pytest

from sil import InputError, read
from sil.io.keywords import parse

LINES = [
    "NAME : a",
    "COMMENT : first",
    "TYPE : TSP",
    "DIMENSION : 2",
    "EDGE_WEIGHT_TYPE : EUC_2D",
    "NODE_COORD_SECTION",
    "1 0 0",
    "2 3 4",
    "EOF",
]


@pytest.fixture
def at(tmp_path):
    def put(*lines: str):
        path = tmp_path / "a.tsp"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return put


@pytest.mark.parametrize(
    "text",
    [
        "EOF",
        "the EOF of it",
        "X_SECTION",
        "NODE_COORD_SECTION",
        "a : b",
        "DIMENSION : 7",
        "CAPACITY",
        "../../etc/[b] $\\foo$",
        '\'quoted "twice"',
    ],
)
def test_names_and_comments_may_hold_anything_that_can_be_printed(at, text):
    problem = read(at(f"NAME : {text}", f"COMMENT : {text}", *LINES[2:]))
    assert (problem.name, problem.num_nodes) == (text, 2)


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_line_breaks_end_a_line(at, sign):
    assert read(at(LINES[0], f"COMMENT : a{sign}EOF{sign}VEHICLES : 3", *LINES[2:])).num_nodes == 2
    with pytest.raises(InputError, match="cannot be printed"):
        read(at(f"NAME : a{sign}EOF", *LINES[2:]))


def test_there_may_be_several_comments_and_a_byte_order_mark(at):
    assert read(at("\ufeffNAME : b", LINES[1], *LINES[1:])).name == "b"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (5, "NODE_COORD_SECTION : 1 9 9", "line 6: unexpected"),
        (3, "DIMENSION : " + "2" * 5000, "line 4: DIMENSION is '2222"),
        (3, "DIMENSION : 1000000000000000", "has 2 rows, but DIMENSION is 1000000000000000"),
        (3, "DIMENSION : 1_0", "line 4: DIMENSION is '1_0'"),
        (3, "DIMENSION : 2 2", "line 4: DIMENSION is '2 2'"),
        (3, "DIMENSION : nan", "line 4: DIMENSION is 'nan'"),
        (3, "DIMENSION :", "line 4: DIMENSION is ''"),
        (6, "1 0 1_0", "line 7: NODE_COORD_SECTION needs 3 numbers per row"),
        (6, "1 0 " + "9" * 5000, "coordinates of node 0"),
        (6, "1 0 \u0661", "line 7: NODE_COORD_SECTION needs 3 numbers per row"),
        (6, "1 0 \x1b[2J" + "x" * 999, "line 7: NODE_COORD_SECTION needs 3 numbers per row"),
        (1, "\x1b[31m : 1", "line 2: the keyword "),
    ],
)
def test_odd_lines_are_refused_in_words_that_can_be_printed(at, old, new, message):
    lines = [*LINES]
    lines[old] = new
    with pytest.raises(InputError, match=message) as caught:
        read(at(*lines))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_values_keep_their_text(at):
    file = parse(at("NAME : 007", *LINES[1:]))
    assert file.text("NAME") == "007"
    assert file.whole_number("DIMENSION") == 2
