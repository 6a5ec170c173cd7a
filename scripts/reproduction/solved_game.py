"""Facts about the solved game: numbers of positions, classes and games, and exact results."""

import numpy as np

from scripts.reproduction import plain_search
from scripts.reproduction.rows import Found, Job, Row, Task, Tell
from tttenv import Rules, player
from tttenv.exact import (
    ActionRule,
    PlayPolicy,
    Tabulated,
    backward_induction,
    best_response,
    follow,
    positions,
    solve,
    worst_case,
)
from tttenv.game.symmetry import orbits
from tttenv.game.types import Boards, Odds, Probs
from tttenv.players.minimax import MinimaxSearch
from tttenv.policy import greedy, uniform

RULES = Rules()


def counts(task: Task, tell: Tell) -> Found:
    """Count positions, classes, games, nodes, and positions in which a move can lose value."""
    game, solution = positions(RULES), solve(RULES)
    ended = [game.over & game.lost & (game.seats == s) for s in (1, 0)] + [game.over & ~game.lost]
    classes, _ = orbits(RULES, game.boards)
    kinds, seats = RULES.over(classes), RULES.seat(classes)
    beaten = RULES.lost(classes)
    final = [beaten & (seats == 1), beaten & (seats == 0), kinds & ~beaten]
    going, legal = game.decisions, game.successors >= 0
    nodes, games = np.ones(len(game)), np.array(ended, np.float64).T
    for at in reversed(going.tolist()):
        after = game.successors[at][legal[at]]
        nodes[at] += nodes[after].sum()
        games[at] = games[after].sum(axis=0)
    wrong = np.asarray((legal & ~solution.optimal).any(axis=1))[going]
    share = solution.optimal[going].sum(axis=1) / legal[going].sum(axis=1)
    return {
        "positions": (len(game), len(going), *(np.bincount(game.seats[going])), *map(sum, ended)),
        "classes": (len(classes), (~kinds).sum(), *map(sum, final), (~kinds & (seats == 1)).sum()),
        "games": (games[0].sum(), *games[0], nodes[0]),
        "histories": (nodes[0] - games[0].sum(), len(going), (~kinds).sum()),
        "critical": (wrong.sum(), share.mean()),
        "value": (solution.value,),
        "first": -solution.values[game.successors[0]],
    }


def players(task: Task, tell: Tell) -> Found:
    """Compute exact results of random, perfect and greedy players against random moves."""
    perfect, first = player("minimax"), player("minimax:ties=first")
    win, draw, loss = ends(PlayPolicy(uniform), PlayPolicy(uniform))
    found: Found = {"random": (win, loss, draw)}
    found["perfect X"] = ends(PlayPolicy(perfect), PlayPolicy(uniform))
    found["perfect O"] = ends(PlayPolicy(uniform), PlayPolicy(perfect))[::-1]
    found["first"] = (
        ends(PlayPolicy(first), PlayPolicy(uniform))[0],
        ends(PlayPolicy(uniform), PlayPolicy(first))[2],
    )
    least, most = (keeping_value(sign) for sign in (-1, 1))
    found["safe X"] = [ends(choose, PlayPolicy(uniform))[0] for choose in (least, most)]
    found["safe O"] = [ends(PlayPolicy(uniform), choose)[2] for choose in (least, most)]
    x, o = ends(best_response, PlayPolicy(uniform)), ends(PlayPolicy(uniform), best_response)
    bold = ends(PlayPolicy(uniform), lambda boards, odds: greedy(odds[..., 0], boards == 0, 1e-12))
    found["best"] = (x[0] - x[2], o[2] - o[0], bold[2])
    found["best worst"] = tuple(worst_case(RULES, best_against_random(0)).values())
    risks = [worst_case(RULES, best_against_random(pay))["O"] for pay in (0.49, 0.51)]
    return {**found, "risks": risks}


def searches(task: Task, tell: Tell) -> Found:
    """Count nodes and cache entries of minimax and alpha-beta from the empty board."""
    found: Found = {}
    for done, search in enumerate(("plain", "cached", "symmetric")):
        tell(done, 3)
        minimax = player(f"minimax:search={search}")
        assert isinstance(minimax, MinimaxSearch)
        nodes = minimax.search(RULES.start()).nodes
        # Not counted by the source: the empty board, neither looked up nor stored.
        found[search] = (nodes,) if search == "plain" else (len(minimax.cache) - 1, nodes - 1)
    return {**found, "alphabeta": (plain_search.alphabeta(0).nodes,)}


def keeping_value(sign: int) -> ActionRule:
    """Return a rule that keeps the value, with the highest (1) or lowest (-1) winning odds."""
    optimal = solve(RULES).optimal

    def choose(boards: Boards, odds: Odds) -> Probs:
        return greedy(sign * odds[..., 0], optimal[positions(RULES).index(boards)], 1e-12)

    return choose


def best_against_random(draw: float) -> Tabulated:
    """Return the player with the highest expected reward (1, `draw`, -1) against random."""
    table = np.zeros(positions(RULES).boards.shape)

    def choose(boards: Boards, odds: Odds) -> Probs:
        probs = greedy(odds @ np.array([1, draw, -1]), boards == 0, 1e-12)
        table[positions(RULES).index(boards)] = probs
        return probs

    backward_induction(RULES, choose, follow(uniform))
    backward_induction(RULES, follow(uniform), choose)
    return Tabulated(RULES, table)


def ends(first: ActionRule, second: ActionRule) -> list[float]:
    """Return the probabilities of a win, a draw and a loss for X."""
    return [float(part) for part in backward_induction(RULES, first, second)[0][0]]


JOBS = {
    "counts": Job(counts),
    "players": Job(players),
    "searches": Job(searches, says="one search"),
}
ROWS = [
    Row("ground.positions", "positions: all, undecided, X / O to move, X wins, O wins, draws",
        "counts", "positions", (5478, 4520, 2423, 2097, 626, 316, 16), within=0),
    Row("ground.classes", "classes: all, undecided, X wins, O wins, draws; undecided, O to move",
        "counts", "classes", (765, 627, 91, 44, 3, 289), within=0),
    Row("ground.games", "games: all, X wins, O wins, draws; nodes of the tree", "counts", "games",
        (255168, 131184, 77904, 46080, 549946), within=0),
    Row("ground.histories", "entries of a table keyed by history, board, class", "counts",
        "histories", (294778, 4520, 627), within=0),
    Row("ground.critical", "positions where a move can lose value; a random player's optimal share",
        "counts", "critical", (3191, 0.5797), within=5e-5),
    Row("ground.value", "value of the game", "counts", "value", (0,), within=0, unit="value"),
    Row("ground.random", "random X against random O: X wins, O wins, draw", "players", "random",
        (737 / 1260, 121 / 420, 8 / 63), unit="%"),
    Row("ground.perfect_X", "perfect, even among optimal moves, as X against random", "players",
        "perfect X", (75257 / 77760, 1 - 75257 / 77760, 0), unit="%"),
    Row("ground.perfect_O", "the same as O", "players", "perfect O",
        (2645 / 3402, 1 - 2645 / 3402, 0), unit="%"),
    Row("ground.first", "first optimal move row by row, wins as X / O", "players", "first",
        (191 / 192, 254 / 315), unit="%"),
    Row("ground.safe_X", "perfect players, wins as X against random: least, most", "players",
        "safe X", (161 / 192, 191 / 192), unit="%", main=True),
    Row("ground.safe_O", "perfect players, wins as O: least, most", "players", "safe O",
        (542 / 945, 866 / 945), unit="%", main=True),
    Row("ground.best", "best response to random: mean result as X, as O, most wins as O", "players",
        "best", (191 / 192, 874 / 945, 887 / 945), unit="value"),
    Row("ground.best_worst", "worst case of that best response, as X / O", "players", "best worst",
        known=(0, -1), unit="value"),
    Row("ground.risks", "worst case as O of what is best against random if a draw pays .49, .51",
        "players", "risks", known=(-1, 0), unit="value", main=True,
        note="a draw must pay more than three quarters of the way from loss to win"),
    Row("ground.plain", "nodes of minimax without a cache", "searches", "plain", (549946,),
        within=0, main=True),
    Row("ground.cached", "minimax with a cache: entries, look-ups; root not stored", "searches",
        "cached", (5477, 16167), within=0, main=True),
    Row("ground.symmetric", "with one entry for all images: the same", "searches", "symmetric",
        (764, 2270), within=0, main=True),
    Row("ground.alphabeta", "nodes of plain alpha-beta, row by row", "searches", "alphabeta",
        (18297,), within=0, main=True),
]  # fmt: skip
