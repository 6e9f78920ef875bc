"""A run that is stopped, killed or damaged: it is resumed exactly, or there is a clear error."""

import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from sil import InputError
from sil._native import Interrupt
from sil.train import fit, run_state
from sil.train.loop import Training
from tests.train.runs import CrashError, Recorded, assert_same_run, small_config, toml


@pytest.mark.parametrize(
    ("kind", "begin"), [("TSP", "warm-up"), ("TSP", "insertion"), ("CVRP", "insertion")]
)
def test_a_run_that_crashes_again_and_again_ends_as_if_nothing_had_happened(
    tmp_path, monkeypatch, kind, begin
):
    monkeypatch.setattr(run_state, "_SECONDS_BETWEEN_SAVES", 0.0)
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


def test_a_resumed_epoch_that_diverges_returns_to_its_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr(run_state, "_SECONDS_BETWEEN_SAVES", 0.0)
    real, config = fit.Fitter.step, small_config(begin="insertion")
    steps, crash_at = 0, 0

    def sometimes(self, examples, rate, weight=None):
        nonlocal steps
        steps += 1
        if steps == crash_at:
            raise CrashError
        if steps in (8, 11):  # in the second epoch, and again after the rollback
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


def test_a_run_that_is_stopped_resumes_where_it_was(tmp_path, finished):
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


def test_a_finished_run_has_nothing_more_to_do(finished):
    before = (finished[0] / "best.safetensors").read_bytes()
    display = Recorded()
    assert Training(small_config(), finished[0], 1, display=display).run()
    assert display.rows == []
    assert (finished[0] / "best.safetensors").read_bytes() == before


def test_a_full_disk_is_an_error_and_the_last_checkpoint_stays(tmp_path, finished, monkeypatch):
    def stop(number: int) -> None:
        if number == 30:
            raise CrashError

    def no_space(self, data):
        raise OSError(28, "No space left on device")

    with pytest.raises(CrashError):
        Training(small_config(), tmp_path / "run", 1, display=Recorded(stop)).run()
    before = (tmp_path / "run/checkpoint.pt").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", no_space)
        with pytest.raises(InputError, match="No space left"):
            Training(small_config(), tmp_path / "run", 1).run()
    assert (tmp_path / "run/checkpoint.pt").read_bytes() == before
    assert Training(small_config(), tmp_path / "run", 1).run()
    assert_same_run(finished[0], tmp_path / "run")


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
        lambda values: values["progress"].update({"history": [3]}),
        lambda values: values["progress"]["history"][0].update({"loss": "low"}),
        lambda values: values["progress"].update({"future": 1}),
    ],
)
def test_a_checkpoint_of_another_run_is_a_clear_error(tmp_path, finished, change):
    folder = tmp_path / "run"
    shutil.copytree(finished[0], folder)
    path = folder / "checkpoint.pt"
    values = torch.load(path, weights_only=True)
    change(values)
    torch.save(values, path)
    with pytest.raises(InputError, match=r"checkpoint\.pt: cannot be read .* from a copy"):
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
