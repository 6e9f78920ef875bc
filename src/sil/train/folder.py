"""The folder of a run: whether it may be used, and what in it is scratch.

Nothing is removed by a pattern that a file of the user's could have: pools are begun in one folder
under fixed names, which the next attempt writes over, and of the files that a kill left beside
their target only those go that bear the name that `sil.io.atomic` gives them.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from sil.errors import InputError
from sil.io.atomic import SCRATCH as BEGUN
from sil.io.atomic import flush_names, replacing
from sil.io.lock import FolderLock
from sil.train.config import TrainConfig, config_of

SCRATCH = ".sil-scratch"  # the folder in which pools are begun
_LOCK, _CONFIG = ".lock", "config.json"
_BEGUN_FILE = re.compile(re.escape(BEGUN) + r"[0-9a-f]{16}(\.(pt|csv|json|safetensors))?")


def take_folder(config: TrainConfig, folder: Path) -> FolderLock:
    """Take a folder for a run: a new or empty one, or that of the same run, which goes on.

    Parameters
    ----------
    config
        What the run does; written to a new folder, compared with the one that is there.
    folder
        Made if it is not there. One that holds anything else is refused before it is touched.
    """
    require_ours(folder)
    lock = FolderLock(folder, "another run is at work here; wait until it ends")
    try:
        before = _config_in(folder)
        if before is None:
            _write_config(config, folder)
        elif differing := before.differences(config):
            raise InputError(
                f"{folder} holds a run with another configuration; choose another folder with "
                "--out, or take back the change:\n  " + "\n  ".join(differing)
            )
        for path in _begun_files(folder):
            path.unlink(missing_ok=True)
    except BaseException:
        lock.close()
        raise
    return lock


def require_ours(folder: Path) -> None:
    """Refuse a folder that is neither new nor empty nor that of a run."""
    if _config_in(folder) is not None:
        return
    try:
        there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        # A run that was killed when it had only just begun may have left these.
        there -= {_LOCK, SCRATCH, *(path.name for path in _begun_files(folder))}
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from error
    if there:
        named = ", ".join(repr(name) for name in sorted(there)[:3])
        raise InputError(
            f"{folder} is not empty, and no training run is in it: it holds {named}"
            f"{', …' if len(there) > 3 else ''} and no config.json; choose another folder with "
            "--out (nothing was changed)"
        )


def _config_in(folder: Path) -> TrainConfig | None:
    """Read the configuration of the run in a folder; None if there is none."""
    path = folder / _CONFIG
    try:
        if not path.exists():
            return None
        return config_of(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: this is not the configuration of a training run ({error}); choose another "
            "folder with --out, or put back what was there when the run began"
        ) from error


def _write_config(config: TrainConfig, folder: Path) -> None:
    with replacing(folder / _CONFIG) as scratch:
        scratch.write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")
    flush_names(folder.resolve().parent)


def _begun_files(folder: Path) -> Iterator[Path]:
    """Find what a run that was killed had begun to write beside its target."""
    for path in folder.glob(f"{BEGUN}*"):
        if _BEGUN_FILE.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            yield path
