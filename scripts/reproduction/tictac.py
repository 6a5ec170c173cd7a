"""S1: minimax with a symmetry cache, a Q-table, a tree search and a small network."""

from math import inf, log, sqrt

import numpy as np

from learners.symmetry_classes import player_of, symmetry_classes
from scripts.reproduction.rows import OUR_MCTS, PRINTED, RULES, Row, Run, Strength, ours
from tttenv import player, score
from tttenv.exact import positions
from tttenv.players.search.minimax import MinimaxSearch
from tttenv.policy import Player

# As X and as O: wins of X, of O, and draws of 1,000 games, as claimed and exact.
MATCHES = [
    ("random", "random", (0.6010, 0.2890, 0.11), (737 / 1260, 121 / 420, 8 / 63)),
    ("minimax:ties=first", "minimax", (0, 0, 1), (0, 0, 1)),
    ("minimax", "random", (0.968, 0, 0.032), (75257 / 77760, 0, 2503 / 77760)),
    ("random", "minimax", (0, 0.781, 0.219), (0, 2645 / 3402, 757 / 3402)),
]


def numbers(run: Run) -> list[Row]:
    """Meet the players, count the searches, and train the Q-table, the search and the network."""
    return [*matches(), *searches(), *learned(run)]


def matches() -> list[Row]:
    """Compute the results of random and minimax players against each other."""
    rows = []
    for x, o, claimed, exact in MATCHES:
        found = score(RULES, player(x), player(o))
        rows.append(
            Row(f"S1.{x.partition(':')[0]}_{o}", f"{x} against {o}: X wins, O wins, draw",
                (found.win, found.loss, found.draw), claimed, exact, unit="%",
                budget="all positions / 1,000 games", note="within the noise of 1,000 games")
        )  # fmt: skip
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
        Row("S1.plain", "nodes of minimax without a cache", counts[0][:1], (549946,), within=0,
            budget="one search"),
        Row("S1.cached", "minimax with a cache: entries, look-ups; root not stored", looked_up[1],
            (5477, 16167), within=0, budget="one search"),
        Row("S1.symmetric", "with one entry for all images: the same", looked_up[2], (764, 2270),
            within=0, budget="one search"),
    ]  # fmt: skip


def learned(run: Run) -> list[Row]:
    """Train the Q-table, the tree search and the network."""
    learner, metrics = run.train("qtable", 140)
    table, repaired = Strength(learner.policy()), ours("qtable")
    tree, half = (Strength(tree_search(games)) for games in (4_000, 2_000))
    steps = 3_000 if run.quick else 20_000
    net, our_net = Strength(run.train("dqn", steps)[0].policy()), ours("dqn")
    # A step moves once in 64 games, which take 3.8 own moves: 17 games.
    played = f"about {17 * steps:,} games / 2,000,000 games a seat"
    return [
        Row("S1.q_table", "Q-table against random, wins as X / O", table.wins, (0.931, 0.61),
            band=((0.8, 0.995), (0.4, 0.85)), unit="%", repaired=repaired.wins,
            budget="14,000 games", note="a draw pays like a win: unbeatable, but it wins little; "
            "seeds differ by ten points"),
        Row("S1.q_worst", "Q-table, worst case as X / O", table.worst, (), (0, 0), unit="value",
            repaired=repaired.worst, budget="14,000 games", player="Q-table"),
        Row("S1.q_drawn", "Q-table, draws against perfect play", table.drawn, (1, 1), unit="%",
            repaired=repaired.drawn, budget="14,000 games"),
        Row("S1.q_items", "items in the table", (metrics[-1]["items"],), (747,),
            band=((730, 764),), budget="14,000 games"),
        Row("S1.mcts", "tree search against random, wins as X / O", tree.wins, (0.818, 0.635),
            (0.8151, 0.6222), PRINTED, unit="%", repaired=ours(OUR_MCTS).wins,
            budget="4,000 games", note="the whole published search, without chance; a draw counts "
            "as a win; within the noise of 1,000 games: z = 0.24, 0.83"),
        Row("S1.mcts_worst", "tree search, worst case as X / O", tree.worst, (), (0, 0),
            unit="value", repaired=ours(OUR_MCTS).worst, budget="4,000 games",
            player="Tree search"),
        Row("S1.mcts_drawn", "tree search, draws against perfect play", tree.drawn, (1, 1),
            unit="%", repaired=ours(OUR_MCTS).drawn, budget="4,000 games"),
        Row("S1.mcts_2000", "after half the games, worst case as X / O", half.worst, (), (0, -1),
            unit="value", repaired=ours(OUR_MCTS).worst, budget="2,000 games"),
        Row("S1.net", "network 9-36-36-9 against random, wins as X / O", net.wins, (0.984, 0.754),
            band=((0.85, 0.995), (0.6, 0.92)), unit="%", repaired=our_net.wins, budget=played,
            note="ours learns by Adam from replay with a target network, one net for both seats"),
        Row("S1.net_worst", "network, worst case as X / O", net.worst, unit="value",
            repaired=our_net.worst, budget=played, player="Network 9-36-36-9"),
        Row("S1.net_drawn", "network, draws against perfect play", net.drawn, (1, 1), within=None,
            unit="%", repaired=our_net.drawn, budget=played,
            note="a trained net answers each move alike: this shows single games"),
    ]  # fmt: skip


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
