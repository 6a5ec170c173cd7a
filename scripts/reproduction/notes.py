"""S2: searches, TD(0) and a genetic algorithm from lecture notes."""

from functools import cache
from math import inf
from typing import NamedTuple

from scripts.reproduction.rows import RULES, Row, Run, Strength, ours
from tttenv.exact import positions, solve

FORGOTTEN = "bestDepth is not updated by a strictly better value"


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
    return [
        Row("S2.slower", "minimax, won positions where a slower win is chosen, of how many",
            (len(won), (solution.values[going] > 0).sum()), (165, 2836), within=0, note=FORGOTTEN),
        Row("S2.missed", "minimax, immediate wins missed",
            (sum(solution.distances[at] == 1 for at in won),), (163,), within=0),
        Row("S2.sooner", "minimax, lost positions where it loses too soon, of how many",
            (len(slow) - len(won), (solution.values[going] < 0).sum()), (109, 632), within=0,
            note="losers minimise depth, too"),
        Row("S2.wrong", "positions where minimax gives away value, and where alpha-beta does",
            wrong, (0, 0), within=0),
        Row("S2.nodes", "nodes of alpha-beta from the empty board", (search(0, cut=True).nodes,),
            (18297,), within=0, budget="one search"),
    ]  # fmt: skip


def learned(run: Run) -> list[Row]:
    """Run TD(0) against random replies, evaluate random individuals, and breed."""
    steps, generations, drawn = (120, 100, 100) if run.quick else (835, 500, 100)
    learner, _ = run.train("td0", steps)
    td0, our_td0 = Strength(learner.policy()), ours("td0")
    fitness = run.train("genetic", 0, population=drawn)[0].fitness
    breeder, metrics = run.train("genetic", generations)
    bred, our_bred = Strength(breeder.policy()), ours("genetic")
    episodes = f"{2000 * steps:,} / 1,670,000 episodes"
    bred_for = f"{generations} / 500 generations"
    whole = not run.quick
    return [
        Row("S2.td0_first", "TD(0) as X against random: won, draw, lost", td0.x,
            (0.9896, 0.0104, 0), band=((0.95, 1), (0, 0.05), (0, 0.01)), unit="%",
            repaired=our_td0.x, budget=episodes, judged=whole),
        Row("S2.td0_second", "TD(0) as O: won, draw, lost", td0.o, (0.8899, 0.09, 0.0201),
            band=((0.84, 0.93), (0.02, 0.14), (0, 0.08)), unit="%", repaired=our_td0.o,
            budget=episodes, judged=whole, note="learns against random replies, so risks pay"),
        Row("S2.td0_worst", "TD(0), worst case as X / O", td0.worst, (0, -1),
            band=((-1, 0), (-1, -1)), unit="value", repaired=our_td0.worst, budget=episodes,
            judged=whole, player="TD(0)", note="its step size stays .5, so X goes on changing "
            "between 0 and -1: 38 of 66 tables of six seeds had 0"),
        Row("S2.individuals", "random individuals, fitness: least, mean, most",
            (fitness.min().item(), fitness.mean().item(), fitness.max().item()),
            (0.336, 0.474, 0.584), band=((0.25, 0.4), (0.464, 0.484), (0.54, 0.75)),
            budget=f"{drawn} individuals / not stated"),
        Row("S2.bred", "genetic, fitness of the best of the last generation",
            (metrics[-1]["best"],), band=((0.88, 0.9999),), budget=bred_for, judged=whole,
            note="the notes print none; fitness 1 is unbeatable, which no published run reached"),
        Row("S2.bred_worst", "genetic, its worst case as X / O", bred.worst, unit="value",
            repaired=our_bred.worst, budget=bred_for, player="Genetic algorithm"),
    ]  # fmt: skip
