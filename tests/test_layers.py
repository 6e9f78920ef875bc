"""The architecture: layers that import only lower ones, no private imports, a test per module."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "sil"
TESTS = ROOT / "tests"
NATIVE = "sil._native"  # below everything

# Lowest first. A module may import what stands above its line here, and itself if it is a package;
# modules on the same line do not import each other.
LAYERS = """
    errors
    validate memory
    seeds threads confined sphere
    metric limits
    problem
    solution
    partial neighbours stop plan units
    degrees describe generate model result
    io
    map
    policy
    construct
    reconstruct
    methods
    solve
    progress plot
    train
    __init__
    bench serve client
    cli
    __main__
"""

# Modules without a test file of their own, and why. Keep this list short.
TESTED_ELSEWHERE = {
    "sil": "tests/test_import.py: it only collects names",
    "sil.__main__": "tests/test_cli.py runs the command through it",
    "sil.bench.peers.elkai": "tests/bench/test_peers.py runs every peer on the same problems",
    "sil.bench.peers.filo2": "tests/bench/test_peers.py, likewise",
    "sil.bench.peers.hgs": "tests/bench/test_peers.py, likewise",
    "sil.bench.peers.hygese": "tests/bench/test_peers.py, likewise",
    "sil.bench.peers.lkh": "tests/bench/test_peers.py, likewise",
    "sil.bench.peers.ortools": "tests/bench/test_peers.py, likewise",
    "sil.bench.peers.pyvrp": "tests/bench/test_peers.py, likewise",
    "sil.serve.backend": "tests/serve/test_dispatcher.py: it is an interface",
    "sil.serve.schema": "tests/serve/test_app.py sends its examples",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}
RANK = {name: rank for rank, line in enumerate(LAYERS.split("\n")) for name in line.split()}


def layer(module: str) -> str:
    """Name the file or folder directly below the package that a module belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(module: str) -> Iterator[tuple[str, str | None, str]]:
    """List imports of this package anywhere in a module, inside functions too.

    Gives the imported module, the name imported from it if any, and the name that it is bound to.
    """
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "sil":
                    yield alias.name, None, alias.asname or "sil"
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: relative imports are not used"
            if (node.module or "").partition(".")[0] != "sil":
                continue
            for alias in node.names:
                bound = alias.asname or alias.name
                inner = f"{node.module}.{alias.name}"
                if inner in FILES or inner == NATIVE:
                    yield inner, None, bound
                else:
                    yield str(node.module), alias.name, bound


def test_every_module_has_a_layer():
    assert {layer(module) for module in FILES} == set(RANK)


@pytest.mark.parametrize("module", FILES)
def test_modules_import_lower_layers_only(module):
    for imported, _, _ in imports(module):
        if imported == NATIVE or layer(imported) == layer(module):
            continue
        assert RANK[layer(imported)] < RANK[layer(module)], f"{module} imports {imported}"


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: {name for name, _, _ in imports(module)} for module in FILES}
    TopologicalSorter(graph).prepare()  # raises CycleError


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("module", FILES)
def test_private_names_stay_in_their_module(module):
    bound = {}
    for imported, name, alias in imports(module):
        assert name is None or not is_private(name), f"{module} imports {name} from {imported}"
        if name is None:
            bound[alias] = imported
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id not in bound or f"sil.{node.attr}" == NATIVE:
                continue
            assert not is_private(node.attr), f"{module} uses {node.value.id}.{node.attr}"


def needs_test(module: str) -> bool:
    """Whether there is anything to test: a package may consist of a docstring."""
    return any(not isinstance(node, ast.Expr) for node in TREES[module].body)


def mirrored_test(module: str) -> Path:
    *folders, last = module.split(".")[1:] or ["sil"]
    return TESTS.joinpath(*folders, f"test_{last.strip('_')}.py")


def test_every_module_has_a_test_file_at_the_mirrored_place():
    missing = {m for m in FILES if needs_test(m) and not mirrored_test(m).is_file()}
    assert missing - set(TESTED_ELSEWHERE) == set(), "write a test file for these modules"
    assert set(TESTED_ELSEWHERE) - missing == set(), "these need no exception any more"
    for module, reason in TESTED_ELSEWHERE.items():
        named = reason.partition(":")[0].partition(" ")[0].rstrip(",")
        assert (ROOT / named).is_file(), f"{module}: there is no {named}"
