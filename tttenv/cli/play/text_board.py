"""Boards and advice as text: with coordinates, in colour on a terminal, and as a table of moves."""

from typing import Any

from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.play.advice import DISTANCE, NOTHING_DECIDED, UNDECIDED, Advice, verdict
from tttenv.cli.text_tables import Column, painted, room, say, wrapped
from tttenv.game.rules import COLUMNS, Rules, name_of, names_of
from tttenv.policy import Candidate

WIDE = 100  # maximum width in characters without a terminal
GAP = 4  # spaces between two boards
AS_BOARDS = 64  # maximum cells of boards whose hints are shown as boards
LINE = 8  # moves of a line in a table
TABLE = (
    Column("move", left=True),
    Column("plays %"),
    Column("exact", left=True),
    Column("value"),
    Column("depth", rank=2),
    Column("visits", rank=3),
    Column("prior %", rank=4),
    Column("line", left=True, rank=1),
)
ABOUT = {  # columns that are explained where they are shown
    "value": "value: by the search, for {mover}, from -1 to 1; <= marks an upper bound",
    "depth": "depth: stones of both sides; before the end, values are estimated from {estimates}",
}


def board_lines(rules: Rules, board: Any, last: int | None) -> list[str]:
    """Draw a board (cells,) as lines of X, O and dots, with the last stone underlined."""
    cells = []
    for cell, mark in enumerate(rules.format(board)):
        shown = painted(mark.replace("_", "."), mark)
        cells.append(painted(shown, "last") if cell == last else shown)
    return ["", *_grid(rules, cells, 1), ""]


def hint_lines(advice: Advice, name: str) -> list[str]:
    """Draw the value and the probability of each move on two boards, above a legend.

    Args:
        advice: a hint, on a board that `fits` the terminal.
        name: the player's name.
    """
    rules, board = advice.rules, advice.board
    written = [painted(f"{mark:>3}", mark) for mark in rules.format(board)]
    likely = [
        f"{_share(share):>3}" if stone == 0 else mark
        for stone, share, mark in zip(board, advice.shares, written, strict=True)
    ]
    titles, grids = [f"{name} plays, %"], [_grid(rules, likely, 3)]
    if advice.values is not None:
        shorts = enumerate(map(advice.short, range(rules.cells)))
        worth = [painted(f"{one:>3}", one[0]) if one else written[c] for c, one in shorts]
        titles, grids = ["exact", *titles], [_grid(rules, worth, 3), *grids]
    head = "".join(f"{title:<{3 + 4 * rules.n + GAP}}" for title in titles).rstrip()
    lines = [head, *((" " * GAP).join(row) for row in zip(*grids, strict=True))]
    sentences = [advice.legend, *[advice.best_by_search] * bool(advice.best)]
    return lines + [line for text in sentences for line in wrapped(text, room(), "  ")]


def fits(rules: Rules) -> bool:
    """Return whether hints on a board are shown as boards, side by side, not as a table."""
    return rules.cells <= AS_BOARDS and 2 * (3 + 4 * rules.n) + GAP <= (room() or WIDE)


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


def show_moves(advice: Advice, most: int = 10) -> None:
    """Print advice as a table of up to `most` moves, with an explanation of its columns."""
    rows, search = [_row(advice, one) for one in advice.moves[:most]], advice.search
    kept = [i for i in range(len(TABLE)) if any(row[i] for row in rows)]
    if kept:
        text_tables.show([TABLE[i] for i in kept], [[row[i] for i in kept] for row in rows])
    if others := len(advice.moves) - len(rows):
        say(f"and {others} more")
    if advice.values is None:
        say(NOTHING_DECIDED)
    if advice.best:
        say(advice.best_by_search, "  ")
    if search.note:
        say(f"{rows[0][0]}: {search.note}", "  ")
    entries, heads = {entry for row in rows for entry in row}, [TABLE[i].head for i in kept]
    words = {"mover": "XO"[int(advice.rules.seat(advice.board))], "estimates": search.estimates}
    legend = [DISTANCE] if any(" in " in entry for entry in entries) else []
    legend += [f"{UNDECIDED}: not proved by a short search"] if UNDECIDED in entries else []
    legend += [ABOUT[head].format(**words) for head in heads if head in ABOUT]
    if search.nodes and "visits" in heads:
        legend.append(phrases.counted(search.nodes, "simulation"))
    elif search.nodes:
        legend.append(f"{phrases.counted(search.nodes, 'position')} searched")
    if legend:
        say("; ".join(legend), "  ")


def _row(advice: Advice, one: Candidate) -> list[str]:
    exact, value = "", advice.value(one.cell)
    if advice.values is not None:
        exact = UNDECIDED if value is None else verdict(value, advice.distance(one.cell))
    searched = ""
    if one.value is not None and one.stones is not None:
        searched = verdict(1 if one.value > 0 else -1, one.stones)
    elif one.value is not None:
        searched = f"{'<= ' * one.at_most}{phrases.rounded(one.value, 3):+.3f}"
    return [
        name_of(advice.rules, one.cell),
        _percent(advice.shares[one.cell]),
        exact,
        searched,
        "" if one.depth is None else str(one.depth),
        "" if one.visits is None else f"{one.visits:,}",
        "" if one.prior is None else _percent(one.prior),
        names_of(advice.rules, one.line[:LINE]) + " ..." * (len(one.line) > LINE),
    ]


def _percent(share: float) -> str:
    return phrases.share(share, 1).removesuffix(".0")
