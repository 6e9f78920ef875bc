"""Fit the edge network to tours: it says which candidates are likely beside a node."""

from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from sil._native import EDGE_CANDIDATES, Interrupt, edge_features
from sil.errors import StoppedError
from sil.neighbours import nearest
from sil.policy.edges import LAYER_SIZES
from sil.problem import Problem
from sil.solution import Solution
from sil.train.edge_config import EdgeConfig

Examples = tuple[NDArray[np.float32], NDArray[np.bool_]]


def examples_of(problem: Problem, tour: Solution) -> Examples:
    """Return what the network sees of each node, and which candidates are beside it in the tour.

    Returns
    -------
    features
        Shape (n, inputs).
    is_beside
        Shape (n, candidates).
    """
    candidates = problem.instance.candidates(nearest(problem, EDGE_CANDIDATES), 1, Interrupt())
    assert candidates is not None  # nothing interrupts it
    beside = np.empty((problem.dimension, 2), dtype=np.int32)
    beside[tour.nodes] = np.stack([np.roll(tour.nodes, 1), np.roll(tour.nodes, -1)], axis=1)
    lists = candidates.lists.lists  # (n, candidates)
    is_beside = (lists == beside[:, :1]) | (lists == beside[:, 1:])
    return edge_features(problem.instance, candidates), is_beside


def fit(
    examples: Examples, config: EdgeConfig, seed: int, interrupt: Interrupt
) -> list[NDArray[np.float32]]:
    """Train a network from random weights; return weights and bias of each layer.

    Raises `StoppedError` when interrupted.
    """
    features, targets = (
        torch.from_numpy(each) for each in examples
    )  # (n, inputs), (n, candidates)
    mean, scale = features.mean(0), features.std(0) + 1e-3
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = [nn.Linear(a, b) for a, b in pairwise(LAYER_SIZES)]
        network = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
        optimiser = torch.optim.AdamW(network.parameters(), weight_decay=1e-3)
        batches = max(1, len(features) // config.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, config.rate, total_steps=config.epochs * batches
        )
        for _ in range(config.epochs):
            for batch in torch.randperm(len(features)).tensor_split(batches):
                StoppedError.raise_if(interrupt)
                logits = network((features[batch] - mean) / scale)
                loss = functional.binary_cross_entropy_with_logits(logits, targets[batch].float())
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                schedule.step()
    with torch.no_grad():
        # The first layer then takes features as they are.
        layers[0].weight /= scale
        layers[0].bias.sub_(layers[0].weight @ mean)
    return [each.detach().numpy() for layer in layers for each in (layer.weight, layer.bias)]


def loss_of(layers: list[NDArray[np.float32]], examples: Examples) -> float:
    """Return the mean loss of a network on examples."""
    hidden, targets = torch.from_numpy(examples[0]), torch.from_numpy(examples[1]).float()
    for index in range(0, len(layers), 2):
        weight, bias = map(torch.from_numpy, layers[index : index + 2])
        hidden = functional.linear(hidden if index == 0 else functional.relu(hidden), weight, bias)
    return float(functional.binary_cross_entropy_with_logits(hidden, targets))
