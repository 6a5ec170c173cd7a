"""League files: a league as JSON in results/league.json.

    version     1
    settings    rules "m,n,k"; stones of the openings; games, seed, positions, searches
    openings    the openings' boards, as text like "XO_______", one per symmetry class
    players     one object per player, the strongest first: player (its spec), elo, alpha_rank,
                win, draw, loss (the mean shares of its pairs); null without a result
    matrix      the expected result of each player against each other, in the order of `players`:
                a win counts 1, a draw 0, a loss -1; null without a result
    pairs       one object per pair: first and second (indices in `players`), method, and
      exact     value, as_X and as_O: the first player's results in each opening as X and as O, one
                letter of "WDL" per opening, or else a list of [win, draw, loss] probabilities
      sampled   the same with counts of games, always as lists; games: the total number; error: the
                standard error of value
      failed    reason: the player's error
    cycles      cycles of three players, each beating the next: overall by `matrix`, the first 100
                of them as indices in `players`; by_opening: the number in each opening

Files are untrusted. `read` takes from them the settings, openings, players' names and the results
of the pairs, all validated; everything derived is recomputed.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from tttenv.game.openings import MOST as MOST_OPENINGS
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.league import ratings
from tttenv.league.league import Failed, League, LeagueSettings, Result
from tttenv.league.pair import DIGITS, EXACT, SAMPLED, PairResult
from tttenv.utils import schema
from tttenv.utils.schema import Between
from tttenv.utils.untrusted import MEBIBYTE, shown

VERSION = 1
LONGEST = 256 * MEBIBYTE  # maximum bytes of a file
MOST_PLAYERS = 1000
LONGEST_SPEC = 4096  # maximum characters of a player's spec, as of a path
LONGEST_REASON = 300  # maximum characters of the reason for a failed pair
LARGEST = 10**9  # maximum of any integer but the settings
CYCLES = 100  # maximum listed
FAILED = "failed"
LETTERS = "WDL"
_EYE = np.eye(3)

Count: TypeAlias = Annotated[int, Between(0, LARGEST)]
Spec: TypeAlias = Annotated[str, Between(0, LONGEST_SPEC)]
Reason: TypeAlias = Annotated[str, Between(0, LONGEST_REASON)]
Board: TypeAlias = Annotated[str, Between(0, 400)]


class FileSettings(TypedDict):
    """Settings in a league file."""

    rules: str
    stones: Count
    games: schema.Count
    seed: schema.Count
    positions: schema.Count
    searches: schema.Count


class Player(TypedDict):
    """A player in a league file."""

    player: Spec


class Pair(TypedDict):
    """A pair in a league file, whose result is a `FailedPair` or a `PlayedPair`."""

    first: Count
    second: Count


class FailedPair(TypedDict):
    """The result of a pair in which a player failed."""

    method: Literal["failed"]
    reason: Reason


class PlayedPair(TypedDict):
    """The result of a pair that was played."""

    method: Literal["exact", "sampled"]
    as_X: str | list[Any]
    as_O: str | list[Any]


class File(TypedDict):
    """The fields of a league file that `read` uses."""

    version: Literal[1]
    settings: FileSettings
    openings: Annotated[list[Board], Between(1, MOST_OPENINGS)]
    players: Annotated[list[Player], Between(0, MOST_PLAYERS)]
    pairs: list[Pair]


def require_storable(settings: LeagueSettings, players: Sequence[str]) -> None:
    """Raise ValueError if `read` would refuse the file of a league, before it is played."""
    schema.checked(FileSettings, vars(settings))
    if len(players) > MOST_PLAYERS:
        raise ValueError(f"a league has at most {MOST_PLAYERS:,} players, not {len(players):,}")
    if any(len(spec) > LONGEST_SPEC for spec in players):
        raise ValueError(f"a player's name has at most {LONGEST_SPEC:,} characters")


def text(league: League) -> str:
    """Return a league as the text of a file; `read` is the inverse."""
    return json.dumps(to_dict(league), allow_nan=False) + "\n"


def to_dict(league: League) -> dict[str, Any]:
    """Return the league as a JSON-serializable dict in the format above."""
    rows = league.standings()
    order = [league.players.index(row.player) for row in rows]
    place = {number: at for at, number in enumerate(order)}
    pairs = []
    for i, j in sorted((min(p, q), max(p, q)) for p, q in _places(league, place)):
        found = league.result(order[i], order[j])
        pairs.append({"first": i, "second": j, **result_to_dict(found)})
    values = league.values()[np.ix_(order, order)]
    overall = ratings.cycles_of_three(values)
    by_opening = [ratings.count_cycles_of_three(each) for each in league.opening_values()]
    return {
        "version": VERSION,
        "settings": vars(league.settings),
        "openings": [league.rules.format(board) for board in league.openings],
        "players": [
            {
                "player": row.player,
                "elo": row.elo,
                "alpha_rank": row.alpha_rank,
                **dict(zip(("win", "draw", "loss"), row.shares or [None] * 3, strict=True)),
            }
            for row in rows
        ],
        "matrix": [[None if np.isnan(v) else float(v) for v in row] for row in values],
        "pairs": pairs,
        "cycles": {"overall": overall[:CYCLES], "count": len(overall), "by_opening": by_opening},
    }


def _places(league: League, place: dict[int, int]) -> list[tuple[int, int]]:
    return [(place[i], place[j]) for i, j in league.results]


def result_to_dict(found: Result) -> dict[str, Any]:
    """Return a pair's result as a JSON-serializable dict."""
    if isinstance(found, Failed):
        return {"method": FAILED, "reason": found.reason}
    about: dict[str, Any] = {"method": found.method, "value": found.value}
    if found.method == SAMPLED:
        about |= {"games": found.games, "error": found.error}
    as_x, as_o = (_odds(part, found.method) for part in found.odds)
    return {**about, "as_X": as_x, "as_O": as_o}


def _odds(odds: NDArray[np.float64], method: str) -> Any:
    """Encode the odds (openings, 3) as letters if all are certain, else as numbers."""
    if method == SAMPLED:
        return odds.astype(np.int64).tolist()
    if ((odds == 0) | (odds == 1)).all():
        return "".join(LETTERS[which] for which in odds.argmax(axis=1))
    return odds.tolist()


def read(file: Path) -> League:
    """Load a league from an untrusted file.

    Raises:
        ValueError: if the file is missing or not a league.
    """
    content = schema.read(file, dict, "league", LONGEST)
    try:
        return from_dict(content)
    except ValueError as error:
        raise ValueError(f"{shown(file)} is not a league: {shown(error)}") from None


def from_dict(content: Any) -> League:
    """Create a league from the contents of a file; see `read`.

    Raises:
        ValueError: for other contents.
    """
    found = schema.checked(File, content)
    given = found["settings"]
    rules = Rules.of(given["rules"])
    numbers = given["stones"], given["games"], given["seed"], given["positions"], given["searches"]
    settings = LeagueSettings(str(rules), *numbers)
    openings = _openings(rules, settings.stones, found["openings"])
    players = tuple(row["player"] for row in found["players"])
    if len(set(players)) != len(players):
        raise ValueError("a player is listed twice")
    results: dict[tuple[int, int], Result] = {}
    for row in found["pairs"]:
        first, second = row["first"], row["second"]
        if not first < second < len(players) or (first, second) in results:
            raise ValueError("its pairs must each be two players, listed once")
        results[first, second] = result_from_dict(row, len(openings))
    if len(results) != len(players) * (len(players) - 1) // 2:
        raise ValueError("a pair is missing")
    return League(settings, openings, players, results)


def _openings(rules: Rules, stones: int, texts: Sequence[str]) -> Boards:
    boards = [rules.check(rules.parse(text)) for text in texts]
    found: Boards = np.array(boards, np.int8).reshape(-1, rules.cells)
    if not len(found) or (np.count_nonzero(found, axis=1) != stones).any():
        raise ValueError(f"its openings are not boards with {stones} stones")
    if len(np.unique(found, axis=0)) != len(found):
        raise ValueError("an opening is listed twice")
    return found


def result_from_dict(row: Any, openings: int) -> Result:
    """Parse the untrusted output of `result_to_dict`.

    Args:
        row: the row of the file.
        openings: the number of openings.

    Raises:
        ValueError: for an invalid row.
    """
    if isinstance(row, dict) and row.get("method") == FAILED:
        return Failed(schema.checked(FailedPair, row, "the result of a pair")["reason"])
    found = schema.checked(PlayedPair, row, "the result of a pair")
    method = found["method"]
    odds = np.stack([_read_odds(part, openings, method) for part in (found["as_X"], found["as_O"])])
    if method == SAMPLED and odds.sum() < 1:
        raise ValueError("a pair has no games")
    return PairResult(method, odds)


def _read_odds(rows: str | list[Any], openings: int, method: str) -> NDArray[np.float64]:
    """Parse the odds (openings, 3) of one colour."""
    if isinstance(rows, str):
        if method != EXACT or len(rows) != openings or set(rows) - set(LETTERS):
            raise ValueError(f"results must be {openings} letters of {LETTERS}")
        return _EYE[[LETTERS.index(letter) for letter in rows]]
    if len(rows) != openings or any(not isinstance(row, list) or len(row) != 3 for row in rows):
        raise ValueError(f"results must be {openings} times three numbers")
    kinds = (int,) if method == SAMPLED else (int, float)
    if any(type(part) not in kinds or not 0 <= part <= LARGEST for row in rows for part in row):
        raise ValueError("results must be non-negative numbers")
    odds = np.array(rows, np.float64)
    if method == EXACT and (np.abs(odds.sum(axis=1) - 1) > 10.0 ** (3 - DIGITS)).any():
        raise ValueError("exact results must be probabilities that sum to one")
    return odds
