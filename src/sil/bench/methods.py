"""All methods by name."""

from sil.bench.method import Method
from sil.bench.ours import OURS
from sil.bench.peers import PEERS
from sil.errors import InputError

METHODS: dict[str, Method] = {method.name: method for method in (*OURS, *PEERS)}


def method_named(name: str) -> Method:
    """Look up a method."""
    if name not in METHODS:
        raise InputError(f"unknown method {name!r}: choose from {', '.join(METHODS)}")
    return METHODS[name]
