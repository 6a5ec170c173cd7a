"""Checks for players and environments in other packages; the first violation raises an error.

Use them in your own tests: `check_policy(my_player, Rules())`, `check_env(gym.make(...))`.
"""

from tttenv.testing.asked_player import some_boards
from tttenv.testing.env_checks import check_env, check_mirrored
from tttenv.testing.findings import LawBrokenError, require
from tttenv.testing.policy_checks import check_policy

__all__ = [
    "LawBrokenError",
    "check_env",
    "check_mirrored",
    "check_policy",
    "require",
    "some_boards",
]
