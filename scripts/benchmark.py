"""The main job: train every learner, certify every player, tell the exact strengths of all."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import console
import report

from learners.registry import LEARNERS, row

PROG = "benchmark.py"
QUICK = 10  # --quick trains one step in so many


@dataclass(frozen=True)
class Arguments:
    """Train every learner, certify it and every named player, and print how strong each is.

    Writes results/benchmark.json and results/report.html, one file to open in a browser, and under
    runs/benchmark the trained players with their TensorBoard curves. All strengths are exact:
    computed over all positions, not sampled.
    """

    learners: tuple[str, ...] = tuple(LEARNERS)  # which to train
    seeds: int = 1  # how many trainings of each, counting up from --seed
    seed: int = 0  # the first
    quick: bool = False  # a tenth of the steps: shows that all works, not how strong it gets
    jobs: int = os.cpu_count() or 1  # trainings at the same time, a core each
    out: Path = Path("results")  # where benchmark.json and report.html go
    runs: Path = Path("runs/benchmark")  # where the trained players go; older ones are replaced
    ship: Path | None = None  # copy the first trained player of each learner to this folder too
    readme: Path | None = None  # put the tables between the marks of this file too
    json: bool = False  # print the results as JSON instead of tables


def main(args: list[str]) -> None:
    """Run the benchmark and say where everything is."""
    given = console.parse(Arguments, PROG, args)
    for name in given.learners:
        row(name)
    console.check_seed(given.seed)
    if len(set(given.learners)) < len(given.learners):
        raise ValueError("--learners names one twice")
    if given.seeds < 1 or given.jobs < 1:
        raise ValueError("--seeds and --jobs are at least 1")
    import fleet

    jobs = [
        fleet.Job(name, seed, given.runs / f"{name}-{seed}", QUICK if given.quick else 1)
        for name in given.learners
        for seed in range(given.seed, given.seed + given.seeds)
    ]
    trainings = fleet.train_all(jobs, given.jobs, quiet=given.json) if jobs else []
    result = {
        "rules": "3,3,3",
        "quick": given.quick,
        "players": named_players()
        + [trained_player(t) for t in trainings if t["seed"] == given.seed],
        "trainings": trainings,
        "learners": [summary(name, trainings) for name in given.learners],
    }
    from tttenv.files import write

    if given.ship:
        ship(trainings, given)
    write(given.out / "benchmark.json", json.dumps(result, indent=2) + "\n")
    report.make(given.out / "report.html", given.out / "benchmark.json")
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        text = show(result)
        if given.readme:
            into(given.readme, text)
        print(f"\nresults   {given.out / 'benchmark.json'}")
        print(f"players   {given.runs}, each to certify again with scripts/certify.py FOLDER")
        print(f"curves    {tensorboard_command(given.runs)}")
        print(f"report    {given.out / 'report.html'}, one file to open in a browser")


def named_players() -> list[dict[str, Any]]:
    """A row for each player that needs no training: its certificate."""
    from tttenv import Rules, certify, player
    from tttenv.opponents import OPPONENTS

    return [
        {
            "player": name,
            "folder": None,
            "seconds": None,
            **certify(Rules(), player(name)).to_dict(),
        }
        for name in OPPONENTS
    ]


def trained_player(training: dict[str, Any]) -> dict[str, Any]:
    """A row for a trained player: its certificate and the seconds to the first unbeatable one."""
    reached = training["unbeatable_at"]
    return {
        "player": f"{training['learner']} {training['seed']}",
        "folder": training["folder"],
        "seconds": reached[1] if reached else training["seconds"],
        "steps": training["steps"],
        **training["certificate"],
    }


def summary(name: str, trainings: list[dict[str, Any]]) -> dict[str, Any]:
    """Over all seeds of a learner: how many got unbeatable, and the median of how fast."""
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


def show(result: dict[str, Any]) -> str:
    """Print the results as tables; returns the text."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    out = Console(record=True)
    out.width = max(out.width, 120)
    table = Table(box=SIMPLE_HEAD)
    table.collapse_padding, table.pad_edge = True, False
    table.add_column("\nplayer", no_wrap=True)
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for entry in result["players"]:
        for seat in ("X", "O"):
            table.add_row(*_cells(entry, seat))
    out.print(f"exact strengths on {result['rules']}", highlight=False)
    out.print(table)
    for line in LEGEND + [_sentence(found) for found in result["learners"]]:
        out.print(line, highlight=False)
    return "\n".join(line.rstrip() for line in out.export_text().splitlines() if line.strip())


def ship(trainings: list[dict[str, Any]], given: Arguments) -> None:
    """Copy players without what only their training needs, and list them in a README."""
    from tttenv.card import CARD, POLICY, WEIGHTS
    from tttenv.files import write

    rows = []
    for training in trainings:
        if training["seed"] != given.seed:
            continue
        for name in (WEIGHTS, POLICY, CARD):
            source, target = Path(training["folder"]), given.ship / training["learner"]
            write(target / name, (source / name).read_bytes())
        card, name = training["certificate"], training["learner"]
        wins = [console.share(card["vs_random"][seat][0]) for seat in "XO"]
        worst = [console.value(card["worst_case"][seat]) for seat in "XO"]
        rows.append(
            f"| `{name}` | {worst[0]} / {worst[1]} | {wins[0]} / {wins[1]} | {training['steps']} |"
        )
    head = "| player | worst case X / O | wins vs random X / O, % | steps |\n|-|-|-|-|\n"
    title = (
        "# Trained players\n\nCertify one again: `python scripts/certify.py checkpoints/NAME`.\n\n"
    )
    write(given.ship / "README.md", title + head + "\n".join(rows) + "\n")


def into(readme: Path, text: str) -> None:
    """Put the text between the README's marks.

    Raises:
        ValueError: if it has none.
    """
    from tttenv.files import write

    before, begin, rest = readme.read_text(encoding="utf-8").partition("<!-- table: begin -->\n")
    _, end, after = rest.partition("<!-- table: end -->")
    if not end:
        raise ValueError(f"{readme} has no marks <!-- table: begin --> and <!-- table: end -->")
    write(readme, f"{before}{begin}```text\n{text}\n```\n{end}{after}")


HEADS = [
    *("\nseconds", "\nas", "random\nwin %", "\ndraw %", "\nloss %"),
    *("minimax\nwin %", "\ndraw %", "\nloss %"),
    *("worst\ncase", "optimal\nmoves %", "\nblunders", "\nunbeatable"),
]
LEGEND = [
    "seconds: of one core, to the first unbeatable certificate; worst case: value against a best",
    "response, 0 unbeatable, -1 always beaten; blunders: positions where it gives away value",
]


def _cells(entry: dict[str, Any], seat: str) -> list[str]:
    """One row of the table: what holds for both seats stands in X's."""
    seconds = "" if entry["seconds"] is None else f"{entry['seconds']:.1f}"
    unbeatable = "yes" if entry["unbeatable"] else "no"
    optimal = console.share(entry["optimal_moves"]["all"])
    left, right = [entry["player"], seconds], [optimal, str(entry["blunders"]), unbeatable]
    if seat == "O":
        left, right = ["", ""], ["", "", ""]
    shares = [*entry["vs_random"][seat], *entry["vs_perfect"][seat]]
    worst = console.value(entry["worst_case"][seat])
    return [*left, seat, *map(console.share, shares), worst, *right]


def _sentence(found: dict[str, Any]) -> str:
    sentence = f"{found['learner']}: {found['unbeatable']} of {found['seeds']} seeds unbeatable"
    if found["unbeatable"]:
        sentence += (
            f", median {found['median_steps']:.0f} steps in {found['median_seconds']:.1f} s,"
            f" slowest {found['slowest_seconds']:.1f} s"
        )
    return sentence


def tensorboard_command(runs: Path) -> str:
    """What to type to watch the curves."""
    local = Path(".venv/bin/tensorboard")
    return f"{local if local.exists() else 'tensorboard'} --logdir {runs}"


if __name__ == "__main__":
    console.run(main, PROG)
