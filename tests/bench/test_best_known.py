import csv
from importlib.resources import files

import numpy as np
import pytest

from sil import Problem
from sil.bench.best_known import best_known, read_best_known
from sil.bench.cited import cited
from sil.errors import InputError

NEWEST = {
    "Antwerp1": 477_277, "Antwerp2": 291_350, "Ghent1": 469_483, "Ghent2": 257_563,
    "Brussels1": 501_584, "Brussels2": 345_057, "Flanders1": 7_238_970, "Flanders2": 4_367_291,
}  # fmt: skip


def belgian(name: str, customers: int) -> Problem:
    demand = np.ones(customers + 1, dtype=int)
    demand[0] = 0
    return Problem(np.random.default_rng(0).random((customers + 1, 2)), demand, 10, name=name)


def test_the_newest_values_are_shipped_and_the_papers_stay_as_cited():
    text = files("sil.bench").joinpath("best_known.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["instance"]: int(row["best_known"]) for row in rows} == NEWEST
    assert all(row["as_of"] and row["source"] for row in rows)
    papers = {c.set_name: int(c.value) for c in cited() if c.method == "BKS"}
    assert papers["Ghent1"] == 469_531
    assert all(papers[name] >= value for name, value in NEWEST.items())


def test_of_two_values_the_smaller_counts():
    ghent = belgian("Ghent1", 10_000)
    ours = best_known("Ghent1", ghent)
    assert (ours.cost, ours.origin) == (469_483, "best known (2026-11)")
    assert best_known("Ghent1", ghent, 469_531.0) == ours
    assert best_known("Ghent1", ghent, 469_483.0) == ours
    users = best_known("Ghent1", ghent, 469_000.0)
    assert (users.cost, users.origin) == (469_000, "best known")


def test_another_instance_of_the_same_name_is_not_meant():
    assert best_known("Ghent1", belgian("Ghent1", 50)) is None
    assert best_known("Ghent1", belgian("Ghent1", 50), 7.0).cost == 7.0


def test_a_users_table_that_names_one_twice_gives_the_smaller(tmp_path):
    table = tmp_path / "best_known.csv"
    table.write_text("instance,best_known\na,5\na,4\na,6\n")
    assert read_best_known(table) == {"a": 4.0}


@pytest.mark.parametrize(
    "text",
    [
        b"name,cost\na,4\n", b"instance,best_known\na\n", b"instance,best_known\na,nan\n",
        b"instance,best_known\na,inf\n", b"instance,best_known\na,-1\n",
        b"best_known,instance\n4\n",
        b"instance,best_known\na,\xff\n", b'instance,best_known\n"a\nb",4\n',
        b"instance,best_known\n" + b"x" * 200_000 + b",4\n",
    ],
)  # fmt: skip
def test_a_damaged_table_is_an_input_error(tmp_path, text):
    table = tmp_path / "best_known.csv"
    table.write_bytes(text)
    with pytest.raises(InputError, match="needs the columns"):
        read_best_known(table)


def test_a_table_that_is_a_folder_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_best_known(tmp_path)
