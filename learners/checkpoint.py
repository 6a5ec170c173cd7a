"""Short import path for `learners.training.checkpoint`."""

from learners.training.checkpoint import (
    load_learner,
    load_policy,
    load_state,
    load_training,
    load_weights,
    save,
    save_state,
    state_bytes,
    versions,
)

__all__ = [
    "load_learner",
    "load_policy",
    "load_state",
    "load_training",
    "load_weights",
    "save",
    "save_state",
    "state_bytes",
    "versions",
]
