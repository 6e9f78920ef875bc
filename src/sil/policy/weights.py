"""Weights as a .safetensors file, with the configuration in a .json file of the same name."""

import zlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError, excerpt
from sil.io.atomic import replacing
from sil.policy.config import Attention, PolicyConfig, require_kind
from sil.policy.tensors import read_tensors, require_finite, require_shapes

Weights = dict[str, NDArray[np.float32]]
_LONGEST_JSON = 2**16


def save(path: Path, config: PolicyConfig, weights: Mapping[str, NDArray[Any]]) -> None:
    """Write the weights to `path` and the configuration next to it."""
    from safetensors.numpy import save as serialised

    if path.suffix != ".safetensors":
        raise InputError(f"{path}: weights are written as .safetensors")
    with np.errstate(over="ignore"):  # values that are too large are found below
        arrays = {name: np.ascontiguousarray(a, dtype=np.float32) for name, a in weights.items()}
    require_shapes(path, shapes(config), {name: array.shape for name, array in arrays.items()})
    for name, array in arrays.items():
        require_finite(path, name, array)
    # The configuration first, so that weights never exist without one.
    with replacing(path.with_suffix(".json")) as temporary:
        temporary.write_text(config.to_json() + "\n", encoding="utf-8")
    with replacing(path) as temporary:
        temporary.write_bytes(serialised(arrays))


def load(path: Path) -> tuple[PolicyConfig, Weights]:
    """Read weights and their configuration, which must match."""
    if not path.name:
        raise InputError(f"{path}: this is not a weights file")
    beside = path.with_suffix(".json")
    try:
        for file in (path, beside):
            if not file.is_file():
                raise InputError("there is no such file")
        file = beside
        if file.stat().st_size > _LONGEST_JSON:
            raise InputError("this is not the JSON of a policy: it is too long")
        config = PolicyConfig.from_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
    return config, read_tensors(path, shapes(config))


def pretrained(problem: str, name: str = "fast") -> tuple[PolicyConfig, Weights]:
    """Load weights that ship with the package."""
    require_kind(problem)
    with as_file(files("sil.policy") / "pretrained") as folder:
        shipped = sorted({path.stem.rpartition("-")[0] for path in folder.glob("*-*.safetensors")})
        if not isinstance(name, str) or name not in shipped:
            raise InputError(
                f"no weights {excerpt(name)} are shipped: choose from {', '.join(shipped)}"
            )
        return load(folder / f"{name}-{problem.lower()}.safetensors")


def load_or_pretrained(problem: str, source: Path | str) -> tuple[PolicyConfig, Weights]:
    """Load a weights file or, by a name without file extension, shipped weights.

    Parameters
    ----------
    problem
        The problem type, ``"TSP"`` or ``"CVRP"``. Weights for the other type are refused.
    source
        The file, or the name of shipped weights.
    """
    if isinstance(source, str) and not source.endswith(".safetensors"):
        return pretrained(problem, source)
    if not isinstance(source, (str, Path)):
        raise InputError(f"weights are a file or a name, not {excerpt(source)}")
    config, weights = load(Path(source))
    if config.problem != problem:
        raise InputError(
            f"{source}: these weights are for {config.problem}, the problem is a {problem}: "
            f"use weights trained for {problem}, or leave them out to use the shipped ones"
        )
    return config, weights


@cache
def pretrained_checksum() -> str:
    """Checksum of the shipped weights, to distinguish their releases."""
    checksum = 0
    with as_file(files("sil.policy") / "pretrained") as folder:
        for path in sorted([*folder.glob("*.safetensors"), *folder.glob("*.json")]):
            checksum = zlib.crc32(path.read_bytes(), checksum)
    return f"{checksum:08x}"


def shapes(config: PolicyConfig) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight by name, (outputs, inputs) as in PyTorch."""
    d, ff, joined = config.dim, config.feed_forward, config.dim + config.num_context
    expected: dict[str, tuple[int, ...]] = {
        "encoder.weight": (d, config.num_features),
        "encoder.bias": (d,),
        "from_destination.weight": (d, joined),
        "from_start.weight": ((config.representatives - 1) * d, joined),
        "score.weight": (config.num_actions, d),
    }
    parts = ("aggregate", "broadcast") if config.attention is Attention.LINEAR else ("layer",)
    for layer in range(config.layers):
        for part in parts:
            prefix = f"modules_.{layer}.{part}"
            for name in ("query", "key", "value", "out"):
                expected[f"{prefix}.attention.{name}.weight"] = (d, d)
            expected[f"{prefix}.widen.weight"] = (ff, d)
            expected[f"{prefix}.widen.bias"] = (ff,)
            expected[f"{prefix}.narrow.weight"] = (d, ff)
            expected[f"{prefix}.narrow.bias"] = (d,)
    return expected
