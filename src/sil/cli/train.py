"""The command ``sil train``."""

from pathlib import Path
from typing import Annotated

import typer

from sil.cli.common import INTERRUPTED, interruptible
from sil.errors import InputError, printable
from sil.threads import MOST_THREADS
from sil.train.config import config_text, load_config, shipped_configs
from sil.train.edge_config import EdgeConfig
from sil.train.report import save_training_picture
from sil.train.train_edges import EdgeTrainingResult, train_edges
from sil.train.train_policy import TrainingResult, train_policy


def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            help=f"A TOML file, or a shipped configuration: {', '.join(shipped_configs())}.",
        ),
    ] = None,
    problems: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Problems to train on, one per file. Default: generated as CONFIG says.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run. Default: runs/ and the name of CONFIG."),
    ] = None,
    max_runtime: Annotated[
        float | None,
        typer.Option(min=0, help="Time limit in seconds. The same command resumes the run."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_THREADS,
            help="Threads for improving labels and validating. Default: all cores.",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="PyTorch device that fits the weights and runs the policy, such as cuda or cpu. "
            "Default: a GPU fits the weights if there is one, the C++ engine runs the policy."
        ),
    ] = None,
    tensorboard: Annotated[
        bool, typer.Option(help="Also write the history for TensorBoard, to the folder of the run.")
    ] = False,
    show: Annotated[
        bool, typer.Option(help="Print CONFIG, as a starting point for your own.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the progress of the run in this folder."),
    ] = None,
) -> None:
    """Train a policy by self-improved learning, without labelled data.

    All files go to one folder. After any interruption, the same command resumes the run. In the
    folder, `best.safetensors` is the best policy so far, for `sil solve --weights`. `log.csv` is
    the history, which `sil train --report DIR` draws.

    A first try, the whole procedure in minutes: `sil train tiny`

    On your own problems: `sil train tiny mine/*.tsp --out runs/mine`

    Which edges the search looks at, learned from its own tours: `sil train edges`

    On two processes: `torchrun --nproc-per-node 2 -m sil train fast-tsp`

    On GPUs: `torchrun --nproc-per-node 8 -m sil train paper-tsp --device cuda`
    """
    if report is not None:
        print(f"written     {printable(save_training_picture(report))}")
        return
    if config is None:
        raise InputError("name a configuration: " + ", ".join(shipped_configs()))
    if show:
        print(config_text(config), end="")
        return
    folder = out or Path("runs") / Path(config).stem
    settings = load_config(config)
    with interruptible() as interrupt:
        if isinstance(settings, EdgeConfig):
            if problems or tensorboard or device:
                raise InputError(
                    "edges are learned from generated problems, without TensorBoard or a device"
                )
            result: EdgeTrainingResult | TrainingResult = train_edges(
                settings,
                folder,
                max_runtime=max_runtime,
                threads=threads,
                interrupt=interrupt,
                show_progress=True,
            )
        else:
            result = train_policy(
                settings,
                folder,
                problems or None,
                max_runtime=max_runtime,
                threads=threads,
                interrupt=interrupt,
                show_progress=True,
                tensorboard=tensorboard,
                device=device,
            )
    # Imported only now: it needs PyTorch.
    from sil.train.processes import is_first_process

    if not is_first_process():
        return
    weights = None if result.weights is None else printable(result.weights)
    if result.finished:
        print(f"written     {weights}")
        return
    print("Stopped. Run the same command to resume.")
    if weights is not None:
        print(f"best so far {weights}")
    if interrupt.requested:
        raise typer.Exit(INTERRUPTED)
