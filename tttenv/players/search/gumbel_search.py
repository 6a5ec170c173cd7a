"""Evaluator-guided tree search on many boards in parallel; see its kernel."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.threat_sequences_kernel import UNPROVEN, WIN
from tttenv.game.types import Boards, Cells, Probs
from tttenv.players.search import gumbel_kernel as kernel
from tttenv.players.search.gumbel_kernel import Settings
from tttenv.policy import Candidate, Explanation
from tttenv.utils.arrays import Lock, one_at_a_time, read_only

Floats: TypeAlias = NDArray[np.float32]
# From undecided boards (batch, cells), seen by the side to move, to a logit for every cell
# (batch, cells), legal or not, and the value for that side (batch,), from -1 to 1.
Evaluate: TypeAlias = Callable[[Boards], tuple[Floats, Floats]]

CONSIDERED = 16  # default number of root moves with which sequential halving begins
TREES = 256  # default number of trees searched in parallel
SETTINGS = Settings(exploration=1.25, value_scale=0.1, visit_offset=50.0, threats=200)


class SearchResults(NamedTuple):
    """Results of searches from several boards."""

    policy: Probs  # (batch, cells): the improved policy
    values: NDArray[np.float64]  # (batch,): for the side to move; exact where proven
    moves: Cells  # (batch,): to play
    proofs: NDArray[np.int8]  # (batch,): the proven values, or UNPROVEN


class GumbelSearch:
    """Tree search for one game and one evaluator, which reuses the memory of its trees."""

    def __init__(
        self,
        rules: Rules,
        evaluate: Evaluate,
        simulations: int,
        trees: int = TREES,
        considered: int = CONSIDERED,
        settings: Settings = SETTINGS,
    ) -> None:
        """Allocate the trees.

        Args:
            rules: the game.
            evaluate: the evaluator.
            simulations: maximum number per board.
            trees: number of boards searched in parallel.
            considered: number of root moves with which sequential halving begins.
            settings: constants of the search.
        """
        require_line_wins(rules, "gumbel")
        self.rules, self.evaluate, self.settings = rules, evaluate, settings
        self.trees, self.considered, self.simulations = trees, considered, simulations
        self.forest = kernel.new_forest(rules.lines, rules.cells, trees, simulations, settings)
        self.leaves = np.zeros((trees, rules.cells), np.int8)
        self.which = np.zeros(trees, np.int64)
        self.lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling: the copy allocates new trees."""
        about = self.rules, self.evaluate, self.simulations, self.trees
        return type(self), (*about, self.considered, self.settings)

    @one_at_a_time
    def search(
        self,
        boards: Boards,
        simulations: NDArray[np.int64] | int | None = None,
        noise: Floats | None = None,
    ) -> SearchResults:
        """Search from undecided boards.

        Args:
            boards: (batch, cells), seen by the side to move.
            simulations: number per board (batch,), or one number for all; None for the maximum.
            noise: Gumbel noise (batch, cells); None for a deterministic search.
        """
        count = len(boards)
        wanted = np.broadcast_to(self.simulations if simulations is None else simulations, count)
        heard = np.zeros(boards.shape, np.float32) if noise is None else noise
        slices = [slice(at, at + self.trees) for at in range(0, max(1, count), self.trees)]
        parts = [self._search(boards[part], wanted[part], heard[part]) for part in slices]
        return SearchResults(*map(np.concatenate, zip(*parts, strict=True)))

    def _search(
        self, boards: Boards, simulations: NDArray[np.int64], noise: Floats
    ) -> SearchResults:
        """Search from at most as many boards as there are trees."""
        forest, count = self.forest, len(boards)
        forest.roots[:count], forest.noise[:count] = boards, noise
        forest.simulations[:count] = simulations
        forest.done[:count] = forest.nodes[:count] = 0
        forest.root_proof[:count] = UNPROVEN
        empty = np.count_nonzero(boards == 0, axis=1)
        for tree in range(count):
            wanted = int(simulations[tree])
            moves = min(self.considered, int(empty[tree]))
            forest.schedule[tree, :wanted] = considered_visits(moves, wanted)
        while waiting := kernel.select(forest, count, self.leaves, self.which):
            logits, values = self.evaluate(self.leaves[:waiting])
            kernel.back_up(forest, waiting, self.which, logits, values)
        policy = np.zeros((count, self.rules.cells))
        found, moves_found = np.zeros(count), np.zeros(count, np.int64)
        kernel.improved_policy(forest, count, policy, found, moves_found)
        return SearchResults(policy, found, moves_found, forest.root_proof[:count].copy())

    def explain(self, chosen: int) -> Explanation:
        """Explain the result of the last search on the first of its boards.

        Args:
            chosen: the move that it returned, which comes first.
        """
        forest = self.forest
        allowed = [int(cell) for cell in np.flatnonzero(forest.allowed[0, 0])]
        candidates = [self._candidate(cell) for cell in allowed]
        candidates.sort(key=lambda one: (one.cell != chosen, -(one.visits or 0), -(one.prior or 0)))
        return Explanation(candidates, int(forest.done[0]))

    def _candidate(self, cell: int) -> Candidate:
        """Return the first tree's statistics for a root move."""
        forest, node = self.forest, 0
        visits, proof = int(forest.visits[0, 0, cell]), int(forest.proof[0, 0, cell])
        value = float(forest.total[0, 0, cell]) / visits if visits else None
        if proof != UNPROVEN:
            value = float(proof)
        prior, line = float(forest.prior[0, 0, cell]), [cell]
        while (node := int(forest.child[0, node, line[-1]])) != kernel.NO_NODE:
            won = forest.proof[0, node] == WIN
            likely = np.lexsort((forest.prior[0, node], forest.visits[0, node], won))[-1]
            if not won[likely] and not forest.visits[0, node, likely]:
                break
            line.append(int(likely))
        return Candidate(cell, value, visits=visits, prior=prior, line=tuple(line))


@lru_cache(maxsize=4096)
def considered_visits(moves: int, simulations: int) -> NDArray[np.int32]:
    """Return, for each simulation (simulations,), the visit count of its candidates.

    Sequential halving (Karnin et al., 2013): in each phase all remaining moves get the same number
    of visits, such that the phases share the simulations evenly; then the worse half is dropped.
    In each simulation the candidates are thus the moves with a certain number of visits.

    Args:
        moves: number of moves considered in the first phase.
        simulations: total number.
    """
    if moves < 2:
        return read_only(np.arange(simulations, dtype=np.int32))
    phases = int(np.ceil(np.log2(moves)))
    found: list[int] = []
    visits, left = 0, moves
    while len(found) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            found += [visits] * left
            visits += 1
        left = max(2, left // 2)
    return read_only(np.array(found[:simulations], np.int32))
