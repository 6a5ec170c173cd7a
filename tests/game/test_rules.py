"""Rules of every game, against an independent plain referee."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import RULES, game, mover, random_game, spell, view, winner

from tttenv.game.rules import Rules

SEEDS = st.integers(0, 2**32)
every_rules = pytest.mark.parametrize("rules", RULES, ids=spell)


@every_rules
@given(seed=SEEDS)
def test_a_random_game_runs_as_the_referee_says(rules, seed):
    texts, cells = random_game(rules, seed)
    ours, boards = Rules(*rules), np.array([view(text) for text in texts], np.int8)
    over = [winner(rules, text) is not None for text in texts]
    assert ours.over(boards).tolist() == over
    assert ours.lost(boards).tolist() == [winner(rules, t) == "XO"[mover(t) == "X"] for t in texts]
    legal = [[mark == "_" and not end for mark in t] for t, end in zip(texts, over, strict=True)]
    assert ours.legal(boards).tolist() == legal
    assert ours.seat(boards).tolist() == ["XO".index(mover(text)) for text in texts]
    assert (ours.play(boards[:-1], cells) == boards[1:]).all()


@every_rules
@given(seed=SEEDS)
def test_parse_and_format_are_inverse_of_each_other(rules, seed):
    ours = Rules(*rules)
    for text in random_game(rules, seed)[0][:: 1 + ours.cells // 20]:
        rows = "\n".join(text[at : at + ours.n] for at in range(0, ours.cells, ours.n))
        assert ours.parse(text).tolist() == ours.parse(rows.lower()).tolist() == view(text)
        assert ours.format(view(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "XOX", "_" * 10, "abcdefghi", "OOX______", "XXX______", "0" * 9, "x" * 9999, "\x1b[2J\n"],
)
def test_a_text_that_is_no_board_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match=r"board of 3,3,3|X opens") as error:
        Rules().parse(text)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


BAD_SIZES = [(3, 3, 4), (2, 2, 3), (3, 3, 1), (3, 3, 0), (1, 1, 2), (3, 3, -3)]
BAD_BOARDS = [(0, 3, 3), (3, 0, 3), (20, 3, 3), (3, 20, 3), (-3, 3, 3)]
BAD_KINDS = [(True, 3, 3), (3, 3, 3.0), (3, "3", 3), (None, 3, 3), (3, 3, float("nan"))]
RUBBISH = ["x" * 9999, "\x1b[2J\n", np.zeros((2, 2)), 10**400, [1] * 9999]


@pytest.mark.parametrize(
    ("rules", "law"),
    [(rules, "k must be from 2 to") for rules in BAD_SIZES]
    + [(rules, "1 to 19 rows and columns") for rules in BAD_BOARDS]
    + [(rules, "integers") for rules in BAD_KINDS]
    + [(rules, ".") for wrong in RUBBISH for rules in ((wrong, 3, 3), (3, 3, wrong))],
)
def test_impossible_rules_are_refused_in_one_clear_line(rules, law):
    with pytest.raises(ValueError, match=law) as error:
        Rules(*rules)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


@every_rules
def test_rules_are_written_and_read_back(rules):
    assert str(Rules(*rules)) == spell(rules)
    assert Rules.of(spell(rules)) == Rules(*rules) == Rules(*np.array(rules))


@pytest.mark.parametrize("text", ["", "3", "3,3", "3,3,3,3", "3,3,x", "3.0,3,3", "3x3x3"])
def test_a_text_that_is_no_rules_is_refused(text):
    with pytest.raises(ValueError, match='rules are written m,n,k, as in "3,3,3"'):
        Rules.of(text)


@pytest.mark.parametrize(
    ("cells", "law"),
    [([0, 1], "cell 0 is taken on X"), ([1, 9], "cell 9 is off"), ([-1, 1], "cell -1 is off")]
    + [([1.0, 2.0], "integers"), ([True, True], "integers"), (["1", "2"], "integers")],
)
def test_a_stone_that_cannot_stand_is_refused_and_changes_nothing(cells, law):
    boards = np.array([view("X________"), view("X___O____")], np.int8)
    before = boards.copy()
    with pytest.raises(ValueError, match=law):
        Rules().play(boards, cells)
    assert (boards == before).all()
    assert Rules().play(boards, [8, 8]).tolist() == [view("X_______O"), view("X___O___X")]
    assert (boards == before).all()


@pytest.mark.parametrize("batch", [(), (1,), (0,), (2, 3), (2, 1, 2)], ids=repr)
def test_any_batch_shape_gives_the_same_row_by_row(batch):
    rules = Rules(3, 4, 3)
    boards = np.resize([view(t) for t in random_game((3, 4, 3), 7)[0][:3]], (*batch, 12))
    flat, cells = boards.reshape(-1, 12).astype(np.int8), np.full(batch, 11)
    assert rules.start(*batch).shape == (*batch, 12)
    assert rules.play(boards, cells).tolist() == rules.play(boards, 11).tolist()
    for ask, shape in [(rules.lost, ()), (rules.over, ()), (rules.seat, ()), (rules.legal, (12,))]:
        assert ask(boards).shape == batch + shape
        assert ask(boards).reshape(-1, *shape).tolist() == [ask(board).tolist() for board in flat]


@pytest.mark.parametrize("shape", [(), (8,), (10,), (2, 3), (0,)], ids=repr)
def test_boards_of_another_size_are_refused(shape):
    for ask in (Rules().lost, Rules().over, Rules().legal, Rules().seat, Rules().format):
        with pytest.raises(ValueError, match="boards of 3,3,3 have 9 cells"):
            ask(np.zeros(shape, np.int8))


@pytest.mark.parametrize("shape", [(9,), (2, 8), (1, 2, 9)], ids=repr)
def test_a_batch_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"expected boards \(batch, 9\)"):
        Rules().check_all(np.zeros(shape, np.int8))


def test_of_all_fillings_of_the_board_check_accepts_the_undecided_positions_alone():
    undecided = {tuple(view(board)) for board in game((3, 3, 3)).decisions}
    accepted = set()
    for board in product((-1, 0, 1), repeat=9):
        try:
            assert Rules().check(board).tolist() == list(board)
        except ValueError:
            continue
        accepted.add(board)
    assert len(accepted) == 4_520
    assert accepted == undecided


WRONG = [[0] * 8, [2] + [0] * 8, [0.5] * 9, [1] + [0] * 8, [np.nan] * 9, [128, -128] + [0] * 7]


@pytest.mark.parametrize("board", WRONG, ids=repr)
def test_check_refuses_what_is_no_board(board):
    with pytest.raises(ValueError, match="board"):
        Rules().check(board)
    if len(board) == 9:
        with pytest.raises(ValueError, match="board"):
            Rules().check_all([[0] * 9, board])


def test_boards_are_checked_together_as_one_by_one():
    boards = np.array([view(board) for board in game((3, 3, 3)).decisions], np.int8)
    assert (Rules().check_all(boards) == boards).all()
    finished = [1, 1, 0, -1, -1, -1, 0, 0, 1]
    with pytest.raises(ValueError, match="finished board, nothing left to play"):
        Rules().check_all([*boards[:5], finished])
