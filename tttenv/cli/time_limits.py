"""Time per move under a manager's limits, and player specs with that limit."""

from dataclasses import dataclass

from tttenv.players import checkpoint_of, inner_specs
from tttenv.utils.registry import parse

LEAST = 0.01  # minimum seconds per move
SHARE = 0.9  # of a move's limit; the rest is for overhead
MARGIN = 0.2  # seconds of the limit: a search checks its clock up to 0.15 s apart
MOVES = 20  # a move may take 1 / MOVES of the match's remaining time,
OVERHEAD = 0.06  # of which so many seconds are kept for each move that may still follow


@dataclass
class TurnTime:
    """A manager's time limits in seconds; None means no limit."""

    turn: float | None = None  # per move; 0: play as fast as possible
    left: float | None = None  # for the rest of the match; may be negative

    def seconds(self, moves: int) -> float | None:
        """Return the time limit for the next move in seconds, to two significant digits, or None.

        Args:
            moves: the largest number of moves that may still follow.
        """
        limits = [] if self.turn is None else [SHARE * self.turn - MARGIN]
        limits += [] if self.left is None else [(self.left - OVERHEAD * moves) / MOVES]
        return max(LEAST, float(f"{min(limits):.2g}")) if limits else None


def limited_to(spec: str, seconds: float) -> str:
    """Limit every option `time` in a player's spec to `seconds`.

    Nested players are limited too, as in `epsilon:player=(alphabeta:time=5)`. A spec without `time`
    is returned unchanged.

    Raises:
        ValueError: for a spec that cannot be parsed.
    """
    if checkpoint_of(spec) is not None:  # none of its options is a time or a player
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
    """Parse a number; return 0 for any other text, which the player will then reject."""
    try:
        return float(text)
    except ValueError:
        return 0.0
