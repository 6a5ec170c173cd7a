"""`learners.training.train`, importable by its short name."""

from learners.training.train import LOCK, Setup, Watch, is_taken, remove, train

__all__ = ["LOCK", "Setup", "Watch", "is_taken", "remove", "train"]
