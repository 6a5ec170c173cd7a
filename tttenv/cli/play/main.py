"""Play against any player, in a terminal or a window: `python scripts/play.py`."""

import importlib
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tttenv.cli import ahead, console
from tttenv.players.hinting import hinting

PROG = "play.py"
PROVER = "the prover"  # which advice on large boards asks


@dataclass(frozen=True)
class Arguments:
    """Play against a player, or watch two play each other.

    A player is a name with options, like mcts:iterations=500, a trained player like selfplay, or
    the folder of a checkpoint. Left out, it is selfplay; on rules other than 3,3,3 perfect play or
    alphabeta.
    """

    player: console.PlayerOrNone = None  # name[:option=value,...] or a checkpoint
    seat: Literal["X", "O"] = "X"  # yours in the first game (with --versus: PLAYER's); X opens
    rules: str | None = None  # m,n,k; 3,3,3 or what the checkpoint was trained for
    hints: bool = False  # show what every move is worth, and tell of blunders
    window: bool = False  # play in a window, with the mouse
    versus: str | None = None  # watch PLAYER against this other player
    games: int = 1  # with --versus: how many, seats swapped after each
    json: bool = False  # with --versus: print the games as JSON
    learn: bool = False  # td0 learns from 500 episodes before each of its moves
    seed: int = 0  # of all dice


def main(args: list[str], prog: str = PROG) -> None:
    """Set the players at the board and let them play.

    Args:
        args: what was typed after the command's name.
        prog: the command's name, for its help and messages.
    """
    given = console.parse(Arguments, prog, args, description=console.with_players(Arguments))
    console.check_seed(given.seed)
    if given.games < 1:
        raise ValueError(f"at least one game can be watched, not {given.games}")
    if given.versus is None and (given.json or given.games > 1):
        raise ValueError("--games and --json go with --versus")
    if given.window and given.json:
        raise ValueError("a window shows its games: --json goes without --window")
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):  # odd characters are no reason to stop
            stream.reconfigure(errors="replace")
    with ExitStack() as beside:
        with console.stage("setting up the game", given.json):
            session, advice = _seated(given, beside)
        if given.window:
            try:
                from tttenv.cli.play.windowed import Windowed
            except ModuleNotFoundError as error:  # it says what to install
                raise ValueError(str(error)) from None
            Windowed(session, advice, given.hints, given.games).run()
        elif given.versus is not None:
            from tttenv.cli.play.watching import watch

            watch(session, given.games, given.json, advice if given.hints else None)
        else:
            from tttenv.cli.play.terminal import Terminal

            Terminal(session, advice, given.hints).run()


def _seated(given: Arguments, beside: ExitStack) -> tuple[Any, Any]:
    """The session that the arguments ask for, and advice on its positions.

    What the advice needs on large boards is compiled beside this process, until `beside` is closed.
    """
    from tttenv.cli.play.advice import Advice
    from tttenv.cli.play.session import Session, Side
    from tttenv.exact import enumerable
    from tttenv.game.rules import Rules
    from tttenv.players import rules_of

    spec = given.player or _usual(given)
    fresh = given.learn and spec == "td0"
    with hinting(spec):
        rules = Rules.of(given.rules) if given.rules else Rules() if fresh else rules_of(spec)
    advised = not enumerable(rules) and (given.versus is None or given.hints)
    prover = beside.enter_context(ahead.compiling(*[PROVER] * advised))
    if given.learn:
        home = importlib.import_module("learners.cli.learning_player")
        learning = home.LearningPlayer(spec, rules, given.seed)
        machine = Side(_short(spec), learning, learning.learn)
    else:
        machine = _side(spec, rules)
    advice = Advice(rules, partial(prover.wait, PROVER))
    first, second = Side("you"), machine
    if given.versus is not None:
        first, second = machine, _side(given.versus, rules)
    return Session(rules, first, second, "XO".index(given.seat), given.seed), advice


def _side(spec: str, rules: Any) -> Any:
    """The player that a spec names, as a side of a session."""
    from tttenv.cli.play.session import Side
    from tttenv.players import player

    with hinting(spec):
        return Side(_short(spec), player(spec, rules))


def _usual(given: Arguments) -> str:
    """Who plays where nobody is named; "td0" alone would be one that has learned nothing yet."""
    from tttenv.exact import enumerable
    from tttenv.game.rules import Rules
    from tttenv.players import bundled

    rules = Rules.of(given.rules) if given.rules else Rules()
    if rules == Rules():
        return str(bundled.folder("td0")) if given.learn else "selfplay"
    if given.learn:
        return "td0"
    return "minimax" if enumerable(rules) else "alphabeta"


def _short(spec: str) -> str:
    """A player's name for people: the spec, or the last part of a path."""
    from tttenv.players import checkpoint_of

    found = checkpoint_of(spec)
    return spec if found is None else found[0].resolve().name
