"""What the benchmarks' command lines have in common: help that teaches, and errors at once."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sil.errors import SilError
from sil.threads import MOST_THREADS

RESULTS = Path("benchmarks") / "results"


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Make a parser whose help is the text at the top of a benchmark."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def no_arguments(doc: str | None) -> None:
    """Read the command line of a benchmark that has no options: it may ask for help."""
    parser(doc).parse_args()


def folder(text: str) -> Path:
    """Take a folder that is there."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return path


def new_folder(text: str) -> Path:
    """Take a folder that may be made."""
    path = Path(text)
    if any(each.exists() and not each.is_dir() for each in (path, *path.parents)):
        raise argparse.ArgumentTypeError(f"{text} cannot be a folder: there is a file")
    return path


def new_file(text: str) -> Path:
    """Take a file that may be written."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder; name a file")
    new_folder(str(path.parent))
    return path


def threads(text: str) -> int:
    """Take a number of threads."""
    if not (text.isdecimal() and 1 <= int(text) <= MOST_THREADS):
        raise argparse.ArgumentTypeError(f"a number from 1 to {MOST_THREADS}, not {text}")
    return int(text)


def count(text: str) -> int:
    """Take a whole number from 1 on."""
    if not (text.isdecimal() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"a whole number from 1 on, not {text}")
    return int(text)


@contextmanager
def usage_errors(of: argparse.ArgumentParser) -> Iterator[None]:
    """Show an error in the input as one of usage."""
    try:
        yield
    except SilError as error:
        of.error(str(error))
