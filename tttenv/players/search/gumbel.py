"""Tree search player: the search of Gumbel AlphaZero on many boards in parallel; see its kernel."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.game.open_lines_kernel import new_open_lines
from tttenv.game.outcomes_kernel import UNPROVEN, WON
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Cells, Probs
from tttenv.players.search import gumbel_kernel as kernel
from tttenv.players.search.gumbel_kernel import Settings
from tttenv.players.search.search_result import Found, uniform_on
from tttenv.players.search.threat_search import Forced, ThreatSearch
from tttenv.policy import Candidate, Explanation, Player, Traits
from tttenv.utils.arrays import Lock, at_least, one_at_a_time, read_only

Floats: TypeAlias = NDArray[np.float32]
# From undecided boards (batch, cells), seen by the side to move, to a logit for every cell
# (batch, cells), legal or not, and the value for that side (batch,), from -1 to 1.
Evaluate: TypeAlias = Callable[[Boards], tuple[Floats, Floats]]

CONSIDERED = 16  # default number of root moves with which sequential halving begins
TREES = 256  # default number of trees searched in parallel
SETTINGS = Settings(exploration=1.25, value_scale=0.1, visit_offset=50.0, threats=200)
SIMULATIONS = 200  # default number per move
TOGETHER = 64  # maximum boards searched in parallel
LARGEST_TREE = 2_000_000  # simulations times cells
NOT_FORCED = Forced(None, [])
LEFT_OUT = -1e6  # replaces the Gumbel noise of a move that is to come last
BY_THREATS = "it wins by threats and threes, which is proved before the tree search"


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
            evaluate: returns logits and values of positions; see `Evaluate`.
            simulations: the most in a search.
            trees: how many boards are searched in parallel.
            considered: root moves with which sequential halving begins.
            settings: constants of the search.

        Raises:
            ValueError: for a game in which a completed line does not win.
        """
        require_line_wins(rules, "gumbel")
        self.rules, self.evaluate, self.settings = rules, evaluate, settings
        self.trees, self.considered, self.simulations = trees, considered, simulations
        self.forest = kernel.new_forest(rules, trees, simulations, settings)
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
        """Search from several boards.

        Args:
            boards: undecided boards (batch, cells), seen by the side to move.
            simulations: one number for all boards, or one each (batch,); by default the maximum.
            noise: Gumbel noise (batch, cells), added to the logits of the root's moves. Without it
                the search is deterministic.

        Returns:
            The results, one row a board.
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
        """Explain the last search on the first of its boards; the move `chosen` comes first."""
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
            won = forest.proof[0, node] == WON
            likely = np.lexsort((forest.prior[0, node], forest.visits[0, node], won))[-1]
            if not won[likely] and not forest.visits[0, node, likely]:
                break
            line.append(int(likely))
        return Candidate(cell, value, visits=visits, prior=prior, line=tuple(line))


@lru_cache(maxsize=4096)
def considered_visits(moves: int, simulations: int) -> NDArray[np.int32]:
    """Return the visits that the moves must have to be candidates, for each simulation.

    Sequential halving (Karnin et al., 2013): in each phase all remaining of `moves` moves get the
    same number of visits, such that the phases share the simulations evenly; then the worse half is
    dropped. In each simulation the candidates are thus the moves with a certain number of visits.

    Args:
        moves: considered at first.
        simulations: of the whole search.

    Returns:
        The visits (simulations,), read-only.
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


class GumbelPlayer(Player):
    """A player that uses tree search, guided by an evaluator or a checkpoint's network.

    It is `alone` if its evaluator gives a board the same bits in any batch. `threes` positions are
    searched for wins by threats and threes first: such a win is played, and moves that lose to one
    are left out.
    """

    def __init__(
        self, rules: Rules, search: GumbelSearch, alone: bool = False, threes: int = 0
    ) -> None:
        super().__init__(rules, Traits(searches=True, alone=alone))
        self.tree_search = search
        few = rules.k < 3  # then every stone is a threat
        self.threat_search = None if few or not threes else ThreatSearch(rules, threes)

    @one_at_a_time
    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        moves, _ = self._moves(boards)
        return np.eye(self.rules.cells)[moves]

    @one_at_a_time
    def search(self, board: Boards) -> Found:
        """Search one undecided board (cells,); others raise ValueError."""
        moves, values = self._moves(self.rules.check(board)[None])
        move = uniform_on([int(moves[0])], self.rules.cells)
        return Found(move, float(values[0]), self.tree_search.simulations)

    @one_at_a_time
    def explain(self, board: Boards) -> Explanation:
        """Search an undecided board (cells,) as when playing, and explain the move."""
        board = self.rules.check(board)
        if self.threat_search and (win := self.threat_search(board).win) is not None:
            return Explanation([Candidate(win, 1.0, line=(win,))], None, BY_THREATS)
        moves, _ = self._moves(board[None])
        return self.tree_search.explain(int(moves[0]))

    def _moves(self, boards: Boards) -> tuple[Cells, NDArray[np.float64]]:
        """Return the moves (batch,) to play on boards (batch, cells), and their values (batch,)."""
        moves, values = np.zeros(len(boards), np.int64), np.ones(len(boards))
        noise = np.zeros(boards.shape, np.float32)
        searched = []
        for row, board in enumerate(boards):
            forced = self.threat_search(board) if self.threat_search else NOT_FORCED
            if forced.win is None:
                searched.append(row)
                noise[row, forced.losing] = LEFT_OUT
            else:
                moves[row] = forced.win
        found = self.tree_search.search(boards[searched], noise=noise[searched])
        moves[searched], values[searched] = found.moves, found.values
        return moves, values


def gumbel(
    rules: Rules,
    simulations: int = SIMULATIONS,
    considered: int = CONSIDERED,
    threats: int = SETTINGS.threats,
    threes: int = 0,
) -> GumbelPlayer:
    """Return a tree search player: Gumbel at the root, PUCT below it, and proven results.

    Positions are valued by their open lines. The output depends on the board alone.

    Args:
        rules: the game.
        simulations: the number per move.
        considered: number of root moves with which the search begins.
        threats: maximum threats tried in the search for a win by threats at each position; 0 for
            none.
        threes: positions searched for wins by threats and threes before the tree search of a board,
            half of them for such wins of the other side; 0 for none.

    Raises:
        ValueError: for a number that is too low or too high, or a game in which a completed line
            does not win.
    """
    at_least(1, considered=considered)
    at_least(0, threats=threats, threes=threes)
    search = GumbelSearch(
        rules,
        LineEvaluator(rules),
        checked_simulations(rules, simulations),
        side_by_side(rules, simulations),
        considered,
        replace(SETTINGS, threats=threats),
    )
    return GumbelPlayer(rules, search, alone=True, threes=threes)


def checked_simulations(rules: Rules, simulations: int) -> int:
    """Check that a tree of this many simulations fits into memory, and return the number.

    Raises:
        ValueError: if it does not, or for less than one simulation.
    """
    at_least(1, simulations=simulations)
    most = LARGEST_TREE // rules.cells
    if simulations > most:
        raise ValueError(
            f"there can be at most {most:,} simulations on {rules}, not {simulations:,}"
        )
    return simulations


def side_by_side(rules: Rules, simulations: int) -> int:
    """Return the number of boards to search in parallel within the memory limit."""
    return max(1, min(TOGETHER, LARGEST_TREE // (rules.cells * max(1, simulations))))


class LineEvaluator:
    """Evaluates positions by their open lines."""

    def __init__(self, rules: Rules) -> None:
        self.lines = new_open_lines(rules)

    def __call__(self, boards: Boards) -> tuple[Floats, Floats]:
        """Return logits (batch, cells) and values (batch,) for boards (batch, cells)."""
        logits, values = np.zeros(boards.shape, np.float32), np.zeros(len(boards), np.float32)
        kernel.evaluate_by_lines(boards, self.lines, logits, values)
        return logits, values
