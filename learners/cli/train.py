"""Train one learner: `tttenv train selfplay`."""

import json
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from learners.registry import LEARNERS, presets, row
from tttenv.certificates import phrases
from tttenv.cli import compile, console
from tttenv.cli.options import (
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
from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:
    from learners.training.loop import Schedule

PROG = "train.py"
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
    # unbeatable, with --steps never
    until: UntilOrNone = None
    hold: NumberOrNone = None  # how many in a row; the first one's player is kept; default: 3
    device: str = "cpu"  # torch device: cpu, cuda, ...
    threads: int = 1  # of torch and of searches; the last digits depend on the number
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
    with compile.compiling(*wanted, processes=2) as compiled:  # while PyTorch is loaded
        options, config = _parse(name, rest, prog)
        with console.stage("loading PyTorch", options.json):  # which all learners need
            from learners.training.loggers import chosen
            from learners.training.loop import Schedule, usual_schedule
        changes = {field.name: getattr(options, field.name) for field in fields(Schedule)}
        schedule = usual_schedule(name, options.preset, **changes)
        options = replace(options, log=chosen(options.log))
        _train(name, config, options, schedule, lambda: compiled.wait(*parts))


def _train(
    name: str, config: Any, options: Options, schedule: "Schedule", compiled: Callable[[], None]
) -> None:
    """Train one learner, showing its progress, and print the result."""
    from learners.training.train import Setup, require_free, train
    from tttenv.game.rules import Rules
    from tttenv.utils.compile_time import watch

    out = options.out or _usual_folder(name, options, config)
    console.check_folder(out)
    if not options.resume:
        require_free(out)
    with _Bar(f"{name} on {options.rules}", schedule, quiet=options.json) as bar:
        compiled()
        setup = Setup(options.preset, _start(options.start), options.log, bar.stepped)
        spoken = console.spoken(lambda: bar.text, options.json)
        with _interrupted_between_steps(bar, out), spoken:
            last = train(
                name,
                config,
                Rules.of(options.rules),
                schedule,
                out,
                resume=options.resume,
                watch=bar.evaluated,
                setup=setup,
            )
    _conclude(out, last, watch.seconds, options)


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


def _parse(name: str, rest: list[str], prog: str) -> tuple[Options, Any]:
    """Parse the options and the learner's config, starting from the preset or the resumed run."""
    preset, known = _peek(rest, "--preset") or Options.preset, presets(name)
    if preset not in known:
        raise ValueError(unknown(f"preset of {name}", preset, known))
    options, config = _parse_from(name, rest, Options(), known[preset], prog)
    if options.preset != preset:  # the parser takes the last, for a name without its settings
        raise ValueError(f"--preset is given as {preset} and as {options.preset}: choose one")
    if not options.resume:
        return options, config
    out = options.out or _usual_folder(name, options, config)
    with console.stage("loading PyTorch and the interrupted training", options.json):
        stored, config = _stored(out, name, type(config), rest)
    if _peek(rest, "--steps") is not None:  # these are trained in all, as in a new training
        stored = replace(stored, until=None)
    return _parse_from(name, rest, stored, config, prog)


def _stored(out: Path, name: str, kind: type, rest: list[str]) -> tuple[Options, Any]:
    """Return the options and config stored in the folder of a run, which is untrusted.

    A player that `checked_spec` rejects starts a program or loads a file, so it must be named again
    on the command line.
    """
    from learners.training.checkpoint import load_training
    from learners.training.loop import Schedule
    from learners.training.train import ANEW
    from tttenv.players.stored.config_io import from_stored, spec_fields

    state = load_training(out)
    about = state["about"]
    if about.get("learner") != name:
        had = shown(about.get("learner"), 80)
        raise ValueError(f"{out} contains a training run of {had}, not of {name}")
    specs = spec_fields(kind)
    repeated = [f for f in specs if _peek(rest, f"--{f.replace('_', '-')}") is not None]
    try:
        schedule = from_stored(Schedule, state["plan"], "its schedule")
        config: Any = from_stored(kind, about.get("config", {}), name, trusted=repeated)
    except ValueError as error:
        again = " or ".join(f"--{field}" for field in specs)
        trust = "a file must not name" in str(error)
        hint = f"if you trust it, repeat {again}" if trust else f"another version wrote it; {ANEW}"
        raise ValueError(f"the training in {out} cannot be resumed: {error}; {hint}") from None
    preset, rules = shown(about.get("preset"), 80), shown(about.get("rules"), 80)
    return Options(preset=preset, rules=rules, out=out, **asdict(schedule)), config


def _parse_from(
    name: str, rest: list[str], options: Options, config: Any, prog: str = PROG
) -> tuple[Options, Any]:
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
    given: Any = console.parse(shape, f"{prog} {name}", rest, about, EXAMPLES.format(name=name))
    return given.training, given.learner


def _peek(args: list[str], option: str) -> str | None:
    """Return an option's value ahead of the actual parsing, or None if it is missing."""
    for arg, following in zip(args, [*args[1:], ""], strict=False):
        if arg == option:
            return following
        if arg.startswith(f"{option}="):
            return arg.partition("=")[2]
    return None


def _usual_folder(name: str, options: Options, config: Any) -> Path:
    """Return runs/LEARNER-SEED, with the rules and preset in between if they are not defaults."""
    parts = [name, str(config.seed)]
    if options.preset != Options.preset:
        parts.insert(1, options.preset)
    if options.rules != Options.rules:
        parts.insert(1, options.rules.replace(",", "x"))
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

        self.stopping = False  # whether to end after the current step
        self.begun = False  # whether the arguments have proven good
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
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
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
        due = step % self.schedule.every == 0 or step == self.schedule.steps
        if not self.begun:
            self.begun, due = True, False
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
        below, ending, most = phrases.standing(evaluation.numbers), "", self.schedule.steps
        if evaluation.last:
            found = f"{evaluation.in_a_row.get(self.schedule.until, 0)} certificates in a row"
            early = f"{self.schedule.until} in {found}, of up to {phrases.counted(most, 'step')}"
            ending = "done" if evaluation.step == most else early
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
        following = step - step % self.schedule.every + self.schedule.every
        coming = f"next certificate at step {min(following, self.schedule.steps):,}"
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


def _conclude(out: Path, last: Any, compile_seconds: float, options: Options) -> None:
    """Print the last evaluation of a run, and the paths of its player and curves."""
    if options.json:
        found = None if last.certificate is None else last.certificate.to_dict()
        result = {"player": str(out), "steps": last.step, "seconds": last.seconds}
        result["compile_seconds"] = round(compile_seconds, 3)
        print(json.dumps({**result, "certificate": found}, indent=2))
        return
    if last.certificate is not None:
        from tttenv.cli.certify import print_certificate

        print_certificate(str(out), last.certificate)
    if any(tag.startswith("sampled/") for tag in last.numbers):
        say("in sampled games, with the margin of a 95 % confidence interval:")
        print(phrases.sampled(last.numbers))
    for mark, reached in (("unbeatable", last.unbeatable_at), ("perfect", last.perfect_at)):
        if reached:
            step, seconds = reached
            print(f"first certified {mark} at step {step}, after {seconds:.1f} s")
            if not (held := last.in_a_row[mark]):
                print(
                    f"the last player is not: --steps {step} and the same seed end with the one"
                    " that is"
                )
            elif held > 1:
                print(f"and so are {held} certificates in a row")
    say(f"{out} holds the player, to play against, to show, and its curves:")
    folder = shlex.quote(str(out))
    print(f"tttenv play {folder}\ntttenv report {folder} --open")
    if "tensorboard" in options.log:
        from learners.training.tensorboard import ADDRESS

        print(f"tensorboard --logdir {shlex.quote(str(out.parent))}")
        say("and, without smoothing, at:")
        print(ADDRESS)
    if "csv" in options.log:
        print(out / "csv" / "curves.csv")
    if "wandb" in options.log:
        print(f"wandb sync {folder}/wandb/offline-run-*  # if it was offline")
    if "mlflow" in options.log:
        print("mlflow ui")
    sys.stdout.flush()
