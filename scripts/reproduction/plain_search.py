"""Minimax and alpha-beta from the lecture notes, including their mistake about depth.

X maximizes the value and O minimizes it; among moves of equal value both prefer the leaf of smaller
depth. The notes forget to store the depth of a strictly better value, so the depth compared with is
that of an earlier, worse move, or none at all (NO_DEPTH). Repairing only this is right for minimax
and wrong for alpha-beta: after a cutoff a mere bound is mistaken for a tie.

Positions are indices of `tttenv.exact.positions`; values are for X: 1, 0 or -1.
"""

import sys
from functools import lru_cache
from typing import NamedTuple

from tttenv import Rules
from tttenv.exact import positions

NO_DEPTH = sys.maxsize


class SearchAnswer(NamedTuple):
    """The result of searching one position."""

    value: int
    cell: int  # the move, or -1
    depth: int  # plies to the leaf, or NO_DEPTH
    nodes: int  # positions looked at, this one included


class Children(NamedTuple):
    """The game as plain lists, for speed."""

    moves: list[list[tuple[int, int]]]  # of each position: a cell and the position it leads to
    results: list[int]  # of finished positions
    x_moves: list[bool]


@lru_cache(maxsize=1)
def children() -> Children:
    """Return the moves, results and movers of all positions of 3,3,3 as lists."""
    game = positions(Rules())
    moves = [[(c, q) for c, q in enumerate(row) if q >= 0] for row in game.successors.tolist()]
    won_by = [-1 if seat == 0 else 1 for seat in game.seats.tolist()]  # the other side, if lost
    results = [w if lost else 0 for w, lost in zip(won_by, game.lost.tolist(), strict=True)]
    return Children(moves, results, [seat == 0 for seat in game.seats.tolist()])


def minimax(repair: bool = False) -> list[SearchAnswer]:
    """Search all positions bottom-up, and return the result for each, counted as one node."""
    tree = children()
    answers = [SearchAnswer(0, -1, 0, 1)] * len(tree.moves)
    for at in reversed(range(len(tree.moves))):
        best = Best(tree.x_moves[at], repair)
        for cell, after in tree.moves[at]:
            best.see(answers[after], cell)
        answers[at] = best.answer(1) if tree.moves[at] else SearchAnswer(tree.results[at], -1, 0, 1)
    return answers


def alphabeta(
    at: int, repair: bool = False, alpha: int = -sys.maxsize, beta: int = sys.maxsize
) -> SearchAnswer:
    """Search a position, trying moves row by row, with a cutoff if beta <= alpha."""
    tree, nodes = children(), 1
    if not tree.moves[at]:
        return SearchAnswer(tree.results[at], -1, 0, 1)
    best = Best(tree.x_moves[at], repair)
    for cell, after in tree.moves[at]:
        answer = alphabeta(after, repair, alpha, beta)
        nodes += answer.nodes
        best.see(answer, cell)
        if best.x_moves:
            alpha = max(alpha, best.value)
        else:
            beta = min(beta, best.value)
        if beta <= alpha:
            break
    return best.answer(nodes)


class Best:
    """The best move found so far."""

    def __init__(self, x_moves: bool, repair: bool) -> None:
        self.x_moves, self.repair = x_moves, repair
        self.value, self.cell = -sys.maxsize if x_moves else sys.maxsize, -1
        self.depth = NO_DEPTH

    def see(self, answer: SearchAnswer, cell: int) -> None:
        """Keep a move if it is better, or equally good with a nearer leaf."""
        depth = answer.depth if answer.depth == NO_DEPTH else answer.depth + 1
        if answer.value > self.value if self.x_moves else answer.value < self.value:
            self.value, self.cell = answer.value, cell
            if self.repair:
                self.depth = depth
        elif answer.value == self.value and depth < self.depth:
            self.depth, self.cell = depth, cell

    def answer(self, nodes: int) -> SearchAnswer:
        """Return the best move as a search result."""
        return SearchAnswer(self.value, self.cell, self.depth, nodes)
