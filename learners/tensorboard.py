"""`learners.training.tensorboard`, importable by its short name."""

from learners.training.tensorboard import (
    EVENTS,
    FIRST,
    LAYOUT,
    SCENES,
    TAGS,
    TensorBoard,
    remove_events,
)

__all__ = ["EVENTS", "FIRST", "LAYOUT", "SCENES", "TAGS", "TensorBoard", "remove_events"]
