"""The training-progress figure of the paper: quality of labels and policy over the episodes."""

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from sil.io.atomic import replacing
from sil.plot import require_matplotlib
from sil.train.log import LogRow, read_log
from sil.validate import clean_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save_training_picture(folder: Path) -> Path:
    """Draw the log of a run to ``progress.png`` in its folder (paper, appendix on training)."""
    rows = read_log(folder)
    require_matplotlib()

    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    plot_training(rows, axes)
    name = clean_name(folder.resolve().name)
    axes.set_title(f"Training progress: {name}", parse_math=False)
    path = folder / "progress.png"
    with replacing(path) as scratch:
        figure.savefig(scratch, dpi=120)
    plt.close(figure)
    return path


def plot_training(rows: list[LogRow], axes: "Axes") -> None:
    """Draw the gaps of labels and policy over the epochs, episode by episode.

    Parameters
    ----------
    rows
        The history, as `sil.train.log.read_log` returns it.
    axes
        Where to draw it.
    """
    from matplotlib.ticker import SymmetricalLogLocator

    places = range(len(rows))
    for gaps, marks, label in (
        ([row.label_gap for row in rows], "s--", "labels"),
        ([row.greedy_gap for row in rows], "o-", "policy, greedy"),
        ([row.prc_gap for row in rows], "o-", "policy, PRC10 from random insertion"),
    ):
        axes.plot(places, gaps, marks, markersize=3, label=label)
    for place, (before, row) in enumerate(pairwise(rows), start=1):
        if (row.stage, row.episode) != (before.stage, before.episode):
            axes.axvline(place - 0.5, color="lightgrey", linewidth=0.8, zorder=0)
            axes.annotate(
                f"{row.episode}" if row.episode else f"{row.nodes:,} nodes",
                (place - 0.5, 0.0),
                xycoords=("data", "axes fraction"),
                fontsize="x-small",
                va="bottom",
            )
    axes.set_yscale("symlog", linthresh=0.1)  # labels may be better than their references
    axes.set(xlabel="epoch (numbers: episodes)", ylabel="mean gap in %")
    axes.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=0.1, subs=[1, 2, 5]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend(fontsize="small", loc="upper right")
