"""S1: minimax with a symmetry cache, a Q-table, a tree search and a small network."""

from math import inf, log, sqrt

import numpy as np

from learners.symmetry_classes import player_of, symmetry_classes
from scripts.reproduction.rows import RULES, Row, Run, measured, row
from tttenv import player, score
from tttenv.exact import positions
from tttenv.players.search.minimax import MinimaxSearch
from tttenv.policy import Player

MATCHES = [  # as X and as O
    ("random", "random"),
    ("minimax:ties=first", "minimax"),
    ("minimax", "random"),
    ("random", "minimax"),
]


def numbers(run: Run) -> list[Row]:
    """Meet the players, count the searches, and train the Q-table, the search and the network."""
    return [*matches(), *searches(), *learned(run)]


def matches() -> list[Row]:
    """Compute the results of random and minimax players against each other."""
    rows = []
    for x, o in MATCHES:
        found = score(RULES, player(x), player(o))
        rows.append(row(f"S1.{x.partition(':')[0]}_{o}", (found.win, found.loss, found.draw)))
    return rows


def searches() -> list[Row]:
    """Count the nodes of minimax without a cache, with one, and with one entry for all images."""
    counts = []
    for search in ("plain", "cached", "symmetric"):
        minimax = player(f"minimax:search={search},ties=first")
        assert isinstance(minimax, MinimaxSearch)
        minimax.cache.clear()
        counts.append((minimax.search(RULES.start()).nodes, len(minimax.cache)))
    # With a cache the source counts all but the empty board, which is neither looked up nor stored.
    looked_up = [(entries - 1, nodes - 1) for nodes, entries in counts]
    return [
        row("S1.plain", counts[0][:1]),
        row("S1.cached", looked_up[1]),
        row("S1.symmetric", looked_up[2]),
    ]


def learned(run: Run) -> list[Row]:
    """Train the Q-table, the tree search and the network."""
    learner, metrics = run.train("qtable", 140)
    steps = 3_000 if run.quick else 20_000
    net = run.train("dqn", steps)[0].policy()
    games = 17 * steps  # a step moves once in 64 games, which take 3.8 own moves: 17 games
    return [
        *measured(learner.policy(), "S1.q_table", "S1.q_worst", "S1.q_drawn"),
        row("S1.q_items", (metrics[-1]["items"],)),
        *measured(tree_search(4_000), "S1.mcts", "S1.mcts_worst", "S1.mcts_drawn"),
        *measured(tree_search(2_000), "S1.mcts_2000"),
        *measured(net, "S1.net", "S1.net_worst", "S1.net_drawn", games=games),
    ]


def tree_search(games: int) -> Player:
    """Play games from the empty board by UCT, without play-outs, and return the best moves.

    All images of a board share their counts; the parent visits in UCT are summed over all boards
    from which a board was reached; a draw counts as a win. The search is deterministic.
    """
    game = positions(RULES)
    kind = symmetry_classes(RULES).representative.tolist()
    children = [[q for q in row if q >= 0] for row in game.successors.tolist()]
    visits, good = [0] * len(game), [0] * len(game)  # games not lost by the side that moved there
    parents: list[dict[int, None]] = [{} for _ in kind]

    def worth(board: int) -> float:
        """Return the fraction of games won or drawn by the side that moved to a board."""
        return good[board] / visits[board] if visits[board] else 0.0

    def promise(board: int) -> float:
        """Return the upper confidence bound, which UCT maximizes."""
        if not visits[board]:
            return inf
        around = sum(visits[parent] for parent in parents[board])
        return worth(board) + sqrt(2) * sqrt(log(around) / visits[board])

    for _ in range(games):
        at, path = 0, [0]
        while children[at]:
            for after in children[at]:
                parents[kind[after]][kind[at]] = None
            at = max(children[at], key=lambda after: promise(kind[after]))
            path.append(at)
        for plies, board in enumerate(reversed(path)):
            visits[kind[board]] += 1
            good[kind[board]] += not (game.lost[at] and plies % 2 == 1)
    moves = np.full(game.successors.shape, -1.0)
    for at, after in zip(*np.nonzero(game.successors >= 0), strict=True):
        moves[at, after] = worth(kind[game.successors[at, after]])
    return player_of(game, moves.argmax(axis=1))
