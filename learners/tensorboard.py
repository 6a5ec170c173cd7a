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
from tttenv.certificates.markdown import certificate_table

__all__ = [
    "ADDRESS",
    "COMPARED",
    "EVENTS",
    "FIRST",
    "SCENES",
    "TensorBoard",
    "certificate_table",
    "layout",
    "remove_events",
]
