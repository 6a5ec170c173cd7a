"""Strip charts of when training runs became unbeatable: one dot per seed on a log axis."""

import math
from collections.abc import Sequence
from statistics import median

from tttenv.report.charts import dot, log_ends, log_place, percent, text
from tttenv.report.endings import Ending
from tttenv.report.load_players import LONGEST
from tttenv.report.markup import Markup, element, joined
from tttenv.utils.untrusted import shown

LEAST = 1e-3  # seconds; shorter times are clipped
END = 0.88  # the end of the axis, as a share of the width
NEVER = 0.95  # the place of runs that did not become unbeatable
ROWS = 100  # maximum rows
SCATTER = (math.sqrt(5) - 1) / 2  # vertical distance of successive seeds' dots


def table(trainings: Sequence[Ending], head: str) -> Markup:
    """Return a table with one row per name and one dot per seed, the most reliable name first."""
    groups: dict[str, list[Ending]] = {}
    for training in trainings:
        groups.setdefault(training.name, []).append(training)
    order = sorted(groups.values(), key=lambda group: (-_share(group), _middle(group) or math.inf))
    times = [max(one.seconds, LEAST) for one in trainings if one.seconds is not None]
    ends = log_ends(times or [1.0])
    never = any(not one.unbeatable for one in trainings)
    rows = [_row(group, ends) for group in order[:ROWS]]
    heads = (head, "Unbeatable", "Seconds of one core, each seed a dot", "Median")
    foot = element("tr", *(element("td", part) for part in ("", "", _axis(ends, never), "seconds")))
    parts = [
        element("thead", element("tr", *(element("th", word, scope="col") for word in heads))),
        element("tbody", *rows),
        element("tfoot", foot),
    ]
    whole = element("table", *parts, class_="strips")
    if len(order) <= ROWS:
        return whole
    return joined([whole, element("p", f"{len(order) - ROWS:,} more are not shown.")])


def _share(group: Sequence[Ending]) -> float:
    return sum(one.unbeatable for one in group) / len(group)


def _middle(group: Sequence[Ending]) -> float | None:
    times = [one.seconds for one in group if one.seconds is not None]
    return median(times) if times else None


def _row(group: Sequence[Ending], ends: tuple[float, float]) -> Markup:
    middle, reached = _middle(group), sum(one.unbeatable for one in group)
    parts = []
    if middle is not None and len(group) > 1:
        at = percent(_place(middle, ends))
        parts.append(element("line", class_="middle", x1=at, x2=at, y1="8%", y2="92%"))
    for one in group:
        y = 22 + 56 * ((one.seed * SCATTER) % 1) if len(group) > 1 else 50
        name, x = ("never", NEVER) if one.seconds is None else ("", _place(one.seconds, ends))
        parts.append(dot(x, y, name))
    name = shown(group[0].name, LONGEST)
    return element(
        "tr",
        element("th", name, scope="row", title=name),
        element("td", f"{reached} of {len(group)}"),
        element("td", element("svg", *parts, class_="strip", aria_hidden="true")),
        element("td", "\u2013" if middle is None else f"{middle:.1f}"),
    )


def _place(seconds: float, ends: tuple[float, float]) -> float:
    return 0.03 + (END - 0.03) * log_place(max(seconds, LEAST), *ends)


def _axis(ends: tuple[float, float], never: bool) -> Markup:
    powers = range(round(math.log10(ends[0])), round(math.log10(ends[1])) + 1)
    parts = []
    for power in powers:
        x = percent(_place(10.0**power, ends))
        parts.append(element("line", class_="tick", x1=x, x2=x, y1="0%", y2="25%"))
        parts.append(text(f"{10.0**power:,g}", _place(10.0**power, ends), 85))
    parts += [text("never", NEVER, 85)] if never else []
    return element("svg", *parts, class_="scale", aria_hidden="true")
