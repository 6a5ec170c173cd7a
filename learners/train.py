"""`learners.training.train`, importable by its short name."""

from learners.training.train import LOCK, Watch, remove, train

__all__ = ["LOCK", "Watch", "remove", "train"]
