"""TicTacToe-v0 for many games at once: a thin Gymnasium vector skin over `match.Match`."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from tttenv.env.env import TicTacToe
from tttenv.env.match import Illegal, Match, Seat
from tttenv.env.observation import (
    Observation,
    Observer,
    Start,
    draw,
    generator_kept,
    known_render_mode,
    new_last_stones,
    plain_seed,
    require_open,
    resolve_opponent,
)
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.policy import Policy
from tttenv.utils.arrays import described


class VectorTicTacToe(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """A batch of the games `TicTacToe` describes, finished games dealt anew in the same step.

    Spaces, rewards and arguments are those of `TicTacToe`, with one row a game; besides:

    | argument | default | meaning |
    |----------|---------|---------|
    | `num_envs` | `1` | how many games are played side by side |
    | `copy` | `True` | hand out new arrays; `False`: arrays that the next step overwrites |

    Where games ended in a step, its infos hold `final_obs` and `final_info`, dense over all games,
    and `_final_obs` and `_final_info`, which say in which games; other rows are zeros. A row of
    `final_obs` is what `TicTacToe.step` would have returned (for obs="dict" a structured array:
    `final_obs[i]["observation"]`). `final_info` holds `action_mask` and `outcome`, int8
    (num_envs,), as `TicTacToe` describes them, with `_action_mask` and `_outcome`, which say in
    which games.

    One key a step, drawn from `np_random`, serves all games: game i's dice are numbers 3 i + 1 to
    3 i + 3 of splitmix64 seeded by the key, in the order that `TicTacToe` gives. So games are
    independent of each other, and a batch of one equals the single environment.

    A step runs in the thread that calls it, mostly without Python's lock (the GIL): environments
    in several threads step at the same time. One environment is for one thread at a time.
    """

    metadata: dict[str, Any] = {
        **TicTacToe.metadata,
        "render_modes": ["ansi", "rgb_array"],  # a window shows one game
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        m: int = 3,
        n: int = 3,
        k: int = 3,
        opponent: str | Policy | None = "random",
        seat: Seat = "random",
        illegal: Illegal = "lose",
        obs: str = "onehot",
        render_mode: str | None = None,
        copy: bool = True,
        draw: float = 0.0,
    ) -> None:
        self.rules = Rules(m, n, k)
        other = resolve_opponent(opponent, self.rules)
        self.match = Match(self.rules, num_envs, other, seat, illegal, draw)
        self.num_envs, self.copy = num_envs, copy
        self.observer = Observer(self.rules, obs, num_envs, copy)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._everywhere.setflags(write=False)
        self.single_observation_space = self.observer.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = gymnasium.spaces.Discrete(self.rules.cells)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = known_render_mode(render_mode, self.metadata)
        self._last_stones = new_last_stones()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games; `options` as in `TicTacToe`, a board for all or one for each.

        If anything is raised, by the opponent too, the former games and `np_random` stay as they
        were.

        Raises:
            ValueError: for a list of seeds, an unknown option or a board not to be played on.
            gymnasium.error.Error: for a seed below 0 or of more than 65,536 bits.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        require_open(self.closed)
        seed = plain_seed(seed)
        if seed is not None and not isinstance(seed, int):
            raise ValueError(f"one seed rolls for all games: a whole number, not {described(seed)}")
        start = Start.of(self.match, options)
        with generator_kept(self):
            super().reset(seed=seed)
            with self.match.attempt(self.np_random):
                if seed is not None:
                    self.match.key = None  # drawn from the former generator
                start.begin(self.match, self.np_random)
                return self._now()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], Mask, Mask, dict[str, Any]]:
        """Play one cell in every game; finished games are dealt anew.

        If anything is raised, by the opponent in any game and also where it opens a new one,
        nothing has changed in any game: the same step can be tried again.

        Raises:
            ValueError: for actions of a wrong shape or type, one off the board, with
                `illegal="raise"` one taken, naming its index, and for an opponent's answer that is
                no move.
            gymnasium.error.ResetNeeded: before the first reset.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        match = self.match
        if match.active < self.num_envs or self.closed:
            require_open(self.closed)
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        cells, buffers = match.checked(actions), self.observer.buffers()
        ended = match.step_autoreset(cells, buffers, self.np_random)
        self.observer.handed_out(buffers)
        observations, masks, outcomes, over, finals, _ = buffers
        rewards = match.payoffs.many(outcomes, self.observer.rewards())
        infos: dict[str, Any] = {"action_mask": masks, "_action_mask": self._everywhere}
        if ended:
            infos.update(self._final(over, outcomes, self.observer.named_finals(finals)))
        truncated = np.zeros(self.num_envs, np.bool_)
        return self.observer.named(observations, masks), rewards, over, truncated, infos

    def sample_actions(self) -> NDArray[np.int64]:
        """A random legal cell for every game (num_envs,), with the dice of the action space.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        require_open(self.closed)
        if self.match.active < self.num_envs:
            raise gymnasium.error.ResetNeeded("call reset() first")
        return self.match.sample(self.action_space.np_random)

    def action_masks(self) -> Mask:
        """The legal cells, bool (num_envs, m * n)."""
        return self.match.legal()

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Let `opponent` answer from now on, in the games at hand too.

        Raises:
            ValueError: for an unknown player.
        """
        self.match.opponent = resolve_opponent(opponent, self.rules)

    @property
    def boards(self) -> Boards:
        """The boards in the agent's view, int8 (num_envs, m * n), a copy."""
        return self.match.boards

    def render(self) -> tuple[Any, ...] | None:
        """Every game's board as text ("ansi") or as a picture ("rgb_array")."""
        if self.render_mode is None:
            draw(self.match, 0, None, self._last_stones)
            return None
        return tuple(
            draw(self.match, game, self.render_mode, self._last_stones)
            for game in range(self.num_envs)
        )

    def _now(self) -> tuple[Observation, dict[str, Any]]:
        observed, masks = self.observer.observe(self.match)
        return observed, {"action_mask": masks, "_action_mask": self._everywhere}

    def _final(self, over: Mask, outcomes: Outcomes, finals: Observation) -> dict[str, Any]:
        """The infos of a step in which games ended, marked in `over` (games,)."""
        last = {
            "action_mask": np.zeros((len(over), self.rules.cells), np.int8),
            "outcome": outcomes,
        }
        return {
            "final_obs": finals,
            "_final_obs": over,
            "final_info": {**last, "_action_mask": over, "_outcome": over},
            "_final_info": over,
        }
