"""Prompts, answers, verdicts, rewards and tasks for language models."""

import json
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tttenv import Rules, text
from tttenv.exact import positions, solve
from tttenv.game.rules import COLUMNS, name_of
from tttenv.game.symmetry import canonical
from tttenv.players.language.prompts import move_list

RULES = Rules()
GAMES = [RULES, Rules(2, 4, 3), Rules(1, 3, 2)]
BOARD = RULES.parse("X__ _O_ ___")  # X moves
GAME = positions(RULES)
DECISIONS = GAME.boards[GAME.decisions]


def shown(rules, board, notation):
    """Return the board that a prompt shows, as `Rules.format` writes it, from the text alone."""
    paragraphs = text.prompt(rules, board, notation).split("\n\n")
    if notation == "moves":
        cells = re.findall(r"\b([a-s])(\d+)\b", paragraphs[2])
        marks = ["_"] * rules.cells
        for turn, (column, row) in enumerate(cells):
            marks[(int(row) - 1) * rules.n + COLUMNS.index(column)] = "XO"[turn % 2]
        return "".join(marks)
    lines = paragraphs[2].split("\n")
    if notation == "grid":
        rows = [line.split("|") for line in lines]
        return "".join(
            "_" if cell.strip().isdigit() else cell.strip() for row in rows for cell in row
        )
    return "".join("".join(line.split()[1:]) for line in lines[1:]).replace(".", "_")


@pytest.mark.parametrize("notation", text.NOTATIONS)
@pytest.mark.parametrize("rules", [*GAMES, Rules(12, 11, 5)], ids=str)
def test_a_prompt_shows_the_whole_position_and_who_moves(rules, notation):
    rng = np.random.default_rng(0)
    for _ in range(20):
        board = rules.start()
        while not rules.over(board):
            assert shown(rules, board, notation) == rules.format(board)
            side = "XO"[int(rules.seat(board))]
            assert f"You are {side} and it is your move." in text.prompt(rules, board, notation)
            board = rules.play(board, rng.choice(np.flatnonzero(board == 0)))


@pytest.mark.parametrize("notation", text.NOTATIONS)
def test_legal_moves_stand_in_a_prompt_on_demand_only_and_are_read_back(notation):
    listed = text.prompt(RULES, BOARD, notation, legal=True).partition("Legal moves: ")[2]
    names = listed.split("\n")[0].split()
    assert [text.parse(RULES, BOARD, name).cell for name in names] == [1, 2, 3, 5, 6, 7, 8]
    assert "Legal" not in text.prompt(RULES, BOARD, notation)


def test_the_moves_of_a_position_are_a_legal_game_that_leads_there():
    for board in DECISIONS[::5]:
        played = RULES.start()
        for cell in move_list(board):
            assert not RULES.over(played)
            played = RULES.play(played, cell)
        np.testing.assert_array_equal(played, board)


ANSWERS = {  # what is read of an answer: cell 2, or why there is none
    2: [
        "<move>2</move>",
        "I could take 5 or c3, even [6].\n<MOVE> [C1] </MOVE>. Good!",
        "<move>0</move> is taken, so <move>2</move>",
        '{"reason": "a fork", "move": "c1"}',
        '```json\n{"move": 2}\n```',
        '{"reason": "{a3, b3} or [6]", "move": 2, "then": {"move": 6}}',
        '{"answer": [{"move": "2"}]}',
        '{"why": {b1}} {{"move": 2}}',
        "<think>[6] or <move>6</move>?</think>\n[2]",
        "6, as the template began it</THINK> 2",
        *("My move: [2]", "[2], which is [c1]", " **c1**.\n", "2"),
    ],
    "none": [
        *("<think>[6]</think> [2] <think>or <move>3</move>", "<think>2</think>", ""),
        *("I play c1.", "12 is off the board, I think"),  # no tag, and not the whole answer
        *("<move>the centre</move>", "<move>2 or 3</move>", "<move>02</move>", "<move>-1</move>"),
        "<move>٢</move>",  # a digit, but not an ASCII one
        *('{"move": true}', '{"move": 2.0}', "2" + " " * 1_000_000, "[" * 500_000),
        *('{"move": ' + "[" * 100_000 + "}", '{"' * 500_000, '{"move": ' + "9" * 5_000 + "}"),
    ],
    "ambiguous": [
        *("[2] or [3]", '{"move": 2} {"move": 3}', '{"move": 2, "move": 2}', '{"move": 2} [3]'),
        *("<move>2</move> no, <move>3", "</move>2<move>", "<move>2", "<move>2<move>"),
    ],
    "taken": ["<move>0</move>", "b2"],
    "off the board": ["<move>9</move>", "<move>d1</move>", "<move>a4</move>"],
}


@pytest.mark.parametrize("found", ANSWERS)
def test_answers(found):
    for answer in ANSWERS[found]:
        parsed = text.parse(RULES, BOARD, answer)
        assert (parsed.cell if found == 2 else parsed.reason) == found, answer[:100]
        assert (parsed.cell is None) == bool(parsed.reason)


PIECES = st.sampled_from(
    ["<move>", "</move>", "[", "]", "{", "}", '"move"', ":", " ", ",", "a1", "b2", "c3", "4", "08"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)), st.integers(0, len(DECISIONS) - 1))
@example('{"move": "b2"}', 0)
def test_whatever_is_read_as_a_move_is_one_legal_cell_that_the_answer_names(answer, number):
    board = DECISIONS[number]
    parsed = text.parse(RULES, board, answer)
    if parsed.cell is None:
        assert parsed.reason in ("none", "ambiguous", "taken", "off the board")
        return
    assert board[parsed.cell] == 0
    names = {str(parsed.cell), name_of(RULES, parsed.cell)}
    assert any(name in answer.lower() for name in names)
    # Whichever form it has, no other cell stands in that form.
    if "<move>" in answer.lower():
        last = answer.lower().rpartition("</move>")[0].rpartition("<move>")[2]
        assert last.strip().strip("[]").strip() in names
    else:
        assert set(re.findall(r"\[\s*(\d|[a-s]\d)\s*\]", answer.lower())) <= names


def test_verdicts_are_those_of_the_solved_game_on_all_moves():
    solution = solve(RULES)
    for board in DECISIONS[::5]:
        row = int(GAME.index(board))
        for cell in np.flatnonzero(board == 0):
            found = text.verdict(RULES, board, str(cell))
            after = RULES.play(board, cell)
            value = int(solution.values[row])
            left = value + int(solution.values[GAME.index(after)])
            assert (found.value_before, found.regret) == (value, left)
            assert found.kept == solution.optimal[row, cell] == (left == 0)
            assert (cell in found.best) == solution.fastest[row, cell] == (found.plies_lost == 0)
            assert text.reward(found) == 1 - left / 2
            assert text.reward(found, "kept") == float(left == 0)
            assert text.reward(found, "game") == (value - left + 1) / 2


def test_an_answer_without_a_move_loses_and_is_paid_nothing():
    lost = RULES.parse("XX_ _O_ O_X")  # whatever O does, one of two lines is completed
    for board in (BOARD, lost):
        found = text.verdict(RULES, board, "I resign")
        assert (found.legal, found.cell, found.kept, found.value_after) == (False, None, False, -1)
        assert found.regret == found.value_before + 1
        assert found.best
        assert [text.reward(found, scheme) for scheme in text.SCHEMES] == [0, 0, 0]


def test_larger_boards_are_judged_by_what_a_search_proves():
    rules = Rules(5, 5, 4)
    win = rules.parse("XXX__ OOO__ _____ _____ _____")  # X wins at d1, and has to
    good, bad = (text.verdict(rules, win, name) for name in ("d1", "a5"))
    assert (good.value_before, good.value_after, good.kept, good.regret) == (1, 1, True, 0)
    assert good.best == (3,)
    assert (bad.value_after, bad.kept, bad.regret) == (-1, False, 2)
    open_board = Rules(19, 19, 5)
    found = text.verdict(open_board, open_board.start(), "a1")
    assert (found.value_before, found.kept, found.best) == (None, None, ())
    with pytest.raises(ValueError, match="not decided"):
        text.reward(found)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_tasks_are_one_for_each_class_and_the_splits_share_no_image(rules):
    def classes(*arguments):
        boards = np.array([task.board for task in text.tasks(rules, *arguments)])
        return {board.tobytes() for board in canonical(rules, boards)[0]}

    game = positions(rules)
    everything = {b.tobytes() for b in canonical(rules, game.boards[game.decisions])[0]}
    assert classes("all") == everything
    assert len(text.tasks(rules, "all")) == len(everything)
    for seed in (0, 1):
        assert classes("train", seed) | classes("test", 0) == everything
        assert not classes("train", seed) & classes("test", 0)
    if rules == RULES:
        assert [len(text.tasks(rules, split)) for split in text.SPLITS] == [502, 125, 627]


def test_tasks_depend_on_their_seed_alone_and_hold_their_best_moves():
    first = text.tasks(RULES)
    assert first == text.tasks(RULES, seed=0) != text.tasks(RULES, seed=1)
    for task in first[:50]:
        found = task.verdict(json.dumps({"move": task.best[0]}))
        assert (found.value_before, found.best, text.reward(found)) == (task.value, task.best, 1.0)
        assert task.prompt("moves") == text.prompt(RULES, task.board, "moves")
