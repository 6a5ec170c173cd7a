"""The learner of line patterns: its integers against its network, symmetries, labels, resuming."""

import signal
import threading
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from learners.patterns import Patterns, PatternsConfig
from learners.search_labels import SearchLabels
from learners.testing import check_learner
from tttenv import Rules
from tttenv.exact import positions, solve
from tttenv.game import line_patterns_kernel as kernel
from tttenv.game.symmetry import maps
from tttenv.testing import check_policy, some_boards

QUICK = PatternsConfig(nodes=100, play_nodes=20, games=2, updates=4, lr=3e-3)
THOUSANDTHS = 8  # of a logit, that rounding to integers changes at the most


@cache
def trained(rules):
    """Return a learner after some steps."""
    learner = Patterns(replace(QUICK, anneal=100), rules)
    for _ in range(20):
        learner.step()
    return learner


def integer_values(learner, boards):
    """Return the player's values (batch,) of boards (batch, cells), in thousandths of a logit."""
    net, values = learner.policy().state.patterns, []
    for board in boards:
        kernel.begin(net, board)
        values.append(kernel.value(net, 0))
    return np.array(values)


def test_the_integers_value_boards_as_the_network_does():
    learner, boards = trained(Rules(4, 5, 4)), some_boards(Rules(4, 5, 4), 100)
    exact = 1000 * learner.net([learner._patterns(boards)]).detach().numpy()
    assert np.ptp(exact) > 50 * THOUSANDTHS
    assert np.abs(integer_values(learner, boards) - exact).max() <= THOUSANDTHS


@pytest.mark.parametrize("rules", [Rules(), Rules(4, 5, 4)], ids=str)
def test_images_of_a_board_have_the_same_value(rules):
    learner, boards = trained(rules), some_boards(rules, 20)
    values = integer_values(learner, boards)
    for to in maps(rules):
        assert (integer_values(learner, boards[:, to]) == values).all()


def labelled(config, rules):
    """Return a learner and the positions that it labels first."""
    learner = Patterns(config, rules)
    learner._label(())
    return learner, type(learner.buffer.kept)(
        *(p[: len(learner.buffer)] for p in learner.buffer.kept)
    )


def test_labels_on_a_small_board_are_its_solved_values():
    rules = Rules()
    _, found = labelled(PatternsConfig(games=40), rules)
    solved = solve(rules).values[positions(rules).index(found.boards)]
    assert {0, 1} <= set(solved.tolist())
    assert (found.targets == (1 + solved) / 2).all()


def test_boards_with_fewer_rows_and_columns_are_valued_as_boards_of_their_own():
    config = replace(QUICK, games=30, smaller=0.8)
    _, found = labelled(config, Rules(5, 6, 3))
    assert not found.less.any()  # a pattern of three has five cells
    learner, found = labelled(config, Rules(7, 8, 3))
    assert set(found.less.tolist()) == {0, 1, 2}
    for less, smaller in enumerate([Rules(7, 8, 3), Rules(6, 7, 3), Rules(5, 6, 3)]):
        rows = found.less == less
        assert not found.boards[rows, smaller.cells :].any()
        single = Patterns(QUICK, smaller)
        single.load_state_dict({"weights": learner.state_dict()["weights"]})
        exact = 1000 * learner.net([learner._patterns(found.boards[rows], less)]).detach().numpy()
        values = integer_values(single, found.boards[rows, : smaller.cells])
        assert np.abs(values - exact).max() <= THOUSANDTHS


def test_threads_change_no_label_and_no_weight():
    learners = [Patterns(replace(QUICK, smaller=0.5), Rules(6, 6, 3)) for _ in range(2)]
    before = torch.get_num_threads()
    try:
        for learner, threads in zip(learners, (1, 3), strict=True):
            torch.set_num_threads(threads)
            for _ in range(3):
                learner.step()
    finally:
        torch.set_num_threads(before)
    one, three = (learner.state_dict() for learner in learners)
    assert (one["buffer"]["kept"]["targets"] == three["buffer"]["kept"]["targets"]).all()
    assert all((w == three["learning"][n]).all() for n, w in one["learning"].items())


@pytest.mark.parametrize("interrupt", [True, False])
def test_no_further_game_or_update_starts_on_any_thread_after_an_interrupt_or_an_error(
    monkeypatch, interrupt
):
    played, updates = [], []

    def play(self, worker, rng):
        played.append(worker)
        time.sleep(0.01)

    def beside():
        time.sleep(0.05)  # while the other thread plays
        if not interrupt:
            raise ZeroDivisionError
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        for _ in range(100):
            updates.append(time.sleep(0.01))
            yield

    monkeypatch.setattr(SearchLabels, "game", play)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with pytest.raises(KeyboardInterrupt if interrupt else ZeroDivisionError):
            SearchLabels(QUICK, [Rules()])([0] * 100, beside())
    finally:
        torch.set_num_threads(before)
    assert len(played) < 20
    assert len(updates) < 20


def test_a_resumed_training_labels_with_the_network_that_it_used_before():
    # 3 steps are saved: the network labels since the third and is renewed in the fifth.
    check_learner(Patterns, Rules(4, 4, 4), replace(QUICK, bootstrap=1, renew=2), steps=3)


def test_a_network_plays_other_boards_with_its_k_only():
    learner = trained(Rules())
    weights = learner.state_dict()["weights"]
    wanted = Patterns.empty_weights(learner.config, Rules(4, 5, 3))
    assert {n: w.shape for n, w in weights.items()} == {n: w.shape for n, w in wanted.items()}
    check_policy(Patterns.player(learner.config, Rules(4, 5, 3), weights), Rules(4, 5, 3), count=50)
    with pytest.raises(ValueError, match="for k from 1 to 6, not 7"):
        Patterns(QUICK, Rules(9, 9, 7))


def test_a_network_that_has_diverged_is_refused_rather_than_rounded():
    learner = Patterns(replace(QUICK, lr=1e7), Rules())
    learner.step()
    learner.step()
    with pytest.raises(ValueError, match="not finite numbers: set a lower lr"):
        learner.policy()
