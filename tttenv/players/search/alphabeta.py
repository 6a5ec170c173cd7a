"""Alpha-beta player: exact where it can search to the end, guided by open lines elsewhere."""

from dataclasses import replace
from typing import Literal

import numpy as np

from tttenv.game import symmetry
from tttenv.game.line_patterns_kernel import PatternTables
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.transposition_kernel import ENTRY
from tttenv.game.types import Boards, Cells, Mask, Probs
from tttenv.players.search import alphabeta_kernel as kernel
from tttenv.players.search.alphabeta_kernel import (
    INFINITY,
    PROVEN,
    WIN_SCORE,
    RootSearch,
    SearchState,
)
from tttenv.players.search.search_budget import (
    SLICE,
    Budget,
    LimitError,
    Limits,
    ScoredMove,
    principal_variation,
    scored_moves,
)
from tttenv.players.search.search_result import Found, not_both, shorter, uniform_on
from tttenv.players.search.threat_search import THREATS, losing_moves, winning_attack
from tttenv.players.stored.patterns import LINES, read_tables
from tttenv.policy import Candidate, Explanation, Player, Traits
from tttenv.utils.arrays import at_least, one_at_a_time
from tttenv.utils.registry import Spec

FULL_DEPTH_CELLS = 20  # with at most this many empty cells, the search to the end comes early
FIRST_DEPTHS = 4  # depths in plies, from 1 to this, that are searched before
HALF_WIN_SCORE = 1000.0  # the open-line score that becomes the value 0.5
BY_THREATS = "it wins by threats and threes, which is proved before any other search"
UNPROVEN_WIN = 0.999  # the value of a win or loss found without trying every move


class IterativeDeepening:
    """Iterative deepening on a board with no immediate win and at most one threat to block.

    The `classes` are the moves to choose from: lists of images of each other, by their first move.
    """

    def __init__(
        self,
        state: SearchState,
        board: Boards,
        limits: Limits,
        classes: dict[int, list[int]],
        first: bool,
    ) -> None:
        self.state, self.limits, self.classes, self.first = state, limits, classes, first
        self.board = board
        self.empty = board.size - int(state.stones[0])
        self.budget = Budget(state.left, limits)
        self.losing: set[int] = set()  # moves left out, after which the other side wins by threats
        self.root: RootSearch | None = None

    def run(self) -> Found:
        """Search with increasing depth until a limit is reached or the result is proven."""
        scores = self.state.lines.move_score
        order = sorted(self.classes, key=lambda cell: (-scores[cell], cell))
        if self.state.threats > 0 and self.empty > FULL_DEPTH_CELLS:
            win = winning_attack(self.state, self.budget, self.board, order)
            if win is not None:
                return self._found([win], 1.0)
            if len(order) > 1:
                likely = order[: self.state.width]
                losing = losing_moves(self.state, self.budget, self.board, likely)
                kept = [cell for cell in order if cell not in losing]
                order, self.losing = (kept, losing) if kept else (order, set())
            kernel.start(self.state, self.board)
        order = order[: self.state.width]
        self.root = root = kernel.new_root_search(order, self._depths())
        try:
            self.budget.check()
            while not kernel.search_deeper(self.state, root, self.first, SLICE):
                self.budget.check()
        except LimitError:
            pass
        best, score = self._best(root)
        return self._found(best, self._value(score))

    def explain(self) -> Explanation:
        """Run the search, then search the first move of each class again for a score and a line."""
        found, nodes, root = self.run(), self.budget.spent, self.root
        if root is None:
            (win,) = np.flatnonzero(found.probs).tolist()
            return Explanation([Candidate(win, found.value, line=(win,))], nodes, BY_THREATS)
        best, score = self._best(root)
        moves = [*best, *(cell for cell in root.order.tolist() if cell not in best)]
        step, scored = int(root.progress[kernel.STEP]), dict[int, ScoredMove]()
        if step:
            limits = Limits(None, max(NODES, nodes), self.limits.time)
            depths, bound = root.depths[:step].tolist(), int(root.progress[kernel.FOUND_SCORE])
            scored = scored_moves(self.state, self.board, limits, moves, depths, bound)
        if score > -INFINITY:  # what decided
            last = step if self._cut_off(root) else step - 1
            for cell in best:
                line = scored[cell].line if cell in scored else (cell,)
                scored[cell] = ScoredMove(score, False, int(root.depths[last]), line)
        moves[len(best) :] = sorted(
            (cell for cell in moves[len(best) :] if cell in scored),
            key=lambda cell: -scored[cell].score,
        )
        candidates = [self._candidate(cell, scored.get(cell)) for cell in moves]
        losing = [Candidate(cell, -1.0, line=(cell,)) for cell in sorted(self.losing)]
        return Explanation([*candidates, *losing], nodes)

    def _candidate(self, cell: int, scored: ScoredMove | None) -> Candidate:
        if scored is None:
            return Candidate(cell)
        stones, score = None, scored.score
        if abs(score) > PROVEN:
            plies = WIN_SCORE - abs(score) - int(self.state.stones[0])
            stones = (plies + 1) // 2
        value = self._value(score)
        return Candidate(cell, value, scored.at_most, stones, scored.depth, line=scored.line)

    def _best(self, root: RootSearch) -> tuple[list[int], int]:
        """Return the best moves of the depth that decides, see `_cut_off`, and their score."""
        progress = root.progress
        if self._cut_off(root):
            return root.best[: progress[kernel.BEST]].tolist(), int(progress[kernel.SCORE])
        return root.found[: progress[kernel.FOUND]].tolist(), int(progress[kernel.FOUND_SCORE])

    def _cut_off(self, root: RootSearch) -> bool:
        """Return whether an interrupted depth counts: with `threats`, after its first move."""
        return bool(self.state.threats > 0 and root.progress[kernel.BEST] > 0)

    def _found(self, best: list[int], value: float) -> Found:
        moves = best[:1] if self.first else [c for cell in best for c in self.classes[cell]]
        return Found(uniform_on(moves, self.board.size), value, self.budget.spent)

    def _depths(self) -> list[int]:
        """Return the depths to search, in plies: increasing by one, then the whole game.

        The last ones before it are skipped where a better move order saves less than they cost.
        """
        last = min(self.limits.depth or self.empty, self.empty)
        end = last
        if last == self.empty:
            end = FIRST_DEPTHS + 1 if last <= FULL_DEPTH_CELLS else last // 2
        return [*range(1, min(end, last)), last]

    def _value(self, score: int) -> float:
        """Convert a score to a value from -1 to 1."""
        if abs(score) > PROVEN:
            sure = 1.0 if self.state.width >= self.empty else UNPROVEN_WIN
            return sure if score > 0 else -sure
        return score / (abs(score) + HALF_WIN_SCORE)


NODES = 200_000  # positions searched for a move, if no limit is given
SMALL = 36  # on boards of up to this many cells every move is tried
LARGE = 100  # from this many cells on, the search looks for wins by threats,
MEDIUM = 81  # or from this many if positions or seconds are limited,
LEAST_K = 4  # and only for lines of at least this length
WIDTH = 20  # moves tried at each position on larger boards
COMPLETES = "it completes a line at once, without a search"
TWO_THREATS = "the other side threatens to complete lines on two cells: one is blocked"
ONE_THREAT = "the other side threatens to complete a line: all other moves lose at once"


class AlphaBeta(Player):
    """A player that uses alpha-beta search; `search` returns the value as well."""

    def __init__(
        self,
        rules: Rules,
        limits: Limits,
        memory: int,
        width: int,
        first: bool,
        threats: int,
        tables: PatternTables | None = None,
    ) -> None:
        require_line_wins(rules, "alphabeta")
        # Scores at a depth do not depend on the order of moves; where a search is cut off does.
        orderless = limits.nodes is None and limits.time is None and threats == 0
        traits = Traits(
            depends_on=None if limits.time is None else "time",
            searches=True,
            alone=True,
            equivariant=orderless and not first and width >= rules.cells,
        )
        super().__init__(rules, traits)
        self.limits, self.first, self.time = limits, first, limits.time
        self.estimates = "open lines" if tables is None else "a network"
        self.maps = symmetry.maps(rules)
        entries = min(memory * 2**20 // ENTRY.itemsize, 3 ** min(rules.cells, 30))
        if limits.nodes is not None:
            entries = min(entries, 4 * limits.nodes)
        self.state = kernel.new_search_state(
            rules, entries, width, threats, tables, keep_table=limits.time is not None
        )

    @one_at_a_time
    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        boards = self.rules.check_all(boards)
        moves, searched = self._moves(boards)
        probs: Probs = moves / moves.sum(axis=1, keepdims=True)
        for row in searched.tolist():
            search = self._deepening(boards[row], moves[row])
            if len(search.classes) > 1:
                probs[row] = search.run().probs
            elif self.first:
                probs[row] = uniform_on(list(search.classes), self.rules.cells)
        return probs

    def limit_time(self, seconds: float | None) -> bool:
        """Search at most `seconds` for a move from now on, if there is the option `time`."""
        self.limits = replace(self.limits, time=shorter(self.time, seconds))
        return True

    @one_at_a_time
    def search(self, board: Boards) -> Found:
        """Search one undecided board (cells,); others raise ValueError."""
        board = self.rules.check(board)
        moves, _ = self._moves(board[None])
        won, threats = (self.rules.winning_cells(board, side).sum() for side in (1, -1))
        if won or threats > 1:
            return Found(moves[0] / moves.sum(), 1.0 if won else -1.0, 1)
        return self._deepening(board, moves[0]).run()

    @one_at_a_time
    def explain(self, board: Boards) -> Explanation:
        """Search an undecided board (cells,) as when playing, then compare its moves as long."""
        board = self.rules.check(board)
        moves = self._moves(board[None])[0][0]
        won, threats = (self.rules.winning_cells(board, side).sum() for side in (1, -1))
        if won or threats > 1:
            value, note = (1.0, COMPLETES) if won else (-1.0, TWO_THREATS)
            kernel.start(self.state, board)
            cells = np.flatnonzero(moves).tolist()
            lines = [principal_variation(self.state, board, cell) for cell in cells]
            ends = [Candidate(line[0], value, stones=1, line=line) for line in lines]
            return Explanation(ends, None, note)
        search, maps = self._deepening(board, moves), self._own_maps(board)
        found, candidates = search.explain(), []
        for one in found.candidates:
            for cell in search.classes[one.cell]:
                image = maps[(maps[:, one.cell] == cell).argmax()]
                line = tuple(image[list(one.line)].tolist())
                candidates.append(one._replace(cell=cell, line=line))
        note = ONE_THREAT if threats else found.note
        return found._replace(candidates=candidates, note=note, estimates=self.estimates)

    def _moves(self, boards: Boards) -> tuple[Mask, Cells]:
        """Return all wins, else all blocks, else all empty cells (batch, cells).

        The rows without a win and a threat, which alone need a search, come with them.
        """
        wins, blocks = (self.rules.winning_cells(boards, side) for side in (1, -1))
        won, threatened = wins.any(axis=1), blocks.any(axis=1)
        moves: Mask = np.equal(boards, 0)
        moves[threatened] = blocks[threatened]
        moves[won] = wins[won]
        at_once: Mask = np.logical_or(won, threatened)
        if self.first:
            later = moves.cumsum(axis=1) > 1
            moves &= ~(at_once[:, None] & later)
        return moves, np.flatnonzero(~at_once)

    def _deepening(self, board: Boards, moves: Mask) -> IterativeDeepening:
        """Prepare the search of a board (cells,) for the best of the marked moves (cells,)."""
        own, cells = self._own_maps(board), np.flatnonzero(moves).tolist()
        classes = {cell: [cell] for cell in cells}
        if len(own) > 1:
            images = {cell: sorted(set(own[:, cell].tolist())) for cell in cells}
            classes = {cell: same for cell, same in images.items() if same[0] == cell}
        kernel.start(self.state, board)
        return IterativeDeepening(self.state, board, self.limits, classes, self.first)

    def _own_maps(self, board: Boards) -> Cells:
        """Return the symmetries (maps, cells) that leave a board (cells,) unchanged."""
        own: Cells = self.maps[(board[self.maps] == board).all(axis=1)]
        return own


def alphabeta(
    rules: Rules,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    memory: int = 64,
    width: int | None = None,
    ties: Literal["uniform", "first"] = "uniform",
    threats: int | None = None,
    evaluator: Spec = LINES,
) -> AlphaBeta:
    """Return a player with iterative deepening alpha-beta and an open-line heuristic.

    Where it can search to the end, without options on boards up to 4 by 4, it is exact and prefers
    the fastest win and the slowest loss. Otherwise it plays the best move of the last depth that it
    finished. Several limits may be set; without any it searches 200,000 positions for a move.

    Args:
        rules: the game.
        depth: plies to search; blocks of threats are not counted.
        nodes: positions to search for a move.
        time: seconds to search for a move; the player cannot be certified then. It
            keeps its transposition table from move to move.
        memory: megabytes of the transposition table, at the most.
        width: how many moves to try at each position, those on the best open lines first; by
            default all on boards up to 36 cells, 20 on larger ones.
        threats: tried in each search for a win by single threats. Before the search itself, up to
            half of the limits goes to wins by threats and threes, of its own and of the other side;
            such a win is proved, but may not be the fastest. The search is then selective where it
            does not reach the end of the game: late moves are searched less deep at first, and a
            limit may cut off a depth whose best move is played. 0 for neither; by default 30 for
            four or more in a row on boards of 100 cells and more, and of 81 and more unless
            `depth` is the only limit, else 0.
        ties: among equally good moves, "uniform" mixes evenly, "first" takes the first row by row.
        evaluator: what scores the positions at which a search ends: "lines", or a network of the
            learner `patterns`, given by a trained player's name or folder, for any board with its
            k.

    Raises:
        ValueError: for a number that is too low, nodes and time together, more memory than there
            is, an evaluator that is not found, or a game in which a completed line does not win.
    """
    at_least(1, depth=depth, nodes=nodes, memory=memory, width=width)
    at_least(0, threats=threats)
    at_least(0.001, time=time)
    not_both(nodes=nodes, time=time)
    if depth is None and nodes is None and time is None:
        nodes = NODES
    tables = None if evaluator == LINES else read_tables(evaluator, rules)
    return new_alphabeta(rules, Limits(depth, nodes, time), memory, width, ties, threats, tables)


def new_alphabeta(
    rules: Rules,
    limits: Limits,
    memory: int,
    width: int | None,
    ties: Literal["uniform", "first"],
    threats: int | None,
    tables: PatternTables | None,
) -> AlphaBeta:
    """Return `alphabeta(...)` with limits that are known to be valid, and a network's tables.

    Raises:
        ValueError: for more memory than there is, or a game in which a completed line does not win.
    """
    if width is None:
        width = rules.cells if rules.cells <= SMALL else WIDTH
    if threats is None:
        least = LARGE if limits.nodes is None and limits.time is None else MEDIUM
        threats = THREATS if rules.cells >= least and rules.k >= LEAST_K else 0
    if rules.k < 3:
        threats = 0  # every stone threatens
    try:
        return AlphaBeta(rules, limits, memory, width, ties == "first", threats, tables)
    except MemoryError:
        raise ValueError(
            f"this machine has too little memory for memory={memory} megabytes"
        ) from None
