"""Formatting of exact numbers, shared by commands, curves and reports."""

from collections.abc import Sequence
from functools import reduce
from math import copysign
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tttenv.game.rules import Rules

ROUNDING = 1e-12  # of sums of probabilities; numbers that differ by less are equal


def share(number: float, digits: int = 2) -> str:
    """Format a probability in percent; only exact zeros and ones are written 0.00 and 100.00."""
    per_cent, step = 100 * number, 10.0**-digits
    if number > ROUNDING and per_cent < step / 2:
        return f"<{step:.{digits}f}"
    if number < 1 - ROUNDING and per_cent > 100 - step / 2:
        return f">{100 - step:.{digits}f}"
    return f"{per_cent:.{digits}f}"


def rounded(value: float, digits: int) -> float:
    """Round a value between -1 and 1; only exact ones become -1 or 1."""
    number = round(value, digits)
    if abs(number) == 1 and abs(value) < 1 - ROUNDING:
        return copysign(1 - 10.0**-digits, value)
    return number


def odds(row: Sequence[float]) -> str:
    """Format the probabilities of a win, a draw and a loss in percent."""
    return " / ".join(share(number) for number in row)


def value(number: float) -> str:
    """Format a value between -1 and 1 with a sign; only exact -1, 0 and 1 are written so."""
    text = f"{rounded(number, 4):+.4f}".rstrip("0").rstrip(".")
    if text not in ("+0", "-0"):
        return text
    return "0" if abs(number) < ROUNDING else f"{number:+.0e}"


def counted(count: int, noun: str) -> str:
    """Format a number of things, such as "1 step" or "1,000 steps"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def large(number: float) -> str:
    """Format a number to three significant digits, with a word such as "million" if large."""
    for size, word in ((1e9, " billion"), (1e6, " million"), (1e3, " thousand")):
        if number >= size:
            return f"{number / size:.3g}{word}"
    return f"{number:.3g}"


def standing(numbers: dict[str, float]) -> str:
    """Summarize a player's exact numbers, or else sampled ones, in a few words."""
    if "exact/reached_X" in numbers:
        return "  ".join(_reached(numbers, seat) for seat in "XO")
    if "exact/worst_case_X" in numbers:
        worst = [value(numbers[f"exact/worst_case_{seat}"]) for seat in "XO"]
        optimal = share(numbers["exact/optimal_moves"])
        return f"worst case X {worst[0]} O {worst[1]}  optimal moves {optimal} %"
    values = [value(numbers[f"sampled/value_vs_random_{seat}"]) for seat in "XO"]
    return f"vs random X {values[0]} O {values[1]}"


def _reached(numbers: dict[str, float], seat: str) -> str:
    stones, never = (numbers.get(f"exact/{name}_{seat}") for name in ("losing_line", "never_loses"))
    if never:
        verdict = "always wins" if numbers.get(f"exact/worst_case_{seat}") == 1 else "never loses"
    elif stones is not None:
        verdict = f"loses in {stones:.0f}"
    else:
        verdict = "undecided" if never is None else "loses"
    return f"{seat} {verdict} ({numbers[f'exact/reached_{seat}']:,.0f} positions)"


def sampled(numbers: dict[str, float]) -> str:
    """Format sampled values with their margins, one line each."""
    lines = []
    for tag, number in numbers.items():
        if tag.startswith("sampled/value_vs_"):
            name, seat = tag.removeprefix("sampled/value_vs_").rsplit("_", 1)
            text = f"{rounded(number, 3):+.3f} +- {numbers[tag.replace('value', 'margin')]:.3f}"
            lines.append(f"  as {seat} against {name:<10} value {text}")
    return "\n".join(lines)


def lost_game(rules: "Rules", line: Sequence[int]) -> str:
    """Return a lost game as coordinates, saying so if it ends with the player's forfeit.

    Args:
        rules: the game.
        line: the cells of both sides in turn.
    """
    from tttenv.game.rules import names_of

    names = names_of(rules, line)
    if not forfeited(rules, line):
        return names
    return f"{names}, then no legal answer" if names else "no legal answer on the empty board"


def forfeited(rules: "Rules", line: Sequence[int]) -> bool:
    """Return whether a lost game ends with the player's forfeit, not with a line."""
    return not rules.over(reduce(rules.play, line, rules.start()))


def hundredths(value: float | None, sampled: bool = False) -> str:
    """Format a value in hundredths with its sign, and "~" if it was sampled; None gives "-"."""
    if value is None:
        return "-"
    text = "0" if abs(value) < ROUNDING else f"{100 * rounded(value, 2):+.0f}"
    return text + "~" * sampled
