"""How soon trainings became unbeatable, as the benchmark or a sweep says of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learners.cli.report_page import json_rows
from tttenv.untrusted import shown

MOST = 10_000  # trainings that a page shows
BENCHMARK, SWEEP = "results of the benchmark", "results of a sweep"


@dataclass(frozen=True)
class Ending:
    """How one training ended."""

    name: str  # of the learner, or of a sweep's setting
    seed: int
    seconds: float | None  # of processor time to the first unbeatable certificate; None: never
    folder: str | None = None  # of the trained player
    stopped_early: bool = False  # by a sweep, as others were better

    @property
    def unbeatable(self) -> bool:
        """Whether the training became unbeatable."""
        return self.seconds is not None


def of_benchmark(found: dict[str, Any], file: Path) -> list[Ending]:
    """The trainings in what a results file holds; none if it says nothing of any.

    Raises:
        ValueError: if it says something else than the benchmark does, or too much.
    """
    if "trainings" not in found:
        return []
    keys = ("learner", "seed", "folder", "unbeatable_at")
    rows = _rows(found, file, BENCHMARK, keys)
    endings = []
    for row in rows:
        reached = row["unbeatable_at"]
        fits = reached is None or (
            isinstance(reached, list) and len(reached) == 2 and all(map(_is_time, reached))
        )
        if not fits or not isinstance(row["folder"], str):
            raise _wrong(file, BENCHMARK)
        seconds = None if reached is None else reached[1]
        endings.append(Ending(row["learner"], row["seed"], seconds, row["folder"]))
    if not all(map(_is_named, endings)):
        raise _wrong(file, BENCHMARK)
    return endings


def of_sweep(file: Path) -> list[Ending]:
    """The trainings of a sweep that did not fail.

    Raises:
        ValueError: if the file holds something else, or too much.
    """
    keys = ("setting", "seed", "unbeatable_seconds", "error", "stopped_early")
    endings = []
    for row in _rows(json_rows.content(file, SWEEP), file, SWEEP, keys):
        seconds, stopped = row["unbeatable_seconds"], row["stopped_early"]
        if not (seconds is None or _is_time(seconds)) or not isinstance(stopped, bool):
            raise _wrong(file, SWEEP)
        ending = Ending(row["setting"], row["seed"], seconds, stopped_early=stopped)
        if not _is_named(ending):
            raise _wrong(file, SWEEP)
        if row["error"] is None:
            endings.append(ending)
    if not endings:
        raise ValueError(f"{shown(file)} holds no {SWEEP}: no training in it has ended")
    return endings


def _rows(
    found: dict[str, Any], file: Path, what: str, keys: Sequence[str]
) -> list[dict[str, Any]]:
    rows = json_rows.rows_of(found, file, "trainings", what, keys)
    if len(rows) > MOST:
        raise ValueError(f"{shown(file)} tells of {len(rows):,} trainings: a page shows {MOST:,}")
    return rows


def _is_time(value: object) -> bool:
    return json_rows.is_number(value) and value >= 0


def _is_named(ending: Ending) -> bool:
    seed: object = ending.seed
    whole = isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0
    return isinstance(ending.name, str) and whole and json_rows.is_number(seed)


def _wrong(file: Path, what: str) -> ValueError:
    return ValueError(f"{shown(file)} holds no {what}: its trainings have values of other kinds")
