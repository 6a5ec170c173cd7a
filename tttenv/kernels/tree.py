"""The tree of a Monte Carlo tree search, in flat arrays of fixed size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels.bare import bare
from tttenv.kernels.chance import below
from tttenv.kernels.openlines import OpenLines, open_lines
from tttenv.kernels.playouts import Playground, gather, playground
from tttenv.types import Cells, Stones

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
