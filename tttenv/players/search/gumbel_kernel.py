"""Compiled tree search on many trees in parallel, guided by a position evaluator.

An evaluator gives each position a logit for every cell and a value for the side to move: a network
or open lines. Around it, a simulation has two halves: `select` goes from the root of every
tree to a leaf that needs an evaluation and collects all these leaves into one batch; `back_up` adds
them to their trees. At the root the moves are chosen by Gumbel noise, sequential halving and
completed values (Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022), below
it by PUCT (Silver et al., Science 362, 2018).

Positions that their lines decide are not left to the evaluator: a position in which the side to
move completes a line, or wins by a sequence of single threats, is won; one in which the other side
threatens on two cells is lost; one without an open line is drawn; a single threat leaves one move,
so that the tree goes on below it at once. All moves of the root are judged so before the search.
Such proofs are backed up (MCTS-Solver, Winands et al., 2008), and proven moves are not searched
again.

Values and proofs belong to the side to move: 1 a win, 0 a draw, -1 a loss. An edge is a move in a
node, its value that of the move.
"""

from dataclasses import dataclass
from math import exp, inf, log, sqrt, tanh
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import (
    NONE,
    LineBoard,
    empty_cell,
    new_line_board,
    place,
    remove,
    set_stones,
)
from tttenv.game.open_lines_kernel import OpenLines, set_board
from tttenv.game.outcomes_kernel import DRAWN, LOST, UNPROVEN, WON, proven_by_moves
from tttenv.game.rules import Rules
from tttenv.game.threat_sequences_kernel import (
    MOVE,
    ThreatStack,
    judge,
    new_threat_stack,
)
from tttenv.game.types import Boards, Cells, Mask, Probs
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct, allocate

NO_NODE = -1
FIRST_PLAY_REDUCTION = 0.2  # by which moves not yet tried are valued below their node


@dataclass(frozen=True, eq=False)
class Settings(Struct):
    """Constants of the search."""

    exploration: float  # the c of PUCT
    value_scale: float  # of completed values beside logits, times (visit_offset + most visits)
    visit_offset: float
    threats: int  # tried in one search for a win by threats; 0 for none


@dataclass(frozen=True, eq=False)
class Forest(Struct):
    """Search trees, each with its root at node 0; arrays begin with (trees, nodes) or (trees,)."""

    settings: Settings
    board: LineBoard  # for the tree at work; side 0 is to move at the root
    stack: ThreatStack
    roots: Annotated[Boards, "trees, cells"]  # seen by the side to move
    noise: Annotated[NDArray[np.float32], "trees, cells"]  # of Gumbel; zero without chance
    simulations: Annotated[NDArray[np.int64], "trees"]  # how many are wanted
    schedule: Annotated[NDArray[np.int32], "trees, simulations"]  # visits of the next move
    done: Annotated[NDArray[np.int64], "trees"]  # simulations so far
    nodes: Annotated[NDArray[np.int64], "trees"]  # in use; 0 before the root is evaluated
    root_proof: Annotated[NDArray[np.int8], "trees", UNPROVEN]
    root_logits: Annotated[NDArray[np.float32], "trees, cells"]
    length: Annotated[NDArray[np.int64], "trees"]  # of the path to the leaf to evaluate
    path_nodes: Annotated[NDArray[np.int32], "trees, steps"]
    path_moves: Annotated[NDArray[np.int16], "trees, steps"]
    leaf_forced: Annotated[NDArray[np.int16], "trees", NONE]  # the only move of the leaf
    value: Annotated[NDArray[np.float32], "trees, nodes"]  # the evaluator's
    total_visits: Annotated[NDArray[np.int32], "trees, nodes"]
    floor: Annotated[NDArray[np.int8], "trees, nodes", LOST]  # a proven lower bound of the value
    allowed: Annotated[Mask, "trees, nodes, cells"]  # the moves that are searched
    prior: Annotated[NDArray[np.float32], "trees, nodes, cells"]  # probabilities of these
    child: Annotated[NDArray[np.int32], "trees, nodes, cells", NO_NODE]  # or NO_NODE
    visits: Annotated[NDArray[np.int32], "trees, nodes, cells"]
    total: Annotated[NDArray[np.float32], "trees, nodes, cells"]  # sum of their values
    proof: Annotated[NDArray[np.int8], "trees, nodes, cells", UNPROVEN]


def new_forest(rules: Rules, trees: int, simulations: int, settings: Settings) -> Forest:
    """Allocate trees of at most `simulations` each."""
    cells = rules.cells
    nodes = 2 * simulations + 8  # forced moves take nodes of their own
    many = {"trees": trees, "nodes": nodes, "simulations": max(1, simulations)}
    return allocate(
        Forest,
        {**many, "cells": cells, "steps": cells + 1},
        settings=settings,
        board=new_line_board(rules),
        stack=new_threat_stack(cells),
    )


@bare
def select(f: Forest, trees: int, leaves: Boards, which: NDArray[np.int64]) -> int:
    """Run simulations in the first `trees` trees until each needs an evaluation or is done.

    Write the `leaves` to evaluate, seen by their side to move, and `which` trees they belong to;
    return their number, 0 when all simulations are done.
    """
    waiting = 0
    for tree in range(trees):
        if f.nodes[tree] > 0 and _finished(f, tree):
            continue
        set_stones(f.board, f.roots[tree])
        needed = f.nodes[tree] == 0
        if needed:
            f.length[tree] = 0
        while not needed and not _finished(f, tree):
            needed = _descend(f, tree)
            if not needed:
                f.done[tree] += 1
                _take_back(f, tree)
        if needed:
            side = f.length[tree] % 2
            for cell in range(f.roots.shape[1]):
                stone = f.board.stones[cell]
                leaves[waiting, cell] = 0 if stone == 0 else 1 if stone == side + 1 else -1
            which[waiting] = tree
            waiting += 1
            _take_back(f, tree)
    return waiting


@bare
def back_up(
    f: Forest,
    waiting: int,
    which: NDArray[np.int64],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Add evaluated leaves to their trees, and back up their values.

    Logits (leaves, cells) of taken cells are ignored; values (leaves,) are for the side to move.
    """
    for i in range(waiting):
        tree = int(which[i])
        set_stones(f.board, f.roots[tree])
        depth = int(f.length[tree])
        for d in range(depth):
            place(f.board, int(f.path_moves[tree, d]), d % 2)
        root = f.nodes[tree] == 0
        node = _add_node(f, tree, int(f.leaf_forced[tree]) if not root else NONE)
        if node != NO_NODE:
            _set_prior(f, tree, node, logits[i])
            f.value[tree, node] = values[i]
            if not root:
                above, move = f.path_nodes[tree, depth - 1], f.path_moves[tree, depth - 1]
                f.child[tree, above, move] = node
        _take_back(f, tree)
        if root:
            for cell in range(f.roots.shape[1]):
                f.root_logits[tree, cell] = logits[i, cell]
            _judge_root(f, tree)
        else:
            _add_value(f, tree, depth, values[i])
            f.done[tree] += 1


@bare
def improved_policy(f: Forest, trees: int, probs: Probs, values: Probs, moves: Cells) -> None:
    """Write the results of finished searches to `probs`, `values` and `moves`.

    These are the improved policy (trees, cells), of logits and completed values, without moves that
    are proven to be worse than others; the value of the root (trees,), proven or the policy's mean;
    and the move (trees,) to play: the most searched, best by the score of sequential halving.
    """
    cells = f.roots.shape[1]
    for tree in range(trees):
        most, mixed = _most_visits(f, tree), _mixed_value(f, tree)
        best_proof = proven_by_moves(f.proof[tree, 0])
        if best_proof == UNPROVEN:
            best_proof = DRAWN
        highest, best_score, best_visits, best = -inf, -inf, -1, 0
        for cell in range(cells):
            probs[tree, cell] = -inf
            if not f.allowed[tree, 0, cell]:
                continue
            proof = f.proof[tree, 0, cell]
            if proof != UNPROVEN and proof < best_proof:
                continue
            if best_proof == WON and proof != WON:
                continue
            value = _completed(f, tree, 0, cell, mixed)
            scaled = (f.settings.visit_offset + most) * f.settings.value_scale * value
            logit = f.root_logits[tree, cell] + scaled
            probs[tree, cell] = 0.0 if best_proof == WON else logit
            highest = max(highest, probs[tree, cell])
            score, visits = logit + f.noise[tree, cell], f.visits[tree, 0, cell]
            if visits > best_visits or (visits == best_visits and score > best_score):
                best, best_score, best_visits = cell, score, visits
        total, value = 0.0, 0.0
        for cell in range(cells):
            probs[tree, cell] = exp(probs[tree, cell] - highest)
            total += probs[tree, cell]
        for cell in range(cells):
            probs[tree, cell] /= total
            if probs[tree, cell] > 0:
                value += probs[tree, cell] * _completed(f, tree, 0, cell, mixed)
        proven = f.root_proof[tree]
        values[tree] = value if proven == UNPROVEN else proven
        moves[tree] = best


@inner
def _finished(f: Forest, tree: int) -> bool:
    return bool(f.done[tree] >= f.simulations[tree] or f.root_proof[tree] != UNPROVEN)


@inner
def _take_back(f: Forest, tree: int) -> None:
    """Undo the moves of the path on the board."""
    for d in range(f.length[tree]):
        remove(f.board, int(f.path_moves[tree, d]), d % 2)


@inner
def _descend(f: Forest, tree: int) -> bool:
    """Descend to a leaf, leaving the path on the board; return whether it needs an evaluation."""
    node, depth = 0, 0
    while True:
        move = _root_move(f, tree) if depth == 0 else _inner_move(f, tree, node)
        f.path_nodes[tree, depth], f.path_moves[tree, depth] = node, move
        place(f.board, move, depth % 2)
        depth += 1
        f.length[tree] = depth
        if f.proof[tree, node, move] != UNPROVEN:
            _add_value(f, tree, depth, -f.proof[tree, node, move])
            return False
        if f.child[tree, node, move] != NO_NODE:
            node = int(f.child[tree, node, move])
            continue
        proof, forced = judge(f.board, depth % 2, f.stack, f.settings.threats)
        if proof != UNPROVEN:
            f.proof[tree, node, move] = -proof
            _back_up_proof(f, tree, depth)
            _add_value(f, tree, depth, proof)
            return False
        f.leaf_forced[tree] = forced
        if forced == NONE or f.nodes[tree] + 1 >= f.value.shape[1]:
            return True
        below = _add_node(f, tree, forced)
        f.prior[tree, below, forced] = 1.0
        f.child[tree, node, move] = below
        f.value[tree, below] = f.value[tree, node] if depth % 2 == 0 else -f.value[tree, node]
        node = below


@inner
def _judge_root(f: Forest, tree: int) -> None:
    """Prove the root, or else its moves, where lines decide them; `f.board` holds the root."""
    board, cells = f.board, f.roots.shape[1]
    k = board.lines.shape[1]
    proof, forced = judge(board, 0, f.stack, f.settings.threats)
    f.root_proof[tree] = proof
    if proof == DRAWN:
        for cell in range(cells):
            if f.allowed[tree, 0, cell]:
                f.proof[tree, 0, cell] = DRAWN
    if proof == WON:
        found = False
        for line in range(len(board.lines)):
            if board.held[line, 0] == k - 1 and board.held[line, 1] == 0:
                f.proof[tree, 0, empty_cell(board, line, -1)] = WON
                found = True
        if not found:
            move = f.stack[0, MOVE]
            f.allowed[tree, 0, move] = True
            f.proof[tree, 0, move] = WON
    if forced != NONE:
        for cell in range(cells):
            _allow(f, tree, 0, cell, cell == forced)
    if proof == UNPROVEN:
        _judge_root_moves(f, tree)


@inner
def _judge_root_moves(f: Forest, tree: int) -> None:
    """Prove the results of the root's moves where lines decide them."""
    best = LOST
    for cell in range(f.roots.shape[1]):
        if f.allowed[tree, 0, cell]:
            place(f.board, cell, 0)
            proof, _ = judge(f.board, 1, f.stack, f.settings.threats)
            remove(f.board, cell, 0)
            if proof != UNPROVEN:
                f.proof[tree, 0, cell] = -proof
                best = max(best, -proof)
    f.floor[tree, 0] = best
    f.root_proof[tree] = proven_by_moves(f.proof[tree, 0])


@inner
def _add_node(f: Forest, tree: int, forced: int) -> int:
    """Add a node without priors for the position on the board; return NO_NODE if full.

    Its moves are `forced` alone, if that is a cell, else those on open lines, if any, else all.
    """
    node = int(f.nodes[tree])
    if node >= f.value.shape[1]:
        return NO_NODE
    f.nodes[tree] = node + 1
    f.total_visits[tree, node] = 0
    f.floor[tree, node] = LOST
    board, found = f.board, False
    for cell in range(f.roots.shape[1]):
        may = board.stones[cell] == 0 and (forced < 0 or cell == forced)
        live = False
        if may:
            for i in range(board.through_count[cell]):
                line = board.lines_through[cell, i]
                if board.held[line, 0] == 0 or board.held[line, 1] == 0:
                    live = True
                    break
        f.allowed[tree, node, cell] = live
        found = found or live
        f.prior[tree, node, cell] = 0.0
        f.child[tree, node, cell] = NO_NODE
        f.visits[tree, node, cell] = 0
        f.total[tree, node, cell] = 0.0
    for cell in range(f.roots.shape[1]):
        allowed = f.allowed[tree, node, cell] if found else board.stones[cell] == 0
        _allow(f, tree, node, cell, allowed)
    return node


@inner
def _allow(f: Forest, tree: int, node: int, cell: int, allowed: bool) -> None:
    """Start the search of a move, or count it as lost so that no proof waits for it."""
    f.allowed[tree, node, cell] = allowed
    f.proof[tree, node, cell] = UNPROVEN if allowed else LOST


@inner
def _set_prior(f: Forest, tree: int, node: int, logits: NDArray[np.float32]) -> None:
    """Set a node's priors to the softmax of the logits over its moves."""
    highest, total = -inf, 0.0
    for cell in range(logits.size):
        if f.allowed[tree, node, cell]:
            highest = max(highest, logits[cell])
    for cell in range(logits.size):
        if f.allowed[tree, node, cell]:
            f.prior[tree, node, cell] = exp(logits[cell] - highest)
            total += f.prior[tree, node, cell]
    for cell in range(logits.size):
        f.prior[tree, node, cell] /= total


@inner
def _inner_move(f: Forest, tree: int, node: int) -> int:
    """Return the move that PUCT selects at a node below the root, among unproven moves."""
    tried, total = 0.0, f.value[tree, node]
    for cell in range(f.roots.shape[1]):
        if f.visits[tree, node, cell] > 0:
            tried += f.prior[tree, node, cell]
            total += f.total[tree, node, cell]
    visits = f.total_visits[tree, node]
    untried = total / (1.0 + visits) - FIRST_PLAY_REDUCTION * sqrt(tried)
    root = f.settings.exploration * sqrt(visits + 1.0)
    best, best_score = NONE, -inf
    for cell in range(f.roots.shape[1]):
        if f.proof[tree, node, cell] != UNPROVEN:
            continue
        own = f.visits[tree, node, cell]
        value = f.total[tree, node, cell] / own if own > 0 else untried
        score = value + f.prior[tree, node, cell] * root / (1.0 + own)
        if score > best_score:
            best, best_score = cell, score
    return best


@inner
def _root_move(f: Forest, tree: int) -> int:
    """Return the root's best unproven move with the scheduled visits, else the least visited."""
    wanted = f.schedule[tree, f.done[tree]]
    most, mixed = _most_visits(f, tree), _mixed_value(f, tree)
    best, best_score, best_distance = NONE, -inf, 1 << 30
    for cell in range(f.roots.shape[1]):
        if f.proof[tree, 0, cell] != UNPROVEN:
            continue
        visits = f.visits[tree, 0, cell]
        distance = 0 if visits == wanted else 1 + visits
        score = f.noise[tree, cell] + f.root_logits[tree, cell]
        value = _completed(f, tree, 0, cell, mixed)
        score += (f.settings.visit_offset + most) * f.settings.value_scale * value
        if distance < best_distance or (distance == best_distance and score > best_score):
            best, best_score, best_distance = cell, score, distance
    return best


@inner
def _most_visits(f: Forest, tree: int) -> int:
    most = 0
    for cell in range(f.roots.shape[1]):
        most = max(most, f.visits[tree, 0, cell])
    return most


@inner
def _mixed_value(f: Forest, tree: int) -> float:
    """Return the value assumed for unvisited root moves: a mix of evaluation and visited values."""
    share, weighted, visits = 0.0, 0.0, 0
    for cell in range(f.roots.shape[1]):
        own = f.visits[tree, 0, cell]
        if own > 0:
            visits += own
            share += f.prior[tree, 0, cell]
            weighted += f.prior[tree, 0, cell] * f.total[tree, 0, cell] / own
    if share <= 0.0:
        return float(f.value[tree, 0])
    return float((f.value[tree, 0] + visits * weighted / share) / (1.0 + visits))


@inner
def _completed(f: Forest, tree: int, node: int, cell: int, otherwise: float) -> float:
    """Return a move's value: proven, the mean of its visits, or `otherwise` if unvisited."""
    if f.proof[tree, node, cell] != UNPROVEN:
        return float(f.proof[tree, node, cell])
    own = f.visits[tree, node, cell]
    return float(f.total[tree, node, cell] / own) if own > 0 else otherwise


@inner
def _add_value(f: Forest, tree: int, depth: int, value: float) -> None:
    """Add a leaf's value, for its side to move, to all edges of the path."""
    for d in range(depth - 1, -1, -1):
        node, move = f.path_nodes[tree, d], f.path_moves[tree, d]
        value = -value
        if f.proof[tree, node, move] != UNPROVEN:
            value = float(f.proof[tree, node, move])
        f.visits[tree, node, move] += 1
        f.total_visits[tree, node] += 1
        f.total[tree, node, move] += value
        value = max(value, float(f.floor[tree, node]))


@inner
def _back_up_proof(f: Forest, tree: int, depth: int) -> None:
    """Back up the proof of the path's last edge."""
    for d in range(depth - 1, -1, -1):
        node, move = f.path_nodes[tree, d], f.path_moves[tree, d]
        value = f.proof[tree, node, move]
        f.floor[tree, node] = max(f.floor[tree, node], value)
        if value != WON:
            value = proven_by_moves(f.proof[tree, node])
            if value == UNPROVEN:
                return
        if d == 0:
            f.root_proof[tree] = value
        else:
            f.proof[tree, f.path_nodes[tree, d - 1], f.path_moves[tree, d - 1]] = -value


SCALE = 0.02  # of the open lines' evaluation: the value is tanh(SCALE * evaluation)


@bare
def evaluate_by_lines(
    boards: Boards, lines: OpenLines, logits: NDArray[np.float32], values: NDArray[np.float32]
) -> None:
    """Write the logits (batch, cells) and values (batch,) of boards (batch, cells) by open lines.

    A logit is the logarithm of the cell's score in the order of moves.
    """
    for i in range(len(boards)):
        set_board(lines, boards[i])
        for cell in range(boards.shape[1]):
            logits[i, cell] = log(1.0 + max(0, lines.move_score[cell]))
        values[i] = tanh(SCALE * lines.evaluation[0])
