"""Training runs, as published and repaired, and the certificate numbers that rows need."""

from dataclasses import replace
from typing import Any

from learners.registry import LEARNERS, row
from scripts.reproduction.rows import Found, Run, Task, Tell
from tttenv import Rules, certify
from tttenv.policy import Policy

RULES = Rules()
OUR_MCTS = "mcts:solver=true,iterations=5000/"  # beside the published tree searches


def strength(player: Policy | str) -> Found:
    """Certify a player, and return the numbers that rows need, by seat and overall."""
    found: Any = certify(RULES, player)  # on 3,3,3 no field is unknown
    x, o = found.vs_random["X"], found.vs_random["O"]
    return {
        "X": x,
        "O": o,
        "wins": (x[0], o[0]),
        "mean": [(a + b) / 2 for a, b in zip(x, o, strict=True)],
        "win": ((x[0] + o[0]) / 2,),
        "worst": (found.worst_case["X"], found.worst_case["O"]),
        "drawn": (found.vs_perfect["X"][1], found.vs_perfect["O"][1]),
        "optimal": (found.optimal_moves["all"],),
    }


def trained(
    name: str, preset: str, steps: int, seed: int, tell: Tell, **changes: Any
) -> tuple[Any, list[dict[str, float]]]:
    """Train a learner for some steps with a preset; return it and the metrics of each step."""
    kind, told = LEARNERS.load(name), []
    learner = kind(replace(kind.presets[preset], seed=seed, **changes), RULES)
    for step in range(steps):
        told.append(learner.step())
        if step % max(steps // 100, 1) == 0:
            tell(step, steps)
    return learner, told


def tail(told: list[dict[str, float]], key: str) -> float:
    """Return the mean of a metric over the last fifty steps."""
    last = [numbers[key] for numbers in told[-50:]]
    return sum(last) / len(last)


def published(name: str) -> Run:
    """Return a job that trains a learner as published and measures its player."""

    def run(task: Task, tell: Tell) -> Found:
        learner, _ = trained(name, "published", task.amount, task.seed, tell)
        return strength(learner.policy())

    return run


def repaired(task: Task, tell: Tell) -> Found:
    """Train our default learner until it is unbeatable, or take a named player, and measure it."""
    if task.job not in LEARNERS:
        return strength(task.job)
    from learners.training.loop import Progress, run, usual_schedule

    learner = LEARNERS.load(task.job)(LEARNERS.load(task.job).Config(seed=task.seed), RULES)
    schedule = usual_schedule(task.job, stop_when_unbeatable=True)
    for evaluation in run(learner, RULES, schedule, Progress()):
        tell(evaluation.step, row(task.job).steps)
    return strength(evaluation.policy)
