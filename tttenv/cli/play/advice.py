"""Advice on a position: the value of every move, and a player's probabilities."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from tttenv.cli.play import words
from tttenv.cli.play.session import Session
from tttenv.exact import enumerable, positions, solve
from tttenv.game.rules import Rules, name_of, names_of
from tttenv.policy import Player, ask
from tttenv.proofs.move_values import CACHED, MoveValues

NAMED = 8  # maximum moves in a sentence


def some(rules: Rules, cells: Sequence[int], most: int) -> str:
    """Name the first `most` cells, and count the others."""
    names, others = names_of(rules, cells[:most]), len(cells) - most
    if others <= 0:
        return names
    return f"{names} and {others} other{'s' * (others > 1)}".removeprefix(" and ")


class Hint(NamedTuple):
    """Values and probabilities of every cell of a board, for the side to move."""

    legal: Any  # (cells,)
    values: Any  # (cells,): 1, 0, -1 under perfect play, nan if undecided; None if all are
    stones: Any  # (cells,): the winner's remaining stones, 0 for a draw; None if unknown
    shares: Any  # (cells,): the player's probabilities
    # Without a proven win, the moves that alpha-beta chooses, but none proven to be worse.
    best: tuple[int, ...] = ()

    def value(self, cell: int) -> int | None:
        """Return the value of a move, or None if it is undecided."""
        if self.values is None or np.isnan(self.values[cell]):
            return None
        return int(self.values[cell])

    def distance(self, cell: int) -> int | None:
        """Return the winner's remaining stones after a move, or None if unknown."""
        return None if self.stones is None else int(self.stones[cell])

    def short(self, cell: int) -> str:
        """Format a move's value for its cell: "+2", "-1", "="; "+" without a distance, "?"."""
        if self.values is None or not self.legal[cell]:
            return ""
        value = self.value(cell)
        return (
            words.UNDECIDED if value is None else f"{words.SIGNS[value]}{self.distance(cell) or ''}"
        )

    @property
    def legend(self) -> str:
        """What the values mean."""
        if self.values is None:
            return words.NOTHING_DECIDED
        return words.LEGEND_UNDECIDED if self.stones is None else words.LEGEND


class Advice:
    """Gives hints on positions of one game, and finds blunders: moves that lose value.

    An enumerable game is solved at the first query. On larger boards every position is searched
    for about a second, and moves may stay undecided. `ready` is called before the first search.
    """

    def __init__(self, rules: Rules, ready: Callable[[], None] = lambda: None) -> None:
        self.rules, self.ready, self.exact = rules, ready, enumerable(rules)
        self._chosen = lru_cache(CACHED)(self._search)

    def hint(self, board: Any, policy: Player) -> Hint:
        """Return the values of all moves on a board (cells,), with a player's probabilities."""
        found, (low, high) = self.values(board, policy), self._moves.bounds(board)
        if low.max() == 1 or (low == high)[found.legal].all():
            return found

        def is_worse(cell: int) -> bool:
            """Return whether another move is as good in any case, and may be better."""
            return bool((found.legal & (low >= high[cell]) & (high > high[cell])).any())

        chosen = self._chosen(board.tobytes())
        return found._replace(best=tuple(cell for cell in chosen if not is_worse(cell)))

    def values(self, board: Any, policy: Player) -> Hint:
        """Return a hint without the moves chosen by alpha-beta."""
        low, high = self._moves.bounds(board)
        legal, decided = board == 0, low == high
        values = np.where(decided, low, np.nan) if decided.any() else None
        shares = ask(board[None].copy(), policy)[0]
        return Hint(legal, values, self._stones(board) if self.exact else None, shares)

    def blunder(self, board: Any, cell: int) -> str | None:
        """Describe a move known to lose value; return None for other moves.

        "b1 loses in 3; a1 c1 a3 c3 draw." "b1 draws; a1 wins in 1, c3 b2 win in 2."
        """
        low, high = self._moves.bounds(board)
        best, value = int(low.max()), int(high[cell])
        if low[cell] != value or best <= value:
            return None
        stones = self._stones(board) if self.exact else np.zeros(len(board), np.int64)
        keep = np.flatnonzero(low == best).tolist()
        ranked = sorted((bool(high[one] > best), int(stones[one]), one) for one in keep)
        parts, left = [], NAMED
        for (unsure, away), group in groupby(ranked, lambda one: one[:2]):
            cells = [one for *_, one in group]
            subject = some(self.rules, cells, left)
            left = max(left - len(cells), 0)
            verb = words.VERBS[best][len(cells) > 1] + words.distance(away)
            parts.append(f"{subject} {verb}{' at least' * unsure}")
        own = words.VERBS[value][0] + words.distance(int(stones[cell]))
        return f"{name_of(self.rules, cell)} {own}; {', '.join(parts)}."

    def remark(self, session: Session, stone: int, numbered: bool) -> str:
        """Return a sentence on a stone if it is a blunder: "your blunder, stone 5: b1 loses"."""
        board = session.boards[stone]
        told = self.blunder(board, session.cells[stone])
        whose = "your" if session.rules.seat(board) == session.seat else f"{session.name}'s"
        number = f", stone {np.count_nonzero(board) + 1}" * numbered
        return f"{whose} blunder{number}: {told}" if told else ""

    def losing_move(self, boards: list[Any], cells: list[int], seat: int) -> int | None:
        """Return the index of the stone that lost the game for a seat (0 for X), or None."""
        for stone in reversed(range(len(cells))):
            board, cell = boards[stone], cells[stone]
            if self.rules.seat(board) == seat:
                if self.blunder(board, cell):
                    return stone
                if self._moves.bounds(board).at_most[cell] >= 0:
                    return None
        return None

    def best_line(self, board: Any, cell: int) -> list[int]:
        """Return best play after `cell`: fastest wins, slowest losses."""
        line, after = [], self.rules.play(board, cell)
        while not self.rules.over(after):
            line.append(int(self._ranks(after).argmax()))
            after = self.rules.play(after, line[-1])
        return line

    def _search(self, position: bytes) -> list[int]:
        """Return the cells that alpha-beta considers best on a board."""
        from tttenv.players.search.alphabeta import alphabeta

        found = alphabeta(self.rules).search(np.frombuffer(position, np.int8))
        chosen: list[int] = np.flatnonzero(found.probs).tolist()
        return chosen

    @cached_property
    def _moves(self) -> MoveValues:
        self.ready()
        return MoveValues(self.rules)

    def _ranks(self, board: Any) -> Any:
        return solve(self.rules).move_ranks[int(positions(self.rules).index(board))]

    def _stones(self, board: Any) -> Any:
        """Return the winner's remaining stones after each move (cells,), 0 for a draw."""
        ranks = np.where(board == 0, self._ranks(board), 0).astype(np.int64)
        return np.where(ranks == 0, 0, (self.rules.cells + 2 - np.abs(ranks)) // 2)
