"""Optional Python packages: whether they are installed, and in which version."""

import importlib.util
from importlib import metadata


def package_version(name: str) -> str:
    """Name an installed package and its version."""
    return f"{name} {metadata.version(name)}"


def missing_package(name: str) -> str | None:
    """Return the reason if a package cannot be used; None if it is installed."""
    if importlib.util.find_spec(name) is None:
        return f"the package {name} is not installed"
    return None
