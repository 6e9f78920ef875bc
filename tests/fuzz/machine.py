"""Signals, lost streams, full disks and small machines; and degenerate problems, to be solved."""

import json
import random
import re
import resource
import signal
from pathlib import Path

from tests.fuzz.case import Case, Check, Ended, Expect, Generator, Stream
from tests.fuzz.problems import Instance, random_instance, routes_in
from tests.fuzz.uses import METHODS, STARTS, solved
from tests.train.runs import toml

_SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def _large(rng: random.Random, is_cvrp: bool) -> Instance:
    """Draw a problem that takes longer than the moment when a signal comes."""
    points = [(rng.uniform(0, 1000), rng.uniform(0, 1000)) for _ in range(400)]
    demand = [0] + [rng.randint(1, 9) for _ in range(399)] if is_cvrp else None
    return Instance(points, demand, 60 if is_cvrp else None)


def degenerate(rng: random.Random) -> Case:
    """Solve a problem of any kind; the answer must be valid and its cost right."""
    instance = random_instance(rng)
    ending = rng.choice([".npz", ".json", instance.ending])
    if ending == instance.ending and instance.metric == "EUCLIDEAN":
        ending = ".npz"
    out = "out" + rng.choice([".json", ".npz", ".tour" if instance.demand is None else ".sol"])
    argv = ["solve", f"p{ending}", "--out", out, "--method", rng.choice(METHODS)]
    argv += rng.choice([["--rounds", rng.choice("0125")], ["--max-runtime", "0.2"]])
    argv += ["--threads", rng.choice("12"), "--seed", str(rng.randrange(100))]
    if rng.random() < 0.4:
        argv += ["--start", rng.choice(STARTS[instance.kind])]
    if rng.random() < 0.05:
        argv += ["--plot", "out.png"]
    return Case(
        f"{instance.kind} of {instance.dimension}, {instance.metric}",
        Expect.WORK,
        tuple(argv),
        files={f"p{ending}": instance.text(ending)},
        writes=("out.",),
        check=solved(instance, out),
    )


def signals(rng: random.Random) -> Case:
    """Stop a run at any moment: the best solution so far is written."""
    instance = _large(rng, rng.random() < 0.5)
    argv = ("solve", "p.npz", "--max-runtime", "3", "--method", rng.choice(METHODS[:4]))
    first = (rng.choice([0.0, rng.uniform(0, 0.3), rng.uniform(0, 1)]), rng.choice(_SIGNALS))
    more = [(rng.uniform(0, 0.02), rng.choice(_SIGNALS))] if rng.random() < 0.2 else []
    return Case(
        "a signal",
        Expect.WORK,
        (*argv, "--threads", "2", "--out", "out.json"),
        files={"p.npz": instance.text(".npz")},
        writes=("out.json",),
        signals=(first, *more),
        # A second signal ends it at once.
        check=None if more else solved(instance, "out.json"),
        process=rng.random() < 0.1,
    )


def signals_in_training(rng: random.Random) -> Case:
    """Stop a training run at any moment."""
    files = {
        "a.toml": toml(rng.choice(["TSP", "CVRP"]), rng.choice(["warm-up", "insertion"])).encode()
    }
    argv = ("train", "a.toml", "--out", "run", "--threads", "1")
    return Case(
        "a signal in training",
        Expect.WORK,
        argv,
        files=files,
        writes=("run",),
        signals=((rng.uniform(0, 1.5), rng.choice(_SIGNALS)),),
    )


def streams(rng: random.Random) -> Case:
    """Lose a stream: the result is there all the same."""
    instance = random_instance(rng, least=3)
    where = [Stream.CLOSED, Stream.BROKEN, Stream.FULL]
    stdout, stderr = rng.choice(
        [(Stream.FILE, rng.choice(where)), (rng.choice(where), Stream.FILE),
         (rng.choice(where), rng.choice(where))]
    )  # fmt: skip
    argv = ("solve", "p.npz", "--rounds", "2", "--threads", "1", *rng.choice([(), ("--json",)]))
    return Case(
        f"stdout {stdout}, stderr {stderr}",
        # What cannot be printed may be an error, but the file must be there.
        Expect.WORK if stdout is Stream.FILE else Expect.EITHER,
        (*argv, "--out", "out.json"),
        files={"p.npz": instance.text(".npz")},
        writes=("out.json",),
        stdout=stdout,
        stderr=stderr,
        # A lost stream loses what was printed, but no file.
        check=solved(instance, "out.json"),
        always=True,
        process=rng.random() < 0.15,
    )


def disks(rng: random.Random) -> Case:
    """Write to a disk that is full, or has room for a part only."""
    instance = _large(rng, rng.random() < 0.5)
    right = ".tour" if instance.demand is None else ".sol"
    files = {"p.npz": instance.text(".npz")}
    size = rng.choice([4096, 8192, 40_960])
    kind = rng.randrange(4)
    if kind == 0:
        argv = ("convert", "p.npz", "disk/out.json")
    elif kind == 1:
        argv = ("generate", "cvrp", "--size", "3000", "--out", "disk/out.npz")
    else:
        out = "disk/out" + rng.choice([right, ".json", ".geojson", ".npz"])
        argv = ("solve", "p.npz", "--rounds", "1", "--threads", "1", "--out", out)
        if kind == 3:
            argv = (*argv[:-1], "out.json", "--plot", "disk/out.png")

    check = _kept_somewhere(instance) if argv[0] == "solve" else None
    if rng.random() < 0.4:
        return Case(
            "a file size limit",
            Expect.EITHER,
            tuple(word.replace("disk/", "") for word in argv),
            files=files,
            writes=("out",),
            check=check,
            limits={resource.RLIMIT_FSIZE: rng.choice([0, 100, 4096])},
            # The limit would hold for what is printed, too.
            stdout=Stream.CLOSED,
            stderr=Stream.CLOSED,
        )
    if rng.random() < 0.6:
        files["disk/theirs"] = bytes(size)
    return Case(
        f"a disk of {size} bytes",
        Expect.EITHER,
        argv,
        files=files,
        # Wherever the solution is kept when the disk has no room for it.
        writes=("disk/out", "disk/rescued-out", "rescued-out", "out", "p", "../tmp/"),
        check=check,
        always=True,
        disk=size,
    )


def _kept_somewhere(instance: Instance) -> Check:
    """Check that a solution is where it should be, or elsewhere, or was printed."""

    def check(folder: Path, ended: Ended) -> str | None:
        for path in folder.rglob("*"):
            if path.name.startswith((".", "p.")):
                continue
            if path.suffix in (".json", ".npz", ".sol", ".tour"):
                return instance.fault(*routes_in(path))
            if path.suffix == ".geojson" and json.loads(path.read_text()):
                return None
        printed = {int(word) for word in re.findall(r"\d+", ended.out + ended.err)}
        return None if len(printed) >= instance.dimension - 1 else "the solution is lost"

    return check


def memory(rng: random.Random) -> Case:
    """Run with little address space, a small stack, or few open files."""
    instance = _large(rng, rng.random() < 0.5)
    threads = rng.choice(["1", "2", "64", "1024"])
    argv = (
        "solve",
        "p.npz",
        "--rounds",
        "2",
        "--threads",
        threads,
        "--method",
        rng.choice(METHODS),
    )
    limits: dict[int, int] = {}
    room = 4 << 30
    kind = rng.randrange(4)
    if kind == 0:
        limits[resource.RLIMIT_NOFILE] = rng.choice([6, 8, 12])
    elif kind == 1:
        limits[resource.RLIMIT_STACK] = rng.choice([256 << 10, 1 << 20])
    else:
        room = _used() + (rng.choice([40, 60, 100, 200, 400]) << 20)
    return Case(
        f"a small machine, {threads} threads",
        Expect.EITHER,
        (*argv, "--out", "out.json"),
        files={"p.npz": instance.text(".npz")},
        writes=("out.json",),
        check=solved(instance, "out.json"),
        memory=room,
        limits=limits,
    )


def _used() -> int:
    """Address space of this process, of which the cases are forks."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def sizes(rng: random.Random) -> Case:
    """Ask for instances that are too large for the machine."""
    size = rng.choice(["1000000000000000", "9223372036854775807", "4611686018427387904"])
    argv = ("generate", rng.choice(["tsp", "cvrp"]), "--size", size, "--out", "out.npz")
    return Case(f"size {size}", Expect.FAIL, argv, memory=2 << 30)


def equal_points(rng: random.Random) -> Case:
    """Solve a large problem of equal, or nearly equal, points within its time."""
    count = rng.choice([20_000, 50_000])
    near = rng.choice([0.0, 1e-12])
    values: dict[str, object] = {"locs": [(0.5 + near * (i % 97), 0.5) for i in range(count)]}
    if rng.random() < 0.5:
        values |= {"depot": (0.1, 0.1), "demand": [1] * count, "capacity": 100}

    def make(path: Path) -> None:
        from tests.fuzz.problems import npz

        path.write_bytes(npz(values))

    def check(folder: Path, ended: Ended) -> str | None:
        taken = json.loads(ended.out)["runtime"]
        return None if taken < 6 else f"a limit of 2 s took {taken} s"

    argv = ("solve", "p.npz", "--max-runtime", "2", "--json", "--threads", "1")
    return Case(f"{count} equal points", Expect.WORK, argv, files={"p.npz": make}, check=check)


GENERATORS = [
    Generator("degenerate", degenerate, 8),
    Generator("signals", signals, 1),
    Generator("signals in training", signals_in_training, 0.2, torch=True),
    Generator("streams", streams, 2),
    Generator("full disks", disks, 1.5),
    Generator("small machines", memory, 2),
    Generator("sizes", sizes, 0.2),
    Generator("equal points", equal_points, 0.03),
]
