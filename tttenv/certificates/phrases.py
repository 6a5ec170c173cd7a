"""Formatting of exact numbers, shared by commands, curves and reports."""

from collections.abc import Sequence
from typing import Any


def share(number: float) -> str:
    """Format a probability in percent; only exact zeros and ones are written 0.00 and 100.00."""
    per_cent = 100 * number
    if 0 < per_cent < 0.005 and number > 1e-12:
        return "<0.01"
    if 99.995 < per_cent < 100 and number < 1 - 1e-12:
        return ">99.99"
    return f"{per_cent:.2f}"


def odds(row: Sequence[float]) -> str:
    """Format the probabilities of a win, a draw and a loss in percent."""
    return " / ".join(share(number) for number in row)


def value(number: float) -> str:
    """Format a value between -1 and 1 with a sign, and zero without one."""
    text = f"{number:+.4f}".rstrip("0").rstrip(".")
    if text not in ("+0", "-0"):
        return text
    return "0" if abs(number) < 1e-9 else f"{number:+.0e}"


def steps(count: int) -> str:
    """Format a number of training steps, such as "1 step" or "1,000 steps"."""
    return f"{count:,} step{'s' * (count != 1)}"


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
    """Summarize one seat's numbers in a certificate based on reachable positions."""
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
            margin = numbers[tag.replace("value", "margin")]
            lines.append(f"  as {seat} against {name:<10} value {number:+.3f} +- {margin:.3f}")
    return "\n".join(lines)


def of_seat(certificate: Any, seat: str) -> str:
    """Return the verdict on one seat of a certificate based on reachable positions."""
    never, reached = certificate.never_loses[seat], certificate.reached[seat]
    if never is None:
        return f"undecided after {reached:,} positions as {seat}"
    if never:
        always = certificate.worst_case[seat] == 1
        return f"{'always wins' if always else 'never loses'} as {seat}"
    if certificate.losing_line[seat] is None:
        return f"the other side wins by force against {seat}"
    return f"loses as {seat}"


def hundredths(value: float | None, sampled: bool = False) -> str:
    """Format a value in hundredths with its sign, and "~" if it was sampled; None gives "-"."""
    if value is None:
        return "-"
    number = round(100 * value)
    if number == 0 and abs(value) > 1e-9:
        told = "+0" if value > 0 else "-0"
    elif abs(number) == 100 and abs(value) < 1 - 1e-9:
        told = "+99" if value > 0 else "-99"
    else:
        told = f"{number:+d}" if number else "0"
    return told + "~" * sampled
