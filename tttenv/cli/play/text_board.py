"""Boards and hints as lines of text, with coordinates on the rim; in colour on a terminal."""

import os
from collections.abc import Callable
from typing import Any, TextIO

import numpy as np

from tttenv.cli.play.advice import Hint
from tttenv.cli.play.notation import COLUMNS
from tttenv.game.render import marks
from tttenv.game.rules import Rules

Paint = Callable[[str, str], str]  # text and what it is to its coloured self
COLOURS = {"X": "94", "O": "33", "last": "1;4", "+": "32", "-": "31", "rim": "2"}
WIDE = 100  # characters side by side at the most


def painter(out: TextIO) -> Paint:
    """Colours for a terminal that has some; none for pipes and files, and where NO_COLOR asks."""
    plain = not out.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"

    def paint(text: str, kind: str) -> str:
        code = COLOURS.get(kind)
        return text if plain or code is None else f"\x1b[{code}m{text}\x1b[0m"

    return paint


def board_lines(rules: Rules, board: Any, last: int | None, paint: Paint) -> list[str]:
    """The board (cells,) with X, O and dots, the last stone underlined where there is colour."""
    cells = []
    for cell, mark in enumerate(marks(rules, board)):
        shown = paint(mark.replace("_", "."), mark)
        cells.append(paint(shown, "last") if cell == last else shown)
    return _grid(rules, cells, 1, paint)


def hint_lines(rules: Rules, board: Any, hint: Hint, name: str, paint: Paint) -> list[str]:
    """What each move is worth, beside or above how likely `name` would make it, and a legend."""
    written = [paint(f"{mark:>3}", mark) for mark in marks(rules, board)]
    likely = [_percent(hint, cell) or written[cell] for cell in range(rules.cells)]
    blocks = [[f"{name}, %", *_grid(rules, likely, 3, paint)]]
    legend = "the game is too large to be solved: no exact values"
    if hint.values is not None:
        if hint.plies is None:
            legend = "exact: + wins, = draws, - loses, ? is not decided by a short search"
        else:
            legend = "exact: +3 wins in 3 stones, counting both sides', = draws, -4 loses in 4"
        worth = [_worth(hint, cell, paint) or written[cell] for cell in range(rules.cells)]
        blocks.insert(0, ["exact", *_grid(rules, worth, 3, paint)])
    return [*_beside(blocks, 4 + 4 * rules.n), legend]


def _worth(hint: Hint, cell: int, paint: Paint) -> str:
    if not hint.legal[cell]:
        return ""
    value = hint.values[cell]
    sign = "?" if np.isnan(value) else "=+-"[int(value)]
    counted = sign in "+-" and hint.plies is not None
    return paint(f"{f'{sign}{hint.plies[cell]}' if counted else sign:>3}", sign)


def _percent(hint: Hint, cell: int) -> str:
    share = hint.shares[cell]
    shown = "<1" if 0 < share < 0.005 else f"{100 * share:.0f}" if share else "."
    return f"{shown:>3}" if hint.legal[cell] else ""


def _grid(rules: Rules, cells: list[str], width: int, paint: Paint) -> list[str]:
    """Cells, all of one width, in rows with their numbers, below the letters of the columns."""
    letters = " ".join(f"{letter:>{width}}" for letter in COLUMNS[: rules.n])
    lines = [paint(f"    {letters}", "rim")]
    for row in range(rules.m):
        own = cells[row * rules.n : (row + 1) * rules.n]
        lines.append(f"{paint(f'{row + 1:>3}', 'rim')} {' '.join(own)}")
    return lines


def _beside(blocks: list[list[str]], width: int) -> list[str]:
    """Titled blocks of equal size side by side where there is room, else one above the other."""
    if len(blocks) * width > WIDE:
        return [line for block in blocks for line in block]
    (*titles, last), grids = (block[0] for block in blocks), [block[1:] for block in blocks]
    head = "".join(f"{title:<{width + 3}}" for title in titles) + last
    return [head, *("    ".join(row) for row in zip(*grids, strict=True))]
