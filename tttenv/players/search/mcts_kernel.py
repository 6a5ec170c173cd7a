"""Monte Carlo tree search: UCT (Kocsis and Szepesvari, 2006) on a tree in flat arrays.

Each iteration selects a leaf from the root, adds at most one new position, plays a play-out from
there to the end of the game and backs up its value once at every position on the path, always for
the side whose move led to the node.

With the solver (MCTS-Solver, Winands et al., 2008; draws as in Cazenave and Saffidine, 2010) the
proven results of finished games are backed up, too; moves with a proven result are not selected
while others have none, and the search ends when the root is proven.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.open_lines_kernel import OpenLines, new_open_lines, set_board, update_stone
from tttenv.game.outcomes_kernel import GOING, UNPROVEN, WON, proven_by_moves
from tttenv.game.random_kernel import bounded, seed
from tttenv.game.rollouts_kernel import (
    Playground,
    gather,
    playground,
    random_playout,
    tactical_playout,
    winner,
)
from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import ended
from tttenv.game.types import Cells, Stones
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate

MAX_NODES = 2**31 - 1  # the largest number of nodes that int32 can index
SQRT_TABLE_SIZE = 4096  # square roots are looked up for visit counts below this
NODE_BYTES = 21  # bytes that one node takes in the seven arrays of nodes


@dataclass(frozen=True, eq=False)
class Tree(Struct):
    """Search tree: node 0 is the root, and the children of a node are consecutive nodes."""

    exploration: float  # the c of UCT
    bias: float  # weight of the open lines in the selection; 0 switches them off
    tactical: bool  # play-outs win and block
    solver: bool
    playouts: Playground  # the board, the random numbers and the arrays of play-outs
    lines: OpenLines
    root_board: Annotated[Stones, "cells"]
    path: Annotated[Cells, "steps"]  # the nodes from the root to the leaf
    sqrt_table: NDArray[np.float64]  # (SQRT_TABLE_SIZE, 2): of 1 / visits and of log(visits)
    node_count: Annotated[NDArray[np.int64], "1"]  # nodes in use
    visits: Annotated[NDArray[np.int32], "nodes"]
    points: Annotated[NDArray[np.int32], "nodes"]  # the sum of 1 + value over all visits
    first_child: Annotated[NDArray[np.int32], "nodes"]
    child_count: Annotated[NDArray[np.int16], "nodes"]  # 0 before the node is expanded
    move: Annotated[NDArray[np.int16], "nodes"]  # the cell whose stone leads to the node
    proof: Annotated[NDArray[np.int8], "nodes"]  # the proven value, or UNPROVEN
    prior: Annotated[NDArray[np.float32], "nodes"]  # open lines' score, up to 1; with a bias only


def new_tree(
    rules: Rules,
    nodes: int,
    exploration: float,
    bias: float,
    tactical: bool,
    solver: bool,
) -> Tree:
    """Allocate a tree of at most `nodes` nodes; for the others see `Tree`."""
    visits = np.maximum(np.arange(SQRT_TABLE_SIZE), 1)
    return allocate(
        Tree,
        {"cells": rules.cells, "steps": rules.cells + 1, "nodes": nodes},
        exploration=float(exploration),
        bias=float(bias),
        tactical=tactical,
        solver=solver,
        playouts=playground(rules),
        lines=new_open_lines(rules),
        sqrt_table=np.sqrt([1 / visits, np.log(visits)]).T.copy(),
    )


@inner
def init_node(t: Tree, node: int, cell: int) -> None:
    """Reset a node reached by a stone on `cell`."""
    t.visits[node] = t.points[node] = t.first_child[node] = 0
    t.child_count[node] = 0
    t.move[node] = cell
    t.proof[node] = UNPROVEN


@inner
def expand(t: Tree, node: int) -> bool:
    """Add the children of the node on the board, in random order; return False if full."""
    many = gather(t.playouts)
    first = t.node_count[0]
    if first + many > t.visits.size:
        return False
    t.node_count[0] = first + many
    t.first_child[node] = first
    t.child_count[node] = many
    empty = t.playouts.empty
    greatest = 1
    for i in range(many):
        j = i + bounded(t.playouts.rng, many - i)
        empty[i], empty[j] = empty[j], empty[i]
        init_node(t, first + i, empty[i])
        greatest = max(greatest, t.lines.move_score[empty[i]])
    if t.bias > 0.0:
        for i in range(many):
            t.prior[first + i] = t.lines.move_score[empty[i]] / greatest
    return True


@inner
def select_child(t: Tree, node: int) -> int:
    """Return the child to visit next: an unvisited one, else the best by UCT."""
    if t.bias > 0.0:
        return select_child_biased(t, node)
    first: int = t.first_child[node]
    visited = t.visits[node] - (1 if node else 0)  # all but the root were a leaf in one visit
    if visited < t.child_count[node]:
        return first + int(visited)
    spread = t.exploration * sqrt_of_log(t, t.visits[node])
    best, best_child = -1.0, first
    for child in range(first, first + t.child_count[node]):
        if t.proof[child] != UNPROVEN and t.solver:
            continue
        root = sqrt_of_inverse(t, t.visits[child])
        score = (0.5 * t.points[child] * root + spread) * root
        if score > best:
            best, best_child = score, child
    return best_child


@inner
def select_child_biased(t: Tree, node: int) -> int:
    """Return the best child by UCT with progressive bias (Chaslot et al., 2008).

    Each child has one more visit here, with the result of a draw, so that none is divided by zero.
    """
    spread = t.exploration * sqrt_of_log(t, 1 + t.visits[node])
    first: int = t.first_child[node]
    best, best_child = -1.0, first
    for child in range(first, first + t.child_count[node]):
        if t.proof[child] != UNPROVEN and t.solver:
            continue
        root = sqrt_of_inverse(t, 1 + t.visits[child])
        value = 0.5 * (1.0 + t.points[child]) + t.bias * t.prior[child]
        score = (value * root + spread) * root
        if score > best:
            best, best_child = score, child
    return best_child


@inner
def sqrt_of_inverse(t: Tree, visits: int) -> float:
    """Return the square root of 1 / visits, from a table for small numbers."""
    return float(t.sqrt_table[visits, 0] if visits < len(t.sqrt_table) else sqrt(1.0 / visits))


@inner
def sqrt_of_log(t: Tree, visits: int) -> float:
    """Return the square root of log(visits), from a table for small numbers."""
    return float(t.sqrt_table[visits, 1] if visits < len(t.sqrt_table) else sqrt(log(visits)))


@bare
def init_tree(t: Tree, board: Stones, start: int) -> None:
    """Reset the tree to `board` (cells,), its root expanded, seeded by it and `start`, a uint64."""
    for cell in range(board.size):
        t.root_board[cell] = t.playouts.board[cell] = board[cell]
    seed(t.playouts.rng, board, start)
    if t.bias > 0.0:
        set_board(t.lines, board)
    t.node_count[0] = 1
    init_node(t, 0, -1)
    expand(t, 0)


@bare
def run_iterations(t: Tree, iterations: int) -> int:
    """Run `iterations`, or fewer if the solver proves the root; return the number run."""
    for done in range(iterations):
        if t.proof[0] != UNPROVEN:
            return done
        depth = select_leaf(t)
        value: int = t.proof[t.path[depth]]
        if value == UNPROVEN:
            value = simulate(t, depth)
        backup(t, depth, value)
    return iterations


@inner
def select_leaf(t: Tree) -> int:
    """Select a path to a terminal or unvisited node, played on the board; return its length."""
    for cell in range(t.root_board.size):
        t.playouts.board[cell] = t.root_board[cell]
    node, depth = 0, 0
    t.path[0] = 0
    while t.proof[node] == UNPROVEN:
        if t.child_count[node] == 0 and (t.visits[node] == 0 or not expand(t, node)):
            break
        node = select_child(t, node)
        cell = t.move[node]
        t.playouts.board[cell] = 1 - 2 * (depth % 2)
        if t.bias > 0.0:
            update_stone(t.lines, cell, depth % 2, 1)
        depth += 1
        t.path[depth] = node
        if t.visits[node] == 0:
            result = ended(t.playouts.board, cell, t.playouts.game)
            if result != GOING:
                t.proof[node] = winner(result, 1)
    return depth


@inner
def simulate(t: Tree, depth: int) -> int:
    """Return the value of a play-out from the leaf, for the side that moved last."""
    stone = 1 - 2 * (depth % 2)
    p = t.playouts
    won = tactical_playout(p, stone) if t.tactical else random_playout(p, stone)
    return -won * stone


@inner
def backup(t: Tree, depth: int, value: int) -> None:
    """Add a leaf's value, for the side that moved last, to every node of the path."""
    if t.bias > 0.0:
        for d in range(depth, 0, -1):
            update_stone(t.lines, t.move[t.path[d]], (d - 1) % 2, -1)
    for d in range(depth, -1, -1):
        t.visits[t.path[d]] += 1
        t.points[t.path[d]] += 1 + value
        value = -value
    if t.solver:
        backup_proof(t, depth)


@inner
def backup_proof(t: Tree, depth: int) -> None:
    """Back up proofs along the path: one child proven to win its mover the game, or all proven."""
    for d in range(depth, 0, -1):
        if t.proof[t.path[d]] == UNPROVEN:
            return
        parent, value = t.path[d - 1], t.proof[t.path[d]]
        if value != WON:
            first = t.first_child[parent]
            value = proven_by_moves(t.proof[first : first + t.child_count[parent]])
            if value == UNPROVEN:
                return
        t.proof[parent] = -value
