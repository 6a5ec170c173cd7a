"""`TicTacToe-v0` for many games: a thin Gymnasium vector environment around `match.Match`."""

import warnings
from dataclasses import asdict
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from tttenv.env.arguments import (
    Start,
    generator_kept,
    one_seed,
    require_game,
    resolve_opponent,
)
from tttenv.env.env import TicTacToe
from tttenv.env.games import StepOutput
from tttenv.env.match import Illegal, Match, Seat
from tttenv.env.observation import LastStones, Observation, Observer, draw, known_render_mode
from tttenv.env.step_options_kernel import MODES, NEXT_STEP
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.policy import Policy
from tttenv.utils.arrays import one_of, read_only


class VectorTicTacToe(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Batch of `TicTacToe` games; finished games restart within the same step.

    Spaces, rewards and arguments are those of `TicTacToe`, batched by game, and in addition:

    | argument | default | meaning |
    |----------|---------|---------|
    | `num_envs` | `1` | number of games |
    | `autoreset_mode` | `"SameStep"` | when finished games restart, see below |

    By default a finished game restarts in the same step, and its observation is the first one of
    the next game. If games end in a step, its infos hold `final_obs` and `final_info`, dense over
    all games, with the masks `_final_obs` and `_final_info`; rows of other games are zeros. A row
    of `final_obs` is what `TicTacToe.step` would have returned (for obs="dict" a structured array:
    `final_obs[i]["observation"]`). `final_info` holds `action_mask` and `outcome`, int8
    (num_envs,), as described in `TicTacToe`, with the masks `_action_mask` and `_outcome`.

    With `"NextStep"` and `"Disabled"` a finished game shows its last observation and a mask of
    zeros, and if games ended, infos hold `outcome` and `_outcome`. With `"NextStep"` the next step
    ignores the action of a finished game, any integer, and restarts it, with reward 0; to draw from
    such masks, set `mask[~mask.any(axis=1)] = 1`. Wrappers such as
    `gymnasium.wrappers.vector.NormalizeObservation` need this mode. With `"Disabled"`, restart
    finished games by `reset(options={"reset_mask": mask})`, a NumPy array of booleans (num_envs,).

    Each step draws one key from `np_random` for all games: game i uses outputs 3 i + 1 to 3 i + 3
    of splitmix64 seeded by the key, in the order given in `TicTacToe`. So games are independent of
    each other, and a batch of one behaves exactly like the single environment.

    A step runs in the calling thread, mostly without holding the GIL, so environments in several
    threads can step in parallel. A single environment is not thread-safe.
    """

    metadata: dict[str, Any] = {
        **TicTacToe.metadata,
        "render_modes": ["ansi", "rgb_array"],  # a window shows one game
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    rules_type: type[Rules] = Rules

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
        draw: float = 0.0,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        self.rules = self.rules_type(m, n, k)
        mode: Any = getattr(autoreset_mode, "value", autoreset_mode)
        one_of("autoreset_mode", mode, MODES)
        self.autoreset_mode, self._mode = AutoresetMode(mode), MODES.index(mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        other, self.observer = resolve_opponent(opponent, self.rules), Observer(self.rules, obs)
        planes = self.observer.planes
        self.match = Match(self.rules, num_envs, other, seat, illegal, draw, planes)
        self.num_envs = num_envs
        self._everywhere = read_only(np.ones(num_envs, np.bool_))
        self.single_observation_space = self.observer.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = gymnasium.spaces.Discrete(self.rules.cells)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = known_render_mode(render_mode, self.metadata)
        self._last_stones: LastStones = {}
        self._started = False

    @classmethod
    def of(cls, rules: Rules, num_envs: int, **arguments: Any) -> "VectorTicTacToe":
        """Create an environment for rules, which may be a variant of the game.

        Args:
            rules: the game.
            num_envs: the number of games.
            arguments: the other arguments of the environment.
        """
        games = cls.__new__(cls)
        games.rules_type = type(rules)
        cls.__init__(games, num_envs, **asdict(rules), **arguments)
        return games

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all games.

        If an exception is raised, including by the opponent, the previous games and `np_random` are
        restored.

        Args:
            seed: of the generator, which all games share; a list of one seed for each game seeds it
                by all of them that are not None.
            options: as in `TicTacToe`, with one board for all games or one each; `reset_mask`,
                booleans (num_envs,), starts only the games that it marks.

        Raises:
            ValueError: for an unknown option, a board that cannot be played on, a list of seeds or
                a mask of another length, and a mask with a seed or before the first reset.
        """
        require_game(self.closed)
        number, start = one_seed(seed, self.num_envs), Start.of(self.match, options, masked=True)
        if start.which is not None and (number is not None or not self._started):
            raise ValueError(
                "with reset_mask no seed can be given, and all games must have been reset before"
            )
        with generator_kept(self):
            super().reset(seed=number)
            with self.match.attempt(self.np_random):
                start.begin(self.match, self.np_random, number is not None)
                self._started = True
                observed, masks = self.observer.observe(self.match)
                return observed, {"action_mask": masks, "_action_mask": self._everywhere}

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], Mask, Mask, dict[str, Any]]:
        """Play one cell in every game; finished games restart.

        If an exception is raised, including by the opponent in any game or when it opens a new one,
        no game has changed and the step can be retried.

        Raises:
            ValueError: for actions of the wrong shape or type, for one off the board or, with
                `illegal="raise"`, on an occupied cell (naming its index), and for an opponent that
                returns an invalid move.
            gymnasium.error.ClosedEnvironmentError: after `close`.
            gymnasium.error.ResetNeeded: before the first reset and, if games do not restart, for a
                game that is over.
        """
        match = self.match
        restarts = self._mode == NEXT_STEP and self._started
        if self.closed or (match.active < self.num_envs and not restarts):
            require_game(self.closed, self._started)
            over = np.flatnonzero(match.over)[0]
            message = f"game {over} is over: call reset(options={{'reset_mask': mask}}) first"
            raise gymnasium.error.ResetNeeded(message)
        cells, output = match.checked_actions(actions), match.games.outputs.take()
        ended = match.play(cells, output, self.np_random, self._mode)
        infos = {"action_mask": output.masks, "_action_mask": self._everywhere}
        if ended:
            infos.update(self._endings(output))
        observed = self.observer.observed(output) if self.observer.named else output.observations
        truncated = np.zeros(self.num_envs, np.bool_)
        return observed, output.rewards, output.over, truncated, infos

    def sample_actions(self) -> NDArray[np.int64]:
        """Sample legal cells (num_envs,) with the action space's generator; 0 for ended games."""
        require_game(self.closed, self._started)
        return self.match.sample(self.action_space.np_random)

    def action_masks(self) -> Mask:
        """Return the legal cells, bool (num_envs, m * n)."""
        return self.match.legal()

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Replace the opponent from the next move on, in the current games too.

        From None to an opponent, or back, the agent's view changes: a `reset` is then needed first.
        """
        self._started &= self.match.replace_opponent(resolve_opponent(opponent, self.rules))

    @property
    def boards(self) -> Boards:
        """A copy of the boards from the agent's perspective, int8 (num_envs, m * n)."""
        return self.match.boards

    def render(self) -> tuple[Any, ...] | None:
        """Return every game's board as text ("ansi") or image ("rgb_array")."""
        games = range(self.num_envs if self.render_mode else 1)  # without a mode it only warns
        drawn = [draw(self.match, game, self.render_mode, self._last_stones) for game in games]
        return tuple(drawn) if self.render_mode else None

    def _endings(self, output: StepOutput) -> dict[str, Any]:
        """Return the infos for the games that ended in a step."""
        over, outcomes = output.over, output.outcomes
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            return {"outcome": outcomes, "_outcome": over}
        masks = np.zeros_like(output.masks)
        last = {"action_mask": masks, "outcome": outcomes, "_action_mask": over, "_outcome": over}
        final = self.observer.final(output) if self.observer.named else output.finals
        return {"final_obs": final, "_final_obs": over, "final_info": last, "_final_info": over}


def make(**arguments: Any) -> VectorTicTacToe:
    """Create the environment for `gymnasium.make_vec`; warn if Gymnasium's statistics are wrong.

    Before 1.4 Gymnasium's RecordEpisodeStatistics and NormalizeReward take the step after the end
    of a game for its reset, also in the mode SAME_STEP (its issues 1624 and 1668).
    """
    games = VectorTicTacToe(**arguments)
    version = gymnasium.__version__
    old = tuple(map(int, version.split(".")[:2])) < (1, 4)
    if old and games.autoreset_mode == AutoresetMode.SAME_STEP:
        warnings.warn(
            f"Gymnasium {version} is older than 1.4: its RecordEpisodeStatistics leaves out a step"
            ' of each game, unless autoreset_mode="NextStep"; its NormalizeReward mixes games',
            stacklevel=3,  # the caller of make_vec
        )
    return games
