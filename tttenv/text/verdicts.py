"""Exact verdicts that compare a move with perfect play, and rewards based on them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tttenv.exact import enumerable, positions, solve
from tttenv.game.rules import Rules
from tttenv.proofs.move_values import Bounds, MoveValues
from tttenv.text.answers import parse
from tttenv.utils.arrays import one_of

CACHED = 4_096  # positions of large boards


@dataclass(frozen=True)
class Verdict:
    """A move compared with perfect play; values are 1, 0 or -1 for the side that moves.

    On boards of up to 15 cells everything is exact. On larger ones it is what a search of bounded
    size proves, and None where it proves nothing. An answer without a legal move loses the game.
    """

    legal: bool
    cell: int | None
    reason: str  # "" if legal; else "none", "ambiguous", "taken" or "off the board"
    value_before: int | None  # of the position
    value_after: int | None  # of the position after the move
    kept: bool | None  # whether a legal move keeps the value of the position
    regret: int | None  # value_before - value_after: 0, 1 or 2
    plies_lost: (
        int | None
    )  # of a move that keeps a win or a loss: by how much it is slower or sooner
    best: tuple[int, ...]  # moves known to keep the value, if exact those that also win soonest


def verdict(rules: Rules, board: ArrayLike, answer: str) -> Verdict:
    """Compare the move in an answer with perfect play.

    Args:
        rules: the game.
        board: (cells,), in the view of the side to move; undecided.
        answer: the model's answer, parsed by `parse`.

    Raises:
        ValueError: as `parse`.
    """
    position, parsed = rules.check(board), parse(rules, board, answer)
    known = _bounds(rules, position.tobytes())
    before = _value(known, position == 0)
    best, plies_lost = _best(rules, position, known, before), None
    cell = parsed.cell
    if cell is None:
        low = high = -1
    else:
        low, high = int(known.at_least[cell]), int(known.at_most[cell])
        if enumerable(rules):
            ranks = solve(rules).move_ranks[int(positions(rules).index(position))]
            plies_lost = int(ranks.max() - ranks[cell]) if low == before else None
    after = low if low == high else None
    return Verdict(
        legal=cell is not None,
        cell=cell,
        reason=parsed.reason,
        value_before=before,
        value_after=after,
        kept=cell is not None and _kept(known, position == 0, low, high),
        regret=None if before is None or after is None else before - after,
        plies_lost=plies_lost,
        best=best,
    )


def reward(verdict: Verdict, scheme: str = "regret") -> float:
    """Return a reward in [0, 1] for a verdict; 0 for an answer without a legal move.

    Args:
        verdict: the verdict on an answer.
        scheme: "regret": 1 - regret / 2, so 1 for every move that keeps the value, 0.5 for one that
            turns a win into a draw; "kept": 1 if the move keeps the value, else 0; "game": the
            result of the game under perfect play after the move, 1 for a win, 0.5 for a draw.

    Raises:
        ValueError: for an unknown scheme, or a verdict that leaves the reward undecided, which
            happens on boards of more than 15 cells only.
    """
    one_of("scheme", scheme, tuple(SCHEMES))
    if not verdict.legal:
        return 0.0
    found = SCHEMES[scheme](verdict)
    if found is None:
        raise ValueError(f'the search has not decided this move: no reward by "{scheme}"')
    return found


def _regret(verdict: Verdict) -> float | None:
    if verdict.kept:  # known in some positions whose value is not
        return 1.0
    return None if verdict.regret is None else 1 - verdict.regret / 2


def _keeps(verdict: Verdict) -> float | None:
    return None if verdict.kept is None else float(verdict.kept)


def _game(verdict: Verdict) -> float | None:
    return None if verdict.value_after is None else (1 + verdict.value_after) / 2


SCHEMES: dict[str, Callable[[Verdict], float | None]] = {
    "regret": _regret,
    "kept": _keeps,
    "game": _game,
}


@lru_cache(CACHED)
def _bounds(rules: Rules, position: bytes) -> Bounds:
    """Return reproducible bounds on all moves, from a new search."""
    return MoveValues(rules).bounds(np.frombuffer(position, np.int8))


def _value(known: Bounds, legal: np.ndarray) -> int | None:
    """Return the value of a position from bounds on its moves, if they decide it."""
    low, high = int(known.at_least[legal].max()), int(known.at_most[legal].max())
    return low if low == high else None


def _best(rules: Rules, position: np.ndarray, known: Bounds, value: int | None) -> tuple[int, ...]:
    if enumerable(rules):
        found = solve(rules).fastest[int(positions(rules).index(position))]
    elif value is None:
        return ()
    else:
        found = (position == 0) & (known.at_least == value)
    return tuple(np.flatnonzero(found).tolist())


def _kept(known: Bounds, legal: np.ndarray, low: int, high: int) -> bool | None:
    """Return whether a move with the given bounds keeps the value, or None if unknown."""
    if low >= known.at_most[legal].max():
        return True
    return False if high < known.at_least[legal].max() else None
