"""`sil.train_edges`: start or resume learning which edges the search should look at."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sil._native import Interrupt
from sil.errors import InputError, MissingExtraError
from sil.threads import require_threads
from sil.train.config import load_config
from sil.train.edge_config import EdgeConfig
from sil.train.folder import BEST
from sil.train.train_policy import expiring, folder_of

if TYPE_CHECKING:
    from sil.train.edges import EdgeLogRow


@dataclass(frozen=True)
class EdgeTrainingResult:
    """What a call of `train_edges` has achieved.

    Parameters
    ----------
    finished
        Whether the run has come to its end; if not, the same call resumes it.
    weights
        The network so far; None during the first cycle.
    history
        All cycles of the run, oldest first.
    """

    finished: bool
    weights: Path | None
    history: "tuple[EdgeLogRow, ...]"


def train_edges(
    config: str | Path | EdgeConfig,
    out: str | Path,
    *,
    max_runtime: float | None = None,
    threads: int | None = None,
    interrupt: Interrupt | None = None,
    show_progress: bool = False,
) -> EdgeTrainingResult:
    """Learn which edges are likely in good tours, or resume a run; needs the extra ``train``.

    All files of the run are in one folder. If the call is stopped or killed at any time, the same
    call resumes the run.

    Parameters
    ----------
    config
        What to do: the name of a shipped configuration (``"edges"``), a TOML file, or a
        `sil.train.edge_config.EdgeConfig`.
    out
        Folder of the run: a new one, an empty one, or that of the run to resume.
    max_runtime
        Stop after this many seconds.
    threads
        Threads for the search; by default all cores.
    interrupt
        When it is set, for instance by another thread, the call returns soon.
    show_progress
        Show the progress on standard error.

    Raises
    ------
    InputError
        If the configuration cannot be used, or if the folder holds another run.
    """
    settings = config if isinstance(config, EdgeConfig) else load_config(str(config))
    if not isinstance(settings, EdgeConfig):
        raise InputError(f"{config}: this configuration learns a policy: use sil.train_policy")
    folder, stop = folder_of(out), expiring(interrupt, max_runtime)
    if threads is not None:
        require_threads(threads)
    try:
        from sil.train.edges import EdgeTraining
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    from sil.train.display import Display, TerminalDisplay

    with ExitStack() as stack:
        display = stack.enter_context(TerminalDisplay()) if show_progress else Display()
        training = EdgeTraining(settings, folder, threads, stop, display)
        finished = training.run()
    best = folder / BEST
    return EdgeTrainingResult(finished, best if best.exists() else None, tuple(training.history))
