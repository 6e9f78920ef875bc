"""Solve travelling-salesman and vehicle-routing problems with up to a million nodes."""

from importlib.metadata import version as _version

__version__ = _version("sil-routing")
