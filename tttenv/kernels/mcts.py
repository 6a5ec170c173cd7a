"""Monte Carlo tree search: UCT (Kocsis and Szepesvari, 2006) on a tree in flat arrays.

Each iteration walks down from the root, adds at most one position that was never visited before,
plays from there to the end and counts the result once at every position on the way. Results are
points: 2 for a win, 1 for a draw, 0 for a loss, always of the side whose move led to the node.
With the solver (MCTS-Solver, Winands et al., 2008; draws as in Cazenave and Saffidine, 2010) what
the end of the game proves is handed up, moves of proven worth are left alone while others are
not, and a proven root ends it all.
"""

from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.bare import bare
from tttenv.kernels.open_lines import OpenLines, count, open_lines, reset
from tttenv.kernels.random import below, seed
from tttenv.kernels.rollouts import Playground, gather, playground, random_playout, tactical_playout
from tttenv.kernels.rules import completes
from tttenv.kernels.types import Cells, Stones

UNKNOWN, LOSS, DRAW, WIN = -1, 0, 1, 2  # points: what a node is proven to give
MOST_NODES = 2**31 - 1  # that their numbers can count
LOOKED_UP = 4096  # visits up to which square roots are looked up
NODE_BYTES = 21  # what one node takes in the seven arrays of nodes


class Tree(NamedTuple):
    """A search tree: node 0 is the root, and the children of a node stand side by side."""

    exploration: float  # the c of UCT
    bias: float  # weight of the open lines in choosing moves; 0 leaves them out
    tactical: bool  # play-outs win and block
    solver: bool
    ground: Playground
    lines: OpenLines
    root: Stones  # (cells,)
    path: Cells  # (cells + 1,): the nodes from the root to the leaf
    roots: NDArray[np.float64]  # (LOOKED_UP, 2): of 1 / visits and of log(visits)
    used: NDArray[np.int64]  # (1,): nodes in use
    visits: NDArray[np.int32]  # (nodes,)
    points: NDArray[np.int32]  # (nodes,)
    first: NDArray[np.int32]  # (nodes,): the first child
    many: NDArray[np.int16]  # (nodes,): how many children, 0 before they are added
    cell: NDArray[np.int16]  # (nodes,): the move that leads there
    proof: NDArray[np.int8]  # (nodes,): the points it is proven to give, or UNKNOWN
    prior: NDArray[np.float32]  # (nodes,): of its open lines, up to 1; used with a bias only


def tree(
    shape: tuple[int, int, int],
    lines: Cells,
    nodes: int,
    exploration: float,
    bias: float,
    tactical: bool,
    solver: bool,
) -> Tree:
    """Room for a tree of so many nodes on boards of `shape` (m, n, k) with `lines` (lines, k).

    The other arguments are those fields of `Tree`.
    """
    ground = playground(*shape)
    cells = ground.board.size
    visits = np.maximum(np.arange(LOOKED_UP), 1)
    return Tree(
        float(exploration),
        float(bias),
        tactical,
        solver,
        ground,
        open_lines(lines, cells),
        np.zeros(cells, np.int8),
        np.zeros(cells + 1, np.int64),
        np.sqrt([1 / visits, np.log(visits)]).T.copy(),
        np.zeros(1, np.int64),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int16),
        np.zeros(nodes, np.int16),
        np.zeros(nodes, np.int8),
        np.zeros(nodes, np.float32),
    )


@bare
def clear(t: Tree, node: int, cell: int) -> None:
    """Make a node new, reached by a stone on `cell`."""
    t.visits[node] = t.points[node] = t.first[node] = 0
    t.many[node] = 0
    t.cell[node] = cell
    t.proof[node] = UNKNOWN


@bare
def expand(t: Tree, node: int) -> bool:
    """Add the children of a node whose position is on the board, shuffled; False if out of room."""
    many = gather(t.ground)
    first = t.used[0]
    if first + many > t.visits.size:
        return False
    t.used[0] = first + many
    t.first[node] = first
    t.many[node] = many
    empty = t.ground.empty
    greatest = 1
    for i in range(many):
        j = i + below(t.ground.dice, many - i)
        empty[i], empty[j] = empty[j], empty[i]
        clear(t, first + i, empty[i])
        greatest = max(greatest, t.lines.pull[empty[i]])
    if t.bias > 0.0:
        for i in range(many):
            t.prior[first + i] = t.lines.pull[empty[i]] / greatest
    return True


@bare
def select(t: Tree, node: int) -> int:
    """The child to visit: each once, in the order they stand in, then the best by UCT."""
    if t.bias > 0.0:
        return select_biased(t, node)
    first: int = t.first[node]
    visited = t.visits[node] - (1 if node else 0)
    if visited < t.many[node]:
        return first + int(visited)
    total = t.exploration * root_of_log(t, t.visits[node])
    best, best_child = -1.0, first
    for child in range(first, first + t.many[node]):
        if t.proof[child] != UNKNOWN and t.solver:
            continue
        root = root_of_share(t, t.visits[child])
        score = (0.5 * t.points[child] * root + total) * root
        if score > best:
            best, best_child = score, child
    return best_child


@bare
def root_of_share(t: Tree, visits: int) -> float:
    """The square root of 1 / visits, looked up where visits are few: roots are slow."""
    return float(t.roots[visits, 0] if visits < len(t.roots) else sqrt(1.0 / visits))


@bare
def root_of_log(t: Tree, visits: int) -> float:
    """The square root of the logarithm of visits, looked up likewise."""
    return float(t.roots[visits, 1] if visits < len(t.roots) else sqrt(log(visits)))


@bare
def select_biased(t: Tree, node: int) -> int:
    """The best child by UCT with progressive bias (Chaslot et al., 2008), new ones as half won."""
    total = t.exploration * root_of_log(t, 1 + t.visits[node])
    first: int = t.first[node]
    best, best_child = -1.0, first
    for child in range(first, first + t.many[node]):
        if t.proof[child] != UNKNOWN and t.solver:
            continue
        root = root_of_share(t, 1 + t.visits[child])
        value = 0.5 * (1.0 + t.points[child]) + t.bias * t.prior[child]
        score = (value * root + total) * root
        if score > best:
            best, best_child = score, child
    return best_child


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
