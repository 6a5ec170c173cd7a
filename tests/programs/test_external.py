"""Bots run by other programs: certified like any player, with an error for every failure."""

import copy
import gc
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import gymnasium as gym
import numpy as np
import pytest
from processes import children, ends, lives, surroundings

from tttenv import Rules, certify, player
from tttenv.cli import certify as certify_command
from tttenv.players.digests import digests
from tttenv.players.programs import external as manual
from tttenv.players.programs import program_player
from tttenv.players.programs.external import external
from tttenv.testing import some_boards

RULES = Rules()
SHELL_BOT = manual.__doc__.partition("    #!/bin/sh\n")[2].partition("\n\n")[0]
PYTHON_BOT = """
import random, sys
def say(text): print(text, flush=True)
for line in open(sys.argv[1], "a+") and sys.stdin:
    open(sys.argv[1], "a").write(line)
    if line.startswith("move"):
        empty = [cell for cell, mark in enumerate(line.split()[4]) if mark == "_"]
        say({answer})
"""


@pytest.fixture
def bot(tmp_path):
    """Return a function that writes a program and returns the command that starts it."""

    def write(text, interpreter="/bin/sh"):
        file = tmp_path / "bot"
        file.write_text(f"#!{interpreter}\n{text}\n")
        file.chmod(0o755)
        return str(file)

    return write


@pytest.fixture
def python_bot(bot, tmp_path):
    """Return a function that writes a bot in Python, which logs its queries."""
    file = tmp_path / "log"

    def write(answer):
        return f"{bot(PYTHON_BOT.replace('{answer}', answer), sys.executable)} {file}"

    write.log = lambda: file.read_text().splitlines()
    return write


def test_the_shell_bot_of_the_manual_is_the_first_empty_cell(bot):
    assert certify(RULES, external(RULES, bot(SHELL_BOT), timeout=60)) == certify(RULES, "first")


def test_threads_may_share_a_bot(python_bot):
    policy, boards = external(RULES, python_bot("empty[0]"), timeout=60), some_boards(RULES, 64)
    with ThreadPoolExecutor(4) as threads:
        found = np.array(list(threads.map(lambda board: policy(board[None])[0], boards)))
    policy.close()
    assert (found == player("first", RULES)(boards)).all()


def test_a_bot_is_told_rules_board_and_side_once_a_board_and_when_to_quit(python_bot):
    rules = Rules(2, 3, 3)
    program = external(rules, python_bot("empty[-1]"), timeout=60)
    boards = np.array([rules.parse("XO__X_"), rules.parse("______"), rules.parse("XO__X_")])
    for _ in range(2):
        assert program(boards).argmax(axis=1).tolist() == [5, 5, 5]
    program.close()
    assert python_bot.log() == ["move 2 3 3 XO__X_ O", "move 2 3 3 ______ X", "quit"]


def test_a_copy_starts_a_program_of_its_own(python_bot):
    program = external(RULES, python_bot("empty[-1]"), timeout=60)
    env = gym.make("TicTacToe-v0", opponent=program, seat="O")
    env.reset()
    twin = copy.deepcopy(env)
    assert twin.unwrapped.match.opponent.program is None
    assert (env.step(0)[0] == twin.step(0)[0]).all()
    program.close()
    twin.unwrapped.match.opponent.close()
    assert python_bot.log().count("quit") == 2


def test_answers_take_no_more_memory_than_allowed(python_bot, monkeypatch):
    """It says so rather than ask again about a board, which dice may answer otherwise."""
    monkeypatch.setattr(program_player, "MOST_ANSWERS", 250)
    rules = Rules(19, 19, 5)
    program = external(rules, python_bot("empty[0]"), timeout=60)
    boards = [rules.play(rules.start(), np.array(cell)) for cell in range(361)]
    known = [program(board[None]) for board in boards[:200]]
    with pytest.raises(ValueError, match=r"has answered 250 boards, the most"):
        program(np.array(boards))
    for board, probs in zip(boards, known, strict=False):
        assert program(board[None]).tobytes() == probs.tobytes()


FAILURES = {
    "hangs": ("sleep 100", "did not answer within 0.3 s"),
    "half a line": ("read a; printf 3; sleep 100", "it wrote '3' without an end of line"),
    "crashes": ("read a; echo why >&2; echo oh no >&2; exit 3", "status 3, saying 'oh no'"),
    "dies talking": ("read a; printf 4; exit 1", "status 1 in the middle of the line '4'"),
    "goes deaf and dumb": ("exec <&- >&-; sleep 100", "closed its"),
    "many words": ("read a; yes 1:0.1 | head -n 1000000 | tr '\\n' ' '; echo", "more than 64"),
    "no whole number": ("read a; echo 4.0", "answered '4.0', not the number of a cell"),
    "other digits": ("read a; echo \u0664", "answered '\u0664', not the number"),
    "escapes": ("read a; printf '\\033[2J\\n'", "answered '\\x1b[2J', not the number"),
    "negative": ("read a; echo -1", "plays cell -1, off the board"),
    "taken": ("while read a; do echo 0; done", "plays cell 0, which is taken"),
    "off the board": ("read a; echo 9", "plays cell 9, off the board"),
    "talks too much": ("read a; echo 0; echo 1; sleep 100", "wrote '1' before it was queried"),
    "never stops": ("exec cat /dev/zero", "wrote "),
    "is not there": (None, "No such file"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_gets_a_verdict_in_one_line_and_nothing_is_left_running(bot, failure):
    text, verdict = FAILURES[failure]
    gc.collect()
    opened = counted()
    command = bot(text) if text else "/no/such/bot"
    program = external(RULES, command, timeout=0.3 if text and "sleep" in text else 30)
    if failure == "talks too much":  # the second line has been written when it is asked again
        program(RULES.start(1))
        time.sleep(0.3)
    before = time.monotonic()
    with pytest.raises(ValueError, match=re.escape(verdict)) as error:
        certify(RULES, program)
    assert time.monotonic() - before < 10
    assert re.fullmatch(r"('[^\n]*/bot'|cannot) [^\n]*: [XO] to move on [XO_]{9}", str(error.value))
    assert program.program is None
    gc.collect()
    assert counted() == opened


def counted():
    """Return the numbers of open files and of children of this process."""
    return len(os.listdir("/proc/self/fd")), len(children(os.getpid()))


def test_a_program_that_failed_is_started_anew_by_the_next_question(bot):
    program = external(RULES, bot("read a; echo 4; exit 1"))
    boards = [RULES.start(1), RULES.play(RULES.start(1), np.array([0]))]
    assert [int(program(board).argmax()) for board in boards[:1] * 2] == [4, 4]
    with pytest.raises(ValueError, match="status 1"):
        program(boards[1])
    assert int(program(boards[1]).argmax()) == 4


DEAF = "trap '' HUP TERM INT PIPE; sleep 1000 & echo $$ $! > PIDS; read a; echo 4; {then}"


@pytest.fixture
def deaf(bot, tmp_path):
    """Return a function that writes a bot with a child, which ignore signals, and their ids."""
    file = tmp_path / "pids"

    def write(then="while :; do sleep 1; done"):
        return bot(DEAF.format(then=then).replace("PIDS", str(file)))

    write.pids = lambda: [int(pid) for pid in file.read_text().split()]
    return write


@pytest.mark.parametrize("manner", ["close", "forget", "hang"])
def test_a_program_ends_with_all_that_it_started(deaf, manner):
    program = external(RULES, deaf(), timeout=0.5)
    program(RULES.start(1))
    assert all(map(lives, deaf.pids()))
    if manner == "hang":
        with pytest.raises(ValueError, match="did not answer"):
            certify(RULES, program)
    elif manner == "close":
        program.close()
    del program
    gc.collect()
    assert all(map(ends, deaf.pids()))


THREAD = "import threading; t = threading.Thread(target=ask); t.start(); t.join(); "
WAIT = "print('ready', flush=True); import time; time.sleep(1000)"
ENDINGS = {
    "the end of the code": ("ask()", None, 0),
    "an exception": ("ask(); 1 / 0", None, 1),
    "SIGTERM": (f"ask(); {WAIT}", signal.SIGTERM, -signal.SIGTERM),
    "SIGINT": (f"ask(); {WAIT}", signal.SIGINT, -signal.SIGINT),
    "SIGKILL": (f"ask(); {WAIT}", signal.SIGKILL, -signal.SIGKILL),
    "SIGKILL after the thread that asked": (f"{THREAD}{WAIT}", signal.SIGKILL, -signal.SIGKILL),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_deaf_program_and_its_child_end_with_python(deaf, ending):
    then, number, status = ENDINGS[ending]
    code = f"import tttenv; p = tttenv.player('external:command={deaf()}')\n"
    code += f"def ask(): p(tttenv.Rules().start(1))\n{then}"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        if number:
            assert child.stdout.readline() == b"ready\n"
            assert all(map(lives, deaf.pids()))
            child.send_signal(number)
        assert child.wait(60) == status
    assert all(map(ends, deaf.pids()))


@pytest.mark.parametrize("options", ["", ":command=x,timeout=0", ":command=x,forfeits=much"])
def test_specs_that_make_no_sense_are_refused(options):
    with pytest.raises(ValueError, match=r"command=|timeout must|not true or"):
        player(f"external{options}", RULES)


def test_an_answer_without_a_legal_move_forfeits_the_game_if_that_is_wanted(bot, capsys):
    command = bot("while read -r word rest; do [ $word = move ] && echo 4; done")
    assert not external(RULES, command, forfeits=True)(RULES.parse("____X____")[None]).any()
    certify_command.main([f"external:command={command},forfeits=true", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["losing_line"] == {"X": [4, 0], "O": [4]}
    with pytest.raises(ValueError, match="plays cell 4, which is taken"):
        certify(RULES, external(RULES, command))


def test_a_program_in_a_folder_is_told_apart_by_its_contents(bot):
    first = digests(f"external:command={bot('read a')}")
    assert digests(f"epsilon:player=(external:command={bot('read a')})") == first
    assert digests(f"gomocup:command={bot('read b')}") != first
    assert len(first) == 1
    assert digests("sb3:path=no.zip,trust=true") == []  # though a program is called true
