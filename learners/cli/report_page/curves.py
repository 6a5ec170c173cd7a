"""Learning curves: read from a training's TensorBoard events, drawn as SVG that CSS can colour."""

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learners.cli.report_page import events
from learners.cli.report_page.markup import Markup, element
from tttenv.untrusted import shown

# Drawn in these colours, which then become names that the page's style sheet gives colours to.
INK, AS_X, AS_O, OPTIMAL = "#010101", "#020202", "#030303", "#040404"
NAMES = {INK: "var(--quiet)", AS_X: "var(--x)", AS_O: "var(--o)", OPTIMAL: "var(--good)"}
# What they are in a picture that stands alone, on light or on dark paper.
PAINTS = {
    False: {INK: "#57534e", AS_X: "#265cb0", AS_O: "#b8431f", OPTIMAL: "#1b7448"},
    True: {INK: "#9aa4af", AS_X: "#8ab4f8", AS_O: "#ff9e7a", OPTIMAL: "#7ed6a2"},
}
PAPERS = {False: "#ffffff", True: "#0d1117"}
TAGS = ("exact/worst_case_X", "exact/worst_case_O", "exact/optimal_moves", "time/seconds")
LIMITS = ((-1.001, 1.001), (-1.001, 1.001), (-0.001, 1.001), (0.0, 1e9))  # of their values


@dataclass(frozen=True)
class Curve:
    """A training's exact measures, in order."""

    steps: list[int]
    seconds: list[float]
    worst: dict[str, list[float]]  # by seat: the value against a best response
    optimal: list[float]  # the share of optimal moves
    unbeatable_at: tuple[int, float] | None  # the step and second of the first such measure


def read(folder: Path) -> tuple[Curve | None, str | None]:
    """The curve of the training in `folder`, and what is wrong with its event files, if anything.

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
    for tag, (least, most) in zip(TAGS, LIMITS, strict=True):
        for step in steps:
            if not least <= values[tag][step] <= most or step < 0:
                raise ValueError(f"its event files say {tag} is {values[tag][step]} at step {step}")
    as_x, as_o, optimal, seconds = ([values[tag][step] for step in steps] for tag in TAGS)
    safe = [at for at, worst in enumerate(zip(as_x, as_o, strict=True)) if min(worst) > -1e-9]
    first = (steps[safe[0]], seconds[safe[0]]) if safe else None
    return Curve(steps, seconds, {"X": as_x, "O": as_o}, optimal, first)


def svg(curve: Curve, over: str, label: str) -> Markup:
    """The curve as an SVG element.

    Args:
        curve: to draw.
        over: "seconds" or "steps", what stands along the bottom.
        label: what a screen reader says.
    """
    import logging

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of making its font cache
    import matplotlib

    matplotlib.use("svg")
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": f"{over}{label}"}
    settings |= {"path.simplify": True, "axes.edgecolor": INK, "axes.linewidth": 0.6}
    with matplotlib.rc_context(settings):
        figure = _figure(curve, getattr(curve, over), over)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _plain(out.getvalue(), label)


def alone(curve: Curve, dark: bool = False) -> bytes:
    """The curve over seconds as an SVG file that explains itself, on light or on dark paper."""
    import matplotlib

    matplotlib.use("svg")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "curve"}):
        figure = _figure(curve, curve.seconds, "seconds")
        figure.set_size_inches(4.6, 3.3)
        figure.subplots_adjust(top=0.92, bottom=0.15, hspace=0.42)
        above, below = figure.axes
        quiet = {"fontsize": 8, "color": INK}
        above.set_title("share of optimal moves, %", loc="left", **quiet)
        below.set_title("worst case", loc="left", **quiet)
        above_it = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0}
        below.legend(
            ["as X", "as O"], ncols=2, fontsize=8, frameon=False, labelcolor=INK, **above_it
        )
        out = io.StringIO()
        figure.savefig(out, format="svg", facecolor=PAPERS[dark], metadata={"Date": None})
    drawn = out.getvalue()
    for colour, paint in PAINTS[dark].items():
        drawn = drawn.replace(colour, paint)
    return drawn.encode()


def _figure(curve: Curve, along: list[Any], over: str) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 2.9))
    above, below = figure.subplots(2, 1, sharex=True)
    figure.subplots_adjust(left=0.13, right=0.97, top=0.96, bottom=0.17, hspace=0.28)
    above.plot(along, [100 * share for share in curve.optimal], color=OPTIMAL, lw=1.6)
    least = 50 if min(curve.optimal) >= 0.5 else 0
    above.set(ylim=(least - 2, 102), yticks=(least, (least + 100) // 2, 100))
    for seat, colour, dashes in (("X", AS_X, "-"), ("O", AS_O, "--")):
        below.plot(along, curve.worst[seat], dashes, color=colour, lw=1.6)
    below.set(ylim=(-1.06, 0.06), yticks=(-1, -0.5, 0), xlabel=over)
    for axes in (above, below):
        axes.set_xlim(0, (along[-1] or 1) * 1.02)
        axes.tick_params(colors=INK, width=0.6, length=3)
        axes.xaxis.label.set_color(INK)
        axes.grid(axis="y", color=INK, alpha=0.25, lw=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _plain(drawn: str, label: str) -> Markup:
    """The drawing without what a strict content security policy forbids: style attributes."""
    body = drawn[drawn.index("<g ") : drawn.rindex("</svg>")]
    box = re.search(r'viewBox="([^"]+)"', drawn)
    assert box is not None
    body = re.sub(r"<style.*?</style>|<metadata>.*?</metadata>|<!--.*?-->", "", body, flags=re.S)
    body = re.sub(r'<g id="[^"]+"', "<g", body)
    body = re.sub(r' style="([^"]*)"', lambda found: _attributes(found[1]), body)
    for colour, name in NAMES.items():
        body = body.replace(colour, name)
    body = re.sub(r"\n\s*", "\n", body)
    return element("svg", Markup(body), role="img", aria_label=label, viewBox=box[1])


def _attributes(style: str) -> str:
    pairs = [part.split(":", 1) for part in style.split(";") if ":" in part]
    return "".join(f' {key.strip()}="{value.strip()}"' for key, value in pairs if "font" not in key)
