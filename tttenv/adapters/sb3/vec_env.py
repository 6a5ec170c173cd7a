"""A batch of games as an SB3 VecEnv with action masks."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common import vec_env

from tttenv.env.exploring_starts import VectorExploringStarts
from tttenv.env.vector import VectorTicTacToe

ALONE = (
    "with opponent=None every other reward is the other side's, and the next view too, which SB3's"
    " learners take for their own: for self-play give an opponent and use SelfPlayCallback"
)


class VecEnv(vec_env.VecEnv):
    """Wrap `tttenv.env.vector.VectorTicTacToe` as a Stable-Baselines3 `VecEnv`.

    Finished games restart in the same step; their infos hold `terminal_observation` and
    `outcome`, a value of `tttenv.Outcome`.
    `env_method("action_masks")` returns one bool row per game, as MaskablePPO expects; other
    methods and attributes are those of the batch, the same for every game.

    Args:
        num_envs: the number of games.
        opening: exploring starts: a new game begins with 0 to this many random stones.
        draw: the reward for a draw, from -1 to 1. For an agent that must never lose, trained
            against fallible opponents, choose draw - loss > 3 * (win - draw), so more than 0.5 for
            rewards of 1 and -1.
        kwargs: arguments of `VectorTicTacToe`: m, n, k, opponent, seat, illegal, obs and more. SB3
            attributes every reward and observation to one agent, so `opponent=None` causes a
            warning: for self-play use `SelfPlayCallback`.
    """

    def __init__(self, num_envs: int, opening: int = 0, draw: float = 0.0, **kwargs: Any) -> None:
        if kwargs.get("opponent", "random") is None:
            warnings.warn(ALONE, stacklevel=2)
        games = self.games = VectorTicTacToe(num_envs, **kwargs, draw=draw)
        if (mode := games.autoreset_mode) != AutoresetMode.SAME_STEP:
            raise ValueError(f"SB3 needs autoreset_mode SAME_STEP, not {mode.name}")
        self._env: Any = VectorExploringStarts(games, opening) if opening else games
        self.actions: NDArray[np.int64] | None = None
        super().__init__(num_envs, games.single_observation_space, games.single_action_space)

    def set_options(self, options: Any = None) -> None:
        """Set the options of the next reset, shared by all games, which then has no openings.

        Raises:
            ValueError: for a list of options, one for each game.
        """
        if isinstance(options, list):
            raise ValueError(
                "all games share their options: for a board each, set one dict with all boards"
            )
        super().set_options(options)

    def reset(self) -> Any:
        """Start all games; call `seed()` first to seed their shared generator."""
        observed, _ = self._env.reset(seed=self._seeds[0], options=self._options[0] or None)
        self._reset_seeds()
        self._reset_options()
        return observed

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the actions for `step_wait`."""
        self.actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the stored actions.

        Returns:
            Observations (games, ...) after the restarts, rewards and dones (games,), and one info
            for each game.

        Raises:
            ValueError: without a call of `step_async` before, and for illegal moves with
                `illegal="raise"`.
        """
        if self.actions is None:
            raise ValueError("there are no actions to play: call step_async() before step_wait()")
        observed, rewards, over, _, batch = self._env.step(self.actions)
        self.actions = None
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(over):
            last = batch["final_obs"][game]
            names = last.dtype.names  # for obs="dict" a structured array
            as_dict = {name: last[name] for name in names} if names else last
            outcome = batch["final_info"]["outcome"][game]
            infos[game] = {"terminal_observation": as_dict, "outcome": outcome}
        return observed, rewards.astype(np.float32), over.copy(), infos

    def close(self) -> None:
        """Close the games; later calls to `step` and `reset` raise."""
        self.games.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the batch, once per requested game."""
        value = getattr(self.games, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the batch, for all games regardless of `indices`."""
        setattr(self.games, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the batch; `action_masks` and `render` return one value per game."""
        answer = getattr(self.games, method_name)(*method_args, **method_kwargs)
        rows = self._get_indices(indices)
        if method_name in ("action_masks", "render") and answer is not None:
            return [answer[row] for row in rows]
        return [answer for _ in rows]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each requested game, since none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return an image of each game; requires `render_mode="rgb_array"`."""
        return self.games.render() or ()
