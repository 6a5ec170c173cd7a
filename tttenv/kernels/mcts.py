"""Monte Carlo tree search: UCT (Kocsis and Szepesvari, 2006) on a tree in flat arrays.

Each iteration walks down from the root, adds at most one position that was never visited before,
plays from there to the end and counts the result once at every position on the way. Results are
points: 2 for a win, 1 for a draw, 0 for a loss, always of the side whose move led to the node.
With the solver (MCTS-Solver, Winands et al., 2008; draws as in Cazenave and Saffidine, 2010) what
the end of the game proves is handed up, moves of proven worth are left alone while others are
not, and a proven root ends it all.
"""

from tttenv.kernels.bare import bare
from tttenv.kernels.chance import seed
from tttenv.kernels.line import completes
from tttenv.kernels.openlines import count, reset
from tttenv.kernels.playouts import random_playout, tactical_playout
from tttenv.kernels.tree import DRAW, UNKNOWN, WIN, Tree, clear, expand
from tttenv.kernels.uct import select
from tttenv.types import Stones


@bare
def plant(t: Tree, board: Stones, start: int) -> None:
    """Begin a tree at `board` (cells,), the dice seeded by it and by `start`, a uint64."""
    for cell in range(board.size):
        t.root[cell] = t.ground.board[cell] = board[cell]
    seed(t.ground.dice, board, start)
    if t.bias > 0.0:
        reset(t.lines, board)
    t.used[0] = 1
    clear(t, 0, -1)
    expand(t, 0)


@bare
def iterate(t: Tree, iterations: int) -> int:
    """Make up to so many iterations; fewer only where the solver proves the root. How many."""
    for done in range(iterations):
        if t.proof[0] != UNKNOWN:
            return done
        for cell in range(t.root.size):
            t.ground.board[cell] = t.root[cell]
        depth = descend(t)
        node = t.path[depth]
        points = t.proof[node]
        if points == UNKNOWN:
            points = simulate(t, depth)
        if t.bias > 0.0:
            for d in range(depth, 0, -1):
                count(t.lines, t.cell[t.path[d]], (d - 1) % 2, -1)
        for d in range(depth, -1, -1):
            t.visits[t.path[d]] += 1
            t.points[t.path[d]] += points
            points = 2 - points
        if t.solver:
            prove(t, depth)
    return iterations


@bare
def descend(t: Tree) -> int:
    """Walk from the root to a position that ends the game or is new; how many moves deep it is."""
    node, depth = 0, 0
    t.path[0] = 0
    while t.proof[node] == UNKNOWN:
        if t.many[node] == 0 and (t.visits[node] == 0 or not expand(t, node)):
            break
        node = select(t, node)
        cell = t.cell[node]
        t.ground.board[cell] = 1 - 2 * (depth % 2)
        if t.bias > 0.0:
            count(t.lines, cell, depth % 2, 1)
        depth += 1
        t.path[depth] = node
        if t.visits[node] == 0:
            judge(t, node, depth)
    return depth


@bare
def judge(t: Tree, node: int, depth: int) -> None:
    """Note at a node reached for the first time whether its move ends the game."""
    p = t.ground
    if completes(p.board, t.cell[node], p.m, p.n, p.k):
        t.proof[node] = WIN
        return
    for cell in range(p.board.size):
        if p.board[cell] == 0:
            return
    t.proof[node] = DRAW


@bare
def simulate(t: Tree, depth: int) -> int:
    """The points of a play-out, for the side that made the last move of the path."""
    stone = 1 - 2 * (depth % 2)
    winner = tactical_playout(t.ground, stone) if t.tactical else random_playout(t.ground, stone)
    return 1 - winner * stone


@bare
def prove(t: Tree, depth: int) -> None:
    """Hand up from the path's last node what is proven: a reply that wins, or all replies known."""
    for d in range(depth, 0, -1):
        if t.proof[t.path[d]] == UNKNOWN:
            return
        parent = t.path[d - 1]
        best = t.proof[t.path[d]]
        for child in range(t.first[parent], t.first[parent] + t.many[parent]):
            if best == WIN:
                break
            if t.proof[child] == UNKNOWN:
                return
            best = max(best, t.proof[child])
        t.proof[parent] = 2 - best
