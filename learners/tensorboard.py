"""Short import path for `learners.training.tensorboard`."""

from learners.training.loggers import EVENTS, SCENES
from learners.training.tensorboard import ADDRESS, COMPARED, FIRST, TensorBoard, layout
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
]
