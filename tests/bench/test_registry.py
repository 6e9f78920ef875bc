import pytest

from sil import generate_tsp
from sil.bench.method_name import MethodName
from sil.bench.registry import SOLVERS, solver_named
from sil.errors import InputError


def test_every_solver_is_found_by_its_name():
    for name, solver in SOLVERS.items():
        assert solver.name == name
        assert solver_named(MethodName.parse(name)) is solver
    assert SOLVERS["auto"].timed
    assert not SOLVERS["greedy"].timed


def test_only_our_methods_take_weights():
    found = solver_named(MethodName.parse("PRC10@/nowhere/w.safetensors"))
    assert found.name == "PRC10"
    assert "no such file" in found.missing(generate_tsp(30))
    with pytest.raises(InputError, match="PyVRP takes no weights"):
        solver_named(MethodName.parse("PyVRP@w"))


def test_an_unknown_name_is_an_error_that_lists_the_known_ones():
    with pytest.raises(InputError, match=r"unknown method 'x'.*auto"):
        solver_named(MethodName("x"))
