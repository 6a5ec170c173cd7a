"""What a row of speed.py is: some work, what it is counted in, and by whom it is done too."""

from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], float]  # does some of it and returns how much


@dataclass(frozen=True)
class Row:
    """One thing to measure, and by whom it is done too."""

    name: str
    unit: str  # counted per second
    make: Callable[[], Work]  # sets ours up
    peers: tuple[str, ...] = ()  # names in peers.PEERS
    cores: int = 1
    beside: tuple[tuple[str, Callable[[], Work]], ...] = ()  # ours in other ways, in turns with it
