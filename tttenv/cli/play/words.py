"""Wording of values, distances and blunders, shared by the terminal, window and report.

A distance counts the winner's remaining stones, starting before the move: a move that completes a
line is a "win in 1". Cells are named by their coordinates.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from tttenv.game.rewards import RESULTS

RESULT = dict(zip((1, 0, -1), RESULTS, strict=True))  # by value
SIGNS = {1: "+", 0: "=", -1: "-"}
VERBS = {1: ("wins", "win"), 0: ("draws", "draw"), -1: ("loses", "lose")}  # singular, plural
UNDECIDED = "?"  # marks a move of unknown value
GLYPH = "??"  # marks a blunder
DISTANCE = "in 2: the winner needs 2 more stones"
SHORT_FORM = f"+2 win {DISTANCE}"
LEGEND = f"{SHORT_FORM}; -2 loss in 2; = draw"
LEGEND_UNDECIDED = "+ win; - loss; = draw; ? not decided by a short search"
NOTHING_DECIDED = "exact: no move is decided by a short search"
NAMED = 8  # maximum moves in a sentence


class Move(NamedTuple):
    """A move with its value under perfect play for the side that makes it."""

    name: str  # its cell's coordinates
    value: int  # 1, 0 or -1
    stones: int | None = None  # the winner's remaining stones; None for a draw or if unknown
    at_least: bool = False  # whether the value is only a lower bound


def winners_stones(plies: int) -> int:
    """Return how many of the last `plies` stones of a won game belong to the winner."""
    return (plies + 1) // 2


def verdict(value: int, stones: int | None) -> str:
    """Describe a move's value: "win in 2", "loss in 1", "draw", or "win" without a distance."""
    return RESULT[value] + _distance(value, stones)


def short(value: int | None, stones: int | None) -> str:
    """Format a move's value for a cell: "+2", "-1", "="; "+" without a distance, "?" if unknown."""
    if value is None:
        return UNDECIDED
    return SIGNS[value] + ("" if value == 0 or stones is None else str(stones))


def blunder(played: Move, better: Sequence[Move]) -> str:
    """Describe a move that loses value, and the moves that keep it.

    "b1 loses in 3; a1 c1 a3 c3 draw." "b1 draws; a1 wins in 1, c3 b2 win in 2."
    """
    own = VERBS[played.value][0] + _distance(played.value, played.stones)
    return f"{played.name} {own}; {', '.join(_kept(better))}."


def _kept(better: Sequence[Move]) -> Iterable[str]:
    """Yield a phrase for each group of moves that keep the value, fastest wins first."""
    ranked = sorted(better, key=lambda move: (move.at_least, move.stones or 0))
    left = NAMED
    for (unsure, stones), group in groupby(ranked, lambda move: (move.at_least, move.stones)):
        moves = list(group)
        named, others = moves[:left], len(moves[left:])
        left -= len(named)
        subject = " ".join(move.name for move in named)
        if others:
            more = f"{others} other{'s' * (others > 1)}"
            subject = f"{subject} and {more}" if named else more
        verb = VERBS[moves[0].value][len(moves) > 1] + _distance(moves[0].value, stones)
        yield f"{subject} {verb}{' at least' * unsure}"


def best_play(played: str, names: Sequence[str], mover: str, ending: str) -> str:
    """Describe how a game continues after a move."""
    seats = "XO" if mover == "X" else "OX"
    line = ", ".join(f"{seats[turn % 2]} {name}" for turn, name in enumerate(names))
    return f"Best play after {played}: {line}: {ending}."


def _distance(value: int, stones: int | None) -> str:
    return "" if value == 0 or stones is None else f" in {stones}"
