"""Short import path for `learners.training.train`."""

from learners.training.train import LOCK, Setup, Watch, is_taken, remove, train

__all__ = ["LOCK", "Setup", "Watch", "is_taken", "remove", "train"]
