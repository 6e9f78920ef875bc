"""The folder of a run: whether it may be used, and which of its files are temporary.

No file is removed because of a name that a user could have chosen. Pools are first written to one
folder with fixed names, which the next attempt overwrites. Of the temporary files that a killed run
left beside their targets, only those are removed whose names come from `sil.io.atomic`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sil.errors import InputError, excerpt
from sil.io.atomic import SCRATCH as UNFINISHED
from sil.io.atomic import flush_names, replacing
from sil.io.lock import FolderLock
from sil.train.config import Config, config_of, differences

SCRATCH = ".sil-scratch"  # the folder in which pools are written first
CHECKPOINT, BEST = "checkpoint.pt", "best.safetensors"
_LOCK, _CONFIG = ".lock", "config.json"
_PROBLEMS = "problems"  # in config.json, beside the configuration
_UNFINISHED_FILE = re.compile(re.escape(UNFINISHED) + r"[0-9a-f]{16}(\.(pt|csv|json|safetensors))?")


@dataclass(frozen=True)
class _Run:
    """What ``config.json`` says about a run."""

    config: Config
    problems: str | None  # `Instances.identity`

    def differences(self, other: "_Run") -> list[str]:
        found = differences(self.config, other.config)
        if self.problems != other.problems:
            before, now = (each.problems or "generated" for each in (self, other))
            found.append(f"problems: {before}, now {now}")
        return found


def take_folder(config: Config, folder: Path, problems: str | None = None) -> FolderLock:
    """Take a folder for a run: a new or empty one, or that of the same run, to resume it.

    Parameters
    ----------
    config
        The configuration; written to a new folder, compared with the one of an existing run.
    folder
        Created if necessary. One that holds anything else is refused and left unchanged.
    problems
        `Instances.identity` of the user's own problems; kept and compared likewise.
    """
    require_ours(folder)
    run = _Run(config, problems)
    lock = FolderLock(folder, "another run is using this folder; wait until it ends")
    try:
        before = _run_in(folder)
        if before is None:
            _write_run(run, folder)
        elif differing := before.differences(run):
            raise InputError(
                f"{folder} holds a run with another configuration or other problems; choose "
                "another folder with --out, or undo the change:\n  " + "\n  ".join(differing)
            )
        for path in _unfinished_files(folder):
            path.unlink(missing_ok=True)
    except BaseException:
        lock.close()
        raise
    return lock


def require_ours(folder: Path) -> None:
    """Refuse a folder that is neither new nor empty nor that of a run."""
    if _run_in(folder) is not None:
        return
    try:
        there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        # A run that was killed right at its start may have left these.
        there -= {_LOCK, SCRATCH, *(path.name for path in _unfinished_files(folder))}
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from error
    if there:
        named = ", ".join(repr(name) for name in sorted(there)[:3])
        raise InputError(
            f"{folder} is not empty and holds no training run: it has {named}"
            f"{', …' if len(there) > 3 else ''} but no config.json; choose another folder with "
            "--out (nothing was changed)"
        )


def _run_in(folder: Path) -> _Run | None:
    """Read what run is in a folder; None if there is none."""
    path = folder / _CONFIG
    try:
        if not path.exists():
            return None
        values = json.loads(path.read_text(encoding="utf-8"))
        problems = values.pop(_PROBLEMS, None) if isinstance(values, dict) else None
        if not isinstance(problems, str | None):
            raise ValueError(f"{_PROBLEMS} is {excerpt(problems)}")
        return _Run(config_of(values), problems)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: this is not the configuration of a training run ({error}); choose another "
            "folder with --out, or restore the original file"
        ) from error


def _write_run(run: _Run, folder: Path) -> None:
    values = asdict(run.config)
    if run.problems is not None:
        values[_PROBLEMS] = run.problems
    with replacing(folder / _CONFIG) as scratch:
        scratch.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    flush_names(folder.resolve().parent)


def _unfinished_files(folder: Path) -> Iterator[Path]:
    """Find the temporary files that a killed run left beside their targets."""
    for path in folder.glob(f"{UNFINISHED}*"):
        if _UNFINISHED_FILE.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            yield path
