"""Conformance checks: `check_*` functions and the doctor agree, and each detects its violation."""

import gymnasium as gym
import numpy as np
import pytest
import wrong_subjects

from tttenv import Rules
from tttenv.policy import player_for, uniform
from tttenv.testing import LawBrokenError, check_env, check_policy, env_checks, policy_checks
from tttenv.testing.checked_player import CheckedPlayer
from tttenv.testing.findings import ANSWERS, examine
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


POLICIES = {  # a player, the law that it breaks, and whether the doctor calls that a problem
    "sums": (lambda boards: 2 * uniform(boards), policy_checks.PROBABILITIES, True),
    "negative": (lambda boards: -uniform(boards), policy_checks.PROBABILITIES, True),
    "shape": (lambda boards: uniform(boards)[:, :8], ANSWERS, True),
    "raises": (lambda boards: 1 / 0, ANSWERS, True),
    "text": (lambda boards: "no", ANSWERS, True),
    "writes": (writing, ANSWERS, True),
    "dice": (wrong_subjects.Dice(), policy_checks.MEMORYLESS, True),
    "memory": (Forgetful(), policy_checks.MEMORYLESS, True),
    "batch": (wrong_subjects.of_the_batch, policy_checks.ALONE, True),
    "taken": (wrong_subjects.on_stones, policy_checks.TAKEN, True),
    "hardly taken": (a_little_on_taken_cells, policy_checks.TAKEN, False),
}


@pytest.mark.parametrize("name", POLICIES)
def test_the_kit_raises_what_the_doctor_finds_of_a_policy(name):
    policy, law, is_problem = POLICIES[name]
    with pytest.raises(LawBrokenError, match=law) as error:
        check_policy(policy, RULES)
    assert "\n" not in str(error.value)
    if name == "memory":
        policy.asked = 0
    player = CheckedPlayer("policy", RULES, player_for(RULES, policy))
    laws = policy_checks.PLAYER[: policy_checks.LAWS]
    found = list(examine(player, laws))
    first = next(one for one in found if one.breaks)
    assert (first.breaks, first.status == "problem") == (law, is_problem)


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


def open_at_the_end(observed, reward, over, cut, info):
    mask = np.ones(9, np.int8) if over else info["action_mask"]
    return observed, reward, over, cut, info | {"action_mask": mask}


ENVIRONMENTS = {
    "shaping": (lambda: Changed(shaped), env_checks.AT_THE_END),
    "final masks": (lambda: Changed(open_at_the_end), env_checks.FINISHED),
    "space": (wrong_subjects.outside_its_space, env_checks.SPACE),
    "masks": (wrong_subjects.late_masks, env_checks.MASKS),
    "views": (wrong_subjects.seen_by_x, env_checks.VIEW),
    "finals": (wrong_subjects.resets_itself, env_checks.FINAL),
    "endings": (wrong_subjects.cut_short, env_checks.ENDS),
    "pay": (wrong_subjects.paid_the_opponents, env_checks.OWN_RESULT),
    "seeds": (wrong_subjects.unseeded, env_checks.SEEDED),
    "fails": (wrong_subjects.trips_in_step, ANSWERS),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_kit_raises_what_the_doctor_finds_of_an_environment(name):
    make, law = ENVIRONMENTS[name]
    with pytest.raises(LawBrokenError) as error:
        check_env(make(), games=60)
    told = str(error.value).partition(": ")[0]
    assert told in law
    found = list(examine(record(make(), RULES, 60, 0), env_checks.ENVIRONMENT))
    assert told == next(one.breaks for one in found if one.breaks)


def test_rewards_on_the_way_break_a_law_and_are_no_mistake():
    found = examine(record(Changed(shaped), RULES, 60, 0), env_checks.ENVIRONMENT)
    (rewards,) = [one for one in found if one.check == "rewards"]
    assert (rewards.status, rewards.breaks) == ("ok", env_checks.AT_THE_END)
    assert "rewards before it" in rewards.told


def test_one_seat_breaks_no_law():
    check_env(gym.make("TicTacToe-v0", seat="O"), games=30)
    check_env(gym.make("TicTacToe-v0", opponent=None), games=30)
