"""The command ``sil``: one file per subcommand."""

import sys
from typing import Annotated, NoReturn

import typer

import sil
from sil.cli.bench import bench
from sil.cli.check import check
from sil.cli.convert import convert
from sil.cli.generate import generate
from sil.cli.info import info
from sil.cli.serve import serve
from sil.cli.solve import solve
from sil.cli.streams import finish_standard_output, forgive_streams
from sil.cli.train import train
from sil.errors import SilError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Solve travelling-salesman (TSP) and capacitated vehicle-routing (CVRP) problems with
    1,000 to 1,000,000 nodes.

    A first example, from generating a problem to drawing its solution:

    `sil generate cvrp --size 10000 --out big.npz`

    `sil solve big.npz --max-runtime 20 --out big.sol --plot big.png`
    """,
)
for command in (solve, check, generate, convert, info, train, serve):
    app.command()(command)
app.add_typer(bench, name="bench")


def main() -> None:
    """Run the command line; errors in the input end it with a message and exit code 2."""
    forgive_streams()
    try:
        try:
            app()
        finally:
            finish_standard_output()
    except SilError as error:
        _fail(str(error))
    except MemoryError:
        _fail("not enough memory")
    except OSError as error:
        _fail(f"standard output cannot be written to: {error.strerror or error}")


def _fail(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"sil {sil.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass
