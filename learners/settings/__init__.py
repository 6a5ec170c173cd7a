"""Settings of the learners, one file each, which load without PyTorch.

`tttenv train LEARNER --help` and errors in options are therefore immediate. A file holds the
learner's frozen `Config`, whose trailing comments are the help of its options, and its `PRESETS`.
"""

from typing import Any

MOST = 2**24  # maximum of most counts in the learners' settings
LEAST = 1e-12  # minimum of rates that must be above 0


def check_range(config: Any, low: float, high: float, *names: str) -> None:
    """Check that fields of a learner's config are within a range, if they are not None.

    Args:
        config: an instance of a `Config`; its module is named after the learner.
        low: the least number allowed.
        high: the largest number allowed.
        names: the fields to check.

    Raises:
        ValueError: for a field outside the range, with the learner's name.
    """
    learner = type(config).__module__.rpartition(".")[2]
    for name in names:
        value = getattr(config, name)
        if value is not None and not low <= value <= high:
            raise ValueError(f"{learner}: {name} must be from {low:,} to {high:,}, not {value}")
