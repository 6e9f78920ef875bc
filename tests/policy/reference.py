"""Decoding written in numpy and PyTorch, with nothing of the C++ engine, to compare it with."""

import numpy as np
import torch
from numpy.typing import NDArray

from sil.partial import PartialSolutions
from sil.policy.model import Policy
from sil.problem import Problem
from tests.policy.reference_features import States, boxes_for, features


class ReferenceDecoder:
    """Rebuilds partial solutions with a PyTorch policy, greedily.

    Parameters
    ----------
    policy
        The network, on the device that is to be used.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy.eval()
        self.config = policy.config
        self.device = next(policy.parameters()).device

    @torch.inference_mode()
    def rebuild(self, problem: Problem, parts: PartialSolutions) -> PartialSolutions:
        """Rebuild partial solutions between their ends (paper, section Local Reconstruction)."""
        count, length = parts.nodes.shape
        rows = np.arange(count)
        inner = parts.nodes[:, 1:-1]  # (m, w - 2)
        free = np.ones(inner.shape, dtype=np.bool_)
        order, flags = [parts.nodes[:, 0]], []
        boxes = boxes_for(self.config.frame, problem, parts.nodes)
        remaining = unserved = spare = None
        if problem.demand is not None and problem.capacity is not None:
            assert parts.via_depot is not None and parts.load_before is not None
            remaining = problem.capacity - parts.load_before - problem.demand[order[0]]
            unserved = problem.demand[inner].sum(axis=1)
            flags = [parts.via_depot[:, 0]]
            # Capacity that need not be used in the visits to the depot that the given order has.
            spare = remaining + problem.capacity * parts.via_depot[:, 1:].sum(axis=1)
            spare -= unserved + problem.demand[parts.nodes[:, -1]] + parts.load_after
        for _ in range(length - 2):
            left = int(free[0].sum())
            picked = self._nearest(problem, inner, free, order[-1], left)
            states = States(
                order[-1],
                parts.nodes[:, -1],
                inner[rows[:, None], picked],
                np.ones(picked.shape, dtype=np.bool_),
                remaining,
                parts.load_after,
                unserved,
                boxes,
            )
            best = self._best_actions(problem, states, spare)
            place = picked[rows, best // self.config.num_actions]
            node = inner[rows, place]
            free[rows, place] = False
            order.append(node)
            if problem.demand is not None and problem.capacity is not None:
                assert remaining is not None and unserved is not None and spare is not None
                via = best % 2 == 1
                spare = np.where(via, spare - remaining, spare)
                spare = np.where(spare < 0, spare + problem.capacity, spare)
                unserved = unserved - problem.demand[node]
                remaining = np.where(via, problem.capacity, remaining) - problem.demand[node]
                flags.append(via)
        order.append(parts.nodes[:, -1])
        nodes = np.stack(order, axis=1)
        if remaining is None or problem.demand is None or parts.load_after is None:
            return parts.rebuilt(nodes, None)
        flags.append(problem.demand[order[-1]] + parts.load_after > remaining)
        return parts.rebuilt(nodes, np.stack(flags, axis=1))

    @torch.inference_mode()
    def logits(self, problem: Problem, states: States) -> NDArray[np.float32]:
        """Score the candidates of each state, shape (b, k, actions)."""
        seen = features(problem, states, self.config)
        scores = self.policy(*(torch.from_numpy(a).to(self.device) for a in seen.arrays()))
        result: NDArray[np.float32] = scores.cpu().numpy()
        return result

    def _best_actions(
        self, problem: Problem, states: States, spare: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        logits = self.logits(problem, states)
        if states.remaining is not None and problem.demand is not None and spare is not None:
            fits = problem.demand[states.candidates] <= states.remaining[:, None]  # (b, k)
            logits[..., 0][~fits] = -np.inf
            logits[(states.remaining > spare) & fits.any(axis=1), :, 1] = -np.inf
        best: NDArray[np.int64] = logits.reshape(len(logits), -1).argmax(axis=1)
        return best

    def _nearest(
        self,
        problem: Problem,
        inner: NDArray[np.int32],
        free: NDArray[np.bool_],
        current: NDArray[np.int32],
        left: int,
    ) -> NDArray[np.int64]:
        away = np.linalg.norm(problem.layout[inner] - problem.layout[current][:, None], axis=-1)
        away[~free] = np.inf
        count = min(self.config.candidates or left, left)
        return np.argsort(away, axis=1, kind="stable")[:, :count]
