"""Checks of project 0 of Harvard's CS50 AI, `tictactoe.py`: its functions on all positions."""

import os
from collections.abc import Iterator
from dataclasses import replace

from tttenv.exact import SEATS, positions
from tttenv.game.rules import Rules
from tttenv.players.programs.bot_course import COURSE
from tttenv.players.programs.python_bot import FINDING, exchange, started
from tttenv.testing.findings import Finding, mistake

SECONDS = 10.0  # for one call of a function


def course_findings(path: str) -> Iterator[Finding]:
    """Check the functions of a user's file in a separate process, if it has all of them.

    Args:
        path: the file.

    Raises:
        ValueError: if the process fails.
    """
    program, wrong = started(), dict[str, str]()
    try:
        place = os.path.abspath(path)
        functions = exchange(program, FINDING, path=place, n=3, seconds=SECONDS, course=1)
        if not functions.get("course"):
            return
        rules = Rules()
        game = positions(rules)
        for board, seat, over, lost in zip(
            game.boards, game.seats, game.over, game.lost, strict=True
        ):
            winner = SEATS[1 - seat] if lost else ""
            found = exchange(
                program,
                SECONDS * 3 * rules.cells,
                board=rules.format(board),
                player=SEATS[seat],
                winner=winner,
                terminal=bool(over),
                utility={"X": 1, "O": -1}.get(winner, 0),
            )
            wrong = {**found, **wrong}
    finally:
        program.kill()
    for name in (*COURSE, "minimax"):
        count = f"all {len(game):,} positions" if name != "minimax" else "all finished boards"
        one = Finding("ok", "right" if name == "initial_state" else f"right on {count}")
        if name in wrong:
            one = mistake("course", name=name, wrong=wrong[name])
        yield replace(one, check=name)
