"""TSPLIB and VRPLIB files, tours and routes: spoiled anyhow, wrong in known ways, odd but right."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.fuzz.case import Case, Check, Ended, Expect, Generator
from tests.fuzz.mutate import NAMES, NUMBERS, spoil_text
from tests.fuzz.problems import Instance, random_instance
from tests.fuzz.uses import use_problem, use_solution

_NOT_COUNTS = [
    n for n in NUMBERS if n not in ("1e2", "1.", "1_000", "٣", "١٢", "1 2", "True") and n.strip()
]
_BAD_NAMES = ["\x1b[31mred", "a\x00b", "x\x07x", "a\x9b1m", "x" * 201, "a\tb", "a\x7fb", "\x08x"]
_UNSUPPORTED = [
    "NODE_COORD_TYPE : THREED_COORDS",
    "TIME_WINDOW_SECTION", "FIXED_EDGES_SECTION", "X_SECTION", "TYPE : TSP", "WHAT : 1", "words",
    "TOUR_SECTION\n1\n-1",
]  # fmt: skip


def _plain(rng: random.Random) -> Instance:
    """Draw a problem that TSPLIB can hold."""
    while (found := random_instance(rng, least=3, most=12)).metric == "EUCLIDEAN":
        pass
    return found


def _text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def spoiled(rng: random.Random) -> Case:
    """Spoil a file anyhow."""
    instance = _plain(rng)
    content = spoil_text(rng, instance.text(instance.ending))
    return use_problem(rng, f"a{instance.ending}", content, Expect.EITHER, "spoiled TSPLIB")


def wrong(rng: random.Random) -> Case:
    """Make a file wrong in a way that must be refused."""
    instance = _plain(rng)
    lines = instance.lines()
    name, edit = rng.choice([*_WRONG.items()])
    changed = edit(rng, instance, lines)
    while changed is None:  # not for such a problem
        name, edit = rng.choice([*_WRONG.items()])
        changed = edit(rng, instance, lines)
    return use_problem(
        rng, f"a{instance.ending}", _text(changed), Expect.FAIL, f"TSPLIB with {name}"
    )


Edit = Callable[[random.Random, Instance, list[str]], list[str] | None]


def _value(keyword: str, values: list[str]) -> Edit:
    def edit(rng: random.Random, instance: Instance, lines: list[str]) -> list[str] | None:
        if not any(line.startswith(f"{keyword} :") for line in lines):
            return None
        value = rng.choice(values)
        return [f"{keyword} : {value}" if line.startswith(f"{keyword} :") else line
                for line in lines]  # fmt: skip

    return edit


def _number_in(section: str, values: list[str]) -> Edit:
    """Put another number in the last column of a row of a section."""

    def edit(rng: random.Random, instance: Instance, lines: list[str]) -> list[str] | None:
        if section not in lines or instance.dimension < 3:
            return None
        at = lines.index(section) + rng.randint(2, instance.dimension)
        return [*lines[:at], lines[at].rpartition(" ")[0] + " " + rng.choice(values),
                *lines[at + 1 :]]  # fmt: skip

    return edit


def _other_dimension(rng: random.Random, instance: Instance, lines: list[str]) -> list[str]:
    by = rng.choice([-1, 1, 10**6, 10**15])
    return [
        f"DIMENSION : {instance.dimension + by}" if line.startswith("DIMENSION") else line
        for line in lines
    ]


def _without_a_keyword(rng: random.Random, instance: Instance, lines: list[str]) -> list[str]:
    needed = [
        i
        for i, line in enumerate(lines)
        if line.split()[0] in ("TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "CAPACITY")
        or line.endswith("_SECTION")
    ]
    at = rng.choice(needed)
    return lines[:at] + lines[at + 1 :]


def _twice(rng: random.Random, instance: Instance, lines: list[str]) -> list[str]:
    keys = [line for line in lines if ":" in line]
    return [rng.choice(keys), *lines]


def _unsupported(rng: random.Random, instance: Instance, lines: list[str]) -> list[str]:
    return [rng.choice(_UNSUPPORTED), *lines]


def _rows_swapped(rng: random.Random, instance: Instance, lines: list[str]) -> list[str] | None:
    if "NODE_COORD_SECTION" not in lines:
        return None
    at = lines.index("NODE_COORD_SECTION") + 1
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def _depots(rng: random.Random, instance: Instance, lines: list[str]) -> list[str] | None:
    if "DEPOT_SECTION" not in lines:
        return None
    at = lines.index("DEPOT_SECTION") + 1
    other = rng.choice([["2"], ["1", "2"], [], ["nan"], ["0"], ["1.5"], ["x"]])
    return [*lines[:at], *other, *lines[at + 1 :]]


def _asymmetric(rng: random.Random, instance: Instance, lines: list[str]) -> list[str] | None:
    if instance.matrix is None:
        return None
    at = lines.index("EDGE_WEIGHT_SECTION") + 1
    row = lines[at].split()
    row[-1] = rng.choice(["-1", "nan", "inf", "1e300", "12345", "x", ""])
    return [*lines[:at], " ".join(row), *lines[at + 1 :]]


def _decimal_degrees(rng: random.Random, instance: Instance, lines: list[str]) -> list[str] | None:
    if instance.metric != "GEO":
        return None
    at = lines.index("NODE_COORD_SECTION") + 2
    return [*lines[:at], f"2 {rng.choice(['51.75', '-4.9', '0.6'])} 4.0", *lines[at + 1 :]]


def _cut_short(rng: random.Random, instance: Instance, lines: list[str]) -> list[str]:
    del instance
    # Behind the number of the depot nothing more is needed.
    sections = [i for i, line in enumerate(lines) if line.endswith("_SECTION")]
    least = 1 if lines[sections[-1]].startswith("DEPOT") else 2
    return lines[: min(rng.choice(sections) + rng.choice([0, 1, 2]), sections[-1] + least)]


_WRONG: dict[str, Edit] = {
    "a dimension that is none": _value("DIMENSION", _NOT_COUNTS),
    "another dimension": _other_dimension,
    "a capacity that is none": _value("CAPACITY", [n for n in _NOT_COUNTS if not n.isdigit()]),
    "a type that is none": _value("TYPE", ["ATSP", "HCP", "", "TSP CVRP", "TOUR", "1"]),
    "a metric that is none": _value("EDGE_WEIGHT_TYPE", ["MAN_2D", "EUC_3D", "", "EUCLIDEAN"]),
    "a layout that is none": _value("EDGE_WEIGHT_FORMAT", ["FUNCTION", "UPPER_COL", "", "ROW"]),
    "a name that cannot be printed": _value("NAME", _BAD_NAMES),
    "a coordinate that is none": _number_in(
        "NODE_COORD_SECTION", ["nan", "inf", "-inf", "1e13", "1e308", "x", "", "9" * 5000, "1 2"]
    ),
    "a demand that is none": _number_in(
        "DEMAND_SECTION",
        ["nan", "inf", "-1", "0.5", "9007199254740993", "x", "", "9" * 5000, "1e308", "1 1"],
    ),
    "a keyword missing": _without_a_keyword,
    "a keyword twice": _twice,
    "an unsupported keyword": _unsupported,
    "rows out of order": _rows_swapped,
    "wrong depots": _depots,
    "an asymmetric matrix": _asymmetric,
    "decimal degrees": _decimal_degrees,
    "an end too soon": _cut_short,
}


def odd(rng: random.Random) -> Case:
    """Make a file that is unusual, but right."""
    instance = _plain(rng)
    name = rng.choice([n for n in NAMES if n.strip() == n])
    lines = replace(instance, name=name).lines()
    lines.insert(
        1, f"COMMENT : {rng.choice(['EOF', 'X_SECTION', 'a : b', 'NODE_COORD_SECTION', '', '1'])}"
    )
    content = _text(lines)
    if rng.random() < 0.3:
        content = content.replace(b"\n", b"\r\n")
    elif rng.random() < 0.3:
        content = content.replace(b" : ", rng.choice([b": ", b":", b"  :  ", b" :\t"]))
    elif rng.random() < 0.3:
        content = content.removesuffix(b"EOF\n")
    case = use_problem(rng, f"a{instance.ending}", content, Expect.WORK, f"odd name {name!r}")
    return replace(case, check=_named(name)) if case.argv[:2] == ("info", "--json") else case


def _named(name: str) -> Check:
    def check(folder: Path, ended: Ended) -> str | None:
        found = json.loads(ended.out)["name"]
        return None if found == name else f"the name {name!r} became {found!r}"

    return check


def _a_solution(rng: random.Random, instance: Instance) -> list[list[int]]:
    """Draw a valid solution."""
    first = int(instance.demand is not None)
    nodes = [*range(first, instance.dimension)]
    rng.shuffle(nodes)
    return [[node] for node in nodes] if first else [nodes]


def _tour_lines(routes: list[list[int]]) -> list[str]:
    nodes = [str(node + 1) for route in routes for node in route]
    head = ["NAME : x", "TYPE : TOUR", f"DIMENSION : {len(nodes)}", "TOUR_SECTION"]
    return [*head, *nodes, "-1", "EOF"]


def _sol_lines(routes: list[list[int]]) -> list[str]:
    lines = [f"Route #{i}: {' '.join(map(str, r))}" for i, r in enumerate(routes, start=1)]
    return [*lines, "Cost 12"]


def solution(rng: random.Random) -> Case:
    """Read a .tour or .sol file: right, wrong in known ways, or spoiled anyhow."""
    instance = random_instance(rng, least=3, most=12)
    routes = _a_solution(rng, instance)
    if instance.demand is None:
        file, lines = "s.tour", _tour_lines(routes)
    else:
        file, lines = "s.sol", _sol_lines(routes)
    kind = rng.randrange(4)
    if kind == 0:
        return use_solution(rng, instance, file, _text(lines), Expect.WORK, "a solution")
    if kind == 1:
        content = spoil_text(rng, _text(lines))
        return use_solution(rng, instance, file, content, Expect.EITHER, f"spoiled {file}")
    at = rng.randrange(4, len(lines) - 2) if file == "s.tour" else rng.randrange(len(lines) - 1)
    bad = rng.choice(["0", "99", "-5", "1.5", "x", "nan", "9" * 5000, "2147483648", "1e400", "1 1"])
    if file == "s.tour":
        lines[at] = bad
    else:
        lines[at] = rng.choice([lines[at] + " " + bad, f"Route #1: {bad}", "Route #1:",
                                lines[at] + " : 3", "Route 1 2", lines[at - 1]])  # fmt: skip
    return use_solution(rng, instance, file, _text(lines), Expect.FAIL, f"{file} with {bad[:9]}")


GENERATORS = [
    Generator("tsplib spoiled", spoiled, 3),
    Generator("tsplib wrong", wrong, 3),
    Generator("tsplib odd", odd, 2),
    Generator("tour and sol", solution, 2),
]
