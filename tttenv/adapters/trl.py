"""Adapter to TRL: exact rewards, dataset rows and whole games for its trainers.

TRL itself is not imported. `GRPOTrainer` of trl 1.16 calls a reward function with the completions
and the columns of the dataset, and expects a list of numbers. Its `environment_factory` makes an
environment for each rollout, whose methods the model calls as tools.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from tttenv import text
from tttenv.env.env import TicTacToe
from tttenv.game.rules import Rules, require_line_wins
from tttenv.utils.arrays import one_of

GAMES = 1_000_000  # of one environment, before its seeds are those of the next


def rows(
    tasks: Iterable[text.Task], notation: str = "grid", legal: bool = False, chat: bool = True
) -> list[dict[str, Any]]:
    """Convert tasks to rows for `datasets.Dataset.from_list`.

    Args:
        tasks: those of `tttenv.text.tasks`.
        notation: as for `tttenv.text.prompt`.
        legal: whether the prompts list the legal moves.
        chat: whether a prompt is a list of one user message, else a text.

    Returns:
        Rows with the columns "prompt", "rules" and "position".
    """
    found = []
    for task in tasks:
        content = task.prompt(notation, legal)
        prompt = [{"role": "user", "content": content}] if chat else content
        found.append({"prompt": prompt, "rules": str(task.rules), "position": task.position})
    return found


def reward_function(scheme: str = "regret") -> Callable[..., list[float | None]]:
    """Return a reward function for completions of the prompts of `rows`.

    A move on a large board that a search leaves undecided has the reward None, so TRL ignores it.

    Args:
        scheme: that of `tttenv.text.reward`: "regret", "kept" or "game".

    Raises:
        ValueError: for another scheme.
    """
    one_of("scheme", scheme, tuple(text.SCHEMES))

    def rewards(
        completions: Sequence[Any], *, rules: Sequence[str], position: Sequence[str], **_: Any
    ) -> list[float | None]:
        found = []
        for completion, name, board in zip(completions, rules, position, strict=True):
            game = Rules.of(name)
            verdict = text.verdict(game, game.parse(board), answered(completion))
            found.append(reward_or_none(verdict, scheme))
        return found

    rewards.__name__ = f"exact_{scheme}"  # names the reward in TRL's logs
    return rewards


def answered(completion: Any) -> str:
    """Return the text of a completion, which is a string or a list of messages."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else None
    return content if isinstance(content, str) else ""


def reward_or_none(found: text.Verdict, scheme: str) -> float | None:
    """Return `tttenv.text.reward` of a verdict, or None if a search has left it undecided."""
    return text.SCHEMES[scheme](found) if found.legal else 0.0


class Game:
    """A game against one of our players, as a TRL environment; see `game_factory`."""

    def __init__(self, env: TicTacToe, notation: str, pays: str, seed: int) -> None:
        self._env, self._notation, self._pays, self._seed = env, notation, pays, seed
        self._rules = env.rules
        self._verdicts: list[text.Verdict] = []
        self._over, self._result = False, 0.0

    def reset(self, **_columns: Any) -> str:
        """Start a game and describe it; the dataset's columns are ignored."""
        self._env.reset(seed=self._seed)
        self._seed += 1
        self._verdicts, self._over, self._result = [], False, 0.0
        return self._described()

    def play(self, cell: str) -> str:
        """Play a move, and see the opponent's reply.

        Args:
            cell: The cell to play, as a number or a coordinate such as b2.

        Returns:
            The position after the reply, or how the game has ended.
        """
        if self._over:
            return "The game is over."
        found = text.verdict(self._rules, self._env.board, str(cell))
        self._verdicts.append(found)
        if found.cell is None:
            self._over, self._result = True, -1.0
            return f"The game is over: no legal move ({found.reason}) loses it."
        _, reward, self._over, _, _ = self._env.step(np.int64(found.cell))
        self._result = float(reward)
        if not self._over:
            return self._described()
        ends = {1.0: "you have won", 0.0: "a draw", -1.0: "you have lost"}
        return f"The game is over: {ends[self._result]}."

    def get_reward(self) -> float:
        """Return the reward of the rollout, from 0 to 1."""
        if self._pays == "result":
            return (1 + self._result) / 2 if self._over else 0.0
        known = [reward_or_none(verdict, self._pays) for verdict in self._verdicts]
        paid = [reward for reward in known if reward is not None]
        return sum(paid) / len(paid) if paid else 0.0

    def _described(self) -> str:
        return text.prompt(self._rules, self._env.board, self._notation)


def game_factory(
    rules: str = "3,3,3",
    opponent: str = "random",
    seat: Literal["X", "O", "random"] = "random",
    notation: str = "grid",
    pays: str = "regret",
    seed: int = 0,
) -> Callable[[], Game]:
    """Return an `environment_factory` for `GRPOTrainer`: whole games, with `play` as a tool.

    Moves that a search leaves undecided, on large boards, do not count.

    Args:
        rules: m rows, n columns, k in a row.
        opponent: any player, by its spec.
        seat: the model's seat.
        notation: the notation of the positions: "grid", "coordinates" or "moves".
        pays: "regret", "kept" or "game": the mean of `tttenv.text.reward` over the moves of the
            model; "result": 1 for a win, 0.5 for a draw, 0 for a loss or a game that did not end.
        seed: the seed of the first environment's games; each environment plays different games.

    Raises:
        ValueError: for unknown names and a negative seed.
    """
    if seed < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {seed}")
    one_of("notation", notation, tuple(text.NOTATIONS))
    one_of("pays", pays, (*text.SCHEMES, "result"))
    game = Rules.of(rules)
    require_line_wins(game, "the environment of TRL")
    numbers = itertools.count(seed)

    def make() -> Game:
        env = TicTacToe(game.m, game.n, game.k, opponent=opponent, seat=seat, obs="board")
        return Game(env, notation, pays, next(numbers) * GAMES)

    TicTacToe(game.m, game.n, game.k, opponent=opponent, seat=seat)  # complains now
    return make
