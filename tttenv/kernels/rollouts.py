"""Whole games at once, from the empty board to the end, each with dice of its own."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled
from tttenv.kernels.chance import number
from tttenv.kernels.outcomes import GOING, LOSS
from tttenv.kernels.playouts import Playground, random_playout

UNIT = 2.0**-53  # turns the upper 53 bits of a number into a die from [0, 1)


@compiled
def random_games(seeds: NDArray[np.uint64], ground: Playground) -> NDArray[np.int8]:
    """Games of random moves by both sides, one a seed: 1 if X won, -1 if O did, else 0."""
    results = np.empty(len(seeds), np.int8)
    for i in range(len(seeds)):
        ground.board[:] = 0
        ground.dice[0] = seeds[i]
        results[i] = random_playout(ground, 1)
    return results


@compiled
def random_table_games(
    seeds: NDArray[np.uint64],
    children: NDArray[np.int32],
    many: NDArray[np.uint64],
    outcome: NDArray[np.int8],
    plies: int,
) -> NDArray[np.int8]:
    """Games of random moves by both sides, one a seed: 1 if X won, -1 if O did, else 0.

    A seed's upper half decides the first five moves, its lower half the others: as a fraction that
    is multiplied by the number of moves, it gives a whole part, the move, and the fraction for the
    next. So moves are even but for some parts in a million, and no branch has to be guessed.

    Args:
        seeds: evenly distributed numbers.
        children: the positions that legal moves lead to, (positions, cells); final ones lead to
            themselves.
        many: how many these are, (positions,).
        outcome: of final positions, for X, (positions,).
        plies: after how many all games are over.
    """
    results = np.empty(len(seeds), np.int8)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for i in range(len(seeds)):
        fraction = seeds[i] >> half
        at = 0
        for ply in range(plies):
            if ply == 5:
                fraction = seeds[i] & low
            product = fraction * many[at]
            fraction = product & low
            at = children[at, product >> half]
        results[i] = outcome[at]
    return results


@compiled
def table_games(
    seeds: NDArray[np.uint64],
    successors: NDArray[np.int32],
    standing: NDArray[np.int8],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> NDArray[np.int8]:
    """Games of two looked-up players, one a seed: 1 if X won, -1 if O did, else 0.

    Args:
        seeds: of each game's dice.
        successors: (positions, cells).
        standing: outcomes for the side to move, (positions,).
        first: X's cumulative probabilities, (positions, cells), ending with one.
        second: O's.
    """
    results = np.zeros(len(seeds), np.int8)
    dice = np.empty(1, np.uint64)
    for i in range(len(seeds)):
        dice[0] = seeds[i]
        at = 0
        won = 1
        while True:
            reached = first[at] if won == 1 else second[at]
            die = (number(dice) >> np.uint64(11)) * UNIT
            cell = 0
            while reached[cell] <= die:
                cell += 1
            at = successors[at, cell]
            if standing[at] != GOING:
                break
            won = -won
        if standing[at] == LOSS:
            results[i] = won
    return results
