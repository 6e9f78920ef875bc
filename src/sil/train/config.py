"""What a training run does: read from TOML, unknown keys are errors."""

import tomllib
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from sil.errors import InputError
from sil.generate import Distribution
from sil.policy.config import Attention, PolicyConfig
from sil.segments import SHORTEST


class Begin(StrEnum):
    """Where the first labels come from.

    WARM_UP: from the policy itself, after reinforcement learning on small instances (the paper).
    INSERTION: from random insertion (its successor).
    """

    WARM_UP = "warm-up"
    INSERTION = "insertion"


class Schedule(StrEnum):
    """How the learning rate falls over a stage: by a factor an epoch, or as half a cosine."""

    DECAY = "decay"
    COSINE = "cosine"


class Score(StrEnum):
    """What the best policy is chosen by: the gap of greedy construction, or that after PRC."""

    GREEDY = "greedy"
    PRC = "prc"


@dataclass(frozen=True)
class WarmUp:
    """Policy gradient with a shared baseline (paper, appendix Warm Up Stage).

    Parameters
    ----------
    steps
        Updates of the weights.
    nodes
        Size of the instances.
    batch
        Instances a step.
    starts
        Solutions of each, from as many nodes; their mean is the baseline.
    rate
        Learning rate.
    capacity
        For CVRP.
    """

    steps: int
    nodes: int = 20
    batch: int = 64
    starts: int = 20
    rate: float = 1e-4
    capacity: int = 30

    def __post_init__(self) -> None:
        _require_positive(self, "steps", "nodes", "batch", "starts", "rate", "capacity")
        if not self.nodes >= SHORTEST or not 2 <= self.starts <= self.nodes:
            raise InputError("the warm-up needs 4 nodes and from 2 to as many starts as nodes")


@dataclass(frozen=True)
class Optimiser:
    """How the weights are fitted to the labels (paper, appendix Hyperparameters).

    Parameters
    ----------
    batch
        States a step, in each process.
    schedule
        Of the learning rate over a stage.
    decay
        Factor of the rate an epoch, for the schedule of that name.
    ramp
        Steps over which the rate of a stage rises from nothing.
    weight_decay
        Pull of the weights towards zero.
    clip
        Largest norm of a gradient.
    average
        The policy is the weights averaged over steps, each with this share of the next one's
        part: 0.998 averages over about the last 500, 0 takes the last alone.
    """

    batch: int = 256
    schedule: Schedule = Schedule.DECAY
    decay: float = 0.97
    ramp: int = 0
    weight_decay: float = 0.0
    clip: float = 1.0
    average: float = 0.0

    def __post_init__(self) -> None:
        _require_positive(self, "batch", "decay", "clip")
        for name in ("ramp", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} is {getattr(self, name)}: it must not be negative")
        if not 0 <= self.average < 1:
            raise InputError("average must be at least 0 and less than 1")


@dataclass(frozen=True)
class Stage:
    """Episodes at one size; the next stage goes on from the best policy of this one.

    Parameters
    ----------
    nodes
        Size of the instances.
    instances
        How many there are in the pool.
    episodes
        Cycles of improving the labels and training on them, at most.
    epochs
        Passes in each of which the policy is validated.
    states
        Decoding states an epoch, over all processes.
    improve
        Rounds of each reconstructor, in this order, on every instance in every episode.
    rate
        Learning rate at the beginning.
    longest
        The paper's l_max, for improving, training and validating.
    validation
        Instances to validate on.
    patience
        Episodes without a better policy after which the stage ends.
    distributions
        Weights of the ways in which nodes are spread.
    capacities
        For CVRP, drawn from these; by default that of the paper for this size.
    own
        Share of the states that the policy itself has come to, with labels by search.
    candidates
        Of the states to learn from, if fewer than the policy will look at: they are quicker.
    """

    nodes: int
    instances: int
    episodes: int
    epochs: int
    states: int
    improve: dict[str, int]
    rate: float = 1e-4
    longest: int = 1_000
    validation: int = 16
    patience: int = 3
    distributions: dict[str, float] | None = None
    capacities: tuple[int, ...] = ()
    own: float = 0.0
    candidates: int | None = None

    def __post_init__(self) -> None:
        _require_positive(
            self, "instances", "episodes", "epochs", "states", "rate", "validation", "patience"
        )
        if not 0 <= self.own <= 1:
            raise InputError(f"own is a share, from 0 to 1, not {self.own}")
        if min(self.nodes, self.longest) < SHORTEST:
            raise InputError(f"nodes and longest must be at least {SHORTEST}")
        for name, rounds in self.improve.items():
            if name not in ("policy", "search") or rounds < 1:
                raise InputError(f"improve takes rounds of policy and search, not {name}={rounds}")
        weights = {Distribution(name): w for name, w in (self.distributions or {}).items()}
        if weights and (min(weights.values()) < 0 or not sum(weights.values()) > 0):
            raise InputError("the weights of distributions must be positive")


@dataclass(frozen=True)
class TrainConfig:
    """A whole run of self-improved training (paper, section Self-Improved Training).

    Parameters
    ----------
    policy
        The network.
    stages
        Its curriculum.
    optimiser
        How it is fitted.
    begin
        Where the first labels come from.
    warm_up
        Needed to begin with it.
    weights
        Go on from these: the name of shipped ones, or a file; by default from nothing.
    select
        What the best policy is chosen by.
    seed
        Equal seeds give equal runs, on one thread.
    """

    policy: PolicyConfig
    stages: tuple[Stage, ...]
    optimiser: Optimiser = field(default_factory=Optimiser)
    begin: Begin = Begin.INSERTION
    warm_up: WarmUp | None = None
    weights: str | None = None
    select: Score = Score.PRC
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.stages:
            raise InputError("at least one stage is needed")
        if (self.begin is Begin.WARM_UP) != (self.warm_up is not None):
            raise InputError('begin = "warm-up" and the table [warm_up] go together')
        if self.weights is not None and self.warm_up is not None:
            raise InputError("a policy that goes on from given weights needs no warm-up")
        if self.policy.attention is not Attention.LINEAR:
            raise InputError("full attention is for comparison: only linear attention is trained")
        for stage in self.stages:
            self.policy_in(stage)  # which raises an error if it cannot be

    def policy_in(self, stage: Stage) -> PolicyConfig:
        """Shape of the policy as it sees the states of a stage; the weights fit any candidates."""
        candidates = self.policy.candidates if stage.candidates is None else stage.candidates
        return replace(self.policy, candidates=candidates, reach=1.0)

    def differences(self, other: "TrainConfig") -> list[str]:
        """Name each setting that differs, as ``name: this one, that one``."""
        here, there = _flat(asdict(self)), _flat(asdict(other))
        return [
            f"{name}: {here.get(name)}, now {there.get(name)}"
            for name in sorted(here.keys() | there.keys())
            if here.get(name) != there.get(name)
        ]


def shipped_configs() -> list[str]:
    """Name the configurations that come with the package."""
    folder = files("sil.train") / "configs"
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def config_text(name: str) -> str:
    """Read a configuration: a shipped one by its name, or a file."""
    if name in shipped_configs():
        return (files("sil.train") / "configs" / f"{name}.toml").read_text(encoding="utf-8")
    path = Path(name)
    if not path.is_file():
        raise InputError(
            f"{name}: there is no such file, and the shipped configurations are "
            f"{', '.join(shipped_configs())}"
        )
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def load_config(name: str) -> TrainConfig:
    """Load a shipped configuration by its name, or one from a file."""
    try:
        return parse_config(config_text(name))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def parse_config(text: str) -> TrainConfig:
    """Make a configuration of TOML text."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is not TOML: {error}") from error
    return config_of(values)


def config_of(values: dict[str, Any]) -> TrainConfig:
    """Make a configuration of nested values, as `asdict` gives them."""
    built = _built(TrainConfig, values, "")
    assert isinstance(built, TrainConfig)
    return built


def _built(kind: Any, value: Any, where: str) -> Any:
    """Make a value of the annotated kind; `where` names it in errors."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _built_dataclass(kind, value, where)
    if get_args(kind):
        return _built_generic(kind, value, where)
    if issubclass(kind, StrEnum):
        if value not in list(kind):
            raise InputError(f"{where} is {value!r}: choose from {', '.join(kind)}")
        return kind(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise InputError(f"{where} is {value!r}: it must be of type {kind.__name__}")
    return value


def _built_generic(kind: Any, value: Any, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        if value not in inner:
            raise InputError(f"{where} is {value!r}: choose from {', '.join(inner)}")
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{where} is {value!r}: it must be a list")
        return tuple(_built(inner[0], entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise InputError(f"{where} is {value!r}: it must be a table")
        return {key: _built(inner[1], entry, f"{where}.{key}") for key, entry in value.items()}
    # What is left is a union with None.
    return None if value is None else _built(inner[0], value, where)


def _built_dataclass(kind: type, value: Any, where: str) -> Any:
    prefix = f"{where}." if where else ""
    if not isinstance(value, dict):
        raise InputError(f"{where} must be a table")
    known = {each.name: each for each in fields(kind)}
    if unknown := sorted(value.keys() - known.keys()):
        raise InputError(
            f"unknown: {', '.join(prefix + name for name in unknown)}; "
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
    except (InputError, ValueError) as error:
        raise InputError(f"{where}: {error}" if where else str(error)) from error


def _flat(values: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(values, (list, tuple)):
        values = dict(enumerate(values))
    if not isinstance(values, dict):
        return {prefix: values}
    flat: dict[str, Any] = {}
    if values and all(isinstance(value, (int, float)) for value in values.values()):
        # Of a table of numbers the order counts: reconstructors work one after the other.
        flat[f"order of {prefix}"] = ", ".join(map(str, values))
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}.{key}" if prefix else str(key))
    return flat


def _require_positive(settings: Any, *names: str) -> None:
    for name in names:
        if not getattr(settings, name) > 0:
            raise InputError(f"{name} is {getattr(settings, name)}: it must be positive")
