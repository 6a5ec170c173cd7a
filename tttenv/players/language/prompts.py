"""Positions as prompts: the rules, the board, the side to move and how to answer."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tttenv.drawing.render import status
from tttenv.game.rules import COLUMNS, Rules, name_of, names_of, require_line_wins
from tttenv.game.types import Boards
from tttenv.utils.arrays import one_of


def prompt(rules: Rules, board: ArrayLike, notation: str = "grid", legal: bool = False) -> str:
    """Describe a position to a language model and ask it for a move.

    Args:
        rules: the game.
        board: an undecided board (cells,), seen by the side to move.
        notation: "grid": row by row, where empty cells show their number, from 0; "coordinates":
            the same with lettered columns and numbered rows; or "moves": a list of moves that leads
            to the position.
        legal: whether to list the legal moves.

    Raises:
        ValueError: for another notation, a variant of the game, and a board that is finished or
            cannot be reached.
    """
    one_of("notation", notation, tuple(NOTATIONS))
    position = rules.check(board)
    numbered = notation == "grid"
    side = "XO"[int(rules.seat(position))]
    paragraphs = [introduction(rules), NOTATIONS[notation](rules, position)]
    if legal:
        cells = np.flatnonzero(position == 0).tolist()
        names = " ".join(map(str, cells)) if numbered else names_of(rules, cells)
        paragraphs.append(f"Legal moves: {names}")
    form = "the number of an empty cell" if numbered else "the coordinate of an empty cell"
    paragraphs.append(
        f"You are {side} and it is your move. Answer with {form} between <move> and </move>."
    )
    return "\n\n".join(paragraphs)


def observation(rules: Rules, board: ArrayLike, over: bool) -> str:
    """Return the observation for `obs="text"`: a prompt, or how the game ended if it is over."""
    if not over:
        return prompt(rules, board)
    position = rules.boards(board)
    end = status(rules, position) if rules.over(position) else "illegal move"
    return f"{_grid(rules, position)}\n\nThe game is over: {end}."


def introduction(rules: Rules) -> str:
    """Return the rules in a few sentences.

    Raises:
        ValueError: for a variant of the game.
    """
    require_line_wins(rules, "the text of the rules")
    rows, columns = "s" * (rules.m != 1), "s" * (rules.n != 1)
    size = f"{rules.m} row{rows} and {rules.n} column{columns}"
    return (
        f"You are playing an m,n,k-game, a kind of tic-tac-toe, on a board with {size}. X and O"
        " take turns, and X begins. A move puts one's own mark on an empty cell. The first side"
        f" with {rules.k} or more of its marks in a row, horizontally, vertically or diagonally,"
        " wins. If the board is full before that, the game is a draw."
    )


def move_list(board: Boards) -> list[int]:
    """Return the cells of a game that leads to an undecided board (cells,), in ascending order.

    Since no side has a line at the end, none has one on the way, so this is a legal game.
    """
    mover = np.count_nonzero(board) % 2
    own, other = np.flatnonzero(board == 1), np.flatnonzero(board == -1)
    found = np.empty(len(own) + len(other), np.int64)
    found[mover::2], found[1 - mover :: 2] = own, other
    return found.tolist()


def _grid(rules: Rules, board: Boards) -> str:
    width = len(str(rules.cells - 1))
    shown = [mark if mark != "_" else str(i) for i, mark in enumerate(rules.format(board))]
    rows = (shown[first : first + rules.n] for first in range(0, rules.cells, rules.n))
    drawn = "\n".join(" | ".join(cell.rjust(width) for cell in row) for row in rows)
    return f"The board, where an empty cell shows its number:\n\n{drawn}"


def _coordinates(rules: Rules, board: Boards) -> str:
    width, marks = len(str(rules.m)), rules.format(board).replace("_", ".")
    head = " " * width + " " + " ".join(COLUMNS[: rules.n])
    rows = (
        f"{row + 1:>{width}} {' '.join(marks[row * rules.n : (row + 1) * rules.n])}"
        for row in range(rules.m)
    )
    legend = "The board, where a dot is an empty cell, such as a1 at the top left:"
    return "\n".join([legend, "", head, *rows])


def _moves(rules: Rules, board: Boards) -> str:
    cells = move_list(board)
    corner = name_of(rules, rules.cells - 1)
    legend = f"A cell is a column letter and a row number: a1 is top left, {corner} bottom right."
    turns = [
        f"{number}. {names_of(rules, cells[first : first + 2])}"
        for number, first in enumerate(range(0, len(cells), 2), start=1)
    ]
    return f"{legend}\n\nThe moves so far, X's first in each pair: {' '.join(turns) or 'none'}"


NOTATIONS: dict[str, Callable[[Rules, Boards], str]] = {  # by name: the board as text
    "grid": _grid,
    "coordinates": _coordinates,
    "moves": _moves,
}
