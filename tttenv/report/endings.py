"""When training runs became unbeatable, from the results of the benchmark or a sweep."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tttenv.report import sweep_file
from tttenv.utils import json_rows
from tttenv.utils.untrusted import shown

MOST = 10_000  # maximum runs on a page
BENCHMARK = "results of the benchmark"


@dataclass(frozen=True)
class Ending:
    """The end of one training run."""

    name: str  # the learner, or the sweep's setting
    seed: int
    seconds: float | None  # processor time to the first unbeatable certificate; None: never
    folder: str | None = None  # the trained player's folder
    stopped_early: bool = False  # by a sweep, because others were better

    @property
    def unbeatable(self) -> bool:
        """Whether the run became unbeatable."""
        return self.seconds is not None


def of_benchmark(found: dict[str, Any], file: Path) -> list[Ending]:
    """Return the runs of a results file; empty if it has none.

    Raises:
        ValueError: if it is not a valid benchmark file, or too large.
    """
    if "trainings" not in found:
        return []
    keys = ("learner", "seed", "folder", "unbeatable_at")
    rows = json_rows.rows_of(found, file, "trainings", BENCHMARK, keys)
    _check_count(len(rows), file)
    endings = []
    for row in rows:
        reached = row["unbeatable_at"]
        fits = reached is None or (
            isinstance(reached, list) and len(reached) == 2 and all(map(_is_time, reached))
        )
        if not fits or not isinstance(row["folder"], str):
            raise _wrong(file)
        seconds = None if reached is None else reached[1]
        endings.append(Ending(row["learner"], row["seed"], seconds, row["folder"]))
    if not all(map(_is_named, endings)):
        raise _wrong(file)
    return endings


def of_sweep(file: Path) -> list[Ending]:
    """Return a sweep's runs that did not fail.

    Raises:
        ValueError: if the file is not a valid sweep file, or too large.
    """
    results = sweep_file.read(file)
    _check_count(len(results), file)
    done = [result for result in results if not result.error]
    if not done:
        raise ValueError(f"{shown(file)} holds no {sweep_file.WHAT}: no training in it has ended")
    return [
        Ending(one.setting, one.seed, one.unbeatable_seconds, stopped_early=one.stopped_early)
        for one in done
    ]


def _check_count(trainings: int, file: Path) -> None:
    if trainings > MOST:
        raise ValueError(f"{shown(file)} tells of {trainings:,} trainings: a page shows {MOST:,}")


def _is_time(value: object) -> bool:
    return json_rows.is_number(value) and value >= 0


def _is_named(ending: Ending) -> bool:
    seed: object = ending.seed
    whole = isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0
    return isinstance(ending.name, str) and whole and json_rows.is_number(seed)


def _wrong(file: Path) -> ValueError:
    return ValueError(
        f"{shown(file)} holds no {BENCHMARK}: its trainings have values of other kinds"
    )
