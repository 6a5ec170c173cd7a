"""How long a player may think for a move under a manager's limits, and the spec that says so."""

from dataclasses import dataclass

from tttenv.players import checkpoint_of, inner_specs
from tttenv.utils.registry import parse

LEAST = 0.01  # seconds: nobody is asked for less
SHARE = 0.9  # of the limit of a move, the rest for what is not thinking
MARGIN = 0.2  # seconds of the same: between two looks at its clock a search takes up to 0.15 s
MOVES = 20  # a move may take one of so many parts of the time that a match has left


@dataclass
class Budget:
    """A manager's limits, in seconds; None where it has set none."""

    turn: float | None = None  # for each move; 0: play as fast as possible
    left: float | None = None  # for the rest of the match; may be negative

    @property
    def seconds(self) -> float | None:
        """How long the next move may be thought about, in two digits; None: without a limit."""
        limits = [] if self.turn is None else [SHARE * self.turn - MARGIN]
        limits += [] if self.left is None else [self.left / MOVES]
        return max(LEAST, float(f"{min(limits):.2g}")) if limits else None


def limited_to(spec: str, seconds: float) -> str:
    """A player's spec, its option `time` set to at most so many seconds wherever it has one.

    The player within another one is limited too, as in `epsilon:player=(alphabeta:time=5)`. A spec
    without `time`, of a player of fixed strength, is returned as it is.

    Args:
        spec: a player's.
        seconds: for a move.

    Raises:
        ValueError: for a spec that cannot be read.
    """
    checkpoint = checkpoint_of(spec)
    if checkpoint is not None and not checkpoint[1]:  # a folder's name may hold any character
        return spec
    name, options = parse(spec)
    inner = inner_specs(name, options)
    limited = options | {option: limited_to(value, seconds) for option, value in inner.items()}
    if _number(options.get("time", "")) > seconds:
        limited["time"] = f"{seconds:g}"
    if limited == options:
        return spec
    return f"{name}:{','.join(f'{option}=({value})' for option, value in limited.items())}"


def _number(text: str) -> float:
    """The number that a text is; 0 for any other text, which is left for the player to refuse."""
    try:
        return float(text)
    except ValueError:
        return 0.0
