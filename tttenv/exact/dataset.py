"""Solved positions as a table: a row per position or symmetry class, with all move values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.enumeration import positions, require_enumerable
from tttenv.exact.solution import solve
from tttenv.game.rules import Rules, name_of, names_of
from tttenv.game.symmetry import orbits
from tttenv.game.types import Mask
from tttenv.utils.arrays import one_of

ROWS = ("class", "position")
TEST_SHARE = 5  # one class in five is for testing

Columns = dict[str, NDArray[Any]]  # by name, of equal length; values of moves are masked arrays


def held_out_classes(rules: Rules, classes: int) -> Mask:
    """Return a mask (classes,) of the symmetry classes held out for testing, by the rules alone."""
    order = np.random.default_rng((rules.m, rules.n, rules.k)).permutation(classes)
    chosen = np.zeros(classes, np.bool_)
    chosen[order[: classes // TEST_SHARE]] = True
    return chosen


def solved_positions(rules: Rules, rows: str = "class") -> Columns:
    """Return every undecided position with the exact values of its moves.

    The columns are `position` (X, O and _, row by row), `to_move`, `stones`, `class` (of symmetric
    positions), `split` (train or test, by class), `value` (for the side to move: 1 a win, 0 a draw,
    -1 a loss), `plies` (to the end, wins played fastest and losses slowest), `best` (the moves that
    keep the value and do so), and for each cell, such as `a1`, the value of the move, or masked.

    Args:
        rules: a game of up to 15 cells.
        rows: "class", one position of each symmetry class: 627 on 3,3,3; or "position", all 4,520.

    Returns:
        The columns by name, of equal length.

    Raises:
        ValueError: for a larger game or other rows.
    """
    one_of("rows", rows, ROWS)
    require_enumerable(
        rules, "on larger boards tttenv prove solves the game, tttenv analyze one board"
    )
    game, solution = positions(rules), solve(rules)
    chosen = np.flatnonzero(~game.over)
    canonical, which = orbits(rules, game.boards[chosen])
    tests = held_out_classes(rules, len(canonical))
    if rows == "class":
        chosen, which = game.index(canonical), np.arange(len(canonical))
    boards, seats = game.boards[chosen], game.seats[chosen]
    marks = np.array(["_", "X", "O"])[boards * np.where(seats == 0, 1, -1)[:, None]]
    after, best = game.successors[chosen], solution.fastest[chosen]
    found: Columns = {
        "position": np.ascontiguousarray(marks).view(f"U{rules.cells}")[:, 0],
        "to_move": np.array(["X", "O"])[seats],
        "stones": np.count_nonzero(boards, axis=1),
        "class": which,
        "split": np.where(tests[which], "test", "train"),
        "value": solution.values[chosen],
        "plies": solution.distances[chosen],
        "best": np.array([names_of(rules, np.flatnonzero(row)) for row in best]),
    }
    values = np.ma.masked_array(-solution.values[after], mask=after < 0)
    return found | {name_of(rules, cell): values[:, cell] for cell in range(rules.cells)}
