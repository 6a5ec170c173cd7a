"""What the results of both seats say together: worst cases, the game's value, unbeatable or not.

All follows from five facts. A player's worst case is at most what the game is worth to its seat. A
player that never loses has a worst case of at least 0; one that always wins has 1; one that loses a
game by moves that it always makes has -1. And the second player wins no m,n,k-game by force, so the
value for X is 1 or 0.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class SeatResult:
    """What is known of a player in one seat; None is unknown."""

    never_loses: bool | None
    always_wins: bool | None
    surely_lost: bool  # whether it loses a game by moves that it always makes
    one_move: bool  # whether it answered every board with one move
    reached: int  # positions that it was asked about
    losing_line: list[int] | None = None  # a game it loses, by the cells of both sides
    shortest: bool | None = None  # whether it loses none in fewer moves; None without such a game
    vs_random: list[float] | None = None  # win, draw, loss
    symmetry: str | None = None  # how it is known that mirror images are treated alike


def proved_value(x: SeatResult, o: SeatResult | None) -> int | None:
    """The game's value for X, if the results prove it; `o` is None before that seat is searched."""
    if x.always_wins:
        return 1
    return 0 if o is not None and o.never_loses else None


def worst_case(result: SeatResult, worth: int | None) -> float | None:
    """The value against a best response, where it is known.

    Args:
        result: of the seat.
        worth: what the game is worth to the seat under perfect play; None if unknown.
    """
    if result.always_wins:
        return 1.0
    if result.surely_lost or worth == -1:
        return -1.0
    if result.never_loses and (worth == 0 or (result.one_move and result.always_wins is False)):
        return 0.0
    return None


def unbeatable(x: SeatResult, o: SeatResult, value: int | None) -> bool | None:
    """Whether the worst case is the game's value in both seats; None if unknown."""
    possible = {_unbeatable_if(x, o, each) for each in ((0, 1) if value is None else (value,))}
    return possible.pop() if len(possible) == 1 else None


def _unbeatable_if(x: SeatResult, o: SeatResult, value: int) -> bool | None:
    """The same, if this is the value of the game."""
    if value == 1:  # nobody is asked for more than a loss as O
        return x.always_wins
    parts = [False if seat.surely_lost else seat.never_loses or None for seat in (x, o)]
    return False if False in parts else None if None in parts else True
