"""A few minutes of imitation, to have weights at all until the training proper exists.

Labels are tours and routes put in order by iterated k-opt. Run it as
``python -m sil.train.standin TSP fast 300 weights.safetensors``.
"""

import math
import sys
import time
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from sil import _native
from sil.construct import construct
from sil.generate import Distribution, generate_cvrp, generate_tsp
from sil.neighbours import nearest
from sil.policy.config import Frame, PolicyConfig, preset
from sil.policy.model import Policy
from sil.policy.weights import save
from sil.problem import Problem
from sil.solution import Solution
from sil.train.states import concatenate, draw_examples

BATCH = 256
PEAK_RATE = 2e-3
LONGEST = 200


def labelled(config: PolicyConfig, seed: int) -> tuple[Problem, Solution]:
    """Draw an instance and a good solution of it."""
    rng = np.random.default_rng(seed)
    distribution = rng.choice(list(Distribution), p=[0.7, 0.15, 0.15])
    if config.problem == "TSP":
        problem = generate_tsp(1_000, seed, distribution)
        start = construct(problem, "greedy")
        order = np.roll(start.nodes, -int(np.argmax(start.nodes == 0)))[1:]
        starts = np.zeros(1, dtype=np.int32)
    else:
        capacity = int(rng.choice([60, 120, 250, 500]))
        problem = generate_cvrp(1_000, seed, distribution, capacity)
        candidates = [construct(problem, name) for name in ("savings", "sweep")]
        start = min(candidates, key=lambda solution: solution.cost(problem))
        assert start.via_depot is not None
        order, starts = start.nodes, np.flatnonzero(start.via_depot).astype(np.int32)
    near = nearest(problem, np.arange(problem.dimension, dtype=np.int32), 8)
    improved = _native.improve_order(
        problem.geometry, order, starts, near, 10.0, seed, 1, _native.Interrupt()
    )
    if config.problem == "TSP":
        return problem, Solution(np.insert(improved, 0, 0))
    return problem, Solution(improved, start.via_depot)


def batch(
    config: PolicyConfig, pool: list[tuple[Problem, Solution]], rng: np.random.Generator
) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
    """Draw a batch: the network's inputs, the allowed actions, and the labels."""
    drawn, count = [], 0
    while count < BATCH:
        problem, solution = pool[rng.integers(len(pool))]
        length = int(rng.integers(4, LONGEST))
        drawn.append(draw_examples(problem, solution, config, length, rng))
        count += len(drawn[-1].label)
    joined = concatenate(drawn)
    seen = joined.features
    arrays = (seen.nodes, seen.start, seen.destination, seen.context, joined.valid)
    return (
        [torch.from_numpy(array[:BATCH]) for array in arrays],
        torch.from_numpy(joined.allowed[:BATCH]),
        torch.from_numpy(joined.label[:BATCH]),
    )


def reflect(inputs: list[torch.Tensor], frame: Frame) -> None:
    """Mirror the states in place: the second coordinate of the nodes, the ends and the depot."""
    height = 0.0 if frame is Frame.STEP else 1.0
    nodes, start, destination, context, _ = inputs
    for tensor, column in ((nodes, 1), (start, 1), (destination, 1), (context, 2)):
        if column < tensor.shape[-1]:
            tensor[..., column] = height - tensor[..., column]


def train(config: PolicyConfig, seconds: float, path: Path, instances: int = 400) -> None:
    """Imitate the labels for so many seconds and write the weights."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    pool = [labelled(config, seed) for seed in range(instances)]
    print(f"{instances} labelled instances", flush=True)
    policy = Policy(config)
    optimiser = torch.optim.AdamW(policy.parameters(), lr=PEAK_RATE, weight_decay=1e-4)
    begun, step, shown = time.perf_counter(), 0, [0.0, 0.0]
    while (spent := (time.perf_counter() - begun) / seconds) < 1:
        rate = PEAK_RATE * min(1.0, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * spent))
        for group in optimiser.param_groups:
            group["lr"] = rate
        inputs, allowed, label = batch(config, pool, rng)
        if rng.random() < 0.5:
            reflect(inputs, config.frame)
        logits = policy(*inputs).masked_fill(~allowed, -torch.inf).flatten(1)
        loss = torch.nn.functional.cross_entropy(logits, label)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimiser.step()
        step += 1
        accuracy = (logits.argmax(dim=1) == label).float().mean().item()
        shown = [0.98 * a + 0.02 * b for a, b in zip(shown, (loss.item(), accuracy), strict=True)]
        if step % 100 == 0:
            print(
                f"step {step} {spent:.0%} loss {shown[0]:.3f} accuracy {shown[1]:.3f}", flush=True
            )
    save(path, config, {name: value.numpy() for name, value in policy.state_dict().items()})


if __name__ == "__main__":
    kind, name, budget, target = sys.argv[1:]
    torch.set_num_threads(1)
    problem_kind: Literal["TSP", "CVRP"] = "TSP" if kind == "TSP" else "CVRP"
    train(preset(name, problem_kind), float(budget), Path(target))
