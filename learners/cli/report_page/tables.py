"""The report's tables and figures as HTML, of elements that escape what they hold."""

from itertools import product
from typing import Any
from urllib.parse import quote

from learners.cli.report_page.curves import svg
from learners.cli.report_page.gather import RULES, Shown
from learners.cli.report_page.markup import Markup, element, joined
from tttenv.cli import console
from tttenv.exact import SEATS, Score, score

HEADS = [
    *("Player", "Verdict", "Worst case X", "Worst case O", "Wins vs random, X %"),
    *("Wins vs random, O %", "Optimal moves %", "Blunders", "Seconds", "Steps"),
]


def leaderboard(players: list[Shown]) -> Markup:
    """A row a player, strongest first; each cell carries its exact number to sort by."""
    heads = [element("th", element("button", head, type="button"), scope="col") for head in HEADS]
    rows = [_row(player) for player in ranked(players)]
    return joined([element("thead", element("tr", *heads)), element("tbody", *rows)])


def ranked(players: list[Shown]) -> list[Shown]:
    """Unbeatable ones first, then by the sum of both worst cases, then by wins against random."""

    def strength(player: Shown) -> tuple[bool, float, float]:
        found = player.certificate
        wins = sum(found["vs_random"][seat][0] for seat in SEATS)
        return found["unbeatable"], round(sum(found["worst_case"].values()), 9), wins

    return sorted(players, key=strength, reverse=True)


def _row(player: Shown) -> Markup:
    found = player.certificate
    worst, wins = found["worst_case"], {s: found["vs_random"][s][0] for s in SEATS}
    verdict = "never loses" if found["unbeatable"] else "can be beaten"
    cells = [
        (verdict, float(found["unbeatable"])),
        *((console.value(worst[seat]), worst[seat]) for seat in SEATS),
        *((console.share(wins[seat]), wins[seat]) for seat in SEATS),
        (console.share(found["optimal_moves"]["all"]), found["optimal_moves"]["all"]),
        (str(found["blunders"]), found["blunders"]),
        ("", "") if player.seconds is None else (f"{player.seconds:.1f}", player.seconds),
        ("", "") if player.steps is None else (str(player.steps), player.steps),
    ]
    link = element("a", player.name, href=f"#play={quote(player.name, safe='')}")
    head = element("th", link, scope="row", data_value=player.name)
    return element("tr", head, *(element("td", text, data_value=number) for text, number in cells))


def curves(players: list[Shown]) -> Markup:
    """A figure for each player whose training left a curve, or event files that hold none."""
    return joined(_figure(player) for player in players if player.curve or player.no_curve)


def _figure(player: Shown) -> Markup:
    curve, heading = player.curve, element("h3", player.name)
    if curve is None:
        told = "no curve: the training's event files cannot be read"
        return element("figure", element("figcaption", heading, told))
    end = f"{curve.steps[-1]} steps in {curve.seconds[-1]:.1f} s of one core"
    told = f"not yet unbeatable after {end}"
    if curve.unbeatable_at:
        step, seconds = curve.unbeatable_at
        told = f"unbeatable after {step} steps, {seconds:.1f} s of one core"
    share = console.share(curve.optimal[-1])
    label = f"{player.name}: {told}; optimal moves {share} %"
    drawn = [
        element("div", svg(curve, over, label), class_=f"over-{over}")
        for over in ("steps", "seconds")
    ]
    return element("figure", element("figcaption", heading, told), *drawn)


def scores(players: list[Shown]) -> list[list[Score]]:
    """The exact result of every player as X (rows) against every player as O (columns)."""
    found = [score(RULES, x.table, o.table) for x, o in product(players, players)]
    return [found[at : at + len(players)] for at in range(0, len(found), len(players))]


def pairs(players: list[Shown], found: list[list[Score]]) -> Markup:
    """What X may expect, a row for every player as X and a column for every player as O."""
    heads = [element("th", element("span", player.name), scope="col") for player in players]
    rows = [
        element(
            "tr",
            element("th", player.name, scope="row"),
            *(_pair(result, at, column) for column, result in enumerate(results)),
        )
        for at, (player, results) in enumerate(zip(players, found, strict=True))
    ]
    corner = element("td", "X \\ O")
    return joined([element("thead", element("tr", corner, *heads)), element("tbody", *rows)])


def _pair(result: Score, row: int, column: int) -> Markup:
    shares = "|".join(console.share(part) for part in result)
    tint = f"t{round(4 * result.value):+d}"
    told = console.value(result.value)
    return element("td", told, class_=tint, data_x=row, data_o=column, data_odds=shares)


def options(players: list[Shown]) -> Markup:
    """The players as choices of a select element, by number."""
    return joined(element("option", p.name, value=n) for n, p in enumerate(players))


def summary(players: list[Shown]) -> dict[str, Any]:
    """Counts that the page's sentences tell."""
    safe = sum(player.certificate["unbeatable"] for player in players)
    about = (
        f"{len(players)} players of tic-tac-toe, {safe} of them proved unbeatable. Find the only"
        " move that does not lose, play them, watch them blunder, teach one: every number is exact."
    )
    return {"count": len(players), "unbeatable": safe, "about": about}
