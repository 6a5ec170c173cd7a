"""Advice on a position: the value of every move, and a player's probabilities."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tttenv.cli.play import words
from tttenv.drawing.render import status
from tttenv.exact import enumerable, positions, solve
from tttenv.game.rules import Rules, name_of
from tttenv.policy import Player, ask
from tttenv.proofs.move_values import CACHED, MoveValues

if TYPE_CHECKING:  # only needed on boards too large to solve
    from tttenv.players.search.alphabeta import AlphaBeta


class Hint(NamedTuple):
    """Values and probabilities of every cell of a board, for the side to move."""

    legal: Any  # (cells,)
    values: Any  # (cells,): 1, 0, -1 under perfect play, nan if undecided; None if all are
    stones: Any  # (cells,): the winner's remaining stones, 0 for a draw; None if unknown
    shares: Any  # (cells,): the player's probabilities
    # Without a proven win, the moves that alpha-beta chooses, but none proven to be worse.
    best: tuple[int, ...] = ()

    def short(self, cell: int) -> str:
        """Format the value of a move, such as "+2"; return an empty string for an occupied cell."""
        if self.values is None or not self.legal[cell]:
            return ""
        value = None if np.isnan(self.values[cell]) else int(self.values[cell])
        return words.short(value, None if self.stones is None else int(self.stones[cell]))


class Advice:
    """Gives hints on positions of one game, and finds blunders: moves that lose value.

    An enumerable game is solved at the first query. On larger boards every position is searched
    for about a second, and moves may stay undecided. If no move is proven to win, a hint also names
    the moves that alpha-beta chooses, unless they are proven to be worse than another one.

    Args:
        rules: the game.
        ready: called before the first search; may wait for its compilation.
    """

    def __init__(self, rules: Rules, ready: Callable[[], None] = lambda: None) -> None:
        self.rules, self.ready, self.exact = rules, ready, enumerable(rules)
        self._chosen = lru_cache(CACHED)(self._search)

    def hint(self, board: Any, policy: Player) -> Hint:
        """Return the values of all moves on a board (cells,), with a player's probabilities."""
        found = self.values(board, policy)
        if self.exact:
            return found
        low, high = self._moves.bounds(board)
        best: tuple[int, ...] = ()
        if low.max() < 1 and not (low == high)[found.legal].all():

            def is_worse(cell: int) -> bool:
                """Return whether another move is as good in any case, and may be better."""
                return bool((found.legal & (low >= high[cell]) & (high > high[cell])).any())

            best = tuple(c for c in self._chosen(board.tobytes()) if not is_worse(c))
        return found._replace(best=best)

    def values(self, board: Any, policy: Player) -> Hint:
        """Return a hint without the moves chosen by alpha-beta."""
        legal, boards = board == 0, board[None].copy()
        shares = ask(boards, policy)[0]
        if not self.exact:
            low, high = self._moves.bounds(board)
            decided = low == high
            return Hint(
                legal, np.where(decided, low, np.nan) if decided.any() else None, None, shares
            )
        ranks = np.where(legal, self._ranks(board), 0)
        return Hint(legal, np.sign(ranks), self._stones(ranks), shares)

    def blunder(self, board: Any, cell: int) -> str | None:
        """Describe a move on `board` that loses value; return None for other moves.

        Moves that are not known to be blunders count as others.
        """
        if not self.exact:
            return self._proved_blunder(board, cell)
        ranks = self._ranks(board)
        values, stones = np.sign(ranks), self._stones(ranks)
        best = int(values.max())
        if values[cell] == best:
            return None

        def move(cell: int) -> words.Move:
            value = int(values[cell])
            return words.Move(self._name(cell), value, int(stones[cell]) if value else None)

        return words.blunder(move(cell), [move(int(c)) for c in np.flatnonzero(values == best)])

    def refutation(self, board: Any, cell: int) -> str | None:
        """Describe best play after a move on `board`; return None if it is unknown.

        It is unknown if the game is not solved or has ended.
        """
        if not self.exact or self.rules.over(self.rules.play(board, cell)):
            return None
        line, end = self.best_line(board, cell)
        mover = "XO"[1 - int(self.rules.seat(board))]
        names = [self._name(c) for c in line]
        return words.best_play(self._name(cell), names, mover, status(self.rules, end))

    def told(self, board: Any, cell: int) -> str | None:
        """Describe a blunder and its refutation; return None if the move is not a blunder."""
        sentence = self.blunder(board, cell)
        return sentence and " ".join(filter(None, (sentence, self.refutation(board, cell))))

    def losing_move(self, boards: list[Any], cells: list[int], seat: int) -> int | None:
        """Return the index of the stone that lost the game for a seat (0 for X), or None."""
        own = (stone for stone in range(len(cells)) if self.rules.seat(boards[stone]) == seat)
        for stone in reversed(list(own)):
            if self.blunder(boards[stone], cells[stone]):
                return stone
            if not self._loses(boards[stone], cells[stone]):
                return None
        return None

    def _loses(self, board: Any, cell: int) -> bool:
        """Return whether a move on `board` is known to lose."""
        if not self.exact:
            return bool(self._moves.bounds(board).at_most[cell] < 0)
        return bool(self._ranks(board)[cell] < 0)

    def _proved_blunder(self, board: Any, cell: int) -> str | None:
        """Describe a move with a known value if another move is proven better."""
        low, high = self._moves.bounds(board)
        best, value = int(low.max()), int(high[cell])
        if low[cell] != value or best <= value:
            return None
        kept = [
            words.Move(self._name(int(c)), best, at_least=bool(high[c] > best))
            for c in np.flatnonzero(low == best)
        ]
        return words.blunder(words.Move(self._name(cell), value), kept)

    def _search(self, position: bytes) -> list[int]:
        """Return the cells that alpha-beta considers best on an undecided board."""
        found = self._alphabeta.search(np.frombuffer(position, np.int8))
        chosen: list[int] = np.flatnonzero(found.probs).tolist()
        return chosen

    @cached_property
    def _alphabeta(self) -> "AlphaBeta":
        from tttenv.players.search.alphabeta import alphabeta

        return alphabeta(self.rules)

    @cached_property
    def _moves(self) -> MoveValues:
        self.ready()
        return MoveValues(self.rules)

    def _name(self, cell: int) -> str:
        return name_of(self.rules, cell)

    def _ranks(self, board: Any) -> Any:
        index = int(positions(self.rules).index(board))
        return solve(self.rules).move_ranks[index].astype(np.int64)

    def _stones(self, ranks: Any) -> Any:
        """Convert the ranks of moves to the winner's remaining stones, or 0 for a draw."""
        plies = self.rules.cells + 1 - np.abs(ranks)
        return np.where(ranks == 0, 0, words.winners_stones(plies))

    def best_line(self, board: Any, cell: int) -> tuple[list[int], Any]:
        """Return best play after `cell` (fastest wins, slowest losses) and the final board."""
        line, after = [], self.rules.play(board, cell)
        while not self.rules.over(after):
            line.append(int(self._ranks(after).argmax()))
            after = self.rules.play(after, line[-1])
        return line, after
