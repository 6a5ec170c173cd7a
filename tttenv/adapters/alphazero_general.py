"""Adapter for alpha-zero-general: our games for its self-play, its networks as players.

`Game` has the methods of `Game` in github.com/suragnair/alpha-zero-general, for its self-play on
any board. `player` turns its networks into players. Neither imports that repository.

    from tttenv.adapters import alphazero_general

    net = NNetWrapper(alphazero_general.Game(rules))  # or TicTacToeGame(3) of the repository
    net.load_checkpoint("temp", "best.pth.tar")
    print(tttenv.certify(rules, alphazero_general.player(net, rules)).worst_case)
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards
from tttenv.policy import Observed, from_observations
from tttenv.utils.arrays import answered_numbers

DRAW = 1e-4  # what `Game.getGameEnded` returns for a draw, since 0 means that the game goes on


class Net(Protocol):
    """A network with a `predict` method, such as alpha-zero-general's `NeuralNet`."""

    def predict(self, board: Boards, /) -> tuple[Any, Any]:
        """Return move probabilities (cells,) or (cells + 1,), and a value, for a board (m, n)."""
        ...


class Game:
    """An m,n,k-game with the methods of alpha-zero-general's `Game`.

    Boards are int8 arrays (m, n): 1 for the first player's stones, -1 for the second's. A player is
    1 or -1. Actions are cells, numbered row by row; there is no pass.

    Args:
        rules: the game, 3,3,3 by default.
    """

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()

    def getInitBoard(self) -> Boards:  # noqa: N802
        """Return the empty board (m, n)."""
        return self.rules.start().reshape(self.getBoardSize())

    def getBoardSize(self) -> tuple[int, int]:  # noqa: N802
        """Return the numbers of rows and columns."""
        return self.rules.m, self.rules.n

    def getActionSize(self) -> int:  # noqa: N802
        """Return the number of cells."""
        return self.rules.cells

    def getNextState(self, board: ArrayLike, player: int, action: int) -> tuple[Boards, int]:  # noqa: N802
        """Return the board (m, n) after a player's move, and the next player.

        Raises:
            ValueError: for a cell that is off the board or taken.
        """
        after = self.rules.play(self._seen(board, player), action)  # seen by the other player
        return self._absolute(after, -player), -player

    def getValidMoves(self, board: ArrayLike, player: int) -> NDArray[np.int64]:  # noqa: N802
        """Return the mask of legal moves (cells,): 1 for empty cells, 0 for occupied ones."""
        valid: NDArray[np.int64] = (self._seen(board, player) == 0).astype(np.int64)
        return valid

    def getGameEnded(self, board: ArrayLike, player: int) -> float:  # noqa: N802
        """Return 1 if the player has won, -1 if it has lost, `DRAW` for a draw and 0 otherwise."""
        mine = self._seen(board, player)
        if self.rules.lost(-mine):
            return 1
        if self.rules.lost(mine):
            return -1
        return DRAW if mine.all() else 0

    def getCanonicalForm(self, board: ArrayLike, player: int) -> Boards:  # noqa: N802
        """Return the board (m, n) with 1 for the player's stones and -1 for the opponent's."""
        return self._absolute(self._seen(board, player), 1)

    def getSymmetries(  # noqa: N802
        self, board: ArrayLike, pi: Sequence[float] | NDArray[Any]
    ) -> list[tuple[Boards, list[float]]]:
        """Return all symmetric images of a board (m, n), each with its probabilities (cells,).

        There are eight on square boards and four on others.

        Raises:
            ValueError: unless there is one probability for each cell.
        """
        flat, probs = self._seen(board, 1), np.asarray(pi)
        if probs.shape != flat.shape:
            raise ValueError(f"pi holds {flat.size} probabilities, not shape {probs.shape}")
        return [
            (self._absolute(flat[image], 1), probs[image].tolist()) for image in maps(self.rules)
        ]

    def stringRepresentation(self, board: ArrayLike) -> bytes:  # noqa: N802
        """Return the board's bytes, the key of a position in a search tree."""
        return self._seen(board, 1).tobytes()

    def _seen(self, board: ArrayLike, player: int) -> Boards:
        """Return the board (cells,) from a player's view: 1 own stone, -1 opponent's, 0 empty."""
        if player not in (1, -1):
            raise ValueError(f"player must be 1 or -1, not {player!r}")
        if np.shape(board) != self.getBoardSize():
            raise ValueError(
                f"a board of {self.rules} is {self.getBoardSize()}, not {np.shape(board)}"
            )
        return self.rules.boards(np.reshape(board, -1)) * np.int8(player)

    def _absolute(self, cells: Boards, player: int) -> Boards:
        """Convert cells (cells,) from a player's perspective to a board (m, n)."""
        return (cells * np.int8(player)).reshape(self.getBoardSize())


def player(net: Net, rules: Rules, deterministic: bool = False) -> Observed:
    """Return a player that follows a network's move probabilities, without search.

    Args:
        net: any object whose `predict(board)` returns `(pi, v)`. The board (m, n) is in canonical
            form, int8; `pi` has one probability for each cell, or one more for a pass, as in the
            repository's `TicTacToeGame`, which is ignored. `v` is not used.
        rules: the game.
        deterministic: play the legal cell with the highest probability instead of sampling.

    Raises:
        ValueError: if there is no `predict`; when the player is called, if `pi` has another shape.
    """
    if not callable(getattr(net, "predict", None)):
        raise ValueError(f"a network of alpha-zero-general has a method predict, unlike {net!r}")

    def probabilities(boards: Boards) -> NDArray[np.float64]:
        """Return the network's move probabilities (batch, cells), without the pass."""
        answers = [_move_probabilities(net, board, rules) for board in boards]
        return np.array(answers).reshape(boards.shape)

    kind = "values" if deterministic else "probs"
    return from_observations(probabilities, rules, obs="board", kind=kind)


def _move_probabilities(net: Net, board: Boards, rules: Rules) -> NDArray[np.float64]:
    """Return the network's probabilities (cells,) on one board (cells,)."""
    answer = net.predict(board.reshape(rules.m, rules.n).copy())
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ValueError("predict returns (pi, v): move probabilities and a value")
    pi = answered_numbers(answer[0], "pi of predict")
    if pi.shape not in ((rules.cells,), (rules.cells + 1,)):
        raise ValueError(f"pi must have shape ({rules.cells},), not {pi.shape}")
    return np.asarray(pi[: rules.cells], np.float64)
