"""Reads and writes the results of a sweep, sweep.json."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tttenv.players.config_io import from_stored
from tttenv.utils import json_rows
from tttenv.utils.untrusted import shown

WHAT = "results of a sweep"


@dataclass(frozen=True)
class Result:
    """The result of a training run; None means unknown."""

    learner: str
    preset: str
    rules: str
    changes: dict[str, Any]  # fields that differ from the preset's config
    folder: str  # the trained player's folder
    setting: str
    seed: int
    steps: int | None
    seconds: float | None  # processor time of the whole run
    unbeatable: bool
    unbeatable_steps: int | None  # to the first unbeatable certificate
    unbeatable_seconds: float | None
    worst_case_X: float | None  # noqa: N815  # named as in certificates
    worst_case_O: float | None  # noqa: N815
    optimal_moves: float | None
    error: str  # why the run failed; empty if it did not
    stopped_early: bool  # because others were better after the same number of steps


def text(summaries: Sequence[dict[str, Any]], results: Sequence[Result]) -> str:
    """Return the contents of the file, from which `read` takes the results.

    Args:
        summaries: the settings' summaries, see `sweep_tables.summary`.
        results: of all runs.
    """
    rows = [asdict(result) for result in results]
    return json.dumps({"settings": list(summaries), "trainings": rows}, indent=2) + "\n"


def read(file: Path) -> list[Result]:
    """Read the results from an untrusted file.

    Raises:
        ValueError: if the file is missing or holds anything else.
    """
    keys = [field.name for field in fields(Result)]
    rows = json_rows.rows(file, "trainings", WHAT, keys)
    return [_result(row, f"{shown(file)} holds no {WHAT}", keys) for row in rows]


def _result(row: dict[str, Any], refusal: str, keys: Sequence[str]) -> Result:
    found = from_stored(Result, {key: row[key] for key in keys}, refusal)
    if not isinstance(found.changes, dict):
        raise ValueError(f"{refusal}: changes is not {shown(repr(found.changes), 80)}")
    times = (found.steps, found.seconds, found.unbeatable_steps, found.unbeatable_seconds)
    known = [number for number in (found.seed, *times) if number is not None]
    if not all(json_rows.is_number(number) and number >= 0 for number in known):
        raise ValueError(f"{refusal}: a seed, steps or seconds are negative or too large")
    return found
