"""The paper's claim by itself: a policy that improves its own labels, and no search.

    python -m benchmarks.claim [--out FOLDER]

Four runs at 200 nodes with the preset `fast`: TSP and CVRP, each with first labels by random
insertion and by the policy itself after its warm-up. The same command resumes an interrupted run.
At the end ``claim.png`` and ``claim.md`` show the quality of labels and policy over the episodes.
"""

from pathlib import Path
from typing import Literal

from benchmarks.arguments import RESULTS, new_folder, parser
from sil import train_policy
from sil.io.atomic import replacing
from sil.policy.config import preset
from sil.train.config import Begin, Optimiser, Schedule, Stage, TrainConfig, WarmUp
from sil.train.log import read_log
from sil.train.processes import is_first_process
from sil.train.report import plot_training

RUNS: list[tuple[Literal["TSP", "CVRP"], Begin]] = [
    ("TSP", Begin.INSERTION),
    ("TSP", Begin.WARM_UP),
    ("CVRP", Begin.INSERTION),
    ("CVRP", Begin.WARM_UP),
]
EPISODES = 5


def config_of(problem: Literal["TSP", "CVRP"], begin: Begin) -> TrainConfig:
    stage = Stage(
        nodes=200,
        instances=256,
        episodes=EPISODES,
        epochs=2,
        states=60_000,
        improve={"policy": 12},
        rate=2e-3,
        longest=200,
        validation=32,
        patience=EPISODES,
        candidates=16,
        capacities=(80,) if problem == "CVRP" else (),
    )
    return TrainConfig(
        preset("fast", problem),
        (stage,),
        Optimiser(ramp=50, weight_decay=1e-4, schedule=Schedule.COSINE),
        begin,
        WarmUp(steps=150, batch=16, starts=10, rate=1e-3) if begin is Begin.WARM_UP else None,
    )


def main() -> None:
    command = parser(__doc__)
    command.add_argument(
        "--out", type=new_folder, default=RESULTS / "claim", help="default: %(default)s"
    )
    out = command.parse_args().out
    for problem, begin in RUNS:
        config = config_of(problem, begin)
        train_policy(config, folder(out, problem, begin), threads=1, show_progress=True)
    if is_first_process():
        draw(out)
        write_table(out)


def folder(out: Path, problem: str, begin: str) -> Path:
    return out / f"{problem.lower()}-{begin}"


def draw(out: Path) -> None:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained", sharey="row")
    for (problem, begin), panel in zip(RUNS, axes.flat, strict=True):
        plot_training(read_log(folder(out, problem, begin)), panel)
        panel.set_title(f"{problem}, 200 nodes, labels from {begin}", fontsize="medium")
    with replacing(out / "claim.png") as scratch:
        figure.savefig(scratch, dpi=120, format="png")


def write_table(out: Path) -> None:
    """Write the state after each episode: mean gaps in percent."""
    titles = ["run", "", "first", *(f"episode {number + 1}" for number in range(EPISODES))]
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for problem, begin in RUNS:
        rows = read_log(folder(out, problem, begin))
        last = {row.episode: row for row in rows}  # the last row of each episode
        gaps = {
            "labels": [row.label_gap for row in last.values()],
            "greedy": [row.greedy_gap for row in last.values()],
            "PRC10": [row.prc_gap for row in last.values()],
        }
        for name, values in gaps.items():
            cells = " | ".join(f"{value:.2f}" for value in values)
            lines.append(f"| {problem}, {begin} | {name} | {cells} |")
    with replacing(out / "claim.md") as scratch:
        scratch.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
