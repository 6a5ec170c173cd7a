"""Alpha-beta to a depth against a plain negamax, in any order of moves."""

import numpy as np
import pytest
from reference import random_game, spell, view

from tttenv import Rules, player
from tttenv.exact import positions
from tttenv.game.open_lines_kernel import new_open_lines, set_board, stones_needed
from tttenv.players.search.alphabeta import IterativeDeepening
from tttenv.players.search.alphabeta_kernel import LEAST_DEPTH, WIN_SCORE, start
from tttenv.players.search.search_budget import Budget, Limits, score_move
from tttenv.players.search.threat_search import losing_moves, winning_attack


class Negamax:
    """Plain negamax over every move of every position, as the kernel's docstring defines it."""

    def __init__(self, rules):
        self.rules = rules
        self.lines = new_open_lines(rules)

    def root(self, board, depth):
        """Return the score of each move of a board that is not won or lost at once."""
        threats = self.wins(-board)
        moves = threats or np.flatnonzero(board == 0).tolist()
        return {cell: -self.score(self.after(board, cell), depth - 1) for cell in moves}

    def score(self, board, depth):
        """Return the score for the side to move, which cannot win at once."""
        stones = np.count_nonzero(board)
        threats = self.wins(-board)
        if len(threats) > 1:
            return stones + 2 - WIN_SCORE
        lower, upper = self.bounds(board, stones)
        if lower == upper == 0:
            return 0
        if depth <= 0 and not threats:
            return min(max(int(self.lines.evaluation[0]), lower), upper)
        moves = threats or np.flatnonzero(board == 0).tolist()
        left = depth if threats else depth - 1
        best = max(-self.score(self.after(board, cell), left) for cell in moves)
        return min(max(best, lower), upper)

    def bounds(self, board, stones):
        """Return the scores of the quickest loss and the quickest win that the open lines allow."""
        set_board(self.lines, board)
        mine, theirs = (stones_needed(self.lines, side) for side in (0, 1))
        empty, win, loss = len(board) - stones, max(3, 2 * mine - 1), max(4, 2 * theirs)
        return (
            stones + loss - WIN_SCORE if loss <= empty else 0,
            WIN_SCORE - stones - win if win <= empty else 0,
        )

    def wins(self, board):
        """Return the cells where the side with the stones 1 completes a line."""
        held = (board[self.rules.lines] == 1).sum(axis=1)
        open_ = (board[self.rules.lines] == 0).sum(axis=1)
        ready = self.rules.lines[(held == self.rules.k - 1) & (open_ == 1)]
        return sorted({int(cell) for line in ready for cell in line if board[cell] == 0})

    @staticmethod
    def after(board, cell):
        """Return the board after a move, in the other side's view."""
        board = board.copy()
        board[cell] = 1
        return -board


def quiet_boards(rules, least, most):
    """Return boards of random games with this many empty cells, without an immediate result."""
    texts = [text for seed in range(60) for text in random_game(rules, seed)[0]]
    boards = [np.array(view(text), np.int8) for text in dict.fromkeys(texts)]
    plain = Negamax(Rules(*rules))
    quiet = [
        board
        for board in boards
        if least <= np.count_nonzero(board == 0) <= most
        and not Rules(*rules).over(board[None])[0]
        and not plain.wins(board)
        and len(plain.wins(-board)) < 2
    ]
    return quiet[:25]


GAMES = [((3, 3, 3), 3, 9), ((4, 4, 3), 6, 10), ((5, 5, 4), 8, 11)]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(("rules", "least", "most"), GAMES, ids=[spell(game) for game, *_ in GAMES])
def test_its_moves_and_scores_are_those_of_a_plain_negamax(rules, least, most, depth):
    policy, plain = player(f"alphabeta:depth={depth}", Rules(*rules)), Negamax(Rules(*rules))
    boards = quiet_boards(rules, least, most)
    assert len(boards) > 10
    for board in boards:
        found, scores = policy.search(board), plain.root(board, depth)
        best = max(scores.values())
        search = IterativeDeepening(policy.state, board, policy.limits, {}, False)
        assert found.value == search._value(best)
        expected = [cell for cell, score in scores.items() if score == best]
        if len(scores) > 1:
            assert np.flatnonzero(found.probs).tolist() == expected


@pytest.mark.parametrize("rules", [(5, 5, 4), (7, 7, 5)], ids=spell)
def test_principal_variation_search_gives_the_scores_of_plain_alpha_beta(rules):
    """In a null window it is plain alpha-beta, and two of them prove the score of a move."""
    game, depth = Rules(*rules), LEAST_DEPTH  # the root's move counts: no late move is reduced
    policy = player(f"alphabeta:depth={depth},threats=30,width={game.cells}", game)
    state, budget = policy.state, Budget(policy.state.left, Limits(None, None, None))
    distinct = set()
    for board in quiet_boards(rules, 14, 40)[::2]:
        if Negamax(game).wins(-board):
            continue
        scores = {}
        for cell in np.flatnonzero(board == 0).tolist():
            start(state, board)
            score = scores[cell] = score_move(state, budget, cell, -WIN_SCORE, depth)
            for alpha in (score - 1, score):
                start(state, board)
                bound = score_move(state, budget, cell, alpha, depth, alpha + 1)
                assert (bound > alpha) == (score > alpha)
        distinct |= set(scores.values())
        found, best = policy.search(board), max(scores.values())
        if found.nodes > 1 and abs(found.value) < 0.99:
            assert np.flatnonzero(found.probs).tolist() == [c for c in scores if scores[c] == best]
    assert len(distinct) > 20


def test_a_table_kept_from_search_to_search_changes_no_result_of_a_search_to_the_end():
    """On every board of a game in any order, whichever side is to move."""
    game = Rules(3, 3, 3)
    fresh, kept = player("alphabeta", game), player("alphabeta:time=1000", game)
    boards = np.array(positions(game).boards)
    boards = boards[~game.over(boards)]
    for board in np.random.default_rng(0).permutation(boards):
        expected, found = fresh.search(board), kept.search(board)
        assert (found.value, found.probs.tolist()) == (expected.value, expected.probs.tolist())


def test_a_kept_table_changes_no_search_for_a_win_by_threats():
    """Neither after searches for a move nor after those for the other side."""
    game = Rules(6, 6, 4)
    policies = [player(f"alphabeta:depth=3,threats=30{more}", game) for more in ("", ",time=1000")]
    seen = set()
    for board in quiet_boards((6, 6, 4), 16, 30):
        moves, answers = np.flatnonzero(board == 0).tolist(), []
        for policy in policies:
            policy.search(board)
            budget = Budget(policy.state.left, Limits(None, None, None))
            sides = [winning_attack(policy.state, budget, view, moves) for view in (board, -board)]
            answers.append((sides, losing_moves(policy.state, budget, board, moves)))
        assert answers[0] == answers[1]
        (win, other), losing = answers[0]
        seen |= {("win", win is None), ("other", other is None), ("losing", len(losing) > 0)}
    assert len(seen) == 6
