"""Times at which training runs became unbeatable, from a benchmark or a sweep."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

from tttenv.report import sweep_file
from tttenv.utils.schema import Between, Count, NonNegative, Number
from tttenv.utils.untrusted import shown

BENCHMARK = "results of the benchmark"


@dataclass(frozen=True)
class Ending:
    """The outcome of a training run."""

    name: str  # the learner, or the sweep's setting
    seed: int
    seconds: float | None  # processor time to the first unbeatable certificate; None: never
    folder: str | None = None  # the trained player's folder

    @property
    def unbeatable(self) -> bool:
        """Whether the run became unbeatable."""
        return self.seconds is not None


class BenchmarkPlayer(TypedDict):
    """A player in benchmark results."""

    player: str
    folder: str | None
    seconds: Number | None


class BenchmarkTraining(TypedDict):
    """A training run in benchmark results."""

    learner: str
    seed: Count
    folder: str
    unbeatable_at: tuple[NonNegative, NonNegative] | None  # step and second


class Benchmark(TypedDict):
    """The part of benchmark results that the page shows."""

    players: Annotated[list[BenchmarkPlayer], Between(1, math.inf)]
    trainings: NotRequired[list[BenchmarkTraining]]
    quick: NotRequired[bool]


def of_benchmark(found: Benchmark) -> list[Ending]:
    """Return the outcomes of a results file's training runs; the list may be empty."""
    rows = found.get("trainings", [])
    return [
        Ending(
            row["learner"],
            row["seed"],
            row["unbeatable_at"] and row["unbeatable_at"][1],
            row["folder"],
        )
        for row in rows
    ]


def of_sweep(file: Path) -> list[Ending]:
    """Return the outcomes of the runs of a sweep that did not fail.

    Raises:
        ValueError: if the file is not a valid sweep file.
    """
    results = sweep_file.read(file)
    done = [result for result in results if not result.error]
    if not done:
        raise ValueError(
            f"{shown(file)} holds no {sweep_file.WHAT}: it lists no finished training run"
        )
    return [Ending(one.setting, one.seed, one.unbeatable_seconds) for one in done]
