"""Adapter to TorchRL: masked environments for one game or a batch, and modules as players.

Example::

    from tensordict.nn import InteractionType, TensorDictModule
    from torchrl.modules import MaskedCategorical, ProbabilisticActor
    from tttenv.adapters.torchrl import make_env, policy

    env = make_env(num_envs=64, opponent="random", seat="X")
    actor = ProbabilisticActor(
        TensorDictModule(net, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,  # else `rollout` takes the likeliest cell
    )
    frames = env.rollout(32, actor, break_when_any_done=False)  # (64, 32), finished games restart
    print(tttenv.certify(rules, policy(actor, rules)).worst_case)
"""

from typing import Any

from tttenv.adapters import wanted
from tttenv.adapters.torchrl.games import Games, LegalActions
from tttenv.adapters.torchrl.players import policy

with wanted("torchrl", "torch"):
    import torch
    from torchrl.envs import Compose, DTypeCastTransform, GymEnv, TransformedEnv

__all__ = ["Games", "LegalActions", "make_env", "policy"]


def make_env(num_envs: int | None = None, opening: int = 0, **kwargs: Any) -> Any:
    """Return a TorchRL environment with action masks, so that random actions are legal.

    Observations are "observation", float32 (3 * m * n,): mine, theirs, empty; and "action_mask",
    bool (m * n,), all False on a finished board. Actions are categorical.

    Args:
        num_envs: None: a single game, through TorchRL's `GymEnv`; otherwise a batch, as `Games`,
            whose method `set_opponent` replaces the opponent.
        opening: exploring starts of a batch: games begin with 0 to this many random stones.
        kwargs: arguments of `TicTacToe-v0`: m, n, k, opponent, seat, illegal, draw.

    Raises:
        ValueError: for an opening without `num_envs`, or with a fixed `seat`.
    """
    if num_envs is not None:
        return TransformedEnv(Games(num_envs, opening, **kwargs), LegalActions())
    if opening:
        raise ValueError("openings are for a batch: give num_envs")
    game = GymEnv("TicTacToe-v0", obs="dict", categorical_action_encoding=True, **kwargs)
    cast = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(game, Compose(cast, LegalActions()))
