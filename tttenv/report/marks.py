"""Small drawings next to numbers: bars of shares and dots on an axis, placed in per cent.

They scale with the page. Everything they show is also given in text next to them.
"""

import math
from collections.abc import Sequence

from tttenv.report.markup import Markup, element

OUTCOMES = ("win", "draw", "loss")
ROOM = 8.0  # margin at both ends of an axis in per cent, for half a dot
MINUS = "\u2212"


def minus(text: str) -> str:
    """Replace the hyphen of a number by a minus sign."""
    return text.replace("-", MINUS)


def number(text: str) -> Markup:
    """Format a number aligned at the decimal point, with a minus sign."""
    whole, point, fraction = minus(text).partition(".")
    return element("span", whole, element("span", point + fraction), class_="number")


def bar(odds: Sequence[float], label: str) -> Markup:
    """Draw shares of wins, draws and losses side by side."""
    parts, at = [], 0.0
    for name, share in zip(OUTCOMES, odds, strict=True):
        if share > 0:
            place = {"x": percent(at), "width": percent(share), "height": "100%"}
            parts.append(element("rect", class_=name, **place))
        at += share
    return element("svg", *parts, class_="bar", role="img", aria_label=label)


def axis(dots: Sequence[tuple[float, str]]) -> Markup:
    """Draw dots on a line from -1 to 0, by value and class, with ticks at both ends and halfway.

    The class "x" is drawn as a cross, others as a ring or disc by the style.
    """
    ends = {"x1": percent(ROOM / 100), "x2": percent(1 - ROOM / 100)}
    parts = [element("line", class_="axis", y1="50%", y2="50%", **ends)]
    for tick in (-1.0, -0.5, 0.0):
        x = percent(along(tick, -1, 0))
        parts.append(element("line", class_="tick", x1=x, x2=x, y1="25%", y2="75%"))
    parts += [dot(along(value, -1, 0), 50, name) for value, name in dots]
    return element("svg", *parts, class_="dots", aria_hidden="true")


def along(value: float, least: float, most: float) -> float:
    """Return the place of a value on such an axis, as a share of the drawing's width."""
    share = (min(max(value, least), most) - least) / (most - least)
    return ROOM / 100 + share * (1 - 2 * ROOM / 100)


def dot(x: float, y: float, name: str) -> Markup:
    """Draw a dot at a share of the width and a height in per cent."""
    return element("circle", class_=name, cx=percent(x), cy=f"{y:g}%", r=4)


def percent(share: float) -> str:
    """Format a share as a coordinate of a drawing."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def log_place(value: float, least: float, most: float) -> float:
    """Return the place of a positive value on a logarithmic axis, as a share of its length."""
    return (math.log(value) - math.log(least)) / (math.log(most) - math.log(least))


def log_ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the powers of ten that enclose positive values."""
    lowest, highest = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0**lowest, 10.0 ** max(highest, lowest + 1)


def text(words: str, x: float, y: float, name: str = "") -> Markup:
    """Draw a text centred at a share of the width and a height in per cent."""
    return element("text", words, x=percent(x), y=f"{y:g}%", class_=name)
