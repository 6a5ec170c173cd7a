"""Player with a weight for each pattern of stones on a line, from a file that people can read.

Example::

    {"weights": {"XXX": 15, "X_X": 6, "OX_": 4, "_O_": -4, "OOX": 19, "OXO": 15, "___": -1}}

It moves to the board whose lines weigh the most: X is a stone of its own, O one of the opponent's,
and _ an empty cell. A pattern also stands for its mirror image; those that are not named weigh 0.
Whole numbers make ties exact, and moves that tie are equally likely.
"""

from pathlib import Path
from typing import Annotated, TypedDict

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import Player, Traits, greedy
from tttenv.utils.schema import Meta, read
from tttenv.utils.untrusted import shown

LARGEST = 10**6  # weight
LARGEST_K = 10  # of a table of 3**k patterns
STONES = "O_X"  # the digits of a pattern


class _File(TypedDict):
    weights: dict[str, Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]]


class Linear(Player):
    """Player that moves to the board whose lines weigh the most."""

    def __init__(self, rules: Rules, weights: NDArray[np.int64]) -> None:
        super().__init__(rules, Traits(alone=True, equivariant=True))
        self.weights = weights  # (3**k,), of patterns, whose digits in base 3 are their cells
        self.places = 3 ** np.arange(rules.k)[::-1]
        self.cells = np.eye(rules.cells, dtype=np.int64)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        lines, legal = self.rules.lines, boards == 0
        patterns = (boards[:, lines] + 1) @ self.places  # (batch, lines)
        gained = np.zeros(boards.shape, np.int64)
        for cells, place in zip(lines.T, self.places, strict=True):
            with_stone = patterns + place * legal[:, cells]
            gain = self.weights[with_stone] - self.weights[patterns]
            gained += gain @ self.cells[cells]
        return greedy(gained, legal)


def linear(rules: Rules, path: str = "") -> Linear:
    """Return the player with the weights of a file.

    Args:
        rules: the game; k is the length of the file's patterns, and at most 10.
        path: a JSON file of patterns and their weights.

    Raises:
        ValueError: without a path, for another k, or if the file holds something else.
    """
    if not path:
        raise ValueError("linear needs a file of weights: linear:path=FILE.json")
    if rules.k > LARGEST_K:
        raise ValueError(f"linear plays games with k of at most {LARGEST_K}, not {rules.k}")
    weights = np.zeros(3**rules.k, np.int64)
    for pattern, weight in read(Path(path), _File, "weights of lines")["weights"].items():
        if len(pattern) != rules.k or set(pattern) - set(STONES):
            what = f"is no pattern of {rules.k} cells, each X, O or _"
            raise ValueError(f"{shown(path)}: {shown(repr(pattern))} {what}")
        for cells in (pattern, pattern[::-1]):
            weights[int("".join(str(STONES.index(cell)) for cell in cells), 3)] = weight
    return Linear(rules, weights)
