"""Commands whose results are the same, bit for bit, with any number of processes."""

import csv
import importlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WORKERS = (1, 3)
CLOCK = ("seconds", "unbeatable_seconds")  # what a clock measures of a training


@dataclass(frozen=True)
class Job:
    """Command with small arguments, and its files in the working folder."""

    module: str  # of the command
    arguments: tuple[str, ...]
    files: Callable[[], Any]  # all results, as something that can be compared


def sweep_files() -> Any:
    """Return the JSON and the CSV without measured times, and the weights bit for bit."""
    found = json.loads(Path("results/sweep.json").read_text())
    for one in found["settings"]:
        for name in ("median_seconds", "quartiles_seconds"):
            del one[name]
    for row in found["trainings"]:
        for name in CLOCK:
            del row[name]
    lines = list(csv.DictReader(io.StringIO(Path("results/sweep.csv").read_text())))
    for line in lines:
        for name in CLOCK:
            del line[name]
    weights = {str(file): file.read_bytes() for file in Path("runs").rglob("weights-*")}
    assert len(weights) == len(lines) == len(found["trainings"]) > 0
    return found, lines, weights


def league_files() -> Any:
    """Return the file with all results, ratings and the matrix, bit for bit."""
    return Path("results/league.json").read_bytes()


def no_files() -> Any:
    """Return nothing, since everything to be compared is printed."""
    return None


# name: what is done; each takes a few seconds
JOBS = {
    "sweep": Job(
        "learners.cli.sweep",
        ("td0", "--seeds", "2", "--grid", "games=16,32", "--steps", "4"),
        sweep_files,
    ),
    "league": Job(
        "tttenv.cli.league",
        (
            *("random", "first", "tactical", "minimax", "mcts:iterations=5", "alphabeta:depth=1"),
            *("--games", "10", "--positions", "1500", "--json"),
        ),
        league_files,
    ),
    "certificate": Job(
        "tttenv.cli.certify",
        ("mcts:iterations=10", "--rules", "4,4,3", "--positions", "300", "--json"),
        no_files,
    ),
}


def results_of(name: str, options: list[str], capsys: Any) -> Any:
    """Return the files and output of a job, run in the working folder with these options."""
    job = JOBS[name]
    importlib.import_module(job.module).main([*job.arguments, *options])
    printed = capsys.readouterr().out if "--json" in job.arguments else ""
    return job.files(), printed


@pytest.mark.parametrize("job", JOBS)
def test_results_are_the_same_with_any_number_of_processes(job, tmp_path, monkeypatch, capsys):
    found = []
    for workers in WORKERS:
        (folder := tmp_path / str(workers)).mkdir()
        monkeypatch.chdir(folder)
        found.append(results_of(job, ["--jobs", str(workers)], capsys))
    assert found[0] == found[1]
