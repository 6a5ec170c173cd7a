"""`learners.training.loop`, importable by its short name."""

from learners.training.loop import Clock, Plan, Report, finished, last_report, plan, run

__all__ = ["Clock", "Plan", "Report", "finished", "last_report", "plan", "run"]
