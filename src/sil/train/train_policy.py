"""`sil.train_policy`: start or resume a training run from Python."""

import math
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sil._native import Interrupt
from sil.errors import InputError, MissingExtraError, excerpt
from sil.train.config import TrainConfig, load_config
from sil.train.folder import BEST
from sil.train.instances import Problems, instances_for
from sil.train.log import LogRow
from sil.validate import real_number


@dataclass(frozen=True)
class TrainingResult:
    """What a call of `train_policy` has achieved.

    Parameters
    ----------
    finished
        Whether the run has come to its end; if not, the same call resumes it.
    weights
        The best policy so far, for `NativePolicy.load` and ``sil solve --weights``; None during
        the warm-up.
    history
        All validations of the run, oldest first.
    """

    finished: bool
    weights: Path | None
    history: tuple[LogRow, ...]


def train_policy(
    config: str | Path | TrainConfig,
    out: str | Path,
    problems: Problems | None = None,
    *,
    max_runtime: float | None = None,
    threads: int | None = None,
    interrupt: Interrupt | None = None,
    show_progress: bool = False,
    tensorboard: bool = False,
    device: str | None = None,
) -> TrainingResult:
    """Train a policy by self-improved learning, or resume a run; needs the extra ``train``.

    All files of the run are in one folder. If the call is stopped or killed at any time, the same
    call resumes the run, and the result is the same as without the interruption.

    Parameters
    ----------
    config
        What to do: the name of a shipped configuration such as ``"tiny"``, a TOML file, or a
        `sil.train.config.TrainConfig`.
    out
        Folder of the run: a new one, an empty one, or that of the run to resume. A folder that
        holds another run or anything else is refused.
    problems
        The user's own instances, all TSP or all CVRP as the configuration says. By default they
        are generated.

        * A list of problems or of files, one problem per file. Every stage trains on all of them
          but the few it holds out for validation: as many as its ``validation`` says, but at most
          one in five. Sizes may differ. ``nodes``, ``instances``, ``distributions`` and
          ``capacities`` of the configuration have no effect.
        * An iterator, such as a generator. It is treated like a list of its first problems, as many
          as the largest stage needs (``instances`` plus ``validation``). To resume the run, pass an
          iterator that yields the same problems from the first one on.
        * A function, called with the ``nodes`` of a stage and a seed, like `sil.generate_tsp`. It
          replaces the random generator: ``instances`` and ``validation`` keep their meaning. Equal
          arguments must give equal problems, so that a resumed run sees the same instances.

        Distances must be planar (EUCLIDEAN, EUC_2D, CEIL_2D or ATT). In training they are Euclidean
        and each problem is scaled to the unit square, so that all count alike.
    max_runtime
        Stop after this many seconds.
    threads
        Threads of each process for improving labels and validating; by default all cores.
    interrupt
        When it is set, for instance by another thread, the call saves the run and returns soon.
    show_progress
        Show the progress on standard error.
    tensorboard
        Also write the history for TensorBoard, to ``tensorboard`` in the folder.
    device
        A PyTorch device, such as ``"cuda"``, that fits the weights and also runs the policy. By
        default a GPU fits the weights if there is one, and the C++ engine runs the policy. Runs on
        different devices differ by rounding.

    Raises
    ------
    InputError
        If the configuration or a problem cannot be used, or if the folder holds another run. A run
        is another one if its configuration or its problems differ.

    Examples
    --------
    >>> sil.train_policy("tiny", "runs/tiny", max_runtime=60)
    >>> sil.train_policy("tiny", "runs/mine", problems=Path("mine").glob("*.tsp"))
    """
    settings = _loaded(config)
    folder = folder_of(out)
    stop = expiring(interrupt, max_runtime)
    instances = instances_for(settings, problems)
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    from sil.train.display import Display, TensorBoardDisplay, TerminalDisplay
    from sil.train.loop import Training
    from sil.train.processes import is_first_process

    with ExitStack() as stack:
        display = Display()
        if is_first_process():
            if show_progress:
                display = stack.enter_context(TerminalDisplay())
            if tensorboard:
                display = TensorBoardDisplay(display, folder)
        # More threads of PyTorch would wait for each other. Several processes are faster.
        stack.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)
        training = Training(settings, folder, threads, stop, display, instances, device)
        finished = training.run()
    best = folder / BEST
    return TrainingResult(finished, best if best.exists() else None, tuple(training.history))


def folder_of(out: str | Path) -> Path:
    """Return the folder of a run as a path."""
    try:
        return Path(out)
    except TypeError:
        raise InputError(f"out is {excerpt(out)}: give the folder of the run") from None


def expiring(interrupt: Interrupt | None, max_runtime: float | None) -> Interrupt:
    """Return an interrupt that is set after `max_runtime` seconds, or with the given one."""
    if max_runtime is not None and not real_number(max_runtime, "max_runtime") >= 0:
        raise InputError(f"max_runtime is {excerpt(max_runtime)}: give seconds, 0 or more")
    stop = Interrupt() if interrupt is None else Interrupt(interrupt)
    stop.expire_in(math.inf if max_runtime is None else max_runtime)
    return stop


def _loaded(config: str | Path | TrainConfig) -> TrainConfig:
    if isinstance(config, TrainConfig):
        return config
    if not isinstance(config, (str, Path)):
        raise InputError(
            f"config is {excerpt(config)}: give the name of a shipped configuration, a file, or a "
            "TrainConfig"
        )
    loaded = load_config(str(config))
    if not isinstance(loaded, TrainConfig):
        raise InputError(f"{config}: this configuration learns edges: use sil.train_edges")
    return loaded
