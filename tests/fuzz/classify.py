"""What became of a case."""

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.fuzz.case import Case, Ended, Expect, Stream

INTERRUPTED = 130
_LOST = 120  # exit code of Python when its last words cannot be written
WRONG = 99  # exit code of a call that found its own result to be wrong
_PICTURES = {".png": b"\x89PNG", ".pdf": b"%PDF"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


class Class(StrEnum):
    """All that can become of a case; the first two are well."""

    OK = "ok"
    CLEAN = "clean error"
    TRACEBACK = "traceback"
    CRASH = "crash"
    HANG = "hang"
    ACCEPTED = "accepted wrongly"
    REFUSED = "refused wrongly"


WELL = (Class.OK, Class.CLEAN)


@dataclass(frozen=True)
class Verdict:
    """What became of a case, and why; equal causes have equal signatures."""

    kind: Class
    why: str = ""
    signature: str = ""


def classify(  # noqa: PLR0911
    case: Case, ended: Ended, before: Mapping[str, bytes], after: Mapping[str, bytes], folder: Path
) -> Verdict:
    """Judge a case by how it ended and by the files that it left."""
    if ended.hung:
        why = f"killed for taking too long: {ended.err[-1000:]}"
        return Verdict(Class.HANG, why, f"hang{_of(ended)}: {_command(case)}")
    if ended.code < 0 and -ended.code not in [number for _, number in case.signals[1:]]:
        return Verdict(
            Class.CRASH,
            f"died of signal {-ended.code}: {ended.err[-1500:]}",
            f"{_of(ended)}: {_command(case)}",
        )
    if found := re.search(r"SUMMARY: .*|runtime error: .*|Sanitizer:DEADLYSIGNAL", ended.err):
        why = f"{_command(case)}: {_shape(found.group())}"
        return Verdict(Class.CRASH, ended.err[-3000:], why)
    if "Traceback (most recent call last)" in ended.err or "Exception ignored" in ended.err:
        return Verdict(Class.TRACEBACK, ended.err[-2000:], f"{_of(ended)}: {_command(case)}")
    if ended.code == WRONG:
        return Verdict(Class.ACCEPTED, ended.err, _of(ended))
    if why := _unclean(case, ended):
        return Verdict(Class.TRACEBACK, why, f"unclean: {why[:60]}")
    worked = ended.code in (0, INTERRUPTED) or bool(case.signals and ended.code < 0)
    if why := _harm(case, before, after, folder):
        return Verdict(Class.ACCEPTED, why, f"{_command(case)}: {_shape(why)}")
    if worked and case.expect is Expect.FAIL:
        said = f"{ended.out[-300:]}{ended.err[-300:]}"
        return Verdict(Class.ACCEPTED, f"worked: {said}", f"accepted: {_shape(case.what)}")
    if not worked and case.expect is Expect.WORK:
        return Verdict(Class.REFUSED, ended.err[-600:], f"refused: {_shape(ended.err[-160:])}")
    if case.check is not None and (worked or case.always) and ended.code >= 0:
        try:
            why = case.check(folder, ended) or ""
        except Exception as error:  # whatever is left there cannot even be read
            why = f"the check failed: {error!r}"
        if why:
            return Verdict(Class.ACCEPTED, why, f"{_command(case)}: {_shape(why)}")
    return Verdict(Class.OK if worked else Class.CLEAN)


def _unclean(case: Case, ended: Ended) -> str:  # noqa: PLR0911
    """Say what is wrong with how an error was told."""
    for text in (ended.out, ended.err):
        if found := _CONTROL.search(text):
            near = text[max(0, found.start() - 60) : found.start() + 20]
            return f"prints the character {found.group()!r} after {near!r}"
    if ended.code == INTERRUPTED:
        return "" if case.signals else "exit code 130 without a signal"
    if ended.code == 0 or ended.code < 0:
        return ""
    if ended.code != 2:
        # Whatever it printed there is lost, which it may tell in its own way.
        lost = case.stdout is not Stream.FILE and ended.code in (1, _LOST)
        return "" if lost else f"exit code {ended.code}: {ended.err[-300:]}"
    if case.stderr is not Stream.FILE:
        return ""
    told = re.search(r"^error: |Usage:|^╭─ Error ", ended.err, re.MULTILINE)
    if told or ended.out.startswith("not valid:") or '"feasible": false' in ended.out:
        return ""
    return f"exit code 2 without 'error:': {ended.err[-300:]!r}"


def _harm(case: Case, before: Mapping[str, bytes], after: Mapping[str, bytes], folder: Path) -> str:
    """Say which file was changed, lost, left behind, or is not whole."""
    may_write = tuple(f"work/{name}".replace("work/../", "") for name in case.writes)
    for path, content in before.items():
        if path.startswith(may_write) and may_write:
            continue
        if path not in after:
            return f"deleted {path}"
        if after[path] != content:
            return f"changed {path}"
    for path, content in after.items():
        if before.get(path) == content or content == b"/":
            continue
        if not (may_write and path.startswith(may_write)):
            return f"left behind {path}"
        if (folder / path).is_file() and (why := _not_whole(folder / path, content)):
            return f"{path} is not whole: {why}"
    return ""


def _not_whole(path: Path, content: bytes) -> str:  # noqa: PLR0911
    """Say what is missing in a file that was written."""
    ending = path.suffix.lower()
    try:
        if not content:
            return "" if path.name.endswith(("lock", ".lock")) else "empty"
        if ending == ".npz":
            with zipfile.ZipFile(path) as archive:
                return "" if archive.testzip() is None else "a damaged member"
        if ending in (".json", ".geojson"):
            json.loads(content, parse_constant=_refuse)
        if ending in (".tsp", ".vrp", ".tour") and not content.endswith(b"EOF\n"):
            return "no EOF"
        if ending == ".sol" and not content.endswith(b"\n"):
            return "no end of line"
        if ending in _PICTURES and not content.startswith(_PICTURES[ending]):
            return "no picture"
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        return repr(error)
    return ""


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not json")


def _command(case: Case) -> str:
    return f"sil {case.argv[0]}" if case.argv else _shape(case.what)


def _of(ended: Ended) -> str:
    """Name the cause: the error and where it was raised, or the signal."""
    frames = re.findall(r'File "[^"]*/(?:sil|vrplib)/([^"]*)", line \d+,? in (\w+)', ended.err)
    # A fatal error is told with the innermost call first.
    where = " in {}:{}".format(*frames[0 if ended.code < 0 else -1]) if frames else ""
    lines = [line for line in ended.err.splitlines() if re.match(r"^[A-Za-z_.]*[A-Za-z]+: ", line)]
    last = _shape(lines[-1][:90]) if lines else ""
    return f"{'signal ' + str(-ended.code) if ended.code < 0 else ''}{where} {last}".strip()


def _shape(text: str) -> str:
    """Leave out what differs from case to case."""
    return re.sub(r"'[^']*'|\"[^\"]*\"", "…", re.sub(r"[-+]?\d[\d.e+,]*", "N", text))[:110]
