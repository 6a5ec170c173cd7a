"""Trained players for boards other than 3,3,3: certificates and lost games.

They have too many positions for the page, so each player is one row of a table, based on its
certificate by reachable positions; a lost game of each losing seat is described and drawn.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from urllib.parse import quote

from tttenv import Rules, certify
from tttenv.certificates import POSITIONS, phrases
from tttenv.certificates.certificate import IN_TRAINING, REACHABLE, stated_certificate
from tttenv.certificates.verdict import of_seat
from tttenv.drawing.render import winning_cells
from tttenv.exact import SEATS, enumerable, solvable
from tttenv.game.rules import name_of
from tttenv.players import bundled, checkpoint_of, did_you_mean, player, rules_of
from tttenv.players.stored.checkpoint import WEIGHTS, load, read_data
from tttenv.report import data
from tttenv.report.load_players import LONGEST, RULES, Shown, Tell, labelled
from tttenv.report.markup import Markup, element, joined
from tttenv.utils.untrusted import shown as shorter

HEADS = ("Player", "Board", "Perfect play", "As X", "X vs random, %", "As O", "O vs random, %")
CELL = 30  # size of a drawing's cell
STONES = {"X": "m7 7l16 16m0-16l-16 16", "O": "m6 15a9 9 0 1 1 18 0a9 9 0 1 1-18 0"}  # in a cell
NUMBERED = 5  # of the last stones
VALUES = {1: "X wins", 0: "draw", -1: "O wins", None: "not known"}


def split(specs: list[str]) -> tuple[list[str], list[str]]:
    """Split specs into players for 3,3,3 and checkpoints for other boards."""
    others = []
    for spec in specs:
        with did_you_mean(spec):
            if checkpoint_of(spec) is not None and rules_of(spec) != RULES:
                others.append(spec)
    return [spec for spec in specs if spec not in others], others


def usual() -> list[str]:
    """Return the package's trained players for other boards."""
    return split(bundled.names())[1]


def from_specs(
    specs: list[str],
    tell: Tell = lambda text: None,
    one_per_size: bool = False,
) -> list[Shown]:
    """Load checkpoints for boards other than 3,3,3.

    Args:
        specs: the checkpoints, as players are named.
        tell: called with the next stage of the work.
        one_per_size: whether only the first network for each number of rows and columns is
            embedded; else all are.

    Raises:
        ValueError: for a damaged checkpoint.
    """
    players: list[Shown] = []
    for spec, name in labelled(specs):
        tell(f"reading player {len(players) + 1} of {len(specs)} for larger boards, {name}")
        one = _certified(shorter(name, LONGEST), spec)
        sizes = [(other.rules.m, other.rules.n) for other in players if other.network is not None]
        if one_per_size and one.network is not None and (one.rules.m, one.rules.n) in sizes:
            one = replace(one, network=None)
        players.append(one)
    return players


def _certified(name: str, spec: str) -> Shown:
    """Load a checkpoint's player, with its card's certificate, since another may need PyTorch."""
    rules, place = rules_of(spec), checkpoint_of(spec)
    assert place is not None
    folder, options = place
    card, _ = read_data(folder, WEIGHTS)  # verifies that the weights are the card's
    stated = not options and "choice" in card
    found = stated_certificate(card, rules) if stated else None
    if found is None or enumerable(rules):
        policy = player(spec, rules) if options else load(folder, rules)
        most = POSITIONS if solvable(rules) else IN_TRAINING
        found = certify(rules, policy, most, method=REACHABLE, name=name)
    network = None if options else data.network(folder, name, rules, found)
    return Shown(name, spec, "a trained player", found, network=network)


def html(players: Sequence[Shown]) -> Markup:
    """Return the table of all players, with a figure for each seat that loses a game."""
    if not players:
        return joined([])
    heads = element("tr", *(element("th", head, scope="col") for head in HEADS))
    rows = element("tbody", *map(_row, players))
    whole = element("table", element("thead", heads), rows, class_="larger")
    label = "Table of the players for larger boards"
    about = {"class_": "scroll", "role": "region", "tabindex": 0, "aria_label": label}
    scroll = element("div", whole, **about)  # by keyboard, too
    lost = [
        _figure(player, seat, line)
        for player in players
        for seat in SEATS
        if (line := player.certificate.losing_line[seat]) is not None
    ]
    figures = [element("div", *lost, class_="figures games")] if lost else []
    return joined([scroll, *figures])


def _row(player: Shown) -> Markup:
    found = player.certificate
    cells = [str(player.rules), VALUES[found.value]]
    for seat in SEATS:
        odds = found.vs_random[seat]
        cells.append(_hopeless(player, seat) or of_seat(found, seat))
        cells.append("not known" if odds is None else phrases.odds(odds))
    name: Markup | str = player.name
    if player.network is not None:
        address = f"#play={quote(name, safe='', errors='replace')}&rules={player.rules}"
        name = element("a", name, href=address)
    head = element("th", name, scope="row")
    return element("tr", head, *(element("td", text) for text in cells))


def _hopeless(player: Shown, seat: str) -> str:
    """Return in words that the other side wins the game by force, or ""."""
    lost = player.certificate.value == (-1 if seat == "X" else 1)
    return f"{seat} cannot hold {player.rules}" if lost else ""


def _figure(player: Shown, seat: str, line: list[int]) -> Markup:
    """Return a figure of a lost game: its moves in words, and its final board."""
    which = "the shortest" if player.certificate.shortest[seat] else "perhaps not the shortest"
    hopeless = _hopeless(player, seat)
    heading = element("h3", f"{player.name} {'' if hopeless else 'loses '}as {seat}")
    where = f"{hopeless}: lost" if hopeless else f"on {player.rules}"
    about = f"{where} after {len(line)} stones, {which} such game"
    moves = ".".join(name_of(player.rules, cell) for cell in line)
    whose = f"play={quote(player.name, safe='', errors='replace')}&" if player.network else ""
    seats = f"seat=both&as={seat}" if player.network else "seat=both"
    address = f"#{whose}rules={player.rules}&{seats}&moves={moves}"
    drawn = _drawing(player.rules, line)
    return element(
        "figure",
        element("figcaption", heading, f"{about}; a click replays it"),
        element("a", drawn, href=address, class_="replay"),
    )


def _drawing(rules: Rules, line: list[int]) -> Markup:
    """Draw the final board of a game, with its last moves numbered and the winning line."""
    width, height = CELL * rules.n, CELL * rules.m
    inner = [f"M{CELL * at} 0v{height}" for at in range(1, rules.n)]
    inner += [f"M0 {CELL * at}h{width}" for at in range(1, rules.m)]
    board = reduce(rules.play, line, rules.start())
    cells = (divmod(cell, rules.n) for cell in sorted(winning_cells(rules, board)))
    won = [f"M{CELL * x + 1} {CELL * y + 1}h28v28h-28z" for y, x in cells]
    parts = [element("path", class_="won", d="".join(won))]
    parts += [element("path", class_="frame", d="".join(inner))]
    for turn, cell in enumerate(line):
        y, x = divmod(cell, rules.n)
        mark, late = SEATS[turn % 2], turn >= len(line) - NUMBERED
        stone, pale = f"M{CELL * x} {CELL * y}{STONES[mark]}", " pale" * late
        parts.append(element("path", class_=f"{mark.lower()}{pale}", d=stone))
        if late:
            place = {"x": CELL * x + CELL // 2, "y": CELL * y + CELL // 2 + 5}
            parts.append(element("text", turn + 1, **place))
    game = ", ".join(f"{SEATS[turn % 2]} {name_of(rules, cell)}" for turn, cell in enumerate(line))
    label = f"The last board of the game: {game}: {SEATS[(len(line) - 1) % 2]} wins"
    box = f"0 0 {width} {height}"
    return element("svg", *parts, role="img", aria_label=label, viewBox=box)
