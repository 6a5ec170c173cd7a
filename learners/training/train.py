"""Training runs and their files: checkpoints, logs and the state to resume from."""

import contextlib
import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from threadpoolctl import threadpool_limits

from learners.base import Learner
from learners.nets import computing_on
from learners.registry import LEARNERS
from learners.training.checkpoint import load_training, load_weights, save
from learners.training.loggers import USUAL, opened, remove_logs
from learners.training.loop import (
    Evaluation,
    Progress,
    Schedule,
    Stopped,
    before_training,
    finished,
    run,
)
from tttenv.certificates import curve
from tttenv.certificates.certificate import Certificate
from tttenv.exact import enumerable
from tttenv.game.rules import Rules, require_line_wins
from tttenv.players.digests import digests
from tttenv.players.stored.checkpoint import CARD, WEIGHTS, file_of, read_card, tidy
from tttenv.players.stored.config_io import from_stored, named_players
from tttenv.utils.untrusted import first_line, shown

LOCK = ".lock"  # held as long as a training writes into its folder
ANEW = "train anew with another --out, or remove the folder"  # if a training cannot be resumed
Watch = Callable[[Evaluation], None]
Stepped = Callable[[int], None]


@dataclass(frozen=True)
class Setup:
    """Starting weights and loggers of a training run."""

    preset: str = "default"  # the name of the config, for the card
    start: Path | None = None  # a checkpoint of the learner, of any rules, to take weights from
    log: Sequence[str] = USUAL  # of curves, pictures and the certificate: rows of `LOGGERS`
    stepped: Stepped = lambda step: None  # called with the steps so far: at the start, at each step


def train(
    name: str,
    config: Any,
    rules: Rules,
    schedule: Schedule,
    out: Path,
    *,
    resume: bool = False,
    watch: Watch = lambda evaluation: None,
    setup: Setup = Setup(),
) -> Evaluation:
    """Train the learner `name`, and write its checkpoint, curves and state to the folder `out`.

    Args:
        name: a row of `registry.LEARNERS`.
        config: the learner's config.
        rules: the game.
        schedule: the number of steps, the intervals, and the device and threads.
        out: the checkpoint's folder, which must not contain a checkpoint unless `resume` is set.
        resume: continue exactly where the run in `out` stopped.
        watch: called with every evaluation; may raise `loop.Stopped`.
        setup: the checkpoint to start from, the loggers, and so on.

    Returns:
        The last evaluation.

    Raises:
        ValueError: if `out` is taken, has nothing to resume or is in use by another run; for a
            setting that is not finite or a negative seed; for a variant of the game; if the learner
            rejects the rules, or cannot start from the weights in `setup.start`.
        OSError: naming the file that could not be written; the last checkpoint is then intact.
    """
    require_line_wins(rules, "a checkpoint")
    if schedule.until == "perfect" and not enumerable(rules):
        raise ValueError(f"{rules} has too many positions to examine all for --until perfect")
    _check_numbers(config)
    stored = json.loads(json.dumps(asdict(config)))
    about = {"learner": name, "preset": setup.preset, "config": stored, "rules": str(rules)}
    files = {spec: digests(spec) for _, spec in named_players(config)}
    about |= {"opponents": files} if any(files.values()) else {}
    if resume:  # this raises before anything is written into a folder without a training
        begun = load_training(out)["about"].get("start")
        if setup.start is not None:
            raise ValueError("a resumed run continues with its own weights, not with others")
        about |= {} if begun is None else {"start": shown(begun, 200)}
    else:
        require_free(out)
    with _computing(schedule):
        learner: Learner[Any] = LEARNERS.load(name)(config, rules)
        if setup.start is not None:
            about["start"] = _start(learner, name, setup.start)
        with _locked(out):
            training = _Training(learner, rules, schedule, out, about, setup.log)
            if resume:
                return training.resume(watch, setup.stepped)
            require_free(out)
            tidy(out, ())
            remove_logs(out)
            return training.follow(Progress(), watch, setup.stepped)


def _check_numbers(config: Any) -> None:
    """Raise ValueError for a negative seed or settings that are not finite numbers."""
    if config.seed < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {config.seed}")
    for name, value in asdict(config).items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, not {value}")


def _start(learner: Learner[Any], name: str, folder: Path) -> str:
    """Initialize a learner from the weights in a folder, and return an entry for the card."""
    if not learner.traits.starts_from:
        raise ValueError(f"{name} cannot start from the weights of a checkpoint")
    card = read_card(folder)
    _, weights = load_weights(folder, name)
    try:
        learner.start_from(weights)
    except RuntimeError:
        reason = f"has another size: {shown(card['config'])}"
        raise ValueError(f"the network in {shown(folder)} {reason}") from None
    return f"{shown(card['rules'], 80)}, {shown(file_of(card, WEIGHTS), 80)}"


def remove(out: Path, but: str = LOCK) -> None:
    """Remove everything that a training run left in `out`, except the file `but`.

    Raises:
        ValueError: if a run is still writing there.
    """
    with _locked(out):
        for path in out.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name not in (LOCK, but):
                path.unlink()


@dataclass(frozen=True)
class _Training:
    """A learner in training, with the folder for its checkpoints and curves."""

    learner: Learner[Any]
    rules: Rules
    schedule: Schedule
    out: Path
    about: dict[str, Any]  # learner, preset, config and rules, for the card
    log: Sequence[str]  # names of loggers

    def follow(self, progress: Progress, watch: Watch, stepped: Stepped) -> Evaluation:
        """Train to the end, logging every evaluation and saving checkpoints at intervals."""
        stepped(progress.step)
        interval = self.schedule.checkpoint_every
        saved = progress.step // interval if progress.step else -1  # the first evaluation is saved
        kept = ("learner", "preset", "rules")
        settings = {key: self.about[key] for key in kept} | self.about["config"]
        logged = progress.step
        with opened(self.log, self.out, self.rules, settings, logged) as board:
            if not progress.step:
                board.curves(0, before_training(self.learner, self.rules, progress))
            try:
                for evaluation in run(self.learner, self.rules, self.schedule, progress, stepped):
                    if evaluation.step > logged:  # not the first of those that ended the run
                        logged = evaluation.step
                        board.curves(logged, evaluation.numbers)
                    if evaluation.last or evaluation.step // interval > saved:
                        saved = evaluation.step // interval
                        # First, so that the curves on disk reach as far as the checkpoint.
                        board.checkpoint(evaluation.step, evaluation.policy)
                        self._checkpoint(progress, evaluation.certificate)
                    watch(evaluation)
            except Stopped:
                board.each(lambda logger: logger.flush())
                self._checkpoint(progress)
                raise
            end = evaluation.step, evaluation.certificate
            board.each(lambda logger: logger.summary(*end))
        return evaluation

    def resume(self, watch: Watch, stepped: Stepped) -> Evaluation:
        """Continue the run in the folder from where it stopped.

        Raises:
            ValueError: if there is nothing to resume, it was a different run, or it is finished.
        """
        progress = self._restore()
        if finished(self.schedule, progress):
            hint = "train on with --steps N, and with --until unbeatable at most until then"
            if progress.step < self.schedule.steps:
                goal = self.schedule.until
                hint = f"it is {goal}, where it was to stop; --steps N alone trains on"
            reached = f"is finished at step {progress.step}: {hint}"
            raise ValueError(f"the training in {shown(self.out)} {reached}")
        return self.follow(progress, watch, stepped)

    def _restore(self) -> Progress:
        """Restore the learner from the state in the folder."""
        state = load_training(self.out)
        tidy(self.out, read_card(self.out)["files"])
        if state["about"] != self.about:
            if state["about"] == self.about | {"opponents": state["about"].get("opponents")}:
                raise ValueError(
                    f"the files of an opponent of the training in {shown(self.out)} have changed;"
                    f" {ANEW}"
                )
            had, wanted = ({**known, **known["config"]} for known in (state["about"], self.about))
            new = ", ".join(sorted(had.keys() ^ wanted.keys()))
            if new and had.get("learner") == wanted["learner"]:
                raise ValueError(
                    f"the training in {shown(self.out)} was begun by another version of tttenv,"
                    f" whose settings differ in {shown(new)}; {ANEW}"
                )
            differing = [key for key in wanted if key != "config" and had.get(key) != wanted[key]]
            changes = ", ".join(f"{key}={had.get(key)}, not {wanted[key]}" for key in differing)
            raise ValueError(f"the training in {shown(self.out)} had {shown(changes)}")
        misfit = f"no training run can be resumed from {shown(self.out)}: its state does not fit"
        progress = from_stored(Progress, state["clock"], misfit)
        try:
            if progress.kept:
                from_stored(Progress, progress.kept["clock"], misfit)
                self._load(progress.kept["learner"])  # it is untrusted, too
            self._load(state["learner"])
        except Exception as error:  # whatever a learner's own code says of foreign numbers
            reason = f"{self.about['learner']}: {shown(first_line(error))}"
            raise ValueError(f"{misfit} {reason}") from None
        if any(state["plan"].get(key) != getattr(self.schedule, key) for key in ("until", "hold")):
            progress.in_a_row, progress.kept = Progress().in_a_row, None
        return progress

    def _load(self, state: dict[str, Any]) -> None:
        """Load a learner's stored state, which is untrusted."""
        own = self.learner.state_dict()["weights"]
        for name, tensor in state["weights"].items():
            if tensor.shape != own[name].shape or not tensor.isfinite().all():
                raise ValueError(f"{name} has another shape, or is not finite")
        self.learner.load_state_dict(state)

    def _checkpoint(self, progress: Progress, certificate: Certificate | None = None) -> None:
        """Save the player and the state."""
        state = {"clock": asdict(progress), "about": self.about, "plan": asdict(self.schedule)}
        state["learner"] = self.learner.state_dict()
        about = {**self.about, "steps": progress.step, "seconds": progress.seconds}
        about |= {"threads": self.schedule.threads, "device": self.schedule.device}
        about["in_a_row"] = progress.in_a_row
        if progress.measures:
            about[curve.KEY] = curve.for_card(progress.measures)
        more = certificate, progress.snapshots
        save(self.out, self.learner, self.rules, about, state, *more)


def require_free(out: Path) -> None:
    """Raise ValueError if the folder holds a checkpoint."""
    if (out / CARD).exists():
        raise ValueError(
            f"{shown(out)} holds a checkpoint already: choose another folder with --out, or train"
            " on with --resume"
        )


@contextlib.contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Lock the folder; the lock is released even if the process is killed."""
    lock = FileLock(out / LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(f"another training run is writing to {shown(out)}") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # while it is held, so that nobody else's goes
            (out / LOCK).unlink()
        lock.release()


@contextlib.contextmanager
def _computing(schedule: Schedule) -> Iterator[None]:
    """Use the schedule's device and number of threads within this block."""
    before = torch.get_num_threads()
    torch.set_num_threads(schedule.threads)
    try:
        # The sums of NumPy's matrix products, too, hang on the number of threads.
        with (
            computing_on(schedule.device),
            threadpool_limits(schedule.threads, user_api="blas"),
        ):
            yield
    finally:
        torch.set_num_threads(before)
