"""Run the attack: ``python -m tests.fuzz --cases 10000 --seed 0``.

A case is repeated by its kind and number: ``--seed 0 --only 'npz wrong' --case 17 --keep DIR``
leaves its files in DIR.
"""

import argparse
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

# Before numpy is imported: threads do not survive a fork.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

from tests.fuzz import server  # noqa: E402
from tests.fuzz.case import Case, Generator  # noqa: E402
from tests.fuzz.classify import WELL, Class  # noqa: E402
from tests.fuzz.generators import GENERATORS  # noqa: E402
from tests.fuzz.regressions import REGRESSIONS  # noqa: E402

_WORKERS = 2
_MOST_SHOWN = 15  # failures in full


def main() -> None:
    options = _options()
    chosen = [each for each in GENERATORS if options.only in each.name]
    root = Path(tempfile.mkdtemp(prefix="sil-fuzz-"))
    began = time.monotonic()
    counts: Counter[tuple[str, Class]] = Counter()
    causes: dict[str, list[str]] = {}
    try:
        for name, number, kind, why, signature, shown in _results(options, chosen, root):
            counts[name, kind] += 1
            if kind not in WELL:
                causes.setdefault(f"{kind}: {signature}", []).append(
                    f"--only '{name}' --case '{number}'"
                )
                if sum(map(len, causes.values())) <= _MOST_SHOWN or options.case is not None:
                    print(f"\n{kind} [{name}] {shown}\n{why}\n{_repeat(options, name, number)}")
            elif options.case is not None:
                print(f"{kind}: {shown}\n{why}")
    finally:
        server.remove(root)
    _summary(counts, causes, time.monotonic() - began)
    failed = sum(count for (_, kind), count in counts.items() if kind not in WELL)
    print(f"{sum(counts.values()) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not counts else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", default="", help="generators whose name contains this; with --case the whole name"
    )
    parser.add_argument("--case", help="repeat this one: a number, or the name of a regression")
    parser.add_argument("--regressions", action="store_true", help="the kept ones, and no others")
    parser.add_argument("--keep", type=Path, help="folder to leave the files of failed cases in")
    return parser.parse_args()


def _repeat(options: argparse.Namespace, name: str, number: int | str) -> str:
    which = f"--seed {options.seed} --only '{name}'" if isinstance(number, int) else ""
    return f"repeat: python -m tests.fuzz {which} --case '{number}' --keep DIR"


def _plan(
    options: argparse.Namespace, chosen: list[Generator]
) -> list[tuple[Generator, int | str]]:
    """Choose the generator of each number, those that need PyTorch last."""
    if options.regressions or (options.case and not options.case.isdigit()):
        kept = [each for each in REGRESSIONS if options.case in (None, each.name)]
        plan: list[tuple[Generator, int | str]] = [
            (Generator("regressions", each.draw, torch=each.torch), each.name) for each in kept
        ]
    elif options.case:
        plan = [(each, int(options.case)) for each in GENERATORS if each.name == options.only]
    else:
        # With --only, numbers of the full plan, so that each stays what it is.
        plan, number = [], 0
        while len(plan) < options.cases and chosen:
            each = _numbered(options.seed, number, GENERATORS)
            if each[0] in chosen:
                plan.append(each)
            number += 1
    return sorted(plan, key=lambda each: each[0].torch)


def _numbered(seed: int, number: int, generators: list[Generator]) -> tuple[Generator, int | str]:
    rng = random.Random(f"{seed}/{number}/kind")
    return rng.choices(generators, [each.weight for each in generators])[0], number


def _results(
    options: argparse.Namespace, chosen: list[Generator], root: Path
) -> Iterator[tuple[Any, ...]]:
    """Run all cases on two workers and give what became of each."""
    plan = _plan(options, chosen)
    server.prepare()
    context = multiprocessing.get_context("fork")
    readers: list[Connection] = []
    for worker in range(min(_WORKERS, len(plan))):
        reader, writer = context.Pipe(duplex=False)
        context.Process(target=_work, args=(options, plan[worker::_WORKERS], root, writer)).start()
        writer.close()
        readers.append(reader)
    done = 0
    while readers:
        for reader in wait(readers):
            assert isinstance(reader, Connection)
            try:
                yield reader.recv()
                done += 1
            except EOFError:
                readers.remove(reader)
    if done < len(plan):
        sys.exit(f"a worker died: {done} of {len(plan)} cases were run")


def _work(
    options: argparse.Namespace,
    plan: list[tuple[Generator, int | str]],
    root: Path,
    results: Connection,
) -> None:
    """Run some of the cases, one after the other."""
    has_torch = False
    for generator, number in plan:
        if generator.torch and not has_torch:
            server.prepare(torch=True)
            has_torch = True
        case = generator.draw(random.Random(f"{options.seed}/{generator.name}/{number}"))
        folder = root / str(number).replace("/", "-")
        verdict, ended = server.judge(case, folder)
        if options.keep is not None and (verdict.kind not in WELL or options.case is not None):
            _keep(options.keep, folder, case)
        server.remove(folder)
        server.remove(folder.with_name(folder.name + "-streams"))
        why = verdict.why if verdict.kind not in WELL else ended.err[-300:]
        shown = f"{case.what}: sil {_shown(case.argv)}" if case.argv else case.what
        results.send((generator.name, number, verdict.kind, why, verdict.signature, shown))
    results.close()


def _keep(where: Path, folder: Path, case: Case) -> None:
    target = where / folder.name
    shutil.copytree(folder, target, dirs_exist_ok=True, symlinks=True)
    (target / "case.txt").write_text(f"{case}\n", errors="backslashreplace")


def _shown(argv: tuple[str, ...]) -> str:
    return " ".join(ascii(word)[1:-1][:80] or "''" for word in argv)


def _summary(counts: Counter[tuple[str, Class]], causes: dict[str, list[str]], took: float) -> None:
    """Print a table by generator and class, and the distinct causes of failures."""
    names = sorted({name for name, _ in counts})
    print("\n" + f"{'':<26}" + "".join(f"{kind:>18}" for kind in Class))
    for name in names:
        print(f"{name:<26}" + "".join(f"{counts[name, kind] or '·':>18}" for kind in Class))
    for cause, where in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(where):>5} x {cause}  e.g. {where[0]}")
    print(f"{sum(counts.values())} cases in {took:.0f} s")


if __name__ == "__main__":
    main()
