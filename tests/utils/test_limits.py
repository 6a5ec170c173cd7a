"""Limits and counts of public functions: positive integers in Python as on the command line."""

import gymnasium as gym
import numpy as np
import pytest

import tttenv
from learners.testing import check_learner
from learners.training.run import Schedule
from tttenv import Rules, player
from tttenv.certificates.metrics.arena import arena
from tttenv.certificates.mistakes import find_mistakes
from tttenv.certificates.refutation import losing_leaves
from tttenv.env import ExploringStarts, VectorExploringStarts
from tttenv.env.rollouts import rollout
from tttenv.proofs.move_values import MoveValues
from tttenv.testing import check_env, check_policy, diagnose, some_boards

RULES = Rules(3, 3, 2)
FIRST, RANDOM = (player(name, RULES) for name in ("first", "random"))
DOORS = {
    "positions of certify": lambda n: tttenv.certify(RULES, FIRST, n),
    "positions of refute": lambda n: tttenv.refute(RULES, FIRST, "X", n),
    "positions of losing_leaves": lambda n: losing_leaves(RULES, FIRST, "X", n),
    "nodes of prove": lambda n: tttenv.prove(RULES, nodes=n),
    "work of MoveValues": lambda n: MoveValues(RULES, n),
    "width of find_mistakes": lambda n: find_mistakes(
        RULES, FIRST, "X", 0, n, 1, np.random.default_rng(0), MoveValues(RULES)
    ),
    "games of arena": lambda n: arena(RULES, FIRST, RANDOM, "X", n),
    "games of rollout": lambda n: rollout(RULES, FIRST, RANDOM, n),
    "games of check_env": lambda n: check_env(gym.make("TicTacToe-v0"), n),
    "games of diagnose": lambda n: diagnose(FIRST, RULES, games=n),
    "count of check_policy": lambda n: check_policy(FIRST, RULES, count=n),
    "count of some_boards": lambda n: some_boards(RULES, n),
    "steps of check_learner": lambda n: check_learner(None, RULES, steps=n),
    "every of Schedule": lambda n: Schedule(1, n, 1),
    "stones of ExploringStarts": lambda n: ExploringStarts(gym.make("TicTacToe-v0"), n),
    "stones of VectorExploringStarts": lambda n: VectorExploringStarts(
        gym.make_vec("TicTacToe-v0", num_envs=2), n
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_positive_integer_is_refused_by_name(door):
    name = door.partition(" ")[0]
    for wrong in (-1, 1.5, float("nan"), True, "3", 2**64, *([] if name == "stones" else [0])):
        with pytest.raises(ValueError, match=f"^{name} must be ") as error:
            DOORS[door](wrong)
        assert "\n" not in str(error.value)
