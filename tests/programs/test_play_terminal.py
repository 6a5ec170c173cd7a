"""Interactive play.py: in a terminal, in a pipe, with hints, colours and invalid input."""

import re
import subprocess
import sys

from processes import ROOT, command, surroundings
from typist import CTRL_C, CTRL_D, Typist

from tttenv.cli.play.advice import LEGEND_UNDECIDED


def piped(*arguments, typed="", **more):
    """Run play.py with its input from a pipe."""
    return subprocess.run(
        command("play.py", *arguments),
        input=typed,
        text=True,
        capture_output=True,
        env=surroundings(TERM="xterm", **more),
        timeout=100,
    )


# The script, typed into


def test_a_game_is_won_on_a_terminal_then_lost_with_seats_swapped():
    with Typist("first") as typist:
        typist.type("s", "E", "z")
        typist.expect("X wins\n")
        typist.type("again")
        typist.expect("you are O, first is X")
        typist.type("a2", "4")
        typist.expect("X wins\n")
        typist.expect(r"your blunder, stone \d: [abc][123] (loses in [123]|draws); ")
        typist.type("quit")
        assert typist.end() == 0
        assert not re.search(r"\x1b\[[0-9;]*m", typist.shown)


def test_rubbish_is_explained_take_back_and_hints_work_and_nothing_is_fatal():
    with Typist("tactical") as typist:
        typist.type("hello \x16\x01 there" + "y" * 200)
        typist.expect(r"is not a cell \(by key")
        typist.type("hint")
        typist.expect(r"exact +tactical plays, %\n")
        typist.expect(r"  1   =   =   =      1  11  11  11\n")
        typist.type("b2", "S")
        typist.expect("b2 is already taken")
        typist.type("UNDO")
        typist.expect("2 stones taken back\n\n    a b c\n  1 . . .\n  2 . . .\n  3 . . .\n")
        typist.type("help")
        typist.expect("quit  leave")
        typist.type("again")
        typist.expect("you are O, tactical is X")
        typist.press(CTRL_D)
        assert typist.end() == 0
        assert "Traceback" not in typist.shown


def test_ctrl_c_ends_at_once_with_one_line_and_status_130():
    with Typist() as typist:
        typist.expect("selfplay")
        typist.press(CTRL_C)  # Python misses one between writing the prompt and reading
        assert typist.end(again=CTRL_C) == 130
        assert re.search(r"\n?play.py: interrupted\n$", typist.shown)
        assert "Traceback" not in typist.shown


def test_a_terminal_has_colours_unless_told_otherwise():
    with Typist("first", colours=True) as typist:
        typist.type("4")
        typist.expect("X to play")
        assert "\x1b[94mX\x1b[0m" in typist.shown
        assert "\x1b[2m" in typist.shown  # the rim


def test_a_pipe_gets_plain_text_in_which_one_can_read_what_was_typed():
    told = piped("first", typed="4\nwhat\n2\n6\n")
    assert (told.returncode, told.stderr) == (0, "")
    assert "\x1b" not in told.stdout
    assert re.findall(r"^\w > (.*)$", told.stdout, re.MULTILINE) == [
        *("4", "a1  (first)", "what", "2", "b1  (first)", "6"),
    ]
    assert "\nX wins\n" in told.stdout
    assert told.stdout.endswith("\nX wins\nagain, undo or quit > \n")
    assert piped("first", typed="4\nwhat\n2\n6\n").stdout == told.stdout


def test_play_needs_neither_torch_nor_what_draws():
    code = (
        "import sys, runpy; sys.argv = ['play.py', '--hints']\n"
        "try: runpy.run_path('scripts/play.py', run_name='__main__')\n"
        "finally: print(sorted({'torch', 'pygame', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, input="4\nhint\n", text=True, capture_output=True
    )
    assert "exact " in told.stdout
    assert told.stderr.strip() == "[]"


def test_other_boards_are_played_by_whoever_can():
    told = piped("--rules", "15,15,5", typed="h8\nhint\nbye\nq\n")
    assert "alphabeta: 5 in a row win on 15 by 15" in told.stdout
    assert "exact: no move is decided by a short search" in told.stdout
    assert re.search(r"^best by search, not proved: [a-o]\d+", told.stdout, re.MULTILINE)
    assert re.search(r"^ move  plays %\n [ ─]+\n [a-o]\d+ +\d+", told.stdout, re.MULTILINE)
    assert told.stdout.count("\n") < 65  # two boards, and no third of chances
    assert "'bye' is not a cell" in told.stdout
    told = piped("--rules", "3,4,3", typed="hint\n")
    assert re.search(r"^  2 +-\d +\+\d", told.stdout, re.MULTILINE)  # X wins there, if it opens so


def test_hints_and_blunders_on_boards_past_enumeration():
    typed = "c3\na1\na1\n"
    told = piped("first", "--rules", "5,5,4", "--hints", typed=typed + "b3\ne5\n")
    assert (told.returncode, told.stderr) == (0, "")
    assert LEGEND_UNDECIDED in told.stdout
    assert re.search(r"^  [1-5] .*  [+?=-] ", told.stdout, re.MULTILINE)
    assert re.search(r"^first's blunder: \S+ loses; .* draw( at least)?\.$", told.stdout, re.M)
