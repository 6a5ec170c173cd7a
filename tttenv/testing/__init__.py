"""Checks for players and environments in other packages; the first broken law raises an error.

Use them in your own tests: `check_policy(my_player, Rules())`, `check_env(gym.make(...))`.
"""

from tttenv.testing.env_checks import check_env, check_mirrored
from tttenv.testing.policy_checks import LawBrokenError, check_policy, require, some_boards

__all__ = [
    "LawBrokenError",
    "check_env",
    "check_mirrored",
    "check_policy",
    "require",
    "some_boards",
]
