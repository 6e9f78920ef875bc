"""The common parts of the benchmarks' command lines: help texts and early errors."""

import argparse
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from sil.errors import SilError
from sil.threads import MOST_THREADS

RESULTS = Path("benchmarks") / "results"


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Make a parser whose help is the docstring of a benchmark."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def no_arguments(doc: str | None) -> None:
    """Parse the command line of a benchmark that has no options except --help."""
    parser(doc).parse_args()


def add_sets(to: argparse.ArgumentParser, names: Collection[str], amount: str) -> None:
    """Add the folder of the sets, and which of them to run with what amount of work."""
    to.add_argument("data", type=folder, metavar="DATA", help="folder with reference costs")
    to.add_argument(
        "--only",
        nargs="+",
        default=list(names),
        metavar=f"SET[:{amount}]",
        help=f"sets to run, out of {', '.join(names)}; default: all",
    )


def folder(text: str) -> Path:
    """Accept an existing folder."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return path


def new_folder(text: str) -> Path:
    """Accept a folder that exists or can be created."""
    path = Path(text)
    if any(each.exists() and not each.is_dir() for each in (path, *path.parents)):
        raise argparse.ArgumentTypeError(f"{text} cannot be a folder: there is a file in its place")
    return path


def new_file(text: str) -> Path:
    """Accept a file that can be written."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder; name a file")
    new_folder(str(path.parent))
    return path


def threads(text: str) -> int:
    """Accept a number of threads."""
    if not (text.isdecimal() and 1 <= int(text) <= MOST_THREADS):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to {MOST_THREADS}")
    return int(text)


def count(text: str) -> int:
    """Accept a whole number above 0."""
    if not (text.isdecimal() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


@contextmanager
def usage_errors(of: argparse.ArgumentParser) -> Iterator[None]:
    """Report errors in the input as errors of usage."""
    try:
        yield
    except SilError as error:
        of.error(str(error))
