"""Starting positions, given as a board, as moves, or as moves from a board."""

import re
from typing import Any, NamedTuple

from tttenv.cli.play.notation import cell_of
from tttenv.game.rules import Rules, name_of

LONGEST = 4000  # characters of a board or of moves
EMPTY = str.maketrans(".", "_")


class Position(NamedTuple):
    """The beginning of a game: its moves, and the boards before and after them."""

    boards: list[Any]  # (moves + 1) of (cells,), seen by the side to move
    cells: list[int]  # of the moves

    def copy(self) -> "Position":
        """Return a copy that shares no lists."""
        return Position([*self.boards], [*self.cells])


def position_of(rules: Rules, board: str | None, moves: str | None) -> Position:
    """Parse and validate the position given by `--board` and `--moves`, both untrusted.

    Args:
        rules: the game.
        board: X, O and `.` or `_` row by row, optionally with a `/` after each row; None for the
            empty board.
        moves: the moves from there, in order: cells as parsed by `cell_of`, separated by commas,
            dots or spaces; None for no moves.

    Raises:
        ValueError: for anything else, an unreachable position or a finished game.
    """
    found = Position([rules.start() if board is None else _board_of(rules, board)], [])
    if moves is not None and len(moves) > LONGEST:
        raise ValueError(f"--moves has {len(moves):,} characters, more than {LONGEST:,}")
    for text in re.split(r"[,.\s]+", (moves or "").strip(" ,.")):
        if text:
            _play(rules, found, text)
    return found


def _play(rules: Rules, found: Position, text: str) -> None:
    """Parse a move, and add it to a position."""
    try:
        cell = cell_of(rules, text)
    except ValueError as error:
        raise ValueError(f"--moves: {error}") from None
    name, number = name_of(rules, cell), len(found.cells) + 1
    if found.boards[-1][cell] != 0:
        raise ValueError(f"--moves: move {number}, {name}, is on a cell that is already taken")
    after = rules.play(found.boards[-1], cell)
    if rules.over(after):
        raise ValueError(f"--moves: move {number}, {name}, ends the game: nothing is left to play")
    found.boards.append(after)
    found.cells.append(cell)


def _board_of(rules: Rules, text: str) -> Any:
    """Parse a board (cells,) from untrusted text."""
    if len(text) > LONGEST:
        raise ValueError(f"--board has {len(text):,} characters, more than {LONGEST:,}")
    rows = text.strip().strip("/").split("/")
    if len(rows) > 1 and [len("".join(row.split())) for row in rows] != [rules.n] * rules.m:
        raise ValueError(f"--board: {rules} has {rules.m} rows of {rules.n} cells between slashes")
    try:
        return rules.check(rules.parse("".join(rows).translate(EMPTY)))
    except ValueError as error:
        raise ValueError(f"--board: {error}") from None
