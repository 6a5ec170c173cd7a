"""Adapter to OpenSpiel: the same game and exact numbers, bots in both directions."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability

import tttenv
from tttenv.adapters import openspiel
from tttenv.testing import check_policy

RULES = tttenv.Rules()


@pytest.mark.parametrize(
    "size", [(3, 3, 3), (4, 3, 3), (2, 5, 3), (1, 6, 3), (9, 7, 5), (19, 19, 6)]
)
def test_random_games_are_those_of_the_rules(size):
    rules, rng = tttenv.Rules(*size), np.random.default_rng(0)
    for _ in range(10 if rules.cells < 50 else 1):
        state, board, turn = openspiel.game(rules).new_initial_state(), rules.start(), 0
        while not state.is_terminal():
            assert state.legal_actions() == np.flatnonzero(rules.legal(board)).tolist()
            assert (openspiel.board_of(rules, state) == board).all()
            shown = str(openspiel.state_of(rules, board))
            assert shown == str(state)
            assert "".join(shown.split()).upper().replace(".", "_") == rules.format(board)
            cell = int(rng.choice(state.legal_actions()))
            state.apply_action(cell)
            board, turn = rules.play(board, cell), turn + 1
        assert rules.over(board)
        assert state.returns()[(turn - 1) % 2] == float(rules.lost(board))


@pytest.mark.parametrize("size", [(2, 3, 2), (2, 2, 2), (1, 5, 3)])
@pytest.mark.parametrize("player", ["random", "tactical", "first", "epsilon:player=minimax"])
def test_its_nash_conv_in_python_agrees_too(size, player):
    rules = tttenv.Rules(*size)
    certificate = tttenv.certify(rules, player)
    ours = openspiel.policy(rules, player)
    conv = exploitability.nash_conv(openspiel.game(rules), ours)
    assert abs(conv + sum(certificate.worst_case.values())) < 1e-9


def test_there_and_back_again_is_the_same_player():
    rules = tttenv.Rules(2, 4, 3)
    there = openspiel.policy(rules, "tactical")
    table = pyspiel.TabularPolicy(openspiel.table(rules, "tactical"))
    for back in (there, table):
        found = tttenv.certify(rules, openspiel.player(back, rules))
        assert found == tttenv.certify(rules, "tactical")


def search(seed):
    chance = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(openspiel.game(RULES), chance, 1.4, 60, 10, False, seed, False)


def test_its_search_plays_and_is_certified():
    player = openspiel.player(search, RULES)
    check_policy(player, RULES)
    certificate = tttenv.certify(RULES, player)
    assert certificate == tttenv.certify(RULES, openspiel.player(search, RULES))
    assert certificate.vs_random["X"][0] > 0.85
    with pytest.raises(ValueError, match="from a seed to a bot"):
        openspiel.player(search(0), RULES)
    env = tttenv.env.TicTacToe(opponent=player, seat="X")
    env.reset(seed=0)
    assert np.count_nonzero(env.step(4)[0][:18]) == 2


def test_our_players_are_bots():
    game = openspiel.game(RULES)
    bots = [openspiel.bot(RULES, "minimax", seed=1), pyspiel.make_uniform_random_bot(1, 2)]
    results = [pyspiel.evaluate_bots(game.new_initial_state(), bots, i)[0] for i in range(50)]
    assert min(results) >= 0
    assert sum(results) > 30
    state = game.new_initial_state()
    moves = [openspiel.bot(RULES, "random", seed=5).step(state) for _ in range(2)]
    assert moves[0] == moves[1]
    first, second = (openspiel.bot(RULES, "random", seed=5) for _ in range(2))
    assert [first.step(state) for _ in range(9)] == [second.step(state) for _ in range(9)]
