"""Play against any player, in a terminal or a window: `tttenv play`."""

import importlib
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tttenv.cli import background_compile, console
from tttenv.cli.console import stage_if_slow
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
    learn: Flag = False  # train td0 for 500 episodes before each of its moves
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
        elif given.versus is not None:
            from tttenv.cli.play.watching import watch

            watch(session, given.games, given.json, advice if given.hints else None)
        else:
            from tttenv.cli.play.terminal import Terminal

            with suppress(BrokenPipeError):  # nobody looks any more
                Terminal(session, advice, given.hints).run()


def _seated(given: Arguments, beside: ExitStack) -> tuple[Any, Any]:
    """Create the session that the arguments describe, and the advice on its positions.

    Code that the advice needs on large boards is compiled in the background until `beside` is
    closed.
    """
    from tttenv.cli.play.advice import Advice
    from tttenv.cli.play.position import position_of
    from tttenv.cli.play.session import Session, Side
    from tttenv.exact import enumerable
    from tttenv.game.rules import Rules
    from tttenv.players import rules_of

    spec = given.player or _usual(given)
    fresh = given.learn and spec == "td0"
    with did_you_mean(spec):
        rules = Rules.of(given.rules) if given.rules else Rules() if fresh else rules_of(spec)
    position = position_of(rules, given.board, given.moves)
    advised = not enumerable(rules) and (given.versus is None or given.hints)
    prover = beside.enter_context(background_compile.compiling(*[PROVER] * advised))
    if prover.needed and sys.stderr.isatty():
        print("tttenv: compiling takes about a minute, once on this machine", file=sys.stderr)
    if given.learn:
        home = importlib.import_module("learners.td0")
        learning = home.LearningPlayer(spec, rules, given.seed)
        machine = Side(_short(spec), learning, learning.learn)
    else:
        machine = _side(spec, rules)
    advice = Advice(rules, partial(prover.wait, PROVER))
    first, second = Side("you"), machine
    if given.versus is not None:
        first, second = machine, _side(given.versus, rules)
    seat = "XO".index(given.seat)
    return Session(rules, first, second, seat, given.seed, position), advice


def _side(spec: str, rules: Any) -> Any:
    from tttenv.cli.play.session import Side
    from tttenv.players import player

    with stage_if_slow(f"loading {spec}"), did_you_mean(spec):
        return Side(_short(spec), player(spec, rules))


def _usual(given: Arguments) -> str:
    from tttenv.exact import enumerable
    from tttenv.game.rules import Rules
    from tttenv.players import bundled

    rules = Rules.of(given.rules) if given.rules else Rules()
    if rules == Rules():
        return str(bundled.folder("td0")) if given.learn else "selfplay"
    if given.learn:
        return "td0"
    if enumerable(rules):
        return "minimax"
    if rules.cells < LARGE:
        return "alphabeta"
    return CHAMPION if rules.k == 5 else SECOND


def _short(spec: str) -> str:
    """Return the display name of a player: its spec, or the last part of a path."""
    from tttenv.players import checkpoint_of

    found = checkpoint_of(spec)
    return spec if found is None else found[0].resolve().name
