"""Coordinates of cells: a1 is the top left cell, b1 the one to its right."""

from collections.abc import Iterable

from tttenv.game.rules import Rules

COLUMNS = "abcdefghijklmnopqrs"


def name_of(rules: Rules, cell: int) -> str:
    """Return the coordinate of a cell, such as b2: column letter, then row number from the top."""
    row, column = divmod(cell % rules.cells, rules.n)
    return f"{COLUMNS[column]}{row + 1}"


def names_of(rules: Rules, cells: Iterable[int]) -> str:
    """Return the coordinates of several cells, such as the moves of a game, in order."""
    return " ".join(name_of(rules, cell) for cell in cells)
