"""Training loop: step, evaluate exactly, yield; it writes no files and prints nothing."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from learners.base import Learner
from learners.training.run import Schedule
from tttenv.certificates import metrics, snapshots
from tttenv.certificates.certificate import IN_TRAINING, REACHABLE, Certificate, certify
from tttenv.certificates.curve import Point, extended, point
from tttenv.certificates.metrics import flat
from tttenv.certificates.milestones import MARKS, Milestones
from tttenv.certificates.snapshots import Snapshot
from tttenv.exact import enumerable, tabulate
from tttenv.game.rules import Rules
from tttenv.players.stored.config_io import from_stored
from tttenv.policy import Player, Wrapped, uniform
from tttenv.utils.compile_time import now_by_processor
from tttenv.utils.untrusted import first_line, shown


@dataclass(frozen=True)
class Evaluation:
    """The state of a training run after some steps, with the player's exact strength."""

    step: int  # steps taken so far
    seconds: float  # processor time since the first step, without compile time
    policy: Player  # the player at this step
    certificate: Certificate | None  # beyond 15 cells by the positions that the player can reach
    numbers: dict[str, float]  # points on the curves, by TensorBoard tag
    unbeatable_at: tuple[int, float] | None  # step and seconds of the first unbeatable certificate
    perfect_at: tuple[int, float] | None  # of the first one without a blunder in any position
    in_a_row: dict[str, int]  # for each mark, how many certificates up to this one had it
    pace: "Pace"  # how much was learned from in that time, and what took it
    last: bool  # whether training ends here


@dataclass(frozen=True)
class Pace:
    """How many moves a training run has learned from, and what its seconds were spent on."""

    moves: int  # as the learner counts them
    seconds: float  # processor time
    spent: dict[str, float]  # seconds of the parts that the learner tells apart, and "certifying"

    @property
    def moves_per_second(self) -> float | None:
        """Moves per second without the certificates; None if the learner counts no moves."""
        seconds = self.seconds - self.spent.get(CERTIFYING, 0.0)
        return self.moves / seconds if self.moves and seconds > 0 else None

    @property
    def shares(self) -> dict[str, float]:
        """Fractions of all seconds by part, the largest first, "other" last."""
        if not self.seconds:
            return {}
        parts = {name: spent / self.seconds for name, spent in self.spent.items()}
        rest = max(0.0, 1 - sum(parts.values()))
        return dict(sorted(parts.items(), key=lambda part: -part[1])) | {"other": rest}

    def numbers(self) -> dict[str, float]:
        """Return the pace by tag."""
        found = {f"time/share_{name}": share for name, share in self.shares.items()}
        if (rate := self.moves_per_second) is not None:
            found |= {"time/moves": float(self.moves), "time/moves_per_second": rate}
        return found


CERTIFYING = "certifying"
Found = tuple[Player, Certificate | None, dict[str, float]]  # the same fields of an `Evaluation`


class Trained(Wrapped):
    """The player at the end of a training run, with the run's evaluations in its `history`."""

    def __init__(self, history: list[Evaluation]) -> None:
        super().__init__(history[-1].policy)
        self.history = history


class Stopped(KeyboardInterrupt):
    """Raised by a callback to save a training run and end it."""


@dataclass
class Progress(Milestones):
    """Progress of a training run, across interruptions; its fields are saved."""

    step: int = 0
    seconds: float = 0.0  # processor time
    moves: int = 0  # that the learner learned from
    spent: dict[str, float] = field(default_factory=dict)  # seconds by part, see `Pace`
    goal: tuple[str, int] = ("never", 1)  # `until` and `hold` for which `in_a_row` is counted
    # The learner ("learner") and its progress ("progress") at the first certificate of those in a
    # row that may end the run.
    kept: dict[str, Any] | None = None
    measures: tuple[Point, ...] = ()  # the curve stored in the card
    snapshots: tuple[Snapshot, ...] = ()  # players along the curve
    # Sums and counts of what the steps since the last evaluation returned.
    logged: dict[str, tuple[float, int]] = field(default_factory=dict)

    def follow(self, learner: Learner[Any], start: float) -> None:
        """Take over the seconds since `start`, and what the learner has counted."""
        self.seconds = now_by_processor() - start
        self.moves, self.spent = learner.moves, dict(learner.spent)

    def measured(self, numbers: dict[str, float], policy: Player, every: int) -> None:
        """Add a measurement, if it is complete, and a snapshot; thin both out if necessary."""
        if added := point(self.step, numbers):
            self.measures = extended(self.measures, added, every)
            self.snapshots = snapshots.extended(self.snapshots, self.measures, policy, every)

    def certified(self, certificate: Certificate | None) -> dict[str, float]:
        """Count the certificates in a row that had each mark; return the counts by tag."""
        new = self.add(certificate, self.step, self.seconds)
        numbers: dict[str, float] = {f"{mark}/in_a_row": self.in_a_row[mark] for mark in MARKS}
        for mark in new:
            numbers |= {f"{mark}/steps": self.step, f"{mark}/seconds": self.seconds}
        return numbers


# Positions that a certificate takes in each seat if a learner examines itself.
IN_DOUBT, WITHOUT_DOUBT = 10_000, 2_000_000


def run(
    learner: Learner[Any],
    rules: Rules,
    schedule: Schedule,
    progress: Progress,
    stepped: Callable[[int], None] = lambda step: None,
) -> Iterator[Evaluation]:
    """Train, yielding an evaluation after each step at which `schedule.due` says so.

    The measurement at step 0 is not among them: `before_training` makes it.

    If certificates end the run, the learner and its progress return to the first of those that
    count, whose evaluation is yielded last.

    Args:
        learner: the learner to train.
        rules: the game.
        schedule: the number of steps, and the intervals.
        progress: the progress to continue from; it is updated.
        stepped: called after each step with the number of steps so far; may raise `Stopped` if no
            evaluation is due.

    Raises:
        ValueError: in one line, if a step fails because the learner's numbers have diverged.
    """
    if enumerable(rules):
        certify(rules, uniform)  # so that enumeration is not timed as training
    start = now_by_processor() - progress.seconds
    learner.moves, learner.spent = progress.moves, defaultdict(float, progress.spent)
    while not finished(schedule, progress):
        if _held(schedule, progress):
            _return_to_first(learner, progress)
            yield _evaluation(schedule, progress, _evaluate(rules, learner))
            return
        with _shorten_errors(progress.step):
            numbers = learner.step()
        for key, number in numbers.items():
            total, count = progress.logged.get(key, (0.0, 0))
            progress.logged[key] = total + number, count + 1
        progress.step += 1
        progress.follow(learner, start)
        stepped(progress.step)
        if not schedule.due(progress.step):
            continue
        with _shorten_errors(progress.step), learner.timed(CERTIFYING):
            policy, certificate, numbers = _evaluate(rules, learner)
        progress.follow(learner, start)
        means = {f"train/{key}": total / count for key, (total, count) in progress.logged.items()}
        numbers = {**numbers, **means, "time/seconds": progress.seconds}
        numbers |= _pace(progress).numbers() | progress.certified(certificate)
        progress.logged.clear()
        progress.measured(numbers, policy, schedule.every)
        if (found := progress.in_a_row.get(schedule.until, 0)) <= 1:
            progress.kept = None
            if found and schedule.hold > 1:
                progress.kept = {"learner": learner.state_dict(), "progress": asdict(progress)}
        yield _evaluation(schedule, progress, (policy, certificate, numbers))


def before_training(learner: Learner[Any], rules: Rules, progress: Progress) -> dict[str, float]:
    """Measure a learner before its first step.

    Args:
        learner: the learner, untrained.
        rules: the game.
        progress: the measurement is added to it.

    Returns:
        Exact numbers by tag; none on boards too large to enumerate, where this takes minutes.
    """
    if not enumerable(rules):
        return {}
    policy, _, numbers = _evaluate(rules, learner)
    numbers = {**numbers, "time/seconds": 0.0}
    progress.measured(numbers, policy, 1)
    return numbers


@contextlib.contextmanager
def _shorten_errors(step: int) -> Iterator[None]:
    """Turn errors of torch and NumPy about non-finite numbers into one-line errors."""
    try:
        yield
    except ValueError as error:
        reason = shown(first_line(error))
        raise ValueError(f"training failed after step {step}: {reason}") from error


def finished(schedule: Schedule, progress: Progress) -> bool:
    """Return whether a training run is finished, and its learner the one to keep."""
    if _held(schedule, progress):
        return progress.kept is None
    return progress.step >= schedule.steps


def _held(schedule: Schedule, progress: Progress) -> bool:
    """Return whether enough certificates in a row were what the run waits for."""
    return progress.in_a_row.get(schedule.until, 0) >= schedule.hold


def _return_to_first(learner: Learner[Any], progress: Progress) -> None:
    """Restore the learner and progress that were kept, but not how many certificates it held."""
    assert progress.kept is not None
    learner.load_state_dict(progress.kept["learner"])
    first = from_stored(Progress, progress.kept["progress"], "the progress kept")
    vars(progress).update(vars(first) | {"in_a_row": progress.in_a_row})


def _pace(progress: Progress) -> Pace:
    return Pace(progress.moves, progress.seconds, progress.spent)


def _evaluation(schedule: Schedule, progress: Progress, found: Found) -> Evaluation:
    """Return an evaluation with the player, certificate and numbers found."""
    marks = progress.unbeatable_at, progress.perfect_at, progress.in_a_row
    pace, last = _pace(progress), finished(schedule, progress)
    return Evaluation(progress.step, progress.seconds, *found, *marks, pace, last)


def _evaluate(rules: Rules, learner: Learner[Any]) -> Found:
    """Return the learner's player, its certificate and its metrics by tag.

    On boards too large to enumerate, the certificate is by reachable positions, and sampled games
    are played in addition.
    """
    policy = learner.policy()
    if enumerable(rules):
        table = tabulate(rules, policy)
        return table, certify(rules, table), metrics.measure(rules, table)
    doubts = learner.doubts()
    limit = IN_TRAINING if doubts is None else IN_DOUBT if doubts else WITHOUT_DOUBT
    found = certify(rules, policy, limit, method=REACHABLE)
    return policy, found, metrics.measure(rules, policy) | flat(found)
