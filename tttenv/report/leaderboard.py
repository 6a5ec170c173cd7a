"""The leaderboard and the learning curves, with exact numbers as text and drawings."""

from typing import Any
from urllib.parse import quote

from tttenv.certificates import phrases
from tttenv.certificates.metric_table import more_of
from tttenv.exact import SEATS
from tttenv.report.charts import axis, bar, curve_svg, measures, number
from tttenv.report.load_players import Shown
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
    "Blunders": "positions in which it may throw away a win or a draw",
    "Seconds": "of one core, and steps, to champion; seconds to expert; moves learned a second",
}
RISING = {"Player", "Blunders", "Seconds"}  # the best one is the least


def html(players: list[Shown]) -> Markup:
    """Return the leaderboard, strongest player first; columns sort by the exact numbers."""
    rows = [(player, _cells(player)) for player in ranked(players)]
    heads = []
    for head in ("Player", *rows[0][1]):
        button = element("button", head, type="button", title=HEADS.get(head, head))
        first = "ascending" if head in RISING else "descending"
        heads.append(element("th", button, scope="col", data_first=first))
    body = [_row(player, cells) for player, cells in rows]
    return joined([element("thead", element("tr", *heads)), element("tbody", *body)])


def ranked(players: list[Shown]) -> list[Shown]:
    """Sort players: unbeatable ones first, then by worst cases, then by wins against random."""

    def strength(player: Shown) -> tuple[bool, float, float]:
        found = player.certificate
        wins = sum(found.vs_random[seat][0] for seat in SEATS)
        return found.unbeatable, round(sum(found.worst_case.values()), 9), wins

    return sorted(players, key=strength, reverse=True)


def _row(player: Shown, cells: dict[str, Cell]) -> Markup:
    address = f"#play={quote(player.name, safe='')}"
    link = element("a", player.name, href=address, title=player.about)
    more = element("button", "more", type="button", class_="more", aria_expanded="false")
    head = element("th", link, more, scope="row", data_value=player.name)
    data_cells = [
        element("td", shown, data_value=value, data_head=name)
        for name, (shown, value) in cells.items()
    ]
    return element("tr", head, *data_cells)


def _cells(player: Shown) -> dict[str, Cell]:
    """Return a player's cells after the first, by column heading."""
    found = player.certificate
    odds, worst, optimal = found.vs_random, found.worst_case, found.optimal_moves["all"]
    cells: dict[str, Cell] = {
        "Verdict": (_verdict(player), float(found.unbeatable)),
        "Against random moves, %": (
            joined(_against_random(seat, odds[seat]) for seat in SEATS),
            sum(odds[seat][0] for seat in SEATS),
        ),
        "Worst case": (
            joined(_worst(seat, worst[seat]) for seat in SEATS),
            sum(worst[seat] for seat in SEATS),
        ),
        "Optimal moves, %": (phrases.share(optimal), optimal),
        "Blunders": (f"{found.blunders:,}", found.blunders),
    }
    cells |= {title: (text, value) for title, text, value in more_of(found.to_dict())}
    return cells | {"Seconds": _seconds(player)}


def _verdict(player: Shown) -> Markup:
    """Return whether a player never loses and, for several seeds, how many are unbeatable."""
    safe = player.certificate.unbeatable
    drawn = element("path", d=TICK if safe else CROSS)
    mark = element("svg", drawn, viewBox="0 0 12 12", aria_hidden="true")
    words = "never loses" if safe else "can be beaten"
    verdict = element("span", mark, words, class_=f"verdict {'safe' if safe else 'beaten'}")
    if player.seeds is None or player.seeds.count == 1:
        return verdict
    seeds = f"{player.seeds.unbeatable} of {player.seeds.count} seeds unbeatable"
    return joined([verdict, " ", element("small", seeds)])


def _against_random(seat: str, odds: list[float]) -> Markup:
    shares = [phrases.share(share) for share in odds]
    words = ", ".join(f"{share} % {name}" for share, name in zip(shares, ODDS, strict=True))
    numbers = [element("span", share, class_="share") for share in shares]
    return element(
        "div", _seat(seat), bar(odds, f"as {seat}: {words}"), *numbers, class_="lane odds"
    )


def _worst(seat: str, value: float) -> Markup:
    drawn = axis(value, seat.lower())
    return element("div", _seat(seat), drawn, number(phrases.value(value)), class_="lane worst")


def _seat(seat: str) -> Markup:
    return element("b", seat, class_=seat.lower())


def _seconds(player: Shown) -> Cell:
    """Return the time and pace of a training, the time in italics if of the whole run."""
    if player.seconds is None or player.steps is None:
        return "", ""
    curve, more = player.curve, [phrases.counted(player.steps, "step")]
    reached = curve is not None and curve.unbeatable_at is not None
    seconds = element("span" if reached else "i", f"{player.seconds:.1f}")
    if curve and curve.perfect_at:
        more.append(f"expert {curve.perfect_at[1]:.1f}")
    if player.seeds and player.seeds.moves_per_second:
        more.append(f"{phrases.large(player.seeds.moves_per_second)} moves/s")
    below = (part for words in more for part in (" ", element("small", words)))
    return joined([seconds, *below]), player.seconds


def insight(players: list[Shown]) -> Markup:
    """Return a sentence on who loses least to random moves (< 5 %), yet always to one opponent."""
    hidden = [
        (odds[2], seat, player.name)
        for player in players
        for seat, odds in player.certificate.vs_random.items()
        if player.certificate.worst_case[seat] < phrases.ROUNDING - 1 and odds[2] < 0.05
    ]
    if not hidden:
        return joined([])
    lost, seat, name = min(hidden)
    words = (
        f"{name} as {seat} loses {phrases.share(lost)} % of its games against random moves, and yet"
        " one opponent beats it every time."
    )
    return element("p", words, class_="insight")


def curves(players: list[Shown]) -> Markup:
    """Return a figure for each player whose learning curve is present or damaged."""
    return joined(
        _figure(player, number)
        for number, player in enumerate(players)
        if player.curve or player.complaint
    )


def _figure(player: Shown, number: int) -> Markup:
    heading = element("h3", player.name)
    if player.curve is None:
        words = "no curve: the training's files cannot be read"
        return element("figure", element("figcaption", heading, words))
    curve = player.curve
    end = f"{phrases.counted(curve.steps[-1], 'step')} in {curve.seconds[-1]:.1f} s of one core"
    words = f"not yet unbeatable after {end}"
    if curve.unbeatable_at:
        step, seconds = curve.unbeatable_at
        words = f"unbeatable after {phrases.counted(step, 'step')}, {seconds:.1f} s of one core"
        since = curve.unbeatable[curve.steps.index(step) :]
        if not all(since):
            words += f", but only at {sum(since)} of the {len(since)} certificates from there on"
    if curve.perfect_at:
        words += f"; without a blunder after {phrases.counted(curve.perfect_at[0], 'step')}"
    found = player.seeds
    if found and found.count > 1 and found.median_seconds is not None:
        words += f"; median of {found.count} seeds {found.median_seconds:.1f} s"
    share = phrases.share(curve.optimal[-1])
    label = f"{player.name}: {words}; optimal moves {share} %"
    drawn = curve_svg(curve, "steps", label)
    caption = element("figcaption", heading, element("span", words))
    about = {"data_name": player.name, "data_player": number, "data_measures": measures(curve)}
    if player.snapshots:
        steps = {*player.snapshots, curve.steps[-1]}
        about["data_stops"] = " ".join(str(n) for n, at in enumerate(curve.steps) if at in steps)
    return element("figure", caption, drawn, **about)


def options(players: list[Shown]) -> Markup:
    """Return the players as options of a select element, with their indices as values."""
    return joined(element("option", p.name, value=n, title=p.about) for n, p in enumerate(players))


def summary(players: list[Shown]) -> dict[str, Any]:
    """Return the counts used in the page's sentences."""
    safe = sum(player.certificate.unbeatable for player in players)
    one = len(players) == 1
    shown = "One player" if one else f"{len(players)} players"
    whose = "" if one else f"{safe} of them "
    proved = f"{whose}proved {'beatable' if one and not safe else 'unbeatable'}"
    about = (
        f"{shown} of tic-tac-toe, {proved}. Find the only move that does not lose,"
        f" play {'it' if one else 'them'}, watch blunders, teach one: every number is exact."
    )
    return {
        "count": len(players),
        "unbeatable": safe,
        "proved": f"{shown}, {proved}",
        "about": about,
    }
