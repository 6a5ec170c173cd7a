"""Analysis of a position by a player, as a table of moves with values, visits and lines."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.play import words
from tttenv.cli.play.advice import Advice, Hint
from tttenv.cli.text_tables import Column, say
from tttenv.game.rules import name_of, names_of
from tttenv.policy import Candidate, Explanation, Player

SHOWN = 10  # moves of a table
LINE = 8  # moves of a line in a table
COLUMNS = (
    Column("move", left=True),
    Column("plays %"),
    Column("exact", left=True),
    Column("value"),
    Column("depth", rank=2),
    Column("visits", rank=3),
    Column("prior %", rank=4),
    Column("line", left=True, rank=1),
)


class Analysis(NamedTuple):
    """What is known about the moves in a position, and what a player's search found."""

    hint: Hint
    found: Explanation
    order: list[int]  # the legal cells, the best for the player first
    lines: dict[int, list[int]]  # expected continuations by the move that they begin with


def analyze(advice: Advice, policy: Player, board: Any, played: int | None = None) -> Analysis:
    """Analyze an undecided board (cells,) with a player.

    The move that comes first is `played`, or else the most probable one.
    """
    hint, found = advice.values(board, policy), policy.explain(board.copy()) or Explanation([])
    known = {one.cell: number for number, one in enumerate(found.candidates)}
    exact = np.zeros(board.size) if hint.values is None else np.nan_to_num(hint.values)
    order = sorted(
        np.flatnonzero(hint.legal).tolist(),
        key=lambda c: (c != played, -hint.shares[c], known.get(c, board.size), -exact[c], c),
    )
    lines = {one.cell: list(one.line) for one in found.candidates if one.line}
    if advice.exact:
        lines |= {c: [c, *advice.best_line(board, c)[0]] for c in order if c not in known}
    return Analysis(hint, found, order, lines)


def show(advice: Advice, board: Any, analysis: Analysis, shown: int = SHOWN) -> None:
    """Print an analysis as a table of up to `shown` moves, with an explanation of its columns."""
    hint, found = analysis.hint, analysis.found
    known = {one.cell: one for one in found.candidates}
    rows = [
        _row(advice, hint, cell, known.get(cell, Candidate(cell)), analysis.lines.get(cell, []))
        for cell in analysis.order[:shown]
    ]
    kept = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    text_tables.show([COLUMNS[i] for i in kept], [[row[i] for i in kept] for row in rows])
    if others := len(analysis.order) - len(rows):
        say(f"and {others} more")
    if hint.values is None:
        say(words.NOTHING_DECIDED)
    if found.note:
        say(f"{name_of(advice.rules, analysis.order[0])}: {found.note}", "  ")
    mover = "XO"[int(advice.rules.seat(board))]
    if legend := "; ".join(_legend(rows, found, mover)):
        say(legend, "  ")


def to_dict(advice: Advice, analysis: Analysis) -> dict[str, Any]:
    """Convert an analysis to JSON data: all legal moves, the player's own move first."""
    hint, found = analysis.hint, analysis.found
    known = {one.cell: one for one in found.candidates}
    moves = []
    for cell in analysis.order:
        one = known.get(cell, Candidate(cell))
        value = None if hint.values is None or np.isnan(hint.values[cell]) else hint.values[cell]
        moves.append(
            {
                "cell": cell,
                "probability": float(hint.shares[cell]),
                "exact": None if value is None else int(value),
                "exact_stones": int(hint.stones[cell])
                if value and hint.stones is not None
                else None,
                "value": one.value,
                "at_most": one.at_most,
                "stones": one.stones,
                "depth": one.depth,
                "visits": one.visits,
                "prior": one.prior,
                "line": analysis.lines.get(cell, []),
            }
        )
    return {"nodes": found.nodes, "note": found.note, "moves": moves}


def _row(advice: Advice, hint: Hint, cell: int, one: Candidate, line: list[int]) -> list[str]:
    exact = ""
    if hint.values is not None:
        exact = words.UNDECIDED
        if not np.isnan(hint.values[cell]):
            stones = None if hint.stones is None else int(hint.stones[cell])
            exact = words.verdict(int(hint.values[cell]), stones)
    names = names_of(advice.rules, line[:LINE]) + " ..." * (len(line) > LINE)
    return [
        name_of(advice.rules, cell),
        _percent(hint.shares[cell]),
        exact,
        _value(one),
        "" if one.depth is None else str(one.depth),
        "" if one.visits is None else f"{one.visits:,}",
        "" if one.prior is None else _percent(one.prior),
        names,
    ]


def _percent(share: float) -> str:
    return phrases.share(share, 1).removesuffix(".0")


def _value(one: Candidate) -> str:
    if one.value is None:
        return ""
    if one.stones is not None:
        return words.verdict(1 if one.value > 0 else -1, one.stones)
    return f"{'<= ' * one.at_most}{phrases.rounded(one.value, 3):+.3f}"


def _legend(rows: list[list[str]], found: Explanation, mover: str) -> Iterator[str]:
    """Yield explanations of what the rows of a table say, and the size of the search."""
    candidates = found.candidates
    if any(" in " in entry for row in rows for entry in row):
        yield words.DISTANCE
    if any(words.UNDECIDED in row for row in rows):
        yield f"{words.UNDECIDED}: not proved by a short search"
    if not candidates:
        return
    yield f"value: by the search, for {mover}, from -1 to 1"
    deep = any(one.depth is not None for one in candidates)
    if deep and any(one.stones is None and 0 < abs(one.value or 0) < 1 for one in candidates):
        yield f"numbers other than 0: estimated from {found.estimates}"
    if any(one.at_most for one in candidates):
        yield "<=: no better than this"
    if deep:
        yield "depth: in stones of both sides"
    if found.nodes:
        visited = any(one.visits is not None for one in candidates)
        one, many = ("simulation", "simulations") if visited else ("position", "positions")
        yield f"{found.nodes:,} {one if found.nodes == 1 else many}" + " searched" * (not visited)
