"""Compare many training runs by exact certificates: `tttenv sweep dqn --seeds 20`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from learners.registry import LEARNERS, row
from tttenv.cli import console, text_tables, workers
from tttenv.cli.options import Flag, Learners, NumberOrNone, Repeated
from tttenv.cli.workers import HERE, AllWorkers
from tttenv.parallel import TaskResult
from tttenv.utils import optional_dependencies

if TYPE_CHECKING:
    from learners.cli.search_space import Setting
    from learners.training.loop import Schedule
    from tttenv.report.sweep_file import TrainingResult

PROG = "sweep.py"
EXAMPLES = """
tttenv sweep dqn --grid lr=1e-3,3e-4 --seeds 3
tttenv sweep td0 --range lr=0.01..0.5 --random 10 --jobs 2
"""


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
        for name in given.learners:
            LEARNERS.load(name)
        from learners.cli import search_space, sweep_tables
        from tttenv.report import sweep_file
    from tttenv.utils.files import write

    tried = search_space.settings(
        given.learners,
        given.presets,
        given.rules,
        given.grid,
        given.range,
        given.random,
        given.seed,
        prog,
    )
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
    from tttenv.game.rules import Rules
    from tttenv.utils.schema import LARGEST

    for game in given.rules:
        Rules.of(game)
    console.check_seed(given.seed)
    for count, name in ((given.seeds, "seeds"), (given.steps, "steps")):
        if count is not None and count < 1:
            raise ValueError(f"--{name} must be at least 1")
    if given.seed + given.seeds - 1 > LARGEST:  # sweep.json would not be read
        raise ValueError(f"the last seed must be at most {LARGEST:,}")
    if given.random < 0:
        raise ValueError("--random must be at least 0")
    if not given.presets or not given.rules:
        raise ValueError("--presets and --rules need at least one value")
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
    from learners.cli import halving, sweep_tables, trainings

    seeds = range(given.seed, given.seed + given.seeds)
    schedules = {one.name: _schedule(one, given) for one in tried}
    known = {one.folder(n): (one, n) for one in tried for n in seeds}
    for one in tried:
        one.training(given.seed, schedules[one.name])
    latest: dict[tuple[str, int], TaskResult] = {}
    going = list(tried)
    for number in range(halving.ROUNDS) if given.halve else [halving.ROUNDS - 1]:
        todo = []
        for one in going:
            full = schedules[one.name]
            schedule = replace(full, steps=halving.budgets(full.steps, full.every)[number])
            for n in seeds:
                if (one.name, n) not in latest or _unfinished(latest[one.name, n], schedule.steps):
                    todo.append((one.folder(n), one.training(n, schedule)))
        last = number == halving.ROUNDS - 1

        def tell(outcome: TaskResult, last: bool = last) -> str | None:
            assert outcome.task.folder is not None
            found = _result(*known[outcome.task.folder.name], outcome)
            ended = last or found.unbeatable or found.error
            return sweep_tables.line(found) if ended and not given.json else None

        for outcome in trainings.run_all(todo, given.runs, given.workers, given.json, tell):
            assert outcome.task.folder is not None
            one, n = known[outcome.task.folder.name]
            latest[one.name, n] = outcome
        if not last:
            going = _survivors(going, seeds, latest)
    kept = {one.name for one in going}
    results = []
    for one in tried:
        for n in seeds:
            found = _result(one, n, latest[one.name, n])
            stopped = one.name not in kept and not found.unbeatable
            results.append(replace(found, stopped_early=stopped))
    return results


def _schedule(one: "Setting", given: Arguments) -> "Schedule":
    """Return the schedule of a full training run for a setting."""
    from learners.training.loop import usual_schedule

    return usual_schedule(
        one.learner,
        one.preset,
        steps=given.steps,
        stop_when_unbeatable=True,
        device=given.workers.device,
        threads=given.workers.cores_per_task,
    )


def _unfinished(outcome: TaskResult, steps: int) -> bool:
    """Return whether a run from an earlier round can continue up to `steps` steps."""
    if outcome.error or outcome.value["unbeatable_at"]:
        return False
    return bool(outcome.value["steps"] < steps)


def _survivors(
    going: Sequence["Setting"], seeds: range, latest: dict[tuple[str, int], TaskResult]
) -> list["Setting"]:
    """Return the settings that continue in the next round, for each learner and game."""
    from learners.cli import halving

    kept: set[int] = set()
    for group in {(one.learner, one.rules) for one in going}:
        values = {}
        for place, one in enumerate(going):
            if (one.learner, one.rules) == group:
                outcomes = [latest[one.name, n] for n in seeds]
                values[place] = [outcome.value for outcome in outcomes if not outcome.error]
        kept |= set(halving.better(values))
    return [one for place, one in enumerate(going) if place in kept]


def _result(one: "Setting", seed: int, outcome: TaskResult) -> "TrainingResult":
    """Convert a run's outcome to a `TrainingResult`, with `stopped_early` still False."""
    from tttenv.report.sweep_file import TrainingResult

    value = outcome.value or {}
    card = value.get("certificate") or {}
    steps, seconds = value.get("unbeatable_at") or (None, None)
    assert outcome.task.folder is not None
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
