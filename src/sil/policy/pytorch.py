"""The policy on any PyTorch device: the network runs there, all else in C++."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sil._native import Decoding, Interrupt
from sil.errors import InputError
from sil.partial import PartialSolutions
from sil.policy.config import PolicyConfig
from sil.policy.engine import PolicyEngine
from sil.policy.model import Policy
from sil.policy.native import shape_of
from sil.policy.weights import Weights, load_or_pretrained
from sil.problem import Problem

_Inputs = tuple[NDArray[np.float32], ...]  # nodes, start, destination, context


class TorchPolicy(PolicyEngine):
    """A policy on a PyTorch device, ready to rebuild partial solutions.

    All partial solutions are decoded in step, as one batch. It makes the same choices as
    `NativePolicy`, except where scores differ only by rounding.

    Parameters
    ----------
    config
        Its configuration; full attention is supported too.
    weights
        As `sil.policy.weights.load` returns them.
    device
        As PyTorch names it: "cpu", "cuda", "cuda:1", "mps".
    """

    def __init__(self, config: PolicyConfig, weights: Weights, device: str = "cpu") -> None:
        self.config = config
        self.device = usable_device(device)
        self.policy = Policy(config)
        self.policy.load_state_dict({name: torch.tensor(each) for name, each in weights.items()})
        self.policy.to(self.device).eval()
        if has_fast_bfloat16(self.device):
            self.policy.multiply_in(torch.bfloat16)

    @classmethod
    def load(
        cls, problem: Problem, weights: Path | str = "fast", device: str = "cpu"
    ) -> "TorchPolicy":
        """Load a policy for a problem, from a weights file or by the name of shipped weights."""
        return cls(*load_or_pretrained(problem.kind, weights), device)

    def rebuild(
        self,
        problem: Problem,
        parts: PartialSolutions,
        *,
        sample: bool = False,
        mirrored: bool = False,
        seed: int = 0,
        threads: int = 1,
        interrupt: Interrupt | None = None,
    ) -> PartialSolutions:
        """Rebuild partial solutions between their ends; see `PolicyEngine.rebuild`."""
        return self.rebuild_many(
            [(problem, parts)],
            sample=sample,
            mirrored=mirrored,
            seed=seed,
            threads=threads,
            interrupt=interrupt,
        )[0]

    @torch.inference_mode()
    def rebuild_many(
        self,
        batch: Sequence[tuple[Problem, PartialSolutions]],
        *,
        sample: bool = False,
        mirrored: bool = False,
        seed: int = 0,
        threads: int = 1,
        interrupt: Interrupt | None = None,
    ) -> list[PartialSolutions]:
        """Rebuild partial solutions of many problems in step, to keep the device busy.

        The problems may differ in size. The parameters are those of `rebuild`. When `interrupt` is
        set, all parts stay as they were.
        """
        interrupt = interrupt or Interrupt()
        rebuilt: list[PartialSolutions] = []
        decodings: list[Decoding] = []
        for problem, parts in batch:
            self.require_kind(problem)
            rebuilt.append(parts.copy())
            if len(parts) == 0 or parts.nodes.shape[1] < 3:
                continue
            native, shape = rebuilt[-1].native(), shape_of(self.config)
            decodings.append(
                Decoding(shape, problem.instance, native, mirrored, sample, seed + len(decodings))
            )
        while going := [each for each in decodings if each.left > 0]:
            seen = [each.observe(threads, interrupt) for each in going]
            if interrupt.is_set():
                return [parts for _, parts in batch]
            # Near their end, some have fewer candidates than others.
            for width in sorted({inputs[0].shape[1] for inputs in seen}):
                alike = [i for i, inputs in enumerate(seen) if inputs[0].shape[1] == width]
                scores = self._scores([seen[i] for i in alike])
                for i, logits in zip(alike, scores, strict=True):
                    going[i].choose(logits)
        for each in decodings:
            each.finish()
        return rebuilt

    def _scores(self, seen: list[_Inputs]) -> list[NDArray[np.float32]]:
        """Score the candidates of several problems in one batch."""
        inputs = [
            torch.from_numpy(np.concatenate(each)).to(self.device)
            for each in zip(*seen, strict=True)
        ]
        valid = inputs[0].new_ones(inputs[0].shape[:2], dtype=torch.bool)
        logits = self.policy(*inputs, valid).cpu().numpy()
        return np.split(logits, np.cumsum([len(each[0]) for each in seen])[:-1])


def has_fast_bfloat16(device: torch.device) -> bool:
    """Return whether a device is a GPU that multiplies bfloat16 faster than single precision."""
    return device.type == "cuda" and torch.cuda.is_bf16_supported()


def usable_device(name: str) -> torch.device:
    """Return a device, or raise an error that says why it cannot be used."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"PyTorch cannot use the device {name!r} ({reason}): choose another, such as cpu, or "
            "leave it out to use the C++ engine"
        ) from None
    return device
