"""Dataclasses from nested values, as TOML and JSON give them; errors name the place."""

from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from sil.errors import InputError, excerpt

T = TypeVar("T")


def from_values(kind: type[T], values: Any) -> T:
    """Make a dataclass from nested values; each must have exactly the type of its field.

    Parameters
    ----------
    kind
        The dataclass; its fields may in turn be dataclasses, tuples and dicts.
    values
        The values as `dataclasses.asdict` gives them; unknown names are errors.
    """
    built: T = _built_dataclass(kind, values, "")
    return built


def convert_fields(settings: Any) -> None:
    """Convert each field of a new dataclass to exactly its type, or raise an error."""
    hints = get_type_hints(type(settings))
    for each in fields(settings):
        value = _built(hints[each.name], getattr(settings, each.name), each.name)
        object.__setattr__(settings, each.name, value)


def _built(kind: Any, value: Any, where: str) -> Any:
    """Make a value of the annotated type; `where` names it in errors."""
    if is_dataclass(kind) and isinstance(kind, type):
        return value if isinstance(value, kind) else _built_dataclass(kind, value, where)
    if get_args(kind):
        return _built_generic(kind, value, where)
    if issubclass(kind, StrEnum):
        if not isinstance(value, str) or value not in list(kind):
            raise InputError(f"{where} is {excerpt(value)}: choose from {', '.join(kind)}")
        return kind(value)
    if kind is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    if type(value) is not kind:
        raise InputError(f"{where} is {excerpt(value)}: it must be of type {kind.__name__}")
    return value


def _built_generic(kind: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        if not isinstance(value, str) or value not in inner:
            raise InputError(f"{where} is {excerpt(value)}: choose from {', '.join(inner)}")
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{where} is {excerpt(value)}: it must be a list")
        return tuple(_built(inner[0], entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise InputError(f"{where} is {excerpt(value)}: it must be a table")
        return {key: _built(inner[1], entry, f"{where}.{key}") for key, entry in value.items()}
    # Only a union with None is left.
    return None if value is None else _built(inner[0], value, where)


def _built_dataclass(kind: type, value: Any, where: str) -> Any:
    prefix = f"{where}." if where else ""
    if not isinstance(value, dict):
        raise InputError(f"{where or 'a configuration'} is {excerpt(value)}: it must be a table")
    known = {each.name: each for each in fields(kind)}
    if unknown := sorted(value.keys() - known.keys(), key=str):
        raise InputError(
            f"unknown: {', '.join(prefix + str(name) for name in unknown)}; "
            f"{where or 'a configuration'} has {', '.join(known)}"
        )
    required = {
        n for n, f in known.items() if f.default is MISSING and f.default_factory is MISSING
    }
    if missing := sorted(required - value.keys()):
        raise InputError(f"missing: {', '.join(prefix + name for name in missing)}")
    hints = get_type_hints(kind)
    values = {name: _built(hints[name], entry, prefix + name) for name, entry in value.items()}
    try:
        return kind(**values)
    except InputError as error:
        raise InputError(f"{where}: {error}" if where else str(error)) from error
