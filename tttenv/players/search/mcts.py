"""Monte Carlo tree search player: UCT with play-outs, seeded by the board."""

from typing import Any, Literal

import numpy as np

from tttenv.game.outcomes_kernel import LOST, UNPROVEN, WON
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Cells, Probs
from tttenv.players.search import mcts_kernel as kernel
from tttenv.players.search.mcts_kernel import init_tree, run_iterations
from tttenv.players.search.search_result import Found, not_both, shorter, uniform_on
from tttenv.policy import Candidate, Explanation, Player, Traits
from tttenv.utils.arrays import at_least, one_at_a_time
from tttenv.utils.compile_time import now

SMALL = 9  # on boards of up to this many cells plain UCT is the default
ITERATIONS = 500  # per move, if no limit is set
SLICE = 2_000  # iterations between two checks of the clock and of Ctrl-C


class MonteCarlo(Player):
    """Player that uses Monte Carlo tree search; `search` reports on one board."""

    def __init__(
        self, rules: Rules, tree: kernel.Tree, iterations: int | None, time: float | None, seed: int
    ) -> None:
        require_line_wins(rules, "mcts")
        limit = None if time is None else "time"
        super().__init__(rules, Traits(depends_on=limit, searches=True, alone=True))
        self.tree, self.iterations, self.time = tree, iterations, time
        self.limit = time  # the seconds for the next move
        self.seed: Any = np.uint64(seed)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        probs = [self.search(board).probs for board in boards]
        return np.array(probs, np.float64).reshape(boards.shape)

    def limit_time(self, seconds: float | None) -> bool:
        """Search at most `seconds` for a move from now on, if there is the option `time`."""
        self.limit = shorter(self.time, seconds)
        return True

    @one_at_a_time
    def search(self, board: Boards) -> Found:
        """Search one undecided board (cells,).

        It plays the most visited move; ties go to the best results, then to the first row by row.
        With the solver, moves proven to be best come first, and proven losses last.
        """
        tree, done = self.tree, self._search_tree(board)
        best = self._ranked(0)[0]
        value = (tree.points[best] - tree.visits[best]) / (tree.visits[best] + 1.0)
        if tree.proof[best] != UNPROVEN:
            value = tree.proof[best]
        return Found(uniform_on([int(tree.move[best])], self.rules.cells), float(value), done)

    @one_at_a_time
    def explain(self, board: Boards) -> Explanation:
        """Search an undecided board (cells,) as when playing, and explain the move."""
        done = self._search_tree(board)
        return Explanation([self._candidate(node) for node in self._ranked(0).tolist()], done)

    def _candidate(self, node: int) -> Candidate:
        """Return a child of the root as a candidate move with its statistics."""
        tree, line = self.tree, [int(self.tree.move[node])]
        visits, proof = int(tree.visits[node]), int(tree.proof[node])
        value = (int(tree.points[node]) - visits) / visits if visits else None
        if proof != UNPROVEN:
            value = float(proof)
        while tree.child_count[node] and tree.visits[node := int(self._ranked(node)[0])]:
            line.append(int(tree.move[node]))
        return Candidate(line[0], value, visits=visits, line=tuple(line))

    def _ranked(self, node: int) -> Cells:
        """Return the children of a node (moves,), the best move first."""
        tree, first = self.tree, int(self.tree.first_child[node])
        children = slice(first, first + int(tree.child_count[node]))
        proof, visits = tree.proof[children], tree.visits[children]
        best_proof = -tree.proof[node] if tree.proof[node] != UNPROVEN else WON
        good = (proof == best_proof) * 2 + (proof != LOST) if tree.solver else 0 * proof
        order = np.lexsort((-tree.move[children], tree.points[children], visits, good))
        return first + order[::-1]

    def _search_tree(self, board: Boards) -> int:
        """Build the board's tree until a limit or a proof; return the number of iterations."""
        board = self.rules.check(board)
        init_tree(self.tree, board, self.seed)
        if self.rules.cells > SMALL:
            self._keep_forced_moves(board)
        deadline = None if self.limit is None else now() + self.limit
        done = 0
        while self.iterations is None or done < self.iterations:
            wanted = SLICE if self.iterations is None else min(SLICE, self.iterations - done)
            made = run_iterations(self.tree, wanted)
            done += made
            if made < wanted or (deadline is not None and now() >= deadline):
                break
        return done

    def _keep_forced_moves(self, board: Boards) -> None:
        """Remove from the root all but its wins, or else all but the blocks of threats, if any."""
        tree, first = self.tree, int(self.tree.first_child[0])
        children = slice(first, first + int(tree.child_count[0]))
        for side in (1, -1):
            forced = self.rules.winning_cells(board, side)
            kept = first + np.flatnonzero(forced[tree.move[children]])
            if kept.size:
                tree.child_count[0] = kept.size
                for array in (tree.move, tree.prior):
                    array[first : first + kept.size] = array[kept]
                break


def mcts(
    rules: Rules,
    iterations: int | None = None,
    c: float = 2**0.5,
    playouts: Literal["random", "tactical"] | None = None,
    heuristic: float | None = None,
    solver: bool = False,
    seed: int = 0,
    time: float | None = None,
    memory: int = 64,
) -> MonteCarlo:
    """Return a Monte Carlo tree search player (UCT), with 500 iterations per move by default.

    The output depends on the board alone: random numbers are seeded by the board and `seed`. On
    boards of more than 9 cells it completes a line if it can, else blocks one, and by default
    open lines and tactical play-outs guide it, since it visits each move there only a few times.

    Args:
        rules: the game.
        iterations: new positions per move, each valued once; 500 by default, unless the time is
            limited.
        c: the exploration constant of UCT, for results of 1 for a win and 0.5 for a draw.
        playouts: "random", or "tactical", which wins at once if it can and else blocks such a win;
            by default tactical on boards of more than 9 cells, else random.
        heuristic: weight of the open lines in the selection of moves with few visits; by default 1
            on boards of more than 9 cells, else 0.
        solver: back up proven results of finished games, and stop when the best move is proven.
        seed: seeds the random numbers, together with the board.
        time: seconds to search for a move; the player cannot be certified then.
        memory: maximum megabytes of the tree, which stops growing when it is full.

    Raises:
        ValueError: for a number that is too low, iterations and time together, more memory than
            there is, or a game in which a completed line does not win.
    """
    at_least(1, iterations=iterations, memory=memory)
    at_least(0, c=c, heuristic=heuristic, seed=seed)
    at_least(0.001, time=time)
    not_both(iterations=iterations, time=time)
    if iterations is None and time is None:
        iterations = ITERATIONS
    large = rules.cells > SMALL
    tactical = large if playouts is None else playouts == "tactical"
    bias = float(large) if heuristic is None else heuristic
    nodes = min(memory * 2**20 // kernel.NODE_BYTES, kernel.MAX_NODES)
    if iterations is not None:
        nodes = min(nodes, 1 + rules.cells * (iterations + 1))
    try:
        tree = kernel.new_tree(rules, nodes, c, bias, tactical, solver)
    except MemoryError:
        raise ValueError(
            f"this machine has too little memory for memory={memory} megabytes"
        ) from None
    return MonteCarlo(rules, tree, iterations, time, seed)
