"""Games between two players, watched as text or printed as JSON."""

import json
import sys
import time

from tttenv.cli.console import stage_if_slow
from tttenv.cli.play.advice import Advice
from tttenv.cli.play.session import SEATS, Session
from tttenv.cli.play.text_board import board_lines, hint_lines
from tttenv.cli.text_tables import room, say
from tttenv.game.rules import name_of

PAUSE = 0.7  # seconds between stones on a terminal


def watch(session: Session, games: int, as_json: bool, advice: Advice | None = None) -> None:
    """Play games between the two players of a session, swapping seats after each game.

    With advice the value of every move is shown, and blunders are pointed out.
    """
    found = []
    for number in range(games):
        if number:
            session.again()
        names = {seat: session.side(i).name for i, seat in enumerate(SEATS)}
        if not as_json:
            print()
            say(f"Game {number + 1}: {names['X']} is X, {names['O']} is O.")
            print()
            if session.board.any():  # a position to start from
                last = session.cells[-1] if session.cells else None
                lines = board_lines(session.rules, session.board, last)
                print("\n".join([*lines, ""]))
        _play(session, advice, quiet=as_json)
        found.append({**names, "cells": session.cells, "outcome": session.outcome})
    first, second = (side.name for side in session.sides)
    score = session.score
    if as_json:
        about = {"rules": str(session.rules), "first": first, "second": second}
        if (start := session.position.boards[0]).any():  # the games' cells follow it
            about["board"] = session.rules.format(start)
        counts = dict(zip(("first", "draws", "second"), score, strict=True))
        print(json.dumps({**about, "score": counts, "games": found}, indent=2))
    else:
        say(f"score: {first} {score[0]}, draws {score[1]}, {second} {score[2]}")


def _play(session: Session, advice: Advice | None, quiet: bool) -> None:
    pause = PAUSE if sys.stdout.isatty() else 0
    while not session.over:
        seat = session.mover
        side = session.side(seat)
        board = session.board
        if advice is not None and not quiet:
            assert side.policy is not None
            with stage_if_slow("searching the position"):
                hint = advice.hint(board, side.policy)
            lines = hint_lines(session.rules, board, hint, side.name, room())
            print("\n".join([*lines, ""]))
        name = side.name
        with stage_if_slow(f"{name} is thinking", quiet):
            cell = session.move()
        if cell is None:
            if not quiet:
                say(f"{SEATS[seat]} forfeits: no legal answer  ({name})")
        elif not quiet:
            say(f"{SEATS[seat]} > {name_of(session.rules, cell)}  ({name})")
            if advice is not None and (told := advice.told(board, cell)):
                say(f"{name}'s blunder: {told}")
            lines = board_lines(session.rules, session.board, cell)
            print("\n".join([*lines, ""]), flush=True)
            time.sleep(pause)
    if not quiet:
        print(session.outcome)
