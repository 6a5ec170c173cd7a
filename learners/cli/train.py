"""Train one learner: `tttenv train selfplay`."""

import json
import shlex
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from learners.registry import LEARNERS, presets, row
from tttenv.certificates import phrases
from tttenv.cli import compile, console, workers
from tttenv.cli.options import (
    AddressOrNone,
    Flag,
    FolderOrNone,
    NumberOrNone,
    OpponentOrNone,
    Repeated,
    RulesText,
    UntilOrNone,
)
from tttenv.cli.text_tables import say
from tttenv.players import checkpoint_of
from tttenv.players.stored.config_io import spec_fields
from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:
    from learners.training.run import Run

PROG = "train.py"
GLANCED = ("preset", "resume", "out", "seed", "rules", "steps")  # options that set defaults
EXAMPLES = """
tttenv train {name}
tttenv train {name} --seed 1 --out runs/mine
tttenv train {name} --out runs/mine --resume
"""


@dataclass(frozen=True)
class Options:
    """Options of a training run that do not depend on the learner."""

    steps: NumberOrNone = None  # total steps; default: until unbeatable, or a preset's full number
    preset: str = "default"  # a named set of the learner's own fields
    rules: RulesText = "3,3,3"  # the game
    out: FolderOrNone = None  # the checkpoint's folder; default: runs/LEARNER[-RULES][-PRESET]-SEED
    resume: Flag = False  # continue the run in --out exactly where it stopped
    start: OpponentOrNone = None  # alphazero: a trained player, by name or folder, to start from
    every: NumberOrNone = None  # steps between points on the curves; default: the learner's
    # steps between checkpoints, written at points on the curves; default: a tenth of all
    checkpoint_every: NumberOrNone = None
    # what certificates must say to end it: never loses, or no blunder in any position; default:
    # never if --steps is given, else unbeatable
    until: UntilOrNone = None
    hold: NumberOrNone = None  # how many in a row; the first one's player is kept; default: 3
    device: str = "cpu"  # torch device: cpu, cuda, ...
    threads: int = 1  # of torch and of searches; the last digits depend on the number
    actors: NumberOrNone = None  # processes that search, for alphazero and patterns
    ray: AddressOrNone = None  # Ray cluster whose nodes search instead; auto: RAY_ADDRESS or local
    json: Flag = False  # print the certificate as JSON instead of a progress bar
    log: Repeated = ()  # tensorboard (the default), csv, wandb or mlflow; repeat for several


def main(args: list[str], prog: str = PROG) -> None:
    """Parse the arguments, train, and print the result."""
    if not args or args[0].startswith("-"):
        _overview(args, prog)
        return
    name, rest = args[0], args[1:]
    parts = row(name).compiled
    wanted = () if {"-h", "--help"} & set(rest) else parts
    with compile.compiling(*wanted) as compiled:  # while PyTorch is loaded
        out, options, run = _parse(name, rest, prog)
        with console.stage("loading PyTorch", options.json):  # which all learners need
            from learners.training.train import require_free, train
            from tttenv.utils.compile_time import watch
        console.check_folder(out)
        if not options.resume:
            require_free(out)
        with _Bar(f"{name} on {options.rules}", run.schedule, quiet=options.json) as bar:
            compiled.wait(*parts)
            spoken = console.spoken(lambda: bar.text, options.json)
            crew = workers.crew("actors", options.actors, options.ray)
            with crew as actors, _interrupted_between_steps(bar, out), spoken:
                watching: dict[str, Any] = {"watch": bar.evaluated, "stepped": bar.stepped}
                last = train(run, out, resume=options.resume, actors=actors, **watching)
    _conclude(out, last, watch.seconds, run.log, options.json)


def _parse(name: str, rest: list[str], prog: str) -> tuple[Path, Options, "Run"]:
    """Parse the arguments once, with a preset's settings or the run to resume as defaults."""
    known = presets(name)
    given = _glance(rest, [*GLANCED, *spec_fields(type(known[Options.preset]))])
    preset = given.get("preset", Options.preset)
    if preset not in known:
        raise ValueError(unknown(f"preset of {name}", preset, known))
    options, config, stored = Options(preset=preset), known[preset], None
    if "resume" in given:
        from learners.training.run import Run

        rules, seed = given.get("rules", options.rules), given.get("seed", config.seed)
        out = Path(given["out"]) if "out" in given else _usual_folder(name, preset, rules, seed)
        stored = Run.load(out, trusted=given.keys())
        if stored.learner != name:
            raise ValueError(f"{out} contains a training run of {stored.learner}, not of {name}")
        changes = asdict(stored.schedule) | ({"until": None} if "steps" in given else {})
        options = Options(preset=stored.preset, rules=str(stored.rules), out=out, **changes)
        config = stored.config
    options, config = _parse_from(name, rest, options, config, prog)
    from learners.training.loggers import chosen  # not for --help
    from learners.training.run import Run, Schedule, usual_schedule
    from tttenv.game.rules import Rules

    changes = {each.name: getattr(options, each.name) for each in fields(Schedule)}
    run = Run(
        name,
        options.preset,
        config,
        Rules.of(options.rules),
        usual_schedule(name, options.preset, **changes),
        stored.start if stored and options.start is None else _start(options.start),
        chosen(options.log or (stored.log if stored else ())),
    )
    out = options.out or _usual_folder(name, options.preset, options.rules, config.seed)
    return out, options, run


def _parse_from(
    name: str, rest: list[str], options: Options, config: Any, prog: str = PROG
) -> tuple[Options, Any]:
    """Parse the options of training and those of the learner, with the given defaults."""
    flat = tyro.conf.arg(name="")
    shape = make_dataclass(
        "Arguments",
        [
            ("training", Annotated[Options, flat], field(default=options)),
            ("learner", Annotated[type(config), flat], field(default=config)),
        ],
        frozen=True,
    )
    about = f"{name}: {row(name).about}. Presets: {', '.join(presets(name))}."
    found: Any = console.parse(shape, f"{prog} {name}", rest, about, EXAMPLES.format(name=name))
    return found.training, found.learner


def _glance(rest: list[str], names: Sequence[str]) -> dict[str, str]:
    """Return the values of options by name, ahead of the actual parsing, which checks them.

    Raises:
        ValueError: for an option without its value, and if --preset is given more than once, as its
            settings are defaults.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    for each in names:
        parser.add_argument(f"--{each}", action="append", nargs="*")
    found = vars(parser.parse_known_args(rest)[0])
    if len(found["preset"] or ()) > 1:
        named = " and as ".join(shown(" ".join(words), 80) for words in found["preset"])
        raise ValueError(f"--preset is given as {named}: choose one")
    given = {each: " ".join(found[each][-1]) for each in names if found[each]}
    for each, value in given.items():
        if not value and each != "resume":
            raise ValueError(f"--{each} needs a value")
    return given


def _start(player: str | None) -> Path | None:
    """Return the folder of the trained player to start from; a folder comes before a name."""
    known = checkpoint_of(player) if player and ":" not in player else None
    return known[0] if known else Path(player) if player is not None else None


@contextmanager
def _interrupted_between_steps(bar: "_Bar", out: Path) -> Iterator[None]:
    """Delay an interrupt to the end of the current step, where the run in `out` is saved.

    A second interrupt is immediate.
    """
    from tttenv.players.stored.checkpoint import CARD, read_card

    usual = signal.getsignal(signal.SIGINT)

    def interrupt(*_: Any) -> None:
        if bar.stopping:
            raise KeyboardInterrupt
        bar.stop()

    if usual is not signal.SIG_IGN:  # as in the background of a shell
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        message = "before its first checkpoint, so nothing is saved"
        if (out / CARD).exists():
            message = f"{out} holds step {read_card(out)['steps']:,}: continue with --resume"
        raise KeyboardInterrupt(message) from None
    finally:
        signal.signal(signal.SIGINT, usual)


def _overview(args: list[str], prog: str = PROG) -> None:
    """Print the help common to all learners."""
    if args and args[0] not in ("-h", "--help"):
        raise ValueError(f"usage: {prog} LEARNER [OPTIONS]; known learners: {', '.join(LEARNERS)}")
    print(f"usage: {prog} LEARNER [OPTIONS]\n")
    print("Train a learner and certify it exactly as it learns.\n\nlearners:")
    width = max(map(len, LEARNERS))
    for name in LEARNERS:
        say(f"  {name:<{width}}  {LEARNERS.rows[name].about}", " " * (width + 4))
    print(f"\n{prog} LEARNER --help lists the options of each.")
    if not args:
        sys.exit(2)


def _usual_folder(name: str, preset: str, rules: str, seed: object) -> Path:
    """Return runs/LEARNER-SEED, with the rules and preset in between if they are not defaults."""
    parts = [name, str(seed)]
    if preset != Options.preset:
        parts.insert(1, preset)
    if rules != Options.rules:
        parts.insert(1, rules.replace(",", "x"))
    return Path("runs") / "-".join(parts)


CERTIFYING = "certifying"  # what a training does after some steps


class _Bar:
    """Progress bar of a training run: steps, next certificate and last exact worst case.

    If standard error is not a terminal, it prints one line at the start and one at the end; `text`
    is a line in between.
    """

    def __init__(self, about: str, schedule: Any, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        self.stopping = False  # whether to end after the current step
        self.started = False  # whether the run was accepted
        self.schedule, self.quiet = schedule, quiet
        most = "" if schedule.until == "never" else "up to "
        self.about = (
            f"training {about}: {most}{phrases.counted(schedule.steps, 'step')},"
            f" a certificate every {schedule.every:,}"
        )
        self.last: Any = None  # the last evaluation
        self.text = "preparing"
        self.certifying = False
        hidden = quiet or not sys.stderr.isatty()
        self.progress = _bar_with_line_below()(
            TextColumn("step"),
            BarColumn(bar_width=20),  # the only column that gives way on a narrow terminal
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TimeElapsedColumn(table_column=Column(no_wrap=True)),
            TextColumn("{task.description}"),
            console=Console(stderr=True, quiet=hidden),  # see `tttenv.cli.console.bar`
            redirect_stdout=sys.stdout.isatty(),  # or a redirected output would land on the screen
            refresh_per_second=4,  # its work counts as the training's processor time
            transient=True,  # until the training begins: an error before leaves no bar behind
            disable=hidden,
        )
        self.task = self.progress.add_task("preparing", total=schedule.steps, below="")

    def __enter__(self) -> "_Bar":
        self.progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.progress.stop()
        if kind is None and not self.quiet and self.progress.disable:
            found = f"{self.last.seconds:.1f} s: {phrases.standing(self.last.numbers)}"
            print(f"trained {phrases.counted(self.last.step, 'step')} in {found}", file=sys.stderr)

    def stepped(self, step: int) -> None:
        """Advance the progress bar; end the run if it is to stop and no evaluation is due."""
        due = self.schedule.due(step)
        if not self.started:
            self.started, due = True, False
            if not self.quiet:
                resumed = f", resumed at step {step:,}" if step else ""
                print(f"{self.about}{resumed}", file=sys.stderr, flush=True)
            self.progress.live.transient = False
        elif not due:
            self._end_if_stopping()
        self._show(step, CERTIFYING if due else "")

    def evaluated(self, evaluation: Any) -> None:
        """Show the results of an evaluation."""
        self.last = evaluation
        below, ending, until = phrases.standing(evaluation.numbers), "", self.schedule.until
        if evaluation.last:
            early = f"{until} {evaluation.in_a_row.get(until, 0)} times in a row"
            ending = "done" if evaluation.step == self.schedule.steps else early
            self.progress.update(self.task, total=evaluation.step)
        else:
            self._end_if_stopping()
        self._show(evaluation.step, ending, below=below)

    def stop(self) -> None:
        """End the run after the current step, and say what is finished before."""
        self.stopping = True
        self.progress.update(self.task, description="stopping after this step")
        now = "this step's certificate" if self.certifying else "this step"
        line = f"stopping once {now} is finished and saved; Ctrl-C again stops at once"
        if not self.quiet:
            print(f"{line}, at the last checkpoint", file=sys.stderr, flush=True)

    def _end_if_stopping(self) -> None:
        if self.stopping:
            from learners.training.loop import Stopped

            raise Stopped

    def _show(self, step: int, now: str, **more: str) -> None:
        """Show the number of steps, and what is done now or when the next certificate is due."""
        coming = f"next certificate at step {self.schedule.next_due(step):,}"
        self.certifying = now == CERTIFYING
        found = f"; {phrases.standing(self.last.numbers)}" if self.last else ""
        self.text = f"step {step:,} of {self.schedule.steps:,}: {now or coming}{found}"
        self.progress.update(self.task, completed=step, description=now or coming, **more)


def _bar_with_line_below() -> Any:
    """Return a progress bar class that shows a line of text below the bar."""
    from rich.progress import Progress

    class Below(Progress):
        def get_renderables(self) -> Any:
            yield from super().get_renderables()
            yield self.tasks[0].fields["below"] if self.tasks else ""

    return Below


def _conclude(
    out: Path, last: Any, compile_seconds: float, log: Sequence[str], as_json: bool
) -> None:
    """Print the last evaluation of a run, and the paths of its player and curves."""
    if as_json:
        found = None if last.certificate is None else last.certificate.to_dict()
        result = {"player": str(out), "steps": last.step, "seconds": last.seconds}
        result["compile_seconds"] = round(compile_seconds, 3)
        print(json.dumps({**result, "certificate": found}, indent=2))
        return
    if last.certificate is not None:
        from tttenv.cli.certify import print_certificate

        print_certificate(str(out), last.certificate)
    if rate := last.pace.moves_per_second:
        say(f"learned {phrases.large(last.pace.moves)} moves, {phrases.large(rate)} a second")
    if shares := last.pace.shares:
        parts = [f"{100 * share:.0f} % {name.replace('_', ' ')}" for name, share in shares.items()]
        say(f"time: {', '.join(parts)}")
    if any(tag.startswith("sampled/") for tag in last.numbers):
        say("in sampled games, with the margin of a 95 % confidence interval:")
        print(phrases.sampled(last.numbers))
    for mark, reached in (("unbeatable", last.unbeatable_at), ("perfect", last.perfect_at)):
        if reached:
            step, seconds = reached
            print(f"first certified {mark} at step {step}, after {seconds:.1f} s")
            if not (held := last.in_a_row[mark]):
                say(f"the last player is not {mark}: repeat with the same seed and --steps {step}")
            elif held > 1:
                print(f"{held} certificates in a row agree")
    say(f"saved to {out}; to play against it, show it, and see its curves:")
    folder = shlex.quote(str(out))
    print(f"tttenv play {folder}\ntttenv report {folder} --open")
    if "tensorboard" in log:
        from learners.training.tensorboard import ADDRESS

        print(f"tensorboard --logdir {shlex.quote(str(out.parent))}")
        say("and, unsmoothed, at:")
        print(ADDRESS)
    if "csv" in log:
        print(out / "csv" / "curves.csv")
    if "wandb" in log:
        print(f"wandb sync {folder}/wandb/offline-run-*  # if it was offline")
    if "mlflow" in log:
        print("mlflow ui")
    sys.stdout.flush()
