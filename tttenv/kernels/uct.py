"""Which move a Monte Carlo tree search tries next: UCT, plain or drawn towards open lines."""

from math import log, sqrt

from tttenv.kernels.bare import bare
from tttenv.kernels.tree import UNKNOWN, Tree


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
