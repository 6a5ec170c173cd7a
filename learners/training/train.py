"""Training runs and their files: checkpoints, logs and the state to resume from."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
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
from learners.training.loggers import opened, remove_logs
from learners.training.loop import Evaluation, Progress, Stopped, before_training, finished
from learners.training.loop import run as run_steps
from learners.training.run import ANEW, Run, Schedule
from tttenv.certificates import curve
from tttenv.certificates.certificate import Certificate
from tttenv.exact import enumerable
from tttenv.game.rules import require_line_wins
from tttenv.parallel.tasks import Backend
from tttenv.players.stored.checkpoint import CARD, RUN, WEIGHTS, file_of, read_card, tidy
from tttenv.players.stored.config_io import from_stored
from tttenv.utils.untrusted import first_line, shown

LOCK = ".lock"  # held as long as a training writes into its folder
Watch = Callable[[Evaluation], None]
Stepped = Callable[[int], None]


def train(
    run: Run,
    out: Path,
    *,
    resume: bool = False,
    watch: Watch = lambda evaluation: None,
    stepped: Stepped = lambda step: None,
    actors: Backend | None = None,
) -> Evaluation:
    """Train a learner, and write its checkpoint, curves and state to the folder `out`.

    Args:
        run: the learner with its config, the game, the schedule, the checkpoint to start from and
            the loggers.
        out: the checkpoint's folder, which must not contain a checkpoint unless `resume` is set.
        resume: continue exactly where the run in `out` stopped; `run` must equal it, with any
            schedule and loggers. `Run.load(out)` is the one stored there.
        watch: called with every evaluation; may raise `loop.Stopped`.
        stepped: called with the number of steps so far, at the start and after each step; may raise
            `loop.Stopped` if no evaluation is due.
        actors: workers that do parts of each step; the result does not depend on them.

    Returns:
        The last evaluation.

    Raises:
        ValueError: if `out` is taken, has nothing to resume, another run's or a finished one, or is
            in use by another run; for an unknown logger or a variant of the game; if the learner
            rejects the rules, cannot start from the weights in `run.start`, or has no parts of a
            step for workers.
        OSError: naming the file that could not be written; the last checkpoint is then intact.
    """
    require_line_wins(run.rules, "a checkpoint")
    if run.schedule.until == "perfect" and not enumerable(run.rules):
        raise ValueError(f"{run.rules} has too many positions to examine all for --until perfect")
    run = run.with_digests()
    if resume:  # this raises before anything is written into a folder without a training
        run.require_continues(out)
    with _computing(run.schedule):
        learner = LEARNERS.load(run.learner)(run.config, run.rules)
        if actors is not None:
            _require_divided(learner, run)
        learner.actors = actors
        about = run.card()
        if run.start is not None and not resume:
            about["start"] = _start(learner, run.learner, run.start)
        with _locked(out):
            if resume:
                card, progress = _restored(learner, run, out)
                about |= {"start": shown(card["start"], 200)} if "start" in card else {}
            else:
                require_free(out)
                tidy(out, ())
                remove_logs(out)
                progress = Progress(goal=(run.schedule.until, run.schedule.hold))
            return _Training(run, out, learner, about, progress).follow(watch, stepped)


def _require_divided(learner: Learner[Any], run: Run) -> None:
    """Raise ValueError if workers cannot do parts of a learner's steps."""
    if not learner.traits.divides:
        raise ValueError(f"{run.learner} has no searches for actors: leave out --actors and --ray")
    if run.schedule.device != "cpu":
        raise ValueError("actors search on the CPU: leave out --actors and --ray, or --device")


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


def remove(out: Path, but: str) -> None:
    """Remove everything that a training run left in a folder.

    Args:
        out: the folder, which is created if missing.
        but: the name of a file that stays.

    Raises:
        ValueError: if a run is still writing there.
    """
    with _locked(out):
        for path in out.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name not in (LOCK, but):
                path.unlink()


def _restored(learner: Learner[Any], run: Run, out: Path) -> tuple[dict[str, Any], Progress]:
    """Restore a learner from the state in the folder; return the card and the progress there.

    Raises:
        ValueError: if there is nothing to resume, it does not fit, or the run is finished.
    """
    if not (out / CARD).exists():
        raise ValueError(f"{shown(out)} holds no checkpoint yet: train without --resume")
    schedule, (card, state) = run.schedule, load_training(out)
    if any(card.get(key) != value for key, value in run.card().items()):
        raise ValueError(f"the card in {shown(out)} is not of the run in {RUN}; {ANEW}")
    tidy(out, card["files"])
    misfit = f"no training run can be resumed from {shown(out)}: its state does not fit"
    progress = from_stored(Progress, state["progress"], misfit)
    try:
        if progress.kept:
            from_stored(Progress, progress.kept["progress"], "the progress kept")
            _load(learner, progress.kept["learner"])  # it is untrusted, too
        _load(learner, state["learner"])
    except Exception as error:  # whatever a learner's own code says of foreign numbers
        reason = f"{run.learner}: {shown(first_line(error))}"
        raise ValueError(f"{misfit} {reason}") from None
    if progress.goal != (goal := (schedule.until, schedule.hold)):
        progress.goal, progress.in_a_row, progress.kept = goal, Progress().in_a_row, None
    if finished(schedule, progress):
        hint = "train on with --steps N, and with --until unbeatable at most until then"
        if progress.step < schedule.steps:
            hint = f"it is {schedule.until}, where it was to stop; --steps N alone trains on"
        reached = f"is finished at step {progress.step}: {hint}"
        raise ValueError(f"the training in {shown(out)} {reached}")
    return card, progress


@dataclass(frozen=True)
class _Training:
    """A training run under way, with the folder for its checkpoints and curves."""

    run: Run
    out: Path
    learner: Learner[Any]
    about: dict[str, Any]  # entries of the card
    progress: Progress

    def follow(self, watch: Watch, stepped: Stepped) -> Evaluation:
        """Train to the end, logging every evaluation and saving checkpoints at intervals."""
        learner, about, progress = self.learner, self.about, self.progress
        stepped(progress.step)
        rules, schedule = self.run.rules, self.run.schedule
        interval = schedule.checkpoint_every
        saved = progress.step // interval if progress.step else -1  # the first evaluation is saved
        settings = {key: about[key] for key in ("learner", "preset", "rules")} | about["config"]
        logged = progress.step
        with opened(self.run.log, self.out, rules, settings, logged) as board:
            self.run.save(self.out)  # once all that could refuse the run has accepted it
            if not progress.step:
                board.curves(0, before_training(learner, rules, progress))
            try:
                for evaluation in run_steps(learner, rules, schedule, progress, stepped):
                    if evaluation.step > logged:  # not the first of those that ended the run
                        logged = evaluation.step
                        board.curves(logged, evaluation.numbers)
                    if evaluation.last or evaluation.step // interval > saved:
                        saved = evaluation.step // interval
                        # First, so that the curves on disk reach as far as the checkpoint.
                        board.checkpoint(evaluation.step, evaluation.policy)
                        self._checkpoint(evaluation.certificate)
                    watch(evaluation)
            except Stopped:
                board.each(lambda logger: logger.flush())
                self._checkpoint()
                raise
            board.each(lambda logger: logger.summary(evaluation.step, evaluation.certificate))
        return evaluation

    def _checkpoint(self, certificate: Certificate | None = None) -> None:
        """Save the player and the state."""
        learner, progress, schedule = self.learner, self.progress, self.run.schedule
        about = {**self.about, "steps": progress.step, "seconds": progress.seconds}
        about |= {"threads": schedule.threads, "device": schedule.device}
        about["in_a_row"] = progress.in_a_row
        if progress.measures:
            about[curve.KEY] = curve.for_card(progress.measures)
        state = {"learner": learner.state_dict(), "progress": asdict(progress)}
        save(self.out, learner, self.run.rules, about, state, certificate, progress.snapshots)


def _load(learner: Learner[Any], state: dict[str, Any]) -> None:
    """Load a learner's stored state, which is untrusted."""
    own = learner.state_dict()["weights"]
    for name, tensor in state["weights"].items():
        if tensor.shape != own[name].shape or not tensor.isfinite().all():
            raise ValueError(f"{name} has another shape, or is not finite")
    learner.load_state_dict(state)


def require_free(out: Path) -> None:
    """Raise ValueError if the folder holds a checkpoint."""
    if (out / CARD).exists():
        hint = "choose another folder with --out, or train on with --resume"
        raise ValueError(f"{shown(out)} holds a checkpoint already: {hint}")


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
