"""Boards of all numbers of stones and random moves, for tests."""

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


def random_cells(masks, rng, wrong=0.0):
    """Return a legal cell for each game, 0 for one that is over, and now and then any cell."""
    cells = [rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks]
    wild = rng.random(len(cells)) < wrong
    return np.where(wild, rng.integers(masks.shape[1], size=len(cells)), cells)
