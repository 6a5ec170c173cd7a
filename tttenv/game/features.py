"""Features of boards for learners: one-hot planes, line counts and forks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards


def one_hot(boards: Boards) -> NDArray[np.float32]:
    """Return boards (..., cells) as flat one-hot planes (..., 3 * cells): mine, theirs, empty."""
    planes = np.concatenate([boards == 1, boards == -1, boards == 0], axis=-1)
    return planes.astype(np.float32)


def line_counts(rules: Rules, boards: Boards) -> NDArray[np.int64]:
    """Count the lines with j stones of one side and no stone of the other.

    Args:
        rules: the game.
        boards: boards (..., cells).

    Returns:
        Counts (..., 2, k): [..., 0, j - 1] lines with j stones of mine, [..., 1, j - 1] of theirs.
    """
    stones = boards[..., rules.lines]
    mine, theirs = (stones == 1).sum(-1), (stones == -1).sum(-1)
    sides = [np.where(theirs == 0, mine, 0), np.where(mine == 0, theirs, 0)]
    counts = [[(side == j).sum(-1) for j in range(1, rules.k + 1)] for side in sides]
    return np.moveaxis(np.array(counts, np.int64), (0, 1), (-2, -1))


def forks(rules: Rules, boards: Boards) -> NDArray[np.int64]:
    """Count the empty cells where my stone makes two or more threats.

    A threat is a line that holds k - 1 stones of mine and is otherwise empty.

    Args:
        rules: the game.
        boards: boards (..., cells).

    Returns:
        The counts (...).
    """
    stones = boards[..., rules.lines]
    short = ((stones == 1).sum(-1) == rules.k - 2) & ~(stones == -1).any(-1)
    through = (rules.lines[:, :, None] == np.arange(rules.cells)).any(1)  # (lines, cells)
    threats = short.astype(np.int64) @ through
    return np.asarray(((threats > 1) & (boards == 0)).sum(-1), np.int64)


def seven(rules: Rules, boards: Boards) -> NDArray[np.float64]:
    """Return the seven published features of boards.

    Args:
        rules: the game.
        boards: boards (batch, cells).

    Returns:
        Features (batch, 7): 1; lines that need one more stone, mine and theirs; my stone in the
        centre; my corners; my lines with one stone; my full lines.
    """
    counts, n = line_counts(rules, boards), rules.n
    corners = boards[:, [0, n - 1, rules.cells - n, rules.cells - 1]] == 1
    centre = boards[:, rules.m // 2 * n + n // 2] == 1
    one, short, full = counts[:, 0, 0], counts[:, :, -2], counts[:, 0, -1]
    always, cornered = np.ones(len(boards)), corners.sum(axis=1)
    columns = [always, short[:, 0], short[:, 1], centre, cornered, one, full]
    return np.column_stack(columns).astype(np.float64)


def rich(rules: Rules, boards: Boards) -> NDArray[np.float64]:
    """Return all pairwise products (batch, features) of basic features of boards.

    The facts are 1, the side to move, for each side its open lines, threats, forks, centre and
    stones on the cells whose row and column are both even or both odd (on 3x3 corners and centre),
    and how much of the board is full.
    """
    centre = rules.m // 2 * rules.n + rules.n // 2
    even = np.add(*np.divmod(np.arange(rules.cells), rules.n)) % 2 == 0
    counts = line_counts(rules, boards)
    facts: list[NDArray[Any]] = [np.ones(len(boards)), rules.seat(boards)]
    for side, stone in enumerate((1, -1)):
        single, short, full = counts[:, side, 0], counts[:, side, -2], counts[:, side, -1]
        double = forks(rules, boards * stone)
        facts += [single / 4, short > 0, short > 1, full > 0, double > 0, double > 1]
        facts += [boards[:, centre] == stone, (boards == stone)[:, even].sum(1) / 4]
    facts.append(np.count_nonzero(boards, axis=1) / rules.cells)
    base = np.stack(facts, axis=1).astype(np.float64)
    rows, columns = np.triu_indices(base.shape[1])
    return np.asarray(base[:, rows] * base[:, columns])
