"""Learning curves and the table of pairs as HTML."""

from itertools import product
from typing import Any

from tttenv.certificates import phrases
from tttenv.exact import Score, score
from tttenv.game.rewards import RESULTS
from tttenv.report.charts import curve_chart, measures, minus
from tttenv.report.load_players import RULES, Shown
from tttenv.report.markup import Markup, element, joined

SURE = 1 - phrases.ROUNDING  # a probability above it is 1
SIGNS = {"win": "+1", "draw": "=", "loss": minus("-1")}


def curves(players: list[Shown]) -> Markup:
    """Return a figure for each player whose learning curve is present or damaged."""
    return joined(
        _figure(player, number)
        for number, player in enumerate(players)
        if player.curve or player.no_curve
    )


def _figure(player: Shown, number: int) -> Markup:
    heading = element("h3", player.name)
    if player.curve is None:
        words = "no curve: what the training left cannot be read"
        return element("figure", element("figcaption", heading, words))
    curve = player.curve
    end = f"{phrases.steps(curve.steps[-1])} in {curve.seconds[-1]:.1f} s of one core"
    words = f"not yet unbeatable after {end}"
    if curve.unbeatable_at:
        step, seconds = curve.unbeatable_at
        words = f"unbeatable after {phrases.steps(step)}, {seconds:.1f} s of one core"
    if player.seeds and player.seeds.median_seconds is not None:
        found = player.seeds
        words += f"; median of {found.count} seeds {found.median_seconds:.1f} s"
    share = phrases.share(curve.optimal[-1])
    label = f"{player.name}: {words}; optimal moves {share} %"
    drawn = [
        element("div", curve_chart(curve, over).svg(label, cursor=True), class_=f"over-{over}")
        for over in ("steps", "seconds")
    ]
    caption = element("figcaption", heading, words)
    about = {"data_name": player.name, "data_player": number, "data_measures": measures(curve)}
    if player.snapshots:
        steps = {*player.snapshots, curve.steps[-1]}
        about["data_stops"] = " ".join(str(n) for n, at in enumerate(curve.steps) if at in steps)
    return element("figure", caption, *drawn, **about)


def scores(players: list[Shown]) -> list[list[Score]]:
    """Compute the exact result of every player as X (rows) against every player as O (columns)."""
    found = [score(RULES, x.table, o.table) for x, o in product(players, players)]
    return [found[at : at + len(players)] for at in range(0, len(found), len(players))]


def pairs(players: list[Shown], found: list[list[Score]]) -> Markup:
    """Return the table of X's expected results, with one row per X and one column per O."""
    names = [element("span", player.name, title=player.about) for player in players]
    heads = [element("th", name, scope="col") for name in names]
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
    """Return the cell of a pair: its value, with all three probabilities shown on selection."""
    shares = "|".join(phrases.share(part) for part in result)
    sure = next((name for name, part in zip(RESULTS, result, strict=True) if part > SURE), None)
    classes = [f"sure {sure}" if sure else f"t{round(4 * result.value):+d}"]
    classes += ["self"] if row == column else []
    text = _short(result.value, sure)
    return element("td", text, class_=" ".join(classes), data_odds=shares)


def _short(value: float, sure: str | None) -> str:
    """Format a value with two decimals, or as a sign if the result is certain."""
    if sure:
        return SIGNS[sure]
    cut = phrases.rounded(value, 2)
    return minus(f"{cut:+.2f}".replace("0.", ".")) if cut else ".00"


def certain(players: list[Shown], found: list[list[Score]]) -> Markup:
    """Return a sentence that counts the pairs with a certain result."""
    ends = [[part > SURE for part in result] for results in found for result in results]
    wins, draws, losses = (sum(column) for column in zip(*ends, strict=True))
    words = (
        f"Of {len(players) ** 2:,} pairs X always wins {wins:,}, O always wins {losses:,}, and"
        f" {draws:,} are always drawn; in the others chance decides."
    )
    return element("p", words, id="certain")


def options(players: list[Shown]) -> Markup:
    """Return the players as options of a select element, with their indices as values."""
    return joined(element("option", p.name, value=n, title=p.about) for n, p in enumerate(players))


def summary(players: list[Shown]) -> dict[str, Any]:
    """Return the counts used in the page's sentences."""
    safe = sum(player.certificate["unbeatable"] for player in players)
    one = len(players) == 1
    shown = "One player" if one else f"{len(players)} players"
    proved = ("not " * (not safe) if one else f"{safe} of them ") + "proved unbeatable"
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
