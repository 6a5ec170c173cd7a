"""Tree search player: the search of Gumbel AlphaZero, guided by play-outs or open lines."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_patterns_kernel import PatternTables, new_line_patterns
from tttenv.game.open_lines_kernel import new_open_lines
from tttenv.game.rollouts_kernel import playground
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Probs
from tttenv.players.search import evaluators_kernel
from tttenv.players.search.gumbel_search import CONSIDERED, SETTINGS, Evaluate, Floats, GumbelSearch
from tttenv.players.search.search_result import Found, at_least, uniform_on
from tttenv.players.search.threat_search import Forced, ThreatSearch
from tttenv.players.stored.patterns import LINES, read_tables
from tttenv.policy import Candidate, Explanation, Player, Traits
from tttenv.utils.arrays import one_at_a_time
from tttenv.utils.registry import Spec

SIMULATIONS = 200  # default number per move
TOGETHER = 64  # maximum boards searched in parallel
LARGEST_TREE = 2_000_000  # simulations times cells
NOT_FORCED = Forced(None, [])
LEFT_OUT = -1e6  # replaces the Gumbel noise of a move that is to come last
BY_THREATS = "it wins by threats and threes, which is proved before the tree search"
EVALUATORS = (LINES, "playouts", "tactical")  # without a network


class GumbelPlayer(Player):
    """A player that uses tree search, guided by an evaluator or a checkpoint's network.

    Args:
        rules: the game.
        search: the tree search.
        alone: whether its evaluator, and so the player, gives the same bits for a board whatever
            else is in the batch; a network does not.
        threes: positions searched for wins by threats and threes before the tree search of a board;
            0 for none. Such a win is played, moves that lose to one are left out of the search.
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
    evaluator: Spec = LINES,
    considered: int = CONSIDERED,
    threats: int = SETTINGS.threats,
    threes: int = 0,
    playouts: int = 8,
    seed: int = 0,
) -> GumbelPlayer:
    """Return a tree search player: Gumbel at the root, PUCT below it, and proven results.

    The output depends on the board alone.

    Args:
        rules: the game.
        simulations: the number per move.
        evaluator: "lines" values a position by its open lines; "playouts" by the mean result of
            random play-outs, "tactical" of those that win at once if they can and else block. A
            network of the learner `patterns` is given by a trained player's name or folder; the
            priors are then those of "lines".
        considered: number of root moves with which the search begins.
        threats: maximum threats tried in the search for a win by threats at each position; 0 for
            none.
        threes: positions searched for wins by threats and threes before the tree search of a board,
            half of them for such wins of the other side; 0 for none.
        playouts: the number from each position.
        seed: seeds the play-outs, together with the board.

    Raises:
        ValueError: for a limit out of range, or an evaluator that cannot be read or is for another
            k.
    """
    at_least(1, considered=considered, playouts=playouts)
    at_least(0, threats=threats, threes=threes, seed=seed)
    evaluate: Evaluate = LineEvaluator(rules)
    if evaluator not in EVALUATORS:
        evaluate = PatternEvaluator(rules, read_tables(evaluator, rules, EVALUATORS))
    elif evaluator != LINES:
        evaluate = PlayoutEvaluator(rules, playouts, evaluator == "tactical", seed)
    settings = replace(SETTINGS, threats=threats)
    search = GumbelSearch(
        rules,
        evaluate,
        checked_simulations(rules, simulations),
        side_by_side(rules, simulations),
        considered,
        settings,
    )
    return GumbelPlayer(rules, search, alone=True, threes=threes)


def checked_simulations(rules: Rules, simulations: int) -> int:
    """Check that a tree of this many simulations fits into memory, and return the number."""
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
    """Evaluates positions by their open lines; see the kernel."""

    def __init__(self, rules: Rules) -> None:
        self.lines = new_open_lines(rules.lines, rules.cells)

    def __call__(self, boards: Boards) -> tuple[Floats, Floats]:
        """Return logits (batch, cells) and values (batch,) for boards (batch, cells)."""
        logits = np.zeros(boards.shape, np.float32)
        values = np.zeros(len(boards), np.float32)
        evaluators_kernel.evaluate_by_lines(boards, self.lines, logits, values)
        return logits, values


class PatternEvaluator:
    """Evaluates positions by a network of line patterns, with the priors of open lines."""

    def __init__(self, rules: Rules, tables: PatternTables) -> None:
        self.by_lines = LineEvaluator(rules)
        self.net = new_line_patterns(rules, tables)

    def __call__(self, boards: Boards) -> tuple[Floats, Floats]:
        """Return logits (batch, cells) and values (batch,) for boards (batch, cells)."""
        logits, values = self.by_lines(boards)
        evaluators_kernel.evaluate_by_patterns(boards, self.net, values)
        return logits, values


class PlayoutEvaluator:
    """Evaluates positions by the mean result of play-outs, with uniform priors; see the kernel."""

    def __init__(self, rules: Rules, count: int, tactical: bool, seed: int) -> None:
        self.room = playground(rules)
        self.count, self.tactical, self.seed = count, tactical, seed

    def __call__(self, boards: Boards) -> tuple[Floats, Floats]:
        """Return logits (batch, cells) and values (batch,) for boards (batch, cells)."""
        values, start = np.zeros(len(boards), np.float32), cast("Any", np.uint64(self.seed))
        evaluators_kernel.evaluate_by_playouts(
            boards, self.room, self.count, self.tactical, start, values
        )
        return np.zeros(boards.shape, np.float32), values
