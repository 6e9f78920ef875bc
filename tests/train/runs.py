"""A run so small that it takes a second or two."""

from sil.train.config import TrainConfig, parse_config
from sil.train.display import Display

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
{warm_up}
[optimiser]
batch = 32
schedule = "cosine"
average = 0.9

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


def toml(kind: str = "TSP", begin: str = "warm-up") -> str:
    warm_up = WARM_UP if begin == "warm-up" else ""
    return TOML.format(kind=kind, begin=begin, warm_up=warm_up)


def small_config(kind: str = "TSP", begin: str = "warm-up") -> TrainConfig:
    return parse_config(toml(kind, begin))


class Recorded(Display):
    """Keeps what it is told, and calls `on_status` with the number of each status."""

    def __init__(self, on_status=lambda number: None) -> None:
        self.rows, self.said, self.statuses = [], [], []
        self.on_status = on_status

    def status(self, doing, done=None, details=""):
        self.statuses.append(doing)
        self.on_status(len(self.statuses))

    def row(self, values):
        self.rows.append(values)

    def say(self, text):
        self.said.append(text)
