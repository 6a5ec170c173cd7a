"""Sampled games with a confidence interval, for boards too large for exact results."""

from dataclasses import dataclass
from math import sqrt

from tttenv.env.rollouts import rollout
from tttenv.game.rules import Rules
from tttenv.players import player
from tttenv.policy import Policy

GAMES = 1000  # per seat
RIVALS = ("random", "tactical")
SIGMAS = 1.959963984540054  # two-sided 95 %


@dataclass(frozen=True)
class Sampled:
    """Results of sampled games for one side."""

    games: int
    win: float
    draw: float
    loss: float

    @property
    def value(self) -> float:
        """Mean result: a win counts 1, a draw 0, a loss -1."""
        return self.win - self.loss

    @property
    def error(self) -> float:
        """Standard error of `value`.

        One game of each outcome is added (after Agresti and Coull, 1998), so that it is not 0 when
        all results are equal.
        """
        games = self.games + 3
        win, loss = ((share * self.games + 1) / games for share in (self.win, self.loss))
        return sqrt((win + loss - (win - loss) ** 2) / games)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % confidence interval of `value`, by normal approximation."""
        return SIGMAS * self.error


def measure(rules: Rules, policy: Policy, games: int = GAMES, seed: int = 0) -> dict[str, float]:
    """Estimate the value against each rival, with its margin: `sampled/value_vs_random_X` etc."""
    found = {}
    for name in RIVALS:
        for seat in ("X", "O"):
            result = arena(rules, policy, player(name, rules), seat, games, seed)
            found[f"sampled/value_vs_{name}_{seat}"] = result.value
            found[f"sampled/margin_vs_{name}_{seat}"] = result.margin
    return found


def arena(
    rules: Rules, policy: Policy, other: Policy, seat: str, games: int = GAMES, seed: int = 0
) -> Sampled:
    """Play `games` games of `policy` in `seat` against `other`, reproducible by seed.

    Raises:
        ValueError: for a seat other than "X" or "O", or fewer than one game.
    """
    if seat not in ("X", "O"):
        raise ValueError(f"seat must be X or O, not {seat!r}")
    if seat == "X":
        results = rollout(rules, policy, other, games, seed)
    else:
        results = -rollout(rules, other, policy, games, seed)
    shares = [float((results == outcome).mean()) for outcome in (1, 0, -1)]
    return Sampled(games, *shares)
