"""Diagnosis of a player or an environment: findings and a verdict."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tttenv.game.rules import Rules
from tttenv.testing.checked_player import CheckedPlayer
from tttenv.testing.env_checks import ENVIRONMENT
from tttenv.testing.findings import Finding, examine
from tttenv.testing.game_recording import record
from tttenv.testing.policy_checks import PLAYER
from tttenv.testing.subjects import Environment, subject_of

NO_MISTAKE = "no mistake in the setup found"


@dataclass(frozen=True)
class Diagnosis:
    """The findings of all checks, in order; `tttenv doctor --json` prints `to_dict()`."""

    subject: str  # the name of the player or environment
    findings: tuple[Finding, ...]

    @property
    def problems(self) -> int:
        """Number of checks that found a mistake."""
        return sum(one.status == "problem" for one in self.findings)

    @property
    def verdict(self) -> str:
        """Summary in a few words: "healthy" if there is neither a problem nor a weakness."""
        if self.problems:
            return f"{self.problems} problem{'s' * (self.problems != 1)}"
        for one in self.findings:
            if one.status == "weak":
                return f"{NO_MISTAKE}; {one.verdict}"
        if any(one.check == "learned" and one.status == "skipped" for one in self.findings):
            return NO_MISTAKE
        return "healthy"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-serializable data: subject, verdict, problems and checks."""
        keys = ("status", "told", "change", "check")
        checks = [{key: getattr(one, key) for key in keys} for one in self.findings]
        told = {"subject": self.subject, "verdict": self.verdict, "problems": self.problems}
        return {**told, "checks": checks}


def diagnose(
    subject: Any,
    rules: Rules | None = None,
    *,
    obs: str | None = None,
    kind: str = "logits",
    games: int = 200,
    seed: int = 0,
) -> Diagnosis:
    """Look for common mistakes in a training setup; `tttenv doctor` prints the result.

    Args:
        subject: an environment, a policy, a network or a model of Stable-Baselines3.
        rules: the game; if omitted, the environment's own, or 3,3,3.
        obs: the input of a function or network: "onehot", "board" or "dict".
        kind: the output of a network, or of a function with `obs`: "logits", "values" or "probs".
        games: the number of games to play in an environment.
        seed: the random seed of these games.

    Raises:
        ValueError: if the subject is neither a player nor an environment of the game.
    """
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, not {games}")
    name = getattr(subject, "__qualname__", type(subject).__name__)
    return diagnosis(name, subject_of(name, subject, rules, obs, kind), games, seed)


def diagnosis(
    name: str,
    subject: CheckedPlayer | Environment,
    games: int,
    seed: int,
    watch: Callable[[Iterable[Finding], int], Iterable[Finding]] = lambda findings, count: findings,
) -> Diagnosis:
    """Run all checks on a subject.

    Args:
        name: the subject's name.
        subject: the subject of the checks.
        games: the number of games to play in an environment.
        seed: the random seed of these games.
        watch: called with the findings, as they are made, and the number of checks; yields them.
    """
    if isinstance(subject, Environment):
        recorded = record(subject.env, subject.rules, games, seed)
        found = examine(recorded, ENVIRONMENT)
        return Diagnosis(name, tuple(watch(found, len(ENVIRONMENT))))
    return Diagnosis(name, tuple(watch(examine(subject, PLAYER), len(PLAYER))))
