"""League files, results/league.json, and the tasks that play the pairs of a league.

docs/reference/file-formats.md describes the file. An exact pair has as_X and as_O, the first
player's results in each opening as X and as O: one letter of "WDL" per opening, or else a list of
[win, draw, loss] probabilities; a sampled pair has counts of games, always as lists.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.league import ratings
from tttenv.league.league import Failed, League, LeagueSettings, Result, play_pair
from tttenv.league.pair import LONGEST, SAMPLED, PairResult
from tttenv.parallel import Context, Task, TaskResult
from tttenv.players.digests import digests
from tttenv.utils.untrusted import shown

VERSION = 1
CYCLES = 100  # maximum listed
MOST_GAMES = 10**12  # of a pair
FAILED = "failed"
LETTERS = "WDL"


def text(league: League) -> str:
    """Return a league as the text of a file."""
    return json.dumps(to_dict(league), allow_nan=False) + "\n"


def to_dict(league: League) -> dict[str, Any]:
    """Return the league as a JSON-serializable dict in the format above."""
    rows = league.standings()
    order = [league.players.index(row.player) for row in rows]
    place = {number: at for at, number in enumerate(order)}
    pairs = []
    for i, j in sorted(sorted((place[p], place[q])) for p, q in league.results):
        found = league.result(order[i], order[j])
        pairs.append({"first": i, "second": j, **result_to_dict(found)})
    values = league.values()[np.ix_(order, order)]
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
        "cycles": ratings.cycles_of_three(values)[:CYCLES],
    }


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


def result_from_dict(row: dict[str, Any], openings: int) -> Result:
    """Return the inverse of `result_to_dict`, given the number of openings."""
    if row["method"] == FAILED:
        return Failed(str(row["reason"]))
    odds = np.stack([_read_odds(row[colour]) for colour in ("as_X", "as_O")])
    wrong = odds.shape != (2, openings, 3) or not ((odds >= 0) & (odds <= MOST_GAMES)).all()
    if wrong or odds.sum() < 1:
        raise ValueError(f"a pair must have results from {openings} openings in both colours")
    return PairResult(row["method"], odds)


def _read_odds(rows: str | list[list[float]]) -> NDArray[np.float64]:
    """Return the inverse of `_odds`."""
    if isinstance(rows, str):
        return np.eye(3)[[LETTERS.index(letter) for letter in rows]]
    return np.array(rows, np.float64)


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
    """Return one task per pair, in order, for workers with this number of threads."""
    files = {spec: digests(spec) for spec in sorted({spec for pair in pairs for spec in pair})}
    return [
        Task(
            " against ".join(pair),
            play_task,
            PairTask(settings, pair, [files[spec] for spec in pair], threads),
        )
        for pair in pairs
    ]


def play_task(given: PairTask, context: Context) -> dict[str, Any]:
    """Play a task's pair, and return its result as a JSON-serializable dict."""
    for spec, expected in zip(given.players, given.files, strict=True):
        if digests(spec) != expected:
            raise ValueError(f"{spec}: its files have changed, or differ on the worker")
    found = play_pair(given.settings, *given.players)
    if isinstance(found, Failed):
        raise ValueError(found.reason)
    return result_to_dict(found)


def result_of(outcome: TaskResult, openings: int) -> Result:
    """Return a task's result; a task that failed is a pair without one."""
    if outcome.error:
        return Failed(shown(outcome.error.removeprefix(f"{outcome.task.name}: "), LONGEST))
    return result_from_dict(outcome.value, openings)
