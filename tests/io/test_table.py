import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from sil import InputError, Metric, read


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
        ("x,y\n1,2\n3\n", None, "line 3, column 'y': '' is not a number"),
        ("x,y\n1,2\n\n3,z\n", None, "line 4, column 'y': 'z' is not a number"),
        ("x,y\n", None, "no nodes"),
        ("x,y\n1,2\n3,4", None, "line 3: the last line has no line break"),
        ("x,y,demand\n1,2,0\n1,2,3\n", None, "give it separately"),
        ("x,y\n1,1_0\n", None, "line 2, column 'y': .* is not a number"),
        ("x,y\n1,\u0661\n", None, "line 2, column 'y': .* is not a number"),
        ("x,y\n1,\n", None, "line 2, column 'y': .* is not a number"),
        ("x,y\n1,True\n", None, "line 2, column 'y': .* is not a number"),
        ("x,y\n1,nan\n", None, "is not a number"),
        ("x,y\n1," + "9" * 5000 + "\n", None, "is too large"),
        ("x,y\n" + "1," * 1_000_000 + "\n", None, "line 2: 1000001 cells, but the header has 2"),
        ("x," * 1_000_000 + "\n", None, "line 1: the header"),
        ("x,y\n1,\x1b[2J" + "z" * 999 + "\n", None, "line 2, .*: '.*x1b.*is not a number"),
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


ITALIAN = (
    "\ufeffcodice;Città;Longitudine;Latitudine;Quantità;Telefono\r\n"
    "M1;Forlì;12,0407;44,2227;;0543 1\r\n"
    '17;"Cesena; centro";12,2431;44,1391;3;\r\n'
    ";;;;;\r\n"
    "18;Santarcangelo di Romagna, però;12,4467;44,0634;12;\r\n"
)


def test_a_table_as_excel_in_italy_saves_it(tmp_path):
    path = tmp_path / "clienti.csv"
    for encoding in ("utf-8", "utf-16"):
        path.write_bytes(
            ITALIAN.removeprefix("\ufeff" if encoding == "utf-16" else "").encode(encoding)
        )
        problem = read(path, capacity=20)
        assert problem.metric is Metric.HAVERSINE
        assert problem.coords.tolist() == [
            [44.2227, 12.0407],
            [44.1391, 12.2431],
            [44.0634, 12.4467],
        ]
        assert problem.demand.tolist() == [0, 3, 12]
        assert problem.names.tolist() == ["M1", "17", "18"]
    path.write_bytes(ITALIAN.removeprefix("\ufeff").replace("codice", "Nome").encode("cp1252"))
    assert read(path, capacity=20) == problem


def test_the_depot_can_be_named(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("name\tx\ty\tdemand\nA\t1\t1\t2\nthe  depot\t0\t0\t0\nB\t2\t2\t3\n")
    problem = read(path, capacity=9, depot="the depot")
    assert problem.names.tolist() == ["the depot", "A", "B"]
    assert problem.demand.tolist() == [0, 2, 3]
    assert problem.coords.tolist() == [[0, 0], [1, 1], [2, 2]]
    for depot, message in (("C", "no row is named 'C'"), ("", "no row")):
        with pytest.raises(InputError, match=message):
            read(path, capacity=9, depot=depot)
    path.write_text("name,x,y,demand\nA,1,1,0\nA,0,0,0\n")
    with pytest.raises(InputError, match="2 rows are named 'A', on the lines 2, 3"):
        read(path, capacity=9, depot="A")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x;y\n1,5;2.5\n2,5;3,5\n", "line 2, column 'y': '2.5' has another decimal sign"),
        ("x;y\n1.234;5.678\n", "line 2, column 'x': '1.234' may be a thousand"),
        ('x,y\n"1,234","5,678"\n', "may be a thousand"),
        ("lat,lon\n91,0\n", "line 2, column 'lat': '91' must be from -90 to 90"),
        ("lat,lon\n9,0\n9,-181\n", "line 3, column 'lon'"),
        ("x,y,demand\n0,0,0\n1,1,2.5\n", "line 3, column 'demand': '2.5' must be a whole"),
        ("x,y,demand\n0,0,0\n1,1,-2\n", "line 3, column 'demand'"),
        ("x,y,lat,lon\n0,0,0,0\n", "keep one pair"),
        ("x,y,X\n0,0,0\n", "'x' and 'X' have the same meaning"),
        ("x,y,due date\n0,0,0\n", "time windows are not supported"),
        ('x,y\n1,"2\n', "line 2: unexpected end of data"),
        ("x,y\n1,2,5\n", "line 2: 3 cells"),
        ("x,y\n1\0,2\n", "encoding is not known"),
    ],
)
def test_what_could_be_misread_is_refused(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read(path, capacity=9 if "demand" in text else None)


def test_three_decimals_are_clear_beside_other_numbers(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("x;y\n1.234;0.5\n", "x,y\n1.234,5.678\n", "sep=;\nx;y\n1,234;12,5\n"):
        path.write_text(text)
        assert read(path).coords[0, 0] == 1.234


def test_excel_files_are_read(tmp_path):
    book = Workbook()
    sheet = book.active
    for row in (["Kunde", "id", "Breite", "Länge"], ["a", 7, 47.5, 8.25], ["b", 8.0, "47.25", 9]):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    problem = read(tmp_path / "a.xlsx")
    assert problem.coords.tolist() == [[47.5, 8.25], [47.25, 9]]
    assert problem.names.tolist() == ["7", "8"]
    sheet["D3"] = "47,25.1"
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="line 3, column 'Länge'"):
        read(tmp_path / "a.xlsx")
    whole = (tmp_path / "a.xlsx").read_bytes()
    for cut in (0, 10, len(whole) // 2):
        (tmp_path / "a.xlsx").write_bytes(whole[:cut])
        with pytest.raises(InputError, match="not a complete"):
            read(tmp_path / "a.xlsx")


NAMES = st.text(st.characters(codec="cp1252", exclude_categories=["C", "Z"]), max_size=8)


@given(st.data())
def test_any_dialect_gives_the_right_problem_or_a_clear_error(tmp_path_factory, data):
    size = data.draw(st.integers(1, 5))
    comma = data.draw(st.booleans())
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    delimiter = data.draw(st.sampled_from(";\t,|"))
    quoted = data.draw(st.booleans()) or (comma and delimiter == ",")
    degrees = data.draw(st.booleans())
    headings = dict(zip(("lat", "lon") if degrees else ("x", "y"), "12", strict=True))
    columns = data.draw(st.permutations([*headings, "demand", "id", "phone"]))
    number = st.floats(-90, 90, allow_nan=False).map(lambda value: round(value, 3))
    coords = data.draw(st.lists(st.tuples(number, number), min_size=size, max_size=size))
    demand = [0, *data.draw(st.lists(st.integers(0, 2000), min_size=size - 1, max_size=size - 1))]
    names = data.draw(st.lists(NAMES, min_size=size, max_size=size))

    def cell(value):
        text = str(value).replace(".", ",") if comma and isinstance(value, float) else str(value)
        if quoted or any(sign in text for sign in f'"{delimiter}'):
            text = '"' + text.replace('"', '""') + '"'
        return text

    first, second = headings
    rows = [columns] + [
        [{first: x, second: y, "demand": d, "id": name, "phone": "1.2,3"}[each] for each in columns]
        for (x, y), d, name in zip(coords, demand, names, strict=True)
    ]
    path = tmp_path_factory.mktemp("table") / "a.csv"
    text = "".join(delimiter.join(map(cell, row)) + "\r\n" for row in rows)
    path.write_bytes(text.encode(encoding))
    try:
        problem = read(path, capacity=2000)
    except InputError as error:
        refused = str(error)
        assert "may be a thousand" in refused or "no customers" in refused or "encoding" in refused
        return
    assert problem.coords.tolist() == [list(map(float, pair)) for pair in coords]
    assert problem.demand.tolist() == demand
    if encoding != "cp1252":
        assert problem.names.tolist() == [" ".join(name.split()) for name in names]
    assert np.array_equal(problem.metric is Metric.HAVERSINE, degrees)


def test_service_times_may_have_a_unit_in_their_heading(tmp_path):
    path = tmp_path / "a.csv"
    rows = "45,7,0,\n45.1,7.1,2,5\n45.2,7.2,3,7.5\n"
    for heading, factor in (("service", 1), ("service (min)", 60), ("Service_hours", 3600)):
        path.write_text(f"lat,lon,demand,{heading}\n{rows}")
        assert read(path, capacity=9).service.tolist() == [0, 5 * factor, 7.5 * factor]
    path.write_text(f"x,y,demand,service (min)\n{rows}")
    with pytest.raises(InputError, match="no unit"):
        read(path, capacity=9)


def test_without_demands_a_capacity_counts_stops(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,x,y\nA,0,0\nB,1,1\nC,2,2\n")
    problem = read(path, capacity=5, depot="B")
    assert problem.demand.tolist() == [0, 1, 1]
    with pytest.raises(InputError, match="each stop counts 1"):
        read(path, depot="B")
