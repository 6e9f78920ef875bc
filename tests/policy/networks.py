"""Small random policies, spread enough that their choices differ."""

import torch

from sil.policy.config import PolicyConfig
from sil.policy.model import Policy


def random_policy(config: PolicyConfig, seed: int = 0) -> Policy:
    torch.manual_seed(seed)
    policy = Policy(config)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.mul_(2)
    return policy.eval()


def arrays(policy: Policy):
    return {name: value.numpy() for name, value in policy.state_dict().items()}
