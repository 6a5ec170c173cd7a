"""Adapter to alpha-zero-general: the same game, and certificates of its networks."""

import numpy as np
import pytest

import tttenv
from tttenv.adapters.alphazero_general import DRAW, Game, player

RULES = tttenv.Rules(3, 3, 3)


class Perfect:
    """Perfect network of the repository's shapes: (pi, v), with a pass as its last action."""

    def __init__(self, probs, passes):
        self.probs, self.passes = probs, passes

    def predict(self, board):
        """Return (pi, v) of a board (3, 3)."""
        assert board.shape == (3, 3)
        probs = self.probs(board.reshape(1, 9))[0] / 2
        return np.append(probs, 0.5) if self.passes else probs, 0.0


def test_the_game_has_all_5478_positions_and_their_known_ends():
    game = Game(RULES)
    found = {game.stringRepresentation(game.getInitBoard())}
    todo, ends = [(game.getInitBoard(), 1)], {1: 0, -1: 0, DRAW: 0}
    while todo:
        board, mover = todo.pop()
        end = game.getGameEnded(board, 1)
        assert game.getGameEnded(board, -1) == (end if end == DRAW else -end)
        if end:
            ends[end] += 1
            continue
        canonical = game.getCanonicalForm(board, mover)
        assert canonical.tolist() == (mover * board).tolist()
        for cell in np.flatnonzero(game.getValidMoves(board, mover)):
            after, other = game.getNextState(board, mover, cell)
            assert other == -mover
            assert after[divmod(cell, 3)] == mover
            if (key := game.stringRepresentation(after)) not in found:
                found.add(key)
                todo.append((after, other))
    assert len(found) == 5478
    assert ends == {1: 626, -1: 316, DRAW: 16}


@pytest.mark.parametrize(("size", "images"), [((3, 3, 3), 8), ((2, 4, 2), 4)])
def test_probabilities_move_with_the_board(size, images):
    game = Game(tttenv.Rules(*size))
    board = game.getInitBoard()
    board[0, 1], board[1, 1] = 1, -1
    found = game.getSymmetries(board, list(board.ravel() * 0.25))
    assert len(found) == images
    for image, pi in found:
        assert image.shape == game.getBoardSize()
        assert pi == (image.ravel() * 0.25).tolist()


@pytest.mark.parametrize("passes", [False, True])
@pytest.mark.parametrize("deterministic", [False, True])
def test_a_perfect_network_is_unbeatable(passes, deterministic):
    net = Perfect(tttenv.player("minimax"), passes)
    certificate = tttenv.certify(RULES, player(net, RULES, deterministic))
    assert certificate.worst_case == {"X": 0, "O": 0}
    assert certificate.blunders == 0


def test_an_indifferent_network_is_the_random_player():
    class Indifferent:
        def predict(self, board):
            return [0.1] * 10, [0.0]

    worst = tttenv.certify(RULES, player(Indifferent(), RULES)).worst_case
    assert worst == pytest.approx(tttenv.certify(RULES, "random").worst_case)


def test_what_is_wrong_is_said():
    game = Game(RULES)
    board, _ = game.getNextState(game.getInitBoard(), 1, 4)
    with pytest.raises(ValueError, match="cell 4 is taken"):
        game.getNextState(board, -1, 4)
    with pytest.raises(ValueError, match="1 or -1, not 0"):
        game.getValidMoves(board, 0)
    with pytest.raises(ValueError, match=r"\(3, 3\), not \(9,\)"):
        game.getGameEnded(board.ravel(), 1)
    with pytest.raises(ValueError, match="9 probabilities"):
        game.getSymmetries(board, [0.1] * 10)
    with pytest.raises(ValueError, match="has a method predict"):
        player(lambda board: board, RULES)

    class Narrow:
        def predict(self, board):
            return [0.125] * 8, 0.0

    with pytest.raises(ValueError, match=r"must have shape \(9,\), not"):
        player(Narrow(), RULES)(RULES.start(1))
