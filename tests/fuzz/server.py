"""Runs cases: a fork of this process each, or a fresh process, with limits and a folder."""

import contextlib
import ctypes
import faulthandler
import importlib
import io
import os
import resource
import select
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.case import Case, Ended, Stream, WrongError
from tests.fuzz.classify import WRONG, Verdict, classify

# What a careless command might delete or overwrite.
_DECOYS = {
    "outside.txt": b"not yours\n",
    "work/notes.txt": b"mine\n",
    "work/.git-credentials": b"https://me:secret@example.org\n",
    "work/.cache-x/kept": b"kept\n",
    "work/.a-scratch.npz": b"looks like scratch\n",
}
_LARGEST_KEPT = 4 << 20  # bytes of a file that are compared
_DETACH = 2  # umount2: MNT_DETACH


_IMPORTED = (
    "matplotlib.pyplot",
    "rich.progress",
    "safetensors.numpy",
    "scipy.spatial",
    "typer.rich_utils",
    "sil.bench.report",
    "sil.bench.run",
    "sil.cli",
)


def prepare(torch: bool = False) -> None:
    """Import all that commands import later, so that forks need not."""
    os.environ["MPLBACKEND"] = "Agg"
    for name in (*_IMPORTED, *(["sil.train.loop"] if torch else [])):
        importlib.import_module(name)


def judge(case: Case, folder: Path) -> tuple[Verdict, Ended]:
    """Run a case in a new folder and say what became of it; the folder stays."""
    with _prepared(case, folder):
        before = _tree(folder)
        ended = _run(case, folder)
        after = _tree(folder)
        return classify(case, ended, before, after, folder), ended


@contextlib.contextmanager
def _prepared(case: Case, folder: Path) -> Iterator[None]:
    (folder / "tmp").mkdir(parents=True)
    for name, content in _DECOYS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    mounted = case.disk and _mount(folder / "work" / "disk", case.disk)
    try:
        for name, content in case.files.items():
            path = folder / "work" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content) if isinstance(content, bytes) else content(path)
        yield
    finally:
        if mounted:
            ctypes.CDLL(None).umount2(bytes(folder / "work" / "disk"), _DETACH)


def _mount(folder: Path, size: int) -> bool:
    """Mount a small disk; without the right to do so, it is a folder like others."""
    folder.mkdir()
    options = f"size={size}".encode()
    return ctypes.CDLL(None).mount(b"tmpfs", bytes(folder), b"tmpfs", 0, options) == 0


def remove(folder: Path) -> None:
    """Remove a folder, whatever a case made of it."""
    for path in [folder, *folder.rglob("*")]:
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _tree(folder: Path) -> dict[str, bytes]:
    """Read all that is in a folder; a folder is ``/``, a special file its kind."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                with path.open("rb") as file:
                    found[name] = file.read(_LARGEST_KEPT)
            else:
                found[name] = b"/" if stat.S_ISDIR(status.st_mode) else b"special"
    return found


def _run(case: Case, folder: Path) -> Ended:
    streams = folder.with_name(folder.name + "-streams")
    streams.mkdir(exist_ok=True)
    if case.process or case.script:
        return _watch(case, _start_process(case, folder, streams), streams)
    pid = os.fork()
    if pid == 0:
        try:
            _child(case, folder, streams)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(98)  # of the fuzzer itself: never to be seen
    return _watch(case, pid, streams)


def _watch(case: Case, pid: int, streams: Path) -> Ended:
    """Wait for a process, send it signals, and kill it with all that it started when it is late."""
    end = time.monotonic() + case.seconds
    watched = os.pidfd_open(pid)
    hung = False
    try:
        if case.signals and _listens(pid, watched, end):
            for after, number in case.signals:
                if _ended_within(watched, after):
                    break
                signal.pidfd_send_signal(watched, number)
        hung = not _ended_within(watched, max(0.0, end - time.monotonic()))
        if hung:
            # So that it tells, through faulthandler, where it hangs.
            signal.pidfd_send_signal(watched, signal.SIGABRT)
            _ended_within(watched, 1.0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    finally:
        os.close(watched)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    hung = hung or code == -signal.SIGXCPU
    out, err = (
        (streams / name).read_bytes()[:200_000].decode("utf-8", "surrogateescape")
        for name in ("stdout", "stderr")
    )
    return Ended(code, hung, out, err)


def _ended_within(watched: int, seconds: float) -> bool:
    return bool(select.select([watched], [], [], seconds)[0])


def _listens(pid: int, watched: int, end: float) -> bool:
    """Wait until a process catches SIGTERM, which it does when its work begins."""
    while time.monotonic() < end and not _ended_within(watched, 0.003):
        with contextlib.suppress(OSError, StopIteration, ValueError):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            mask = next(line for line in lines if line.startswith("SigCgt:")).split()[1]
            if int(mask, 16) >> (signal.SIGTERM - 1) & 1:
                return True
    return False


def _open(kind: Stream, path: Path) -> int | None:
    """Open where a stream leads to."""
    path.touch()
    if kind is Stream.CLOSED:
        return None
    if kind is Stream.FULL:
        return os.open("/dev/full", os.O_WRONLY)
    if kind is Stream.BROKEN:
        reader, writer = os.pipe()
        os.close(reader)
        return writer
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def _arrange(case: Case, folder: Path, streams: Path) -> None:
    """Give this process, a child, the streams, the folder and the limits of its case."""
    os.setsid()
    os.chdir(folder / "work")
    os.environ["TMPDIR"] = str(folder / "tmp")
    nothing = os.open(os.devnull, os.O_RDONLY)  # while no stream is closed, lest it take its place
    os.dup2(nothing, 0)
    os.close(nothing)
    for number, kind, name in ((1, case.stdout, "stdout"), (2, case.stderr, "stderr")):
        where = _open(kind, streams / name)
        if where is None:
            os.close(number)
        else:
            os.dup2(where, number)
            os.close(where)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(
            number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (case.cpu, case.cpu + 5))
    if "san.so" not in os.environ.get("LD_PRELOAD", ""):  # which reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (case.memory, case.memory))
    for which, most in case.limits.items():
        resource.setrlimit(which, (most, most))


def _start_process(case: Case, folder: Path, streams: Path) -> int:
    """Start a fresh process, as a user would."""
    command = [sys.executable, "-c", case.script] if case.script else [sys.executable, "-m", "sil"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pid = os.fork()
    if pid == 0:
        try:
            _arrange(case, folder, streams)
            environment["TMPDIR"] = os.environ["TMPDIR"]
            os.execve(sys.executable, [*command, *case.argv], environment)
        finally:
            os._exit(98)
    return pid


def _child(case: Case, folder: Path, streams: Path) -> None:
    """Run a case in this process and end it, as Python would."""
    tempfile.tempdir = None
    _arrange(case, folder, streams)
    if case.stderr is Stream.FILE:
        faulthandler.enable(2)
    sys.stdout = _text(1, case.stdout, "strict")
    sys.stderr = _text(2, case.stderr, "backslashreplace")
    code = _called(case)
    threading._shutdown()  # type: ignore[attr-defined]
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except Exception:
            code = 120  # as Python does when the last words are lost
    os._exit(code)


def _text(number: int, kind: Stream, errors: str) -> io.TextIOWrapper | None:
    if kind is Stream.CLOSED:
        return None
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors=errors, line_buffering=number == 2
    )


def _called(case: Case) -> int:
    from sil.errors import SilError

    try:
        if case.call is None:
            from sil.cli import main

            sys.argv = ["sil", *case.argv]
            main()
        else:
            try:
                case.call()
            except (SilError, *case.allowed) as error:
                print(f"error: {type(error).__name__}: {str(error)[:500]!r}", file=sys.stderr)
                return 2
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except WrongError as error:
        print(f"wrong: {error}", file=sys.stderr)
        return WRONG
    except BaseException:
        with contextlib.suppress(OSError):
            traceback.print_exc()
        return 1
    return 0
