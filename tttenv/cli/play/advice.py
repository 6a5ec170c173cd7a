"""What a move is worth, exactly where the game can be solved, and who would play it."""

from typing import Any, NamedTuple

import numpy as np

from tttenv.cli.play.notation import name_of
from tttenv.exact import enumerable, positions, solve
from tttenv.game.rules import Rules
from tttenv.policy import Policy, validated

WORTH = {1: "a win", 0: "a draw", -1: "a loss"}


class Hint(NamedTuple):
    """About every cell of a board, as the side to move sees it."""

    legal: Any  # (cells,)
    values: Any  # (cells,): 1, 0, -1 after perfect play; None where the game cannot be solved
    plies: Any  # (cells,): to the end, this move included, wins fastest and losses slowest; None
    shares: Any  # (cells,): the player's probabilities


class Advice:
    """Hints on positions of one game; the game is solved when the first is asked for."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.exact = rules, enumerable(rules)

    def hint(self, board: Any, policy: Policy) -> Hint:
        """What every move on an undecided board (cells,) is worth, and `policy`'s probabilities."""
        legal, boards = board == 0, board[None].copy()
        shares = validated(boards, policy(boards.copy()))[0]
        if not self.exact:
            return Hint(legal, None, None, shares)
        ranks = np.where(legal, self._ranks(board), 0)
        plies = np.where(ranks == 0, legal.sum(), self.rules.cells + 1 - np.abs(ranks))
        return Hint(legal, np.sign(ranks), plies, shares)

    def mistake(self, board: Any, cell: int) -> str | None:
        """The sentence about a move on `board` that gives away value; None for a good one."""
        if not self.exact:
            return None
        ranks = self._ranks(board)
        best, worth = int(np.sign(ranks.max())), int(np.sign(ranks[cell]))
        if worth == best:
            return None
        kept = [name_of(self.rules, int(c)) for c in np.flatnonzero(np.sign(ranks) == best)]
        line = " ".join(name_of(self.rules, c) for c in self._best_line(board, cell))
        return (
            f"{name_of(self.rules, cell)} turns {WORTH[best]} into {WORTH[worth]}: best play goes"
            f" on {line}; {', '.join(kept)} kept it"
        )

    def _ranks(self, board: Any) -> Any:
        index = int(positions(self.rules).index(board))
        return solve(self.rules).move_ranks[index].astype(np.int64)

    def _best_line(self, board: Any, cell: int) -> list[int]:
        """How both sides go on after `cell`: quickest wins, slowest losses, first of equals."""
        line, after = [], self.rules.play(board, cell)
        while not self.rules.over(after):
            line.append(int(self._ranks(after).argmax()))
            after = self.rules.play(after, line[-1])
        return line
