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
    one_seed,
    require_open,
    reset_mask,
    resolve_opponent,
)
from tttenv.game.outcomes_kernel import Outcomes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.policy import Policy
from tttenv.utils.arrays import described


def known_mode(mode: Any) -> AutoresetMode:
    """An autoreset mode by its name, such as "NextStep", or itself.

    Raises:
        ValueError: for an unknown one.
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(one.value for one in AutoresetMode)
        raise ValueError(f"autoreset_mode is one of {known}, not {described(mode)}") from None


class VectorTicTacToe(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """A batch of the games `TicTacToe` describes, finished games dealt anew in the same step.

    Spaces, rewards and arguments are those of `TicTacToe`, with one row a game; besides:

    | argument | default | meaning |
    |----------|---------|---------|
    | `num_envs` | `1` | how many games are played side by side |
    | `copy` | `True` | hand out new arrays; `False`: arrays that the next step overwrites |
    | `autoreset_mode` | `"SameStep"` | when finished games restart; see below |

    By default the observation of a finished game is the first one of the next game. Where games
    ended in a step, its infos then hold `final_obs` and `final_info`, dense over all games,
    and `_final_obs` and `_final_info`, which say in which games; other rows are zeros. A row of
    `final_obs` is what `TicTacToe.step` would have returned (for obs="dict" a structured array:
    `final_obs[i]["observation"]`). `final_info` holds `action_mask` and `outcome`, int8
    (num_envs,), as `TicTacToe` describes them, with `_action_mask` and `_outcome`, which say in
    which games.

    With `"NextStep"` and `"Disabled"` a finished game shows its last observation and a mask of
    zeros, and where games ended infos hold `outcome` and `_outcome`. With `"NextStep"` the next
    step ignores the action of a finished game and restarts it, with reward 0; wrappers such as
    `gymnasium.wrappers.vector.NormalizeObservation` need this mode. With `"Disabled"` finished
    games restart by `reset(options={"reset_mask": mask})`, a NumPy array of booleans (num_envs,).

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
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        self.rules = Rules(m, n, k)
        self.autoreset_mode = known_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
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
        self._started = False

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games; `options` as in `TicTacToe`, a board for all or one for each.

        The option `reset_mask`, booleans (num_envs,), begins the games that it marks alone. All
        games share one generator; a list of seeds, one for each game, seeds it by all of them.

        If anything is raised, by the opponent too, the former games and `np_random` stay as they
        were.

        Raises:
            ValueError: for an unknown option, a board not to be played on, a list of seeds or a
                mask of another length, and a mask before all games have begun or with a seed.
            gymnasium.error.Error: for a seed below 0 or of more than 65,536 bits.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        require_open(self.closed)
        mask, number = reset_mask(options, self.num_envs), one_seed(seed, self.num_envs)
        if mask is not None:
            if number is not None or not self._started:
                raise ValueError("reset_mask goes without a seed, after all games have begun")
            options = {
                name: value for name, value in (options or {}).items() if name != "reset_mask"
            }
        start = Start.of(self.match, options)
        with generator_kept(self):
            super().reset(seed=number)
            with self.match.attempt(self.np_random):
                if number is not None:
                    self.match.key = None  # drawn from the former generator
                if mask is None:
                    start.begin(self.match, self.np_random)
                else:
                    self.match.reset(mask, self.np_random, start.seat)
                self._started = True
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
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            return self._step_without_reset(actions)
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

    def _step_without_reset(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], Mask, Mask, dict[str, Any]]:
        """A step after which finished games stay as they are, in the other two modes."""
        match = self.match
        require_open(self.closed)
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        if self.autoreset_mode == AutoresetMode.DISABLED and match.active < self.num_envs:
            over = int(np.flatnonzero(match.over)[0])
            raise gymnasium.error.ResetNeeded(
                f"game {over} is over: call reset(options={{'reset_mask': mask}}) first"
            )
        match.step_or_reset(match.checked(actions), self.np_random)
        outcomes, over_now = match.outcomes.copy(), match.over.copy()
        rewards = match.payoffs.many(outcomes, self.observer.rewards())
        observed, infos = self._now()
        if over_now.any():
            infos |= {"outcome": outcomes, "_outcome": over_now}
        return observed, rewards, over_now, np.zeros(self.num_envs, np.bool_), infos

    def sample_actions(self) -> NDArray[np.int64]:
        """A random legal cell for every game (num_envs,), drawn by the action space's generator.

        For a game that is over it is 0.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        require_open(self.closed)
        if self.match.active < self.num_envs:
            if not self._started:
                raise gymnasium.error.ResetNeeded("call reset() first")
            chances = self.action_space.np_random.random((self.num_envs, self.rules.cells))
            return np.asarray((chances * self.match.legal()).argmax(axis=1), np.int64)
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
