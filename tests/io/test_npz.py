import subprocess
import sys
import zipfile

import numpy as np
import pytest

from sil import InputError, generate_cvrp, read, read_solution, write
from sil.io import npz

LOCS = np.zeros((3, 2))


def refused(path, message):
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize("name", ["a.NPZ", "a.Npz"])
def test_endings_in_capitals_are_written_whole(tmp_path, name):
    problem = generate_cvrp(20)
    write(tmp_path / name, problem)
    assert read(tmp_path / name) == problem
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_numpy_reads_what_is_written(tmp_path):
    problem = generate_cvrp(20)
    write(tmp_path / "a.npz", problem)
    with np.load(tmp_path / "a.npz") as arrays:
        assert np.array_equal(arrays["locs"], problem.coords[1:])
        assert str(arrays["name"]) == problem.name


def test_an_archive_that_unpacks_to_far_more_is_refused_unread(tmp_path):
    path = tmp_path / "bomb.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (20000000, 2), }"
    header = header.ljust(117) + b"\n"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("locs.npy", "w", force_zip64=True) as member,
    ):
        member.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for _ in range(32):
            member.write(bytes(10_000_000))
    assert path.stat().st_size < 500_000
    script = (
        "import resource, sys, sil\n"
        "limit = 1_500_000_000\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "try:\n    sil.read(sys.argv[1])\n"
        "except sil.InputError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    assert "would unpack to 320 MB" in done.stdout


def test_ten_million_equal_nodes_are_read_again(tmp_path):
    path = tmp_path / "a.npz"
    size = 10_000_000
    demand = np.ones(size, dtype=np.int64)
    npz.save(
        path,
        {
            "locs": np.zeros((size, 2), dtype=np.float32),
            "depot": np.zeros(2),
            "demand": demand,
            "capacity": np.array(9),
        },
    )
    found = npz.load(path, dict.fromkeys(("locs", "depot", "demand", "capacity"), "numbers"))
    assert np.array_equal(found["demand"], demand)


def test_a_header_that_claims_more_than_there_is(tmp_path):
    path = tmp_path / "a.npz"
    np.save(tmp_path / "a.npy", LOCS)
    content = (tmp_path / "a.npy").read_bytes()
    assert b"(3, 2), }   " in content
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("locs.npy", content.replace(b"(3, 2), }    ", b"(30000, 2), }"))
    refused(path, "not as long as its header says")


def test_what_does_not_fit_into_memory_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    np.savez(path, locs=LOCS)
    monkeypatch.setattr("sil.memory.available_memory", lambda: 50)
    refused(path, "needs 0.0 GB of memory")


def test_a_name_that_stands_there_twice(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, locs=LOCS)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("locs.npy", archive.read("locs.npy"))
    refused(path, "'locs' appears twice in this file")


def test_unknown_names_are_refused_unread(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, **{"locs": LOCS, "tw\x1b[31m": LOCS})
    refused(path, r"'tw\\x1b\[31m' is not supported")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"locs": LOCS.astype(complex)}, "'locs' must contain numbers, not complex128"),
        ({"locs": LOCS.astype("M8[s]")}, "'locs' must contain numbers, not datetime64"),
        ({"locs": LOCS.astype("m8[s]")}, "'locs' must contain numbers, not timedelta64"),
        ({"locs": LOCS.astype(bool)}, "'locs' must contain numbers, not bool"),
        ({"locs": LOCS.astype(str)}, "'locs' must contain numbers, not <U"),
        ({"locs": LOCS, "name": np.array(3)}, "'name' must contain text"),
        ({"locs": LOCS, "metric": np.array(b"EUC_2D")}, "'metric' must contain text"),
        ({"locs": LOCS, "name": np.array("a\nb")}, "cannot be printed"),
        ({"locs": LOCS, "capacity": np.array(3)}, "'capacity' needs 'demand'"),
        ({"locs": LOCS, "vehicle_capacity": np.array(1)}, "needs 'demand'"),
    ],
)
def test_other_kinds_of_values_are_refused(tmp_path, values, message):
    np.savez(tmp_path / "a.npz", **values)
    refused(tmp_path / "a.npz", message)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nodes": np.array([1.0, 2.0])}, "'nodes' must contain whole numbers"),
        ({"nodes": np.array([True])}, "'nodes' must contain whole numbers"),
        (
            {"nodes": np.array([1]), "via_depot": np.array(["yes"])},
            "'via_depot' must contain flags",
        ),
        (
            {"nodes": np.array([1]), "via_depot": np.array([np.nan])},
            "'via_depot' must contain flags",
        ),
        ({"nodes": np.array([1]), "cost": np.array("9")}, "'cost' must contain numbers"),
        ({"nodes": np.array([2**40])}, "out of range"),
    ],
)
def test_other_kinds_of_values_in_solutions_are_refused(tmp_path, values, message):
    np.savez(tmp_path / "a.npz", **values)
    with pytest.raises(InputError, match=message):
        read_solution(tmp_path / "a.npz")


def test_the_name_of_a_file_becomes_a_name_that_can_be_printed(tmp_path):
    path = tmp_path / ("a\nb" + 240 * "c" + ".npz")
    with path.open("wb") as stream:
        np.savez(stream, locs=LOCS)
    assert read(path).name == "a_b" + 197 * "c"


def test_a_file_that_is_only_called_npz(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"PK\x05\x06nothing")
    refused(tmp_path / "a.npz", "not a complete npz file")
    np.savez(tmp_path / "b.npz", locs=LOCS)
    content = (tmp_path / "b.npz").read_bytes()
    (tmp_path / "b.npz").write_bytes(content.replace(b"NUMPY", b"NUMPA"))
    refused(tmp_path / "b.npz", "not a complete npz file")
