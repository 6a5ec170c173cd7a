"""Train every learner, certify every player, and report all exact strengths."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from learners.cli import trainings
from learners.cli.trainings import RESULTS, Setting
from learners.registry import LEARNERS, row
from tttenv.certificates import phrases
from tttenv.cli import console, report, text_tables
from tttenv.cli.options import Flag, FolderOrNone
from tttenv.cli.text_tables import Column
from tttenv.cli.workers import HERE, AllWorkers
from tttenv.parallel.tasks import ResultsFolder
from tttenv.utils import optional_dependencies
from tttenv.utils.files import write

EXAMPLES = """
tttenv benchmark --quick
tttenv benchmark --learners selfplay dqn --seeds 5
"""
QUICK = 10  # --quick trains one step in so many
SUMMARY = "benchmark.json"  # next to the trained players: what all seeds of each learner took
COLUMNS = [
    Column("player", left=True),
    Column("champion", group="seconds", rank=3),
    Column("expert", group="seconds", rank=8),
    Column("moves\na second", rank=9),
    Column("as"),
    Column("win %", group="random"),
    Column("draw %", group="random", rank=4),
    Column("loss %", group="random"),
    Column("win %", group="minimax", rank=7),
    Column("draw %", group="minimax", rank=6),
    Column("loss %", group="minimax", rank=5),
    Column("worst\ncase"),
    Column("optimal\nmoves %", rank=2),
    Column("blunders", rank=1),
    Column("unbeatable"),
]
LEGEND = [
    "seconds: of one core, to the first certificate of a champion, which is unbeatable, and of an",
    "expert, which has no blunder; worst case: value against a best response, 0 unbeatable, -1",
    "always beaten; blunders: positions where it gives away value",
]


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
    # what three certificates in a row say at the end of a run
    until: Literal["unbeatable", "perfect"] = "unbeatable"
    quick: Flag = False  # a tenth of the steps, to show that everything works
    workers: AllWorkers = HERE
    out: Path = Path("results")  # folder for benchmark.json and report.html
    runs: Path = Path("runs/benchmark")  # folder for the trained players; older ones are replaced
    ship: FolderOrNone = None  # also copy each learner's first trained player to this folder
    json: Flag = False  # print the results as JSON instead of tables


def main(args: list[str], prog: str = "tttenv benchmark") -> None:
    """Run the benchmark, and print the paths of its files."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    for name in given.learners:
        row(name)
    if len(set(given.learners)) < len(given.learners):
        raise ValueError("--learners must name no learner twice")
    if given.learners:
        optional_dependencies.require_learn()
    folders = given.out, given.runs, given.ship
    trainings.check(given.seeds, given.workers, *folders)
    trained = train_all(given)
    with console.stage("certifying the players by name", given.json):
        named = named_players()
    result = {
        "rules": "3,3,3",
        "quick": given.quick,
        "players": named + [trained_player(t) for t in trained if t["seed"] == given.seed],
        "trainings": trained,
        "learners": [
            trainings.summary(name, [found for found in trained if found["learner"] == name])
            for name in given.learners
        ],
    }
    if given.ship:
        ship(result, given.seed, given.ship)
    write(given.out / "benchmark.json", json.dumps(result, indent=2) + "\n")
    ResultsFolder(given.runs / RESULTS).remove()  # the next benchmark trains again
    page = given.out / "report.html"
    with console.stage("making the report", given.json) as tell:
        about = report.Arguments(results=given.out / "benchmark.json", out=page, runs=given.runs)
        report.make(about, prog, tell)
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)
        print(f"\nresults   {given.out / 'benchmark.json'}")
        text_tables.say(f"players   {given.runs}, each to certify again: tttenv certify FOLDER")
        print(f"curves    tensorboard --logdir {shlex.quote(str(given.runs))}")
        if given.learners:
            from learners.training.tensorboard import ADDRESS

            print(f"          {ADDRESS}")  # without smoothing
        print(f"report    {page.resolve().as_uri()}")


def train_all(given: Arguments) -> list[dict[str, Any]]:
    """Train every learner with every seed, and return the results in that order.

    Raises:
        ValueError: if a training failed.
    """
    from learners.training.run import usual_schedule

    settings = []
    for name in given.learners:
        one, usual = Setting(name, "default", "3,3,3", {}), usual_schedule(name)
        steps = max(usual.every, usual.steps // QUICK) if given.quick else None
        settings.append((one, one.schedule(steps, given.workers, given.until)))
    seeds = range(given.seed, given.seed + given.seeds)
    found = trainings.train_all(settings, seeds, given.runs, given.workers, given.json)
    if failed := trainings.failures(found):
        raise ValueError(failed)
    return found


def named_players() -> list[dict[str, Any]]:
    """Return one row, with a certificate, for each player that needs no training."""
    from tttenv import Rules, certify, player
    from tttenv.players import PLAYERS

    blank = {"folder": None, "seconds": None}
    return [
        {"player": name, **blank, **certify(Rules(), player(name)).to_dict()} for name in PLAYERS
    ]


def trained_player(training: dict[str, Any]) -> dict[str, Any]:
    """Return a trained player's row: its certificate, and how quickly it learned."""
    reached, perfect = training["unbeatable_at"], training["perfect_at"]
    return {
        "player": f"{training['learner']} {training['seed']}",
        "folder": training["folder"],
        "seconds": reached[1] if reached else training["seconds"],
        "expert_seconds": perfect[1] if perfect else None,
        "moves_per_second": training["moves_per_second"],
        "steps": training["steps"],
        **training["certificate"],
    }


def show(result: dict[str, Any]) -> None:
    """Print the results as a table and a sentence about each learner."""
    print(f"exact strengths on {result['rules']}")
    text_tables.show(*table(result), "benchmark.json")
    text_tables.say(" ".join(LEGEND))
    for found in result["learners"]:
        text_tables.say(sentence(found), "  ")


def ship(result: dict[str, Any], seed: int, out: Path) -> None:
    """Copy the players of `seed` without their training state to the folder `out`.

    The results of all seeds go to `out/benchmark.json`, which keeps those of other learners.
    """
    from tttenv.players.stored import checkpoint

    for training in result["trainings"]:
        if training["seed"] == seed:
            folder, roles = Path(training["folder"]), [checkpoint.WEIGHTS, checkpoint.POLICY]
            if checkpoint.file_of(checkpoint.read_card(folder), checkpoint.SNAPSHOTS):
                roles.append(checkpoint.SNAPSHOTS)
            checkpoint.commit(out / training["learner"], *checkpoint.read_data(folder, *roles))
    before = measured(out) if (out / SUMMARY).exists() else []
    found = {one["learner"]: one for one in before + result["learners"]}
    kept = [found[name] for name in LEARNERS if name in found]
    write(out / SUMMARY, json.dumps({"learners": kept}, indent=1) + "\n")


def measured(folder: Path) -> list[dict[str, Any]]:
    """Load each learner's summary over all seeds, stored beside the bundled players."""
    text = (folder / SUMMARY).read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["learners"]
    return found


def table(result: dict[str, Any]) -> tuple[list[Column], list[list[str]]]:
    """Return the columns that are not empty, and their cells, two rows per player, one per seat."""
    rows = [_cells(entry, seat) for entry in result["players"] for seat in ("X", "O")]
    known = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    return [COLUMNS[i] for i in known], [[row[i] for i in known] for row in rows]


def _cells(entry: dict[str, Any], seat: str) -> list[str]:
    """Return the row of one seat; values common to both seats are in X's row."""
    times = [entry["seconds"], entry.get("expert_seconds")]
    seconds = ["" if time is None else f"{time:.1f}" for time in times]
    pace = phrases.large(entry["moves_per_second"]) if entry.get("moves_per_second") else ""
    unbeatable = "yes" if entry["unbeatable"] else "no"
    optimal = phrases.share(entry["optimal_moves"]["all"])
    left, right = [entry["player"], *seconds, pace], [optimal, str(entry["blunders"]), unbeatable]
    if seat == "O":
        left, right = [""] * len(left), [""] * len(right)
    shares = [*entry["vs_random"][seat], *entry["vs_perfect"][seat]]
    worst = phrases.value(entry["worst_case"][seat])
    return [*left, seat, *map(phrases.share, shares), worst, *right]


def sentence(found: dict[str, Any]) -> str:
    """Describe the training runs of a learner."""
    sentence = f"{found['learner']}: {found['unbeatable']} of {found['seeds']} seeds unbeatable"
    if found["unbeatable"]:
        sentence += (
            f", median {found['median_steps']:.0f} steps in {found['median_seconds']:.1f} s,"
            f" slowest {found['slowest_seconds']:.1f} s"
        )
    if found["perfect"]:
        sentence += (
            f"; {found['perfect']} perfect, median {found['median_perfect_steps']:.0f} steps in"
            f" {found['median_perfect_seconds']:.1f} s"
        )
    if found["moves_per_second"]:
        sentence += f"; {phrases.large(found['moves_per_second'])} moves a second"
    return sentence
