"""Weights as .safetensors with the configuration as .json beside it; needs no PyTorch."""

import zlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sil.errors import InputError
from sil.io.atomic import replacing
from sil.policy.config import Attention, PolicyConfig

Weights = dict[str, NDArray[np.float32]]


def save(path: Path, config: PolicyConfig, weights: Mapping[str, NDArray[Any]]) -> None:
    """Write the weights to `path` and the configuration beside it."""
    from safetensors.numpy import save as serialised

    if path.suffix != ".safetensors":
        raise InputError(f"{path}: weights are written as .safetensors")
    arrays = {name: np.ascontiguousarray(a, dtype=np.float32) for name, a in weights.items()}
    _require_shapes(path, config, arrays)
    with replacing(path) as temporary:
        temporary.write_bytes(serialised(arrays))
    with replacing(path.with_suffix(".json")) as temporary:
        temporary.write_text(config.to_json() + "\n", encoding="utf-8")


def load(path: Path) -> tuple[PolicyConfig, Weights]:
    """Read weights and their configuration; a mismatch is an error."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    beside = path.with_suffix(".json")
    for file in (path, beside):
        if not file.is_file():
            raise InputError(f"{file}: there is no such file")
    try:
        config = PolicyConfig.from_json(beside.read_text(encoding="utf-8"))
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{beside}: {error}") from error
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path}: cannot be read as weights: {error}") from error
    _require_shapes(path, config, weights)
    return config, weights


def pretrained(problem: str, name: str = "fast") -> tuple[PolicyConfig, Weights]:
    """Load weights that come with the package."""
    with as_file(files("sil.policy") / "pretrained") as folder:
        shipped = sorted({path.stem.rpartition("-")[0] for path in folder.glob("*.safetensors")})
        if name not in shipped:
            raise InputError(f"no weights {name!r} are shipped: there are {', '.join(shipped)}")
        return load(folder / f"{name}-{problem.lower()}.safetensors")


def load_or_pretrained(problem: str, source: Path | str) -> tuple[PolicyConfig, Weights]:
    """Load a file of weights or, by a name without suffix, those that come with the package."""
    if isinstance(source, Path) or source.endswith(".safetensors"):
        return load(Path(source))
    return pretrained(problem, source)


@cache
def pretrained_checksum() -> str:
    """Sum up the weights that come with the package, to tell one release of them from another."""
    checksum = 0
    with as_file(files("sil.policy") / "pretrained") as folder:
        for path in sorted([*folder.glob("*.safetensors"), *folder.glob("*.json")]):
            checksum = zlib.crc32(path.read_bytes(), checksum)
    return f"{checksum:08x}"


def shapes(config: PolicyConfig) -> dict[str, tuple[int, ...]]:
    """Name every weight of a policy and its shape, (outputs, inputs) as in PyTorch."""
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


def _require_shapes(path: Path, config: PolicyConfig, weights: Mapping[str, Any]) -> None:
    expected = shapes(config)
    for name in sorted(set(expected) | set(weights)):
        found = tuple(weights[name].shape) if name in weights else None
        if found != expected.get(name):
            raise InputError(
                f"{path}: the weights do not fit their configuration: {name} is "
                f"{found or 'missing'}, expected {expected.get(name) or 'none of that name'}"
            )
