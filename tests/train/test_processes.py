import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

from sil import generate_tsp
from sil.construct import construct
from sil.policy.config import Frame, PolicyConfig
from sil.policy.model import Policy
from sil.train.config import Optimiser
from sil.train.examples import Examples, concatenate, draw_examples
from sil.train.fit import Fitter
from sil.train.processes import Processes, is_first_process
from tests.train.runs import log_without_times, toml

ROOT = Path(__file__).parents[2]
TWO_PROCESSES = [
    sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m",
]  # fmt: skip
CONFIG = PolicyConfig("TSP", 16, 1, 2, 32, frame=Frame.STEP)


def drawn(seed: int, count: int) -> list[Examples]:
    """Draw batches, all of one width."""
    problem = generate_tsp(200)
    solution, rng = construct(problem, "greedy"), np.random.default_rng(seed)
    return [draw_examples(problem, solution, CONFIG, 20, 16, rng) for _ in range(count)]


def trained(processes: Processes, batches: list[Examples]) -> Policy:
    torch.manual_seed(0)
    fitter = Fitter(Policy(CONFIG), Optimiser(), processes)
    for batch in batches:
        fitter.step(batch, 1e-3)
    return fitter.policy


def test_two_processes_take_the_steps_of_one_with_both_batches(tmp_path):
    """This module, started twice by torchrun, trains on half of each batch."""
    command = [*TWO_PROCESSES, "tests.train.test_processes", str(tmp_path / "two.pt")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    two = Policy(CONFIG)
    two.load_state_dict(torch.load(tmp_path / "two.pt"))
    pairs = zip(drawn(0, 5), drawn(1, 5), strict=True)
    one = trained(Processes(), [concatenate(list(pair)) for pair in pairs])
    # Not the weights: some directions make hardly any difference, and follow noise.
    untrained = trained(Processes(), [])
    found, expected, before = (probabilities(policy) for policy in (two, one, untrained))
    assert torch.allclose(found, expected, atol=1e-4)
    assert (expected - before).abs().max() > 1e-3


def probabilities(policy: Policy) -> torch.Tensor:
    (batch,) = drawn(2, 1)
    with torch.inference_mode():
        return policy(*map(torch.from_numpy, batch.features.arrays())).flatten(1).softmax(dim=1)


def test_two_processes_learn_like_one_with_twice_the_batch(tmp_path):
    # The test above compares single steps; here the whole command runs.
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    longer = toml(begin="insertion").replace("instances = 6", "instances = 40")
    longer = longer.replace("states = 160", "states = 3200").replace("episodes = 2", "episodes = 1")
    longer = longer[: longer.rindex("[[stages]]")]
    two.write_text(longer)
    one.write_text(longer.replace("batch = 32", "batch = 64"))
    for launch, config in (([sys.executable, "-m"], one), (TWO_PROCESSES, two)):
        command = [*launch, "sil", "train", str(config), "--out", str(config.with_suffix(""))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("best.safetensors") == 1
    single, double = (log_without_times(tmp_path / name) for name in ("one", "two"))
    assert [row["steps"] for row in single] == [row["steps"] for row in double]
    losses = [[float(row["loss"]) for row in rows[1:]] for rows in (single, double)]
    assert losses[1][-1] < losses[1][0]
    # Runs with other seeds differ by as much.
    assert np.allclose(*losses, rtol=0.3)


def test_a_single_process_does_everything():
    processes = Processes()
    assert processes.is_first
    assert is_first_process()
    assert processes.share(range(7)) == range(7)
    assert processes.total(1.5, 2.0) == [1.5, 2.0]
    assert not processes.any(False)
    assert processes.any(True)


def main(path: str) -> None:
    processes = Processes()
    assert processes.size == 2
    assert list(processes.share(range(5))) == [[0, 2, 4], [1, 3]][processes.rank]
    assert processes.total(1.0 + processes.rank) == [3.0]
    policy = trained(processes, drawn(processes.rank, 5))
    if processes.is_first:
        torch.save(policy.state_dict(), path)
    processes.leave()


if __name__ == "__main__":
    main(sys.argv[1])
