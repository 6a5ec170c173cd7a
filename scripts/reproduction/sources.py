"""The published experiments, run again with their flaws: a function for each source."""

import warnings
from collections.abc import Callable
from functools import cache
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
import torch

from learners.symmetry_classes import player_of, symmetry_classes
from scripts.reproduction.rows import CLAIMS, RULES, TITLES, Row, Run, measured, row, strength
from tttenv import player, score
from tttenv.exact import positions, solve
from tttenv.players.search.minimax import MinimaxSearch
from tttenv.policy import Player

# S0: a linear evaluation with seven features, trained by least mean squares


def lms(run: Run) -> list[Row]:
    """Train two published forms for 10,000 games."""
    usual, _ = run.train("lms", 100)
    x_first, _ = run.train("lms", 100, "published_x_first")
    return [
        *measured("random", "S0.random"),
        *measured(usual.policy(), "S0.mean", "S0.worst"),
        row("S0.weights", usual.weights.tolist()),
        *measured(x_first.policy(), "S0.x_mean", "S0.x_worst"),
    ]


# S1: minimax with a symmetry cache, a Q-table, a tree search and a small network

MATCHES = [  # as X and as O
    ("random", "random"),
    ("minimax:ties=first", "minimax"),
    ("minimax", "random"),
    ("random", "minimax"),
]


def tictac(run: Run) -> list[Row]:
    """Meet the players, count the searches, and train the Q-table, the search and the network."""
    return [*matches(), *searches(), *trained(run)]


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


def trained(run: Run) -> list[Row]:
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


# S2: searches, TD(0) and a genetic algorithm from lecture notes


def notes(run: Run) -> list[Row]:
    """Count the mistakes of the searches, and run the learners."""
    return [*mistakes(), *learned(run)]


class Answer(NamedTuple):
    """The result of searching a position."""

    value: float  # for the side to move
    cell: int  # the move, or -1
    depth: float  # plies to the leaf, or inf if it was never stored
    nodes: int  # positions looked at, this one included


@cache
def children() -> list[list[tuple[int, int]]]:
    """Return the moves of each position: a cell, and the position that it leads to."""
    successors = positions(RULES).successors.tolist()
    return [[(cell, q) for cell, q in enumerate(row) if q >= 0] for row in successors]


@cache
def search(at: int, cut: bool, alpha: float = -inf, beta: float = inf) -> Answer:
    """Search a position as the notes do: minimax, or alpha-beta with a cutoff if beta <= alpha.

    Among moves of equal value both sides prefer the leaf of smaller depth. The notes forget to
    store the depth of a strictly better value, so the depth compared with is that of an earlier,
    worse move.
    """
    if not children()[at]:
        return Answer(-1.0 if positions(RULES).lost[at] else 0.0, -1, 0, 1)
    value, best, depth, nodes = -inf, -1, inf, 1
    for cell, after in children()[at]:
        reply = search(after, cut, -beta, -alpha)
        nodes += reply.nodes
        if -reply.value > value:
            value, best = -reply.value, cell
        elif -reply.value == value and reply.depth + 1 < depth:
            best, depth = cell, reply.depth + 1
        if cut:
            alpha = max(alpha, value)
            if beta <= alpha:
                break
    return Answer(value, best, depth, nodes)


def mistakes() -> list[Row]:
    """Count how often the searches play a slow or wrong move, over all undecided positions."""
    game, solution = positions(RULES), solve(RULES)
    going = game.decisions.tolist()
    minimax = {at: search(at, cut=False) for at in going}
    slow = [at for at in going if not solution.fastest[at, minimax[at].cell]]
    won = [at for at in slow if solution.values[at] > 0]
    wrong = [
        sum(not solution.optimal[at, search(at, cut).cell] for at in going) for cut in (False, True)
    ]
    missed = sum(solution.distances[at] == 1 for at in won)
    lost = (solution.values[going] < 0).sum()
    return [
        row("S2.slower", (len(won), (solution.values[going] > 0).sum())),
        row("S2.missed", (missed,)),
        row("S2.sooner", (len(slow) - len(won), lost)),
        row("S2.wrong", wrong),
        row("S2.nodes", (search(0, cut=True).nodes,)),
    ]


def learned(run: Run) -> list[Row]:
    """Run TD(0) against random replies, evaluate random individuals, and breed."""
    steps, generations, drawn = (120, 100, 100) if run.quick else (835, 500, 100)
    learner, _ = run.train("td0", steps)
    fitness = run.train("genetic", 0, population=drawn)[0].fitness
    breeder, metrics = run.train("genetic", generations)
    ids = "S2.td0_first", "S2.td0_second", "S2.td0_worst"
    spread = fitness.min().item(), fitness.mean().item(), fitness.max().item()
    return [
        *measured(learner.policy(), *ids, judged=not run.quick, episodes=2000 * steps),
        row("S2.individuals", spread, drawn=drawn),
        row("S2.bred", (metrics[-1]["best"],), not run.quick, generations=generations),
        *measured(breeder.policy(), "S2.bred_worst", generations=generations),
    ]


# S3: a 9-81-9 network trained to predict best replies from a few boards and their images


def cookbook(run: Run) -> list[Row]:
    """Train the network."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note says it
        learner, _ = run.train("supervised", 100)
    with torch.no_grad():
        outputs = learner.net(learner.inputs)
    right = outputs.argmax(dim=1) == learner.labels.argmax(dim=1)
    loss = torch.nn.functional.cross_entropy(outputs, learner.labels).item()
    return [
        row("S3.loss", (loss,)),
        row("S3.accuracy", (right.float().mean().item(),)),
        *measured(learner.policy(), "S3.O", "S3.worst"),
    ]


# S4, where O moves first: two masked MLPs on one-hot boards, trained by trying every cell

LAST = 50  # rounds of a training, over which its losses are averaged


def masked_mlp(run: Run) -> list[Row]:
    """Train with several seeds: each number is the median, as CPUs of other types round otherwise.

    With `--quick` there is one, and its numbers are not judged.
    """
    rounds, seeds = (300, 1) if run.quick else (3000, 5)
    ids = "S4.first", "S4.second", "S4.worst", "S4.optimal"
    found = []
    for seed in range(seeds):
        learner, metrics = run.train("selfplay", rounds, seed=seed)
        last, measures = metrics[-LAST:], strength(learner.policy())
        losses = [sum(step[f"loss_{seat}"] for step in last) / len(last) for seat in "XO"]
        found.append([losses, *(measures[CLAIMS[id]["measure"]] for id in ids)])
    return [
        row(id, np.median(numbers, axis=0).tolist(), not run.quick, rounds=rounds, seeds=seeds)
        for id, numbers in zip(("S4.losses", *ids), zip(*found, strict=True), strict=True)
    ]


NUMBERS: dict[str, Callable[[Run], list[Row]]] = dict(
    zip(TITLES, (lms, tictac, notes, cookbook, masked_mlp), strict=True)
)
