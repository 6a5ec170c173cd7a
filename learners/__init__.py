"""Learners, one file and one row in `registry` each, trained by the loop in `training`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learners.training.loop import Trained
    from tttenv.game.rules import Rules


def train(
    learner: str, rules: "Rules | None" = None, every: int | None = None, **settings: Any
) -> "Trained":
    """Train a learner until a certificate says unbeatable, or for its usual steps at the most.

    Nothing is written to disk; for checkpoints and logs see `learners.training.train`.

    Args:
        learner: its name, such as "selfplay".
        rules: the game; None for 3,3,3.
        every: the number of steps between certificates; None for the usual one.
        settings: fields of the learner's `Config` that differ from its default preset.

    Returns:
        The trained player; its `history` holds the evaluations, each with a `certificate`.
    """
    from dataclasses import replace

    from learners.registry import LEARNERS
    from learners.training.loop import Progress, Trained, run
    from learners.training.run import usual_schedule
    from tttenv.game.rules import Rules

    kind = LEARNERS.load(learner)
    played, config = rules or Rules(), replace(kind.presets["default"], **settings)
    schedule = usual_schedule(learner, every=every, hold=1)
    return Trained(list(run(kind(config, played), played, schedule, Progress())))
