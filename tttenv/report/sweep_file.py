"""The results file of a sweep, sweep.json."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

from tttenv.utils import schema
from tttenv.utils.schema import Count, NonNegative

WHAT = "results of a sweep"


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training run; unknown values are None."""

    learner: str
    preset: str
    rules: str
    changes: dict[str, Any]  # fields that differ from the preset's config
    folder: str  # the trained player's folder
    setting: str
    seed: Count
    steps: Count | None
    seconds: NonNegative | None  # processor time of the whole run
    unbeatable: bool
    unbeatable_steps: Count | None  # to the first unbeatable certificate
    unbeatable_seconds: NonNegative | None
    worst_case_X: float | None  # noqa: N815  # named as in certificates
    worst_case_O: float | None  # noqa: N815
    optimal_moves: float | None
    error: str  # why the run failed; empty if it did not


class SweepFile(TypedDict):
    """The part of a sweep file's contents that `read` uses."""

    trainings: list[TrainingResult]


def text(summaries: Sequence[dict[str, Any]], results: Sequence[TrainingResult]) -> str:
    """Return the contents of the file; `read` extracts the results from it."""
    rows = [asdict(result) for result in results]
    return json.dumps({"settings": list(summaries), "trainings": rows}, indent=2) + "\n"


def read(file: Path) -> list[TrainingResult]:
    """Read the results from an untrusted file.

    Raises:
        ValueError: if the file is missing or invalid.
    """
    return schema.read(file, SweepFile, WHAT)["trainings"]
