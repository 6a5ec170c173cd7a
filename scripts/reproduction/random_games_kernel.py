"""Compiled training of a small network that plays O against random moves."""

import numpy as np
from numpy.typing import NDArray

from tttenv.game.generator_kernel import bounded
from tttenv.game.rules_kernel import completes
from tttenv.utils.compiled import compiled

CELLS, INPUTS = 9, 18  # two inputs a cell: X stands there, O stands there
X, O = 1, -1  # noqa: E741  # stones of the board
LEARNING_RATE = 0.1
WON, DRAWN, LOST = 1.0, 0.3, -2.0  # rewards
Floats = NDArray[np.float32]


@compiled
def outputs(
    board: NDArray[np.int8], first: Floats, second: Floats, hidden: Floats, probs: Floats
) -> None:
    """Evaluate the network on a board: `hidden` (units,) and the softmax `probs` (9,).

    The last rows of `first` (19, units) and `second` (units + 1, 9) are the biases.
    """
    units = len(hidden)
    hidden[:] = first[INPUTS]
    for cell in range(CELLS):
        if board[cell] != 0:
            hidden += first[2 * cell + (board[cell] == O)]
    probs[:] = second[units]
    for unit in range(units):
        if hidden[unit] > 0:
            probs += hidden[unit] * second[unit]
        else:
            hidden[unit] = 0
    probs[:] = np.exp(probs - probs.max())
    probs /= probs.sum()


@compiled
def learn(
    board: NDArray[np.int8],
    move: int,
    weight: float,
    first: Floats,
    second: Floats,
    hidden: Floats,
    probs: Floats,
) -> None:
    """Take one gradient step on the cross entropy of a move, scaled by the absolute `weight`.

    A positive weight makes the move more likely, a negative weight all other legal moves.
    """
    outputs(board, first, second, hidden, probs)
    others = np.count_nonzero(board == 0) - 1
    rate = np.float32(LEARNING_RATE * abs(weight))
    for cell in range(CELLS):  # the gradient by the logits
        if weight >= 0:
            probs[cell] -= np.float32(cell == move)
        elif board[cell] == 0 and cell != move:
            probs[cell] -= np.float32(1.0 / others)
    units = len(hidden)
    for unit in range(units):
        if hidden[unit] > 0:
            slope = rate * np.dot(probs, second[unit])
            second[unit] -= rate * hidden[unit] * probs
            first[INPUTS, unit] -= slope
            for cell in range(CELLS):
                if board[cell] != 0:
                    first[2 * cell + (board[cell] == O), unit] -= slope
    second[units] -= rate * probs


@compiled
def train(first: Floats, second: Floats, state: NDArray[np.uint64], games: int) -> None:
    """Play games, and learn from O's moves after each game.

    X moves at random. O plays the legal move with the highest probability. A move counts more the
    later it is: the reward is multiplied by a half to one.

    Args:
        first: weights (19, units), changed in place.
        second: weights (units + 1, 9), changed in place.
        state: the state (1,) of the random numbers; it is advanced.
        games: the number of games.
    """
    hidden, probs = np.empty(first.shape[1], np.float32), np.empty(CELLS, np.float32)
    board, moves = np.zeros(CELLS, np.int8), np.empty(CELLS, np.int64)
    for _ in range(games):
        board[:] = 0
        made, reward = 0, DRAWN
        while made < CELLS:
            side = X if made % 2 == 0 else O
            cell = -1
            if side == X:
                skip = bounded(state, CELLS - made)
                for empty in range(CELLS):
                    if board[empty] == 0:
                        skip -= 1
                        if skip < 0:
                            cell = empty
                            break
            else:
                outputs(board, first, second, hidden, probs)
                for empty in range(CELLS):
                    if board[empty] == 0 and (cell < 0 or probs[empty] > probs[cell]):
                        cell = empty
            board[cell] = side
            moves[made] = cell
            made += 1
            if completes(board, cell, 3, 3, 3):
                reward = WON if side == O else LOST
                break
        board[:] = 0
        for at in range(made):
            if at % 2 == 1:
                share = 0.5 + 0.5 * at / made
                learn(board, moves[at], reward * share, first, second, hidden, probs)
            board[moves[at]] = X if at % 2 == 0 else O
