"""Games in progress: dealing, dice in the documented order, reviving, keeping, facing."""

import numpy as np
import pytest

import tttenv.simulator.crew
from tttenv import Outcome, Rules, player
from tttenv.policy import uniform
from tttenv.simulator.board_backend import BoardBackend
from tttenv.simulator.match import Match
from tttenv.simulator.table_backend import TableBackend

RULES = Rules()


@pytest.fixture(autouse=True)
def _threads_share_even_small_batches(monkeypatch):
    monkeypatch.setattr(tttenv.simulator.crew, "HEAD_START", 0)
    monkeypatch.setattr(tttenv.simulator.crew, "LIGHT_HEAD_START", 0)


class Loaded:
    """Dice that fall as told and remember how many were asked for at a time."""

    def __init__(self, *numbers):
        self.numbers, self.asked = list(numbers), []

    def random(self, count):
        """The next numbers."""
        self.asked.append(count)
        taken, self.numbers = self.numbers[:count], self.numbers[count:]
        assert len(taken) == count, "more dice are rolled than documented"
        return np.array(taken, np.float64)


def dice(seed=0):
    return np.random.default_rng(seed)


def every(games):
    return np.ones(games, np.bool_)


def sides(match):
    """Whose view each board is: 0 for X, 1 for O."""
    return match.games.seats(slice(None)).tolist()


def cell_of(number, cells=9):
    """The die that falls on the n-th of so many legal cells."""
    return (number + 0.5) / cells


def test_dice_go_to_all_seats_first_and_then_to_the_stones_in_the_order_of_games():
    match = Match(RULES, 4, uniform, "random")
    rng = Loaded(0.49, 0.5, 0.1, 0.99, cell_of(3), cell_of(8))
    match.reset(every(4), rng)
    assert sides(match) == [0, 1, 0, 1]
    assert np.argwhere(match.boards).tolist() == [[1, 3], [3, 8]]
    assert (match.boards[match.boards != 0] == -1).all()
    assert rng.numbers == []
    rng.numbers = [cell_of(n, 8 - (i % 2)) for i, n in enumerate([0, 6, 7, 0])]
    match.step([1, 0, 2, 4], rng)
    assert np.flatnonzero(match.boards[1]).tolist() == [0, 3, 8]
    assert match.boards[0].tolist() == [-1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert match.boards[2].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, -1]
    assert match.boards[3].tolist() == [-1, 0, 0, 0, 1, 0, 0, 0, -1]
    assert rng.numbers == []


def test_no_die_is_rolled_where_nothing_is_left_to_chance():
    alone = Match(RULES, 3, None, "random")
    alone.reset(every(3), Loaded())
    alone.step([0, 1, 2], Loaded())
    opened = Match(RULES, 2, uniform, "O")
    opened.reset(every(2), Loaded(cell_of(2), cell_of(7)))
    assert np.argwhere(opened.boards).tolist() == [[0, 2], [1, 7]]
    fixed = Match(RULES, 2, uniform, "X")
    fixed.reset(every(2), Loaded())
    fixed.set_boards(np.array([RULES.parse("XX_OO____"), RULES.parse("X___O____")]))
    rng = Loaded(0.0)
    fixed.step([2, 8], rng)  # the first game is won, only the second is answered
    assert fixed.over.tolist() == [True, False]
    assert fixed.rewards.tolist() == [1, 0]
    assert fixed.boards[1].tolist() == [1, -1, 0, 0, -1, 0, 0, 0, 1]


def test_dealing_begins_only_the_marked_games_anew():
    match = Match(RULES, 3, player("first"), "O")
    match.reset(every(3), dice())
    match.step([8, 7, 6], dice())
    before = match.boards.copy()
    match.reset(np.array([False, True, False]), dice())
    assert (match.boards[[0, 2]] == before[[0, 2]]).all()
    assert match.boards[1].tolist() == [-1] + [0] * 8
    match.reset(np.array([True, False, False]), dice(), "X")
    assert sides(match) == [0, 1, 1]
    assert not match.boards[0].any()


def test_reviving_goes_on_from_one_board_for_all_or_one_for_each():
    match = Match(RULES, 2, player("first"), "X")
    match.set_boards(RULES.parse("X___O____"))
    assert (match.boards == RULES.parse("X___O____")).all()
    match.set_boards(np.array([RULES.parse("X________"), RULES.parse("_________")]))
    assert sides(match) == [1, 0]
    assert match.legal().sum(axis=1).tolist() == [8, 9]
    before = match.boards.copy()
    for boards, seat in [
        (np.array([RULES.parse("X________"), RULES.parse("XXXOO____")]), None),  # finished
        (RULES.start(3), None),
        (RULES.start(2), "O"),
        (np.array([RULES.parse("X________"), RULES.parse("_________")]), "X"),
        (RULES.start(2), "random"),
    ]:
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            match.set_boards(boards, seat)
        assert (match.boards == before).all()
        assert sides(match) == [1, 0]


def test_one_board_for_each_of_several_games_is_not_taken_for_one_for_all():
    match = Match(Rules(1, 3, 2), 3, player("first", Rules(1, 3, 2)), "X")
    boards = [Rules(1, 3, 2).parse(text) for text in ("___", "X__", "__X")]
    match.set_boards(np.array(boards))
    assert (match.boards == boards).all()


@pytest.mark.parametrize("kind", [BoardBackend, TableBackend])
def test_keeping_some_games_goes_on_with_them_alone_just_as_before(kind):
    part, whole = kind(RULES, 4), kind(RULES, 4)
    boards = [RULES.parse(text) for text in ("_" * 9, "X________", "XX_OO____", "X___O____")]
    for games in (part, whole):
        games.put(np.array(boards))
        games.place(slice(0, 4), np.array([1, 2, 2, 4]), False)  # the third wins, the fourth errs
    which = np.array([False, True, True, True])
    part.keep(which)
    assert part.over.tolist() == [False, True, True]
    assert part.outcomes.tolist() == [Outcome.GOING, Outcome.WIN, Outcome.ILLEGAL]
    part.answer(player("first"), np.array([0]), np.zeros(1))
    whole.answer(player("first"), np.array([1]), np.zeros(1))
    assert (part.boards(slice(None)) == whole.boards(which)).all()
    assert (part.seats(slice(None)) == whole.seats(which)).all()
    part.keep(np.array([True, False, False]))
    assert part.place(slice(0, 1), np.array([8]), False) == 1
    part.answer(player("first"), np.array([0]), np.zeros(1))
    assert part.boards(slice(None)).tolist() == [[-1, -1, 1, -1, 0, 0, 0, 0, 1]]


@pytest.mark.parametrize("rules", [RULES, Rules(5, 5, 4)])
@pytest.mark.parametrize("name", ["random", "first", "tactical"])
def test_threads_make_no_difference_to_the_games(rules, name):
    told = []
    for threads in (1, 3):
        match, rng = Match(rules, 7, player(name, rules), threads=threads), dice(5)
        match.reset(every(7), rng)
        for _ in range(30):
            match.step(match.legal().argmax(axis=1), rng)
            told.append((match.boards.tolist(), match.rewards.tolist(), sides(match)))
            match.reset(match.over.copy(), rng)
    assert told[:30] == told[30:]


@pytest.mark.parametrize("seat", ["X", "O"])
def test_facing_is_the_view_of_the_side_to_move_in_finished_games_too(seat):
    match = Match(RULES, 1, player("first"), seat)
    match.reset(every(1), dice())
    assert (
        match.board_to_move(0).tolist() == match.boards[0].tolist()
    )  # at rest the agent is to move
    while not match.over[0]:
        match.step([int(np.flatnonzero(match.legal()[0])[-1])], dice())
        facing = match.board_to_move(0)
        assert facing.sum() in (0, -1)  # who is to move has as many stones or one fewer
    assert RULES.lost(facing) == (match.rewards[0] != 0)


def test_a_finished_game_has_no_legal_cell_and_an_illegal_move_loses():
    match = Match(RULES, 2, None)
    match.reset(every(2), dice())
    match.step([0, 0], dice())
    match.step([0, 1], dice())
    assert match.rewards.tolist() == [-1, 0]
    assert match.over.tolist() == [True, False]
    assert match.legal().sum(axis=1).tolist() == [0, 7]


@pytest.mark.parametrize(
    "wrong", [{"games": 0}, {"threads": 0}, {"seat": "Z"}, {"illegal": "ignore"}]
)
def test_wrong_arguments_are_refused_in_one_line(wrong):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Match(RULES, **wrong)


def test_wrong_actions_name_the_game_and_change_nothing():
    match = Match(RULES, 3, player("first"), "X", "raise")
    match.reset(every(3), dice())
    match.step([8, 8, 8], dice())
    before = match.boards.copy()
    for actions, named in [
        ([1, 0, 1], "game 1"),
        ([1, 1, 9], "game 2"),
        ([-1, 1, 1], "game 0"),
        ([1, 1], "3 whole numbers"),
        ([1.0, 1.0, 1.0], "whole numbers"),
    ]:
        with pytest.raises(ValueError, match=rf"^[^\n]*{named}[^\n]*$"):
            match.step(actions, Loaded())
        assert (match.boards == before).all()


def test_numbers_of_games_may_be_those_of_numpy():
    assert len(Match(RULES, np.int64(4)).over) == 4
