"""Learning curves read from checkpoint cards or TensorBoard event files."""

import math
from pathlib import Path

from tttenv.certificates.curve import LIMITS, MOST, UNBEATABLE, Curve, from_card
from tttenv.certificates.curve import TAGS as MEASURES
from tttenv.exact import SEATS
from tttenv.players.checkpoint import read_card
from tttenv.report import events
from tttenv.utils.untrusted import shown

TAGS = (*MEASURES, "time/seconds")
BOUNDS = (*LIMITS[2:], LIMITS[1])  # bounds of the values


def read(folder: Path) -> tuple[Curve | None, str | None]:
    """Return the learning curve of the run in `folder`, and an error message or None.

    The card stores the curve up to its player. For older checkpoints without a curve the event
    files are read.
    """
    try:
        if curve := from_card(read_card(folder)):
            return curve, None
    except ValueError as error:
        return None, str(error)
    return from_events(folder)


def from_events(folder: Path) -> tuple[Curve | None, str | None]:
    """Return the curve from the event files in `folder`, and an error message or None.

    The curve is None if no event files can be read; for a killed run it has only complete steps.
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
    """Build a curve from values by tag and step.

    Raises:
        ValueError: if they are not valid measurements.
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
    """Thin a curve to `most` measurements: the first, the last and the first unbeatable stay."""
    count = len(curve.steps)
    if count <= most:
        return curve
    safe = [at for at in range(count) if min(curve.worst[s][at] for s in SEATS) > UNBEATABLE]
    apart = math.ceil(count / (most - 3))
    kept = sorted({*range(0, count, apart), count - 1, *safe[:1]})
    worst = {seat: [curve.worst[seat][at] for at in kept] for seat in SEATS}
    steps, seconds = [curve.steps[at] for at in kept], [curve.seconds[at] for at in kept]
    return Curve(steps, seconds, worst, [curve.optimal[at] for at in kept])
