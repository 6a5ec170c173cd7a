"""Advice on a position: what is known about its moves, in numbers and in words.

A distance counts the winner's remaining stones, starting before the move: a move that completes a
line is a "win in 1". It is 0 or None for a draw or where it is unknown.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import groupby
from typing import Any

import numpy as np

from tttenv.cli import compile
from tttenv.cli.play.session import Session
from tttenv.exact import enumerable, positions, solve
from tttenv.game.rewards import RESULTS
from tttenv.game.rules import Rules, name_of, names_of
from tttenv.policy import Candidate, Explanation, Player, ask
from tttenv.proofs.move_values import CACHED, Bounds, MoveValues

PROVER = "the prover"  # of values on large boards
NAMED = 8  # maximum moves in a sentence
LIKELIEST = 5  # maximum moves called best, and moves listed as a hint on large boards
RESULT = dict(zip((1, 0, -1), RESULTS, strict=True))  # by value
SIGNS = {1: "+", 0: "=", -1: "-"}
VERBS = {1: ("wins", "win"), 0: ("draws", "draw"), -1: ("loses", "lose")}  # singular, plural
UNDECIDED = "?"  # marks a move of unknown value
GLYPH = "??"  # marks a blunder
DISTANCE = "in 2: the winner needs 2 more stones"
LEGEND = "+2 win in 2, -2 loss in 2, in stones of the winner; = draw"
LEGEND_UNDECIDED = "+ win; - loss; = draw; ? not decided by a short search"
NOTHING_DECIDED = "exact: no move is decided by a short search"
NO_SEARCH = Explanation([])


def distance(stones: int | None) -> str:
    """Return a distance as the end of a phrase, such as " in 2"."""
    return f" in {stones}" if stones else ""


def verdict(value: int, stones: int | None) -> str:
    """Describe a move's value: "win in 2", "loss in 1", "draw", or "win" without a distance."""
    return RESULT[value] + distance(stones)


def some(rules: Rules, cells: Sequence[int], most: int) -> str:
    """Name the first `most` cells, and count the others."""
    names, others = names_of(rules, cells[:most]), len(cells) - most
    if others <= 0:
        return names
    return f"{names} and {others} other{'s' * (others > 1)}".removeprefix(" and ")


@dataclass(frozen=True)
class Advice:
    """Known values of the moves on a board, for the side to move; all arrays are (cells,)."""

    rules: Rules
    board: Any
    bounds: Bounds  # on the moves' values under perfect play
    stones: Any  # the winner's remaining stones, 0 for a draw; None on boards that are not solved
    shares: Any = None  # a player's probabilities
    best: tuple[int, ...] = ()  # without a proven win: chosen by a search, none proven to be worse
    moves: tuple[Candidate, ...] = ()  # in the order in which they are listed
    search: Explanation = NO_SEARCH  # the player's

    @property
    def values(self) -> Any:
        """Values (cells,) under perfect play: 1, 0, -1, nan if undecided; None if all are."""
        decided = self.bounds.at_least == self.bounds.at_most
        return np.where(decided, self.bounds.at_least, np.nan) if decided.any() else None

    def value(self, cell: int) -> int | None:
        """Return the value of a move, or None if it is undecided."""
        low, high = self.bounds
        return int(low[cell]) if low[cell] == high[cell] else None

    def distance(self, cell: int) -> int | None:
        """Return the winner's remaining stones after a move, or None if unknown."""
        return None if self.stones is None else int(self.stones[cell])

    def short(self, cell: int) -> str:
        """Format a move's value for its cell: "+2", "-1", "="; "+" without a distance, "?"."""
        if self.board[cell] != 0:
            return ""
        value = self.value(cell)
        return UNDECIDED if value is None else f"{SIGNS[value]}{self.distance(cell) or ''}"

    @property
    def legend(self) -> str:
        """Explanation of the values."""
        if self.values is None:
            return NOTHING_DECIDED
        return LEGEND_UNDECIDED if self.stones is None else LEGEND

    @property
    def best_by_search(self) -> str:
        """A sentence with the moves that alpha-beta chooses, or "" if the advice has none."""
        if not self.best:
            return ""
        return f"best by search, not proved: {some(self.rules, self.best, LIKELIEST)} (alphabeta)"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-serializable data on the listed moves and the player's search."""
        rows = []
        for one in self.moves:
            value, fields = self.value(one.cell), one._asdict()
            exact = {
                "cell": fields.pop("cell"),
                "probability": float(self.shares[one.cell]),
                "exact": value,
                "exact_stones": self.distance(one.cell) if value else None,
            }
            rows.append(exact | fields)
        return {"nodes": self.search.nodes, "note": self.search.note, "moves": rows}

    def blunder(self, cell: int) -> str | None:
        """Describe a move known to lose value; return None for other moves.

        "b1 loses in 3; a1 c1 a3 c3 draw." "b1 draws; a1 wins in 1, c3 b2 win in 2."
        """
        low, high = self.bounds
        best, value = int(low.max()), int(high[cell])
        if low[cell] != value or best <= value:
            return None
        keep = np.flatnonzero(low == best).tolist()
        ranked = sorted((bool(high[one] > best), self.distance(one) or 0, one) for one in keep)
        parts, left = [], NAMED
        for (unsure, away), group in groupby(ranked, lambda one: one[:2]):
            cells = [one for *_, one in group]
            subject = some(self.rules, cells, left)
            left = max(left - len(cells), 0)
            verb = VERBS[best][len(cells) > 1] + distance(away)
            parts.append(f"{subject} {verb}{' at least' * unsure}")
        own = VERBS[value][0] + distance(self.distance(cell))
        return f"{name_of(self.rules, cell)} {own}; {', '.join(parts)}."


class Adviser:
    """Gives advice on positions of one game, and finds blunders: moves that lose value.

    An enumerable game is solved at the first query. On larger boards every position is searched
    for about a second, and moves may stay undecided. `ready` is called before the first search.
    """

    def __init__(self, rules: Rules, ready: Callable[[], None] = lambda: None) -> None:
        self.rules, self.ready, self.exact = rules, ready, enumerable(rules)

    def known(self, board: Any) -> Advice:
        """Return what is known about a board (cells,) without any player."""
        stones = None
        if self.exact:
            ranks = np.where(board == 0, self._ranks(board), 0).astype(np.int64)
            stones = np.where(ranks == 0, 0, (self.rules.cells + 2 - np.abs(ranks)) // 2)
        return Advice(self.rules, board, self._moves.bounds(board), stones)

    def hint(self, board: Any, policy: Player) -> Advice:
        """Return advice with a player's probabilities, and the best moves by a search.

        Args:
            board: the position (cells,), seen by the side to move.
            policy: the player.

        Returns:
            The advice. It lists the moves that the player considers and those of known value, wins
            first.
        """
        found = replace(self.known(board), shares=ask(board[None].copy(), policy)[0])
        (low, high), legal = found.bounds, board == 0
        considered = np.flatnonzero(legal & ((found.shares > 0) | (low == high)))
        ranked = sorted(
            considered.tolist(), key=lambda cell: (-(found.value(cell) or 0), -found.shares[cell])
        )
        found = replace(found, moves=tuple(map(Candidate, ranked)))
        if low.max() == 1 or (low == high)[legal].all():
            return found
        best = [  # none that another move equals in any case, and may surpass
            cell
            for cell in _chosen(self.rules, board.tobytes())
            if not (legal & (low >= high[cell]) & (high > high[cell])).any()
        ]
        return replace(found, best=tuple(best))

    def analysis(self, board: Any, policy: Player, played: int | None = None) -> Advice:
        """Return advice on all moves with a player's own search.

        Args:
            board: the position (cells,), seen by the side to move.
            policy: the player.
            played: the cell that is listed first; if omitted, the player's likeliest move.

        Returns:
            The advice. Moves that the search left out have a line of best play in a solved game.
        """
        found = replace(self.known(board), shares=ask(board[None].copy(), policy)[0])
        search = policy.explain(board.copy()) or NO_SEARCH
        searched = {one.cell: (number, one) for number, one in enumerate(search.candidates)}

        def order(cell: int) -> tuple[Any, ...]:
            number = searched[cell][0] if cell in searched else board.size
            return cell != played, -found.shares[cell], number, -(found.value(cell) or 0), cell

        moves = [
            searched[cell][1]
            if cell in searched
            else Candidate(cell, line=(cell, *self.best_line(board, cell)) if self.exact else ())
            for cell in sorted(np.flatnonzero(board == 0).tolist(), key=order)
        ]
        return replace(found, moves=tuple(moves), search=search)

    def remark(self, session: Session, stone: int, numbered: bool) -> str:
        """Describe a stone of a game if it is a blunder: "your blunder, stone 5: b1 loses".

        Args:
            session: the game.
            stone: the index of the stone, from 0.
            numbered: whether the sentence says which stone it is.

        Returns:
            The sentence, or "" for a stone that is no known blunder.
        """
        board = session.boards[stone]
        blunder = self.known(board).blunder(session.cells[stone])
        whose = "your" if session.rules.seat(board) == session.seat else f"{session.name}'s"
        number = f", stone {np.count_nonzero(board) + 1}" * numbered
        return f"{whose} blunder{number}: {blunder}" if blunder else ""

    def losing_move(self, session: Session) -> int | None:
        """Return the index of the stone that lost the game for the person, or None."""
        for stone in reversed(session.plies(session.seat)):
            known, cell = self.known(session.boards[stone]), session.cells[stone]
            if known.blunder(cell):
                return stone
            if known.bounds.at_most[cell] >= 0:
                return None
        return None

    def best_line(self, board: Any, cell: int) -> list[int]:
        """Return best play after `cell` in a solved game: fastest wins, slowest losses."""
        line, after = [], self.rules.play(board, cell)
        while not self.rules.over(after):
            line.append(int(self._ranks(after).argmax()))
            after = self.rules.play(after, line[-1])
        return line

    @cached_property
    def _moves(self) -> MoveValues:
        self.ready()
        return MoveValues(self.rules)

    def _ranks(self, board: Any) -> Any:
        return solve(self.rules).move_ranks[int(positions(self.rules).index(board))]


@lru_cache(CACHED)
def _chosen(rules: Rules, position: bytes) -> Any:
    """Return the cells (number,) that alpha-beta considers best on a board."""
    from tttenv.players.search.alphabeta import alphabeta

    return np.flatnonzero(alphabeta(rules).search(np.frombuffer(position, np.int8)).probs)


@contextmanager
def advising(rules: Rules) -> Iterator[Adviser]:
    """Yield an adviser; on large boards its prover is compiled meanwhile, if that is needed."""
    with compile.compiling(*[PROVER] * (not enumerable(rules))) as prover:
        yield Adviser(rules, partial(prover.wait, PROVER))
