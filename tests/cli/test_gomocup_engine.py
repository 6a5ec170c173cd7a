"""Players as engines of the Gomocup protocol: every line gets a reply, invalid ones no move."""

import io
import itertools
import random
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from processes import surroundings

from tttenv.cli.gomocup import LEAST, LONGEST_LINE, MOST_STONES, Engine, lines, seconds_of
from tttenv.players import PLAYERS
from tttenv.policy import Player
from tttenv.utils.registry import Row


def answers(engine, *lines):
    return [engine.answer(line) for line in lines]


TALKS = dict(
    talk.strip().split("]\n", 1)
    for talk in Path(__file__).with_name("gomocup_talks.txt").read_text().split("\n[")[1:]
)


@pytest.mark.parametrize("talk", TALKS)
def test_every_line_gets_its_answer(talk):
    engine = Engine("first", 5, 0)
    for pair in TALKS[talk].splitlines():
        line, _, wanted = pair.partition(" > ")
        told = engine.answer(line.encode().decode("unicode_escape"))
        if wanted.startswith(("ERROR", "UNKNOWN")):
            assert told.startswith(wanted)
        else:
            assert told == (wanted or None)
    assert not engine.over


def test_empty_lines_get_no_answer_and_overlong_ones_an_error():
    long = ["TURN " + LONGEST_LINE * " " + "1,1", "TURN 1,1" + LONGEST_LINE * " ", 2000 * " "]
    told = answers(Engine("first", 5, 0), "", "   ", "INFO folder " + 999 * "x", "START 5", *long)
    assert told[:4] == [None, None, None, "OK"]
    assert told[4:] == ["ERROR a line must have at most 1,000 characters"] * 3


def test_lines_and_boards_take_bounded_memory():
    engine, stones = Engine("first", 19, 0), itertools.product(range(19), range(19), "12")
    answers(engine, "START 19", "BOARD", *(f"{x},{y},{side}" for x, y, side in stones))
    assert len(engine.board_lines) == MOST_STONES
    assert engine.answer("DONE").startswith("ERROR")
    assert answers(engine, "BOARD", "1,1,2" + 2000 * " ", "DONE")[-1].startswith("ERROR expected a")
    stream = io.BytesIO(2**24 * b"7" + b"\nEND")
    tracemalloc.start()
    assert [len(line) for line in lines(stream)] == [LONGEST_LINE + 1, 3]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_end_ends_even_within_a_board():
    for talk in (["END"], ["START 5", "BOARD", "1,1,1", "end"]):
        engine = Engine("first", 5, 0)
        assert answers(engine, *talk)[-1] is None
        assert engine.over


def test_it_says_who_it_is():
    (told,) = answers(Engine('mcts:seed="é', 5, 0), "ABOUT")
    assert re.fullmatch(r"name=\"tttenv mcts:seed='\\xe9\", version=\"[\d.]+\"", told)


# --- Any line.
ANSWER = re.compile(r"(?:\d+,\d+|OK|(?:ERROR|UNKNOWN) [ -~]{1,200}|name=\"[ -~]{1,200}\")")
PLAIN = ["BEGIN", "RESTART", "BOARD", "DONE", "DONE", "ABOUT", "INFO rule 0", "START 7"]
ODD = ["", " ", "\0", "\xff\xfe", "\x1b[2J", ",,", "-1,-1", "TURN \u0667,1", "TURN 1e1,2", "%s%n"]
ODD += ["TURN 0x1,2", "TURN +1,2", "TURN 7,7,1", "START -5", "RECTSTART 5", "RECTSTART 9,0", "'$("]
ODD += ["x" * 1000, "TURN " + "7" * 5000, "INFO " + "y" * 3000, "INFO time_left nan", "PLAY 1"]


def any_line(dice):
    """Return a line of a manager that makes mistakes; it is never END."""
    kind, pair = dice.random(), f"{dice.randrange(8)},{dice.randrange(8)}"
    if kind < 0.5:  # moves and stones that may well be legal
        return dice.choice(("TURN {}", "TURN {}", "TAKEBACK {}", "{},1", "{},2")).format(pair)
    return dice.choice(PLAIN if kind < 0.9 else ODD)


def state(engine):
    """Return the columns of the engine's board and its stones."""
    if engine.rules is None:
        return None, {}
    n, board = engine.rules.n, engine.board
    return n, {(c % n, c // n): board[c] for c in np.flatnonzero(board)}


@pytest.mark.parametrize("seed", range(2))
def test_any_line_gets_a_short_answer_and_wrong_ones_change_nothing(seed):
    engine, dice = Engine("first", 5, 0), random.Random(seed)
    moves = 0
    for line in ["START 6", *(any_line(dice) for _ in range(2000))]:
        before, told = state(engine), engine.answer(line)
        assert told is None or ANSWER.fullmatch(told)
        if told is None or told.startswith(("ERROR", "UNKNOWN", "name")):
            assert state(engine) == before
        moves += bool(told and told[0].isdigit())
    assert moves > 100


# --- Time.
@pytest.mark.parametrize(
    ("turn", "left", "seconds"),
    [
        (None, None, None),
        (5.0, None, 4.3),
        (1.0, None, 0.7),
        (0.0, None, LEAST),  # as fast as possible
        (0.2, None, LEAST),
        (None, 180.0, 9.0),
        (30.0, 100.0, 5.0),
        (5.0, 1000.0, 4.3),
        (5.0, -3.0, LEAST),
    ],
)
def test_a_move_takes_less_than_the_manager_allows(turn, left, seconds):
    assert seconds_of(turn, left, 0) == seconds


def test_a_player_with_time_is_given_what_the_manager_leaves(monkeypatch):
    asked = []

    class Timed(Player):
        def __call__(self, boards):
            asked.append(self.time)
            return (boards == 0) / (boards == 0).sum(axis=1, keepdims=True)

        def limit_time(self, seconds):
            self.time = 5.0 if seconds is None else min(5.0, seconds)
            return True

    monkeypatch.setattr(sys.modules[__name__], "timed", lambda rules: Timed(rules), raising=False)
    monkeypatch.setitem(PLAYERS.rows, "timed", Row(f"{__name__}:timed", "for this test"))
    engine = Engine("timed", 5, 0)
    answers(engine, "START 7")
    assert asked == [LEAST]  # whatever has to be compiled, before its time runs
    answers(engine, "BEGIN", "INFO timeout_turn 3000", "RESTART", "BEGIN", "RESTART", "BEGIN")
    answers(engine, "INFO timeout_turn 30000", "RESTART", "BEGIN", "INFO time_left 40000")
    answers(engine, "RESTART", "BEGIN", "INFO time_left 2147483647", "RESTART", "BEGIN")
    assert asked[1:] == [5, 2.5, 2.5, 5, 1.9, 5]  # 24 moves may follow


# --- Players that fail.
def broken(rules, how: str = ""):
    def policy(boards):
        if not boards.any():
            return (boards == 0) / boards.shape[1]
        if how == "raise":
            raise KeyError("a mistake\nin two lines")
        if how == "sum":
            return (boards == 0) * 1.0
        return {"nan": boards * np.nan, "taken": (boards != 0) * 1.0, "text": "7,7"}[how]

    return policy


@pytest.mark.parametrize("how", ["raise", "nan", "taken", "text", "sum"])
def test_a_player_that_fails_is_an_error_and_the_board_stays(how, monkeypatch):
    monkeypatch.setitem(PLAYERS.rows, "broken", Row(f"{__name__}:broken", "for this test"))
    engine = Engine(f"broken:how={how}", 5, 0)
    assert answers(engine, "START 5", "BOARD", "DONE")[0] == "OK"
    before = state(engine)
    (told,) = answers(engine, "TURN 4,4" if before[1] != {(4, 4): 1} else "TURN 3,3")
    assert told.startswith("ERROR ")
    assert ANSWER.fullmatch(told)
    assert state(engine) == before


def test_a_player_that_cannot_play_the_size_refuses_start_and_the_game_stays():
    engine = Engine("minimax", 3, 0)
    assert answers(engine, "START 3", "BEGIN")[0] == "OK"
    before = state(engine)
    assert engine.answer("START 7").startswith("ERROR the game 7,7,3 is too large")
    assert state(engine) == before


# --- The command.


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


def test_standard_output_holds_answers_only_and_a_manager_that_leaves_ends_it():
    command = [sys.executable, "-c", CHATTY]
    said = b"START 5\r\nBEGIN\nTURN 7," + b"7" * 10**6 + b"\nABOU"
    told = subprocess.run(command, input=said, env=surroundings(), capture_output=True, check=True)
    answers = rb"OK\n\d,\d\nERROR [^\n]+\nUNKNOWN command 'ABOU'\n"
    assert re.fullmatch(rb"(made\n)?" + answers, told.stdout), told.stdout
    for text in (b"thinking", b"hard", b"child"):
        assert text in told.stderr


def test_answers_come_at_once():
    with subprocess.Popen(
        [sys.executable, "-m", "tttenv", "gomocup", "first", "--k", "3"],
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as engine:
        for line, answer in ((b"START 3\n", b"OK\n"), (b"TURN 2,1\n", b"0,0\n"), (b"A\n", b"UNK")):
            engine.stdin.write(line)
            engine.stdin.flush()
            assert engine.stdout.readline().startswith(answer)
        engine.stdout.close()  # the manager leaves
        engine.stdin.write(b"ABOUT\n")
        engine.stdin.close()
        assert engine.wait(60) == 0
