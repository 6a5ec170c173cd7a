"""Trained TorchRL modules as players."""

from typing import Any

import numpy as np

from tttenv.adapters import frozen, wanted
from tttenv.game.rules import Rules
from tttenv.policy import Policy, from_observations

with wanted("tensordict", "torch"):
    import torch
    from tensordict import TensorDict


def policy(module: Any, rules: Rules, deterministic: bool = False) -> Policy:
    """Return a player that follows a trained TorchRL module.

    Args:
        module: a tensordict module over "observation" and "action_mask". One with `get_dist`, such
            as `ProbabilisticActor`, plays by its probabilities; one that writes "action_value",
            such as `QValueActor`, takes the legal cell with the highest value; one that writes
            "logits" plays their softmax.
        rules: the game.
        deterministic: take the most likely cell instead.

    Raises:
        ValueError: if the module is none of these.
    """
    kind = "probs" if hasattr(module, "get_dist") else _written(module)
    asked = "values" if deterministic else kind

    def play(module: Any) -> Policy:
        def ask(seen: dict[str, Any]) -> Any:
            masks = torch.from_numpy(seen["action_mask"].astype(np.bool_))
            planes = torch.from_numpy(seen["observation"])
            frame = TensorDict({"observation": planes, "action_mask": masks}, [len(masks)])
            with torch.no_grad():
                if kind == "probs":
                    probs = module.get_dist(frame).probs
                    return probs.log() if deterministic else probs  # ties are relative to the best
                return module(frame)["action_value" if kind == "values" else "logits"]

        return from_observations(ask, rules, obs="dict", kind=asked)

    return frozen(rules, module, play)


def _written(module: Any) -> str:
    """Return what a module outputs: values or logits."""
    for key, kind in (("action_value", "values"), ("logits", "logits")):
        if key in getattr(module, "out_keys", ()):
            return kind
    raise ValueError(
        'a TorchRL player has `get_dist` or writes "action_value" or "logits", not '
        f"{getattr(module, 'out_keys', type(module).__name__)}"
    )
