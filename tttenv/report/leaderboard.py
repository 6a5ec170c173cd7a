"""Leaderboard: one row per player, with exact numbers as text and drawings."""

from urllib.parse import quote

import numpy as np

from tttenv.certificates import phrases
from tttenv.certificates.certificate import TINY, blunders, reachable
from tttenv.certificates.metric_table import more_of
from tttenv.exact import SEATS, positions, solve
from tttenv.report.charts import axis, bar, minus, number
from tttenv.report.load_players import RULES, Shown
from tttenv.report.markup import Markup, element, joined

Cell = tuple[Markup | str, float | str]  # content and sort key

TICK, CROSS = "M2 6.5l3 3.5l5-8", "M2.5 2.5l7 7m0-7l-7 7"
ODDS = ("wins", "draws", "losses")
HEADS = {  # what the columns show
    "Player": "the name that commands take; a click plays it",
    "Verdict": "whether any opponent can beat it, in either seat",
    "Against random moves, %": "exact shares of wins, draws and losses",
    "Worst case": "its result against a best response: 0 is a draw, \u22121 a certain loss",
    "Optimal moves, %": "mean probability of moves that keep the value, over all positions",
    "Blunders reached": "positions that its own moves lead to in which it may blunder",
    "Other blunders": "positions that its own moves never lead to in which it would blunder",
    "Seconds": "of one core, to the first unbeatable certificate",
}
RISING = {"Player", "Blunders reached", "Other blunders", "Seconds"}  # the best one is the least


def html(players: list[Shown]) -> Markup:
    """Return the leaderboard, strongest player first; columns sort by the exact numbers."""
    rows = [(player, _cells(player)) for player in ranked(players)]
    heads = [
        element(
            "th",
            element("button", head, type="button", title=HEADS.get(head, head)),
            scope="col",
            data_first="ascending" if head in RISING else "descending",
        )
        for head in ("Player", *rows[0][1])
    ]
    body = [_row(player, cells) for player, cells in rows]
    return joined([element("thead", element("tr", *heads)), element("tbody", *body)])


def ranked(players: list[Shown]) -> list[Shown]:
    """Sort players: unbeatable ones first, then by worst cases, then by wins against random."""

    def strength(player: Shown) -> tuple[bool, float, float]:
        found = player.certificate
        wins = sum(found["vs_random"][seat][0] for seat in SEATS)
        return found["unbeatable"], round(sum(found["worst_case"].values()), 9), wins

    return sorted(players, key=strength, reverse=True)


def blunder_positions(player: Shown) -> tuple[int, int]:
    """Count the positions in which the player may blunder: reachable ones and others.

    Their sum is the number of blunders in the certificate. A position is reachable if the player's
    own moves with probability above 1e-6 and any replies lead to it, in either seat.
    """
    game = positions(RULES)
    table = np.where(player.table.table > TINY, player.table.table, 0.0)
    wrong = blunders(solve(RULES), table)
    there = np.zeros(len(game), np.bool_)
    for seat in range(len(SEATS)):
        there |= reachable(game, table, seat) & (game.seats == seat)
    return int((wrong & there).sum()), int((wrong & ~there).sum())


def _row(player: Shown, cells: dict[str, Cell]) -> Markup:
    address = f"#play={quote(player.name, safe='')}"
    link = element("a", player.name, href=address, title=player.about)
    parts = [link]
    if player.quick:
        parts.append(element("span", "quick run", class_="flag"))
    more = element("button", "more", type="button", class_="more", aria_expanded="false")
    head = element("th", *parts, more, scope="row", data_value=player.name)
    data_cells = [
        element("td", shown, data_value=value, data_head=name)
        for name, (shown, value) in cells.items()
    ]
    return element("tr", head, *data_cells)


def _cells(player: Shown) -> dict[str, Cell]:
    """Return a player's cells after the first, by column heading."""
    found = player.certificate
    odds, worst, optimal = found["vs_random"], found["worst_case"], found["optimal_moves"]["all"]
    reached, others = blunder_positions(player)
    cells: dict[str, Cell] = {"Verdict": (_verdict(player), float(found["unbeatable"]))}
    cells["Against random moves, %"] = (
        joined(_against_random(seat, odds[seat]) for seat in SEATS),
        sum(odds[seat][0] for seat in SEATS),
    )
    cells["Worst case"] = (
        joined(_worst(seat, worst[seat]) for seat in SEATS),
        sum(worst[seat] for seat in SEATS),
    )
    cells["Optimal moves, %"] = phrases.share(optimal), optimal
    cells["Blunders reached"] = str(reached), reached
    cells["Other blunders"] = str(others), others
    for title, text, value in more_of(found):
        cells[title] = text, value
    cells["Seconds"] = _seconds(player)
    return cells


def _verdict(player: Shown) -> Markup:
    """Return whether a player never loses and, for several seeds, how many are unbeatable."""
    safe = player.certificate["unbeatable"]
    drawn = element("path", d=TICK if safe else CROSS)
    mark = element("svg", drawn, viewBox="0 0 12 12", aria_hidden="true")
    words = "never loses" if safe else "can be beaten"
    verdict = element("span", mark, words, class_=f"verdict {'safe' if safe else 'beaten'}")
    if player.seeds is None:
        return verdict
    told = f"{player.seeds.unbeatable} of {player.seeds.count} seeds unbeatable"
    return joined([verdict, " ", element("small", told)])


def _against_random(seat: str, odds: list[float]) -> Markup:
    shares = [phrases.share(share) for share in odds]
    told = ", ".join(f"{share} % {name}" for share, name in zip(shares, ODDS, strict=True))
    numbers = [element("span", share, class_="share") for share in shares]
    return element(
        "div", _seat(seat), bar(odds, f"as {seat}: {told}"), *numbers, class_="lane odds"
    )


def _worst(seat: str, value: float) -> Markup:
    drawn = axis([(value, seat.lower())])
    return element("div", _seat(seat), drawn, number(phrases.value(value)), class_="lane worst")


def _seat(seat: str) -> Markup:
    return element("b", seat, class_=seat.lower())


def _seconds(player: Shown) -> Cell:
    """Return the training time (in italics if it covers the whole run) and the steps."""
    if player.seconds is None or player.steps is None:
        return "", ""
    told = element("i" if player.in_all else "span", f"{player.seconds:.1f}")
    steps = element("small", phrases.steps(player.steps))
    return joined([told, " ", steps]), player.seconds


def insight(players: list[Shown]) -> Markup:
    """Return a sentence about the player with the most misleading win rate, if there is one.

    Such a player loses less than 5 % of its games against random moves in a seat in which some
    opponent always beats it.
    """
    hidden = [
        (odds[2], seat, player.name)
        for player in players
        for seat, odds in player.certificate["vs_random"].items()
        if player.certificate["worst_case"][seat] < phrases.ROUNDING - 1 and odds[2] < 0.05
    ]
    if not hidden:
        return joined([])
    lost, seat, name = min(hidden)
    words = (
        f"{name} as {seat} loses {phrases.share(lost)} % of its games against random moves, and yet"
        " one opponent beats it every time."
    )
    return element("p", words, class_="insight")


def notes(players: list[Shown]) -> Markup:
    """Return the notes below the table that apply to at least one row."""
    parts = []
    if any(player.quick for player in players):
        parts.append(
            "These are results of a quick run: the trained players had a tenth of the usual steps,"
            " which shows that all works, not how strong they get."
        )
    if any(player.seconds is not None for player in players):
        slanted = (
            "; slanted ones are those of the whole training, because no certificate said unbeatable"
            " or the training did not note when"
        )
        parts.append(
            "Seconds are those of one core until the first unbeatable certificate"
            + (slanted if any(player.in_all for player in players) else "")
            + ". Steps are those that the player was trained; what a step is differs from learner"
            " to learner."
        )
    return joined(element("p", minus(part), class_="quiet") for part in parts)
