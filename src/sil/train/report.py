"""The training-progress figure of the paper: quality of labels and policy over the episodes."""

from pathlib import Path
from typing import TYPE_CHECKING

from sil.io.atomic import replacing
from sil.plot import require_matplotlib
from sil.train.log import read_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save_training_picture(folder: Path) -> Path:
    """Draw the log of a run to ``progress.png`` in its folder (paper, appendix on training)."""
    rows = read_log(folder)
    require_matplotlib()

    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    plot_training(rows, axes)
    name = "".join(each if each.isprintable() else "_" for each in folder.resolve().name)
    axes.set_title(f"Training progress: {name}", parse_math=False)
    path = folder / "progress.png"
    with replacing(path) as scratch:
        figure.savefig(scratch, dpi=120)
    plt.close(figure)
    return path


def plot_training(rows: list[dict[str, float]], axes: "Axes") -> None:
    """Draw gaps of labels and policy over the epochs, episode by episode.

    Parameters
    ----------
    rows
        As `sil.train.log.read_log` gives them.
    axes
        Where to draw.
    """
    from matplotlib.ticker import SymmetricalLogLocator

    places = range(len(rows))
    for column, label in (
        ("label_gap", "labels"),
        ("greedy_gap", "policy, greedy"),
        ("prc_gap", "policy, PRC10 from random insertion"),
    ):
        marks = "s--" if column == "label_gap" else "o-"
        axes.plot(places, [row[column] for row in rows], marks, markersize=3, label=label)
    for place in places:
        here = (rows[place]["stage"], rows[place]["episode"])
        if place and here != (rows[place - 1]["stage"], rows[place - 1]["episode"]):
            axes.axvline(place - 0.5, color="lightgrey", linewidth=0.8, zorder=0)
            axes.annotate(
                f"{here[1]:.0f}" if here[1] else f"{rows[place]['nodes']:,.0f} nodes",
                (place - 0.5, 0.0),
                xycoords=("data", "axes fraction"),
                fontsize="x-small",
                va="bottom",
            )
    axes.set_yscale("symlog", linthresh=0.1)  # labels may be better than the reference
    axes.set(xlabel="epoch (numbers: episodes)", ylabel="mean gap in %")
    axes.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=0.1, subs=[1, 2, 5]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend(fontsize="small", loc="upper right")
