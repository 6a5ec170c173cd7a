"""Adapter to Tianshou 2: masked environments, masked networks, and policies as players."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from tttenv.adapters import frozen, wanted
from tttenv.env.env import TicTacToe
from tttenv.env.exploring_starts import ExploringStarts
from tttenv.game.rules import Rules
from tttenv.policy import Player, Policy, from_observations
from tttenv.utils.untrusted import shown

with wanted("tianshou", "torch"):
    import torch
    from tianshou.algorithm.algorithm_base import Algorithm
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.data import Batch
    from tianshou.env import BaseVectorEnv
    from tianshou.env.worker import DummyEnvWorker
    from tianshou.env.worker.subproc import ShArray
    from tianshou.utils.net.common import AbstractDiscreteActor, ModuleWithVectorOutput


_shared_view: Any = ShArray.get


def _copied(shared: ShArray) -> Any:
    """Return a copy of an array in shared memory.

    Tianshou's ShmemVectorEnv hands out views, which its next step overwrites (its issue 1281).
    """
    return _shared_view(shared).copy()


ShArray.get = _copied  # type: ignore[method-assign,assignment]  # the only place where views are made


def make_env(opening: int = 0, **kwargs: Any) -> Any:
    """Return `TicTacToe-v0` in the format that Tianshou's masked policies expect.

    Observations are `obs`, float32 (3 * m * n,): mine, theirs, empty; and `mask`, int8 (m * n,):
    the legal cells. Tianshou's DQN and similar algorithms apply the mask, to their targets only if
    `is_double`; for actor-critics use `MaskedActor` and `Critic`.

    Args:
        opening: exploring starts: games begin with 0 to this many random stones.
        kwargs: arguments of `TicTacToe-v0`: m, n, k, opponent, seat, illegal, render_mode, draw.
    """
    game: Any = TicTacToe(**kwargs, obs="dict")
    cells, seen = game.rules.cells, game.observation_space
    parts = {"obs": seen["observation"], "mask": spaces.MultiBinary(cells)}
    if opening:
        game = ExploringStarts(game, opening)
    return gymnasium.wrappers.TransformObservation(game, _renamed, spaces.Dict(parts))


def set_opponent(games: BaseVectorEnv, opponent: str | Policy | None) -> None:
    """Replace the opponent in every game of a `DummyVectorEnv`, from the next move on.

    Args:
        games: the batch.
        opponent: a spec, a policy, or None: the agent moves for both sides.

    Raises:
        ValueError: for games in other processes.
    """
    for worker in games.workers:
        if not isinstance(worker, DummyEnvWorker):
            raise ValueError("only games of a DummyVectorEnv have an opponent that can be replaced")
        game: Any = worker.env.unwrapped
        game.set_opponent(opponent)


def _renamed(seen: dict[str, Any]) -> dict[str, Any]:
    return {"obs": seen["observation"], "mask": seen["action_mask"]}


class MaskedActor(AbstractDiscreteActor):
    """Actor for Tianshou's actor-critics that masks occupied cells.

    Its `net` maps planes (batch, 3 * cells) to logits (batch, cells).
    """

    def __init__(self, net: torch.nn.Module, cells: int) -> None:
        super().__init__(cells)
        self.net = net

    def get_preprocess_net(self) -> ModuleWithVectorOutput:
        """Raise NotImplementedError: the network takes the planes directly."""
        raise NotImplementedError("a MaskedActor takes no preprocessing network")

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return logits (batch, cells), with -1e9 on all cells that are not legal, and `state`."""
        logits = self.net(torch.as_tensor(obs.obs))
        taken = torch.as_tensor(np.asarray(obs.mask)) == 0
        return logits.masked_fill(taken, -1e9), state


class Critic(ModuleWithVectorOutput):
    """Critic for `MaskedActor`; `net` maps planes (batch, 3 * cells) to values (batch, 1)."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__(1)
        self.net = net

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> torch.Tensor:
        """Return values (batch, 1)."""
        values: torch.Tensor = self.net(torch.as_tensor(obs.obs))
        return values


def policy(trained: Any, rules: Rules, deterministic: bool = False) -> Player:
    """Return a frozen snapshot of a Tianshou policy, without exploration, on legal cells only.

    Args:
        trained: an algorithm or policy trained on `make_env`; the DQN family takes the legal cell
            with the highest value, others sample from their probabilities.
        rules: the game.
        deterministic: take the most likely cell instead of sampling.

    Raises:
        ValueError: if it observes something else.
    """
    mover = trained.policy if isinstance(trained, Algorithm) else trained
    usual = make_env(m=rules.m, n=rules.n, k=rules.k).observation_space
    if mover.observation_space not in (None, usual):
        raise ValueError(f"the model observes {shown(mover.observation_space, 100)}, not {usual}")
    by_value = isinstance(mover, DiscreteQLearningPolicy)

    def play(mover: Any) -> Policy:
        def ask(seen: dict[str, Any]) -> Any:
            with torch.no_grad():
                found = mover(Batch(obs=Batch(_renamed(seen)), info=Batch()))
                if by_value:
                    return mover.compute_q_value(found.logits, None)
                # Ties are decided relative to the best probability, hence the logarithm.
                return found.dist.probs.log() if deterministic else found.dist.probs

        kind = "values" if by_value or deterministic else "probs"
        return from_observations(ask, rules, obs="dict", kind=kind)

    return frozen(rules, mover, play)
