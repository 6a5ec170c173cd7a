"""Sweep results, by setting and by training run, as tables and CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from statistics import median
from typing import Any

import numpy as np

from learners.cli.search_space import text
from tttenv.certificates import phrases
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column
from tttenv.report.sweep_file import TrainingResult
from tttenv.utils.untrusted import shown

COLUMNS = [
    Column("setting", left=True),
    Column("seeds"),
    Column("unbeatable\n%"),
    Column("median", group="steps"),
    Column("half of them", group="steps", rank=2),
    Column("median", group="seconds", rank=1),
    Column("half of them", group="seconds", rank=3),
    Column("X", group="worst case"),
    Column("O", group="worst case"),
]
LEGEND = (
    "steps, seconds: to the first unbeatable certificate; half of them: between the quartiles of"
    " the seeds that got there; worst case: of the weakest seed, if unbeatable the game's value"
)


def summary(name: str, results: Sequence[TrainingResult]) -> dict[str, Any]:
    """Summarize the training runs of a setting."""
    done = [one for one in results if not one.error]
    reached = [one for one in done if one.unbeatable]
    failed = len(results) - len(done)
    found: dict[str, Any] = {"setting": name, "seeds": len(results), "failed": failed}
    found |= {"unbeatable": len(reached), "stopped_early": any(one.stopped_early for one in done)}
    for key in ("steps", "seconds"):
        numbers = sorted(getattr(one, f"unbeatable_{key}") for one in reached)
        found[f"median_{key}"] = median(numbers) if numbers else None
        quartiles = map(float, np.quantile(numbers or [0], (0.25, 0.75)))
        found[f"quartiles_{key}"] = list(quartiles) if numbers else None
    for seat in "XO":
        known = [getattr(one, f"worst_case_{seat}") for one in done]
        found[f"worst_case_{seat}"] = min(known) if known and None not in known else None
    return found


def show(summaries: Sequence[dict[str, Any]], wide: bool = False) -> None:
    """Print the table of settings; on narrow terminals some columns are omitted unless `wide`."""
    missing = text_tables.show(COLUMNS, [_cells(found) for found in summaries], wide)
    text_tables.print_dropped_columns(missing, "--wide shows them, and sweep.json has all numbers")
    text_tables.say(LEGEND)
    for found in summaries:
        if found["failed"]:
            text_tables.say(f"{found['setting']}: {found['failed']} of its trainings failed", "  ")
    if any(found["stopped_early"] for found in summaries):
        text_tables.say("...: stopped early, as others were stronger after as many steps")


def _cells(found: dict[str, Any]) -> list[str]:
    share = phrases.share(found["unbeatable"] / found["seeds"])
    cells = [
        found["setting"] + (" ..." if found["stopped_early"] else ""),
        str(found["seeds"]),
        share,
    ]
    for key, digits in (("steps", 0), ("seconds", 1)):
        middle, spread = found[f"median_{key}"], found[f"quartiles_{key}"]
        cells.append("-" if middle is None else f"{middle:.{digits}f}")
        cells.append("-" if spread is None else " to ".join(f"{n:.{digits}f}" for n in spread))
    worst = [found[f"worst_case_{seat}"] for seat in "XO"]
    return cells + ["-" if number is None else phrases.value(number) for number in worst]


def line(found: TrainingResult) -> str:
    """Describe a finished run in one line."""
    who = f"{found.setting} seed {found.seed}"
    if found.error:
        return f"{who}: failed: {shown(found.error)}"
    if found.unbeatable:
        reached = f"step {found.unbeatable_steps} after {found.unbeatable_seconds:.1f} s"
        return f"{who}: unbeatable at {reached}"
    worst = [found.worst_case_X, found.worst_case_O]
    told = ["undecided" if number is None else phrases.value(number) for number in worst]
    taken = f"{phrases.steps(found.steps or 0)}, {found.seconds:.1f} s"
    return f"{who}: worst case X {told[0]} O {told[1]} after {taken}"


def as_csv(results: Sequence[TrainingResult]) -> str:
    """Return results as CSV, with one line per run and a column for each varied setting."""
    changed = dict.fromkeys(name for one in results for name in one.changes)
    plain = [
        field.name for field in fields(TrainingResult) if field.name not in ("changes", "setting")
    ]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*plain, *(f"config.{name}" for name in changed)])
    for one in results:
        cells = ["" if (value := getattr(one, name)) is None else value for name in plain]
        changes = [text(one.changes[name]) if name in one.changes else "" for name in changed]
        writer.writerow([*cells, *changes])
    return stream.getvalue()
