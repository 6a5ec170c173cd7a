"""Interactive play.py: on a terminal, in a pipe, with hints, colours and invalid input."""

import contextlib
import fcntl
import os
import pty
import re
import subprocess
import termios
import threading
import time

from processes import command, surroundings

from tttenv.cli.play.advice import LEGEND_UNDECIDED

CTRL_C, CTRL_D = "\x03", "\x04"


def on_terminal(*arguments, typed, **more):
    """Run play.py on a terminal, type at each prompt, and return its status and all it showed."""
    screen, inner = pty.openpty()
    child = subprocess.Popen(
        command("play.py", *arguments),
        stdin=inner,
        stdout=inner,
        stderr=inner,
        env=surroundings(TERM="xterm", **more),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # for Ctrl-C
    )
    os.close(inner)
    limit = threading.Timer(60, child.kill)
    limit.start()
    shown, left = b"", [*typed]
    with contextlib.suppress(OSError):  # Linux: the other side is closed
        while part := os.read(screen, 65536):
            shown += part
            if left and shown.endswith(b"> "):
                time.sleep(0.3)  # Python misses Ctrl-C between writing the prompt and reading
                os.write(screen, left.pop(0).encode())
    limit.cancel()
    os.close(screen)
    return child.wait(), shown.decode().replace("\r\n", "\n")


def test_a_game_is_won_on_a_terminal_then_lost_with_seats_swapped():
    typed = ["s\n", "E\n", "z\n", "again\n", "a2\n", "4\n", "quit\n"]
    status, shown = on_terminal("first", typed=typed, NO_COLOR="1")
    assert status == 0
    assert shown.count("X wins\n") == 2
    assert "you are O, first is X" in shown
    assert re.search(r"your blunder, stone \d: [abc][123] (loses in [123]|draws); ", shown)
    assert not re.search(r"\x1b\[[0-9;]*m", shown)


def test_ctrl_c_ends_at_once_with_one_line_and_status_130():
    status, shown = on_terminal(typed=[CTRL_C])
    assert status == 130
    assert shown.endswith("\nplay.py: interrupted\n")
    assert "Traceback" not in shown


def test_a_terminal_has_colours_and_ctrl_d_leaves():
    status, shown = on_terminal("first", typed=["4\n", CTRL_D])
    assert status == 0
    assert "\x1b[94mX\x1b[0m" in shown
    assert "\x1b[2m" in shown  # the rim


def test_rubbish_is_explained_take_back_and_hints_work_and_nothing_is_fatal(run_here):
    typed = ["hello \x01 there" + "y" * 200, "hint", "b2", "S", "UNDO", "help", "again"]
    told = run_here("play.py", "tactical", typed="\n".join([*typed, ""]))
    assert (told.returncode, told.stderr) == (0, "")
    parts = (
        r"is not a cell \(by key",
        r"exact +tactical plays, %\n",
        r"  1   =   =   =      1  11  11  11\n",
        "b2 is already taken",
        "2 stones taken back\n\n    a b c\n  1 . . .\n  2 . . .\n  3 . . .\n",
        "quit  leave",
        "you are O, tactical is X",
    )
    assert re.search(".*".join(parts), told.stdout, re.DOTALL)


def test_a_pipe_gets_plain_text_in_which_one_can_read_what_was_typed(run_here):
    told = run_here("play.py", "first", typed="4\nwhat\n2\n6\n")
    assert (told.returncode, told.stderr) == (0, "")
    assert "\x1b" not in told.stdout
    assert re.findall(r"^\w > (.*)$", told.stdout, re.MULTILINE) == [
        *("4", "a1  (first)", "what", "2", "b1  (first)", "6"),
    ]
    assert "\nX wins\n" in told.stdout
    assert told.stdout.endswith("\nX wins\nagain, undo or quit > \n")
    assert run_here("play.py", "first", typed="4\nwhat\n2\n6\n").stdout == told.stdout


def test_other_boards_are_played_by_whoever_can(run_here):
    told = run_here("play.py", "--rules", "15,15,5", typed="h8\nhint\nbye\nq\n")
    assert "alphabeta: 5 in a row win on 15 by 15" in told.stdout
    assert "exact: no move is decided by a short search" in told.stdout
    assert re.search(r"^best by search, not proved: [a-o]\d+", told.stdout, re.MULTILINE)
    assert re.search(r"^ move  plays %\n [ ─]+\n [a-o]\d+ +\d+", told.stdout, re.MULTILINE)
    assert told.stdout.count("\n") < 65  # two boards, and no third of chances
    assert "'bye' is not a cell" in told.stdout
    told = run_here("play.py", "--rules", "3,4,3", typed="hint\n")
    assert re.search(r"^  2 +-\d +\+\d", told.stdout, re.MULTILINE)  # X wins there, if it opens so


def test_hints_and_blunders_on_boards_past_enumeration(run_here):
    typed = "c3\na1\na1\n"
    told = run_here("play.py", "first", "--rules", "5,5,4", "--hints", typed=typed + "b3\ne5\n")
    assert (told.returncode, told.stderr) == (0, "")
    assert LEGEND_UNDECIDED in told.stdout
    assert re.search(r"^  [1-5] .*  [+?=-] ", told.stdout, re.MULTILINE)
    assert re.search(r"^first's blunder: \S+ loses; .* draw( at least)?\.$", told.stdout, re.M)
