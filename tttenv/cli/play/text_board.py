"""Boards and hints as lines of text with coordinates, in colour on a terminal."""

from typing import Any

from tttenv.certificates import phrases
from tttenv.cli.play.advice import Advice
from tttenv.cli.text_tables import painted, wrapped
from tttenv.drawing.render import marks
from tttenv.game.rules import COLUMNS, Rules

WIDE = 100  # maximum width in characters without a terminal
GAP = 4  # spaces between two boards


def board_lines(rules: Rules, board: Any, last: int | None) -> list[str]:
    """Draw a board (cells,) as lines of X, O and dots, with the last stone underlined."""
    cells = []
    for cell, mark in enumerate(marks(rules, board)):
        shown = painted(mark.replace("_", "."), mark)
        cells.append(painted(shown, "last") if cell == last else shown)
    return ["", *_grid(rules, cells, 1), ""]


def hint_lines(advice: Advice, name: str, width: int | None = None) -> list[str]:
    """Draw the value and the probability of each move on boards, above a legend."""
    rules, board = advice.rules, advice.board
    written = [painted(f"{mark:>3}", mark) for mark in marks(rules, board)]
    likely = [
        f"{_share(share):>3}" if stone == 0 else mark
        for stone, share, mark in zip(board, advice.shares, written, strict=True)
    ]
    blocks = [[f"{name} plays, %", *_grid(rules, likely, 3)]]
    if advice.values is not None:
        shorts = enumerate(map(advice.short, range(rules.cells)))
        worth = [painted(f"{one:>3}", one[0]) if one else written[c] for c, one in shorts]
        blocks.insert(0, ["exact", *_grid(rules, worth, 3)])
    lines, sentences = _beside(blocks, 3 + 4 * rules.n, width), [advice.legend]
    sentences += [advice.best_by_search] if advice.best else []
    return lines + [line for text in sentences for line in wrapped(text, width, "  ")]


def _share(share: float) -> str:
    return phrases.share(share, 0) if share else "."


def _grid(rules: Rules, cells: list[str], width: int) -> list[str]:
    """Arrange cells of equal width in numbered rows below the column letters."""
    letters = " ".join(f"{letter:>{width}}" for letter in COLUMNS[: rules.n])
    lines = [painted(f"    {letters}", "faint")]
    for row in range(rules.m):
        own = cells[row * rules.n : (row + 1) * rules.n]
        lines.append(f"{painted(f'{row + 1:>3}', 'faint')} {' '.join(own)}")
    return lines


def _beside(blocks: list[list[str]], size: int, width: int | None) -> list[str]:
    """Arrange blocks of text side by side if they fit, else one above the other."""
    titles, grids = [block[0] for block in blocks], [block[1:] for block in blocks]
    head = "".join(f"{title:<{size + GAP}}" for title in titles).rstrip()
    if max(len(head), len(blocks) * (size + GAP) - GAP) <= (width or WIDE):
        return [head, *((" " * GAP).join(row) for row in zip(*grids, strict=True))]
    stacked = zip(titles, grids, strict=True)
    return [line for title, grid in stacked for line in [*wrapped(title, width, "  "), *grid]]
