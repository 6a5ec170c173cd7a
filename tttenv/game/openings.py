"""Opening positions with a few stones: one per symmetry class, or drawn at random."""

import numpy as np

from tttenv.game.random_kernel import pick
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical
from tttenv.game.types import Boards
from tttenv.utils.arrays import integers_from

MOST = 100_000  # openings, at most
LARGEST = 2**25  # cells of all boards that are looked at together, at most


def opening_classes(rules: Rules, stones: int) -> Boards:
    """Return the reachable undecided boards with `stones` stones, one per symmetry class.

    Boards that are turned or mirrored images of each other are one class. Two stones make 33
    classes on 4x4, 85 on 5x5, 165 on 6x6 and 846 on 9x9.

    Args:
        rules: the game.
        stones: those of both sides together.

    Returns:
        The canonical board of each class (classes, cells), seen by the side to move, in
        lexicographic order.

    Raises:
        ValueError: if there is no such board, or more than some 100,000.
    """
    if not 0 <= stones < rules.cells:
        raise ValueError(f"openings on {rules} have 0 to {rules.cells - 1} stones, not {stones}")
    boards = rules.start(1)
    for listed in range(stones):
        empty = boards == 0
        too_many = (
            f"there are too many openings with {stones} stones on {rules}: choose at most {listed},"
            f" which make {len(boards):,}"
        )
        if np.count_nonzero(empty) * rules.cells > LARGEST:
            raise ValueError(too_many)
        rows, cells = np.nonzero(empty)
        after = rules.play(boards[rows], cells)
        images, _ = canonical(rules, after[~rules.over(after)])
        boards = np.unique(images, axis=0)
        if len(boards) > MOST:
            raise ValueError(too_many)
    if not len(boards):
        raise ValueError(f"every game on {rules} is over after {stones} stones or before")
    return boards


def random_openings(rules: Rules, stones: int, count: int, rng: np.random.Generator) -> Boards:
    """Return undecided boards with random stones.

    Args:
        rules: the game.
        stones: the most on a board. Each number from 0 to it is equally likely; a stone that would
            end the game is left out.
        count: the number of boards.
        rng: chooses the numbers and the cells.

    Returns:
        Boards (count, cells), seen by the side to move.

    Raises:
        ValueError: if `stones` is negative.
    """
    integers_from(0, stones=stones)
    boards, drawn = rules.start(count), rng.integers(0, stones + 1, count)
    for ply in range(stones):
        empty = boards == 0
        cells = pick(empty / empty.sum(axis=1, keepdims=True), rng.random(count))
        after = rules.play(boards, cells)
        grows = (ply < drawn) & ~rules.over(after)
        boards[grows] = after[grows]
    return boards
