"""A training run as a value, stored as run.json in its folder, and its schedule.

It loads no PyTorch, so a command can resume a run from its settings before that is there.
"""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypedDict

from learners.registry import presets, row
from tttenv.certificates.milestones import MARKS, Mark
from tttenv.game.rules import Rules
from tttenv.players.digests import digests
from tttenv.players.stored.checkpoint import RUN
from tttenv.players.stored.config_io import from_stored, named_players, spec_fields
from tttenv.utils.arrays import integers_from
from tttenv.utils.files import write
from tttenv.utils.registry import Row, Table, unknown
from tttenv.utils.schema import checked
from tttenv.utils.untrusted import read_json, shown

VERSION = 1  # of run.json
MOST_THREADS = 1024  # many more crash the process
ANEW = "train anew with another --out, or remove the folder"  # if a run cannot be resumed
Until = Mark | Literal["never"]
# To add a logger: a file in this folder with a subclass of `Logger`, and its row here.
LOGGERS: Table[Any] = Table(
    "logger",
    {
        "tensorboard": Row(
            "learners.training.tensorboard:TensorBoard", "event files in the checkpoint's folder"
        ),
        "csv": Row(
            "learners.training.loggers:CSVLog", "curves.csv, pictures and certificate.md in csv/"
        ),
        "wandb": Row(
            "learners.training.wandb_log:WandbLog", "a Weights & Biases run (extra wandb)"
        ),
        "mlflow": Row("learners.training.mlflow_log:MLflowLog", "an MLflow run (extra mlflow)"),
    },
)
USUAL_LOG = ("tensorboard",)


@dataclass(frozen=True)
class Schedule:
    """Length and intervals of a training run, counted in steps, never in seconds.

    Trained weights therefore do not depend on the machine's speed.

    Raises:
        ValueError: for a number below one, too many threads or an unknown goal.
    """

    steps: int  # total steps, including those before an interruption
    every: int  # steps between evaluations
    checkpoint_every: int  # steps between checkpoints, which are written after evaluations
    until: Until = "never"  # what certificates must say to end training before all steps
    hold: int = 3  # how many of them in a row; the player of the first is kept
    device: str = "cpu"  # device of the learner's tensors
    threads: int = 1  # torch threads; another number may change the last digits

    def __post_init__(self) -> None:
        counts = ("steps", "every", "checkpoint_every", "hold", "threads")
        integers_from(1, **{name: getattr(self, name) for name in counts})
        if self.until not in (*MARKS, "never"):
            raise ValueError(f"until must be unbeatable, perfect or never, not {shown(self.until)}")
        if self.threads > MOST_THREADS:
            raise ValueError(f"threads must be at most {MOST_THREADS:,}, not {self.threads}")

    def due(self, step: int) -> bool:
        """Return whether an evaluation is due after this step, as it is at the last one."""
        return step % self.every == 0 or step >= self.steps

    def next_due(self, step: int) -> int:
        """Return the step after this one at which the next evaluation is due."""
        return min(step - step % self.every + self.every, self.steps)


def usual_schedule(name: str, preset: str = "default", **changes: Any) -> Schedule:
    """Return the usual schedule of a learner and preset, with the given changes.

    If `steps` is given, all of them are trained. The usual number is an upper bound: unless the
    preset has its own number, training ends when certificates have been unbeatable `hold` times in
    a row.

    Args:
        name: the learner's name.
        preset: the preset of its settings.
        changes: fields of `Schedule`; those that are None keep their usual values.

    Raises:
        ValueError: for an unknown learner, or a number below one.
    """
    usual = row(name)
    given = {key: value for key, value in changes.items() if value is not None}
    steps = given.get("steps", usual.preset_steps.get(preset, usual.steps))
    every = given.get("every", usual.preset_every.get(preset, usual.every))
    found: dict[str, Any] = {
        "steps": steps,
        "every": every,
        "checkpoint_every": max(every, steps // 10),
        "until": "never" if "steps" in given or preset in usual.preset_steps else "unbeatable",
    }
    return Schedule(**(found | given))


class _Stored(TypedDict):
    """The entries of run.json, whose parts are checked one by one."""

    version: int
    learner: str
    preset: str
    config: dict[str, Any]
    rules: str
    schedule: dict[str, Any]
    start: str | None
    log: list[str]
    opponents: dict[str, list[str]]


@dataclass(frozen=True)
class Run:
    """A training run: everything that determines its result, and its loggers.

    Two runs are equal if one can continue the other, so their schedules and loggers may differ.

    Raises:
        ValueError: for an unknown learner, preset or logger, rules that are no `Rules`, the config
            of another learner, a negative seed, or settings that are not finite numbers.
    """

    learner: str  # a row of `registry.LEARNERS`
    preset: str  # the name of the preset that `config` comes from, for the card
    config: Any  # an instance of the learner's Config
    rules: Rules
    schedule: Schedule = field(compare=False)
    start: Path | None = None  # a checkpoint of the learner, of any rules, to take weights from
    log: tuple[str, ...] = field(default=USUAL_LOG, compare=False)  # rows of `LOGGERS`
    # Digests of the files of the players that the config names, by spec; see `with_digests`.
    opponents: Mapping[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = presets(self.learner)
        if self.preset not in known:
            raise ValueError(unknown(f"preset of {self.learner}", self.preset, known))
        for one in self.log:
            LOGGERS.row(one)
        if not isinstance(self.rules, Rules):
            raise ValueError(f"rules must be Rules(m, n, k), not {shown(repr(self.rules), 80)}")
        if not isinstance(self.config, type(known["default"])):
            raise ValueError(f"no settings of {self.learner}: {shown(self.config)}")
        if not isinstance(seed := self.config.seed, int) or seed < 0:
            raise ValueError(f"a seed must be a non-negative integer, not {shown(seed)}")
        for name, value in asdict(self.config).items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{name} must be a finite number, not {value}")

    def with_digests(self) -> "Run":
        """Return the run with the digests of its opponents' files, as these are now."""
        files = {str(spec): digests(spec) for _, spec in named_players(self.config)}
        return replace(self, opponents=files if any(files.values()) else {})

    def card(self) -> dict[str, Any]:
        """Return the run's entries of a card."""
        config = json.loads(json.dumps(asdict(self.config)))
        named = {"learner": self.learner, "preset": self.preset, "config": config}
        named["rules"] = str(self.rules)
        return named | ({"opponents": self.opponents} if self.opponents else {})

    def save(self, out: Path) -> None:
        """Write run.json to the folder of the run, atomically.

        Raises:
            OSError: if it cannot be written.
        """
        stored = {"version": VERSION, **self.card(), "opponents": self.opponents}
        stored |= {"schedule": asdict(self.schedule), "log": self.log}
        stored["start"] = None if self.start is None else str(self.start)
        write(out / RUN, f"{json.dumps(stored, indent=2)}\n")

    @classmethod
    def load(cls, out: Path, trusted: Collection[str] = ()) -> "Run":
        """Read run.json, which is untrusted.

        Args:
            out: the folder of the run.
            trusted: fields of the config that may name any player, as the user named it himself;
                others may only name those that `tttenv.players.checked_spec` accepts.

        Raises:
            ValueError: if there is no run, or it is damaged, of another version or an unknown
                learner, or names a player that a file must not name.
        """
        refusal = f"the training in {shown(out)} cannot be resumed"
        try:
            found = read_json(out / RUN)
        except (FileNotFoundError, NotADirectoryError):
            hint = f"there is no {RUN}; if another version trained there, {ANEW}"
            raise ValueError(f"no training run can be resumed from {shown(out)}: {hint}") from None
        stored = checked(_Stored, found, f"{refusal}: {RUN}")
        name, other = stored["learner"], "another version of tttenv began it"
        try:
            if stored["version"] != VERSION:
                raise ValueError(other)
            kind = type(presets(name)["default"])
            if new := stored["config"].keys() ^ {one.name for one in fields(kind)}:
                differ = shown(", ".join(sorted(new)), 200)
                raise ValueError(f"{other}, whose settings differ in {differ}")
            return cls(
                name,
                stored["preset"],
                from_stored(kind, stored["config"], "its settings", trusted),
                Rules.of(stored["rules"]),
                from_stored(Schedule, stored["schedule"], "its schedule"),
                None if stored["start"] is None else Path(stored["start"]),
                tuple(stored["log"]),
                stored["opponents"],
            )
        except ValueError as error:
            hint = ANEW
            if "a file must not name" in str(error):
                again = " or ".join(f"--{one}" for one in spec_fields(kind))
                hint = f"if you trust it, repeat {again}"
            raise ValueError(f"{refusal}: {error}; {hint}") from None

    def require_continues(self, out: Path) -> None:
        """Check that this run continues the one stored in a folder.

        Args:
            out: the folder.

        Raises:
            ValueError: if it does not, with the fields that differ; for the errors of `load`.
        """
        stored = Run.load(out, trusted=spec_fields(type(self.config)))
        if self == stored:
            return
        if replace(self, opponents=stored.opponents) == stored:
            changed = f"the files of an opponent of the training in {shown(out)} have changed"
            raise ValueError(f"{changed}; {ANEW}")
        had, wanted = (
            {**one.card(), **asdict(one.config), "start": one.start} for one in (stored, self)
        )
        changes = [
            f"{key}={had.get(key)}, not {value}"
            for key, value in wanted.items()
            if key not in ("config", "opponents") and had.get(key) != value
        ]
        raise ValueError(f"the training in {shown(out)} had {shown(', '.join(changes))}")
