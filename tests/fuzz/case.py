"""What a case is: something to run, where it runs, and what is expected of it."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Expect(StrEnum):
    """How a case must end."""

    FAIL = "must fail"
    WORK = "must work"
    EITHER = "either"


class Stream(StrEnum):
    """Where standard output or standard error of a case leads to."""

    FILE = "file"
    CLOSED = "closed"
    BROKEN = "broken"  # a pipe that nobody reads
    FULL = "full"  # a disk without room


class WrongError(Exception):
    """What a call raises about its own result: it is not what it should be."""


Maker = Callable[[Path], None]  # makes something at a path that is not there yet


@dataclass(frozen=True)
class Ended:
    """How the process of a case ended.

    Parameters
    ----------
    code
        Its exit code, or minus the number of the signal that killed it.
    hung
        Whether it was killed for taking too long.
    out, err
        What it printed.
    """

    code: int
    hung: bool
    out: str
    err: str


Check = Callable[[Path, Ended], str | None]  # says what is wrong with what a case left behind


@dataclass(frozen=True)
class Case:
    """One attack.

    Parameters
    ----------
    what
        Says it in a few words.
    expect
        How it must end.
    argv
        Arguments of the command `sil`.
    call
        Called instead of the command; a `SilError` is its clean error.
    script
        Python code that runs instead, in a process of its own.
    allowed
        Exceptions of a call that are the caller's own.
    files
        Files to make in the working folder: their bytes, or a function that makes them.
    writes
        Beginnings of the paths, in the working folder, that may be new or changed afterwards.
    check
        Looks at what is there afterwards, if it worked.
    always
        Whether to look after an error, too.
    seconds, cpu, memory
        When the case has hung, by the clock and by the processor, and its address space.
    limits
        Further resource limits of its process.
    disk
        Size in bytes of a disk of its own, mounted as ``disk``.
    process
        Whether the command runs in a fresh process rather than in a forked one.
    signals
        Seconds after the command listens to signals, and the signal to send.
    stdout, stderr
        Where the streams lead to.
    """

    what: str
    expect: Expect
    argv: tuple[str, ...] = ()
    call: Callable[[], object] | None = None
    script: str = ""
    allowed: tuple[type[BaseException], ...] = ()
    files: Mapping[str, bytes | Maker] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    check: Check | None = None
    always: bool = False
    seconds: float = 60.0
    cpu: int = 10
    memory: int = 4 << 30
    limits: Mapping[int, int] = field(default_factory=dict)
    disk: int = 0
    process: bool = False
    signals: tuple[tuple[float, int], ...] = ()
    stdout: Stream = Stream.FILE
    stderr: Stream = Stream.FILE


Draw = Callable[[random.Random], Case]


@dataclass(frozen=True)
class Generator:
    """Draws cases of one kind.

    Parameters
    ----------
    name
        Of the kind.
    draw
        Draws one.
    weight
        How often it is asked, compared with the others.
    torch
        Whether its cases need PyTorch.
    """

    name: str
    draw: Draw
    weight: float = 1.0
    torch: bool = False
