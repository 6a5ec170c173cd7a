"""Explain a player's move: `tttenv analyze alphabeta --moves b2`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tttenv.certificates import phrases
from tttenv.cli import compile, console, text_tables
from tttenv.cli.options import Flag, Player, RulesOrNone, TextOrNone
from tttenv.cli.play import words
from tttenv.cli.text_tables import Column, say
from tttenv.players import did_you_mean

if TYPE_CHECKING:  # they load compiled code
    from tttenv.cli.play.advice import Advice, Hint
    from tttenv.policy import Candidate, Explanation

PROG = "analyze.py"
EXAMPLES = """
tttenv analyze alphabeta --moves b2
tttenv analyze mcts --board "X.O/.X./..O"
tttenv analyze alphabeta:nodes=50000 --rules 15,15,5 --moves h8,g8,g9 --json
tttenv analyze alphazero:simulations=64 --moves a1,b2
"""
PROVER = "the prover"  # of values on large boards
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


@dataclass(frozen=True)
class Arguments:
    """Explain which move a player chooses in a position, and why.

    Every legal move is a row, the player's own first: its exact value where that is known, the
    value that the player's search gives it, and the line that the search expects. Alpha-beta also
    shows how deep it searched, a tree search how often it visited the move. For a player without
    a search only probabilities are shown, and lines of best play where the game is solved.
    """

    player: Player  # name[:option=value,...] or a checkpoint's folder
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    moves: TextOrNone = None  # moves that led to the position, such as b2,a1
    board: TextOrNone = None  # the position (before --moves): X, O and . with / after rows
    top: int = SHOWN  # number of moves to show
    json: Flag = False  # print all moves as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Analyze a position, and print its moves."""
    about = console.with_players(Arguments)
    given = console.parse(Arguments, prog, args, about, EXAMPLES)
    if given.top < 1:
        raise ValueError(f"--top must be at least 1, not {given.top}")
    from tttenv.cli.play.advice import Advice
    from tttenv.cli.play.session import position_of
    from tttenv.cli.play.text_board import board_lines
    from tttenv.exact import enumerable
    from tttenv.game.rules import Rules
    from tttenv.players import player, rules_of

    with did_you_mean(given.player):
        rules = Rules.of(given.rules) if given.rules else rules_of(given.player)
    position = position_of(rules, given.board, given.moves)
    with console.stage(f"loading {given.player}", given.json), did_you_mean(given.player):
        policy = player(given.player, rules)
    board, needed = position.boards[-1], [PROVER] * (not enumerable(rules))
    with (
        console.stage(f"analyzing the position with {given.player}", given.json),
        compile.compiling(*needed) as compiling,
    ):
        advice = Advice(rules, partial(compiling.wait, PROVER))
        found = analysis(advice, policy, board)
    if given.json:
        about_it = {"player": given.player, "rules": str(rules), "board": rules.format(board)}
        print(json.dumps(about_it | to_dict(found), indent=2))
        return
    say(f"{given.player} on {rules}, {'XO'[int(rules.seat(board))]} to play:", "  ")
    last = position.cells[-1] if position.cells else None
    print("\n".join(board_lines(rules, board, last)))
    show(advice, board, found, given.top)


class Analysis(NamedTuple):
    """What is known about the moves in a position, and what a player's search found."""

    hint: "Hint"
    found: "Explanation"
    # All legal ones, the best for the player first, with the line that its search expects or, in a
    # solved game, that of best play.
    moves: "list[Candidate]"


def analysis(advice: "Advice", policy: Any, board: Any, played: int | None = None) -> Analysis:
    """Analyze a board (cells,) with a player; `played` or the most probable move comes first."""
    from tttenv.policy import Candidate, Explanation

    hint, found = advice.values(board, policy), policy.explain(board.copy()) or Explanation([])
    known = {one.cell: number for number, one in enumerate(found.candidates)}
    order = sorted(
        np.flatnonzero(hint.legal).tolist(),
        key=lambda c: (
            *(c != played, -hint.shares[c], known.get(c, board.size)),
            *(-(hint.value(c) or 0), c),
        ),
    )
    moves = []
    for cell in order:
        if cell in known:
            moves.append(found.candidates[known[cell]])
        else:
            line = (cell, *advice.best_line(board, cell)) if advice.exact else ()
            moves.append(Candidate(cell, line=line))
    return Analysis(hint, found, moves)


def show(advice: "Advice", board: Any, analysis: Analysis, shown: int = SHOWN) -> None:
    """Print an analysis as a table of up to `shown` moves, with an explanation of its columns."""
    hint, found, moves = analysis
    rows = [_row(advice, hint, one) for one in moves[:shown]]
    kept = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    text_tables.show([COLUMNS[i] for i in kept], [[row[i] for i in kept] for row in rows])
    if others := len(moves) - len(rows):
        say(f"and {others} more")
    if hint.values is None:
        say(words.NOTHING_DECIDED)
    if found.note:
        say(f"{rows[0][0]}: {found.note}", "  ")
    if legend := "; ".join(_legend(rows, found, "XO"[int(advice.rules.seat(board))])):
        say(legend, "  ")


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """Convert an analysis to JSON data: all legal moves, the player's own move first."""
    hint, found, moves = analysis
    rows = []
    for one in moves:
        told, value = one._asdict(), hint.value(one.cell)
        exact = {
            "cell": told.pop("cell"),
            "probability": float(hint.shares[one.cell]),
            "exact": value,
            "exact_stones": hint.distance(one.cell) if value else None,
        }
        rows.append(exact | told)
    return {"nodes": found.nodes, "note": found.note, "moves": rows}


def _row(advice: "Advice", hint: "Hint", one: "Candidate") -> list[str]:
    from tttenv.game.rules import name_of, names_of

    exact, value = "", hint.value(one.cell)
    if hint.values is not None:
        exact = words.verdict(value, hint.distance(one.cell)) if value is not None else "?"
    return [
        name_of(advice.rules, one.cell),
        _percent(hint.shares[one.cell]),
        exact,
        _value(one),
        "" if one.depth is None else str(one.depth),
        "" if one.visits is None else f"{one.visits:,}",
        "" if one.prior is None else _percent(one.prior),
        names_of(advice.rules, one.line[:LINE]) + " ..." * (len(one.line) > LINE),
    ]


def _percent(share: float) -> str:
    return phrases.share(share, 1).removesuffix(".0")


def _value(one: "Candidate") -> str:
    if one.value is None:
        return ""
    if one.stones is not None:
        return words.verdict(1 if one.value > 0 else -1, one.stones)
    return f"{'<= ' * one.at_most}{phrases.rounded(one.value, 3):+.3f}"


def _legend(rows: list[list[str]], found: "Explanation", mover: str) -> Iterator[str]:
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
        what = ("simulation" if visited else "position") + "s" * (found.nodes != 1)
        yield f"{found.nodes:,} {what}" + " searched" * (not visited)
