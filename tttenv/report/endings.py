"""When training runs became unbeatable: read from a benchmark or a sweep, one dot per seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, NotRequired, TypedDict

from tttenv.report import sweep_file
from tttenv.report.charts import dot, percent, text
from tttenv.report.markup import Markup, element, joined
from tttenv.report.markup import table as table_of
from tttenv.utils.schema import Count, Meta, NonNegative, Number
from tttenv.utils.untrusted import shown

BENCHMARK = "results of the benchmark"
LONGEST = 100  # maximum characters of a name
LEAST = 1e-3  # seconds; shorter times are clipped
END = 0.88  # the end of the axis, as a share of the width
NEVER = 0.95  # the place of runs that did not become unbeatable
ROWS = 100  # maximum rows
SCATTER = (math.sqrt(5) - 1) / 2  # vertical distance of successive seeds' dots


@dataclass(frozen=True)
class Ending:
    """The outcome of a training run."""

    name: str  # the learner, or the sweep's setting
    seed: int
    seconds: float | None  # processor time to the first unbeatable certificate; None: never
    folder: str | None = None  # the trained player's folder


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

    players: Annotated[list[BenchmarkPlayer], Meta(min_length=1)]
    trainings: NotRequired[list[BenchmarkTraining]]
    quick: NotRequired[bool]


def of_benchmark(found: Benchmark) -> list[Ending]:
    """Return the outcomes of a results file's training runs; the list may be empty."""
    return [
        Ending(row["learner"], row["seed"], at and at[1], row["folder"])
        for row in found.get("trainings", [])
        for at in [row["unbeatable_at"]]
    ]


def of_sweep(file: Path) -> list[Ending]:
    """Return the outcomes of the runs of a sweep that did not fail.

    Raises:
        ValueError: if the file is not a valid sweep file.
    """
    done = [result for result in sweep_file.read(file) if not result.error]
    if not done:
        raise ValueError(
            f"{shown(file)} holds no {sweep_file.WHAT}: it lists no finished training run"
        )
    return [Ending(one.setting, one.seed, one.unbeatable_seconds) for one in done]


def table(trainings: Sequence[Ending], head: str) -> Markup:
    """Return a table with one row per name and one dot per seed, the most reliable name first."""
    groups: dict[str, list[Ending]] = {}
    for training in trainings:
        groups.setdefault(training.name, []).append(training)
    times = {name: [o.seconds for o in g if o.seconds is not None] for name, g in groups.items()}
    order = sorted(
        groups,
        key=lambda name: (
            -len(times[name]) / len(groups[name]),
            median(times[name]) if times[name] else math.inf,
        ),
    )
    ends = powers([max(time, LEAST) for found in times.values() for time in found] or [1.0])
    never = any(one.seconds is None for one in trainings)
    heads = (head, "Unbeatable", "Seconds of one core, each seed a dot", "Median")
    foot = element("tr", *(element("td", part) for part in ("", "", _axis(ends, never), "seconds")))
    body = element("tbody", *(_row(groups[name], times[name], ends) for name in order[:ROWS]))
    whole = table_of(heads, body, element("tfoot", foot), class_="strips")
    if len(order) <= ROWS:
        return whole
    return joined([whole, element("p", f"{len(order) - ROWS:,} more are not shown.")])


def powers(values: Sequence[float]) -> tuple[int, int]:
    """Return the exponents of the powers of ten that enclose positive values."""
    lowest = math.floor(math.log10(min(values)))
    return lowest, max(math.ceil(math.log10(max(values))), lowest + 1)


def _row(group: Sequence[Ending], times: list[float], ends: tuple[int, int]) -> Markup:
    parts = []
    if times and len(group) > 1:
        at = percent(_place(median(times), ends))
        parts.append(element("line", class_="middle", x1=at, x2=at, y1="8%", y2="92%"))
    for one in group:
        y = 22 + 56 * ((one.seed * SCATTER) % 1) if len(group) > 1 else 50
        name, x = ("never", NEVER) if one.seconds is None else ("", _place(one.seconds, ends))
        parts.append(dot(x, y, name))
    name = shown(group[0].name, LONGEST)
    return element(
        "tr",
        element("th", name, scope="row", title=name),
        element("td", f"{len(times)} of {len(group)}"),
        element("td", element("svg", *parts, class_="strip", aria_hidden="true")),
        element("td", f"{median(times):.1f}" if times else "\u2013"),
    )


def _place(seconds: float, ends: tuple[int, int]) -> float:
    """Return the place of a time on the logarithmic axis, as a share of the width."""
    share = (math.log10(max(seconds, LEAST)) - ends[0]) / (ends[1] - ends[0])
    return 0.03 + (END - 0.03) * share


def _axis(ends: tuple[int, int], never: bool) -> Markup:
    parts = []
    for power in range(ends[0], ends[1] + 1):
        x = _place(10.0**power, ends)
        parts.append(
            element("line", class_="tick", x1=percent(x), x2=percent(x), y1="0%", y2="25%")
        )
        parts.append(text(f"{10.0**power:,g}", x, 85))
    parts += [text("never", NEVER, 85)] if never else []
    return element("svg", *parts, class_="scale", aria_hidden="true")
