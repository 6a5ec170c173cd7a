"""Round-robin leagues: all pairs of players, from all openings and in both colours, with ratings.

The work is divided into blocks of pairs that depend only on the players and the settings, so the
same league has bit-identical results, whichever process plays which block.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.game.openings import opening_classes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.league import pair as pairs
from tttenv.league import ratings
from tttenv.league.cached_player import CachedPlayer
from tttenv.league.pair import EXACT, SAMPLED, PairLimits, PairResult
from tttenv.players import player
from tttenv.utils.untrusted import first_line, shown

TOGETHER = 8  # pairs played together, so that a network gets larger batches
MOST_RESULTS = 100_000  # maximum openings summed over pairs, in a block of several pairs
FEW = 200_000  # maximum positions of a block listed together
MOST_CELLS = 36  # of a board on which pairs share a block: on larger ones they take long
PLAYERS_KEPT = 128  # players cached per process
LONGEST = 300  # maximum characters of the reason for a failed pair


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


@dataclass(frozen=True)
class Block:
    """A unit of work: pairs that are played together."""

    settings: LeagueSettings
    pairs: tuple[tuple[str, str], ...]  # the players' specs


def blocks(settings: LeagueSettings, alone: Mapping[str, bool]) -> list[Block]:
    """Divide the pairs of all players into blocks, the slowest first.

    Args:
        settings: the league's settings.
        alone: for each player's spec, whether each of its pairs is a block of its own, because
            larger batches do not help it and it may be slow.
    """
    rules = Rules.of(settings.rules)
    openings = len(opening_classes(rules, settings.stones))
    together = max(1, min(TOGETHER, MOST_RESULTS // openings))
    if rules.cells > MOST_CELLS:
        together = 1
    singles, groups = [], []
    players = sorted(alone)
    for number, first in enumerate(players):
        others = players[number + 1 :]
        quick = [] if alone[first] else [second for second in others if not alone[second]]
        singles += [((first, second),) for second in others if second not in quick]
        for at in range(0, len(quick), together):
            groups.append(tuple((first, second) for second in quick[at : at + together]))
    return [Block(settings, found) for found in (*singles, *groups)]


def play_block(block: Block) -> list[Result]:
    """Play a block's pairs, and return each result for the first player of its pair.

    A function of the block alone, except for players with time limits, programs, or files that
    change. Players are cached for later blocks of the same process.
    """
    settings, rules = block.settings, Rules.of(block.settings.rules)
    openings = opening_classes(rules, settings.stones)
    limits = PairLimits(settings.positions, settings.searches)
    if len(block.pairs) > 1:
        few = PairLimits(min(FEW, limits.positions), limits.searches)
        try:
            seats = [
                (_cached_player(first, rules), _cached_player(second, rules))
                for first, second in block.pairs
            ]
            odds = pairs.exact_odds(rules, seats, openings, few)
        except Exception:  # of one player; playing pair by pair shows which
            odds = None
        if odds is not None:
            return [PairResult(EXACT, part) for part in odds]
    return [_played(settings, rules, openings, limits, *names) for names in block.pairs]


def _played(
    settings: LeagueSettings,
    rules: Rules,
    openings: Boards,
    limits: PairLimits,
    first: str,
    second: str,
) -> Result:
    """Play one pair, and return its result."""
    digest = hashlib.sha256(f"{first}\n{second}".encode()).digest()
    seed = int(np.random.SeedSequence([settings.seed, *digest]).generate_state(1, np.uint64)[0])
    try:
        seats = _cached_player(first, rules), _cached_player(second, rules)
        return pairs.play(rules, *seats, openings, settings.games, seed, limits)
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

    def sampled(self) -> list[PairResult]:
        """Return the results that are not exact."""
        return [found for _, _, found in self.played() if found.method == SAMPLED]

    def values(self) -> NDArray[np.float64]:
        """Return the mean results (players, players) of row players against column players.

        A win counts 1, a draw 0 and a loss -1; 0 on the diagonal, NaN without a result. The matrix
        is antisymmetric.
        """
        return self._square({(i, j): found.value for i, j, found in self.played()})

    def _square(self, found: Mapping[tuple[int, int], float]) -> NDArray[np.float64]:
        square = np.full((len(self.players),) * 2, np.nan)
        np.fill_diagonal(square, 0.0)
        for (i, j), value in found.items():
            square[i, j], square[j, i] = value, -value + 0.0
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
        return self._rated(lambda some: ratings.elo(points[np.ix_(some, some)]))

    def alpha_rank(self) -> list[float | None]:
        """Return the players' alpha-rank for infinite alpha; None for those without a result.

        A pair without a result counts as even.
        """
        values = np.nan_to_num(self.values())
        return self._rated(lambda some: ratings.alpha_rank(values[np.ix_(some, some)]))

    def _rated(self, rate: Callable[[list[int]], NDArray[np.float64]]) -> list[float | None]:
        """Apply `rate` to the indices of players with a result; return None for the others.

        They are passed in the order of their names, so that rounding does not depend on the input
        order.
        """
        known = {number for i, j, _ in self.played() for number in (i, j)}
        some = sorted(known, key=lambda number: self.players[number])
        found: list[float | None] = [None] * len(self.players)
        for number, rating in zip(some, rate(some), strict=True):
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
                win, draw, loss = (
                    math.fsum(part[k] for part in totals[number]) / len(totals[number])
                    for k in range(3)
                )
                shares = (win, draw, loss)
            rows.append(Standing(name, elo[number], alpha[number], shares))
        return sorted(rows, key=_place)


def _place(row: Standing) -> tuple[bool, float, str]:
    """Return the sort key of a standing; ratings that differ only by rounding are equal."""
    return row.elo is None, -round(row.elo or 0.0, 6), row.player


def assembled(
    settings: LeagueSettings, players: Sequence[str], played: Mapping[tuple[str, str], Result]
) -> League:
    """Assemble a league from the results of its pairs.

    Args:
        settings: the league's settings.
        players: their specs.
        played: the results of all pairs, for the first of each, in any order.
    """
    rules = Rules.of(settings.rules)
    results: dict[tuple[int, int], Result] = {}
    for i, first in enumerate(players):
        for j in range(i + 1, len(players)):
            second = players[j]
            found = played.get((first, second))
            if found is None:
                other = played[second, first]
                found = other.reversed() if isinstance(other, PairResult) else other
            results[i, j] = found
    openings = opening_classes(rules, settings.stones)
    return League(settings, openings, tuple(players), results)
