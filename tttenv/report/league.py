"""League section of the page: standings, and the expected result of each pair."""

from math import isnan

from tttenv.certificates import phrases
from tttenv.certificates.phrases import at_most, hundredths
from tttenv.league.league import League, Standing
from tttenv.league.pair import EXACT, PairResult
from tttenv.report.charts import minus
from tttenv.report.endings import LONGEST
from tttenv.report.markup import Markup, element, joined, scrolling, table
from tttenv.utils.untrusted import shown as shorter

HEADS = ("Player", "Elo", "Score, %", "Wins, %", "Draws, %", "Losses, %")


def html(league: League | None) -> Markup:
    """Return the settings, standings and heat map of a league, strongest player first."""
    if league is None:
        return joined([])
    rows = league.standings()
    order = [league.players.index(row.player) for row in rows]
    return joined([_about(league), _standings(rows), _heat_map(league, order)])


def _about(league: League) -> Markup:
    settings, sampled, failed = league.settings, league.sampled(), league.failed()
    told = (
        f"{len(league.players)} players on {settings.rules}, from {len(league.openings):,} openings"
        f" with {settings.stones} stones, in both colours."
    )
    if sampled:
        error = at_most(max(found.error for found in sampled))
        told += (
            f" {len(sampled):,} of {len(league.results):,} pairs are sampled, with a standard error"
            f" of at most {error} hundredths; all others are exact."
        )
    else:
        told += " All results are exact."
    if failed:
        told += f" {len(failed):,} pairs have no result, since a player failed."
    return element("p", told)


def _standings(rows: list[Standing]) -> Markup:
    body = [
        element("tr", _name(number, row.player), *(element("td", text) for text in _cells(row)))
        for number, row in enumerate(rows, start=1)
    ]
    found = table(HEADS, element("tbody", *body), class_="standings")
    return scrolling(found, "Table of the league's players")


def _name(number: int, player: str) -> Markup:
    """Return the row heading of a player in the table."""
    name = shorter(player, LONGEST)
    return element("th", f"{number} {name}", scope="row", title=name)


def _cells(row: Standing) -> list[str]:
    if row.elo is None or row.shares is None or row.points is None:
        return ["-"] * (len(HEADS) - 1)
    shares = map(phrases.share, (row.points, *row.shares))
    return [minus(f"{row.elo:+.0f}"), *shares]


def _heat_map(league: League, order: list[int]) -> Markup:
    """Return the matrix of expected results; the colours only repeat the numbers."""
    values = league.values()
    numbers = [element("th", number, scope="col") for number in range(1, len(order) + 1)]
    body = []
    for number, i in enumerate(order, start=1):
        cells = [_cell(league, float(values[i, j]), i, j) for j in order]
        body.append(element("tr", _name(number, league.players[i]), *cells))
    corner = element("td", "row against column")
    head = element("thead", element("tr", corner, *numbers))
    found = element("table", head, element("tbody", *body), class_="heat")
    return scrolling(found, "Matrix of the league's pairs")


def _cell(league: League, value: float, row: int, column: int) -> Markup:
    """Return a pair's value in hundredths, with the players and results in its title."""
    if row == column:
        return element("td", "")
    found = league.result(row, column)
    names = " against ".join(shorter(league.players[n], LONGEST) for n in (row, column))
    if not isinstance(found, PairResult) or isnan(value):
        return element("td", "-", title=f"{names}: no result")
    shares = " / ".join(phrases.share(float(share)) for share in found.shares)
    how = "exact" if found.method == EXACT else f"{found.games:,} games"
    told = minus(hundredths(value, found.method != EXACT))
    title = f"{names}: {shares} %, {how}"
    return element("td", told, class_=f"t{round(4 * value):+d}", title=title)
