"""Play against any player, in a terminal or a window: `tttenv play`."""

import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tttenv.cli import compile, console
from tttenv.cli.options import Flag, OpponentOrNone, PlayerOrNone, RulesOrNone, TextOrNone
from tttenv.players import did_you_mean

PROG = "play.py"
EXAMPLES = """
tttenv play
tttenv play minimax --seat O --hints
tttenv play alphabeta:time=1 --rules 15,15,5 --window
tttenv play alphabeta --moves b2,a1,c1
tttenv play mcts --versus tactical --games 10
"""
PROVER = "the prover"  # used by hints on large boards
SECOND = "alphabeta:time=1"  # the default player on boards from LARGE cells on
CHAMPION = "alphabeta:evaluator=patterns_15155,time=1"  # the same for five in a row
LARGE = 81


@dataclass(frozen=True)
class Arguments:
    """Play against a player, or watch two play each other.

    A player is a name with options, like mcts:iterations=500, a trained player like selfplay, or
    the folder of a checkpoint. The default is selfplay; on rules other than 3,3,3 perfect play or
    alphabeta, from 81 cells on with one second per move, and for five in a row with a trained
    evaluator.
    """

    player: PlayerOrNone = None  # name[:option=value,...] or a checkpoint
    seat: Literal["X", "O"] = "X"  # your seat in the first game (with --versus: PLAYER's); X starts
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    moves: TextOrNone = None  # start from the position after these moves, such as b2,a1
    board: TextOrNone = None  # start from this board: X, O and . row by row, with / after rows
    hints: Flag = False  # show the value of every move, and point out blunders
    window: Flag = False  # play in a window, with the mouse
    versus: OpponentOrNone = None  # watch PLAYER against this player
    games: int = 1  # with --versus: number of games, seats swapped after each
    json: Flag = False  # with --versus: print the games as JSON
    seed: int = 0  # random seed


def main(args: list[str], prog: str = PROG) -> None:
    """Set up the players, and play."""
    about = console.with_players(Arguments)
    given = console.parse(Arguments, prog, args, about, EXAMPLES)
    console.check_seed(given.seed)
    if given.games < 1:
        raise ValueError(f"the number of games must be at least 1, not {given.games}")
    if given.versus is None and (given.json or given.games > 1):
        raise ValueError("--games and --json need --versus")
    if given.window and given.json:
        raise ValueError("--json cannot be combined with --window")
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):  # replace characters that cannot be encoded
            stream.reconfigure(errors="replace")
    with ExitStack() as beside:
        session, advice = _seated(given, beside)
        if given.window:
            try:
                from tttenv.cli.play.windowed import Windowed
            except ModuleNotFoundError as error:  # its message says what to install
                raise ValueError(str(error)) from None
            Windowed(session, advice, given.hints, given.games).run()
            return
        from tttenv.cli.play.terminal import Terminal

        terminal = Terminal(session, advice, given.hints, quiet=given.json)
        if given.versus is not None:
            terminal.watch(given.games)
        else:
            with suppress(BrokenPipeError):  # nobody looks any more
                terminal.run()


def _seated(given: Arguments, beside: ExitStack) -> tuple[Any, Any]:
    """Create the session, and the advice, whose code is compiled in the background meanwhile."""
    from tttenv.cli.play.advice import Advice
    from tttenv.cli.play.session import Session, Side, position_of
    from tttenv.exact import enumerable
    from tttenv.game.rules import Rules
    from tttenv.players import rules_of

    spec = given.player or _usual(Rules.of(given.rules) if given.rules else Rules())
    with did_you_mean(spec):
        rules = Rules.of(given.rules) if given.rules else rules_of(spec)
    position = position_of(rules, given.board, given.moves)
    advised = not enumerable(rules) and (given.versus is None or given.hints)
    prover = beside.enter_context(compile.compiling(*[PROVER] * advised))
    if prover.needed and sys.stderr.isatty():
        print("tttenv: compiling takes about a minute, once on this machine", file=sys.stderr)
    first, second = Side("you"), _side(spec, rules)
    if given.versus is not None:
        first, second = second, _side(given.versus, rules)
    advice = Advice(rules, partial(prover.wait, PROVER))
    seat = "XO".index(given.seat)
    return Session(rules, first, second, seat, given.seed, position), advice


def _side(spec: str, rules: Any) -> Any:
    """Create a player, whose display name is its spec or the last part of a path."""
    from tttenv.cli.play.session import Side
    from tttenv.players import checkpoint_of, player

    with console.stage_if_slow(f"loading {spec}"), did_you_mean(spec):
        policy, found = player(spec, rules), checkpoint_of(spec)
    return Side(spec if found is None else found[0].resolve().name, policy)


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
