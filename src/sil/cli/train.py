"""The command ``sil train``."""

import math
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from sil.cli.common import INTERRUPTED, interruptible
from sil.errors import InputError, MissingExtraError, printable
from sil.threads import MOST_THREADS
from sil.train.config import config_text, load_config, shipped_configs
from sil.train.report import save_training_picture


def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            help=f"A TOML file, or a shipped configuration: {', '.join(shipped_configs())}.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run. [default: runs/ and the name of CONFIG]"),
    ] = None,
    max_runtime: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds after which to stop; the same command goes on."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_THREADS, help="For labels and validation. [default: all cores]"
        ),
    ] = None,
    tensorboard: Annotated[
        bool, typer.Option(help="Write for TensorBoard too, to a folder beside the log.")
    ] = False,
    show: Annotated[bool, typer.Option(help="Print CONFIG, to make your own of it.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the progress of the run in this folder."),
    ] = None,
) -> None:
    """Train a policy by self-improved learning, without any labelled data.

    Everything goes to one folder, and the same command goes on after any interruption. In it,
    `best.safetensors` is the best policy so far, for `sil solve --weights`; `log.csv` and
    `sil train --report DIR` tell how it went.

    A first try, the whole cycle in minutes: `sil train tiny`

    On two processes: `torchrun --nproc-per-node 2 -m sil train fast-tsp`
    """
    if report is not None:
        print(f"written     {printable(save_training_picture(report))}")
        return
    if config is None:
        raise InputError("name a configuration: " + ", ".join(shipped_configs()))
    if show:
        print(config_text(config), end="")
        return
    if max_runtime is not None and math.isnan(max_runtime):
        raise InputError("--max-runtime is not a number: give seconds")
    settings = load_config(config)
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    from sil.train.display import Display, TensorBoardDisplay, TerminalDisplay
    from sil.train.loop import Training

    # More threads would wait for each other; processes do better.
    torch.set_num_threads(1)
    folder = out or Path("runs") / Path(config).stem
    is_first = os.environ.get("RANK", "0") == "0"  # of the processes that torchrun starts
    with interruptible() as interrupt, ExitStack() as stack:
        interrupt.expire_in(math.inf if max_runtime is None else max_runtime)
        shown: Display = stack.enter_context(TerminalDisplay()) if is_first else Display()
        if tensorboard and is_first:
            shown = TensorBoardDisplay(shown, folder)
        training = Training(settings, folder, threads, interrupt, shown)
        finished = training.run()
    if not is_first:
        return
    best = folder / "best.safetensors"
    if finished:
        print(f"written     {printable(best)}")
        return
    so_far = f" The best so far: {printable(best)}" if best.exists() else ""
    print(f"stopped; the same command goes on.{so_far}")
    if interrupt.requested:
        raise typer.Exit(INTERRUPTED)
