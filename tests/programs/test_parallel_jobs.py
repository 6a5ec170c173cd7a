"""Commands whose results are the same, bit for bit, with any number of processes."""

import importlib
import json
from pathlib import Path

import pytest

JOBS = {  # a command's module, and arguments with which it takes a few seconds
    "sweep": ("learners.cli.sweep", "td0 --seeds 2 --steps 4"),
    "league": (
        "tttenv.cli.league",
        "random first tactical minimax mcts:iterations=5 alphabeta:depth=1"
        " --games 10 --positions 1500 --json",
    ),
}


def without_seconds(value):
    """Return what a JSON file holds besides measured times."""
    if isinstance(value, list):
        return [without_seconds(part) for part in value]
    if isinstance(value, dict):
        return {k: without_seconds(part) for k, part in value.items() if "seconds" not in k}
    return value


def files():
    """Return the JSON files without measured times, and the weights bit for bit."""
    found = {str(file): file.read_bytes() for file in Path("runs").rglob("weights-*")}
    for file in Path("results").glob("*.json"):
        found[str(file)] = without_seconds(json.loads(file.read_text()))
    return found


@pytest.mark.parametrize("job", JOBS)
def test_results_are_the_same_with_any_number_of_processes(job, tmp_path, monkeypatch, capsys):
    found, (module, arguments) = [], JOBS[job]
    for workers in ("1", "2"):
        (folder := tmp_path / workers).mkdir()
        monkeypatch.chdir(folder)
        importlib.import_module(module).main([*arguments.split(), "--jobs", workers])
        printed = capsys.readouterr().out if "--json" in arguments else ""
        found.append((files(), printed))
    assert found[0] == found[1]
    assert len(found[0][0]) == {"sweep": 3, "league": 1}[job]
