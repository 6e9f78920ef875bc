import csv
import pickle
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from sil import InputError, NativePolicy, generate_cvrp, generate_tsp
from sil._native import Interrupt
from sil.errors import SilError
from sil.policy.weights import load
from sil.train import fit, loop
from sil.train.checkpoint import Checkpoint
from sil.train.config import parse_config
from sil.train.loop import Training
from sil.train.pool import Pool
from tests.train.runs import Recorded, small_config, toml

TIMES = ("seconds", "states_per_second")


class CrashError(Exception):
    pass


def log_of(folder) -> list[dict[str, str]]:
    with (folder / "log.csv").open(newline="") as file:
        return [
            {key: value for key, value in row.items() if key not in TIMES}
            for row in csv.DictReader(file)
        ]


def weights_of(folder) -> dict[str, torch.Tensor]:
    return Checkpoint.load(folder / "checkpoint.pt").fitter["policy"]


def assert_same_run(one, other) -> None:
    assert log_of(one) == log_of(other)
    for folder in (one, other):
        assert Checkpoint.load(folder / "checkpoint.pt").progress.stage == 2
    ours, theirs = weights_of(one), weights_of(other)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    for name, array in load(one / "best.safetensors")[1].items():
        assert np.array_equal(array, load(other / "best.safetensors")[1][name])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Folder and display of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("run") / "whole"
    display = Recorded()
    assert Training(small_config(), folder, 1, display=display).run()
    return folder, display


def test_a_run_goes_through_all_stages_and_leaves_a_policy_that_works(finished):
    folder, display = finished
    places = [(row["stage"], row["episode"], row["epoch"]) for row in display.rows]
    assert places == [
        (1, 0, 0), (1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 0, 0), (2, 1, 1),
    ]  # fmt: skip
    assert [row["nodes"] for row in display.rows] == [24] * 5 + [40] * 2
    labels = [row["label_gap"] for row in display.rows]
    assert labels[1] < labels[0]
    problem, (config, weights) = generate_tsp(80), load(folder / "best.safetensors")
    assert config.candidates == 8
    assert NativePolicy(config, weights).construct(problem).check(problem) == []


def test_a_run_may_go_on_from_given_weights(finished, tmp_path):
    given = finished[0] / "best.safetensors"
    text = f'weights = "{given}"\n' + toml(begin="insertion")
    interrupt = Interrupt()
    display = Recorded(lambda number: interrupt.set())
    assert not Training(parse_config(text), tmp_path / "on", 1, interrupt, display).run()
    kept = Checkpoint.load(tmp_path / "on" / "checkpoint.pt")
    for name, array in load(given)[1].items():
        assert np.array_equal(kept.best_weights[name].numpy(), array)
    # It knows something, so it can begin solutions in the first episode already.
    display = Recorded()
    assert Training(parse_config(text), tmp_path / "on", 1, display=display).run()
    assert any(doing.startswith("episode 1, beginning") for doing in display.statuses)


@pytest.mark.parametrize(
    ("weights", "says"), [("fast", "another shape"), ("none.safetensors", "no such file")]
)
def test_weights_that_do_not_fit_are_an_error(tmp_path, weights, says):
    config = parse_config(f'weights = "{weights}"\n' + toml(begin="insertion"))
    with pytest.raises(InputError, match=says):
        Training(config, tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()  # so that the corrected one can begin there


def test_the_log_is_what_was_shown(finished):
    folder, display = finished
    found = log_of(folder)
    assert len(found) == len(display.rows)
    assert [float(row["prc_gap"]) for row in found] == [row["prc_gap"] for row in display.rows]


@pytest.mark.parametrize("begin", ["insertion", "warm-up"])
def test_cvrp_is_trained_by_the_same_loop(tmp_path, begin):
    assert Training(small_config("CVRP", begin), tmp_path / "run", 1).run()
    problem = generate_cvrp(60)
    policy = NativePolicy(*load(tmp_path / "run/best.safetensors"))
    assert policy.construct(problem).check(problem) == []


@pytest.mark.parametrize(
    ("kind", "begin"), [("TSP", "warm-up"), ("TSP", "insertion"), ("CVRP", "insertion")]
)
def test_a_run_that_crashes_again_and_again_ends_as_if_nothing_had_happened(
    tmp_path, monkeypatch, kind, begin
):
    monkeypatch.setattr(loop, "_SECONDS_BETWEEN_SAVES", 0.0)
    config, moment = small_config(kind, begin), 0
    assert Training(config, tmp_path / "whole", 1).run()

    def crash(number: int) -> None:
        if number == moment:
            raise CrashError

    for attempt in range(40):
        moment = 3 + 2 * attempt
        try:
            training = Training(config, tmp_path / "run", 1, display=Recorded(crash))
            if training.run():
                break
        except CrashError:
            pass
    assert attempt > 3
    assert_same_run(tmp_path / "whole", tmp_path / "run")


def test_a_resumed_epoch_that_diverges_goes_back_to_its_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "_SECONDS_BETWEEN_SAVES", 0.0)
    real, config = fit.Fitter.step, small_config(begin="insertion")
    steps, crash_at = 0, 0

    def sometimes(self, examples, rate, weight=None):
        nonlocal steps
        steps += 1
        if steps == crash_at:
            raise CrashError
        if steps in (8, 11):  # in the second epoch, and again after it was rolled back
            raise fit.DivergedError
        return real(self, examples, rate, weight)

    monkeypatch.setattr(fit.Fitter, "step", sometimes)
    assert Training(config, tmp_path / "whole", 1).run()
    steps, crash_at = 0, 7
    with pytest.raises(CrashError):
        Training(config, tmp_path / "run", 1).run()
    steps, crash_at = 6, 0
    assert Training(config, tmp_path / "run", 1).run()
    assert_same_run(tmp_path / "whole", tmp_path / "run")


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path, finished):
    for _ in range(100):
        interrupt = Interrupt()
        display = Recorded(lambda number, stop=interrupt: number == 9 and stop.set())
        if Training(small_config(), tmp_path / "run", 1, interrupt, display).run():
            break
    assert_same_run(finished[0], tmp_path / "run")


def test_kill_9_loses_nothing(tmp_path, finished):
    config = tmp_path / "small.toml"
    config.write_text(toml())
    command = [sys.executable, "-m", "sil", "train", str(config), "--threads", "1"]
    command += ["--out", str(tmp_path / "run")]
    run = tmp_path / "run"

    def has_rows(count: int) -> bool:
        log = run / "log.csv"
        return log.exists() and log.read_text().count("\n") > count

    for reached in (
        (run / "checkpoint.pt").exists,
        (run / "stage-1/labels").exists,
        (run / "stage-1/reference").exists,
        lambda: has_rows(1),
        lambda: has_rows(3),
    ):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while process.poll() is None and not reached():
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "best.safetensors" in done.stdout
    assert_same_run(finished[0], tmp_path / "run")


def test_another_configuration_is_refused_with_the_difference(finished):
    changed = parse_config(toml().replace("states = 160", "states = 161"))
    with pytest.raises(InputError, match=r"stages\.0\.states: 160, now 161"):
        Training(changed, finished[0])
    turned = toml().replace("policy = 3, search = 1", "search = 1, policy = 3")
    with pytest.raises(InputError, match=r"improve: policy, search, now search, policy"):
        Training(parse_config(turned), finished[0])


def test_a_finished_run_has_nothing_more_to_do(finished):
    before = (finished[0] / "best.safetensors").read_bytes()
    display = Recorded()
    assert Training(small_config(), finished[0], 1, display=display).run()
    assert display.rows == []
    assert (finished[0] / "best.safetensors").read_bytes() == before


def test_divergence_is_rolled_back_and_told(tmp_path, monkeypatch):
    real, steps = fit.Fitter.step, 0

    def sometimes(self, examples, rate, weight=None):
        nonlocal steps
        steps += 1
        if steps == 3:
            raise fit.DivergedError
        return real(self, examples, rate, weight)

    monkeypatch.setattr(fit.Fitter, "step", sometimes)
    display = Recorded()
    assert Training(small_config(begin="insertion"), tmp_path / "run", 1, display=display).run()
    assert display.said == ["diverged: back to the last epoch, with the rate times 0.5"]
    assert len(display.rows) == 7
    assert [row["rollbacks"] for row in display.rows] == [0, 1, 1, 1, 1, 0, 0]


def test_the_rate_rises_and_falls_in_every_stage(tmp_path, monkeypatch):
    real, rates = fit.Fitter.step, []

    def noted(self, examples, rate, weight=None):
        rates.append(rate)
        return real(self, examples, rate, weight)

    monkeypatch.setattr(fit.Fitter, "step", noted)
    config = parse_config(toml(begin="insertion").replace("batch = 32", "batch = 32\nramp = 2"))
    assert Training(config, tmp_path / "run", 1).run()
    assert len(rates) == 4 * 5 + 3
    for stage, highest in ((rates[:20], 3e-3), (rates[20:], 1e-3)):
        assert stage[0] == pytest.approx(highest / 2)
        assert max(stage[1:]) < highest
        assert stage[1:] == sorted(stage[1:], reverse=True)


def test_a_folder_is_for_one_run_at_a_time(tmp_path):
    first = Training(small_config(), tmp_path, 1)
    with pytest.raises(InputError, match="another run is at work"):
        Training(small_config(), tmp_path, 1)
    first.run()
    assert Training(small_config(), tmp_path, 1).run()


def test_a_run_leaves_what_is_the_user_s(tmp_path):
    files = [".git-credentials", ".pre-commit-config.yaml", ".cache-x/deep/file", "notes.md"]
    files += [".sil-scratch-mine", ".sil-scratch-mine.pt", ".sil-scratch/mine", ".log-2.csv"]
    files += ["stage-1/.keep-this", "stage-1/.cache-x/file", ".checkpoint-abcd1234.pt"]
    stopped = Interrupt()
    stopped.set()
    assert not Training(small_config(), tmp_path, 1, stopped).run()
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / ".sil-scratch-0123456789abcdef").mkdir()
    (tmp_path / ".sil-scratch-fedcba9876543210").symlink_to("notes.md")
    (tmp_path / ".sil-scratch-00000000deadbeef.pt").write_bytes(b"half of a checkpoi")
    (tmp_path / ".sil-scratch/pool").mkdir()
    (tmp_path / ".sil-scratch/pool/coords.npy").write_bytes(b"half of a poo")
    assert Training(small_config(), tmp_path, 1).run()
    assert {name: (tmp_path / name).read_text() for name in files} == {n: n for n in files}
    assert (tmp_path / ".sil-scratch-0123456789abcdef").is_dir()
    assert (tmp_path / ".sil-scratch-fedcba9876543210").is_symlink()
    # What a killed run had begun is gone.
    assert not (tmp_path / ".sil-scratch-00000000deadbeef.pt").exists()
    assert not (tmp_path / ".sil-scratch/pool").exists()


@pytest.mark.parametrize("threads", [0, -1, 2**31])
def test_threads_that_no_machine_has_are_refused(tmp_path, threads):
    with pytest.raises(InputError, match="1 to 1024"):
        Training(small_config(), tmp_path / "run", threads)
    assert not (tmp_path / "run").exists()


def test_instances_that_do_not_fit_into_memory_are_refused(tmp_path):
    huge = (
        toml().replace("instances = 6", "instances = 100").replace("nodes = 24", "nodes = 9999999")
    )
    with pytest.raises(InputError, match=r"stage 1, with 100 instances of 9,999,999 nodes, needs"):
        Training(parse_config(huge), tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()


def test_solutions_are_on_the_disk_before_a_checkpoint_relies_on_them(tmp_path, monkeypatch):
    unflushed, saves = set(), 0

    def put(self, *arguments, real=Pool.put):
        unflushed.add(self._folder)
        real(self, *arguments)

    def flush(self, real=Pool.flush):
        unflushed.discard(self._folder)
        real(self)

    def save(self, path, real=Checkpoint.save):
        nonlocal saves
        saves += 1
        assert not unflushed
        real(self, path)

    for kind, name, noted in (
        (Pool, "put", put), (Pool, "flush", flush), (Checkpoint, "save", save),
    ):  # fmt: skip
        monkeypatch.setattr(kind, name, noted)
    assert Training(small_config(), tmp_path / "run", 1).run()
    assert saves > 5


def test_endless_divergence_is_an_error(tmp_path, monkeypatch):
    def never(self, examples, rate, weight=None):
        raise fit.DivergedError

    monkeypatch.setattr(fit.Fitter, "step", never)
    with pytest.raises(SilError, match="lower rate"):
        Training(small_config(begin="insertion"), tmp_path / "run", 1).run()


def test_a_full_disk_is_an_error_and_the_last_checkpoint_stays(tmp_path, finished, monkeypatch):
    def stop(number: int) -> None:
        if number == 30:
            raise CrashError

    with pytest.raises(CrashError):
        Training(small_config(), tmp_path / "run", 1, display=Recorded(stop)).run()
    from pathlib import Path

    before = (tmp_path / "run/checkpoint.pt").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", _no_space)
        with pytest.raises(InputError, match="No space left"):
            Training(small_config(), tmp_path / "run", 1).run()
    assert (tmp_path / "run/checkpoint.pt").read_bytes() == before
    assert Training(small_config(), tmp_path / "run", 1).run()
    assert_same_run(finished[0], tmp_path / "run")


def _no_space(self, data):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values.pop("fitter"),
        lambda values: values["fitter"].pop("optimiser"),
        lambda values: values["fitter"]["policy"].popitem(),
        lambda values: values["best_weights"].update({"encoder.bias": torch.zeros(3)}),
        lambda values: values["progress"].update({"stage": 7}),
        lambda values: values["progress"].update({"stage": "one"}),
        lambda values: values["progress"].update({"history": [{}]}),
        lambda values: values["progress"].update({"future": 1}),
    ],
)
def test_a_checkpoint_that_is_none_of_this_run_is_a_clear_error(tmp_path, finished, change):
    folder = tmp_path / "run"
    shutil.copytree(finished[0], folder)
    path = folder / "checkpoint.pt"
    values = torch.load(path, weights_only=True)
    change(values)
    torch.save(values, path)
    with pytest.raises(InputError, match=r"checkpoint\.pt: cannot be read .* put back a copy"):
        Training(small_config(), folder, 1)


def test_a_damaged_checkpoint_is_a_clear_error(tmp_path, finished):
    folder = tmp_path / "run"
    shutil.copytree(finished[0], folder)
    path = folder / "checkpoint.pt"
    whole = path.read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2], pickle.dumps([1, 2])):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"checkpoint\.pt: cannot be read"):
            Training(small_config(), folder, 1)


def test_two_processes_learn_like_one_with_twice_the_batch(tmp_path):
    # That each step is the same is tested with `Processes`; here the whole command runs.
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    longer = toml(begin="insertion").replace("instances = 6", "instances = 40")
    longer = longer.replace("states = 160", "states = 3200").replace("episodes = 2", "episodes = 1")
    longer = longer[: longer.rindex("[[stages]]")]
    two.write_text(longer)
    one.write_text(longer.replace("batch = 32", "batch = 64"))
    python = [sys.executable, "-m"]
    many = [*python, "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    for launch, config in ((python, one), (many, two)):
        command = [*launch, "sil", "train", str(config), "--out", str(config.with_suffix(""))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("best.safetensors") == 1
    single, double = (log_of(tmp_path / name) for name in ("one", "two"))
    assert [row["steps"] for row in single] == [row["steps"] for row in double]
    losses = [[float(row["loss"]) for row in rows[1:]] for rows in (single, double)]
    assert losses[1][-1] < losses[1][0]
    # Runs with other seeds differ by as much.
    assert np.allclose(*losses, rtol=0.3)
