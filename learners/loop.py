"""Short import path for `learners.training.loop`."""

from learners.training.loop import (
    Clock,
    Evaluation,
    Plan,
    Progress,
    Report,
    Schedule,
    Stopped,
    before_training,
    finished,
    last_evaluation,
    plan,
    run,
    usual_schedule,
)

__all__ = [
    "Clock",
    "Evaluation",
    "Plan",
    "Progress",
    "Report",
    "Schedule",
    "Stopped",
    "before_training",
    "finished",
    "last_evaluation",
    "plan",
    "run",
    "usual_schedule",
]
