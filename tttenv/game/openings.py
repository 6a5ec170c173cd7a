"""Opening positions with a few stones: one per symmetry class, or drawn at random."""

import numpy as np

from tttenv.game.random_kernel import pick
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical
from tttenv.game.types import Boards

MOST = 100_000  # openings, at most
LARGEST = 2**25  # cells of all boards that are looked at together, at most


def opening_classes(rules: Rules, stones: int) -> Boards:
    """Return the reachable undecided boards with `stones` stones, one per symmetry class.

    Boards that are turned or mirrored images of each other are one class. Two stones make 33
    classes on 4x4, 85 on 5x5, 165 on 6x6 and 846 on 9x9.

    Args:
        rules: the game.
        stones: of both sides together; 0 gives the empty board.

    Returns:
        The canonical board of each class (classes, cells), seen by the side to move, in
        lexicographic order.

    Raises:
        ValueError: if there is no such board, or there are more than some 100,000 classes.
    """
    if not 0 <= stones < rules.cells:
        raise ValueError(f"openings on {rules} have 0 to {rules.cells - 1} stones, not {stones}")
    boards = rules.start(1)
    for _ in range(stones):
        empty = boards == 0
        if np.count_nonzero(empty) * rules.cells > LARGEST:
            raise ValueError(f"there are too many openings with {stones} stones on {rules}")
        rows, cells = np.nonzero(empty)
        after = rules.play(boards[rows], cells)
        images, _ = canonical(rules, after[~rules.over(after)])
        boards = np.unique(images, axis=0)
        if len(boards) > MOST:
            raise ValueError(f"there are too many openings with {stones} stones on {rules}")
    if not len(boards):
        raise ValueError(f"every game on {rules} is over after {stones} stones or before")
    return boards


def random_openings(rules: Rules, stones: int, count: int, rng: np.random.Generator) -> Boards:
    """Return undecided boards with random stones, for exploring starts.

    Args:
        rules: the game.
        stones: the most stones on a board; each board gets 0 to this many, all equally likely. A
            stone that would end the game is left out.
        count: the number of boards.
        rng: the source of randomness.

    Returns:
        Boards (count, cells), seen by the side to move.
    """
    if stones < 0:
        raise ValueError(f"an opening must have at least 0 stones, not {stones}")
    boards, drawn = rules.start(count), rng.integers(0, stones + 1, count)
    for ply in range(stones):
        empty = boards == 0
        cells = pick(empty / empty.sum(axis=1, keepdims=True), rng.random(count))
        after = rules.play(boards, cells)
        grows = (ply < drawn) & ~rules.over(after)
        boards[grows] = after[grows]
    return boards
