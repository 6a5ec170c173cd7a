"""Explanations of moves: what a player's search found about each candidate."""

from typing import Any, NamedTuple

from tttenv.game.types import Boards


class Candidate(NamedTuple):
    """What a search found about a move, for the side to move."""

    cell: int
    value: float | None = None  # 1 a win, 0 a draw, -1 a loss; None if it was not valued
    at_most: bool = False  # whether the value is only an upper bound
    stones: int | None = None  # of a win or loss that the search has seen: the winner's stones left
    depth: int | None = None  # plies searched
    visits: int | None = None  # simulations or play-outs that began with the move
    prior: float | None = None  # probability before the search
    line: tuple[int, ...] = ()  # the expected continuation, which begins with the move


class Explanation(NamedTuple):
    """The result of a search, with an entry for each candidate move."""

    candidates: list[Candidate]  # the best first; moves that the search left out are missing
    nodes: int | None = None  # positions searched for the move, or play-outs made
    note: str = ""  # why there was no search, or what it was limited to


def explain(policy: Any, board: Boards) -> Explanation:
    """Return a player's explanation of its move on an undecided board (cells,).

    A player that can explain its moves has a method `explain(board) -> Explanation`. For all others
    the explanation is empty.
    """
    method = getattr(policy, "explain", None)
    found: Explanation = Explanation([]) if method is None else method(board)
    return found


def mapped(found: Explanation, cells: list[int]) -> Explanation:
    """Return an explanation with every cell c replaced by `cells[c]`."""
    candidates = [
        one._replace(cell=cells[one.cell], line=tuple(cells[cell] for cell in one.line))
        for one in found.candidates
    ]
    return found._replace(candidates=candidates)
