"""Adapter for alpha-zero-general: its networks as players, without importing that repository."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Observed, from_observations
from tttenv.utils.arrays import answered_numbers


class Net(Protocol):
    """A network with a `predict` method, such as alpha-zero-general's `NeuralNet`."""

    def predict(self, board: Boards, /) -> tuple[Any, Any]:
        """Return move probabilities (cells,) or (cells + 1,), and a value, for a board (m, n)."""
        ...


def player(net: Net, rules: Rules, deterministic: bool = False) -> Observed:
    """Return a player that follows a network's move probabilities, without search.

    Args:
        net: any object whose `predict(board)` returns `(pi, v)`. The board (m, n) is in canonical
            form, int8; `pi` has one probability for each cell, or one more for a pass, as in the
            repository's `TicTacToeGame`, which is ignored. `v` is not used.
        rules: the game.
        deterministic: play the likeliest legal cell instead of sampling.

    Raises:
        ValueError: for an object without `predict`; when queried, if that returns something else.
    """
    if not callable(getattr(net, "predict", None)):
        raise ValueError(f"a network of alpha-zero-general has a method predict, unlike {net!r}")

    def probabilities(boards: Boards) -> NDArray[np.float64]:
        found = np.zeros(boards.shape)
        for row, board in zip(found, boards, strict=True):
            answer = net.predict(board.reshape(rules.m, rules.n).copy())
            if not isinstance(answer, tuple | list) or len(answer) != 2:
                raise ValueError("predict returns (pi, v): move probabilities and a value")
            pi = answered_numbers(answer[0], "pi of predict")
            if pi.shape not in ((rules.cells,), (rules.cells + 1,)):
                raise ValueError(f"pi must have shape ({rules.cells},), not {pi.shape}")
            row[:] = pi[: rules.cells]
        return found

    kind = "values" if deterministic else "probs"
    return from_observations(probabilities, rules, obs="board", kind=kind)
