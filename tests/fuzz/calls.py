"""Calls of the public functions with odd arguments, and with callers' functions that misbehave."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.case import Case, Expect, Generator, WrongError
from tests.fuzz.mutate import BAD_NAMES, NAMES

_NUMBERS: list[Any] = [
    -1, 0, 1, 2, 1.5, -0.0, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, float("nan"),
    float("inf"), float("-inf"), 1e308, True, False, np.int8(3), np.float32(2.5), np.int64(7),
]  # fmt: skip
_NOT_NUMBERS: list[Any] = [None, "x", "1", "", b"1", [], {}, object(), 1j, np.array([1, 2])]


class OwnError(Exception):
    """An error of the caller's own functions."""


def _array(rng: random.Random, columns: int | None) -> Any:
    """Draw something that may or may not be an array of numbers."""
    rows = rng.choice([0, 1, 2, 3, 4, 9])
    shape = (rows,) if columns is None else (rows, rng.choice([columns, columns, columns, 1, 3]))
    draws = np.random.default_rng(rng.randrange(2**32))
    values: Any = draws.integers(0, 9, shape).astype(np.float64)
    if values.size and rng.random() < 0.4:
        values.flat[rng.randrange(values.size)] = rng.choice(
            [np.nan, np.inf, -1, 0.5, 1e12, 1e13, 2.0**53, 1e308, -0.0]
        )
    kind = rng.choice(["f8", "f8", "f8", "f4", "i4", "u1", "c16", "?", "U5", "S5", "O", "M8[s]"])
    with np.errstate(all="ignore"):
        if kind == "M8[s]":
            values = np.nan_to_num(values).astype("i8")
        values = values.astype(kind)
    others: list[Any] = [values, values.tolist(), None, *_NOT_NUMBERS, [[1, 2], [3]], [values]]
    return rng.choice([values] * 25 + [values.tolist()] * 5 + others)


def problem(rng: random.Random) -> Case:
    """Make a problem of anything; what is accepted must be solved."""
    arguments: dict[str, Any] = {"coords": _array(rng, 2)}
    if rng.random() < 0.5:
        count = len(arguments["coords"]) if isinstance(arguments["coords"], np.ndarray) else 4
        good = np.array([0] + [1] * max(0, count - 1))
        arguments["demand"] = rng.choice([good, good, good, _array(rng, None)])
        arguments["capacity"] = rng.choice([*_NUMBERS, *_NOT_NUMBERS, 5, 5, 5, 5, 5])
    if rng.random() < 0.3:
        arguments["metric"] = rng.choice(
            ["EUC_2D", "CEIL_2D", "ATT", "GEO", "EXPLICIT", "x", "", None, 5, []]
        )
    if rng.random() < 0.2:
        square = np.array([[0.0, 1, 2], [1, 0, 50], [2, 50, 0]])
        arguments |= {"coords": None, "metric": "EXPLICIT"}
        arguments["matrix"] = rng.choice(
            [
                square,
                square.astype(str),
                square * 1j,
                square * np.nan,
                square > 0,
                -square,
                square[:2],
                _array(rng, 3),
            ]
        )
    expect = Expect.EITHER
    if rng.random() < 0.15:
        arguments["name"] = rng.choice([*BAD_NAMES, *_NOT_NUMBERS, 5])
        expect = Expect.FAIL
    elif rng.random() < 0.3:
        arguments["name"] = rng.choice(NAMES)

    def call() -> None:
        import sil

        made = sil.Problem(**arguments)
        repr(made), made.fewest_routes, made.layout, made.instance, made.is_integral
        result = sil.solve(made, sil.MaxIterations(1), threads=1)
        if result.best.check(made) or not result.is_feasible():
            raise WrongError("the result is not valid")
        if not np.isfinite(result.cost()) or result.cost() < 0:
            raise WrongError(f"the cost is {result.cost()}")
        for column in (made.coords, made.demand, made.matrix):
            if column is not None and column.flags.writeable:
                raise WrongError("a problem can be changed")
        result.summary()

    return Case("a problem of anything", expect, call=call)


def solution(rng: random.Random) -> Case:
    """Make a solution of anything, and ask it about a problem."""
    nodes: Any = rng.choice(
        [
            [0, 1, 2, 3, 4],
            [4, 3, 2, 1, 0],
            [0, 0, 1, 2, 3],
            [5, 1, 2, 3, 4],
            [-1, 1, 2, 3, 4],
            [],
            [0.5],
            "abc",
            [[0, 1]],
            None,
            [2**31],
            [2**63],
            [True, False],
            [1j],
            [None],
            [{}],
            5,
            np.arange(5.0),
            np.arange(5).astype("M8[s]"),
            np.arange(5).astype(str),
            [np.nan],
            [10**30],
        ]
    )
    flags: Any = rng.choice(
        [
            None,
            None,
            None,
            [True] * 5,
            [False] * 5,
            [1, 0, 0, 0, 0],
            "True",
            ["a"] * 5,
            [2] * 5,
            [np.nan] * 5,
            [True],
            [],
            [None] * 5,
            1,
            {},
            ["False"] * 5,
            [[True] * 5],
        ]
    )
    by_routes = rng.random() < 0.3
    kind = rng.choice(["TSP", "CVRP"])

    def call() -> None:
        import sil

        demand = None if kind == "TSP" else [0, 2, 2, 2, 2]
        problem = sil.Problem(np.eye(5, 2), demand, None if demand is None else 3)
        if by_routes:
            made = sil.Solution.from_routes(rng.choice([[nodes], nodes, [nodes, nodes]]))
        else:
            made = sil.Solution(nodes, flags)
        repr(made), made.routes(), made.num_routes
        found = made.check(problem)
        if found != made.check(problem) or (not found) != made.is_feasible(problem):
            raise WrongError("the check differs from itself")
        visited = sorted(made.nodes.tolist())
        if not found and visited != [*range(int(kind == "CVRP"), 5)]:
            raise WrongError(f"the check accepts {visited}")
        made.cost(problem)
        sil.solve(problem, sil.MaxIterations(1), start=made, threads=1)

    return Case("a solution of anything", Expect.EITHER, call=call)


def stop(rng: random.Random) -> Case:
    """Stop by an odd criterion: an error, or it must end."""
    name = rng.choice(["MaxRuntime", "MaxIterations", "NoImprovement", "TargetCost"])
    value = rng.choice(_NUMBERS + _NOT_NUMBERS)
    is_number = not any(value is other for other in _NOT_NUMBERS)
    fails = is_number and (
        str(value) == "nan"
        or (name != "TargetCost" and value < 0)
        or (name == "NoImprovement" and value < 1)
    )
    expect = Expect.FAIL if fails else Expect.EITHER

    def call() -> None:
        import sil

        criterion = getattr(sil, name)(value)
        problem = sil.generate_tsp(20, 1)
        if name == "MaxIterations" and value < 10:
            # Nothing else stops it.
            result = sil.solve(problem, criterion, threads=1)
            if result.num_iterations > max(value, 0):
                raise WrongError(f"{result.num_iterations} rounds")
        sil.solve(problem, criterion | sil.MaxRuntime(0.05), threads=1)

    allowed = () if is_number else (TypeError, ValueError)
    return Case(f"{name}({str(value)[:20]})", expect, call=call, allowed=allowed)


def _bad_start(rng: random.Random) -> tuple[str, Any]:
    """Draw a function like a start that gives rubbish."""

    def returns(nodes: Callable[[int], Any]) -> Callable[..., Any]:
        def build(problem: Any, seed: int, interrupt: Any) -> Any:
            import sil

            sequence = nodes(problem.dimension)
            flags = None if problem.kind == "TSP" else [True] + [one_each] * (len(sequence) - 1)
            return sil.Solution(sequence, flags)

        return build

    def raises(problem: Any, seed: int, interrupt: Any) -> Any:
        raise OwnError

    one_each = rng.random() < 0.5
    choices: dict[str, Any] = {
        "raises": raises,
        "gives nothing": lambda problem, seed, interrupt: None,
        "gives a list": lambda problem, seed, interrupt: [0, 1, 2],
        "gives doubles": returns(lambda n: [1] * n),
        "gives one double": returns(lambda n: [*range(1, n), 1]),
        "gives nodes out of range": returns(lambda n: [*range(n + 99, 2 * n + 99)]),
        "gives negative nodes": returns(lambda n: [*range(-n, 0)]),
        "gives too few": returns(lambda n: [1, 2]),
        "gives too many": returns(lambda n: [*range(1, 3 * n)]),
        "takes nothing": lambda: None,
    }
    name = rng.choice([*choices])
    return name, choices[name]


def start(rng: random.Random) -> Case:
    """Start from rubbish, which must be told."""
    name, function = _bad_start(rng)
    return Case(
        f"a start that {name}", Expect.FAIL, call=solving(rng, start=function),
        allowed=(OwnError, TypeError) if name in ("raises", "takes nothing") else (),
    )  # fmt: skip


def reconstructor(rng: random.Random) -> Case:
    """Let a reconstructor of the caller's own return rubbish, which must be told."""
    how, function = _bad_start(rng)

    class Bad:
        name = rng.choice(["bad", "[red]", "\x1b"])

        def improve(self, problem: Any, solution: Any, this: Any) -> Any:
            return function(problem, 0, this.interrupt)

    allowed = (OwnError, TypeError) if how in ("raises", "takes nothing") else ()
    return Case(
        f"a reconstructor that {how}", Expect.FAIL, call=solving(rng, reconstructors=[Bad()]),
        allowed=allowed,
    )  # fmt: skip


def callback(rng: random.Random) -> Case:
    """Let the caller's own functions raise: the same error must come back."""
    own = rng.choice([OwnError, KeyError, RuntimeError, ZeroDivisionError])

    def fail(*given: Any) -> Any:
        raise own

    where = rng.choice(["callback", "stop"])
    options = {"callback": fail} if where == "callback" else {"stop": fail}
    return Case(f"a {where} that raises", Expect.FAIL, call=solving(rng, **options), allowed=(own,))


def options(rng: random.Random) -> Case:
    """Give `solve` odd options."""
    option = rng.choice(["seed", "threads", "start", "reconstructors", "stop", "interrupt"])
    bad: dict[str, list[Any]] = {
        "seed": [-1, 1.5, "x", float("nan"), [], -(2**70)],
        "threads": [-1, 1025, 2**31, 2**63, 1.5, "2", float("nan"), 10**30, -(2**31)],
        "start": ["x", "", "sweep", 5, [], b"greedy"],
        "reconstructors": [5, "search", [None], [5], ["search"]],
        "stop": [5, "x", None],
        "interrupt": [5, "x"],
    }
    value = rng.choice(bad[option])
    call = solving(random.Random(1), kind="TSP", **{option: value})
    typed = not isinstance(value, (int, float)) or option not in ("seed", "threads")
    # An object of another kind altogether may be a TypeError.
    allowed = (TypeError, AttributeError) if typed or isinstance(value, float) else ()
    return Case(f"solve({option}={str(value)[:20]})", Expect.FAIL, call=call, allowed=allowed)


def solving(rng: random.Random, kind: str = "", **options: Any) -> Callable[[], None]:
    which = kind or rng.choice(["TSP", "CVRP"])
    size = rng.choice([20, 200])

    def call() -> None:
        import sil

        problem = sil.generate_tsp(size, 1) if which == "TSP" else sil.generate_cvrp(size, 1)
        given = {"stop": sil.MaxIterations(3), "threads": 1, **options}
        result = sil.solve(problem, **given)
        if result.best.check(problem):
            raise WrongError("the result is not valid")

    return call


def generate(rng: random.Random) -> Case:
    """Generate, construct, load and draw by odd arguments."""
    value = rng.choice([v for v in _NUMBERS if not (isinstance(v, int) and 2**30 < v < 2**60)])
    size = rng.choice([0, -1, 10**15, 2**62, float("nan"), 1.5, 10**30])
    name = rng.choice([*NAMES])

    def call() -> object:
        import sil

        return [
            lambda: sil.generate_tsp(size),
            lambda: sil.generate_cvrp(size),
            lambda: sil.generate_tsp(9, value),
            lambda: sil.generate_cvrp(9, capacity=value),
            lambda: sil.generate_tsp(9, distribution=rng.choice(["x", None, 5])),
            lambda: sil.construct(sil.generate_tsp(9), rng.choice(["x", "", "sweep", None, 5])),
            lambda: sil.construct(sil.generate_tsp(9), "insertion", value),
            lambda: sil.ExactReconstructor(value),
            lambda: sil.PolicyReconstructor(sil.NativePolicy.load(sil.generate_tsp(9)), value),
            lambda: sil.NativePolicy.load(sil.generate_tsp(9), rng.choice(["x", "", Path("x")])),
            lambda: sil.read(
                rng.choice(["", "x", "x.npz", "x" * 300 + ".npz", "a\x00b.npz", Path()])
            ),
            lambda: sil.write(
                rng.choice(["", "x", "missing/x.npz", "a\x00.npz"]), sil.generate_tsp(9)
            ),
            lambda: _drawn(sil.Problem(np.eye(5, 2), name=name)),
        ][which]()

    which = rng.randrange(13)
    return Case(
        f"odd call {which}",
        Expect.EITHER,
        call=call,
        allowed=(TypeError,) if which in (4, 5) else (),
    )


def _drawn(problem: Any) -> None:
    import sil

    axes = sil.plot_problem(problem)
    axes.figure.canvas.draw()
    axes = sil.plot_solution(sil.construct(problem, "curve"), problem)
    axes.figure.canvas.draw()


GENERATORS = [
    Generator("calls: problems", problem, 3),
    Generator("calls: solutions", solution, 2),
    Generator("calls: stops", stop, 1.5),
    Generator("calls: starts", start, 1),
    Generator("calls: reconstructors", reconstructor, 1),
    Generator("calls: callbacks", callback, 0.5),
    Generator("calls: options", options, 1),
    Generator("calls: others", generate, 2),
]
