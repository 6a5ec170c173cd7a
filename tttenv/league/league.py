"""Round-robin leagues: all pairs of players, from all openings and in both colours, with ratings.

A pair's result depends only on its players and the settings, so the same league has bit-identical
results, whichever process plays which pair. docs/reference/file-formats.md describes the file of a
league, results/league.json.
"""

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.game.openings import opening_classes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.league import ratings
from tttenv.league.pair import (
    LONGEST,
    SAMPLED,
    CachedPlayer,
    PairLimits,
    PairResult,
    Tell,
    play,
    silent,
)
from tttenv.parallel.tasks import Context, Task, TaskResult
from tttenv.players import player
from tttenv.players.digests import digests
from tttenv.utils.untrusted import first_line, shown

VERSION = 2  # of the file
CYCLES = 100  # maximum listed
FAILED = "failed"


Result: TypeAlias = PairResult | str  # the reason why a pair has no result


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
    pairs = combinations(sorted(slow), 2)
    return sorted(pairs, key=lambda pair: not (slow[pair[0]] or slow[pair[1]]))


def play_pair(settings: LeagueSettings, first: str, second: str, tell: Tell = silent) -> Result:
    """Play a pair, and return the result of its first player; players are cached.

    Args:
        settings: of the league.
        first: the spec of a player.
        second: the spec of another.
        tell: called with the progress.

    Returns:
        The result, or the reason why there is none.
    """
    rules = Rules.of(settings.rules)
    openings = opening_classes(rules, settings.stones)
    limits = PairLimits(settings.positions, settings.searches)
    digest = hashlib.sha256(f"{first}\n{second}".encode()).digest()
    seed = int(np.random.SeedSequence([settings.seed, *digest]).generate_state(1, np.uint64)[0])
    try:
        seats = _cached_player(first, rules), _cached_player(second, rules)
        return play(rules, *seats, openings, settings.games, seed, limits, tell)
    except MemoryError:
        return "there is not enough memory for its positions"
    except Exception as error:  # foreign players may raise any exception
        return shown(first_line(error), LONGEST)


@lru_cache(maxsize=128)
def _cached_player(spec: str, rules: Rules) -> CachedPlayer:
    return CachedPlayer(player(spec, rules))


# --- Tasks
@dataclass(frozen=True)
class PairTask:
    """Everything that determines a pair's result, except clocks and external programs."""

    settings: LeagueSettings
    players: tuple[str, str]  # their specs
    files: list[list[str]]  # digests of the files that each of them names
    threads: int  # of network players; may change the last digits


def tasks(
    settings: LeagueSettings, pairs: Sequence[tuple[str, str]], threads: int = 1
) -> list[Task]:
    """Return one task per pair, in order, for workers with this number of threads.

    Args:
        settings: of the league.
        pairs: the specs of two players each.
        threads: of a worker's network players, which may change the last digits.
    """
    files = {spec: digests(spec) for spec in sorted({spec for pair in pairs for spec in pair})}
    given = [PairTask(settings, pair, [files[spec] for spec in pair], threads) for pair in pairs]
    return [Task(" against ".join(one.players), play_task, one) for one in given]


def play_task(given: PairTask, context: Context) -> dict[str, Any]:
    """Play a task's pair, and return its result as a JSON-serializable dict.

    Args:
        given: what determines the result.
        context: takes the progress.

    Raises:
        ValueError: if a file that a player names has changed, or the pair has no result.
    """
    for spec, expected in zip(given.players, given.files, strict=True):
        if digests(spec) != expected:
            raise ValueError(
                f"{spec}: its files have changed, or differ on the worker; a file that the program"
                " writes must not be a word of its command"
            )
    found = play_pair(given.settings, *given.players, context.tell)
    if isinstance(found, str):
        raise ValueError(found)
    return result_to_dict(found)


def result_of(outcome: TaskResult) -> Result:
    """Return a task's result; a task that failed is a pair without one."""
    if outcome.error:
        return shown(outcome.error.removeprefix(f"{outcome.task.name}: "), LONGEST)
    return result_from_dict(outcome.value)


# --- The results
class Standing(NamedTuple):
    """A player's row in the table of a league; its numbers are None without a result."""

    player: str
    elo: float | None = None
    shares: tuple[float, float, float] | None = None  # wins, draws and losses, mean of its pairs
    error: float | None = None  # standard error of the Elo rating; 0 if all results are exact


@dataclass(frozen=True)
class League:
    """The results of all pairs in a league."""

    settings: LeagueSettings
    openings: Boards  # (openings, cells)
    players: tuple[str, ...]  # their specs, in alphabetical order
    results: Mapping[tuple[str, str], Result]  # by two players, in alphabetical order

    def result(self, first: str, second: str) -> Result:
        """Return the result of two different players, from the first player's side."""
        if first < second:
            return self.results[first, second]
        found = self.results[second, first]
        return found.reversed() if isinstance(found, PairResult) else found

    def played(self) -> Iterator[tuple[int, int, PairResult]]:
        """Yield the indices and the result of all pairs that have one."""
        for (first, second), found in self.results.items():
            if isinstance(found, PairResult):
                yield self.players.index(first), self.players.index(second), found

    def failed(self) -> list[tuple[str, str, str]]:
        """Return all pairs without a result: the two players, and the reason."""
        found = sorted(self.results.items())
        return [(*pair, reason) for pair, reason in found if isinstance(reason, str)]

    def values(self) -> NDArray[np.float64]:
        """Return the mean results (players, players) of rows against columns, NaN if unknown."""
        square = np.full((len(self.players),) * 2, np.nan)
        np.fill_diagonal(square, 0.0)
        for i, j, found in self.played():
            square[i, j], square[j, i] = found.value, -found.value + 0.0
        return square

    def standings(self) -> list[Standing]:
        """Return all players by descending Elo, then by name; those without results last."""
        # Every pair counts as one game per opening and colour, however many were sampled.
        games, points = 2 * len(self.openings), np.zeros((len(self.players),) * 2)
        errors = np.zeros_like(points)
        found: dict[int, list[NDArray[np.float64]]] = defaultdict(list)  # shares, by player
        for i, j, pair in self.played():
            for one, other, shares in ((i, j, pair.shares), (j, i, pair.shares[::-1])):
                found[one].append(shares)
                points[one, other] = games * (shares[0] + shares[1] / 2)
                errors[one, other] = games * pair.error / 2
        known = sorted(found)
        met, wrong = (square[np.ix_(known, known)] for square in (points, errors))
        numbers = ratings.elo(met).tolist(), ratings.elo_errors(met, wrong).tolist()
        elo = dict(zip(known, zip(*numbers, strict=True), strict=True))
        rows = []
        for number, name in enumerate(self.players):
            if number not in found:
                rows.append(Standing(name))
                continue
            parts = zip(*found[number], strict=True)
            win, draw, loss = (math.fsum(part) / len(found[number]) for part in parts)
            rows.append(Standing(name, elo[number][0], (win, draw, loss), elo[number][1]))
        # Ratings that differ only by rounding are equal.
        return sorted(
            rows, key=lambda row: (row.elo is None, -round(row.elo or 0.0, 6), row.player)
        )


def assembled(
    settings: LeagueSettings, players: Sequence[str], played: Mapping[tuple[str, str], Result]
) -> League:
    """Assemble a league from the results of all pairs of `pairs_of`.

    Args:
        settings: of the league.
        players: their specs, in any order.
        played: the results by the specs of two players, the first in alphabetical order first.
    """
    openings = opening_classes(Rules.of(settings.rules), settings.stones)
    return League(settings, openings, tuple(sorted(players)), played)


# --- The file
def text(league: League) -> str:
    """Return a league as the text of a file."""
    rows, rules = league.standings(), Rules.of(league.settings.rules)
    order = [league.players.index(row.player) for row in rows]
    values = league.values()[np.ix_(order, order)]
    content = {
        "version": VERSION,
        "settings": vars(league.settings),
        "openings": [rules.format(board) for board in league.openings],
        "players": [
            {
                "player": row.player,
                "elo": row.elo,
                "elo_error": row.error,
                **dict(zip(("win", "draw", "loss"), row.shares or [None] * 3, strict=True)),
            }
            for row in rows
        ],
        "matrix": [[None if np.isnan(v) else float(v) for v in row] for row in values],
        "pairs": [
            {"first": i, "second": j, **result_to_dict(league.result(first.player, second.player))}
            for (i, first), (j, second) in combinations(enumerate(rows), 2)
        ],
        "cycles": ratings.cycles_of_three(values)[:CYCLES],
    }
    return json.dumps(content, allow_nan=False) + "\n"


def result_to_dict(found: Result) -> dict[str, Any]:
    """Return a pair's result as a JSON-serializable dict."""
    if isinstance(found, str):
        return {"method": FAILED, "reason": found}
    about: dict[str, Any] = {"method": found.method, "value": found.value}
    if found.method == SAMPLED:
        about |= {"games": found.games, "error": found.error}
    return about | dict(zip(("as_X", "as_O"), found.odds.tolist(), strict=True))


def result_from_dict(row: dict[str, Any]) -> PairResult:
    """Return the inverse of `result_to_dict`, for a pair that has a result."""
    return PairResult(row["method"], np.array([row["as_X"], row["as_O"]], np.float64))
