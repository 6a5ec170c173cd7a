"""Round-robin leagues: all pairs of players, from all openings and in both colours, with ratings.

A pair's result depends only on its players and the settings, so the same league has bit-identical
results, whichever process plays which pair.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.game.openings import opening_classes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.league import ratings
from tttenv.league.pair import LONGEST, CachedPlayer, PairLimits, PairResult, play
from tttenv.players import player
from tttenv.utils.untrusted import first_line, shown

PLAYERS_KEPT = 128  # players cached per process


class Failed(NamedTuple):
    """A pair without a result, because a player failed."""

    reason: str


Result: TypeAlias = PairResult | Failed


@dataclass(frozen=True)
class LeagueSettings:
    """Settings of a league."""

    rules: str  # "m,n,k"
    stones: int = 2  # stones of the openings
    games: int = 400  # per pair without an exact result
    seed: int = 0  # seed of these games
    positions: int = PairLimits.positions  # limit of an exact result
    searches: int = PairLimits.searches  # limit of each player for an exact result


def pairs_of(slow: Mapping[str, bool]) -> list[tuple[str, str]]:
    """Return all pairs of players, those with a slow one first; `slow` is by the player's spec."""
    players = sorted(slow)
    pairs = [(first, second) for i, first in enumerate(players) for second in players[i + 1 :]]
    return sorted(pairs, key=lambda pair: not (slow[pair[0]] or slow[pair[1]]))


def play_pair(settings: LeagueSettings, first: str, second: str) -> Result:
    """Play a pair, and return the result of its first player.

    A function of the arguments alone, except for players with time limits, programs, or files that
    change. Players are cached for later pairs of the same process.
    """
    rules = Rules.of(settings.rules)
    openings = opening_classes(rules, settings.stones)
    limits = PairLimits(settings.positions, settings.searches)
    digest = hashlib.sha256(f"{first}\n{second}".encode()).digest()
    seed = int(np.random.SeedSequence([settings.seed, *digest]).generate_state(1, np.uint64)[0])
    try:
        seats = _cached_player(first, rules), _cached_player(second, rules)
        return play(rules, *seats, openings, settings.games, seed, limits)
    except MemoryError:
        return Failed("there is not enough memory for its positions")
    except Exception as error:  # foreign players may raise any exception
        return Failed(shown(first_line(error), LONGEST))


_players: OrderedDict[tuple[str, Rules], CachedPlayer] = OrderedDict()  # of this process


def _cached_player(spec: str, rules: Rules) -> CachedPlayer:
    """Return the player named by a spec, from a least-recently-used cache."""
    found = _players.pop((spec, rules), None) or CachedPlayer(player(spec, rules))
    _players[spec, rules] = found
    while len(_players) > PLAYERS_KEPT:
        _players.popitem(last=False)[1].close()
    return found


class Standing(NamedTuple):
    """A player's row in the table of a league."""

    player: str
    elo: float | None  # None without a result
    alpha_rank: float | None  # likewise
    shares: tuple[float, float, float] | None  # wins, draws and losses, averaged over its pairs

    @property
    def points(self) -> float | None:
        """Score of the player from 0 to 1: a win counts 1 and a draw 1/2."""
        return None if self.shares is None else self.shares[0] + self.shares[1] / 2


@dataclass(frozen=True)
class League:
    """The results of all pairs in a league.

    Attributes:
        settings: the league's settings.
        openings: the opening boards (openings, cells).
        players: their specs.
        results: by the indices of two players, the lower first.
    """

    settings: LeagueSettings
    openings: Boards
    players: tuple[str, ...]
    results: Mapping[tuple[int, int], Result]

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return Rules.of(self.settings.rules)

    def result(self, first: int, second: int) -> Result:
        """Return the result of two different players, from the first player's side."""
        if first < second:
            return self.results[first, second]
        found = self.results[second, first]
        return found.reversed() if isinstance(found, PairResult) else found

    def played(self) -> Iterator[tuple[int, int, PairResult]]:
        """Yield all pairs with a result."""
        for (first, second), found in self.results.items():
            if isinstance(found, PairResult):
                yield first, second, found

    def failed(self) -> list[tuple[str, str, str]]:
        """Return all pairs without a result: the two players, and the reason."""
        return [
            (self.players[first], self.players[second], found.reason)
            for (first, second), found in self.results.items()
            if isinstance(found, Failed)
        ]

    def values(self) -> NDArray[np.float64]:
        """Return the mean results (players, players) of row players against column players.

        A win counts 1, a draw 0 and a loss -1; 0 on the diagonal, NaN without a result. The matrix
        is antisymmetric.
        """
        square = np.full((len(self.players),) * 2, np.nan)
        np.fill_diagonal(square, 0.0)
        for i, j, found in self.played():
            square[i, j], square[j, i] = found.value, -found.value + 0.0
        return square

    def elo(self) -> list[float | None]:
        """Return the players' Elo ratings; None for those without a result. See `ratings.elo`.

        Every pair counts as one game per opening and colour, even if more or fewer were sampled.
        """
        count, weight = len(self.players), 2 * len(self.openings)
        points = np.zeros((count, count))
        for i, j, found in self.played():
            win, draw, loss = found.shares
            points[i, j], points[j, i] = weight * (win + draw / 2), weight * (loss + draw / 2)
        return self._rated(points, ratings.elo)

    def alpha_rank(self) -> list[float | None]:
        """Return the players' alpha-rank for infinite alpha; None for those without a result.

        A pair without a result counts as even.
        """
        return self._rated(np.nan_to_num(self.values()), ratings.alpha_rank)

    def _rated(
        self, numbers: NDArray[np.float64], rate: Callable[[ArrayLike], NDArray[np.float64]]
    ) -> list[float | None]:
        """Rate the players that have a result by their rows and columns of a matrix.

        They are passed in the order of their names, so that rounding does not depend on the input
        order.
        """
        known = {number for i, j, _ in self.played() for number in (i, j)}
        some = sorted(known, key=lambda number: self.players[number])
        found: list[float | None] = [None] * len(self.players)
        for number, rating in zip(some, rate(numbers[np.ix_(some, some)]), strict=True):
            found[number] = float(rating)
        return found

    def standings(self) -> list[Standing]:
        """Return all players by descending Elo, then by name; those without results last."""
        totals: dict[int, list[NDArray[np.float64]]] = {}
        for i, j, found in self.played():
            totals.setdefault(i, []).append(found.shares)
            totals.setdefault(j, []).append(found.shares[::-1])
        elo, alpha = self.elo(), self.alpha_rank()
        rows = []
        for number, name in enumerate(self.players):
            shares = None
            if number in totals:
                parts = zip(*totals[number], strict=True)
                win, draw, loss = (math.fsum(part) / len(totals[number]) for part in parts)
                shares = (win, draw, loss)
            rows.append(Standing(name, elo[number], alpha[number], shares))
        # Ratings that differ only by rounding are equal.
        return sorted(
            rows, key=lambda row: (row.elo is None, -round(row.elo or 0.0, 6), row.player)
        )


def assembled(
    settings: LeagueSettings, players: Sequence[str], played: Mapping[tuple[str, str], Result]
) -> League:
    """Assemble a league from the results of all pairs, for the first of each, in any order."""
    results: dict[tuple[int, int], Result] = {}
    for i, first in enumerate(players):
        for j, second in enumerate(players[i + 1 :], i + 1):
            found = played.get((first, second))
            if found is None:
                other = played[second, first]
                found = other.reversed() if isinstance(other, PairResult) else other
            results[i, j] = found
    openings = opening_classes(Rules.of(settings.rules), settings.stones)
    return League(settings, openings, tuple(players), results)
