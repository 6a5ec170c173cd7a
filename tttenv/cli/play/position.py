"""Names of cells, and starting positions given as a board, as moves, or both."""

import re
from typing import Any, NamedTuple

from tttenv.game.rules import COLUMNS, Rules, name_of

KEYS = "qweasdzxc"  # arranged on the keyboard like the cells on the board
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
    if len(text) > LONGEST:
        raise ValueError(f"--board has {len(text):,} characters, more than {LONGEST:,}")
    rows = text.strip().strip("/").split("/")
    if len(rows) > 1 and [len("".join(row.split())) for row in rows] != [rules.n] * rules.m:
        raise ValueError(f"--board: {rules} has {rules.m} rows of {rules.n} cells between slashes")
    try:
        return rules.check(rules.parse("".join(rows).translate(EMPTY)))
    except ValueError as error:
        raise ValueError(f"--board: {error}") from None


def cell_of(rules: Rules, text: str, otherwise: str = "") -> int:
    """Parse the name of a cell, ignoring case: a key (on 3x3), a number or a coordinate.

    Args:
        rules: the game.
        text: the name, untrusted.
        otherwise: the end of the error message for other text.

    Raises:
        ValueError: if the text names no cell; the message lists valid names.
    """
    name = text.strip().lower()
    if len(name) == 1 and name in keys(rules):
        return KEYS.index(name)
    if re.fullmatch("[0-9]{1,4}", name):
        if int(name) < rules.cells:
            return int(name)
        raise ValueError(f"there is no cell {name}: cells are numbered 0 to {rules.cells - 1}")
    if found := re.fullmatch("([a-z])([0-9]{1,2})", name):
        column, row = COLUMNS.find(found[1]), int(found[2]) - 1
        if 0 <= column < rules.n and 0 <= row < rules.m:
            return row * rules.n + column
        raise ValueError(f"there is no cell {name}: cells are a1 to {name_of(rules, -1)}")
    shown = shortened(text)
    raise ValueError(f"{shown} is not a cell (by {ways(rules)}){otherwise}")


def keys(rules: Rules) -> str:
    """Return the keys that name cells, or an empty string on boards other than 3x3."""
    return KEYS if (rules.m, rules.n) == (3, 3) else ""


def ways(rules: Rules) -> str:
    """Describe the ways to name a cell, in one line."""
    row, column = (rules.m + 1) // 2, (rules.n + 1) // 2
    middle = (row - 1) * rules.n + column - 1
    others = f"number (0 to {rules.cells - 1}) or coordinate ({name_of(rules, middle)})"
    return f"key (q w e / a s d / z x c), {others}" if keys(rules) else others


def shortened(text: str) -> str:
    """Quote user text for display, with non-ASCII and control characters escaped, cut if long."""
    shown = ascii(text)
    return shown if len(shown) <= 40 else f"{shown[:36]}...'"
