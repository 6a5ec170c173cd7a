"""Learning curves on boards too large to enumerate, from certificates by reachable positions."""

import math
from collections.abc import Callable, Sequence

from tttenv.certificates.larger_curve import LargerCurve
from tttenv.exact import SEATS
from tttenv.report import step_drawing as drawing
from tttenv.report.markup import Markup, element

HEIGHT = 308  # height of the drawing in view-box units
# The parts of the drawing: their counts and texts.
PARTS = {
    "reached": "positions followed",
    "losing_line": "stones of the shortest lost game found",
    "losing_leaves": "lost games among 500 positions of an attack",
}
TOPS = (22, 118, 214)
PART_HEIGHT = 60


def svg(curve: LargerCurve, label: str) -> Markup:
    """Draw the curve over seconds as an SVG element, coloured by the page's style sheet.

    Args:
        curve: the curve.
        label: the label for screen readers.
    """
    box = f"0 0 {drawing.WIDTH} {HEIGHT}"
    return element("svg", *_parts(curve), role="img", aria_label=label, viewBox=box)


def alone(curve: LargerCurve, dark: bool = False) -> bytes:
    """Draw the curve over seconds as a standalone SVG file, with a light or dark background."""
    return drawing.standing_alone(_parts(curve), HEIGHT, dark)


def _parts(curve: LargerCurve) -> list[Markup]:
    """The drawing: three parts, one below the other."""
    xs, parts = drawing.places(curve.seconds), drawing.seats_key(TOPS[0] - 9)
    for (count, words), top in zip(PARTS.items(), TOPS, strict=True):
        part, by_seat = (top, top + PART_HEIGHT), [curve.counts[f"{count}_{s}"] for s in SEATS]
        known = [number for numbers in by_seat for number in numbers if number is not None]
        lines, placed = _scale(part, max(known, default=1), logarithmic=count == "reached")
        parts += [drawing.text(words, drawing.LEFT, top - 9), *lines]
        for name, numbers in zip("xo", by_seat, strict=True):
            parts += _line(xs, [None if n is None else placed(n) for n in numbers], name)
    below = TOPS[-1] + PART_HEIGHT
    return [*parts, *drawing.along_the_bottom(curve.seconds[-1], below, "seconds")]


def _scale(
    part: drawing.Part, most: float, logarithmic: bool
) -> tuple[list[Markup], Callable[[float], float]]:
    """Return the gridlines of a scale from 0 or 1 to at least `most`, and its placing function."""
    if logarithmic:
        tens = max(2, 2 * math.ceil(math.log10(max(most, 1)) / 2))
        values = [(float(power), _short(10**power)) for power in (0, tens // 2, tens)]
        return drawing.scale(part, values), lambda n: drawing.height(
            math.log10(max(n, 1)), 0, tens, part
        )
    apart = drawing.ticks(max(most, 1) * 1.0001)[1]
    top = 2 * math.ceil(max(apart * math.ceil(most / apart), 1) / 2)  # even, so half is a count
    values = [(share * top, f"{share * top:g}") for share in (0, 0.5, 1)]
    return drawing.scale(part, values), lambda n: drawing.height(n, 0, top, part)


def _short(number: int) -> str:
    """Format 1,000 as 1k and 1,000,000 as 1M."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number // size}{letter}"
    return str(number)


def _line(xs: Sequence[float], ys: Sequence[float | None], name: str) -> list[Markup]:
    """Draw steps through the known measures; each holds until the next, with gaps where unknown."""
    path, last = "", None
    for x, y in zip(xs, ys, strict=True):
        if last is not None:
            path += f"H{x:g}"
        if y is not None:
            path += f"M{x:g} {y:g}" if last is None else f"V{y:g}"
        last = y
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
    if not known:
        return []
    marks = drawing.marks([x for x, _ in known], [y for _, y in known], name)
    return [element("path", class_=f"steps {name}", d=path), marks]
