"""Conformance checks: `check_*` functions and the doctor agree, and each detects its violation."""

import gymnasium as gym
import numpy as np
import pytest
import wrong_subjects

from tttenv import Rules
from tttenv.policy import uniform
from tttenv.testing import LawBrokenError, check_env, check_policy, env_checks
from tttenv.testing.findings import examine
from tttenv.testing.game_recording import record

RULES = Rules()


class Forgetful:
    """Player that plays the first cell until it is queried on a single board."""

    asked = 0

    def __call__(self, boards):
        """Return probabilities that depend on earlier queries."""
        self.asked += len(boards) == 1
        return uniform(boards) if self.asked else np.eye(9)[(boards == 0).argmax(axis=1)]


def writing(boards):
    probs = uniform(boards)
    boards[:] = 0
    return probs


def a_little_on_taken_cells(boards):
    probs = uniform(boards) * (1 - 1e-9)
    probs[:, 0] += 1e-9
    return probs


POLICIES = {  # a player, and the check that it fails
    "sums": (lambda boards: 2 * uniform(boards), "answers"),
    "negative": (lambda boards: -uniform(boards), "answers"),
    "shape": (lambda boards: uniform(boards)[:, :8], "answers"),
    "raises": (lambda boards: 1 / 0, "answers"),
    "text": (lambda boards: "no", "answers"),
    "writes": (writing, "answers"),
    "dice": (wrong_subjects.Dice(), "repeatable"),
    "memory": (Forgetful(), "repeatable"),
    "batch": (wrong_subjects.of_the_batch, "repeatable"),
    "taken": (wrong_subjects.on_stones, "legal"),
    "hardly taken": (a_little_on_taken_cells, "legal"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_that_violates_an_invariant_is_refused_in_one_line(name):
    policy, check = POLICIES[name]
    with pytest.raises(LawBrokenError, match=f"^{check}: [^\n]+$"):
        check_policy(policy, RULES)


def test_what_a_policy_raises_is_the_cause():
    with pytest.raises(LawBrokenError) as error:
        check_policy(lambda boards: 1 / 0, RULES)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


class Changed(gym.Wrapper):
    """Wrapper of TicTacToe-v0 that changes its steps."""

    def __init__(self, change):
        super().__init__(gym.make("TicTacToe-v0", seat="X", disable_env_checker=True))
        self.change = change

    def step(self, action):
        """Make one changed step."""
        return self.change(*self.env.step(action))


def shaped(observed, reward, over, cut, info):
    return observed, reward if over else 0.01, over, cut, info


def test_rewards_on_the_way_are_told_and_no_mistake():
    env = Changed(shaped)
    check_env(env, games=60)
    found = examine(record(env, RULES, 60, 0), env_checks.ENVIRONMENT)
    (rewards,) = [one for one in found if one.check == "rewards"]
    assert rewards.status == "ok"
    assert "rewards before it" in rewards.told


def test_one_seat_breaks_no_law():
    check_env(gym.make("TicTacToe-v0", seat="O"), games=30)
    check_env(gym.make("TicTacToe-v0", opponent=None), games=30)
