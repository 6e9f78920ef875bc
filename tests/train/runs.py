"""Runs so small that they take a second or two, and how to compare them."""

import csv
from pathlib import Path

import torch

from sil.train.checkpoint import Checkpoint
from sil.train.config import TrainConfig, parse_config
from sil.train.display import Display
from sil.train.log import LogRow

TOML = """
seed = 3
begin = "{begin}"

[policy]
problem = "{kind}"
dim = 16
layers = 1
heads = 2
feed_forward = 32
candidates = 8
frame = "step"
normalised = true
{warm_up}
[optimiser]
batch = 32
schedule = "cosine"
average = 0.9
muon = 2

[[stages]]
nodes = 24
instances = 6
episodes = 2
epochs = 2
states = 160
improve = {{ policy = 3, search = 1 }}
rate = 3e-3
longest = 20
validation = 2
own = 0.5
candidates = 5

[[stages]]
nodes = 40
instances = 4
episodes = 1
epochs = 1
states = 96
improve = {{ policy = 2 }}
rate = 1e-3
longest = 30
validation = 2
"""
WARM_UP = """
[warm_up]
steps = 4
nodes = 8
batch = 2
starts = 4
rate = 1e-3
"""
ROW = LogRow(
    stage=1, nodes=1000, episode=2, epoch=3, steps=40, seconds=12.3, states_per_second=1234,
    loss=0.1234, accuracy=0.9512, label_gap=1.0, greedy_gap=9.87, prc_gap=3.21, best=True,
    rollbacks=0,
)  # fmt: skip
_TIMES = ("seconds", "states_per_second")


def toml(kind: str = "TSP", begin: str = "warm-up") -> str:
    warm_up = WARM_UP if begin == "warm-up" else ""
    return TOML.format(kind=kind, begin=begin, warm_up=warm_up)


def small_config(kind: str = "TSP", begin: str = "warm-up") -> TrainConfig:
    return parse_config(toml(kind, begin))


def log_without_times(folder: Path) -> list[dict[str, str]]:
    """Read the log as text, without the columns that differ from run to run."""
    with (folder / "log.csv").open(newline="") as file:
        return [
            {name: value for name, value in row.items() if name not in _TIMES}
            for row in csv.DictReader(file)
        ]


def assert_same_run(one: Path, other: Path) -> None:
    """Both runs have finished, with the same log and the same weights."""
    assert log_without_times(one) == log_without_times(other)
    ours, theirs = (Checkpoint.load(folder / "checkpoint.pt") for folder in (one, other))
    assert ours.progress.stage == theirs.progress.stage == 2
    for name, weights in ours.fitter["policy"].items():
        assert torch.equal(weights, theirs.fitter["policy"][name])
    best = [(folder / "best.safetensors").read_bytes() for folder in (one, other)]
    assert best[0] == best[1]


class CrashError(Exception):
    """Stands for whatever may end a run."""


class Recorded(Display):
    """Keeps what it is told, and calls `on_status` with the number of each status."""

    def __init__(self, on_status=lambda number: None) -> None:
        self.rows, self.said, self.statuses = [], [], []
        self.on_status = on_status

    def status(self, doing, done=None, details=""):
        self.statuses.append(doing)
        self.on_status(len(self.statuses))

    def row(self, row):
        self.rows.append(row)

    def say(self, text):
        self.said.append(text)
