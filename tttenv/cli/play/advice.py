"""What a move is worth, exactly where that can be found, and who would play it."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tttenv.cli.play.notation import name_of
from tttenv.exact import enumerable, positions, solve
from tttenv.exact.move_values import MoveValues
from tttenv.game.rules import Rules
from tttenv.policy import Policy, validated

WORTH = {1: "a win", 0: "a draw", -1: "a loss"}
NAMED = 8  # moves in a sentence, at most, on boards past enumeration


class Hint(NamedTuple):
    """About every cell of a board, as the side to move sees it."""

    legal: Any  # (cells,)
    values: Any  # (cells,): 1, 0, -1 after perfect play, nan if undecided; None if all are
    plies: Any  # (cells,): to the end, this move included, wins fastest and losses slowest; or None
    shares: Any  # (cells,): the player's probabilities


class Advice:
    """Hints on positions of one game.

    A game that can be enumerated is solved when the first is asked for. On larger boards every
    position is searched for about a second, and moves may stay undecided.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules, self.exact = rules, enumerable(rules)

    def hint(self, board: Any, policy: Policy) -> Hint:
        """What every move on an undecided board (cells,) is worth, and `policy`'s probabilities."""
        legal, boards = board == 0, board[None].copy()
        shares = validated(boards, policy(boards.copy()))[0]
        if not self.exact:
            low, high = self._moves.bounds(board)
            decided = low == high
            values = np.where(decided, low, np.nan) if decided.any() else None
            return Hint(legal, values, None, shares)
        ranks = np.where(legal, self._ranks(board), 0)
        plies = np.where(ranks == 0, legal.sum(), self.rules.cells + 1 - np.abs(ranks))
        return Hint(legal, np.sign(ranks), plies, shares)

    def mistake(self, board: Any, cell: int) -> str | None:
        """The sentence about a move on `board` that gives away value.

        None for a good move, and for one that is not known to be a mistake.
        """
        if not self.exact:
            return self._proved_mistake(board, cell)
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

    def loses(self, board: Any, cell: int) -> bool:
        """Whether a move on `board` is known to lose."""
        if not self.exact:
            return bool(self._moves.bounds(board).at_most[cell] < 0)
        return bool(self._ranks(board)[cell] < 0)

    def _proved_mistake(self, board: Any, cell: int) -> str | None:
        """The sentence about a move whose value is known, if another is proved to be better."""
        low, high = self._moves.bounds(board)
        best, worth = int(low.max()), int(high[cell])
        if low[cell] != worth or best <= worth:
            return None
        known = bool((high[board == 0] <= best).all())
        before = WORTH[best] if known else f"at least {WORTH[best]}"
        kept = [name_of(self.rules, int(c)) for c in np.flatnonzero(low == best)]
        names = ", ".join(kept[:NAMED])
        if len(kept) > NAMED:
            names += f" and {len(kept) - NAMED} other{'s' * (len(kept) > NAMED + 1)}"
        return f"{name_of(self.rules, cell)} turns {before} into {WORTH[worth]}; {names} kept it"

    @cached_property
    def _moves(self) -> MoveValues:
        return MoveValues(self.rules)

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
