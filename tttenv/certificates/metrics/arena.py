"""Sampled games with a confidence interval, for boards too large for exact results."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from tttenv.env.rollouts import rollout
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
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
        """Standard error of `value`, with a game of each outcome added (Agresti, Coull 1998)."""
        games = self.games + 3
        win, loss = ((share * self.games + 1) / games for share in (self.win, self.loss))
        return sqrt((win + loss - (win - loss) ** 2) / games)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % confidence interval of `value`, by normal approximation."""
        return SIGMAS * self.error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of `value`: between -1 and 1, around the adjusted value."""
        middle = self.value * self.games / (self.games + 3)
        return max(-1.0, middle - self.margin), min(1.0, middle + self.margin)


def measure(rules: Rules, policy: Policy, games: int = GAMES, seed: int = 0) -> dict[str, float]:
    """Estimate the value against each rival, with its margin: `sampled/value_vs_random_X` etc.

    Args:
        rules: the game.
        policy: a function of boards, a name or a model, as in `tttenv.certify`.
        games: the number per rival and seat.
        seed: of all games.

    Returns:
        The numbers by tag.
    """
    found = {}
    for name in RIVALS:
        for seat in ("X", "O"):
            result = arena(rules, policy, name, seat, games, seed)
            found[f"sampled/value_vs_{name}_{seat}"] = result.value
            found[f"sampled/margin_vs_{name}_{seat}"] = result.margin
    return found


def arena(
    rules: Rules,
    policy: Policy | str | Any,
    other: Policy | str | Any,
    seat: str,
    games: int = GAMES,
    seed: int = 0,
) -> Sampled:
    """Play `games` games of `policy` in `seat` against `other`, reproducible by seed.

    Args:
        rules: the game.
        policy: the player: a function of boards, a name or a model, as in `tttenv.certify`.
        other: its opponent, of the same kinds.
        seat: "X" or "O", the player's.
        games: their number, at least 1.
        seed: of the moves that are sampled.

    Returns:
        The shares of games that the player won, drew and lost.

    Raises:
        ValueError: for another seat or number of games, and for players of another game.
    """
    if seat not in ("X", "O"):
        raise ValueError(f"seat must be X or O, not {seat!r}")
    player, rival = as_player(rules, policy), as_player(rules, other)
    sides, own = ((player, rival), 1) if seat == "X" else ((rival, player), -1)
    results = rollout(rules, *sides, games, seed)
    return Sampled(games, *(float((results == own * outcome).mean()) for outcome in (1, 0, -1)))
