"""OpenSpiel's exact numbers over all histories of tic-tac-toe, and its Q-learner against ours."""

import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import tabular_qlearner
from test_openspiel import RULES

import tttenv
from learners.registry import LEARNERS
from tttenv.adapters import openspiel


def half_trained():
    learner = LEARNERS.load("selfplay")
    made = learner(learner.Config(seed=3), RULES)
    made.step()
    return made.policy()


def test_its_best_responses_agree_with_the_certificate():
    game, made = openspiel.game(RULES), {}
    players = ["random", half_trained()]
    for number, player in enumerate(players):
        table = openspiel.table(RULES, player)
        assert len(table) == 294_778
        worst = tttenv.certify(RULES, player).worst_case
        for seat, other in (("X", 1), ("O", 0)):
            if number == 0:  # its tree of histories is grown once
                made[seat] = pyspiel.TabularBestResponse(game, other, table)
            made[seat].set_policy(table)
            assert abs(made[seat].value("") + worst[seat]) < 1e-9


def test_its_nash_conv_agrees_with_the_certificate():
    worst = tttenv.certify(RULES, "tactical").worst_case
    conv = pyspiel.nash_conv(openspiel.game(RULES), openspiel.table(RULES, "tactical"))
    assert abs(conv + worst["X"] + worst["O"]) < 1e-9


@pytest.mark.trained
def test_half_trained_means_beatable():
    assert -1 <= tttenv.certify(RULES, half_trained()).worst_case["O"] < 0


@pytest.mark.trained
def test_its_q_learner_learns_against_our_player(disturbance, reached):
    np.random.seed(disturbance)  # noqa: NPY002  # OpenSpiel's own dice, and no torch to disturb
    random.seed(disturbance)
    shown = rl_environment.ObservationType.OBSERVATION
    env = rl_environment.Environment(openspiel.game(RULES), observation_type=shown)
    learner = tabular_qlearner.QLearner(0, 9, step_size=0.3, discount_factor=1.0)
    ours = openspiel.bot(RULES, "random", seed=0)
    for _ in range(4000):
        step = env.reset()
        while not step.last():
            if step.observations["current_player"] == 0:
                action = learner.step(step).action
            else:
                action = ours.step(env.get_state)
            step = env.step([action])
        learner.step(step)

    class Greedy:
        def action_probabilities(self, state):
            values = learner._q_values[str(state.observation_tensor(0))]
            return {max(state.legal_actions(), key=lambda action: values[action]): 1.0}

    player = openspiel.player(Greedy(), RULES)
    reached("wins as X", tttenv.certify(RULES, player).vs_random["X"][0], above=0.75)
