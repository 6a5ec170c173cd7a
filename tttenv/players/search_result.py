"""Search results, explanations of a move, and validation of the limits of searches."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.types import Boards

LIMIT = 2.0**63  # every limit is below this, so that it fits into an int64


class Found(NamedTuple):
    """The result of searching one board."""

    probs: NDArray[np.float64]  # (cells,): move probabilities
    value: float  # for the side to move: 1 a win, 0 a draw, -1 a loss; in between, an estimate
    nodes: int  # positions searched, or play-outs made


class Candidate(NamedTuple):
    """A search's findings about one move, for the side to move."""

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
    estimates: str = "open lines"  # what the values of positions at a depth limit are based on


def uniform_on(cells: list[int], size: int) -> NDArray[np.float64]:
    """Return the uniform distribution (size,) over the given cells."""
    probs = np.zeros(size)
    probs[cells] = 1 / len(cells)
    return probs


def at_least(least: float, **limits: float | None) -> None:
    """Raise ValueError unless every limit is None or at least `least`.

    Raises:
        ValueError: naming the option that is too small, infinite or not a number.
    """
    for name, value in limits.items():
        if value is not None and not least <= value < LIMIT:
            raise ValueError(f"{name} must be at least {least:g} and below 2 ** 63, not {value}")


def not_both(**limits: float | None) -> None:
    """Raise ValueError unless at most one of the limits is set.

    Raises:
        ValueError: naming those that are set.
    """
    names = [name for name, value in limits.items() if value is not None]
    if len(names) > 1:
        raise ValueError(f"limit {' or '.join(names)}, not both")


def shorter(time: float | None, seconds: float | None) -> float | None:
    """Return a player's option `time`, or `seconds` if that is less; None without the option."""
    return time if time is None or seconds is None else min(time, seconds)


def limit_time(policy: Any, seconds: float | None) -> bool:
    """Limit the seconds for each of a player's next moves; None for what its options say.

    Returns:
        Whether the player can be limited: it then has a method `limit_time(seconds)`.
    """
    method = getattr(policy, "limit_time", None)
    if method is not None:
        method(seconds)
    return method is not None


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
