"""Boards of all numbers of stones, for tests."""

import numpy as np


def played_boards(rules, count, seed=0):
    """Return undecided boards after random moves, from few stones to as many as possible."""
    rng, boards = np.random.default_rng(seed), []
    while len(boards) < count:
        board = rules.start()
        for _ in range(int(rng.integers(0, rules.cells))):
            after = rules.play(board, int(rng.choice(np.flatnonzero(board == 0))))
            if rules.over(after):
                break
            board = after
        boards.append(board)
    return np.array(boards)
