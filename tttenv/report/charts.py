"""SVG charts for the page: learning curves, and small drawings next to numbers.

Curves are drawn in view-box units and scale as a whole. Drawings in tables use percentages and
scale with the page; everything they show also appears as text next to them.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from string import Template

from tttenv.certificates import phrases
from tttenv.certificates.curve import Curve
from tttenv.exact import SEATS
from tttenv.game.rewards import RESULTS
from tttenv.report.markup import Markup, element

MINUS = "\u2212"


def minus(text: str) -> str:
    """Replace the hyphens in a text with minus signs."""
    return text.replace("-", MINUS)


# Curves

MANY = 60  # number of measures from which markers are small
WIDTH, HEIGHT, LEFT, RIGHT = 320, 212, 36, 310  # a curve's chart in view-box units
TICKS = 5  # maximum ticks of the horizontal axis
PAINTED = ("paper", "ink", "x", "o", "good")
PAINTS = {  # of a light and a dark standalone drawing; on the page the style sheet sets them
    False: dict(zip(PAINTED, ("#ffffff", "#57534e", "#265cb0", "#c04a16", "#1b7448"), strict=True)),
    True: dict(zip(PAINTED, ("#0d1117", "#9aa4af", "#8ab4f8", "#ffa660", "#7ed6a2"), strict=True)),
}
STYLE = (Path(__file__).parent / "charts.css").read_text(encoding="utf-8")  # of a standalone one

Part = tuple[int, int]  # top and bottom of a part of a drawing


def standalone(parts: list[Markup], width: int, tall: int, dark: bool, more: str = "") -> bytes:
    """Return a drawing as an SVG file, with `more` styles, and a light or dark background."""
    paints = PAINTS[dark]
    paper = element("rect", width=width, height=tall, fill=paints["paper"])
    style = element("style", Template(f"\n{STYLE}{more}").substitute(paints))
    about = {"xmlns": "http://www.w3.org/2000/svg", "width": 1.4 * width}
    about |= {"height": 1.4 * tall, "viewBox": f"0 0 {width} {tall}"}
    return element("svg", style, paper, *parts, **about).encode()


def curve_svg(curve: Curve, over: str, label: str) -> Markup:
    """Return a curve's chart as an SVG element of the page, coloured by the page's style sheet."""
    at = " ".join(f"{x:g}" for x in places(getattr(curve, over)))
    parts = [*curve_chart(curve, over), element("path", class_="cursor")]
    box = f"0 0 {WIDTH} {HEIGHT}"
    return element("svg", *parts, role="img", aria_label=label, viewBox=box, data_x=at)


def curve_chart(curve: Curve, over: str) -> list[Markup]:
    """Draw a curve's fraction of optimal moves, and below it both seats' worst cases."""
    along = getattr(curve, over)
    xs, above, below = places(along), (22, 82), (118, 178)
    least = 50 if min(curve.optimal) >= 0.5 else 0
    shares = [(value, str(value)) for value in (least, (least + 100) // 2, 100)]
    worst = [(value, minus(f"{value:.1f}")) for value in (-1.0, -0.5, 0.0)]
    parts = [label("optimal moves, %", LEFT, above[0] - 9)]
    parts += [label("worst case", LEFT, below[0] - 9)]
    parts += [label("\u00d7 as X", 228, below[0] - 9, "x")]
    parts += [label("\u25cb as O", 272, below[0] - 9, "o")]
    parts += scale(above, shares) + scale(below, worst)
    parts += line(xs, [height(100 * share, least, 100, above) for share in curve.optimal], "good")
    lines = [
        line(xs, [height(value, -1, 0, below) for value in curve.worst[seat]], seat.lower())
        for seat in SEATS
    ]
    parts += [steps for steps, _ in lines] + [marks for _, marks in lines]
    for tick in ticks(last := max(along[-1], 1e-9)):
        x = LEFT + (RIGHT - LEFT) * tick / last
        parts.append(element("path", class_="tick", d=f"M{x:.1f} {below[1] + 4}v4"))
        parts.append(label(f"{tick:,g}", x, below[1] + 19, anchor="middle"))
    return [*parts, label(over, (LEFT + RIGHT) / 2, below[1] + 31, anchor="middle")]


def places(along: Sequence[float]) -> list[float]:
    """Return the x coordinates of measurements at the given seconds or steps."""
    return [round(LEFT + (RIGHT - LEFT) * at / max(along[-1], 1e-9), 2) for at in along]


def height(value: float, least: float, most: float, part: Part) -> float:
    """Return the y coordinate of a value in a part that ranges from `least` to `most`."""
    top, bottom = part
    return round(bottom - (bottom - top) * _share(value, least, most), 2)


def line(xs: Sequence[float], ys: Sequence[float], name: str) -> list[Markup]:
    """Draw a step line with a marker per measurement: cross for X, ring for O, dot for both.

    Each measurement holds until the next one, without interpolation.
    """
    path = f"M{xs[0]:g} {ys[0]:g}"
    for x, y in zip(xs[1:], ys[1:], strict=True):
        path += f"H{x:g}V{y:g}"
    size = 1.4 if len(xs) > MANY else 2.6
    wide, across = f"{2 * size:g}", f"{size:g}"
    ring = f"a{across} {across} 0 1 0 {wide} 0a{across} {across} 0 1 0 -{wide} 0"
    shape = f"m0-{across}l{wide} {wide}m0-{wide}l-{wide} {wide}" if name == "x" else ring
    drawn = "".join(f"M{x - size:g} {y:g}{shape}" for x, y in zip(xs, ys, strict=True))
    steps = element("path", class_=f"steps {name}", d=path)
    return [steps, element("path", class_=f"marks {name}", d=drawn)]


def scale(part: Part, values: Sequence[tuple[float, str]]) -> list[Markup]:
    """Draw labelled gridlines across a part at the given values, in ascending order."""
    least, most = values[0][0], values[-1][0]
    parts = []
    for value, words in values:
        y = height(value, least, most, part)
        parts.append(element("path", class_="grid", d=f"M{LEFT} {y:g}H{RIGHT}"))
        parts.append(label(words, LEFT - 6, y + 3.5, anchor="end"))
    return parts


def ticks(last: float) -> list[float]:
    """Return at most TICKS round numbers from 0 to `last`, in steps of 1, 2 or 5 times 10**n."""
    power = 10.0 ** math.floor(math.log10(last))
    apart = next(
        step for step in (power * part for part in (0.1, 0.2, 0.5, 1, 2, 5)) if last / step < TICKS
    )
    return [apart * at for at in range(math.floor(last / apart) + 1)]


def label(words: str, x: float, y: float, name: str = "label", anchor: str = "start") -> Markup:
    """Draw text in a learning-curve chart."""
    return element("text", words, x=f"{x:g}", y=f"{y:g}", class_=name, text_anchor=anchor)


def measures(curve: Curve) -> str:
    """Format the measurements for the page's cursor: fields end with |, records with ;."""
    columns = zip(curve.steps, curve.seconds, curve.optimal, *curve.worst.values(), strict=True)
    return ";".join(
        f"{step:,}|{second:.1f}|{phrases.share(share)}|"
        + "|".join(minus(phrases.value(value)) for value in worst)
        for step, second, share, *worst in columns
    )


def _share(value: float, least: float, most: float) -> float:
    return (min(max(value, least), most) - least) / (most - least)


# Drawings in tables

ROOM = 8.0  # margin at both ends of an axis in per cent, for half a dot


def number(text: str) -> Markup:
    """Format a number to be aligned at its decimal point, with a true minus sign if negative."""
    whole, point, fraction = minus(text).partition(".")
    return element("span", whole, element("span", point + fraction), class_="number")


def bar(odds: Sequence[float], label: str) -> Markup:
    """Draw the fractions of wins, draws and losses as a stacked bar."""
    parts, at = [], 0.0
    for name, share in zip(RESULTS, odds, strict=True):
        if share > 0:
            place = {"x": percent(at), "width": percent(share), "height": "100%"}
            parts.append(element("rect", class_=name, **place))
        at += share
    return element("svg", *parts, class_="bar", role="img", aria_label=label)


def axis(value: float, name: str) -> Markup:
    """Draw a dot of a class on an axis from -1 to 0 with ticks at both ends and in the middle."""

    def place(value: float) -> str:
        return percent(ROOM / 100 + _share(value, -1, 0) * (1 - 2 * ROOM / 100))

    parts = [element("line", class_="axis", y1="50%", y2="50%", x1=place(-1), x2=place(0))]
    for x in map(place, (-1.0, -0.5, 0.0)):
        parts.append(element("line", class_="tick", x1=x, x2=x, y1="25%", y2="75%"))
    parts.append(element("circle", class_=name, cx=place(value), cy="50%", r=4))
    return element("svg", *parts, class_="dots", aria_hidden="true")


def percent(share: float) -> str:
    """Format a fraction as a percentage, for use as a coordinate."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"
