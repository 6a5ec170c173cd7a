"""Exact verdicts that compare a move with perfect play, rewards, and positions as tasks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tttenv.exact import enumerable, positions, require_enumerable, solve
from tttenv.exact.dataset import held_out_classes
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps, orbits
from tttenv.game.types import Boards
from tttenv.players.language.answers import parse
from tttenv.players.language.prompts import prompt
from tttenv.proofs.move_values import Bounds, MoveValues
from tttenv.utils.arrays import one_of

CACHED = 4_096  # positions of large boards
SPLITS = ("train", "test", "all")


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
    # By how many plies a move that keeps a win or a loss is slower or sooner.
    plies_lost: int | None
    best: tuple[int, ...]  # moves known to keep the value, if exact those that also win soonest


def verdict(rules: Rules, board: ArrayLike, answer: str) -> Verdict:
    """Compare the move in an answer with perfect play.

    Args:
        rules: the game.
        board: an undecided board (cells,), seen by the side to move.
        answer: the text of a model, read by `parse`.

    Raises:
        ValueError: as `parse`.
    """
    position, parsed = rules.check(board), parse(rules, board, answer)
    known = _bounds(rules, position.tobytes())
    empty, cell, plies_lost = position == 0, parsed.cell, None
    least, most = int(known.at_least[empty].max()), int(known.at_most[empty].max())
    before = least if least == most else None
    low = -1 if cell is None else int(known.at_least[cell])
    high = -1 if cell is None else int(known.at_most[cell])
    after = low if low == high else None
    best = empty & (known.at_least == least) & (least == most)
    if enumerable(rules):
        row, solution = int(positions(rules).index(position)), solve(rules)
        best, ranks = solution.fastest[row], solution.move_ranks[row]
        if cell is not None and after == before:
            plies_lost = int(ranks.max() - ranks[cell])
    kept = True if low >= most else False if high < least else None
    return Verdict(
        legal=cell is not None,
        cell=cell,
        reason=parsed.reason,
        value_before=before,
        value_after=after,
        kept=kept if cell is not None else False,
        regret=None if before is None or after is None else before - after,
        plies_lost=plies_lost,
        best=tuple(np.flatnonzero(best).tolist()),
    )


def reward(verdict: Verdict, scheme: str = "regret") -> float:
    """Return a reward in [0, 1] for a verdict; 0 for an answer without a legal move.

    Args:
        verdict: on an answer.
        scheme: "regret": 1 - regret / 2; "kept": 1 if the move keeps the value, else 0; or "game":
            the result of the game under perfect play after the move, 1 for a win, 0.5 for a draw.

    Raises:
        ValueError: for another scheme, and for a verdict that leaves the reward undecided, on
            boards of more than 15 cells.
    """
    one_of("scheme", scheme, tuple(SCHEMES))
    if not verdict.legal:
        return 0.0
    found = SCHEMES[scheme](verdict)
    if found is None:
        raise ValueError(f'the search has not decided this move: no reward by "{scheme}"')
    return found


SCHEMES: dict[str, Callable[[Verdict], float | None]] = {
    # A move is known to keep the value of some positions whose value is not known.
    "regret": lambda v: 1.0 if v.kept else None if v.regret is None else 1 - v.regret / 2,
    "kept": lambda v: None if v.kept is None else float(v.kept),
    "game": lambda v: None if v.value_after is None else (1 + v.value_after) / 2,
}


@lru_cache(CACHED)
def _bounds(rules: Rules, position: bytes) -> Bounds:
    """Return reproducible bounds on all moves, from a new search."""
    return MoveValues(rules).bounds(np.frombuffer(position, np.int8))


@dataclass(frozen=True)
class Task:
    """A position in which to find a move."""

    rules: Rules
    position: str  # X, O and _ row by row, as `Rules.format` writes it
    value: int  # for the side to move: 1, 0 or -1
    best: tuple[int, ...]  # the moves that keep the value, and win soonest or lose latest

    @property
    def board(self) -> Boards:
        """The position (cells,) from the perspective of the side to move."""
        return self.rules.parse(self.position)

    def prompt(self, notation: str = "grid", legal: bool = False) -> str:
        """Return the prompt for the position; see `tttenv.text.prompt`."""
        return prompt(self.rules, self.board, notation, legal)

    def verdict(self, answer: str) -> Verdict:
        """Compare the move in an answer with perfect play; see `tttenv.text.verdict`."""
        return verdict(self.rules, self.board, answer)


def tasks(rules: Rules, split: str = "train", seed: int = 0) -> list[Task]:
    """Return one task per symmetry class of undecided positions (627 in all on 3,3,3).

    Args:
        rules: a game of up to 15 cells.
        split: "train", four classes in five; "test", the others; or "all". No test position is the
            image of a training position.
        seed: of the order, and of the image of each class.

    Raises:
        ValueError: for another split, a larger game and a negative seed.
    """
    one_of("split", split, SPLITS)
    require_enumerable(rules, "tttenv.prove finds the value of a position on any board")
    if seed < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {seed}")
    game, solution = positions(rules), solve(rules)
    classes, _ = orbits(rules, game.boards[game.decisions])
    chosen = np.arange(len(classes))
    if split != "all":
        chosen = np.flatnonzero(held_out_classes(rules, len(classes)) == (split == "test"))
    rng, images = np.random.default_rng(seed), maps(rules)
    chosen = rng.permutation(chosen)
    turned = images[rng.integers(len(images), size=len(chosen))]
    boards = np.take_along_axis(classes[chosen], turned, axis=1)
    rows = game.index(boards)
    return [
        Task(rules, rules.format(board), int(value), tuple(np.flatnonzero(best).tolist()))
        for board, value, best in zip(
            boards, solution.values[rows], solution.fastest[rows], strict=True
        )
    ]
