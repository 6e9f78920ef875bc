"""All methods by name."""

from pathlib import Path

from sil.bench.method import Method
from sil.bench.ours import OURS, Ours
from sil.bench.peers import PEERS
from sil.bench.step import STEPS
from sil.errors import InputError

METHODS: dict[str, Method] = {method.name: method for method in (*OURS, *PEERS, *STEPS)}


def parts_of_name(name: str) -> tuple[str, str, str]:
    """Split the name of a method into its plain name, a file of weights and the file's content."""
    plain, _, file = name.partition("@")
    path, mark, content = file.rpartition("?")
    return plain, path if mark else file, content if mark else ""


def method_named(name: str) -> Method:
    """Look up a method.

    Ours may be followed by ``@`` and a file of weights, and that by ``?`` and whatever tells one
    content of the file from another.
    """
    plain, weights, _ = parts_of_name(name)
    if plain not in METHODS:
        raise InputError(f"unknown method {plain!r}: choose from {', '.join(METHODS)}")
    method = METHODS[plain]
    if not weights:
        return method
    if not isinstance(method, Ours):
        raise InputError(f"{plain} has no weights")
    return method.using(name, Path(weights))
