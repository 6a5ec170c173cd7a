"""Learning curves: read from a training's card or its TensorBoard events, drawn as SVG."""

import math
from pathlib import Path

from tttenv.certificates import phrases
from tttenv.certificates.curve import LIMITS, MOST, UNBEATABLE, Curve, from_card
from tttenv.certificates.curve import TAGS as MEASURES
from tttenv.exact import SEATS
from tttenv.players.checkpoint import read_card
from tttenv.report import events
from tttenv.report import step_drawing as drawing
from tttenv.report.marks import minus
from tttenv.report.markup import Markup, element
from tttenv.utils.untrusted import shown

TAGS = (*MEASURES, "time/seconds")
BOUNDS = (*LIMITS[2:], LIMITS[1])  # of their values
HEIGHT = 212  # of the drawing, in units of its view box
ABOVE, BELOW = (22, 82), (118, 178)  # the top and the bottom of both parts


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
                phrases.share(share),
                *(minus(phrases.value(curve.worst[seat][at])) for seat in SEATS),
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
    places = [f"{x:g}" for x in drawing.places(getattr(curve, over))]
    box, at = f"0 0 {drawing.WIDTH} {HEIGHT}", " ".join(places)
    parts = _parts(curve, over)
    cursor = element("path", class_="cursor")
    return element("svg", *parts, cursor, role="img", aria_label=label, viewBox=box, data_x=at)


def alone(curve: Curve, dark: bool = False) -> bytes:
    """The curve over seconds as an SVG file that explains itself, on light or on dark paper."""
    return drawing.standing_alone(_parts(curve, "seconds"), HEIGHT, dark)


def _parts(curve: Curve, over: str) -> list[Markup]:
    """The drawing: above the share of optimal moves, below the worst case of both seats."""
    along = getattr(curve, over)
    xs, left = drawing.places(along), drawing.LEFT
    least = 50 if min(curve.optimal) >= 0.5 else 0
    shares = [(value, str(value)) for value in (least, (least + 100) // 2, 100)]
    worst = [(value, minus(f"{value:.1f}")) for value in (-1.0, -0.5, 0.0)]
    parts = [drawing.text("optimal moves, %", left, ABOVE[0] - 9)]
    parts += [drawing.text("worst case", left, BELOW[0] - 9), *drawing.seats_key(BELOW[0] - 9)]
    parts += drawing.scale(ABOVE, shares) + drawing.scale(BELOW, worst)
    ys = [drawing.height(100 * share, least, 100, ABOVE) for share in curve.optimal]
    parts += [drawing.steps(xs, ys, "good"), drawing.marks(xs, ys, "good")]
    lines, marks = [], []
    for seat in SEATS:
        ys = [drawing.height(value, -1, 0, BELOW) for value in curve.worst[seat]]
        lines.append(drawing.steps(xs, ys, seat.lower()))
        marks.append(drawing.marks(xs, ys, seat.lower()))
    return [*parts, *lines, *marks, *drawing.along_the_bottom(along[-1], BELOW[1], over)]
