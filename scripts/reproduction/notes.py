"""S2: searches, TD(0) and a genetic algorithm from lecture notes."""

from functools import cache
from math import inf
from typing import NamedTuple

from scripts.reproduction.rows import RULES, Row, Run, measured, row
from tttenv.exact import positions, solve


def numbers(run: Run) -> list[Row]:
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
