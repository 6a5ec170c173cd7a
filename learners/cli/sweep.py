"""Compare many training runs by exact certificates: `tttenv sweep dqn --seeds 20`."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from learners.registry import LEARNERS, row
from tttenv.cli import console, text_tables, workers
from tttenv.cli.options import Flag, Learners, NumberOrNone, Repeated
from tttenv.cli.workers import HERE, AllWorkers
from tttenv.parallel import TaskResult
from tttenv.utils import optional_dependencies

if TYPE_CHECKING:
    from learners.cli.search_space import Setting
    from tttenv.report.sweep_file import TrainingResult

PROG = "sweep.py"
EXAMPLES = """
tttenv sweep dqn --grid lr=1e-3,3e-4 --seeds 3
tttenv sweep td0 --range lr=0.01..0.5 --random 10 --jobs 2
"""
# Successive halving (Jamieson and Talwalkar, Non-stochastic Best Arm Identification and
# Hyperparameter Optimization, 2016); exact certificates compare without sampling noise.
KEEP = 3  # one setting in this many continues, training this many times as long
ROUNDS = 3


@dataclass(frozen=True)
class Arguments:
    """Train learners with many settings and seeds; report how often each becomes unbeatable.

    Prints a line for each finished training and a table of all settings. Writes sweep.json and
    sweep.csv, and under runs/sweep the trained players, whose settings TensorBoard shows side by
    side under HPARAMS. A training ends at its first unbeatable certificate. Finished trainings are
    never repeated: an interrupted run continues where it stopped, and more seeds or values
    add to what is there.
    """

    learners: Learners = ()  # learners to train
    grid: Repeated = ()  # FIELD=VALUE,VALUE,... of the learners' settings; repeatable
    random: int = 0  # number of settings sampled from all --range
    range: Repeated = ()  # FIELD=LOW..HIGH; log-uniform if LOW is above 0; repeatable
    presets: tuple[str, ...] = ("default",)  # presets to start from
    rules: tuple[str, ...] = ("3,3,3",)  # the games
    seeds: int = 5  # number of seeds per setting, counting up from --seed
    seed: int = 0  # the first seed, also used for sampling
    steps: NumberOrNone = None  # maximum steps per training run; default: the usual number
    halve: Flag = False  # stop early: only the best third continues after 1/9 and 1/3 of the steps
    workers: AllWorkers = HERE
    out: Path = Path("results")  # folder for sweep.json and sweep.csv
    runs: Path = Path("runs/sweep")  # folder for the trained players
    wide: Flag = False  # show all columns side by side, even on a narrow terminal
    json: Flag = False  # print the results as JSON instead of lines and a table


def main(args: list[str], prog: str = PROG) -> None:
    """Train all settings, and print and write the results; exit with status 1 if a run failed."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    check(given, prog)
    with console.stage("loading PyTorch", given.json):
        from learners.cli import search_space, sweep_tables
        from tttenv.report import sweep_file
    from tttenv.utils.files import write

    tried = search_space.settings(given, prog)
    results = train_all(tried, given)
    summaries = [
        sweep_tables.summary(one.name, [found for found in results if found.setting == one.name])
        for one in tried
    ]
    whole = sweep_file.text(summaries, results)
    write(given.out / "sweep.json", whole)
    write(given.out / "sweep.csv", sweep_tables.as_csv(results))
    if given.json:
        print(whole, end="")
    else:
        sweep_tables.show(summaries, given.wide)
        print(f"\nresults   {given.out / 'sweep.json'}, {given.out / 'sweep.csv'}")
        text_tables.say(f"players   {given.runs}, each to certify again: tttenv certify FOLDER")
    if failed := [found.error for found in results if found.error]:
        sys.stdout.flush()
        told = f"{len(failed)} of {len(results)} trainings failed, the first one: {failed[0]}"
        print(f"{prog}: {console.visible(told)}", file=sys.stderr)
        sys.exit(1)


def check(given: Arguments, prog: str) -> None:
    """Raise ValueError for invalid arguments before anything is loaded or run."""
    if not given.learners:
        raise ValueError(f"which learners? As in: {prog} dqn; known are {', '.join(LEARNERS)}")
    for name in given.learners:
        row(name)
    optional_dependencies.require_learn()
    console.check_seed(given.seed)
    if given.seeds < 1 or not given.presets or not given.rules:
        raise ValueError("--seeds must be at least 1, --presets and --rules need a value")
    workers.check(given.workers)
    for folder in (given.out, given.runs):
        console.check_folder(folder)


def train_all(tried: Sequence["Setting"], given: Arguments) -> list["TrainingResult"]:
    """Train every setting with every seed, and return the results in that order.

    With --halve training has rounds; after each, the best settings of each learner and game
    continue from where their runs stopped.

    Raises:
        ValueError: if a learner rejects a setting, before anything is trained.
    """
    from learners.cli import sweep_tables, trainings

    seeds = range(given.seed, given.seed + given.seeds)
    schedules = {one.name: one.schedule(given.steps, given.workers) for one in tried}
    known = {one.folder(seed): (one, seed) for one in tried for seed in seeds}
    for one in tried:
        one.training(given.seed, schedules[one.name])
    results: dict[str, TrainingResult] = {}  # by folder
    going = list(tried)
    for left in range(ROUNDS - 1, -1, -1) if given.halve else [0]:
        todo = []
        for one in going:
            full = schedules[one.name]
            schedule = replace(full, steps=budget(full.steps, full.every, left))
            for folder in map(one.folder, seeds):
                if folder not in results or _unfinished(results[folder], schedule.steps):
                    todo.append((folder, one.training(known[folder][1], schedule)))

        def tell(outcome: TaskResult, last: bool = not left) -> str | None:
            found = _result(*known[outcome.task.name], outcome)
            ended = last or found.unbeatable or found.error
            return sweep_tables.line(found) if ended and not given.json else None

        for outcome in trainings.run_all(todo, given.runs, given.workers, given.json, tell):
            results[outcome.task.name] = _result(*known[outcome.task.name], outcome)
        if left:
            going = survivors(going, list(results.values()))
    kept = {one.name for one in going}
    return [
        replace(found, stopped_early=found.setting not in kept and not found.unbeatable)
        for found in map(results.__getitem__, known)
    ]


def budget(steps: int, every: int, left: int) -> int:
    """Return the steps completed when `left` rounds are left, a multiple of `every` or all."""
    share: float = steps / KEEP**left
    return min(math.ceil(share / every) * every, steps)


def _unfinished(found: "TrainingResult", steps: int) -> bool:
    """Return whether a run from an earlier round can continue up to `steps` steps."""
    return not found.error and not found.unbeatable and (found.steps or 0) < steps


def survivors(going: Sequence["Setting"], results: Sequence["TrainingResult"]) -> list["Setting"]:
    """Return the settings that continue: for each learner and game one in `KEEP`, at least one."""
    kept: set[str] = set()
    for group in {(one.learner, one.rules) for one in going}:
        names = [one.name for one in going if (one.learner, one.rules) == group]
        own = {name: [found for found in results if found.setting == name] for name in names}
        names.sort(key=lambda name: strength(own[name]), reverse=True)
        kept.update(names[: math.ceil(len(names) / KEEP)])
    return [one for one in going if one.name in kept]


def strength(results: Sequence["TrainingResult"]) -> tuple[float, ...]:
    """Return the sort key of a setting, from exact results over its seeds; higher is better.

    First the fraction of runs that are unbeatable; then the means over seeds of the worst case,
    summed over both seats, and of the fraction of optimal moves; last, fewer steps to an unbeatable
    player. Undecided values count as lost. Failed runs do not count.
    """
    done = [one for one in results if not one.error]
    if not done:
        return (-1.0, -2.0, 0.0, -math.inf)
    worst = [(one.worst_case_X, one.worst_case_O) for one in done]
    reached = [one.unbeatable_steps for one in done if one.unbeatable_steps is not None]
    return (
        len(reached) / len(done),
        fmean(sum(-1 if value is None else value for value in both) for both in worst),
        fmean(one.optimal_moves or 0 for one in done),
        -fmean(reached) if reached else -math.inf,
    )


def _result(one: "Setting", seed: int, outcome: TaskResult) -> "TrainingResult":
    """Convert a run's outcome to a `TrainingResult`, with `stopped_early` still False."""
    from tttenv.report.sweep_file import TrainingResult

    value = outcome.value or {}
    card = value.get("certificate") or {}
    steps, seconds = value.get("unbeatable_at") or (None, None)
    return TrainingResult(
        learner=one.learner,
        preset=one.preset,
        rules=one.rules,
        changes=one.changes,
        folder=str(outcome.task.folder),
        setting=one.name,
        seed=seed,
        steps=value.get("steps"),
        seconds=value.get("seconds"),
        unbeatable=steps is not None,
        unbeatable_steps=steps,
        unbeatable_seconds=seconds,
        worst_case_X=card.get("worst_case", {}).get("X"),
        worst_case_O=card.get("worst_case", {}).get("O"),
        optimal_moves=card.get("optimal_moves", {}).get("all"),
        error=outcome.error,
        stopped_early=False,
    )
