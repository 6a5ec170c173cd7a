"""Player that runs a model saved by Stable-Baselines3 or sb3-contrib."""

import importlib
from typing import Any, Literal, cast

from tttenv.game.rules import Rules
from tttenv.policy import Player

Algorithm = Literal["detect", "maskable_ppo", "ppo", "trpo", "a2c", "qrdqn", "dqn", "ars"]


def sb3(
    rules: Rules,
    path: str = "",
    trust: bool = False,
    algorithm: Algorithm = "detect",
    deterministic: bool = False,
) -> Player:
    """Return the player for the model saved at `path`; see `tttenv.adapters.sb3.policy`.

    Args:
        rules: the game it was trained for.
        path: the zip file written by `model.save`.
        trust: whether to trust the file, which is unpickled and can run any code.
        algorithm: the model's class, if it cannot be detected.
        deterministic: play the most likely legal cell instead of sampling.

    Raises:
        ValueError: without `trust`, and for a file that holds no model that plays this game.
    """
    if not path:
        raise ValueError("sb3 needs a saved model: sb3:path=MODEL.zip,trust=true")
    if not trust:
        raise ValueError(
            f"sb3: {path} is not opened without trust=true: an SB3 zip is unpickled, which runs"
            " any code in it, so set it only for files from people you trust"
        )
    adapter: Any = importlib.import_module("tttenv.adapters.sb3")
    model = adapter.load(path, None if algorithm == "detect" else algorithm)
    return cast("Player", adapter.policy(model, rules, deterministic))
