"""Small drawings beside numbers: bars of shares, dots on an axis; their places are per cent.

They stretch with the room that the page gives them. All that they show stands beside them in words.
"""

import math
from collections.abc import Sequence

from tttenv.report.markup import Markup, element

OUTCOMES = ("win", "draw", "loss")
ROOM = 8.0  # per cent at both ends of an axis, for half a dot
MINUS = "\u2212"


def minus(text: str) -> str:
    """A number's text with a true minus sign."""
    return text.replace("-", MINUS)


def number(text: str) -> Markup:
    """A number whose point stands under that of the numbers above, with a true minus sign."""
    whole, point, fraction = minus(text).partition(".")
    return element("span", whole, element("span", point + fraction), class_="number")


def bar(odds: Sequence[float], label: str) -> Markup:
    """Shares of wins, draws and losses, one after the other from the left."""
    parts, at = [], 0.0
    for name, share in zip(OUTCOMES, odds, strict=True):
        if share > 0:
            place = {"x": percent(at), "width": percent(share), "height": "100%"}
            parts.append(element("rect", class_=name, **place))
        at += share
    return element("svg", *parts, class_="bar", role="img", aria_label=label)


def axis(dots: Sequence[tuple[float, str]]) -> Markup:
    """Dots on a line from -1 to 0, by their value and class; a tick at each end and halfway.

    A class "x" is drawn as a cross, others as a ring or disc by the style.
    """
    ends = {"x1": percent(ROOM / 100), "x2": percent(1 - ROOM / 100)}
    parts = [element("line", class_="axis", y1="50%", y2="50%", **ends)]
    for tick in (-1.0, -0.5, 0.0):
        x = percent(along(tick, -1, 0))
        parts.append(element("line", class_="tick", x1=x, x2=x, y1="25%", y2="75%"))
    parts += [dot(along(value, -1, 0), 50, name) for value, name in dots]
    return element("svg", *parts, class_="dots", aria_hidden="true")


def along(value: float, least: float, most: float) -> float:
    """Where on such an axis a value lies, as a share of the drawing's width."""
    share = (min(max(value, least), most) - least) / (most - least)
    return ROOM / 100 + share * (1 - 2 * ROOM / 100)


def dot(x: float, y: float, name: str) -> Markup:
    """A dot at a share of the width and at so many per cent of the height."""
    return element("circle", class_=name, cx=percent(x), cy=f"{y:g}%", r=4)


def percent(share: float) -> str:
    """A share as a place in a drawing."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def log_place(value: float, least: float, most: float) -> float:
    """Where a positive value lies on a logarithmic axis, as a share of its length."""
    return (math.log(value) - math.log(least)) / (math.log(most) - math.log(least))


def log_ends(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten around positive values."""
    lowest, highest = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0**lowest, 10.0 ** max(highest, lowest + 1)


def text(words: str, x: float, y: float, name: str = "") -> Markup:
    """Words whose middle is at a share of the width and at so many per cent of the height."""
    return element("text", words, x=percent(x), y=f"{y:g}%", class_=name)
