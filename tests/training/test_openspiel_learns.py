"""OpenSpiel's exact numbers over all histories of tic-tac-toe, and its Q-learner against ours."""

import pyspiel
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
