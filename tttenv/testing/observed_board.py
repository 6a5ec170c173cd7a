"""Decoding of boards from observations."""

from typing import Any

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells


def board_of(observed: Any, cells: int) -> Boards | None:
    """Decode the board (cells,) from an observation in any format; None if it is unknown."""
    if isinstance(observed, dict):
        observed = observed.get("observation", observed.get("obs"))
    try:
        shown = np.asarray(observed)
    except ValueError:  # ragged rows
        return None
    if shown.dtype == object or shown.size not in (cells, 3 * cells):
        return None
    flat = shown.reshape(-1)
    if flat.size == cells:
        return flat.astype(np.int8) if np.isin(flat, (-1, 0, 1)).all() else None
    mine, theirs, empty = flat.reshape(3, cells)
    board: Boards = (mine - theirs).astype(np.int8)
    good = np.isin(flat, (0, 1)).all() and (mine + theirs + empty == 1).all()
    return board if good else None


def empty_cells(observed: Any, rules: Rules) -> Cells:
    """Return the cells that an observation shows as empty, or all cells if unknown."""
    board = board_of(observed, rules.cells)
    return np.flatnonzero(board == 0) if board is not None else np.arange(rules.cells)


def finished(observed: Any, rules: Rules) -> bool:
    """Return whether an observation shows a finished board, from either side's perspective."""
    board = board_of(observed, rules.cells)
    return board is None or bool(rules.over(board) or rules.lost(-board))
