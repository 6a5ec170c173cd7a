"""Assembling the report: one self-contained HTML file that runs only its own scripts."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template
from urllib.parse import quote, urljoin

from tttenv.report import data, larger, leaderboard
from tttenv.report.load_players import Shown
from tttenv.report.markup import Markup, element, joined, packed, void

PAGE = Path(__file__).parent / "page"
PREVIEW = "preview.png"  # the image next to a published page
# The files of the page, concatenated in this order by kind; all scripts share one scope.
SECTIONS = (
    *("play", "daily", "teach", "noticed", "bot", "leaderboard", "curves", "larger", "explorer"),
    "mind",
)
STYLES = (
    *("base", "play", "daily", "teach", "noticed", "tables", "curves", "explorer", "games"),
    *("mind", "narrow", "print"),
)
SHARED = ("packed", "rules", "random")  # before the scripts of page and worker
SCRIPTS = (
    *("data", "game", "certificate", "teacher", "draw", "later", "boards", "state", "analysis"),
    *("judge", "links", "board", "play", "watch", "about", "question", "daily", "teach"),
    "noticed",
    *("bot_forms", "bot_asking", "bot_finding", "bot_code", "bot", "mind", "bot_link"),
    *("snapshots", "explorer", "tables", "curves", "keys", "main"),
)
FIRST = ("first",)  # runs separately, before the body is parsed
# The scripts of the web worker that analyses positions.
WORKER = ("lines", "threats", "network", "players", "tactics", "solver", "shortest", "messages")


def html(
    players: list[Shown],
    others: Sequence[Shown] = (),
    url: str | None = None,
) -> str:
    """Return the report's HTML.

    Args:
        players: at least one for 3,3,3, in any order.
        others: players for larger boards.
        url: the page's address, as `checked_url` returns it; None: it is not published.
    """
    players = leaderboard.ranked(players)
    style = _joined("styles", STYLES, "css")
    first, shared = _joined("scripts", FIRST, "js"), _joined("shared", SHARED, "js")
    script = shared + _joined("scripts", SCRIPTS, "js")
    networks = [one.network for one in others if one.network is not None]
    tables = data.tables(players, networks)
    workers = {"worker": shared + _joined("worker", WORKER, "js")}
    workers["asking"] = _joined("worker", ["bot"], "js")  # the worker that asks a pasted bot
    curves = leaderboard.curves(players)
    page = Template((PAGE / "template.html").read_text(encoding="utf-8"))
    page = Template(page.safe_substitute(sections=_joined("sections", SECTIONS, "html")))
    return page.substitute(
        policy=_policy([first, script], style),
        published_at=_published_at(url),
        icon=f"data:image/svg+xml,{quote((PAGE / 'icon.svg').read_text('utf-8').strip())}",
        style=style,
        first=first,
        data=packed(json.dumps(tables | workers, allow_nan=False).encode()),
        script=script,
        networks=joined(
            element("script", one.weights, type="text/plain", id=data.element_of(number))
            for number, one in enumerate(networks)
        ),
        options=leaderboard.options(players),
        leaderboard=leaderboard.html(players),
        insight=leaderboard.insight(players),
        curves=curves,
        no_curves="hidden" if not curves else "",
        larger=larger.html(others),
        no_larger="hidden" if not others else "",
        project=_project(url),
        **leaderboard.summary(players),
    )


def _joined(folder: str, names: Sequence[str], suffix: str) -> str:
    files = [PAGE / folder / f"{name}.{suffix}" for name in names]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    # Scripts go without comments on lines of their own, these and styles without indentation.
    return text if suffix == "html" else re.sub(r"^ *(//.*\n)?", "", text, flags=re.M)


def checked_url(url: str) -> str:
    """Validate a web address and return it, with a trailing slash if it does not name a file.

    Raises:
        ValueError: for one that is longer than 500 characters or no plain http address.
    """
    if not re.fullmatch(r"https?://[\w.:-]+(/[!-~]*)?", url, re.ASCII) or len(url) > 500:
        raise ValueError("the page's address must look like https://name.github.io/project/")
    return url if url.endswith((".html", "/")) else f"{url}/"


def _project(url: str | None) -> Markup:
    """Return a published page's links to the documentation, one folder up, and to the source."""
    if url is None:
        return joined([])
    home = urljoin(url, "..")
    links = [element("b", "tttenv"), ": ", element("a", "documentation", href=home)]
    if found := re.fullmatch(r"https://([\w-]+)\.github\.io/([\w.-]+)/", home):
        source = found.expand(r"https://github.com/\1/\2")
        links += [" \u00b7 ", element("a", "source", href=source)]
    return element("p", *links, class_="quiet project")


def _published_at(url: str | None) -> Markup:
    """Return the metadata for link previews, which name an image in the page's folder."""
    if url is None:
        return joined([])
    about = {"og:url": url, "og:image": urljoin(url, PREVIEW)}
    cards = [void("meta", property=key, content=value) for key, value in about.items()]
    return joined([*cards, void("meta", name="twitter:card", content="summary_large_image")])


def _policy(scripts: Sequence[str], style: str) -> str:
    """Return a content security policy that allows only the given scripts and style."""
    allowed = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    allowed["worker-src"] = "blob:"  # the worker, created from text in the page
    allowed["img-src"] = "data:"  # the icon, embedded in the page
    for kind, texts in (("script-src", scripts), ("style-src", [style])):
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        allowed[kind] = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
    return "; ".join(f"{kind} {source}" for kind, source in allowed.items())
