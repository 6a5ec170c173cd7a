"""Compare many training runs by exact certificates: `tttenv sweep dqn --seeds 20`."""

import json
import math
import sys
import typing
from collections.abc import Sequence
from dataclasses import dataclass, fields, make_dataclass
from itertools import product
from pathlib import Path
from typing import Any

from learners.cli import trainings
from learners.cli.trainings import Setting
from learners.registry import LEARNERS, presets, row
from tttenv.certificates import phrases
from tttenv.cli import console, text_tables
from tttenv.cli.options import Flag, Learners, NumberOrNone, Repeated
from tttenv.cli.text_tables import Column
from tttenv.cli.workers import HERE, AllWorkers
from tttenv.utils import optional_dependencies
from tttenv.utils.files import write
from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import shown

EXAMPLES = """
tttenv sweep dqn --grid lr=1e-3,3e-4 --seeds 3
tttenv sweep td0 qtable --seeds 20 --jobs 2
"""
MOST = 100_000  # settings
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


@dataclass(frozen=True)
class Arguments:
    """Train learners with many settings and seeds; report how often each becomes unbeatable.

    Prints a line for each finished training and a table of all settings. Writes sweep.json, and
    under runs/sweep the trained players, whose settings TensorBoard shows side by side under
    HPARAMS. A training ends at three unbeatable certificates in a row. Finished trainings are
    never repeated: an interrupted run continues where it stopped, and more seeds or values
    add to what is there.
    """

    learners: Learners = ()  # learners to train
    grid: Repeated = ()  # FIELD=VALUE,VALUE,... of the learners' settings; repeatable
    presets: tuple[str, ...] = ("default",)  # presets to start from
    rules: tuple[str, ...] = ("3,3,3",)  # the games
    seeds: int = 5  # number of seeds per setting, counting up from --seed
    seed: int = 0  # the first seed
    steps: NumberOrNone = None  # maximum steps per training run; default: the usual number
    workers: AllWorkers = HERE
    out: Path = Path("results")  # folder for sweep.json
    runs: Path = Path("runs/sweep")  # folder for the trained players
    json: Flag = False  # print the results as JSON instead of lines and a table


def main(args: list[str], prog: str = "tttenv sweep") -> None:
    """Train all settings, and print and write the results; exit with status 1 if a run failed."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    if not given.learners:
        raise ValueError(f"which learners? As in: {prog} dqn; known are {', '.join(LEARNERS)}")
    for name in given.learners:
        row(name)
    optional_dependencies.require_learn()
    trainings.check(given.seeds, given.workers, given.out, given.runs)
    if not given.presets or not given.rules:
        raise ValueError("--presets and --rules need a value")
    tried = settings(given, prog)
    results = trainings.train_all(
        [(one, one.schedule(given.steps, given.workers)) for one in tried],
        range(given.seed, given.seed + given.seeds),
        given.runs,
        given.workers,
        given.json,
        lambda found: None if given.json else line(found),
    )
    parts = [results[at : at + given.seeds] for at in range(0, len(results), given.seeds)]
    summaries = [trainings.summary(one.name, part) for one, part in zip(tried, parts, strict=True)]
    whole = json.dumps({"settings": summaries, "trainings": results}, indent=2) + "\n"
    write(given.out / "sweep.json", whole)
    if given.json:
        print(whole, end="")
    else:
        show(summaries)
        print(f"\nresults   {given.out / 'sweep.json'}")
        text_tables.say(f"players   {given.runs}, each to certify again: tttenv certify FOLDER")
    if failed := trainings.failures(results):
        sys.stdout.flush()
        print(f"{prog}: {console.visible(failed)}", file=sys.stderr)
        sys.exit(1)


def settings(given: Arguments, prog: str) -> list[Setting]:
    """Return all distinct settings of a sweep: every preset, board and combination of values.

    A grid is a field and values, such as "lr=1e-3,3e-3"; the numbers of a tuple are separated by
    spaces.

    Args:
        given: the command's arguments.
        prog: the command's name in messages.

    Raises:
        ValueError: for a malformed grid, an unknown setting or preset, or too many settings.
    """
    from tttenv.game.rules import Rules

    grids = []
    for grid in given.grid:
        name, _, words = grid.partition("=")
        if not name or not words:
            raise ValueError(f"--grid must be FIELD=VALUE,..., not {shown(grid, 80)!r}")
        grids.append((name.replace("-", "_"), words.split(",")))
    if len({name for name, _ in grids}) < len(grids):
        raise ValueError("a setting is named twice in --grid")
    games = [str(Rules.of(rules)) for rules in given.rules]
    found: dict[str, Setting] = {}
    for learner in given.learners:
        known = presets(learner)
        for preset in given.presets:
            if preset not in known:
                raise ValueError(unknown(f"preset of {learner}", preset, known))
        columns = [
            [(name, _value(learner, name, word, prog)) for word in words] for name, words in grids
        ]
        if math.prod(map(len, columns)) > MOST:
            raise ValueError(f"that is more than {MOST:,} settings")
        for rules, preset, changes in product(games, given.presets, product(*columns)):
            one = Setting(learner, preset, rules, dict(changes))
            found.setdefault(one.name, one)
    return list(found.values())


def _value(learner: str, name: str, word: str, prog: str) -> Any:
    """Parse a field's value as its option does; exit or raise ValueError if it is invalid."""
    kind = type(presets(learner)["default"])
    names = [one.name for one in fields(kind) if one.name != "seed"]
    if name not in names:
        more = ": --seeds counts them" if name == "seed" else ""
        raise ValueError(unknown(f"setting of {learner}", name, names) + more)
    hint, option = typing.get_type_hints(kind)[name], f"--{name.replace('_', '-')}"
    if hint is bool:
        if word not in ("True", "False"):
            raise ValueError(f"{option}: expected True or False, not {shown(word, 80)!r}")
        return word == "True"
    one = make_dataclass("Field", [(name, hint)], frozen=True)
    see = f"{prog.replace('sweep', 'train')} {learner}"  # its help lists the option
    return getattr(console.parse(one, prog, [option, *word.split()], see=see), name)


def show(summaries: Sequence[dict[str, Any]]) -> None:
    """Print the table of settings."""
    text_tables.show(COLUMNS, [_cells(found) for found in summaries], "sweep.json")
    text_tables.say(LEGEND)
    for found in summaries:
        if found["failed"]:
            text_tables.say(f"{found['setting']}: {found['failed']} of its trainings failed", "  ")


def _cells(found: dict[str, Any]) -> list[str]:
    cells = [found["setting"], str(found["seeds"])]
    cells.append(phrases.share(found["unbeatable"] / found["seeds"]))
    for key, digits in (("steps", 0), ("seconds", 1)):
        middle, spread = found[f"median_{key}"], found[f"quartiles_{key}"]
        cells.append("-" if middle is None else f"{middle:.{digits}f}")
        cells.append("-" if spread is None else " to ".join(f"{n:.{digits}f}" for n in spread))
    worst = [found[f"worst_case_{seat}"] for seat in "XO"]
    return cells + ["-" if number is None else phrases.value(number) for number in worst]


def line(found: dict[str, Any]) -> str:
    """Describe a finished run in one line."""
    who = f"{found['setting']} seed {found['seed']}"
    if found["error"]:
        return f"{who}: failed: {shown(found['error'])}"
    if found["unbeatable"]:
        reached = f"step {found['unbeatable_steps']} after {found['unbeatable_seconds']:.1f} s"
        return f"{who}: unbeatable at {reached}"
    worst = [found["worst_case_X"], found["worst_case_O"]]
    values = ["undecided" if number is None else phrases.value(number) for number in worst]
    taken = f"{phrases.counted(found['steps'] or 0, 'step')}, {found['seconds']:.1f} s"
    return f"{who}: worst case X {values[0]} O {values[1]} after {taken}"
