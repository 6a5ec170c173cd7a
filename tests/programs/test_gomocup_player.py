"""Engines of the Gomocup protocol as players: valid ones play, others are rejected."""

import os
import random
import re
import shlex
import sys
from itertools import pairwise

import fake_engine
import numpy as np
import pytest

from tttenv import Rules, certify, player
from tttenv.players.programs.gomocup import gomocup
from tttenv.testing import check_policy, some_boards

RULES = Rules(5, 5, 5)
SIZES = [Rules(4, 7, 5), Rules(19, 19, 5)]


def command(skin, log=os.devnull):
    parts = [sys.executable, "-I", "-S", fake_engine.__file__, skin, str(log)]
    return shlex.join(parts)


def engine(skin, rules=RULES, log=os.devnull, **limits):
    return gomocup(rules, command(skin, log), **{"timeout": 60, "start": 60} | limits)


def boards_of(rules, count=25):
    """Return different boards, the empty one first, then as in a game."""
    found = np.unique(some_boards(rules, 4 * count, seed=3), axis=0)
    found = found[np.argsort(np.count_nonzero(found, axis=1), kind="stable")]
    return found[np.linspace(0, len(found) - 1, count).astype(int)]


@pytest.mark.parametrize("skin", fake_engine.SOUND)
def test_a_sound_engine_is_the_player_that_it_is(skin):
    playing = engine(skin)
    boards = boards_of(RULES)
    assert (playing(boards) == player("first", RULES)(boards)).all()
    playing.close()


def test_it_is_certified_like_any_player():
    rules = Rules(3, 3, 3)
    assert certify(rules, engine("well-behaved", rules, anyk=True)) == certify(rules, "first")
    check_policy(engine("well-behaved"), RULES, count=50)


def test_what_an_engine_is_told(tmp_path):
    """Written down from the protocol, not from the code."""
    rules, log = Rules(5, 6, 5), tmp_path / "log"
    playing = engine("well-behaved", rules, log, time=2.5)
    #              row 0   row 1   row 2   row 3   row 4
    board = "X_____ _O____ ______ _____X ______"
    playing(np.array([rules.start(), rules.parse(board)]))
    playing(np.array([rules.start(), rules.parse(board.replace("_O", "OO"))]))
    playing.close()
    infos = ["timeout_turn 2500", "timeout_match 0", f"max_memory {350 * 2**20}", "rule 0"]
    infos += ["game_type 1"]
    first = ["INFO time_left 2147483647", "BEGIN", "RECTSTART 6,5"]
    second = ["INFO time_left 2147483647", "BOARD", "5,3,2", "1,1,1", "0,0,2"]
    third = ["RECTSTART 6,5", "INFO time_left 2147483647", "BOARD"]
    third += ["5,3,1", "1,1,2", "0,0,1", "0,1,2"]
    lines = log.read_text().splitlines()
    assert lines == [
        "RECTSTART 6,5",
        *[f"INFO {info}" for info in infos],
        *(first + second + third),
        "END",
    ]


@pytest.mark.parametrize("rules", SIZES, ids=str)
def test_a_board_is_told_as_a_game_in_turns_that_the_engine_goes_on_with(rules, tmp_path):
    log = tmp_path / "log"
    playing = engine("well-behaved", rules, log)
    for board in boards_of(rules)[1:]:
        log.write_text("")
        playing(board[None])
        lines = re.findall(r"^(?:TURN )?(\d+),(\d+)(?:,([12]))?$", log.read_text(), re.MULTILINE)
        stones = [(int(column), int(row), int(side or 2)) for column, row, side in lines]
        sent = rules.start()
        for column, row, side in stones:
            sent[row * rules.n + column] = {1: 1, 2: -1}[side]
        assert (sent == board).all()
        assert len(stones) == np.count_nonzero(board)
        sides = [side for _, _, side in stones]
        assert sides[-1] == 2
        assert all(one != other for one, other in pairwise(sides))


def test_an_engine_gets_the_stones_of_its_games_in_the_order_of_play(tmp_path):
    """Several games at once, with the engine as X and as O: it goes on with the last by TURN."""
    log, rng, games = tmp_path / "log", random.Random(4), [[] for _ in range(3)]
    playing, held, turns = engine("well-behaved", log=log), [], 0
    for number in [n for _ in range(5) for n in (0, 0, 1, 2)]:
        game, log_before = games[number], len(log.read_text()) if log.exists() else 0
        if game or number:
            game.append(rng.choice(sorted(set(range(RULES.cells)) - set(game))))
        board = RULES.start()
        board[game[::-2]], board[game[-2::-2]] = -1, 1
        answer = int(playing(board[None]).argmax())
        for line in log.read_text()[log_before:].splitlines():
            held = [] if line.partition(" ")[0] in ("START",) else held
            if stone := re.fullmatch(r"(?:TURN )?(\d+),(\d+)(?:,[12])?", line):
                held.append(int(stone[1]) + RULES.n * int(stone[2]))
            turns += line.startswith("TURN")
        assert held == game
        game.append(answer)
        held.append(answer)
    assert turns == 5 + 2  # a first stone is sent by TURN, too
    playing.close()


@pytest.mark.parametrize("failure", fake_engine.FAILING)
def test_every_failure_gets_a_verdict_in_one_line_and_nothing_is_left_running(failure):
    _, verdict, by_time = fake_engine.FAILING[failure]
    limits = {"timeout": 0.5, "start": 0.5} if by_time else {}
    playing = engine(failure, **limits)
    with pytest.raises(ValueError, match=re.escape(verdict)) as error:
        playing(boards_of(RULES))
    message = str(error.value)
    assert re.fullmatch(r"['\"][^\n]*fake_engine.py [^\n]*: [XO] to move on [XO_]{25}", message)
    assert message.isprintable()
    assert playing.program is None


@pytest.mark.parametrize(
    "spec",
    ["gomocup", "gomocup:command=x", "gomocup:command=x,anyk=true,time=0"]
    + ["gomocup:command=x,anyk=true,time=1e9"],
)
def test_specs_that_make_no_sense_are_refused(spec):
    with pytest.raises(ValueError, match=r"command=|five in a row|time must be"):
        player(spec, Rules())


# --- Both ways.
@pytest.mark.parametrize(
    ("spec", "rules"),
    [("mcts:iterations=50", "5,5,5"), ("first", "19,19,5"), ("selfplay:canonical=true", "3,3,3")]
    + [("tactical", "4,5,4")],
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
            else:
                probs = other(boards)
            cell = dice.choice(rules.cells, p=probs[0])
            boards = rules.play(boards, np.array([cell]))
    engine.close()
