"""Checks for players and environments in other packages.

In your own tests, `check_policy(my_player, Rules())` and `check_env(gym.make(...))` raise the first
violation. `diagnose(my_player)` returns all findings, with the mistakes in training that they show.
"""

from tttenv.testing.diagnosis import Diagnosis, diagnose
from tttenv.testing.env_checks import check_env
from tttenv.testing.findings import Finding, LawBrokenError, require
from tttenv.testing.policy_checks import check_policy, some_boards

__all__ = [
    "Diagnosis",
    "Finding",
    "LawBrokenError",
    "check_env",
    "check_policy",
    "diagnose",
    "require",
    "some_boards",
]
