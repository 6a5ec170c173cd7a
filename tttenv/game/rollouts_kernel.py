"""Compiled play-outs from a position, and batches of complete games."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.outcomes_kernel import LOSS, WIN
from tttenv.game.random_kernel import bounded, next_uint64
from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import Game, completes, outcome, threats
from tttenv.game.types import Cells, Mask, Stones
from tttenv.utils.arrays import read_only
from tttenv.utils.compiled import bare, compiled, inner
from tttenv.utils.struct import Struct, allocate

FEW = 12  # cells up to which all sets of one side's stones are looked up


@dataclass(frozen=True, eq=False)
class Playground(Struct):
    """Working memory for play-outs; stones of side 0 are 1, stones of side 1 are -1."""

    game: Game
    board: Annotated[Stones, "cells"]
    empty: Annotated[Cells, "cells"]  # the empty cells, in any order
    place: Annotated[Cells, "cells"]  # where in `empty` a cell stands
    wins: Annotated[Cells, "2, most"]  # cells where a side wins, though some are taken by now
    seen: Annotated[Cells, "2"]  # how many of those
    lined: Mask  # (2**cells,): whether these stones, a bit a cell, hold a line; (0,) on more cells
    rng: Annotated[NDArray[np.uint64], "1"]


def playground(rules: Rules) -> Playground:
    """Allocate working memory for play-outs."""
    sizes = {"cells": rules.cells, "most": 9 * rules.cells + 8}
    return allocate(Playground, sizes, game=rules.game, lined=_lined(rules))


@lru_cache(maxsize=8)
def _lined(rules: Rules) -> Mask:
    return read_only(lined(rules.game) if rules.cells <= FEW else np.zeros(0, np.bool_))


@compiled
def lined(game: Game) -> Mask:
    """Return a mask (2**cells,) of the sets of cells, coded as bits, that contain a line."""
    m, n, _, _ = game
    cells = m * n
    result = np.zeros(1 << cells, np.bool_)
    board = np.zeros(cells, np.int8)
    for stones in range(result.size):
        for cell in range(cells):
            board[cell] = (stones >> cell) & 1
        for cell in range(cells):
            if board[cell] and completes(board, cell, game):
                result[stones] = True
    return result


@inner
def gather(p: Playground) -> int:
    """Write the empty cells to `empty`, row by row, and return their number."""
    many = 0
    for cell in range(p.board.size):
        if p.board[cell] == 0:
            p.empty[many] = cell
            many += 1
    return many


@bare
def random_playout(p: Playground, stone: int) -> int:
    """Play random moves to the end, `stone` (1 or -1) first; return the winner's stone or 0."""
    many = gather(p)
    if p.lined.size:
        return looked_up_playout(p, stone, many)
    board, game = p.board, p.game
    few = board.size - 2 * (game[2] - 1)  # cells left from which on a side can have k stones
    for left in range(many, 0, -1):
        at = bounded(p.rng, left)
        cell = p.empty[at]
        p.empty[at] = p.empty[left - 1]
        board[cell] = stone
        if left <= few and completes(board, cell, game):
            return winner(outcome(True, False, game), stone)
        stone = -stone
    return 0


@inner
def winner(result: int, stone: int) -> int:
    """Return the winner's stone or 0, given the outcome for the owner of `stone`."""
    return stone if result == WIN else -stone if result == LOSS else 0


@inner
def looked_up_playout(p: Playground, stone: int, many: int) -> int:
    """Run `random_playout` on the `many` listed cells, with a lookup table of lines.

    One number serves all moves: its upper half the first five, its lower half the others. As a
    fraction times the number of moves it gives a whole part, the move, and the fraction that the
    next one goes on with; so moves are even but for some parts in a million.
    """
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    own, others = np.uint64(0), np.uint64(0)
    for cell in range(p.board.size):
        own |= np.uint64(p.board[cell] == stone) << np.uint64(cell)
        others |= np.uint64(p.board[cell] == -stone) << np.uint64(cell)
    bits = next_uint64(p.rng)
    fraction = bits >> half
    for left in range(many, 0, -1):
        if left == many - 5:
            fraction = bits & low
        product = fraction * np.uint64(left)
        fraction = product & low
        at = product >> half
        own |= np.uint64(1) << np.uint64(p.empty[at])
        if p.lined[own]:
            return winner(outcome(True, False, p.game), stone)
        p.empty[at] = p.empty[left - 1]
        own, others = others, own
        stone = -stone
    return 0


@bare
def tactical_playout(p: Playground, stone: int) -> int:
    """Run `random_playout`, but win at once if possible, else block the opponent's win."""
    many = gather(p)
    for i in range(many):
        p.place[p.empty[i]] = i
    scout(p, many)
    for left in range(many, 0, -1):
        if known_win(p, stone) >= 0:
            return stone
        cell = known_win(p, -stone)
        if cell < 0:
            cell = p.empty[bounded(p.rng, left)]
        last = p.empty[left - 1]
        p.empty[p.place[cell]] = last
        p.place[last] = p.place[cell]
        p.board[cell] = stone
        side = 0 if stone == 1 else 1
        row = p.wins[side, p.seen[side] :]
        p.seen[side] += threats(p.board, cell, p.game, row)
        stone = -stone
    return 0


@inner
def known_win(p: Playground, stone: int) -> int:
    """Return a cell where the owner of `stone` wins at once, or -1."""
    side = 0 if stone == 1 else 1
    while p.seen[side] > 0:
        cell: int = p.wins[side, p.seen[side] - 1]
        if p.board[cell] == 0:
            return cell
        p.seen[side] -= 1
    return -1


@inner
def scout(p: Playground, many: int) -> None:
    """Find the winning cells of both sides among the `many` empty cells."""
    for side in range(2):
        p.seen[side] = 0
        for i in range(many):
            cell = p.empty[i]
            p.board[cell] = 1 - 2 * side
            if completes(p.board, cell, p.game):
                p.wins[side, p.seen[side]] = cell
                p.seen[side] += 1
            p.board[cell] = 0


@compiled
def random_games(seeds: NDArray[np.uint64], ground: Playground) -> NDArray[np.int8]:
    """Play one random game per seed; return 1 where X won, -1 where O won, else 0."""
    results = np.empty(len(seeds), np.int8)
    for i in range(len(seeds)):
        ground.board[:] = 0
        ground.rng[0] = seeds[i]
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
    """Play one random game per seed; return 1 where X won, -1 where O won, else 0.

    A seed decides the moves as in `looked_up_playout`, so that no branch has to be guessed. The
    other arguments are those of `rollouts.child_table`.
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
