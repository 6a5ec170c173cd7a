"""Bots in Python files: each is read in its form and judged, or refused without a verdict."""

import json
import re

import pytest
from bots import BOTS, COURSE, PERFECT, written

from tttenv import Rules, certify, player
from tttenv.certificates.verdict import verdict
from tttenv.players.digests import digests
from tttenv.players.programs.bot_course import COURSE as COURSE_FUNCTIONS
from tttenv.testing.course import course_findings

RULES = Rules()


@pytest.fixture
def bot(tmp_path):
    """Return a function that writes a bot's file, and returns its path."""

    def write(text, name="bot"):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        return str(file)

    return write


def judged(path):
    """Return the form, the blunders, the lost seats and the headline, or what was refused."""
    try:
        policy = player(path, RULES)
        found = certify(RULES, policy)
        policy.close()
    except ValueError as error:
        return "", None, "?", str(error)
    lost = "".join(seat for seat, line in found.losing_line.items() if line is not None)
    return policy.particulars()["form"], found.blunders, lost, verdict(found).headline


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_is_judged_in_its_form_or_not_at_all(bot, name):
    right = BOTS[name]
    form, blunders, loses, headline = judged(bot(right.python))
    assert (blunders, loses) == (right.blunders, right.loses)
    if loses != "?":
        assert form == right.form
    elif right.form:
        assert re.search("gives different answers to the same board|answers otherwise at", headline)
    else:
        assert "is not understood: " in headline
        assert re.search(r"called as move\(\['', '[XO]'.*\], 'X'\), it|importing it", headline)
    if name.startswith("only O"):
        assert headline == f"does not play as X, {'loses' if loses else 'never loses'} as O"


IMPORTS = {  # statements at the top of a file, and what is said
    "input('your name? ')": "it reads its input, and nobody answers: put the game under",
    "while True: pass": "it was not imported within 1 s: put the game under",
    "import sys; sys.exit(3)": "importing it raised SystemExit: 3",
    "import os; os._exit(3)": "ended with exit status 3",
    "1 / 0": "importing it raised ZeroDivisionError: division by zero",
    "def helper(): pass": "",
    "print('hello'); import os; os.write(1, b'hello'); os.system('cat; echo hello')": "",
    "if __name__ == '__main__': input()": "",
}


@pytest.mark.parametrize("line", IMPORTS)
def test_what_a_file_does_when_it_is_imported_does_no_harm(bot, line):
    path = bot(f"{line}\n{PERFECT.python}")
    if IMPORTS[line]:
        with pytest.raises(ValueError, match=rf"^[^\n]*{re.escape(IMPORTS[line])}[^\n]*$"):
            player(f"python:path={path},timeout=1", RULES)
    else:
        assert player(path, RULES)(RULES.start(1)).sum() == 1


RANDOM = """
while board[cell] != " " or NUMBERS.random() < 0.5:
        cell = int(NUMBERS.random() * 9)"""


@pytest.mark.parametrize("numbers", ["random", "np.random"])
def test_a_bot_that_draws_cells_until_one_is_empty_plays_its_frequencies(bot, numbers, caplog):
    text = written("move", "list/XO-space/board/cell").python
    text = text.replace("    pass", f"    {RANDOM.strip().replace('NUMBERS', numbers)}")
    path = bot(f"import random\nimport numpy as np\n{text}")
    policy = player(f"python:path={path},timeout=5", RULES)
    first = policy(RULES.start(1))
    assert policy.particulars()["form"] == "list/XO-space/board/cell"
    assert 0 < first.max() < 1
    assert (
        player(f"python:path={path},form=list/XO-space/board/cell")(RULES.start(1)) == first
    ).all()
    assert "draws random numbers: judged by 40 answers to each board" in policy.summary()
    assert "read as: 9 cells of 'X', 'O', ' '; called with the board; answers a cell" in caplog.text


def test_the_user_may_name_function_and_form_and_illegal_answers_then_lose(bot):
    text = PERFECT.python.replace("    pass", "    cell = 9 if view.count('_') == 8 else cell")
    path = bot(f"{text}\n\ndef other(board, mark):\n    return (move(board, mark), 0)\n")
    with pytest.raises(ValueError, match=r"after 44 legal answers.*say function=move,form=list/XO"):
        player(path, RULES)
    policy = player(f"python:path={path},function=other,form=list/XO-blank/board-mark/cell-scored")
    found = certify(RULES, policy)
    assert (found.losing_line, found.blunders) == ({"X": None, "O": [0]}, 9)
    assert "no legal answer on 9 boards: called as other(['X', '', " in policy.summary()


def test_boards_of_other_sizes_are_lists_and_rows(bot):
    first = "def move(rows):\n    return next((i, j) for i, row in enumerate(rows)"
    path = bot(f"{first} for j, c in enumerate(row) if c == '.')\n")
    rules = Rules(2, 4, 3)
    assert certify(rules, player(path, rules)) == certify(rules, "first")


def test_a_bot_in_a_file_is_digested_and_named_in_the_certificate(bot, run_here):
    path = bot(BOTS["rows/XO-null/board/pair, perfect"].python)
    before = digests(path)
    assert before == digests(f"python:path={path}") != []
    shown = run_here("certify.py", path, "--json")
    assert '"form": "rows/XO-null/board/pair"' in shown.stdout
    bot(PERFECT.python)
    assert digests(path) != before


@pytest.mark.parametrize("operator", ["-", "1+"])
def test_a_file_that_is_nested_too_deeply_has_a_digest(bot, operator):
    assert digests(bot(operator * 100_000 + "1\n")) != []


BROKEN = {  # a course's functions, each with one mistake
    "initial_state": ("[EMPTY] * 3]", "[EMPTY] * 2]"),
    "player": ("return X if", "return O if"),
    "actions": ("(i, j) for", "(j, i) for"),
    "result": ("copy.deepcopy(board)", "board"),
    "winner": ("line in LINES", "line in LINES[1:]"),
    "terminal": ("or not actions(board)", ""),
    "utility": ("else -1 if", "else 0 if"),
    "minimax": ("return None", "return 0, 0"),
}


@pytest.mark.parametrize("name", ["", *BROKEN])
def test_the_wrong_function_of_a_course_is_named_with_a_position(bot, name):
    text = COURSE.replace(*BROKEN[name]) if name else COURSE
    assert (text != COURSE) == bool(name)
    found = {one.check: one for one in course_findings(bot(text, "tictactoe"))}
    assert list(found) == [*COURSE_FUNCTIONS, "minimax"]
    wrong = {check: one.text for check, one in found.items() if one.status == "problem"}
    assert (name in wrong) == bool(name)
    assert bool(wrong) == bool(name)
    for check, report in wrong.items():
        assert re.search(rf"^{check}\(.*\) (returned|raised) .*; right is ", report)


def test_a_course_is_judged_as_it_stands_and_the_doctor_checks_its_functions(bot, run_here):
    path = bot(COURSE, "tictactoe")
    assert judged(path) == ("rows/XO-null/board/pair", 0, "", "UNBEATABLE in both seats")
    shown = run_here("doctor.py", bot(COURSE.replace(*BROKEN["minimax"])), "--json")
    statuses = {one["check"]: one["status"] for one in json.loads(shown.stdout)["checks"]}
    assert (shown.returncode, statuses["minimax"], statuses["result"]) == (1, "problem", "ok")
    assert statuses["learned"] == "ok"
