"""Training on the user's own instances, stopped and resumed, from Python."""

import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
import torch

import sil
from sil._native import Interrupt
from sil.policy.pytorch import TorchPolicy
from sil.train.config import parse_config
from sil.train.log import read_log
from tests.train.runs import assert_same_run, log_without_times, small_config, toml

ROOT = Path(__file__).parents[2]


def own_problems(kind: str = "TSP") -> list[sil.Problem]:
    draw = sil.generate_tsp if kind == "TSP" else sil.generate_cvrp
    return [draw(15 + 3 * seed, seed) for seed in range(8)]


def own_generator(nodes: int, seed: int) -> sil.Problem:
    return sil.generate_tsp(nodes - seed % 5, seed, sil.Distribution.CLUSTERED)


def files_of(folder, problems) -> list:
    folder.mkdir()
    paths = [folder / f"{index}.json" for index in range(len(problems))]
    for path, problem in zip(paths, problems, strict=True):
        sil.write(path, problem)
    return paths


def test_a_run_is_started_and_finished(tmp_path):
    threads = torch.get_num_threads()
    result = sil.train_policy(small_config(begin="insertion"), tmp_path / "run", threads=1)
    assert result.finished
    assert result.weights == tmp_path / "run/best.safetensors"
    # As text, for NaN is not equal to itself.
    assert repr(list(result.history)) == repr(read_log(tmp_path / "run"))
    problem = sil.generate_tsp(50)
    policy = sil.NativePolicy.load(problem, result.weights)
    assert policy.construct(problem).check(problem) == []
    assert torch.get_num_threads() == threads


def test_it_trains_like_the_command(tmp_path, finished):
    path = tmp_path / "small.toml"
    path.write_text(toml())
    for config, name in ((path, "path"), (str(path), "text"), (parse_config(toml()), "object")):
        assert sil.train_policy(config, str(tmp_path / name), threads=1).finished
        assert_same_run(finished[0], tmp_path / name)


@pytest.mark.parametrize("kind", ["TSP", "CVRP"])
def test_a_device_trains_and_runs_the_policy_like_the_engine(tmp_path, monkeypatch, kind):
    config = small_config(kind)
    assert sil.train_policy(config, tmp_path / "engine", threads=1).finished
    decoded = []
    rebuild_many = TorchPolicy.rebuild_many

    def watched(self, batch, **options):
        decoded.append(self.device.type)
        return rebuild_many(self, batch, **options)

    monkeypatch.setattr(TorchPolicy, "rebuild_many", watched)
    assert sil.train_policy(config, tmp_path / "device", threads=1, device="cpu").finished
    assert set(decoded) == {"cpu"}
    on_engine, on_device = (read_log(tmp_path / name) for name in ("engine", "device"))
    # Only rounding differs.
    assert [row.loss for row in on_device] == pytest.approx(
        [row.loss for row in on_engine], rel=0.02, nan_ok=True
    )
    problem = own_problems(kind)[0]
    policy = sil.NativePolicy.load(problem, tmp_path / "device/best.safetensors")
    assert policy.construct(problem).check(problem) == []


def test_a_device_that_is_not_there_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(sil.InputError, match="cannot use the device"):
        sil.train_policy("tiny", tmp_path / "run", device="cuda:99")
    assert not (tmp_path / "run").exists()


def test_a_shipped_configuration_is_named(tmp_path):
    result = sil.train_policy("tiny", tmp_path / "run", max_runtime=0)
    assert not result.finished
    assert result.weights is None
    assert result.history == ()


@pytest.mark.parametrize("source", ["files", "problems", "generator", "function"])
def test_own_instances_give_the_same_run_after_every_stop(tmp_path, source):
    files = files_of(tmp_path / "files", own_problems())
    given = {
        "files": lambda: files,
        "problems": own_problems,
        "generator": lambda: (sil.generate_tsp(20 + seed % 7, seed) for seed in count()),
        "function": lambda: own_generator,
    }[source]
    config = small_config(begin="insertion")
    whole = sil.train_policy(config, tmp_path / "whole", given(), threads=1)
    assert whole.finished
    calls, finished = 0, False
    while not finished and calls < 200:
        calls += 1
        stop, states = Interrupt(), []

        def stop_soon(*arguments, stop=stop, states=states) -> None:
            states.append(arguments)
            if len(states) == 12:
                stop.set()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sil.train.display.Display.status", stop_soon)
            result = sil.train_policy(config, tmp_path / "run", given(), threads=1, interrupt=stop)
        finished = result.finished
    assert calls > 3
    assert_same_run(tmp_path / "whole", tmp_path / "run")


def test_own_cvrp_instances_of_different_sizes_are_trained_on(tmp_path):
    config = small_config("CVRP")
    assert sil.train_policy(config, tmp_path / "run", own_problems("CVRP"), threads=1).finished
    rows = log_without_times(tmp_path / "run")
    assert {row["nodes"] for row in rows} == {"36"}


def test_kill_9_loses_nothing_with_own_instances(tmp_path):
    """This module, started as a program, trains on drawn instances and is killed."""
    command = [sys.executable, "-m", "tests.train.test_train_policy", str(tmp_path / "run")]
    log = tmp_path / "run/log.csv"
    for rows in (1, 3):
        process = subprocess.Popen(command, cwd=ROOT)
        while process.poll() is None and not (log.exists() and log.read_text().count("\n") > rows):
            time.sleep(0.01)
        process.kill()
        process.wait()
    subprocess.run(command, check=True, cwd=ROOT)
    main(str(tmp_path / "whole"))
    assert_same_run(tmp_path / "whole", tmp_path / "run")


def test_other_problems_are_not_mixed_into_a_run(tmp_path):
    config = small_config(begin="insertion")
    assert not sil.train_policy(config, tmp_path / "run", own_problems(), max_runtime=0).finished
    for other in (None, own_problems()[:-1], own_problems()[::-1], own_generator):
        with pytest.raises(sil.InputError, match="other problems"):
            sil.train_policy(config, tmp_path / "run", other)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"config": 3}, "config is 3"),
        ({"config": "none.toml"}, "no such file"),
        ({"max_runtime": -1}, "max_runtime is -1"),
        ({"max_runtime": float("nan")}, "max_runtime is nan"),
        ({"max_runtime": "5"}, "max_runtime must be a number, not '5'"),
        ({"out": None}, "out is None"),
        ({"threads": 0}, "1 to 1024"),
        ({"problems": 3}, "problems is 3"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, arguments, says):
    usable = {"config": small_config(), "out": tmp_path / "run"}
    with pytest.raises(sil.InputError, match=says):
        sil.train_policy(**usable | arguments)
    assert not (tmp_path / "run").exists()


def test_progress_is_shown_if_asked_for(tmp_path, capsys):
    config = small_config(begin="insertion")
    sil.train_policy(config, tmp_path / "quiet", threads=1)
    assert capsys.readouterr() == ("", "")
    sil.train_policy(config, tmp_path / "shown", threads=1, show_progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "PRC10 gap" in shown.err


def test_the_package_stays_importable():
    assert sil.train.config.load_config("tiny").seed == 1


def main(folder: str) -> None:
    sil.train_policy(small_config(begin="insertion"), folder, own_generator, threads=1)


if __name__ == "__main__":
    main(sys.argv[1])
