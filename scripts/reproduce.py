"""Re-run published experiments: each number claimed, exact as published, and repaired."""

import json
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `scripts` is found

from scripts.reproduction import SOURCES
from tttenv.cli import console, text_tables, workers
from tttenv.cli.options import Flag, NumberOrNone
from tttenv.cli.workers import Workers
from tttenv.utils.registry import unknown

if TYPE_CHECKING:
    from tttenv.parallel import Context, TaskResult

PROG = "reproduce.py"
FINISHED = ".reproduce"  # folder of what an interrupted run has found


@dataclass(frozen=True)
class Arguments:
    """Re-run the published experiments and print for each number: claimed, exact, repaired.

    Here "as published" is our re-run of the published form, its flaws included, measured exactly,
    and "repaired" is our own player in its place. The exit status is 1 if a row is not near enough.
    The table of a source is printed once it is done. Writes results/reproduce.json. An interrupted
    run continues with the sources that it lacks.
    """

    only: tuple[str, ...] = tuple(SOURCES)  # sources to reproduce
    quick: Flag = False  # small budgets, two minutes; rows that need more are not judged
    seed: int = 0  # random seed of training and sampling
    jobs: NumberOrNone = None  # number of sources at a time; if omitted, one for each core
    out: Path = Path("results")  # folder for reproduce.json
    wide: Flag = False  # show all columns side by side, even on a narrow terminal
    json: Flag = False  # print the results as JSON instead of tables


def main(args: list[str]) -> None:
    """Run the sources, and list the rows outside their tolerance."""
    given = console.parse(Arguments, PROG, args)
    check(given)
    from scripts.reproduction import rows
    from tttenv.parallel import ResultsFolder, Task
    from tttenv.utils.files import write

    def ended(outcome: "TaskResult") -> None:
        if not outcome.error and not given.json:
            rows.show(names[outcome.number], outcome.value, given.wide)
            sys.stdout.flush()

    names = [name for name in SOURCES if name in given.only]
    settings = {"quick": given.quick, "seed": given.seed}
    tasks = [Task(name, run, {"source": name, **settings}) for name in names]
    kept = given.out / FINISHED
    outcomes = workers.run_all(tasks, Workers(jobs=given.jobs), kept, given.json, ended)
    found = [row for part in workers.values(outcomes) for row in part]
    ResultsFolder(kept).remove()
    text = json.dumps({"rules": "3,3,3", **settings, "rows": found}, indent=1) + "\n"
    write(given.out / "reproduce.json", text)
    if given.json:
        print(text, end="")
    else:
        text_tables.say(f"{rows.verdict(found)}; results {given.out / 'reproduce.json'}")
    if missed := [row["id"] for row in found if row["holds"] is False]:
        sys.stdout.flush()
        print(f"{PROG}: not within tolerance: {', '.join(missed)}", file=sys.stderr)
        sys.exit(1)


def check(given: Arguments) -> None:
    """Raise ValueError for invalid arguments, before anything runs."""
    for name in given.only:
        if name not in SOURCES:
            raise ValueError(unknown("source", name, SOURCES))
    console.check_seed(given.seed)
    workers.check(Workers(jobs=given.jobs))
    if not given.only or len(set(given.only)) < len(given.only):
        raise ValueError("--only must name at least one source, each once")
    console.check_folder(given.out)


def run(settings: dict[str, Any], context: "Context") -> list[dict[str, Any]]:
    """Run the experiments of a source in this process, reporting its progress."""
    import torch

    from scripts.reproduction.rows import Run

    torch.set_num_threads(1)
    module = import_module(f"scripts.reproduction.{SOURCES[settings['source']]}")
    how = Run(settings["quick"], settings["seed"], lambda done, of: context.tell(done, of, ""))
    return [row.to_dict() for row in module.numbers(how)]


if __name__ == "__main__":
    console.run(main, PROG)
