"""Rows of speed.py: workloads of this package and of other packages."""

from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], float]  # does some of it and returns how much


@dataclass(frozen=True)
class SpeedRow:
    """A workload to measure, and the packages to compare it with."""

    name: str
    unit: str  # counted per second
    make: Callable[[], Work]  # sets ours up
    peers: tuple[str, ...] = ()  # names in peers.PEERS
    cores: int = 1
    beside: tuple[tuple[str, Callable[[], Work]], ...] = ()  # ours in other ways, in turns with it
