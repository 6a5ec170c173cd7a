"""Search for wins by threats and threes, for attack and for defence.

In a threat search one side, the attacker, makes only threats and moves after which a double threat
could follow, in Gomoku fours and threes, and the other side answers them (Allis, van den Herik and
Huntjens, "Go-Moku and threat-space search", 1994). All answers are tried, so that a win is a proof.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards
from tttenv.players.search import alphabeta_kernel as kernel
from tttenv.players.search.alphabeta_kernel import PROVEN, SearchState
from tttenv.players.search.search_budget import Budget, Limits, score_move
from tttenv.players.search.threat_moves_kernel import only_attacks
from tttenv.utils.arrays import Lock, one_at_a_time

ATTACK_SHARE = 0.25  # fraction of the limits for the search for a win
DEFENCE_SHARE = 0.25  # fraction of the limits for the search for losing moves
NODES = 10_000  # positions for each of the two, if only the depth is limited
THREATS = 30  # maximum threats tried in each search for a win by single threats
MOST = 2**24  # maximum positions of a `ThreatSearch`, which bounds the memory of its table
LIKELY = 20  # number of moves to judge, those on the best open lines
MOVER, OTHER = 0, 1  # the sides in the kernel, at the root


class Forced(NamedTuple):
    """The result of a threat search on one board."""

    win: int | None  # a move that begins such a win, if one was found
    losing: list[int]  # else moves to avoid, after which the other side has such a win


class ThreatSearch:
    """Searches for wins by threats and threes before the main search of a board.

    Of the `nodes` at most half go to a win of the side to move, half to one of the other side.
    """

    def __init__(self, rules: Rules, nodes: int) -> None:
        require_line_wins(rules, "a search for wins by threats")
        if nodes > MOST:
            raise ValueError(f"threes must be at most {MOST:,}, not {nodes:,}")
        self.rules, self.limits = rules, Limits(None, 2 * nodes, None)
        self.lock = Lock()
        entries = min(4 * nodes, 3 ** min(rules.cells, 30))
        self.state = kernel.new_search_state(rules, entries, rules.cells, THREATS)

    @one_at_a_time
    def __call__(self, board: Boards) -> Forced:
        """Search an undecided board (cells,), seen by the side to move."""
        own, blocks = (np.flatnonzero(self.rules.winning_cells(board, side)) for side in (1, -1))
        if len(own) or len(blocks) > 1:
            return Forced(None, [])
        kernel.start(self.state, board)
        scores = self.state.lines.move_score
        empty = np.flatnonzero(board == 0).tolist()
        moves = blocks.tolist() or sorted(empty, key=lambda cell: (-scores[cell], cell))
        budget = Budget(self.state.left, self.limits)
        win = winning_attack(self.state, budget, board, moves)
        if win is not None or len(moves) == 1:
            return Forced(win, [])
        likely = moves[:LIKELY]
        losing = losing_moves(self.state, budget, board, likely)
        kept = [cell for cell in likely if cell not in losing]
        return Forced(None, [c for c in empty if c not in kept] if losing and kept else [])


def winning_attack(
    state: SearchState, budget: Budget, board: Boards, moves: list[int]
) -> int | None:
    """Search for a win by threats and threes, with part of the budget.

    Args:
        state: the search to use.
        budget: of the move.
        board: the board (cells,), without an immediate win, seen by the side to move.
        moves: all, or the one that blocks a threat.

    Returns:
        A move that begins such a win, or None if none was found.
    """
    with budget.part(ATTACK_SHARE, NODES):
        return _attack(state, budget, board, moves)
    return None


def losing_moves(state: SearchState, budget: Budget, board: Boards, moves: list[int]) -> set[int]:
    """Search for moves that threats and threes of the other side refute, with part of the budget.

    Args:
        state: the search to use.
        budget: of the move.
        board: the board (cells,), on which no line needs just one more stone.
        moves: to judge.

    Returns:
        Those of them that are proved to lose.
    """
    losing: set[int] = set()
    with budget.part(DEFENCE_SHARE, NODES):
        everywhere = [cell for cell in range(board.size) if board[cell] == 0]
        if _attack(state, budget, -board, everywhere) is None:
            return losing  # it would not win even if the side to move passed
        kernel.start(state, board, attacker=OTHER)
        for depth in _useful_depths(budget, range(2, len(everywhere))):
            for move in moves:
                if move not in losing and score_move(state, budget, move, -1, depth, 0) < -PROVEN:
                    losing.add(move)
    return losing


def _attack(state: SearchState, budget: Budget, board: Boards, moves: list[int]) -> int | None:
    """Run `winning_attack` until the search is exhausted or a limit is reached."""
    kernel.start(state, board, attacker=MOVER)
    if len(moves) > 1:
        barred = state.tried[0]
        only_attacks(state.lines, MOVER, state.room, barred)
        moves = [cell for cell in moves if not barred[cell]]
    moves = sorted(moves, key=lambda cell: (-state.lines.move_score[cell], cell))
    for depth in _useful_depths(budget, range(1, board.size)):
        for move in moves:
            if score_move(state, budget, move, 0, depth, 1) > PROVEN:
                return move
    return None


def _useful_depths(budget: Budget, depths: range) -> Iterator[int]:
    """Yield the depths up to one that took as many positions as the last: it cut nothing off."""
    before, last = budget.spent, -1
    for depth in depths:
        yield depth
        if budget.spent - before == last:
            return
        before, last = budget.spent, budget.spent - before
