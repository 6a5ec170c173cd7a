"""One training with all that belongs to it: TensorBoard, checkpoints, and going on after a stop."""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout

from learners.base import Learner
from learners.registry import LEARNERS
from learners.training.checkpoint import load_training, save
from learners.training.loop import Clock, Plan, Report, finished, last_report, run
from learners.training.stored import from_stored
from learners.training.tensorboard import TensorBoard, remove_events
from tttenv.checkpoint import (
    CARD,
    POLICY,
    STATE,
    WEIGHTS,
    data_files,
    file_of,
    read_card,
    read_data,
    tidy,
)
from tttenv.exact import enumerable
from tttenv.game.rules import Rules
from tttenv.untrusted import first_line, shown

LOCK = ".lock"  # held as long as a training writes into its folder
Watch = Callable[[Report], None]


def train(
    name: str,
    config: Any,
    rules: Rules,
    plan: Plan,
    out: Path,
    preset: str = "default",
    resume: bool = False,
    watch: Watch = lambda report: None,
) -> Report:
    """Train learner `name` and leave its checkpoint, curves and state in the folder `out`.

    Args:
        name: a row of `registry.LEARNERS`.
        config: of the learner.
        rules: the game.
        plan: how long, how often, where.
        out: the checkpoint's folder; refused if it holds one already, unless `resume` is set.
        preset: where the config came from, for the card.
        resume: go on exactly where the training in `out` stopped; if it is finished, but its player
            is missing or older, write that again.
        watch: told of every measure.

    Returns:
        The last measure.

    Raises:
        ValueError: if `out` is taken, holds nothing to resume or is being trained in, or the
            learner refuses the rules.
        OSError: naming the file that could not be written; the last checkpoint is whole then.
    """
    if config.seed < 0:
        raise ValueError(f"a seed is a whole number from 0 on, not {config.seed}")
    if resume:
        load_training(out)  # so that nothing is made in a folder that holds none
    else:
        _require_free(out)
    stored = json.loads(json.dumps(asdict(config)))
    about = {"learner": name, "preset": preset, "config": stored, "rules": str(rules)}
    with _torch_set_up(plan):
        learner: Learner = LEARNERS.load(name)(config, rules)
        with _locked(out):
            training = _Training(learner, rules, plan, out, about)
            if resume:
                return training.resume(watch)
            _require_free(out)
            tidy(out, ())
            remove_events(out)
            return training.follow(Clock(), watch)


def remove(out: Path) -> None:
    """Remove all that a training has left in `out`.

    Raises:
        ValueError: if one is still writing there.
    """
    with _locked(out):
        for path in out.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()


@dataclass(frozen=True)
class _Training:
    """A learner on its way, and the folder that it leaves its checkpoints and curves in."""

    learner: Learner
    rules: Rules
    plan: Plan
    out: Path
    about: dict[str, Any]  # learner, preset, config and rules, for the card

    def follow(self, clock: Clock, watch: Watch) -> Report:
        """Run to the end, writing curves at every measure and a checkpoint at every interval."""
        interval = self.plan.checkpoint_every
        saved = clock.step // interval if clock.step else -1  # so that the first measure is saved
        with self._tensorboard(clock) as board:
            for report in run(self.learner, self.rules, self.plan, clock):
                board.curves(report.step, report.numbers)
                if report.last or report.step // interval > saved:
                    saved = report.step // interval
                    board.scenes(report.step, report.policy)
                    board.flush()  # a checkpoint never knows of more than its curves show
                    self._checkpoint(clock)
                watch(report)
            board.summary(report.step, report.certificate)
        return report

    def resume(self, watch: Watch) -> Report:
        """Go on where the training in the folder stopped.

        Raises:
            ValueError: if there is nothing to go on from, it was another training, or it is
                finished and its player is whole.
        """
        clock = self._restore()
        if not finished(self.plan, clock):
            return self.follow(clock, watch)
        if self._has_player_of(clock.step):
            raise ValueError(
                f"the training in {shown(self.out)} is finished at step {clock.step}:"
                " give more steps"
            )
        with self._tensorboard(clock) as board:
            report = last_report(self.learner, self.rules, clock)
            board.scenes(report.step, report.policy)
            board.flush()
            self._checkpoint(clock)
            watch(report)
            board.summary(report.step, report.certificate)
        return report

    def _restore(self) -> Clock:
        """Put the learner where the training in the folder stopped."""
        with contextlib.suppress(ValueError):  # without a card, files are left as they are
            card = read_card(self.out)
            if file_of(card, STATE):
                tidy(self.out, card["files"])
        state = load_training(self.out)
        if state["about"] != self.about:
            had, wanted = (
                {**known, **_dict(known.get("config"))} for known in (state["about"], self.about)
            )
            differing = [key for key in wanted if key != "config" and had.get(key) != wanted[key]]
            changes = ", ".join(f"{key}={had.get(key)}, not {wanted[key]}" for key in differing)
            raise ValueError(f"the training in {shown(self.out)} had {shown(changes)}")
        misfit = f"no training can go on from {shown(self.out)}: its state does not fit"
        clock = from_stored(Clock, state["clock"], misfit)
        try:
            own, stored = self.learner.state_dict(), state["learner"]
            shapes = [{k: t.shape for k, t in s["weights"].items()} for s in (own, stored)]
            if shapes[0] != shapes[1]:
                raise ValueError("its weights have other shapes")
            if not all(tensor.isfinite().all() for tensor in stored["weights"].values()):
                raise ValueError("its weights are not all finite numbers")
            _require_same_kinds(own, stored)
            self.learner.load_state_dict(stored)
        except Exception as error:  # whatever a learner's own code says of foreign numbers
            reason = f"{self.about['learner']}: {shown(first_line(error))}"
            raise ValueError(f"{misfit} {reason}") from None
        return clock

    def _has_player_of(self, step: int) -> bool:
        """Whether the folder holds the whole player of this step."""
        roles = [WEIGHTS, POLICY] if enumerable(self.rules) else [WEIGHTS]
        try:
            card, _ = read_data(self.out, *roles)
        except ValueError:
            return False
        return bool(card["steps"] == step and all(card[k] == v for k, v in self.about.items()))

    def _checkpoint(self, clock: Clock) -> None:
        state = {
            "clock": asdict(clock),
            "about": self.about,
            "plan": asdict(self.plan),
            "learner": self.learner.state_dict(),
        }
        made = {"steps": clock.step, "seconds": clock.seconds, "threads": self.plan.threads}
        about = {**self.about, **made, "device": self.plan.device}
        save(self.out, self.learner, self.rules, about, state)

    def _tensorboard(self, clock: Clock) -> TensorBoard:
        kept = ("learner", "preset", "rules")
        settings = {key: self.about[key] for key in kept} | self.about["config"]
        return TensorBoard(self.out, self.rules, settings, clock.step)


def _require_same_kinds(own: dict[str, Any], stored: dict[str, Any]) -> None:
    """Raise ValueError unless each plain number of a learner's state is of its kind in the other.

    A loader would take any value; what counts the steps, say, would fail later or count wrongly.
    """
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(stored.get(key), dict):
            _require_same_kinds(value, stored[key])
        elif isinstance(value, bool | int | float) and type(stored.get(key)) is not type(value):
            raise ValueError(f"{key} is {shown(repr(stored.get(key)), 80)}")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _require_free(out: Path) -> None:
    """Raise ValueError if the folder holds a checkpoint, or the state of a training."""
    if (out / CARD).exists() or data_files(out, STATE):
        raise ValueError(
            f"{shown(out)} holds a checkpoint already: choose another folder, or --resume"
        )


@contextlib.contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Hold the folder's lock, which ends with the process however it ends.

    Raises:
        ValueError: if another training holds it.
        OSError: if the folder cannot be made or written to.
    """
    lock = FileLock(out / LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(f"a training is writing into {shown(out)} already") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # while it is held, so that nobody else's goes
            (out / LOCK).unlink()
        lock.release()


@contextlib.contextmanager
def _torch_set_up(plan: Plan) -> Iterator[None]:
    """The plan's device and number of threads, for as long as it takes.

    Raises:
        ValueError: for a device that torch does not have here.
    """
    try:
        torch.empty(1, device=plan.device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(f"no device {plan.device!r} here: {first_line(error)}") from None
    before = torch.get_num_threads()
    torch.set_num_threads(plan.threads)
    try:
        with torch.device(plan.device):
            yield
    finally:
        torch.set_num_threads(before)
