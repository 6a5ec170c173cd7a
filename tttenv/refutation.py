"""The shortest way to beat a player: the game to replay where a certificate says it can lose."""

import numpy as np
from numpy.typing import NDArray

from tttenv.enumeration import Positions
from tttenv.kernels.types import Probs

NEVER = np.iinfo(np.int16).max // 2  # more plies than any game has


def losing_lines(game: Positions, table: Probs, tiny: float) -> dict[str, list[int] | None]:
    """The shortest game the player loses, by seat, as the cells of both sides; None if none.

    The player uses its moves with probability above `tiny`, or any it ever makes if those never
    lose; the opponent plays anything. Of the shortest games the likeliest is given, of the
    likeliest the one whose cells come first.

    Args:
        game: the positions.
        table: the player's probabilities, (positions, cells).
        tiny: moves up to this probability count only where nothing else loses.
    """
    return {
        name: losing_line(game, table, seat, tiny) or losing_line(game, table, seat, 0.0)
        for seat, name in enumerate("XO")
    }


def losing_line(game: Positions, table: Probs, seat: int, least: float) -> list[int] | None:
    """The shortest game lost in `seat` (0 is X) by moves with probability above `least`."""
    length = np.full(len(game), NEVER, np.int16)
    length[game.lost & (game.seats == seat)] = 0
    chance = np.where(length == 0, 1.0, 0.0)
    choice = np.full(len(game), -1, np.int8)
    for stones in reversed(range(len(game.plies) - 1)):
        ply = game.ply(stones)
        own = stones % 2 == seat
        for rows in game.blocks(ply):
            after, probs = game.successors[rows], table[rows] if own else None
            moves = after >= 0 if probs is None else (after >= 0) & (probs > least)
            lengths = np.where(moves, length[after] + 1, NEVER)
            chances = np.where(moves, chance[after] * (1.0 if probs is None else probs), 0.0)
            cells = _best(lengths, chances)
            each, loses = np.arange(len(cells)), lengths.min(axis=1) < NEVER
            length[rows] = np.where(loses, lengths[each, cells], length[rows])
            chance[rows] = np.where(loses, chances[each, cells], chance[rows])
            choice[rows] = np.where(loses, cells, -1)
    return _walk(game, choice) if length[0] < NEVER else None


def _best(lengths: NDArray[np.int16], chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """In each row the first cell of the likeliest among the shortest; near ties count as ties."""
    shortest = lengths == lengths.min(axis=1, keepdims=True)
    likely = np.where(shortest, chances, -1.0)
    best: NDArray[np.int64] = (likely >= likely.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(1)
    return best


def _walk(game: Positions, choice: NDArray[np.int8]) -> list[int]:
    line, at = [], 0
    while choice[at] >= 0:
        line.append(int(choice[at]))
        at = int(game.successors[at, choice[at]])
    return line
