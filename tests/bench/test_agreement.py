"""The report against a computation that shares no code with the package."""

import csv
import math
import re

import numpy as np
import vrplib

from sil import Metric, Problem, generate_tsp, io
from sil._native import Interrupt
from sil.bench.report import write_report
from sil.bench.run import Confines, run_suite
from sil.bench.suites import SUITES, Options, Scale


def test_gaps_agree_with_the_csv_and_the_instance_files(tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    coords = (1000 * generate_tsp(60).coords).round()
    io.write(data / "town.tsp", Problem(coords, metric=Metric.EUC_2D, name="town"))
    (data / "best_known.csv").write_text("instance,best_known\ntown,5700\n")
    groups = SUITES["library"].groups(Options(Scale.SMOKE, data))
    assert run_suite("library", groups, out, Confines(1), lambda *_: None, Interrupt())
    _, text = write_report(out)

    with (out / "results.csv").open(newline="") as file:
        costs = {row["method"]: float(row["cost"]) for row in csv.DictReader(file)}
    assert set(costs) == {"insertion", "greedy", "PRC2", "search"}
    for method, cost in costs.items():
        found = re.search(rf"^\| {method} \| [^,]+, ([+-][\d.]+),", text.read_text(), re.MULTILINE)
        assert float(found[1]) == round(100 * (cost / 5700 - 1), 2)

    places = vrplib.read_instance(data / "town.tsp", compute_edge_weights=False)["node_coord"]
    tour = np.load(out / "solutions" / "town" / "town.npz")["nodes"]
    steps = zip(places[tour].tolist(), places[np.roll(tour, -1)].tolist(), strict=True)
    assert min(costs.values()) == sum(int(math.dist(a, b) + 0.5) for a, b in steps)
    assert sorted(tour.tolist()) == list(range(60))
