"""Benchmarks: folders of results, instances with odd names, best known values."""

import random
from dataclasses import replace

from tests.fuzz.case import Case, Expect, Generator
from tests.fuzz.mutate import BAD_NAMES, NAMES, spoil_text
from tests.fuzz.problems import random_instance

_HEAD = (
    "suite,set_name,instance,problem,nodes,method,seed,threads,memory_gb,seconds_asked,"
    "seconds_used,status,message,cost,reference,origin,gap_percent,peak_mb,growth_mb,machine,"
    "version,date"
)
_ROWS = [
    "uniform,tsp-60,{name},TSP,60,search,0,2,16.0,0.5,0.51,ok,,6.5,6.4,best,1.5,90.1,3.2,cpu,"
    '"0.1.0, 1",2026-01-01T00:00:00+00:00',
    "uniform,tsp-60,{name},TSP,60,greedy,0,2,16.0,0.0,0.01,ok,,7.5,6.4,best,17.0,90.1,3.2,cpu,"
    '"0.1.0, 1",2026-01-01T00:00:00+00:00',
    "library,{name},{name},CVRP,60,search,0,2,16.0,0.5,0.51,crash,{message},,,,,90.1,3.2,cpu,"
    '"0.1.0, 1",2026-01-01T00:00:00+00:00',
]


def report(rng: random.Random) -> Case:
    """Report on results that are right, oddly named, wrong in known ways, or spoiled anyhow."""
    kind = rng.randrange(4)
    name = rng.choice(NAMES) if kind == 0 else "a"
    quoted = '"' + name.replace('"', '""') + '"'
    message = rng.choice(["boom", "<b>", "a|b", "$x^$", "[red]x"])
    rows = [row.format(name=quoted, message=message) for row in _ROWS[: rng.randint(1, 3)]]
    content = "\n".join([_HEAD, *rows, ""]).encode()
    expect, what = Expect.WORK, f"results of {name!r}"
    if kind == 1:
        bad = rng.choice(
            [("60", "x"), ("ok", "fine"), ("90.1", "much"), ("16.0", ""), ("2,", "2.5,")]
        )
        content = content.replace(b"," + bad[0].encode(), b"," + bad[1].encode())
        expect, what = Expect.FAIL, f"results with {bad[1]!r}"
    elif kind == 2:
        content, expect, what = spoil_text(rng, content), Expect.EITHER, "spoiled results"
    elif kind == 3 and rng.random() < 0.5:
        content = rng.choice([b"", b"\n", _HEAD.encode(), _HEAD.encode() + b"\n", b"a,b\n1,2\n"])
        expect, what = Expect.FAIL, f"results {content[:12]!r}"
    return Case(
        what,
        expect,
        ("bench", "report", "b"),
        files={"b/results.csv": content},
        writes=("b/report.",),
    )


def library(rng: random.Random) -> Case:
    """Measure an instance whose file has an odd name inside."""
    instance = random_instance(rng, least=4, most=9)
    while instance.metric in ("EUCLIDEAN", "EXPLICIT"):
        instance = random_instance(rng, least=4, most=9)
    name = rng.choice(NAMES)
    content = replace(instance, name=name).text(instance.ending)
    best = rng.choice(["1", "100", "1e9"])
    files = {f"data/a{instance.ending}": content}
    files["data/best_known.csv"] = f"instance,best_known\na,{best}\n".encode()
    argv = ("bench", "library", "--data", "data", "--scale", "smoke", "--no-peers")
    return Case(
        f"library with the name {name!r}",
        Expect.WORK,
        (*argv, "--threads", "1", "--out", "b"),
        files=files,
        writes=("b",),
        seconds=120,
    )


def best_known(rng: random.Random) -> Case:
    """Refuse a library whose table or instances are wrong."""
    instance = random_instance(rng, least=4, most=9)
    while instance.metric in ("EUCLIDEAN", "EXPLICIT"):
        instance = random_instance(rng, least=4, most=9)
    content = instance.text(instance.ending)
    table = rng.choice(
        [
            b"",
            b"x",
            b"instance,best_known\n",
            b"instance,best_known\na,x\n",
            b"\xff\xfe\n",
            b"instance,best_known\na,nan\n",
            b"instance,best_known\na,0\n",
            b"instance\na\n",
            b"instance,best_known\na,-1\n",
            b"instance,best_known\na,inf\n",
            b"\x00",
            b"instance,best_known\na," + b"9" * 5000 + b"\n",
            b"instance,best_known\na,1,2\n" * 2,
        ]
    )
    if rng.random() < 0.4:
        table = b"instance,best_known\na,100\n"
        bad = rng.choice(
            [n for n in BAD_NAMES if "\n" not in n and "\ud800" not in n and n.strip() == n]
        )
        content = content.replace(b"NAME : x", b"NAME : " + bad.encode())
    files = {f"data/a{instance.ending}": content, "data/best_known.csv": table}
    argv = ("bench", "library", "--data", "data", "--scale", "smoke", "--no-peers", "--out", "b")
    return Case(
        f"library with {table[-20:]!r}", Expect.FAIL, argv, files=files, writes=("b",), seconds=120
    )


GENERATORS = [
    Generator("bench reports", report, 1),
    Generator("bench libraries", library, 0.05),
    Generator("bench tables", best_known, 0.3),
]
