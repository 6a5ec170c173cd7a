"""Train every learner, certify every player, and report all exact strengths."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from learners.cli import benchmark_tables
from learners.registry import LEARNERS, row
from tttenv.cli import console, report, text_tables, workers
from tttenv.cli.options import Flag, FolderOrNone
from tttenv.cli.workers import HERE, AllWorkers
from tttenv.utils import optional_dependencies

PROG = "benchmark.py"
EXAMPLES = """
tttenv benchmark --quick
tttenv benchmark --learners selfplay dqn --seeds 5
"""
QUICK = 10  # --quick trains one step in so many


@dataclass(frozen=True)
class Arguments:
    """Train every learner, certify it and every named player, and print how strong each is.

    Writes results/benchmark.json and results/report.html, one file to open in a browser, and under
    runs/benchmark the trained players with their TensorBoard curves. All strengths are exact:
    computed over all positions, not sampled. An interrupted run continues where it stopped.
    """

    learners: tuple[str, ...] = tuple(LEARNERS)  # learners to train
    seeds: int = 1  # number of training runs per learner, counting up from --seed
    seed: int = 0  # the first seed
    quick: Flag = False  # a tenth of the steps, to show that everything works
    workers: AllWorkers = HERE
    out: Path = Path("results")  # folder for benchmark.json and report.html
    runs: Path = Path("runs/benchmark")  # folder for the trained players; older ones are replaced
    ship: FolderOrNone = None  # also copy each learner's first trained player to this folder
    wide: Flag = False  # show all columns side by side, even on a narrow terminal
    json: Flag = False  # print the results as JSON instead of tables


def main(args: list[str], prog: str = PROG) -> None:
    """Run the benchmark, and print the paths of its files."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    for name in given.learners:
        row(name)
    if given.learners:
        optional_dependencies.require_learn()
    console.check_seed(given.seed)
    if given.seeds < 1 or len(set(given.learners)) < len(given.learners):
        raise ValueError("--seeds must be at least 1, and --learners name no learner twice")
    workers.check(given.workers)
    for folder in (given.out, given.runs, given.ship):
        console.check_folder(folder)
    if given.ship:
        benchmark_tables.shipping_list(given.ship)  # refuses a README without its markers
    trainings = train_all(given)
    with console.stage("certifying the players by name", given.json):
        named = named_players()
    result = {
        "rules": "3,3,3",
        "quick": given.quick,
        "players": named + [trained_player(t) for t in trainings if t["seed"] == given.seed],
        "trainings": trainings,
        "learners": [summary(name, trainings) for name in given.learners],
    }
    from learners.cli.trainings import RESULTS
    from tttenv.parallel import ResultsFolder
    from tttenv.utils.files import write

    if given.ship:
        benchmark_tables.ship(result, given.seed, given.ship)
    write(given.out / "benchmark.json", json.dumps(result, indent=2) + "\n")
    ResultsFolder(given.runs / RESULTS).remove()  # the next benchmark trains again
    page = given.out / "report.html"
    with console.stage("making the report", given.json) as tell:
        about = report.Arguments(results=given.out / "benchmark.json", out=page, runs=given.runs)
        report.make(about, prog, tell)
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        benchmark_tables.show(result, given.wide)
        print(f"\nresults   {given.out / 'benchmark.json'}")
        text_tables.say(f"players   {given.runs}, each to certify again: tttenv certify FOLDER")
        print(f"curves    tensorboard --logdir {shlex.quote(str(given.runs))}")
        if given.learners:
            from learners.training.tensorboard import ADDRESS

            print(f"          {ADDRESS}, without smoothing")
        print(f"report    {report.address(page)}")


def train_all(given: Arguments) -> list[dict[str, Any]]:
    """Train every learner with every seed, and return the results in that order.

    Raises:
        ValueError: naming the training runs that failed, after all have ended.
    """
    if not given.learners:
        return []
    with console.stage("loading PyTorch", given.json):
        from learners.cli import trainings
        from learners.cli.search_space import Setting
        from learners.training.loop import usual_schedule
    about, todo = [], []
    for name in given.learners:
        one, usual = Setting(name, "default", "3,3,3", {}), usual_schedule(name)
        steps = max(usual.every, usual.steps // QUICK) if given.quick else None
        schedule = one.schedule(steps, given.workers)
        for seed in range(given.seed, given.seed + given.seeds):
            folder = one.folder(seed)
            about.append({"learner": name, "seed": seed, "folder": str(given.runs / folder)})
            todo.append((folder, one.training(seed, schedule)))
    found = workers.values(trainings.run_all(todo, given.runs, given.workers, quiet=given.json))
    return [one | value for one, value in zip(about, found, strict=True)]


def named_players() -> list[dict[str, Any]]:
    """Return one row, with a certificate, for each player that needs no training."""
    from tttenv import Rules, certify, player
    from tttenv.players import PLAYERS

    blank = {"folder": None, "seconds": None}
    return [
        {"player": name, **blank, **certify(Rules(), player(name)).to_dict()} for name in PLAYERS
    ]


def trained_player(training: dict[str, Any]) -> dict[str, Any]:
    """Return a trained player's row: its certificate and when it became unbeatable."""
    reached = training["unbeatable_at"]
    return {
        "player": f"{training['learner']} {training['seed']}",
        "folder": training["folder"],
        "seconds": reached[1] if reached else training["seconds"],
        "steps": training["steps"],
        **training["certificate"],
    }


def summary(name: str, trainings: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarize a learner's runs: how many became unbeatable, and the median time."""
    own = [training for training in trainings if training["learner"] == name]
    reached = [training["unbeatable_at"] for training in own if training["unbeatable_at"]]
    return {
        "learner": name,
        "seeds": len(own),
        "unbeatable": len(reached),
        "median_steps": median(step for step, _ in reached) if reached else None,
        "median_seconds": median(seconds for _, seconds in reached) if reached else None,
        "slowest_seconds": max(seconds for _, seconds in reached) if reached else None,
    }
