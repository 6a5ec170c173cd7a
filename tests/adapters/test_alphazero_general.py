"""Adapter to alpha-zero-general: certificates of its networks."""

import numpy as np
import pytest

import tttenv
from tttenv.adapters.alphazero_general import player

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
