"""antirez, ttt-rl (C, 2025): an 18-100-9 network learns as O from games against random moves."""

import numpy as np

from scripts.reproduction.random_games_kernel import CELLS, INPUTS, Floats, outputs, train
from scripts.reproduction.rows import Found, Task, Tell
from scripts.reproduction.training import RULES, strength
from tttenv.exact import Tabulated, positions
from tttenv.policy import first_best

UNITS = 100
PARTS = 50  # of the training, after each of which its progress is reported


def learns_as_o(task: Task, tell: Tell) -> Found:
    """Train the network for `task.amount` games, and return its strength in both seats."""
    rng = np.random.default_rng(task.seed)
    first = rng.uniform(-0.5, 0.5, (INPUTS + 1, UNITS)).astype(np.float32)
    second = rng.uniform(-0.5, 0.5, (UNITS + 1, CELLS)).astype(np.float32)
    state = rng.integers(2**64, size=1, dtype=np.uint64)
    for part in range(PARTS):
        begun, end = (task.amount * at // PARTS for at in (part, part + 1))
        train(first, second, state, end - begun)
        tell(part + 1, PARTS)
    return strength(player(first, second))


def player(first: Floats, second: Floats) -> Tabulated:
    """Return the player that picks the network's most probable legal move, as O or X."""
    game = positions(RULES)
    boards = np.where(game.seats[:, None] == 0, game.boards, -game.boards)
    probs = np.empty(boards.shape, np.float32)
    hidden = np.empty(UNITS, np.float32)
    for board, row in zip(boards, probs, strict=True):
        outputs(board, first, second, hidden, row)
    moves = np.zeros(boards.shape)
    moves[game.decisions] = first_best(probs, game.boards == 0)[game.decisions]
    return Tabulated(RULES, moves)
