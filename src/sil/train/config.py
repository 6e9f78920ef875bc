"""What a training run does, read from TOML; unknown keys are errors."""

import tomllib
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any

from sil.errors import InputError, excerpt
from sil.generate import Distribution
from sil.policy.config import Attention, PolicyConfig
from sil.reconstruct.cut import SHORTEST
from sil.train.edge_config import EdgeConfig
from sil.train.from_values import convert_fields, from_values

# Limits far beyond any sensible run: a larger value is a mistake.
_MANY = 10**12
_MOST_NODES = 10**9  # in all instances together
_MOST_WARM_UP = 10**7  # states per step
_RATES = (1e-12, 10.0)
_SHARE = (0.0, 1.0)
_MOST_DEMAND = 9  # of a generated customer
_LONGEST_TEXT = 2**20


class Begin(StrEnum):
    """Where the first labels come from.

    WARM_UP: from the policy itself, after reinforcement learning on small instances (the paper).
    INSERTION: from random insertion (its successor).
    """

    WARM_UP = "warm-up"
    INSERTION = "insertion"


class Schedule(StrEnum):
    """How the learning rate falls over a stage: by a factor per epoch, or as half a cosine."""

    DECAY = "decay"
    COSINE = "cosine"


class Score(StrEnum):
    """What the best policy is chosen by: the gap of greedy construction, or the gap after PRC."""

    GREEDY = "greedy"
    PRC = "prc"


@dataclass(frozen=True)
class WarmUp:
    """Policy gradient with a shared baseline (paper, appendix Warm Up Stage).

    Parameters
    ----------
    steps
        Number of optimiser steps.
    nodes
        Size of the instances.
    batch
        Instances per step.
    starts
        Solutions per instance, each from another start node; their mean is the baseline.
    rate
        Learning rate.
    capacity
        Vehicle capacity, for CVRP.
    """

    steps: int
    nodes: int = 20
    batch: int = 64
    starts: int = 20
    rate: float = 1e-4
    capacity: int = 30

    def __post_init__(self) -> None:
        convert_fields(self)
        _require_counts(
            self,
            steps=(1, _MANY),
            nodes=(SHORTEST, 100_000),
            batch=(1, 1_000_000),
            starts=(2, 100_000),
            capacity=(_MOST_DEMAND, 2**31 - 1),
        )
        _require_numbers(self, rate=_RATES)
        if self.starts > self.nodes:
            raise InputError(f"starts is {self.starts}: there are only {self.nodes} nodes")
        if self.batch * self.starts * self.nodes > _MOST_WARM_UP:
            raise InputError(
                f"batch, starts and nodes make more than {_MOST_WARM_UP:,} states per step"
            )


@dataclass(frozen=True)
class Optimiser:
    """How the weights are fitted to the labels (paper, appendix Hyperparameters).

    Parameters
    ----------
    batch
        States per step, in each process.
    schedule
        How the learning rate falls over a stage.
    decay
        Factor of the rate per epoch, for the schedule ``decay``.
    ramp
        Steps over which the rate rises from zero at the start of each stage.
    weight_decay
        Weight decay of AdamW.
    clip
        Largest norm of a gradient.
    average
        The policy is an exponential moving average of the weights with this decay per step:
        0.998 averages over about the last 500 steps, 0 takes the last one alone.
    muon
        Fit the matrices of the attention layers by Muon, with this multiple of the learning rate;
        0 fits everything by AdamW. For normalised networks.
    """

    batch: int = 256
    schedule: Schedule = Schedule.DECAY
    decay: float = 0.97
    ramp: int = 0
    weight_decay: float = 0.0
    clip: float = 1.0
    average: float = 0.0
    muon: float = 0.0

    def __post_init__(self) -> None:
        convert_fields(self)
        _require_counts(self, batch=(1, 1_000_000), ramp=(0, _MANY))
        _require_numbers(
            self, decay=(1e-9, 1.0), weight_decay=(0.0, 10.0), clip=(1e-9, 1e9), average=(0.0, 1.0)
        )
        _require_numbers(self, muon=(0.0, 1e6))
        if self.average == 1:
            raise InputError("average is 1: it must be less, or the policy would never change")


@dataclass(frozen=True)
class Stage:
    """Episodes at one size; the next stage starts from the best policy of this one.

    Parameters
    ----------
    nodes
        Size of the instances.
    instances
        Number of instances to train on.
    episodes
        Maximum number of cycles of improving the labels and training on them.
    epochs
        Epochs per episode; the policy is validated after each.
    states
        Decoding states per epoch, over all processes.
    improve
        Rounds of each reconstructor per instance and episode, in this order.
    rate
        Learning rate at the beginning.
    longest
        The paper's l_max, for improving, training and validating.
    validation
        Number of instances to validate on.
    patience
        The stage ends after this many episodes in a row without a better policy.
    distributions
        Weights of the distributions that nodes are drawn from.
    capacities
        For CVRP: the capacity of each instance is drawn from these; by default it is the paper's
        for this size.
    far_depots
        For CVRP: share of the instances whose depot lies outside the square of the customers.
    uneven
        For CVRP: share of the instances in which a few demands are many times the usual one.
    own
        Share of the states that the policy itself has reached, with labels by search.
    candidates
        Number of candidates in training, if fewer than the policy will use: training is faster.
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
    far_depots: float = 0.0
    uneven: float = 0.0
    own: float = 0.0
    candidates: int | None = None

    def __post_init__(self) -> None:
        convert_fields(self)
        _require_counts(
            self,
            nodes=(SHORTEST, 10_000_000),
            instances=(1, _MOST_NODES),
            episodes=(1, _MANY),
            epochs=(1, _MANY),
            states=(1, _MANY),
            longest=(SHORTEST, _MANY),
            validation=(1, _MOST_NODES),
            patience=(1, _MANY),
        )
        _require_numbers(self, rate=_RATES, own=_SHARE, far_depots=_SHARE, uneven=_SHARE)
        if max(self.instances, self.validation) * self.nodes > _MOST_NODES:
            raise InputError(
                f"{max(self.instances, self.validation):,} instances of {self.nodes:,} nodes are "
                f"too many: at most {_MOST_NODES // self.nodes:,} fit into memory"
            )
        for name, rounds in self.improve.items():
            if name not in ("policy", "search"):
                raise InputError(f"improve takes rounds of policy and search, not of {name}")
            _require_count(f"improve.{name}", rounds, 1, _MANY)
        for capacity in self.capacities:
            _require_count("capacities", capacity, _MOST_DEMAND, 2**31 - 1)
        _require_shares(self.distributions or {})


@dataclass(frozen=True)
class TrainConfig:
    """A whole run of self-improved training (paper, section Self-Improved Training).

    Parameters
    ----------
    policy
        The network.
    stages
        The curriculum.
    optimiser
        How the network is fitted.
    begin
        Where the first labels come from.
    warm_up
        The warm-up, if `begin` asks for it.
    weights
        Weights to start from: the name of shipped ones, or a file; by default random ones.
    select
        What the best policy is chosen by.
    seed
        Equal seeds give equal runs, with equal numbers of processes.
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
        convert_fields(self)
        _require_counts(self, seed=(0, 2**63 - 1))
        if not self.stages:
            raise InputError("at least one stage is needed")
        if (self.begin is Begin.WARM_UP) != (self.warm_up is not None):
            raise InputError('begin = "warm-up" and the table [warm_up] must be given together')
        if self.weights is not None and self.warm_up is not None:
            raise InputError("a policy that starts from given weights needs no warm-up")
        if self.policy.attention is not Attention.LINEAR:
            raise InputError("full attention is for comparison only: choose linear attention")
        for stage in self.stages:
            self.policy_in(stage)  # raises an error if it is not possible
            if self.policy.problem == "TSP":
                for name in ("capacities", "far_depots", "uneven"):
                    if getattr(stage, name):
                        raise InputError(f"{name} is for CVRP")

    def policy_in(self, stage: Stage) -> PolicyConfig:
        """Return the policy as trained in a stage; weights fit any number of candidates."""
        candidates = self.policy.candidates if stage.candidates is None else stage.candidates
        return replace(self.policy, candidates=candidates, reach=1.0)


Config = TrainConfig | EdgeConfig


def differences(before: Config, now: Config) -> list[str]:
    """Name each setting that differs, as ``name: before, now that one``."""
    here, there = _flat(asdict(before)), _flat(asdict(now))
    return [
        f"{name}: {here.get(name)}, now {there.get(name)}"
        for name in sorted(here.keys() | there.keys())
        if here.get(name) != there.get(name)
    ]


def shipped_configs() -> list[str]:
    """Return the names of the configurations that come with the package."""
    folder = files("sil.train") / "configs"
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def config_text(name: str) -> str:
    """Read the text of a configuration: a shipped one by name, or a file."""
    if not isinstance(name, str):
        raise InputError(f"a configuration is a name or a file, not {excerpt(name)}")
    if name in shipped_configs():
        return (files("sil.train") / "configs" / f"{name}.toml").read_text(encoding="utf-8")
    path = Path(name)
    try:
        if not path.is_file():
            raise InputError(
                f"{name}: there is no such file, and the shipped configurations are "
                f"{', '.join(shipped_configs())}"
            )
        if path.stat().st_size > _LONGEST_TEXT:
            raise InputError(f"{path}: this file is too long for a configuration")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def load_config(name: str) -> Config:
    """Load a configuration: a shipped one by name, or a file."""
    text = config_text(name)
    try:
        return parse_config(text)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def parse_config(text: str) -> Config:
    """Make a configuration from TOML text."""
    if not isinstance(text, str):
        raise InputError(f"a configuration is read from text, not {excerpt(text)}")
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not TOML: {error}") from error
    return config_of(values)


def config_of(values: dict[str, Any]) -> Config:
    """Make a configuration from nested values, as `asdict` gives them."""
    if isinstance(values, dict) and "learn" in values:
        return from_values(EdgeConfig, values)
    return from_values(TrainConfig, values)


def _flat(values: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(values, (list, tuple)):
        values = dict(enumerate(values))
    if not isinstance(values, dict):
        return {prefix: values}
    flat: dict[str, Any] = {}
    if values and all(isinstance(value, (int, float)) for value in values.values()):
        # The order of a table of numbers matters: reconstructors work one after the other.
        flat[f"order of {prefix}"] = ", ".join(map(str, values))
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}.{key}" if prefix else str(key))
    return flat


def _require_counts(settings: Any, **bounds: tuple[int, int]) -> None:
    for name, (least, most) in bounds.items():
        _require_count(name, getattr(settings, name), least, most)


def _require_count(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InputError(f"{name} is {excerpt(value)}: it must be from {least:,} to {most:,}")


def _require_numbers(settings: Any, **bounds: tuple[float, float]) -> None:
    for name, (least, most) in bounds.items():
        value = getattr(settings, name)
        if not least <= value <= most:  # also refuses NaN
            raise InputError(f"{name} is {excerpt(value)}: it must be from {least:g} to {most:g}")


def _require_shares(distributions: dict[str, float]) -> None:
    for name, share in distributions.items():
        if name not in list(Distribution):
            raise InputError(
                f"distributions has {excerpt(name)}: choose from {', '.join(Distribution)}"
            )
        if not 0 <= share <= 1e9:
            raise InputError(f"distributions.{name} is {excerpt(share)}: it must be from 0 to 1e9")
    if distributions and not sum(distributions.values()) > 0:
        raise InputError("at least one share in distributions must be more than 0")
