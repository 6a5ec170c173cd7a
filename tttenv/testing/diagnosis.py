"""Diagnosis of a player, network, model or environment: findings and a verdict."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import Observed, from_observations, is_network
from tttenv.testing.env_checks import ENVIRONMENT, CheckedEnv, record
from tttenv.testing.findings import Finding, examine, user_errors
from tttenv.testing.policy_checks import PLAYER, CheckedPlayer
from tttenv.utils.arrays import integers_from

NO_MISTAKE = "no mistake in the setup found"


def subject_of(
    name: str, found: Any, rules: Rules | None, obs: str | None = None, kind: str = "logits"
) -> CheckedPlayer | CheckedEnv:
    """Convert an object to a subject of the checks.

    Args:
        name: what messages call the object.
        found: an environment, a policy, a network or a model of Stable-Baselines3.
        rules: the game; None: the environment's own, or 3,3,3.
        obs: the input of a function or network: "onehot", "board" or "dict".
        kind: the output of a network, or of a function with `obs`: "logits", "values" or "probs".

    Raises:
        ValueError: if the object is neither a player nor a single environment of the game.
    """
    with user_errors(name):
        plays = hasattr(found, "step") and hasattr(found, "reset")
        batch, space = hasattr(found, "num_envs"), getattr(found, "action_space", None)
        size, made = getattr(space, "n", None), CheckedEnv(found, rules) if plays else None
        model = hasattr(found, "policy") and hasattr(found, "predict")
        network = not plays and not model and is_network(found)
    if made is not None:
        if batch:
            raise ValueError(f"{name} is a batch of games; pass a single environment")
        if size != made.rules.cells:
            cells = f"the {made.rules.cells} cells of {made.rules}"
            raise ValueError(f"{name} has actions {space}, not {cells}")
        return made
    rules = rules or Rules()
    if model:
        return model_subject(rules, found, deterministic=False)
    if obs or network:
        found = from_observations(found, rules, obs or "onehot", kind)
    with user_errors(name):
        player = as_player(rules, found)
    return CheckedPlayer(rules, player, found if isinstance(found, Observed) else None)


def model_subject(rules: Rules, model: Any, deterministic: bool) -> CheckedPlayer:
    """Convert a Stable-Baselines3 model to a subject, both as a player and as a network.

    Args:
        rules: the game.
        model: the model.
        deterministic: whether it plays its most probable moves instead of sampling.
    """
    models = importlib.import_module("tttenv.adapters.sb3.models")
    player = models.observed(model, rules, deterministic)
    return CheckedPlayer(rules, player, player, models.masked(model))


def examination(
    subject: CheckedPlayer | CheckedEnv, games: int, seed: int
) -> tuple[Iterator[Finding], int]:
    """Examine a subject.

    Args:
        subject: the player or environment.
        games: the number of games to play in an environment.
        seed: the random seed of these games.

    Returns:
        The findings, as they are made, and the number of checks.
    """
    if isinstance(subject, CheckedPlayer):
        return examine(subject, PLAYER), len(PLAYER)
    return examine(record(subject, games, seed), ENVIRONMENT), len(ENVIRONMENT)


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
        checks = [
            {"status": one.status, "told": one.text, "change": one.change, "check": one.check}
            for one in self.findings
        ]
        about = {"subject": self.subject, "verdict": self.verdict, "problems": self.problems}
        return {**about, "checks": checks}


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
    integers_from(1, games=games)
    name = getattr(subject, "__qualname__", type(subject).__name__)
    found, _ = examination(subject_of(name, subject, rules, obs, kind), games, seed)
    return Diagnosis(name, tuple(found))
