"""Forms of bots: boards are written and answers are read as the table of forms says."""

import json
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tttenv import Rules
from tttenv.players import checked_spec, did_you_mean, full, player
from tttenv.players.programs import bot_forms
from tttenv.players.programs.python_bot import probe_boards

BOARD = "XO_X_____"  # O to move


def forms():
    for shape, (stones, row) in product(bot_forms.SHAPES, bot_forms.STONES.items()):
        for empty in row["empties"]:
            form = bot_forms.Form(shape, stones, empty, "board", "played")
            if not form.problem:
                yield form


def test_every_form_writes_boards_that_it_reads_and_no_two_of_a_shape_are_alike():
    for shape in bot_forms.SHAPES:
        same = [form for form in forms() if form.shape == shape]
        shown = {str((form.shaped(BOARD, 3), form.shaped("XO_______", 3))) for form in same}
        assert len(shown) == len(same) >= 20
    for form in forms():
        assert bot_forms.Form.of(str(form)) == form
        assert form.flat(form.shaped(BOARD, 3)) == form.cells(BOARD)
    form = bot_forms.Form.of("rows/always-O-digit/board/pair")
    assert form.shaped(BOARD, 3) == [["X", "O", "3"], ["X", "5", "6"], ["7", "8", "9"]]
    assert form.marks(BOARD) == ("O", "X")


def test_the_manual_names_every_key_of_the_table():
    page = (Path(bot_forms.__file__).parents[3] / "docs/how-to/my-own-bot.md").read_text()
    keys = [*bot_forms.SHAPES, *bot_forms.STONES, *bot_forms.ARGUMENTS, *bot_forms.ANSWERS]
    assert not [key for key in [*keys, *bot_forms.TABLE["empties"]] if f"`{key}`" not in page]


ANSWERS = {  # how cell 5 is written
    "cell": [5, np.int64(5), "5", np.array(5)],
    "pair": [(1, 2), [1, 2], np.array([1, 2])],
    "row-column": [{"row": 1, "col": 2}, SimpleNamespace(x=2, y=1)],
    "named-cell": [{"index": 5, "score": -10}, SimpleNamespace(move=5)],
    "number": [6],
    "pair1": [(2, 3)],
    "name": ["c2", "C2"],
    "scored": [(-1, 5), [0.5, 5]],
    "scored-pair": [(1, 1, 2), (1, (1, 2))],
    "scored-number": [(0, 6)],
    "cell-scored": [(5, 0)],
    "pair-scored": [(1, 2, 0), ([1, 2], 0.0)],
    "named-pair": [{"move": (1, 2)}],
    "played": [list("XO_X_O___")],
}
NONE = [None, True, 9, -1, (3, 0), (0, -1), (1,), "d4", "a", {}, (0, 0, 0, 0), object(), 5.5]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_read_as_its_row_says_and_others_are_not(answer):
    assert ANSWERS.keys() == bot_forms.ANSWERS.keys()
    form = bot_forms.Form("list", "XO", "underscore", "board", answer)
    for value in ANSWERS[answer]:
        assert bot_forms.read(bot_forms.Reply(value), form, BOARD, 3) == 5
    taken = [0, 1, 3, (0, 0), (0, 1), 2, "a1", "b1", list(BOARD), list("XOOX_O___")]
    wrong = [None, *NONE] if answer in ("number", "pair1") else [*NONE, *taken[:2], *taken[3:5]]
    scored = "scored" in answer
    for value in () if scored else wrong:
        found = bot_forms.read(bot_forms.Reply(value), form, BOARD, 3)
        assert found is None or (answer, value) == ("number", 9)
    assert bot_forms.read(bot_forms.Reply(None, list("XO_X_O___")), form, BOARD, 3) == (
        5 if answer == "played" else None
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rows/XO-null/board", "a form is written like rows/XO-null/board/pair"),
        ("row/XO-null/board/pair", "'row' is unknown; known are list, rows"),
        ("rows/XO-two/board/pair", "'two' is unknown; known are blank, space"),
        ("text/XO-blank/board/cell", "a string has a letter for each cell"),
        ("rows/own-signs-zero/board-turn/pair", "own-signs is a view of the side to move"),
    ],
)
def test_a_form_that_is_not_in_the_table_is_refused_with_what_is(text, message, tmp_path):
    (tmp_path / "bot.py").write_text("")
    with pytest.raises(ValueError, match=message):
        player(f"python:path={tmp_path / 'bot.py'},form={text}")


@pytest.mark.parametrize("rules", ["3,3,3", "4,4,3", "5,5,4"])
def test_probe_boards_tell_all_cells_and_both_seats_apart(rules):
    game = Rules.of(rules)
    probes = probe_boards(game)
    assert 40 < len(probes) < 120
    full_boards = [board for board, _ in probes if board.count("_") == 1]
    assert {board.index("_") for board in full_boards} >= set(
        range(game.cells if game.cells == 9 else 0)
    )
    assert {bot_forms.side_of(board) for board, _ in probes} == {"X", "O"}
    empties = [board.count("_") for board, _ in probes]
    assert empties == sorted(empties)
    assert empties[-1] == game.cells
    assert all(good and {board[cell] for cell in good} == {"_"} for board, good in probes)
    assert json.loads(json.dumps(probes)) == [list(probe) for probe in probes]


def test_a_python_file_is_named_by_its_path_and_never_by_a_file():
    assert full("a/bot.py") == "python:path=(a/bot.py)"
    assert full("minimax") == "minimax"
    with pytest.raises(ValueError, match="must not name"):
        checked_spec("bot.py")
    with pytest.raises(ValueError, match=r"^there is no file a/bot\.py$"):
        player("a/bot.py")
    for spec in ("model.pt", "runs/model.pth"):
        with pytest.raises(ValueError, match=r"^[^\n]*PyTorch file[^\n]*$"), did_you_mean(spec):
            player(spec)
