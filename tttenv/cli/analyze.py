"""Explain a player's move: `tttenv analyze alphabeta --moves b2`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tttenv.certificates import phrases
from tttenv.cli import compile, console, text_tables
from tttenv.cli.options import Flag, Player, RulesOrNone, TextOrNone
from tttenv.cli.text_tables import Column, say

if TYPE_CHECKING:  # they load compiled code
    from tttenv.cli.play.advice import Advice
    from tttenv.policy import Candidate

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
    from tttenv.cli.play.advice import Adviser
    from tttenv.cli.play.session import position_of
    from tttenv.cli.play.text_board import board_lines
    from tttenv.exact import enumerable

    rules = console.rules_for(given.rules, given.player)
    position = position_of(rules, given.board, given.moves)
    policy = console.load_player(given.player, rules, given.json)
    board, needed = position.boards[-1], [PROVER] * (not enumerable(rules))
    with (
        console.stage(f"analyzing the position with {given.player}", given.json),
        compile.compiling(*needed) as compiling,
    ):
        adviser = Adviser(rules, partial(compiling.wait, PROVER))
        found = adviser.analysis(board, policy)
    if given.json:
        about_it = {"player": given.player, "rules": str(rules), "board": rules.format(board)}
        print(json.dumps(about_it | to_dict(found), indent=2))
        return
    say(f"{given.player} on {rules}, {'XO'[int(rules.seat(board))]} to play:", "  ")
    last = position.cells[-1] if position.cells else None
    print("\n".join(board_lines(rules, board, last)))
    show(found, given.top)


def show(advice: "Advice", shown: int = SHOWN) -> None:
    """Print advice as a table of up to `shown` moves, with an explanation of its columns."""
    from tttenv.cli.play.advice import NOTHING_DECIDED

    rows = [_row(advice, one) for one in advice.moves[:shown]]
    kept = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    if kept:
        text_tables.show([COLUMNS[i] for i in kept], [[row[i] for i in kept] for row in rows])
    if others := len(advice.moves) - len(rows):
        say(f"and {others} more")
    if advice.values is None:
        say(NOTHING_DECIDED)
    if advice.best:
        say(advice.best_by_search, "  ")
    if advice.search.note:
        say(f"{rows[0][0]}: {advice.search.note}", "  ")
    if legend := "; ".join(_legend(advice, rows)):
        say(legend, "  ")


def to_dict(advice: "Advice") -> dict[str, Any]:
    """Convert an analysis to JSON data: all legal moves, the player's own move first."""
    rows = []
    for one in advice.moves:
        value, fields = advice.value(one.cell), one._asdict()
        exact = {
            "cell": fields.pop("cell"),
            "probability": float(advice.shares[one.cell]),
            "exact": value,
            "exact_stones": advice.distance(one.cell) if value else None,
        }
        rows.append(exact | fields)
    return {"nodes": advice.search.nodes, "note": advice.search.note, "moves": rows}


def _row(advice: "Advice", one: "Candidate") -> list[str]:
    from tttenv.cli.play.advice import UNDECIDED, verdict
    from tttenv.game.rules import name_of, names_of

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


def _legend(advice: "Advice", rows: list[list[str]]) -> Iterator[str]:
    """Yield explanations of what the rows of a table say, and the size of the search."""
    from tttenv.cli.play.advice import DISTANCE, UNDECIDED

    search = advice.search
    if any(" in " in entry for row in rows for entry in row):
        yield DISTANCE
    if any(UNDECIDED in row for row in rows):
        yield f"{UNDECIDED}: not proved by a short search"
    if not search.candidates:
        return
    yield f"value: by the search, for {'XO'[int(advice.rules.seat(advice.board))]}, from -1 to 1"
    deep = any(one.depth is not None for one in search.candidates)
    if deep and any(
        one.stones is None and 0 < abs(one.value or 0) < 1 for one in search.candidates
    ):
        yield f"numbers other than 0: estimated from {search.estimates}"
    if any(one.at_most for one in search.candidates):
        yield "<=: no better than this"
    if deep:
        yield "depth: in stones of both sides"
    if search.nodes:
        visited = any(one.visits is not None for one in search.candidates)
        what = phrases.counted(search.nodes, "simulation" if visited else "position")
        yield what if visited else f"{what} searched"
