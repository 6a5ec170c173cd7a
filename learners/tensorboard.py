"""`learners.training.tensorboard`, importable by its short name."""

from learners.training.tensorboard import (
    ADDRESS,
    COMPARED,
    EVENTS,
    FIRST,
    SCENES,
    TensorBoard,
    layout,
    remove_events,
)

__all__ = [
    "ADDRESS",
    "COMPARED",
    "EVENTS",
    "FIRST",
    "SCENES",
    "TensorBoard",
    "layout",
    "remove_events",
]
