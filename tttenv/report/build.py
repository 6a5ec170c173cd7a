"""Assembling the report: one self-contained HTML file that runs only its own scripts."""

import base64
import contextlib
import hashlib
import json
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote, urljoin

from tttenv.league.league import League
from tttenv.report import data, endings, larger, leaderboard, league, published
from tttenv.report.endings import Ending
from tttenv.report.larger import Larger
from tttenv.report.load_players import Shown
from tttenv.report.markup import Markup, element, joined, packed, void

PAGE = Path(__file__).parent / "page"
INSTALL = "pip install -c constraints.txt -e '.[learn]'"
PREVIEW = "preview.png"  # the image next to a published page
# The files of the page, concatenated in this order by kind; all scripts share one scope.
SECTIONS = (
    *("play", "teach", "bot", "leaderboard", "curves", "larger", "league", "pairs", "explorer"),
    "published",
)
STYLES = ("base", "play", "teach", "tables", "curves", "explorer", "narrow", "print")
SHARED = ("packed", "rules")  # before the scripts of the page, and before those of the worker
SCRIPTS = (
    *("data", "game", "certificate", "teacher", "draw", "later", "boards", "state", "analysis"),
    *("judge", "links", "board", "play", "watch", "about", "question", "teach", "bot"),
    *("snapshots", "explorer", "tables", "curves", "keys", "main"),
)
FIRST = ("first",)  # runs separately, before the body is parsed
# The scripts of the web worker.
WORKER = ("lines", "threats", "network", "players", "tactics", "solver", "shortest", "messages")


def html(
    players: list[Shown],
    numbers: list[dict[str, Any]],
    others: Sequence[Larger] = (),
    played: League | None = None,
    trainings: Sequence[Ending] = (),
    swept: Sequence[Ending] = (),
    url: str | None = None,
) -> str:
    """Return the report's HTML; sections without content are hidden.

    Args:
        players: the players, at least one; the strongest are listed first.
        numbers: rows of published numbers.
        others: trained players for larger boards.
        played: a league.
        trainings: the endings of all training runs of the players' learners.
        swept: the endings of the training runs of a sweep.
        url: the page's address, as returned by `checked_url`; None if not published.
    """
    players = leaderboard.ranked(players)
    style = _joined("styles", STYLES, "css")
    first, shared = _joined("scripts", FIRST, "js"), _joined("shared", SHARED, "js")
    script = shared + _joined("scripts", SCRIPTS, "js")
    networks = [one.network for one in others if one.network is not None]
    curves, scores = leaderboard.curves(players), leaderboard.scores(players)
    seconds = joined(
        endings.table(runs, head)
        for runs, head in ((trainings, "Learner"), (swept, "Setting"))
        if len(runs) > len({one.name for one in runs})  # several seeds of one
    )
    page = Template((PAGE / "template.html").read_text(encoding="utf-8"))
    page = Template(page.safe_substitute(sections=_joined("sections", SECTIONS, "html")))
    return page.substitute(
        policy=_policy([first, script], style),
        published_at=_published_at(url),
        icon=_icon(),
        style=style,
        first=first,
        data=packed(json.dumps(data.tables(players, networks), allow_nan=False).encode()),
        script=script,
        networks=joined(
            element("script", one.weights, type="text/plain", id=data.element_of(number))
            for number, one in enumerate(networks)
        ),
        worker=shared + _joined("worker", WORKER, "js"),
        options=leaderboard.options(players),
        leaderboard=leaderboard.html(players),
        insight=leaderboard.insight(players),
        notes=leaderboard.notes(players),
        curves=curves,
        no_figures="hidden" if not curves else "",
        seconds=seconds,
        no_seconds="hidden" if not seconds else "",
        no_curves="hidden" if not (curves or seconds) else "",
        published=published.html(numbers) if numbers else "",
        no_published="hidden" if not numbers else "",
        larger=larger.html(others),
        no_larger="hidden" if not others else "",
        league=league.html(played),
        no_league="hidden" if played is None else "",
        pairs=leaderboard.pairs(players, scores),
        certain=leaderboard.certain(players, scores),
        links=_links(url),
        **leaderboard.summary(players),
    )


def _joined(folder: str, names: Sequence[str], suffix: str) -> str:
    files = [PAGE / folder / f"{name}.{suffix}" for name in names]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def checked_url(url: str) -> str:
    """Validate a web address and return it, with a trailing slash if it does not name a file."""
    if not re.fullmatch(r"https?://[\w.:-]+(/[!-~]*)?", url, re.ASCII) or len(url) > 500:
        raise ValueError("the page's address must look like https://name.github.io/project/")
    return url if url.endswith((".html", "/")) else f"{url}/"


def _links(url: str | None) -> Markup:
    """Return the links that the installed package names, and the installation command.

    The documentation of a published page is the folder above it, unless the package names another.
    """
    known = {}
    with contextlib.suppress(PackageNotFoundError):
        for entry in metadata("tttenv").get_all("Project-URL") or []:
            label, _, address = str(entry).partition(", ")
            if re.fullmatch(r"https?://[!-~]+", address):
                known[label] = address
    if url is not None:
        known.setdefault("Documentation", urljoin(url, ".."))
    links = [
        element("a", label, href=known[label])
        for label in ("Documentation", "Repository")
        if label in known
    ]
    install = ["Install: ", element("code", INSTALL), " in a checkout"]
    parts = [part for link in links for part in (link, " \u00b7 ")]
    return element("p", *parts, *install, class_="quiet project")


def _published_at(url: str | None) -> Markup:
    """Return the metadata for link previews, which name an image in the page's folder."""
    if url is None:
        return joined([])
    told = {"og:url": url, "og:image": urljoin(url, PREVIEW)}
    cards = [void("meta", property=key, content=value) for key, value in told.items()]
    return joined([*cards, void("meta", name="twitter:card", content="summary_large_image")])


def _icon() -> str:
    drawn = (PAGE / "icon.svg").read_text(encoding="utf-8")
    return f"data:image/svg+xml,{quote(drawn.strip())}"


def _policy(scripts: Sequence[str], style: str) -> str:
    """Return a content security policy that allows only the given scripts and style."""
    allowed = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    allowed["worker-src"] = "blob:"  # the worker, created from text in the page
    allowed["img-src"] = "data:"  # the icon, embedded in the page
    for kind, texts in (("script-src", scripts), ("style-src", [style])):
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        allowed[kind] = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
    return "; ".join(f"{kind} {source}" for kind, source in allowed.items())
