"""All games that a player can play, as a tree around the empty board, and its picture as SVG.

Each ring is a ply. The player's own moves are followed, and every reply to them. An edge has the
colour of the worst end that it leads to, so a lost game is a red thread from the centre.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.exact import SEATS
from tttenv.game.outcomes_kernel import GOING, SEEN_BY_OTHER
from tttenv.game.rules import Rules
from tttenv.players.as_player import as_player
from tttenv.policy import LONGEST_NAME, Player, Policy, display_name
from tttenv.reach import Graph, with_numbers
from tttenv.reach.walk import visits
from tttenv.report.markup import Markup, element
from tttenv.utils.arrays import one_of
from tttenv.utils.untrusted import shown

MOST_CELLS = 9
MOST = 4_000  # nodes of a picture; of a larger tree it has the first rings
ENDS = ("won", "drawn", "lost")
SIDE, RADIUS, HEAD = 2000, 960, 170  # of a tree, its last ring, and the height of the words above
CELL = 26  # the side of a cell of the board in the centre
MANY = 40  # lost games from which red lines are thin
STYLE = Path(__file__).parent / "page" / "styles" / "games.css"
DARK = "(prefers-color-scheme: dark)"  # in it
SCHEMES = {"light": "not all", "dark": "all", "both": DARK}  # when its dark colours apply


class Ring(NamedTuple):
    """The nodes of a game tree with the same number of stones, in the order of their parents."""

    parent: NDArray[np.int64]  # (nodes,): indices in the ring before
    cell: NDArray[np.int64]  # (nodes,): of the last stone
    games: NDArray[np.int64]  # (nodes, 3): that lead on from here: won, drawn, lost
    ended: NDArray[np.bool_]  # (nodes,): no game goes on from here


def game_tree(player: Player, seat: str) -> list[Ring]:
    """Return the tree of all games that a player can play in a seat, from the empty board.

    Args:
        player: plays a game of up to 9 cells.
        seat: "X" or "O".

    Returns:
        A ring for each number of stones.
    """
    graph, boards = Graph(player.rules, images=False), player.rules.start(1)
    going = np.zeros(1, np.int64)
    rings = [Ring(going, going - 1, np.zeros((1, 3), np.int64), np.zeros(1, np.bool_))]
    while len(going):
        allowed, own = boards == 0, len(rings) % 2 != SEATS.index(seat)
        if own:
            codes, numbers = with_numbers(graph.encode(boards))
            asked = visits(graph, player, codes, np.arange(len(codes)))
            allowed = np.concatenate([visit.probs > 0 for visit in asked])[numbers]
        forfeited = going[~allowed.any(axis=1)]
        rings[-1].games[forfeited, 2] = rings[-1].ended[forfeited] = 1
        moves = graph.moves(boards, allowed)
        end = moves.end if own else SEEN_BY_OTHER[moves.end]
        games = np.eye(len(SEEN_BY_OTHER), dtype=np.int64)[end, 1:]
        rings.append(Ring(going[moves.origin], moves.cell, games, end != GOING))
        going = np.flatnonzero(end == GOING)
        boards = -boards[moves.origin[going]]
        boards[np.arange(len(going)), moves.cell[going]] = -1
    for inner, ring in list(pairwise(rings))[::-1]:
        np.add.at(inner.games, ring.parent, ring.games)
    return [ring for ring in rings if len(ring.cell)]


def places(rings: list[Ring], centred: int) -> list[NDArray[np.float64]]:
    """Return each node's x and y (nodes, 2), y downwards; the last ring's radius is 1.

    A node is in the middle of its sector, which is as wide as it has ends.

    Args:
        rings: a tree, or its first rings.
        centred: the number of rings, after the empty board, that are in the centre with it.
    """
    widths = [np.ones(len(ring.cell)) for ring in rings]
    for ring, width, inner in zip(rings[:0:-1], widths[:0:-1], widths[-2::-1], strict=True):
        inner[:] = np.maximum(np.bincount(ring.parent, width, len(inner)), 1)
    starts, found = np.zeros(1), []
    for number, (ring, width) in enumerate(zip(rings, widths, strict=True)):
        if number:
            before = np.cumsum(width) - width
            eldest = np.searchsorted(ring.parent, ring.parent)
            starts = starts[ring.parent] + before - before[eldest]
        angle = 2 * np.pi * (starts + width / 2) / widths[0]
        radius = max(number - centred, 0) / max(len(rings) - 1 - centred, 1)
        found.append(radius * np.column_stack([np.sin(angle), -np.cos(angle)]))
    return found


def draw_games(
    rules: Rules, policy: Policy | str | Any, *, name: str = "", scheme: str = "both"
) -> str:
    """Draw all games that a player can play, in each of its seats, as the text of an SVG file.

    Args:
        rules: a game of up to 9 cells.
        policy: the player, as in `tttenv.certify`.
        name: what the picture calls it; by default its spec, function or class.
        scheme: "light", "dark", or "both": then it follows the viewer's.

    Raises:
        ValueError: if the game is larger, the scheme unknown or the player's output invalid.
    """
    if rules.cells > MOST_CELLS:
        raise ValueError(f"all games are drawn on up to {MOST_CELLS} cells, not on {rules}")
    one_of("the scheme", scheme, tuple(SCHEMES))
    player = as_player(rules, policy)
    name = shown(name or display_name(player), LONGEST_NAME)
    seats = [seat for seat in SEATS if player.traits.seat in (None, seat)]
    style = STYLE.read_text(encoding="utf-8").replace(DARK, SCHEMES[scheme])
    parts = [element("title", f"All games of {name}"), element("style", style)]
    parts.append(element("rect", width="100%", height="100%"))
    for number, seat in enumerate(seats):
        place = f"translate({SIDE * number + SIDE // 2} {HEAD + SIDE // 2})"
        tree = _tree(game_tree(player, seat), rules, f"{name} as {seat}")
        parts.append(element("g", *tree, transform=place))
    about = {"xmlns": "http://www.w3.org/2000/svg", "class_": "game-tree"}
    about["viewBox"] = f"0 0 {SIDE * len(seats)} {SIDE + HEAD}"
    return element("svg", *parts, **about) + "\n"


def _tree(rings: list[Ring], rules: Rules, title: str) -> list[Markup]:
    """Draw a tree around (0, 0), and above it what it shows."""
    games = rings[0].games[0].tolist()
    sizes = np.cumsum([len(ring.cell) for ring in rings])
    rings = rings[: np.searchsorted(sizes, MOST, "right")]
    centred = [len(ring.cell) for ring in rings[1:2]].count(1)  # X always opens alike
    points = [(RADIUS * place).round().astype(int).tolist() for place in places(rings, centred)]
    edges, dots = [""] * 3, [""] * 3  # by their worst end
    for (inner, outer), ring in zip(pairwise(points), rings[1:], strict=True):
        worst = 2 - (ring.games[:, ::-1] > 0).argmax(axis=1)
        for node, (x, y) in enumerate(outer):
            from_x, from_y = inner[ring.parent[node]]
            half = 0.5 + 0.5 * np.hypot(from_x, from_y) / max(np.hypot(x, y), 1)
            bend = f"{half * x - from_x:.0f} {half * y - from_y:.0f}"
            edges[worst[node]] += f"M{from_x} {from_y}q{bend} {x - from_x} {y - from_y}"
            dots[worst[node]] += f"M{x} {y}h0" if ring.ended[node] else ""
    radii = [np.hypot(*ring[0]) for ring in points[centred + 1 :]]
    parts = [element("circle", class_="ring", r=f"{radius:.0f}") for radius in radii]
    thin = " many" if games[2] > MANY else ""
    for kind, paths in (("", edges), ("end ", dots)):
        for end, path in zip(ENDS, paths, strict=True):
            parts.append(element("path", class_=kind + end + thin, d=path))
    parts += _board(rules, [int(ring.cell[0]) for ring in rings[1 : 1 + centred]])
    cut = "" if rings[-1].ended.all() else f", its first {len(rings) - 1} stones"
    parts.append(element("text", title + cut, y=80 - HEAD - SIDE // 2))
    words = []
    for end, count in zip(ENDS, games, strict=True):
        words += [element("tspan", "●", class_=end), f" {count:,} {end} "]
    return [*parts, element("text", *words, y=140 - HEAD - SIDE // 2)]


def _board(rules: Rules, stones: list[int]) -> list[Markup]:
    """Draw the board in the centre, with the stones of X on it."""
    high, wide = CELL * rules.m // 2, CELL * rules.n // 2
    path = "".join(f"M{-wide} {CELL * row - high}h{2 * wide}" for row in range(1, rules.m))
    path += "".join(f"M{CELL * column - wide} {-high}v{2 * high}" for column in range(1, rules.n))
    for cell in stones:
        row, column = divmod(cell, rules.n)
        path += f"M{CELL * column - wide + 7} {CELL * row - high + 7}l12 12m0-12l-12 12"
    around = element("circle", class_="middle", r=f"{1.25 * np.hypot(high, wide):.0f}")
    return [around, element("path", class_="centre", d=path)]
