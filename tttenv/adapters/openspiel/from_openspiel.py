"""OpenSpiel's policies and bots as our players."""

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
    """An OpenSpiel policy or bot as our player.

    Args:
        source: a policy (of Python or C++), asked for its probabilities; or a bot that offers a
            policy, asked for that; or a function that makes a bot from a seed: each board gets a
            bot of its own, seeded by the board, and so always the same answer, as a certificate
            needs it; or a bot, whose first answer on each board is stored: if it samples its moves,
            they depend on the order of the boards; or two of these, for X and for O.
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
    """A seed that depends on the board (cells,) alone, below 2 ** 31."""
    return zlib.crc32(board.tobytes()) >> 1


class FirstAnswers:
    """A bot's first answer on each board, stored."""

    def __init__(self, bot: Any) -> None:
        self.bot, self.answers = bot, dict[bytes, int]()

    def __call__(self, board: Boards, state: Any) -> dict[int, float]:
        """The action that it chose when asked first about this board, with probability one."""
        key = board.tobytes()
        if key not in self.answers:
            self.bot.restart_at(state)
            self.answers[key] = self.bot.step(state)
        return {self.answers[key]: 1.0}


def _board_by_board(rules: Rules, answer: Callable[[Boards, Any], dict[int, float]]) -> Policy:
    """The player that asks for each board's action probabilities, one board after the other."""

    def play(boards: Boards) -> Probs:
        probs = np.zeros(boards.shape)
        for row, board in zip(probs, boards, strict=True):
            moves = answer(board, state_of(rules, board))
            row[list(moves)] = list(moves.values())
        return probs

    return play


def _by_seat(rules: Rules, *players: Policy) -> Policy:
    """The player that is one as X and the other as O."""

    def play(boards: Boards) -> Probs:
        probs, seats = np.zeros(boards.shape), rules.seat(boards)
        for seat, one in enumerate(players):
            probs[seats == seat] = one(boards[seats == seat])
        return probs

    return play
