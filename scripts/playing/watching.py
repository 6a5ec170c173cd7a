"""Watching two players, in a terminal or through a pipe: every stone, or all games as JSON."""

import json
import sys
import time

from playing.diagram import board_lines, painter
from playing.notation import name_of
from playing.session import SEATS, Session

PAUSE = 0.7  # seconds between stones on a terminal


def watch(session: Session, games: int, as_json: bool) -> None:
    """Let the two players of a session play some games, seats swapped after each."""
    found = []
    for number in range(games):
        if number:
            session.again()
        names = {seat: session.side(i).name for i, seat in enumerate(SEATS)}
        if not as_json:
            print(f"\nGame {number + 1}: {names['X']} is X, {names['O']} is O.\n")
        _play(session, quiet=as_json)
        found.append({**names, "cells": session.cells, "outcome": session.outcome})
    first, second = (side.name for side in session.sides)
    score = session.score
    if as_json:
        about = {"rules": str(session.rules), "first": first, "second": second}
        counts = dict(zip(("first", "draws", "second"), score, strict=True))
        print(json.dumps({**about, "score": counts, "games": found}, indent=2))
    else:
        print(f"score: {first} {score[0]}, draws {score[1]}, {second} {score[2]}")


def _play(session: Session, quiet: bool) -> None:
    """One game to its end."""
    paint, pause = painter(sys.stdout), PAUSE if sys.stdout.isatty() else 0
    while not session.over:
        seat = session.mover
        name, cell = session.side(seat).name, session.move()
        if not quiet:
            print(f"{SEATS[seat]} > {name_of(session.rules, cell)}  ({name})")
            lines = board_lines(session.rules, session.board, cell, paint)
            print("\n".join([*lines, ""]), flush=True)
            time.sleep(pause)
    if not quiet:
        print(session.outcome)
