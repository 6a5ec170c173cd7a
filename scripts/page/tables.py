"""The report's tables and figures as HTML: all text escaped, no attribute that runs or styles."""

from html import escape
from itertools import product
from typing import Any
from urllib.parse import quote

import console

from page.curves import svg
from page.gather import RULES, Shown
from tttenv.exact import SEATS, Score, score

HEADS = [
    *("Player", "Verdict", "Worst case X", "Worst case O", "Wins vs random, X %"),
    *("Wins vs random, O %", "Optimal moves %", "Blunders", "Seconds", "Steps"),
]


def leaderboard(players: list[Shown]) -> str:
    """A row a player, strongest first; each cell carries its exact number to sort by."""
    heads = "".join(
        f'<th scope="col"><button type="button">{escape(head)}</button></th>' for head in HEADS
    )
    rows = "".join(_row(player) for player in ranked(players))
    return f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"


def ranked(players: list[Shown]) -> list[Shown]:
    """Unbeatable ones first, then by the sum of both worst cases, then by wins against random."""

    def strength(player: Shown) -> tuple[bool, float, float]:
        found = player.certificate
        wins = sum(found["vs_random"][seat][0] for seat in SEATS)
        return found["unbeatable"], round(sum(found["worst_case"].values()), 9), wins

    return sorted(players, key=strength, reverse=True)


def _row(player: Shown) -> str:
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
    link = f'<a href="#play={quote(player.name, safe="")}">{escape(player.name)}</a>'
    body = "".join(f'<td data-value="{number}">{escape(text)}</td>' for text, number in cells)
    return f'<tr><th scope="row" data-value="{escape(player.name)}">{link}</th>{body}</tr>'


def curves(players: list[Shown]) -> str:
    """A figure for each player whose training left a curve: over steps, and over seconds."""
    return "".join(_figure(player) for player in players if player.curve)


def _figure(player: Shown) -> str:
    curve, name = player.curve, escape(player.name)
    assert curve is not None
    end = f"{curve.steps[-1]} steps in {curve.seconds[-1]:.1f} s of one core"
    told = f"not yet unbeatable after {end}"
    if curve.unbeatable_at:
        step, seconds = curve.unbeatable_at
        told = f"unbeatable after {step} steps, {seconds:.1f} s of one core"
    label = f"{name}: {told}; optimal moves {console.share(curve.optimal[-1])} %"
    drawn = "".join(
        f'<div class="over-{over}">{svg(curve, over, label)}</div>' for over in ("steps", "seconds")
    )
    return f"<figure><figcaption><h3>{name}</h3>{told}</figcaption>{drawn}</figure>"


def scores(players: list[Shown]) -> list[list[Score]]:
    """The exact result of every player as X (rows) against every player as O (columns)."""
    found = [score(RULES, x.table, o.table) for x, o in product(players, players)]
    return [found[at : at + len(players)] for at in range(0, len(found), len(players))]


def pairs(players: list[Shown], found: list[list[Score]]) -> str:
    """What X may expect, a row for every player as X and a column for every player as O."""
    heads = "".join(f'<th scope="col"><span>{escape(p.name)}</span></th>' for p in players)
    rows = "".join(
        f'<tr><th scope="row">{escape(player.name)}</th>'
        + "".join(_pair(result, at, column) for column, result in enumerate(results))
        + "</tr>"
        for at, (player, results) in enumerate(zip(players, found, strict=True))
    )
    return f"<thead><tr><td>X \\ O</td>{heads}</tr></thead><tbody>{rows}</tbody>"


def _pair(result: Score, row: int, column: int) -> str:
    shares = "|".join(console.share(part) for part in result)
    tint = f"t{round(4 * result.value):+d}"
    at = f'data-x="{row}" data-o="{column}" data-odds="{escape(shares)}"'
    return f'<td class="{tint}" {at}>{console.value(result.value)}</td>'


def options(players: list[Shown]) -> str:
    """The players as choices of a select element, by number."""
    return "".join(f'<option value="{n}">{escape(p.name)}</option>' for n, p in enumerate(players))


def summary(players: list[Shown]) -> dict[str, Any]:
    """Counts that the page's sentences tell."""
    safe = sum(player.certificate["unbeatable"] for player in players)
    return {"count": len(players), "unbeatable": safe}
