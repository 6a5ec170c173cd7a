"""Check that a player is equivariant, so that symmetric positions can be merged.

A player's move distribution over symmetry classes may depend only on the class of the board. So its
outputs on two images must lead to the same classes with the same probabilities. For a board that is
its own image nothing else is required: which of several symmetric moves is played makes no
difference.
"""

import numpy as np

from tttenv.certificates.frontier import geometry
from tttenv.certificates.frontier_kernel import encode
from tttenv.exact.determinism import ask
from tttenv.game import symmetry
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import Policy

TOLERANCE = 1e-6  # maximum difference of a class's probability between images


def require_images_alike(rules: Rules, policy: Policy, boards: Boards, name: str) -> None:
    """Raise unless the player is equivariant on the boards.

    Args:
        rules: the game.
        policy: the player.
        boards: undecided boards (batch, cells).
        name: the player's name in messages.

    Raises:
        ValueError: naming a board and an image of it from which it reaches other classes.
    """
    maps = symmetry.maps(rules)
    images = boards[:, maps].reshape(-1, rules.cells)  # all images of a board in sequence
    reached = _classes_after(rules, images, ask(images, policy))
    for i, board in enumerate(boards):
        first, *others = reached[i * len(maps) : (i + 1) * len(maps)]
        for number, other in enumerate(others, start=1):
            if not _alike(first, other):
                shown = [rules.format(part) for part in (board, board[maps[number]])]
                raise ValueError(
                    f"{name} says that it treats mirror images alike, but does not: on {shown[0]}"
                    f" and on its image {shown[1]} it plays moves that are no images of each other"
                )


def _classes_after(rules: Rules, boards: Boards, probs: Probs) -> list[dict[bytes, float]]:
    """Return the probability of each symmetry class after a move, per board (batch, cells)."""
    rows, cells = np.nonzero(probs > 0)
    after = boards[rows]
    after[np.arange(len(rows)), cells] = 1
    codes = encode(after, geometry(rules, images=True))
    found: list[dict[bytes, float]] = [{} for _ in boards]
    for row, code, prob in zip(rows.tolist(), codes, probs[rows, cells].tolist(), strict=True):
        key = code.tobytes()
        found[row][key] = found[row].get(key, 0.0) + prob
    return found


def _alike(first: dict[bytes, float], second: dict[bytes, float]) -> bool:
    """Return whether two distributions have the same classes and nearly equal probabilities."""
    return first.keys() == second.keys() and all(
        abs(prob - second[key]) <= TOLERANCE for key, prob in first.items()
    )
