"""Boards and hints as lines of text with coordinates, in colour on a terminal."""

from typing import Any

import numpy as np

from tttenv.certificates import phrases
from tttenv.cli.play import words
from tttenv.cli.play.advice import Hint, some
from tttenv.cli.text_tables import painted, wrapped
from tttenv.drawing.render import marks
from tttenv.game.rules import COLUMNS, Rules

WIDE = 100  # maximum width in characters without a terminal
GAP = 4  # spaces between two boards
AS_BOARDS = 64  # maximum cells of boards whose hints are shown as boards
LIKELIEST = 5  # moves listed on larger boards
SAME = 1e-9  # probabilities that differ by less are equal


def board_lines(rules: Rules, board: Any, last: int | None) -> list[str]:
    """Draw a board (cells,) as lines of X, O and dots, with the last stone underlined."""
    cells = []
    for cell, mark in enumerate(marks(rules, board)):
        shown = painted(mark.replace("_", "."), mark)
        cells.append(painted(shown, "last") if cell == last else shown)
    return ["", *_grid(rules, cells, 1), ""]


def hint_lines(
    rules: Rules, board: Any, hint: Hint, name: str, width: int | None = None
) -> list[str]:
    """Return lines with the value and probability of each move, or of some, and a legend."""
    sentences, lines = [hint.legend, best_line(rules, hint)], []
    if rules.cells > AS_BOARDS:
        first = hint.legend if hint.values is None else _counted(rules, hint)
        sentences = [first, sentences[1], _likeliest(rules, hint, name)]
    else:
        written = [painted(f"{mark:>3}", mark) for mark in marks(rules, board)]
        likely = [
            f"{_share(share):>3}" if legal else mark
            for legal, share, mark in zip(hint.legal, hint.shares, written, strict=True)
        ]
        blocks = [[f"{name} plays, %", *_grid(rules, likely, 3)]]
        if hint.values is not None:
            shorts = enumerate(map(hint.short, range(rules.cells)))
            worth = [painted(f"{one:>3}", one[0]) if one else written[c] for c, one in shorts]
            blocks.insert(0, ["exact", *_grid(rules, worth, 3)])
        lines = _beside(blocks, 3 + 4 * rules.n, width)
    return lines + [line for text in sentences if text for line in wrapped(text, width, "  ")]


def best_line(rules: Rules, hint: Hint) -> str:
    """Return a line with the moves that alpha-beta chooses, or "" if the hint has none."""
    if not hint.best:
        return ""
    return f"best by search, not proved: {some(rules, hint.best, LIKELIEST)} (alphabeta)"


def _share(share: float) -> str:
    return phrases.share(share, 0) if share else "."


def _counted(rules: Rules, hint: Hint) -> str:
    """Return a line that names a few winning, drawing and losing moves and counts the rest."""
    parts = []
    for value in (1, 0, -1):
        cells = np.flatnonzero(hint.legal & (hint.values == value)).tolist()
        if cells:
            verb = words.VERBS[value][len(cells) > 1]
            parts.append(f"{some(rules, cells, LIKELIEST)} {verb}")
    unknown = np.flatnonzero(hint.legal & np.isnan(hint.values)).tolist()
    if unknown:
        few = len(unknown) <= LIKELIEST
        told = some(rules, unknown, LIKELIEST) if few else len(unknown)
        parts.append(f"{told} not decided by a short search")
    return f"exact: {'; '.join(parts)}"


def _likeliest(rules: Rules, hint: Hint, name: str) -> str:
    """Return a line with a player's most likely moves, grouped by probability."""
    cells = np.flatnonzero(hint.shares > 0)
    cells = cells[np.argsort(-hint.shares[cells], kind="stable")]
    alike = int((hint.shares[cells] > hint.shares[cells[0]] - SAME).sum())
    if alike > LIKELIEST:
        told = some(rules, cells[:alike].tolist(), LIKELIEST)
        return f"{name}: {alike} moves at {_share(hint.shares[cells[0]])} % each: {told}"
    named = [
        f"{some(rules, [c], 1)} {_share(hint.shares[c])} %" for c in cells[:LIKELIEST].tolist()
    ]
    others = len(cells) - len(named)
    more = f" and {others} other{'s' * (others > 1)}" if others else ""
    return f"{name}: {', '.join(named)}{more}"


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
