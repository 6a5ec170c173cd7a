"""A batch of games as a TorchRL environment, with its action mask."""

from typing import Any

import numpy as np

from tttenv.adapters import wanted
from tttenv.env.exploring_starts import require_both_seats
from tttenv.env.guard import require_game, require_open
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.openings import random_openings
from tttenv.game.types import Mask
from tttenv.policy import Policy

with wanted("torchrl", "tensordict", "torch"):
    import torch
    from tensordict import TensorDict
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import ActionMask, EnvBase


class LegalActions(ActionMask):
    """TorchRL's ActionMask, extended to finished games, which have no legal action.

    `check_env_specs` and batched rollouts sample actions for finished games too, although these are
    not played.
    """

    def _call(self, next_tensordict: Any) -> Any:
        mask = next_tensordict["action_mask"]
        self.action_spec.update_mask(mask | ~mask.any(dim=-1, keepdim=True))
        return next_tensordict


class Games(EnvBase):
    """A batch of games as a single TorchRL environment; finished games restart on reset.

    Args:
        num_envs: the number of games.
        opening: exploring starts: games begin with 0 to this many random stones.
        kwargs: arguments of `VectorTicTacToe`: m, n, k, opponent, seat, illegal, draw.

    Raises:
        ValueError: for an opening with a fixed `seat`.
    """

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
        require_open(self.games.closed)
        new = np.ones(self.games.num_envs, np.bool_)
        if tensordict is not None and "_reset" in tensordict:
            new = tensordict["_reset"].numpy()
            if new.dtype != np.bool_ or new.size != self.games.num_envs:
                told = f"{new.dtype} of {new.shape}"
                raise ValueError(f"_reset says by bools which games begin anew, not by {told}")
            new = new.reshape(-1)
        self.games.match.reset(new, self.games.np_random)
        if self.opening and new.any():
            self._open(new)
        return TensorDict(self._seen(), self.batch_size)

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Replace the opponent from the next move on, in the current games too."""
        self.games.set_opponent(opponent)

    def _open(self, new: Mask) -> None:
        """Place random stones in the new games (num_envs,)."""
        games = self.games
        if games.match.active < games.num_envs:
            raise ValueError("with openings, reset all games that are over together")
        boards, count = games.boards, int(np.count_nonzero(new))
        boards[new] = random_openings(games.rules, self.opening, count, games.np_random)
        games.match.set_checked_boards(boards)

    def _step(self, tensordict: Any) -> Any:
        match = self.games.match
        going = match.active == self.games.num_envs
        require_game(self.games.closed, going, "some games are over: call reset() for these first")
        match.step(tensordict["action"].numpy(), self.games.np_random)
        rewards = torch.tensor(match.rewards[:, None], dtype=torch.float32)
        return TensorDict({**self._seen(), "reward": rewards}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        if isinstance(seed, list | tuple):  # which the games take, one for each
            raise ValueError("a seed is an integer or None, not a list")
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
