"""Adapter to PettingZoo: the two sides as alternating agents, with action masks.

Example::

    from tttenv.adapters.pettingzoo import env

    game = env(m=3, n=3, k=3)
    game.reset(seed=0)
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, info = game.last()
        mask = None if terminated or truncated else observation["action_mask"]
        game.step(None if mask is None else game.action_space(agent).sample(mask))
"""

from typing import Any

from tttenv.adapters import wanted
from tttenv.adapters.pettingzoo.raw import AGENTS, raw_env

with wanted("pettingzoo"):
    import pettingzoo
    from pettingzoo.utils import wrappers

__all__ = ["AGENTS", "env", "raw_env"]


def env(**kwargs: Any) -> Any:
    """Return the environment with PettingZoo's usual wrappers; arguments as in `raw_env`.

    An illegal move terminates and truncates the game: -1 for the player that made it, 0 for the
    other. With `illegal="raise"` it raises a `ValueError`, and nothing changes.
    """
    game: Any = raw_env(**kwargs)
    if game.match.illegal == "lose":
        game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


pettingzoo.register("aec", "tttenv/TicTacToe-v0", entry_point=env)
