"""Wrappers for exploring starts: games begin with a few random stones.

An agent that plays well sees few positions, and self-play fewer still. Exploring starts (Sutton and
Barto, "Reinforcement Learning", section 5.3) show it all of them. The agent is to move in each
opening, so it takes both seats.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from tttenv.env.observation import Observation
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.openings import random_openings
from tttenv.game.types import Boards, Mask
from tttenv.utils.arrays import integers_from

DRAWN = 256  # openings at once


def require_both_seats(games: Any, stones: int) -> None:
    """Check that games can begin with random stones.

    Args:
        games: the environment, single or a batch, without wrappers.
        stones: the most stones of an opening.

    Raises:
        ValueError: if `stones` is negative or, unless it is 0, the seat is not random.
    """
    integers_from(0, stones=stones)
    if stones and games.match.seat != "random":
        raise ValueError("exploring starts give the agent both seats: leave seat='random'")


def place_openings(games: VectorTicTacToe, new: Mask, stones: int) -> bool:
    """Place random stones in new games, with the agent to move.

    Args:
        games: the batch, whose generator draws the stones.
        new: the games to place them in, bool (games,).
        stones: the most stones of an opening; each number from 0 on is equally likely.

    Returns:
        Whether boards may have changed.
    """
    count = int(np.count_nonzero(new))
    if not count or not stones:
        return False
    boards = games.boards
    boards[new] = random_openings(games.rules, stones, count, games.np_random)
    games.match.set_boards(boards)
    return True


class ExploringStarts(gymnasium.Wrapper[Any, int, Any, int]):
    """Wrapper that starts each game with 0 to `stones` random stones, the agent to move.

    A reset with `options={"board": ...}` is not changed. The openings come from the environment's
    generator.

    Args:
        env: the environment, with a random `seat`.
        stones: the most stones of an opening; one that would end the game is left out.

    Raises:
        ValueError: for fewer than 0 stones or another seat.
    """

    def __init__(self, env: Any, stones: int = 8) -> None:
        super().__init__(env)
        require_both_seats(env.unwrapped, stones)
        self.stones = stones
        self._openings: list[Boards] = []  # drawn together, which is much faster

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a game with a random opening.

        Args:
            seed: as in `TicTacToe.reset`; the opening depends on it, too.
            options: as in `TicTacToe.reset`; with any there is no opening.
        """
        if seed is not None:
            self._openings = []  # drawn with the previous seed
        if seed is not None or options or not self.stones:
            started = self.env.reset(seed=seed, options=options)
            if options or not self.stones:
                return started
        if not self._openings:
            game: Any = self.unwrapped
            self._openings = list(random_openings(game.rules, self.stones, DRAWN, game.np_random))
        return self.env.reset(options={"board": self._openings.pop()})


class VectorExploringStarts(gymnasium.vector.VectorWrapper):
    """Wrapper for `gymnasium.make_vec`, in its default mode, that does the same for each game.

    A reset with `options` is not changed.

    Args:
        env: the batch, with a random `seat`.
        stones: the most stones of an opening; one that would end the game is left out.

    Raises:
        ValueError: for fewer than 0 stones, another seat or another autoreset mode.
    """

    def __init__(self, env: Any, stones: int = 8) -> None:
        super().__init__(env)
        games = env.unwrapped
        require_both_seats(games, stones)
        if games.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode must be SAME_STEP, not {games.autoreset_mode.name}")
        self.games: VectorTicTacToe = games
        self.stones = stones

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all games with random openings.

        Args:
            seed: as in `VectorTicTacToe.reset`; the openings depend on it, too.
            options: as in `VectorTicTacToe.reset`; with any there are no openings.
        """
        seen, infos = self.games.reset(seed=seed, options=options)
        if options:
            return seen, infos
        return self._opened(np.ones(self.games.num_envs, np.bool_), seen, infos)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float64], Mask, Mask, dict[str, Any]]:
        """Play one cell in every game; a game that ends restarts with a random opening."""
        seen, rewards, over, truncated, infos = self.games.step(actions)
        seen, infos = self._opened(over, seen, infos)
        return seen, rewards, over, truncated, infos

    def _opened(
        self, new: Mask, seen: Observation, infos: dict[str, Any]
    ) -> tuple[Observation, dict[str, Any]]:
        """Place random stones in the new games, and return the observations and infos."""
        if place_openings(self.games, new, self.stones):
            seen, infos["action_mask"] = self.games.observer.observe(self.games.match)
        return seen, infos
