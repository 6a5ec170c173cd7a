"""Learning curves: read from a training's card or its TensorBoard events, drawn as SVG."""

import math
from collections.abc import Sequence
from pathlib import Path

from learners.cli.report_page import events
from learners.cli.report_page.marks import minus
from learners.cli.report_page.markup import Markup, element
from learners.training.curve import LIMITS, MOST, UNBEATABLE, Curve, from_card
from learners.training.curve import TAGS as MEASURES
from tttenv.checkpoint import read_card
from tttenv.cli import console
from tttenv.untrusted import shown

TAGS = (*MEASURES, "time/seconds")
BOUNDS = (*LIMITS[2:], LIMITS[1])  # of their values
SEATS = ("X", "O")
MANY = 60  # measures from which their marks are small
# The drawing, in units of its view box.
WIDTH, HEIGHT, LEFT, RIGHT = 320, 212, 36, 310
ABOVE, BELOW = (22, 82), (118, 178)  # the top and the bottom of both parts
TICKS = 5  # at most so many along the bottom
# The colours of a drawing that stands alone; on the page its style sheet has them.
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
text.x {{ fill: {x} }} text.o {{ fill: {o} }}
"""


def read(folder: Path) -> tuple[Curve | None, str | None]:
    """The curve of the training in `folder`, and what is wrong with what it left, if anything.

    The card has the curve up to its player. Of an older checkpoint, whose card has none, the event
    files are read.
    """
    try:
        if curve := from_card(read_card(folder)):
            return curve, None
    except ValueError as error:
        return None, str(error)
    return from_events(folder)


def from_events(folder: Path) -> tuple[Curve | None, str | None]:
    """The curve by the event files in `folder`, and what is wrong with them, if anything.

    No curve where the training left no events, or none that can be read; of a training that was
    killed those steps of which everything was written.
    """
    try:
        if not events.files(folder):
            return None, None
        values, cut = events.read(folder, TAGS)
        if not all(values.values()):  # of a game that is not solved, or of another program
            return None, None
        curve = _curve(values)
    except (OSError, ValueError) as error:
        return None, str(error)
    return curve, f"{shown(cut)} is cut short: its end is not shown" if cut else None


def _curve(values: dict[str, dict[int, float]]) -> Curve:
    """The curve of the values by tag and step.

    Raises:
        ValueError: if they are no measures.
    """
    steps = sorted(set.intersection(*(set(points) for points in values.values())))
    if not steps:
        raise ValueError("its event files tell of no step everything")
    for tag, (least, most) in zip(TAGS, BOUNDS, strict=True):
        for step in steps:
            if not least <= values[tag][step] <= most or step < 0:
                raise ValueError(f"its event files say {tag} is {values[tag][step]} at step {step}")
    as_x, as_o, optimal, seconds = ([values[tag][step] for step in steps] for tag in TAGS)
    return Curve(steps, seconds, {"X": as_x, "O": as_o}, optimal)


def thinned(curve: Curve, most: int = MOST) -> Curve:
    """So many of the curve's measures at most: the first, the first unbeatable one, the last."""
    count = len(curve.steps)
    if count <= most:
        return curve
    safe = [at for at in range(count) if min(curve.worst[s][at] for s in SEATS) > UNBEATABLE]
    apart = math.ceil(count / (most - 3))
    kept = sorted({*range(0, count, apart), count - 1, *safe[:1]})
    worst = {seat: [curve.worst[seat][at] for at in kept] for seat in SEATS}
    steps, seconds = [curve.steps[at] for at in kept], [curve.seconds[at] for at in kept]
    return Curve(steps, seconds, worst, [curve.optimal[at] for at in kept])


def told(curve: Curve) -> str:
    """The measures in words for the page's cursor: by |, ended by ; each."""
    return ";".join(
        "|".join(
            [
                f"{step:,}",
                f"{second:.1f}",
                console.share(share),
                *(minus(console.value(curve.worst[seat][at])) for seat in SEATS),
            ]
        )
        for at, (step, second, share) in enumerate(
            zip(curve.steps, curve.seconds, curve.optimal, strict=True)
        )
    )


def svg(curve: Curve, over: str, label: str) -> Markup:
    """The curve as an SVG element, coloured by the page's style sheet.

    Args:
        curve: to draw.
        over: "seconds" or "steps", what stands along the bottom.
        label: what a screen reader says.
    """
    places = [f"{x:g}" for x in _places(curve, over)]
    box, at = f"0 0 {WIDTH} {HEIGHT}", " ".join(places)
    parts = _parts(curve, over)
    cursor = element("path", class_="cursor")
    return element("svg", *parts, cursor, role="img", aria_label=label, viewBox=box, data_x=at)


def alone(curve: Curve, dark: bool = False) -> bytes:
    """The curve over seconds as an SVG file that explains itself, on light or on dark paper."""
    paints = PAINTS[dark]
    paper = element("rect", width=WIDTH, height=HEIGHT, fill=paints["paper"])
    parts = [element("style", STYLE.format(**paints)), paper, *_parts(curve, "seconds")]
    size = {"width": 1.4 * WIDTH, "height": 1.4 * HEIGHT, "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
    return element("svg", *parts, xmlns="http://www.w3.org/2000/svg", **size).encode()


def _parts(curve: Curve, over: str) -> list[Markup]:
    """The drawing: above the share of optimal moves, below the worst case of both seats."""
    xs = _places(curve, over)
    least = 50 if min(curve.optimal) >= 0.5 else 0
    parts = [_text("optimal moves, %", LEFT, ABOVE[0] - 9)]
    parts += [_text("worst case", LEFT, BELOW[0] - 9)]
    parts += [
        _text("\u00d7 as X", 228, BELOW[0] - 9, "x"),
        _text("\u25cb as O", 272, BELOW[0] - 9, "o"),
    ]
    parts += _scale(ABOVE, [(value, str(value)) for value in (least, (least + 100) // 2, 100)])
    parts += _scale(BELOW, [(value, minus(f"{value:.1f}")) for value in (-1.0, -0.5, 0.0)])
    ys = [_height(100 * share, least, 100, ABOVE) for share in curve.optimal]
    parts += [_steps(xs, ys, "good"), _marks(xs, ys, "good")]
    lines, marks = [], []
    for seat in SEATS:
        ys = [_height(value, -1, 0, BELOW) for value in curve.worst[seat]]
        lines.append(_steps(xs, ys, seat.lower()))
        marks.append(_marks(xs, ys, seat.lower()))
    parts += [*lines, *marks]
    last = max(getattr(curve, over)[-1], 1e-9)
    for tick in ticks(last):
        x = LEFT + (RIGHT - LEFT) * tick / last
        parts.append(element("path", class_="tick", d=f"M{x:.1f} {BELOW[1] + 4}v4"))
        parts.append(_text(f"{tick:,g}", x, BELOW[1] + 19, anchor="middle"))
    return [*parts, _text(over, (LEFT + RIGHT) / 2, HEIGHT - 3, anchor="middle")]


def _places(curve: Curve, over: str) -> list[float]:
    """Where the measures stand from left to right."""
    along = getattr(curve, over)
    return [round(LEFT + (RIGHT - LEFT) * at / max(along[-1], 1e-9), 2) for at in along]


def _height(value: float, least: float, most: float, part: tuple[int, int]) -> float:
    top, bottom = part
    share = (min(max(value, least), most) - least) / (most - least)
    return round(bottom - (bottom - top) * share, 2)


def _steps(xs: Sequence[float], ys: Sequence[float], name: str) -> Markup:
    """A line through measures: each holds until the next one, nothing between them is guessed."""
    onward = "".join(f"H{x:g}V{y:g}" for x, y in zip(xs[1:], ys[1:], strict=True))
    return element("path", class_=f"steps {name}", d=f"M{xs[0]:g} {ys[0]:g}{onward}")


def _marks(xs: Sequence[float], ys: Sequence[float], name: str) -> Markup:
    """A mark at each measure: a cross for X, a ring for O, a dot for both."""
    size = 1.4 if len(xs) > MANY else 2.6
    wide, across = f"{2 * size:g}", f"{size:g}"
    ring = f"a{across} {across} 0 1 0 {wide} 0a{across} {across} 0 1 0 -{wide} 0"
    shape = f"m0-{across}l{wide} {wide}m0-{wide}l-{wide} {wide}" if name == "x" else ring
    drawn = (f"M{x - size:g} {y:g}{shape}" for x, y in zip(xs, ys, strict=True))
    return element("path", class_=f"marks {name}", d="".join(drawn))


def _scale(part: tuple[int, int], values: Sequence[tuple[float, str]]) -> list[Markup]:
    least, most = values[0][0], values[-1][0]
    parts = []
    for value, words in values:
        y = _height(value, least, most, part)
        parts.append(element("path", class_="grid", d=f"M{LEFT} {y:g}H{RIGHT}"))
        parts.append(_text(words, LEFT - 6, y + 3.5, anchor="end"))
    return parts


def ticks(last: float) -> list[float]:
    """Round numbers from 0 to `last`, at most TICKS of them, one, two or five tens apart."""
    power = 10.0 ** math.floor(math.log10(last))
    apart = next(
        step for step in (power * part for part in (0.1, 0.2, 0.5, 1, 2, 5)) if last / step < TICKS
    )
    return [apart * at for at in range(math.floor(last / apart) + 1)]


def _text(words: str, x: float, y: float, name: str = "label", anchor: str = "start") -> Markup:
    return element("text", words, x=f"{x:g}", y=f"{y:g}", class_=name, text_anchor=anchor)
