"""The loop itself: step, measure exactly, report; it touches no files and prints nothing."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from learners.base import Learner
from learners.registry import row
from tttenv import metrics
from tttenv.exact import enumerable, tabulate
from tttenv.exact.certificate import Certificate, certify
from tttenv.game.rules import Rules
from tttenv.policy import Policy, uniform
from tttenv.untrusted import first_line, shown


@dataclass(frozen=True)
class Plan:
    """How long to train and what to do on the way; all counted in steps, never in seconds."""

    steps: int  # in all, those of an interrupted run included
    every: int  # steps between certificates and points on the curves
    checkpoint_every: int  # steps between checkpoints
    stop_when_unbeatable: bool  # end at the first certificate that says so
    device: str = "cpu"  # where the learner's tensors live
    threads: int = 1  # of torch; another number may give other last digits

    def __post_init__(self) -> None:
        for name in ("steps", "every", "checkpoint_every", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, not {getattr(self, name)}")


@dataclass(frozen=True)
class Report:
    """Where a training stands at one of its measures."""

    step: int
    seconds: float  # of processor time since the first step
    numbers: dict[str, float]  # by TensorBoard tag
    policy: Policy  # as of now
    certificate: Certificate | None  # None on boards too large for one
    unbeatable_at: tuple[int, float] | None  # step and seconds of the first such certificate
    last: bool  # the training ends here


def plan(name: str, preset: str = "default", **changes: Any) -> Plan:
    """The usual plan for a learner and preset, with the given fields changed unless None.

    A number of steps asked for is trained in full; the usual one is an upper bound, left at the
    first unbeatable certificate.

    Raises:
        ValueError: for an unknown learner, or fewer than one of anything.
    """
    usual = row(name)
    given = {key: value for key, value in changes.items() if value is not None}
    steps = given.get("steps", usual.preset_steps.get(preset, usual.steps))
    found: dict[str, Any] = {
        "steps": steps,
        "every": usual.every,
        "checkpoint_every": max(given.get("every", usual.every), steps // 10),
        "stop_when_unbeatable": "steps" not in given and preset not in usual.preset_steps,
    }
    return Plan(**(found | given))


@dataclass
class Clock:
    """How far a training has come, over all its sittings."""

    step: int = 0
    seconds: float = 0.0
    unbeatable_at: tuple[int, float] | None = None


def run(learner: Learner, rules: Rules, plan: Plan, clock: Clock) -> Iterator[Report]:
    """Train, yielding a report every `plan.every` steps; moves the clock. No files, no printing.

    Raises:
        ValueError: in one line, if a step fails because the learner's numbers have diverged.
    """
    if enumerable(rules):
        certify(rules, uniform)  # so that no compiling or enumerating counts as training
    start = time.process_time() - clock.seconds
    sums: dict[str, float] = {}
    since = 0
    last = clock.step >= plan.steps
    while not last:
        with _told_in_a_line(clock.step):
            told = learner.step()
        for key, number in told.items():
            sums[key] = sums.get(key, 0.0) + number
        clock.step += 1
        since += 1
        last = clock.step >= plan.steps
        if clock.step % plan.every and not last:
            continue
        with _told_in_a_line(clock.step):
            policy, certificate, numbers = _measure(rules, learner)
        clock.seconds = time.process_time() - start
        if certificate and certificate.unbeatable and clock.unbeatable_at is None:
            clock.unbeatable_at = (clock.step, clock.seconds)
        last = last or (plan.stop_when_unbeatable and clock.unbeatable_at is not None)
        means = {f"train/{key}": total / since for key, total in sums.items()}
        numbers = {**numbers, **means, "time/seconds": clock.seconds}
        sums, since = {}, 0
        yield Report(
            clock.step, clock.seconds, numbers, policy, certificate, clock.unbeatable_at, last
        )


@contextlib.contextmanager
def _told_in_a_line(step: int) -> Iterator[None]:
    """Raise what torch or numpy say of numbers that are none, often in many lines, in one.

    Raises:
        ValueError: naming the step, for any ValueError within.
    """
    try:
        yield
    except ValueError as error:
        reason = shown(first_line(error))
        raise ValueError(f"the training fails after step {step}: {reason}") from error


def finished(plan: Plan, clock: Clock) -> bool:
    """Whether a training has nothing left to do."""
    return clock.step >= plan.steps or (plan.stop_when_unbeatable and bool(clock.unbeatable_at))


def last_report(learner: Learner, rules: Rules, clock: Clock) -> Report:
    """The report of a finished training, measured again."""
    policy, certificate, numbers = _measure(rules, learner)
    numbers = {**numbers, "time/seconds": clock.seconds}
    return Report(
        clock.step, clock.seconds, numbers, policy, certificate, clock.unbeatable_at, True
    )


def _measure(rules: Rules, learner: Learner) -> tuple[Policy, Certificate | None, dict[str, float]]:
    policy = learner.policy()
    if not enumerable(rules):
        return policy, None, metrics.measure(rules, policy)
    table = tabulate(rules, policy)
    return table, certify(rules, table), metrics.measure(rules, table)
