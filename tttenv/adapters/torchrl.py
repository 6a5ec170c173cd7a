"""Adapter to TorchRL: masked environments for one game or a batch, and modules as players."""

from typing import Any

import numpy as np

from tttenv.adapters import frozen, wanted
from tttenv.env.arguments import require_game
from tttenv.env.exploring_starts import place_openings, require_both_seats
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.rules import Rules
from tttenv.policy import Player, Policy, from_observations
from tttenv.utils.untrusted import shown

with wanted("torchrl", "tensordict", "torch"):
    import torch
    from tensordict import TensorDict
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import (
        ActionMask,
        Compose,
        DTypeCastTransform,
        EnvBase,
        GymEnv,
        TransformedEnv,
    )


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
        ValueError: for an opening of a single game, and for arguments that are refused there.
    """
    if num_envs is not None:
        return TransformedEnv(Games(num_envs, opening, **kwargs), LegalActions())
    if opening:
        raise ValueError("openings need a batch: set num_envs")
    game = GymEnv("TicTacToe-v0", obs="dict", categorical_action_encoding=True, **kwargs)
    cast = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(game, Compose(cast, LegalActions()))


class LegalActions(ActionMask):
    """TorchRL's ActionMask, with all actions for finished games, of which TorchRL samples too."""

    def _call(self, next_tensordict: Any) -> Any:
        mask = next_tensordict["action_mask"]
        self.action_spec.update_mask(mask | ~mask.any(dim=-1, keepdim=True))
        return next_tensordict


class Games(EnvBase):
    """A batch of games as a single TorchRL environment, see `make_env`; games restart on reset."""

    def __init__(self, num_envs: int, opening: int = 0, **kwargs: Any) -> None:
        super().__init__(batch_size=[num_envs])
        self.games = VectorTicTacToe(num_envs, **kwargs, obs="onehot")
        require_both_seats(self.games, opening)
        self.opening = opening
        cells, batch = self.games.rules.cells, self.batch_size
        self.observation_spec = Composite(
            observation=Bounded(0, 1, (*batch, 3 * cells), dtype=torch.float32),
            action_mask=Binary(cells, (*batch, cells), dtype=torch.bool),
            shape=batch,
        )
        self.action_spec = Categorical(cells, batch)
        self.reward_spec = Unbounded((*batch, 1))
        over = Categorical(2, (*batch, 1), dtype=torch.bool)
        self.done_spec = Composite(done=over, terminated=over.clone(), shape=batch)

    def _reset(self, tensordict: Any = None, **_: Any) -> Any:
        require_game(self.games.closed)
        new = np.ones(self.games.num_envs, np.bool_)
        if tensordict is not None and "_reset" in tensordict:
            new = tensordict["_reset"].numpy().reshape(new.shape)
        self.games.match.reset(new, self.games.np_random)
        if self.opening and self.games.match.active < self.games.num_envs:
            raise ValueError("with openings, reset all games that are over together")
        place_openings(self.games, new, self.opening)
        return TensorDict(self._seen(), self.batch_size)

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Replace the opponent from the next move on, in the current games too."""
        self.games.set_opponent(opponent)

    def _step(self, tensordict: Any) -> Any:
        match = self.games.match
        going = match.active == self.games.num_envs
        require_game(self.games.closed, going, "some games are over: call reset() for these first")
        match.step(tensordict["action"].numpy(), self.games.np_random)
        rewards = torch.tensor(match.rewards[:, None], dtype=torch.float32)
        return TensorDict({**self._seen(), "reward": rewards}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        if isinstance(seed, list | tuple):  # which the games take, one for each
            raise ValueError("a seed must be an integer or None, not a list")
        self.games.reset(seed=seed)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Close the games; later calls to `step` and `reset` raise."""
        self.games.close()
        super().close(raise_if_closed=False)

    def _seen(self) -> dict[str, Any]:
        """Return the observations, masks and termination flags of all games."""
        match = self.games.match
        planes, masks = self.games.observer.observe(match)
        over = torch.tensor(match.over[:, None])
        return {
            "observation": torch.from_numpy(planes),
            "action_mask": torch.from_numpy(masks.astype(np.bool_)),
            "done": over,
            "terminated": over.clone(),
        }


def policy(module: Any, rules: Rules, deterministic: bool = False) -> Player:
    """Return a player that follows a trained TorchRL module.

    Args:
        module: a tensordict module over "observation" and "action_mask", after the transforms of
            its environment, as in `TensorDictSequential(ObservationNorm(...), actor)`. One with
            `get_dist`, such as `ProbabilisticActor`, plays by its probabilities; one that writes
            "action_value", such as `QValueActor`, takes the best legal cell; one that writes
            "logits" plays their softmax.
        rules: the game.
        deterministic: take the most likely cell instead.

    Raises:
        ValueError: for a module that reads or writes other keys.
    """
    keys, kind = getattr(module, "out_keys", ()), "probs"
    if other := set(getattr(module, "in_keys", ())) - {"observation", "action_mask"}:
        raise ValueError(
            f"a TorchRL player reads observation and action_mask, not {shown(sorted(other), 100)}:"
            " put the transforms of its environment before it in a TensorDictSequential"
        )
    if not hasattr(module, "get_dist"):
        if not {"action_value", "logits"} & set(keys):
            raise ValueError(
                'a TorchRL player must have `get_dist` or write "action_value" or "logits", not '
                f"{keys or type(module).__name__}"
            )
        kind = "values" if "action_value" in keys else "logits"
    outputs = "values" if deterministic else kind

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

        return from_observations(ask, rules, obs="dict", kind=outputs)

    return frozen(rules, module, play)
