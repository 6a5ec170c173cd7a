"""Results of the tree search, TD(0) and genetic algorithm from the lecture notes."""

import numpy as np
import torch

from scripts.reproduction.notes_mcts import NotesSearch
from scripts.reproduction.rows import Found, Task, Tell
from scripts.reproduction.training import RULES, strength, trained
from tttenv.exact import positions, solve
from tttenv.game.symmetry import canonical, maps
from tttenv.game.types import Cells


def counted(task: Task, tell: Tell) -> Found:
    """Return the mean visits of the root and its children after 500 iterations, over seeds."""
    seen = []
    for seed in range(task.amount):
        search = NotesSearch(np.random.default_rng((task.seed, seed)))
        search.search(0)
        seen.append((search.visits[0], sum(search.visits[child] for child in search.after[0])))
        tell(seed, task.amount)
    search = NotesSearch(np.random.default_rng(task.seed))
    at = int(positions(RULES).index(RULES.parse("OX__XXOOX")))
    for child in search.after[at]:
        search.visits[child], search.points[child] = 1, 0.5
    try:
        search.search(at)
        stopped = 0
    except ValueError:  # the logarithm of no visits
        stopped = 1
    root, children = np.mean(seen, axis=0)
    spread = [f"ours is a mean of searches that spread by {part:.0f}" for part in np.std(seen, 0)]
    return {
        "root": (root,),
        "children": (children,),
        "note root": spread[0],
        "note children": spread[1],
        "stopped": (stopped,),
    }


def played(task: Task, tell: Tell, shared: bool) -> Found:
    """Play as O against random moves, with one tree for all moves or a new one for each."""
    rng = np.random.default_rng((task.seed, shared))
    game, optimal = positions(RULES), solve(RULES).optimal
    search, results, moves = NotesSearch(rng), [0, 0, 0], [0, 0]
    for number in range(task.amount):
        at = 0
        while not game.over[at]:
            if game.seats[at] == 0:
                at = int(rng.choice(search.after[at]))
                continue
            search = search if shared else NotesSearch(rng)
            after = search.search(at)
            moves[0] += not optimal[at, game.successors[at] == after].any()
            at, moves[1] = after, moves[1] + 1
        results[0 if game.lost[at] and game.seats[at] == 0 else 2 if game.lost[at] else 1] += 1
        tell(number, task.amount)
    return {
        "odds": [count / task.amount for count in results],
        "not optimal": (moves[0] / moves[1],),
    }


def td0(task: Task, tell: Tell) -> Found:
    """Run TD(0) against random replies, spending the whole budget in one run."""
    learner, _ = trained("td0", "published", task.amount, task.seed, tell)
    return {**strength(learner.policy()), "entries": (int((learner.values >= 0).sum()),)}


def individuals(task: Task, tell: Tell) -> Found:
    """Evaluate random individuals, and one that plays the first optimal move."""
    learner, _ = trained("genetic", "published", 0, task.seed, tell, population=task.amount)
    fitness, lines = learner.fitness, []
    for genes in learner.genes.T.numpy():
        cells = np.zeros(len(learner.game), np.int64)
        cells[learner.classes] = genes
        lines.append(games_of(learner.symmetry.expand_cells(cells)))
    optimal = torch.as_tensor(solve(RULES).optimal[learner.classes].argmax(axis=1))
    return {
        "fitness": (fitness.min().item(), fitness.mean().item(), fitness.max().item()),
        "lines": (min(lines), max(lines)),
        "perfect": (learner.fitness_of(optimal[:, None]).item(), games_of(first_optimal())),
    }


def first_optimal() -> Cells:
    """Return each position's optimal move (positions,) that is first on its smallest image."""
    game = positions(RULES)
    seen = np.where(game.seats[:, None] == 0, game.boards, -game.boards)
    _, which = canonical(RULES, seen)
    turns = maps(RULES)[which]
    shown = game.index(np.take_along_axis(game.boards, turns, axis=1))
    cells = solve(RULES).optimal[shown].argmax(axis=1)
    return np.asarray(np.take_along_axis(turns, cells[:, None], axis=1)[:, 0])


def games_of(cells: Cells) -> int:
    """Count the games that are possible if one side plays `cells` (positions,), over both seats."""
    game, total = positions(RULES), 0
    for seat in (0, 1):
        ways = np.ones(len(game), np.int64)
        for at in reversed(game.decisions.tolist()):
            after = game.successors[at]
            own = game.seats[at] == seat
            ways[at] = ways[after[cells[at]]] if own else ways[after[after >= 0]].sum()
        total += int(ways[0])
    return total


def bred(task: Task, tell: Tell) -> Found:
    """Breed as published, and return the strength of the fittest individual."""
    learner, told = trained("genetic", "published", task.amount, task.seed, tell)
    return {**strength(learner.policy()), "best": (told[-1]["best"],)}
