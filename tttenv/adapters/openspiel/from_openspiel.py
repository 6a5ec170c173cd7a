"""OpenSpiel policies and bots as players."""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tttenv.adapters import wanted
from tttenv.adapters.openspiel.states import state_of
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import Policy

with wanted("pyspiel"):
    import pyspiel


def player(source: Any, rules: Rules) -> Policy:
    """Convert an OpenSpiel policy or bot to a player.

    Args:
        source: one of
            a policy (Python or C++), queried for its probabilities;
            a bot that provides a policy, queried for that;
            a function from a seed to a bot: each board gets its own bot, seeded by the board, so
            its move is always the same, as a certificate requires;
            another bot, whose first move on each board is stored: if it samples its moves, they
            depend on the order of the boards;
            or a pair of these, for X and for O.
        rules: the game.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(source, tuple) and len(source) == 2:
        return _by_seat(rules, *(player(part, rules) for part in source))
    if hasattr(source, "action_probabilities"):
        return _board_by_board(rules, lambda board, state: dict(source.action_probabilities(state)))
    if isinstance(source, pyspiel.Bot):
        if source.provides_policy():
            return _board_by_board(rules, lambda board, state: dict(source.get_policy(state)))
        return _board_by_board(rules, FirstAnswers(source))
    if callable(source):
        return _board_by_board(
            rules, lambda board, state: {source(seed_of(board)).step(state): 1.0}
        )
    raise ValueError(f"OpenSpiel's players are policies, bots or makers of bots, not {source!r}")


def seed_of(board: Boards) -> int:
    """Return a seed below 2 ** 31 that depends only on the board (cells,)."""
    return zlib.crc32(board.tobytes()) >> 1


class FirstAnswers:
    """Plays a bot's first move on each board, which is cached."""

    def __init__(self, bot: Any) -> None:
        self.bot, self.answers = bot, dict[bytes, int]()

    def __call__(self, board: Boards, state: Any) -> dict[int, float]:
        """Return the bot's first move on the board, with probability one."""
        key = board.tobytes()
        if key not in self.answers:
            self.bot.restart_at(state)
            self.answers[key] = self.bot.step(state)
        return {self.answers[key]: 1.0}


def _board_by_board(rules: Rules, answer: Callable[[Boards, Any], dict[int, float]]) -> Policy:
    """Return a player that gets action probabilities for one board at a time."""

    def play(boards: Boards) -> Probs:
        probs = np.zeros(boards.shape)
        for row, board in zip(probs, boards, strict=True):
            moves = answer(board, state_of(rules, board))
            row[list(moves)] = list(moves.values())
        return probs

    return play


def _by_seat(rules: Rules, *players: Policy) -> Policy:
    """Return a player that uses the first policy as X and the second as O."""

    def play(boards: Boards) -> Probs:
        probs, seats = np.zeros(boards.shape), rules.seat(boards)
        for seat, one in enumerate(players):
            probs[seats == seat] = one(boards[seats == seat])
        return probs

    return play
