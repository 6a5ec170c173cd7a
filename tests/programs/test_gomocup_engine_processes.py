"""Players as engines of the Gomocup protocol, as programs: streams, and managers that leave."""

import os
import random
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from hostile_lines import drive, hostile_line
from processes import ROOT

from tttenv import Rules, player
from tttenv.cli.gomocup_engine import Engine


def ran(*arguments, said=b"", code=None, **more):
    start = ["-c", code] if code else ["-m", "tttenv", "gomocup"]
    return subprocess.run(
        [sys.executable, *start, *arguments],
        input=said,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=200,
        **more,
    )


@pytest.mark.parametrize(("end", "last"), [(b"\n", b"ABOU"), (b"\r\n", b"END"), (b"\n", b"")])
def test_a_game_over_standard_input_and_output(end, last):
    lines = [b"START 15", b"INFO timeout_turn 0", b"TURN 7,8", b"BOARD", b"0,0,2", b"DONE", last]
    told = ran("first", said=end.join(lines) + end * (last == b"END"))
    more = b"UNKNOWN command 'ABOU'\n" if last == b"ABOU" else b""
    assert (told.returncode, told.stderr, told.stdout) == (0, b"", b"OK\n0,0\n1,0\n" + more)


def test_answers_come_at_once():
    with subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "gomocup.py"), "first", "--k", "3"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as engine:
        for line, answer in ((b"START 3\n", b"OK\n"), (b"TURN 2,1\n", b"0,0\n"), (b"A\n", b"UNK")):
            engine.stdin.write(line)
            engine.stdin.flush()
            assert engine.stdout.readline().startswith(answer)
        engine.stdin.write(b"END\n")
        engine.stdin.flush()
        assert engine.wait(20) == 0


def test_a_very_long_line_is_one_error_and_takes_no_memory():
    long = [b"TURN ", *[b"7" * 2**20] * 300, b"\n"]
    found = drive([b"START 5\n", *long, b"BEGIN\n", *long])
    assert (found.status, found.errors, found.wrong) == (0, b"", [])
    assert found.answers == {"OK": 1, "move": 1, "ERROR": 2, "UNKNOWN": 2}  # with the last two
    assert found.megabytes < 400


def test_a_manager_that_leaves_ends_it_quietly():
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        [sys.executable, "-m", "tttenv", "gomocup", "first"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
    ) as engine:
        os.close(writing)
        _, errors = engine.communicate(b"START 5\nBEGIN\n", timeout=60)
    assert (engine.returncode, errors) == (0, b"")


CHATTY = """
import os, sys
from tttenv.cli import console, gomocup
from tttenv.players import PLAYERS
from tttenv.utils.registry import Row
def chatty(rules):
    print("made")
    def policy(boards):
        print("thinking")
        os.write(1, b"hard\\n")
        os.system("echo child")
        return (boards == 0) / (boards == 0).sum(axis=1, keepdims=True)
    return policy
PLAYERS.rows["chatty"] = Row("__main__:chatty", "it prints")
console.run(gomocup.main, "gomocup", ["chatty"])
"""


def test_standard_output_holds_answers_only():
    told = ran(code=CHATTY, said=b"START 5\nBEGIN\n")
    assert told.returncode == 0
    assert re.fullmatch(rb"made\nOK\n\d,\d\n|OK\n\d,\d\n", told.stdout), told.stdout
    for text in (b"thinking", b"hard", b"child"):
        assert text in told.stderr


def test_fifty_thousand_hostile_lines_are_survived():
    """By hand, python tests/hostile_lines.py 1000000 sends a million."""
    dice = random.Random(1)
    found = drive(hostile_line(dice) for _ in range(50_000))
    assert (found.status, found.errors, found.wrong) == (0, b"", [])
    assert found.answers.keys() == {"move", "OK", "ERROR", "UNKNOWN", "name"}
    assert found.megabytes < 400
    assert found.seconds < 100


# --- Both ways.
@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("mcts:iterations=50", "5,7,5"),
        ("first", "19,19,5"),
        ("selfplay:canonical=true", "3,3,3"),
    ],
)
def test_a_player_as_an_engine_of_a_player_plays_as_it_does_itself(spec, rules):
    rules = Rules.of(rules)
    command = f"{sys.executable} -m tttenv gomocup {spec} --k {rules.k}"
    itself = player(spec, rules)
    engine = player(f"gomocup:command=({command}),anyk=true,start=200,timeout=200", rules)
    other, dice = player("tactical", rules), np.random.default_rng(4)
    for seat in (0, 1):
        boards = rules.start(1)
        while not rules.over(boards)[0]:
            if rules.seat(boards)[0] == seat:
                probs, wanted = engine(boards), itself(boards)
                # A player that mixes among equally good moves plays one of them.
                assert (probs.max(axis=1) == 1).all()
                assert wanted[probs == 1] == wanted.max()
                if (wanted.max(axis=1) == 1).all():
                    assert (probs == wanted).all()
            else:
                probs = other(boards)
            cell = dice.choice(rules.cells, p=probs[0])
            boards = rules.play(boards, np.array([cell]))
    engine.close()


@pytest.mark.parametrize("spec", ["alphabeta:time=100", "mcts:time=100,playouts=tactical"])
def test_a_search_keeps_to_the_limit_of_a_turn(spec):
    engine = Engine(spec, 5, 0)
    engine.answer("START 15")
    engine.answer("INFO timeout_turn 1000")
    for line in ("TURN 7,7", "TURN 7,8", "TURN 6,6"):
        begin = time.monotonic()
        engine.answer(line)
        assert time.monotonic() - begin < 5  # a busy machine is slow; it is 100 s without a limit
