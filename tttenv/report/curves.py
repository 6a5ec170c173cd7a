"""Learning curves, read from a checkpoint's card or TensorBoard events and drawn as SVG."""

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
BOUNDS = (*LIMITS[2:], LIMITS[1])  # bounds of the values
HEIGHT = 212  # height of the drawing in view-box units
ABOVE, BELOW = (22, 82), (118, 178)  # top and bottom of both parts


def read(folder: Path) -> tuple[Curve | None, str | None]:
    """Return the learning curve of the run in `folder`, and an error message or None.

    The card holds the curve up to its player. For older checkpoints without it the event files are
    read.
    """
    try:
        if curve := from_card(read_card(folder)):
            return curve, None
    except ValueError as error:
        return None, str(error)
    return from_events(folder)


def from_events(folder: Path) -> tuple[Curve | None, str | None]:
    """Return the curve from the event files in `folder`, and an error message or None.

    None if there are no event files or none can be read; of a killed run only complete steps.
    """
    try:
        if not events.files(folder):
            return None, None
        values, cut = events.read(folder, TAGS)
        if not all(values.values()):  # of a game that is not solved, or from another program
            return None, None
        curve = _curve(values)
    except (OSError, ValueError) as error:
        return None, str(error)
    return curve, f"{shown(cut)} is cut short: its end is not shown" if cut else None


def _curve(values: dict[str, dict[int, float]]) -> Curve:
    """Return the curve of the values by tag and step.

    Raises:
        ValueError: if they are not valid measures.
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
    """Reduce a curve to at most `most` measures: the first, the first unbeatable, the last, etc."""
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
    """Describe the measures for the page's cursor, with fields separated by | and records by ;."""
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
    """Draw the curve as an SVG element, coloured by the page's style sheet.

    Args:
        curve: the curve.
        over: "seconds" or "steps", the horizontal axis.
        label: the label for screen readers.
    """
    places = [f"{x:g}" for x in drawing.places(getattr(curve, over))]
    box, at = f"0 0 {drawing.WIDTH} {HEIGHT}", " ".join(places)
    parts = _parts(curve, over)
    cursor = element("path", class_="cursor")
    return element("svg", *parts, cursor, role="img", aria_label=label, viewBox=box, data_x=at)


def alone(curve: Curve, dark: bool = False) -> bytes:
    """Draw the curve over seconds as a standalone SVG file, with a light or dark background."""
    return drawing.standing_alone(_parts(curve, "seconds"), HEIGHT, dark)


def _parts(curve: Curve, over: str) -> list[Markup]:
    """The drawing: optimal moves above, the worst case of both seats below."""
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
