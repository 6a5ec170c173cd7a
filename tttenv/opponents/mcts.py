"""Monte Carlo tree search as a player: UCT with play-outs, its dice seeded by the board."""

from time import monotonic
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.kernels import mcts as trees
from tttenv.kernels.mcts import iterate, plant
from tttenv.kernels.types import Boards, Probs
from tttenv.opponents.search_result import Found, at_least, not_both, uniform_on

ITERATIONS = 500  # where no limit is given
SLICE = 2_000  # iterations between two looks at the clock, and at Ctrl-C


class MonteCarlo:
    """The player that `mcts` makes: `search` says what it finds, `visits` what it tried."""

    def __init__(
        self, rules: Rules, tree: trees.Tree, iterations: int | None, time: float | None, seed: int
    ) -> None:
        self.rules, self.tree, self.iterations, self.time = rules, tree, iterations, time
        self.seed: Any = np.uint64(seed)
        self.impure = "time" if time is not None else None

    def __call__(self, boards: Boards) -> Probs:
        """Move probabilities (batch, cells) for boards (batch, cells)."""
        probs = [self.search(board).probs for board in boards]
        return np.array(probs, np.float64).reshape(boards.shape)

    def search(self, board: Boards) -> Found:
        """What it finds out about one undecided board (cells,).

        The move is the one most often tried, of these the one with the best results, of these the
        first row by row; with the solver, one proven to be best goes before and lost ones go last.

        Raises:
            ValueError: for a board that is finished or cannot be reached.
        """
        tree, done = self.tree, self._grow(board)
        moves = self._moves()
        proof, visits, points = tree.proof[moves], tree.visits[moves], tree.points[moves]
        best_proof = 2 - tree.proof[0] if tree.proof[0] != trees.UNKNOWN else trees.WIN
        good = (proof == best_proof) * 2 + (proof != trees.LOSS) if tree.solver else 0 * proof
        best = np.lexsort((-tree.cell[moves], points, visits, good))[-1]
        value = (points[best] - visits[best]) / (visits[best] + 1.0)
        if proof[best] != trees.UNKNOWN:
            value = proof[best] - 1.0
        return Found(
            uniform_on([int(tree.cell[moves][best])], self.rules.cells), float(value), done
        )

    def visits(self, board: Boards) -> NDArray[np.int64]:
        """How often each move (cells,) is tried on one undecided board (cells,).

        Raises:
            ValueError: for a board that is finished or cannot be reached.
        """
        self._grow(board)
        counts = np.zeros(self.rules.cells, np.int64)
        counts[self.tree.cell[self._moves()]] = self.tree.visits[self._moves()]
        return counts

    def _moves(self) -> slice:
        """The children of the root."""
        return slice(int(self.tree.first[0]), int(self.tree.first[0] + self.tree.many[0]))

    def _grow(self, board: Boards) -> int:
        """Grow the tree of this board until a limit or a proof, and count the iterations."""
        plant(self.tree, self.rules.check(board), self.seed)
        deadline = None if self.time is None else monotonic() + self.time
        done = 0
        while self.iterations is None or done < self.iterations:
            wanted = SLICE if self.iterations is None else min(SLICE, self.iterations - done)
            made = iterate(self.tree, wanted)
            done += made
            if made < wanted or (deadline is not None and monotonic() >= deadline):
                break
        return done


def mcts(
    rules: Rules,
    iterations: int | None = None,
    c: float = 2**0.5,
    playouts: Literal["random", "tactical"] = "random",
    heuristic: float = 0.0,
    solver: bool = False,
    seed: int = 0,
    time: float | None = None,
    memory: int = 64,
) -> MonteCarlo:
    """Monte Carlo tree search: UCT with 500 play-outs a move, unless told otherwise.

    The same board gets the same answer: its dice are seeded by the board and by `seed`.

    Args:
        rules: the game.
        iterations: play-outs a move; 500 if neither they nor the time is limited.
        c: how much UCT explores; results count 1 for a win and half for a draw.
        playouts: "random", or "tactical", which wins at once if it can and else blocks such a win.
        heuristic: how much open lines draw the search to a move before it has been tried often.
        solver: hand up what the end of the game proves, and stop when the best move is proven.
        seed: for other dice.
        time: seconds to think about a move; the player is then impure and cannot be certified.
        memory: megabytes that the tree may take; when it is full, it grows no more.

    Raises:
        ValueError: for limits that make no sense.
    """
    at_least(1, iterations=iterations, memory=memory)
    at_least(0, c=c, heuristic=heuristic, seed=seed)
    at_least(0.001, time=time)
    not_both(iterations=iterations, time=time)
    if iterations is None and time is None:
        iterations = ITERATIONS
    nodes = min(memory * 2**20 // trees.NODE_BYTES, trees.MOST_NODES)
    if iterations is not None:
        nodes = min(nodes, 1 + rules.cells * (iterations + 1))
    shape = (rules.m, rules.n, rules.k)
    try:
        tree = trees.tree(shape, rules.lines, nodes, c, heuristic, playouts == "tactical", solver)
    except MemoryError:
        raise ValueError(f"there is no room for memory={memory} megabytes") from None
    return MonteCarlo(rules, tree, iterations, time, seed)
