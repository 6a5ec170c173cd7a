"""Play against any player, in a terminal or a window: `tttenv play`."""

import sys
from dataclasses import dataclass
from typing import Any, Literal

from tttenv.cli import console
from tttenv.cli.options import Flag, PlayerOrNone, RulesOrNone, TextOrNone

EXAMPLES = """
tttenv play
tttenv play minimax --seat O --hints
tttenv play alphabeta:time=1 --rules 15,15,5 --window
tttenv play alphabeta --moves b2,a1,c1
"""
SECOND = "alphabeta:time=1"  # the default player on boards from LARGE cells on
CHAMPION = "alphabeta:evaluator=patterns_15155,time=1"  # the same for five in a row
LARGE = 81


@dataclass(frozen=True)
class Arguments:
    """Play against a player.

    A player is a name with options, like mcts:iterations=500, a trained player like selfplay, or
    the folder of a checkpoint. The default is selfplay; on rules other than 3,3,3 perfect play or
    alphabeta, from 81 cells on with one second per move, and for five in a row with a trained
    evaluator.
    """

    player: PlayerOrNone = None  # name[:option=value,...] or a checkpoint
    seat: Literal["X", "O"] = "X"  # your seat in the first game; X starts
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    moves: TextOrNone = None  # start from the position after these moves, such as b2,a1
    board: TextOrNone = None  # start from this board: X, O and . row by row, with / after rows
    hints: Flag = False  # show the value of every move, and point out blunders
    window: Flag = False  # play in a window, with the mouse
    seed: int = 0  # random seed


def main(args: list[str], prog: str = "tttenv play") -> None:
    """Set up the player, and play."""
    given = console.parse(Arguments, prog, args, console.with_players(Arguments), EXAMPLES)
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):  # replace characters that cannot be encoded
            stream.reconfigure(errors="replace")
    from tttenv.cli.play.advice import advising
    from tttenv.cli.play.session import Session, position_of
    from tttenv.players import checkpoint_of

    spec = given.player or _usual(console.rules_for(given.rules))
    rules = console.rules_for(given.rules, spec)
    position = position_of(rules, given.board, given.moves)
    with advising(rules) as adviser:
        policy, found = console.load_player(spec, rules), checkpoint_of(spec)
        name = spec.partition(":")[0] if found is None else found[0].resolve().name
        seat = "XO".index(given.seat)
        session = Session(rules, name, policy, seat, given.seed, position)
        if given.window:
            from tttenv.cli.play.windowed import Windowed

            Windowed(session, adviser, given.hints).run()
            return
        from tttenv.cli.play.terminal import Terminal

        Terminal(session, adviser, given.hints).run()


def _usual(rules: Any) -> str:
    """Return the default player of a game."""
    from tttenv.exact import enumerable

    if (rules.m, rules.n, rules.k) == (3, 3, 3):
        return "selfplay"
    if enumerable(rules):
        return "minimax"
    if rules.cells < LARGE:
        return "alphabeta"
    return CHAMPION if rules.k == 5 else SECOND
