"""Measures over time as an SVG drawing: step lines, markers, scales, and the colours of seats."""

import math
from collections.abc import Sequence

from tttenv.report.markup import Markup, element

MANY = 60  # number of measures from which markers are small
# The drawing in view-box units.
WIDTH, LEFT, RIGHT = 320, 36, 310
TICKS = 5  # maximum ticks of the horizontal axis
# The colours of a standalone drawing; on the page the style sheet sets them.
PAINTS = {
    False: {
        "paper": "#ffffff",
        "ink": "#57534e",
        "x": "#265cb0",
        "o": "#c04a16",
        "good": "#1b7448",
    },
    True: {"paper": "#0d1117", "ink": "#9aa4af", "x": "#8ab4f8", "o": "#ffa660", "good": "#7ed6a2"},
}
STYLE = """
text {{ font: 10px system-ui, sans-serif; fill: {ink} }}
.grid, .tick {{ stroke: {ink}; stroke-width: .6 }} .grid {{ opacity: .3 }}
.steps, .marks {{ fill: none; stroke-linejoin: round }}
.steps.x {{ stroke: {x}; stroke-width: 4; opacity: .4 }}
.marks.x {{ stroke: {x}; stroke-width: 1.3 }}
.steps.o {{ stroke: {o}; stroke-width: 1.4; stroke-dasharray: 4 2.5 }}
.marks.o {{ stroke: {o}; stroke-width: 1.2 }}
.steps.good {{ stroke: {good}; stroke-width: 1.6 }} .marks.good {{ fill: {good} }}
text.x {{ fill: {x} }} text.o {{ fill: {o} }} text.good {{ fill: {good} }}
"""

Part = tuple[int, int]  # top and bottom of a part of a drawing


def standing_alone(parts: Sequence[Markup], height: int, dark: bool) -> bytes:
    """Return the parts of a drawing as a standalone SVG file, with a light or dark background."""
    paints = PAINTS[dark]
    paper = element("rect", width=WIDTH, height=height, fill=paints["paper"])
    style = element("style", STYLE.format(**paints))
    size = {"width": 1.4 * WIDTH, "height": 1.4 * height, "viewBox": f"0 0 {WIDTH} {height}"}
    whole = element("svg", style, paper, *parts, xmlns="http://www.w3.org/2000/svg", **size)
    return whole.encode()


def places(along: Sequence[float]) -> list[float]:
    """Return the horizontal places of measures at these seconds or steps."""
    return [round(LEFT + (RIGHT - LEFT) * at / max(along[-1], 1e-9), 2) for at in along]


def along_the_bottom(last: float, below: int, words: str) -> list[Markup]:
    """Draw ticks with numbers from 0 to `last` under a part that ends at `below`, with a label."""
    last, parts = max(last, 1e-9), []
    for tick in ticks(last):
        x = LEFT + (RIGHT - LEFT) * tick / last
        parts.append(element("path", class_="tick", d=f"M{x:.1f} {below + 4}v4"))
        parts.append(text(f"{tick:,g}", x, below + 19, anchor="middle"))
    return [*parts, text(words, (LEFT + RIGHT) / 2, below + 31, anchor="middle")]


def seats_key(y: float) -> list[Markup]:
    """Draw the legend of markers, at the right."""
    return [text("\u00d7 as X", 228, y, "x"), text("\u25cb as O", 272, y, "o")]


def height(value: float, least: float, most: float, part: Part) -> float:
    """Return the vertical place of a value in a part that shows `least` to `most`."""
    top, bottom = part
    share = (min(max(value, least), most) - least) / (most - least)
    return round(bottom - (bottom - top) * share, 2)


def steps(xs: Sequence[float], ys: Sequence[float], name: str) -> Markup:
    """Draw a step line: each measure holds until the next one, without interpolation."""
    onward = "".join(f"H{x:g}V{y:g}" for x, y in zip(xs[1:], ys[1:], strict=True))
    return element("path", class_=f"steps {name}", d=f"M{xs[0]:g} {ys[0]:g}{onward}")


def marks(xs: Sequence[float], ys: Sequence[float], name: str) -> Markup:
    """Draw a marker at each measure: a cross for X, a ring for O, a dot for both."""
    size = 1.4 if len(xs) > MANY else 2.6
    wide, across = f"{2 * size:g}", f"{size:g}"
    ring = f"a{across} {across} 0 1 0 {wide} 0a{across} {across} 0 1 0 -{wide} 0"
    shape = f"m0-{across}l{wide} {wide}m0-{wide}l-{wide} {wide}" if name == "x" else ring
    drawn = (f"M{x - size:g} {y:g}{shape}" for x, y in zip(xs, ys, strict=True))
    return element("path", class_=f"marks {name}", d="".join(drawn))


def scale(part: Part, values: Sequence[tuple[float, str]]) -> list[Markup]:
    """Draw labelled gridlines across a part at these values, in ascending order."""
    least, most = values[0][0], values[-1][0]
    parts = []
    for value, words in values:
        y = height(value, least, most, part)
        parts.append(element("path", class_="grid", d=f"M{LEFT} {y:g}H{RIGHT}"))
        parts.append(text(words, LEFT - 6, y + 3.5, anchor="end"))
    return parts


def ticks(last: float) -> list[float]:
    """Return at most TICKS round numbers from 0 to `last`, in steps of 1, 2 or 5 times 10**n."""
    power = 10.0 ** math.floor(math.log10(last))
    apart = next(
        step for step in (power * part for part in (0.1, 0.2, 0.5, 1, 2, 5)) if last / step < TICKS
    )
    return [apart * at for at in range(math.floor(last / apart) + 1)]


def text(words: str, x: float, y: float, name: str = "label", anchor: str = "start") -> Markup:
    """Draw a text."""
    return element("text", words, x=f"{x:g}", y=f"{y:g}", class_=name, text_anchor=anchor)
