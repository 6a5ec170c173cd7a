"""Puts the report together: one HTML file that loads nothing and runs only its own script."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from learners.cli.report_page import data, larger, leaderboard, league, published, strips, tables
from learners.cli.report_page.endings import Ending
from learners.cli.report_page.gather import Shown
from learners.cli.report_page.larger import Larger
from learners.cli.report_page.markup import joined, script_data
from tttenv.metrics.league import League

PAGE = Path(__file__).parent / "page"
# The files of the page, each kind joined in this order; all scripts share one scope.
SECTIONS = ["play", "leaderboard", "curves", "larger", "league", "pairs", "explorer", "published"]
STYLES = ["base", "play", "tables", "curves", "explorer", "narrow", "print"]
SCRIPTS = [
    "game",
    "draw",
    "state",
    "board",
    "play",
    "replay",
    "explorer",
    "tables",
    "curves",
    "main",
]


def html(
    players: list[Shown],
    numbers: list[dict[str, Any]],
    others: Sequence[Larger] = (),
    played: League | None = None,
    trainings: Sequence[Ending] = (),
    swept: Sequence[Ending] = (),
) -> str:
    """The whole page.

    Args:
        players: to show, at least one; the strongest are listed first.
        numbers: rows of published numbers; their section is left out if there are none.
        others: trained players for larger boards; their section is left out if there are none.
        played: a league; its section is left out if there is none.
        trainings: how all trainings of the players' learners ended.
        swept: how the trainings of a sweep ended.
    """
    players = leaderboard.ranked(players)
    style = _joined("styles", STYLES, "css")
    script = _joined("scripts", SCRIPTS, "js")
    curves, scores = tables.curves(players), tables.scores(players)
    seconds = joined(
        strips.table(endings, head)
        for endings, head in ((trainings, "Learner"), (swept, "Setting"))
        if endings
    )
    page = Template((PAGE / "template.html").read_text(encoding="utf-8"))
    page = Template(page.safe_substitute(sections=_joined("sections", SECTIONS, "html")))
    return page.substitute(
        policy=_policy(script, style),
        style=style,
        data=script_data(data.tables(players)),
        script=script,
        options=tables.options(players),
        leaderboard=leaderboard.html(players),
        notes=leaderboard.notes(players),
        curves=curves,
        no_figures="hidden" if not curves else "",
        seconds=seconds,
        no_curves="hidden" if not (curves or seconds) else "",
        published=published.html(numbers) if numbers else "",
        no_published="hidden" if not numbers else "",
        larger=larger.html(others),
        no_larger="hidden" if not others else "",
        league=league.html(played),
        no_league="hidden" if played is None else "",
        pairs=tables.pairs(players, scores),
        certain=tables.certain(players, scores),
        **tables.summary(players),
    )


def _joined(folder: str, names: Sequence[str], suffix: str) -> str:
    """The files of a folder of the page, one after the other."""
    files = [PAGE / folder / f"{name}.{suffix}" for name in names]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def _policy(script: str, style: str) -> str:
    """A content security policy that lets nothing load and only this script and style in."""
    allowed = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    for kind, text in (("script-src", script), ("style-src", style)):
        digest = hashlib.sha256(text.encode()).digest()
        allowed[kind] = f"'sha256-{base64.b64encode(digest).decode()}'"
    return "; ".join(f"{kind} {source}" for kind, source in allowed.items())
