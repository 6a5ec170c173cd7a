"""Positions of a game as tasks, one per symmetry class."""

from dataclasses import dataclass

import numpy as np

from tttenv.exact import positions, require_enumerable, solve
from tttenv.exact.dataset import held_out_classes
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps, orbits
from tttenv.game.types import Boards
from tttenv.text.prompts import prompt
from tttenv.text.verdicts import Verdict, verdict
from tttenv.utils.arrays import one_of

SPLITS = ("train", "test", "all")


@dataclass(frozen=True)
class Task:
    """A position in which to find a move."""

    rules: Rules
    position: str  # X, O and _ row by row, as `Rules.format` writes it
    value: int  # for the side to move: 1, 0 or -1
    best: tuple[int, ...]  # the moves that keep the value, and win soonest or lose latest

    @property
    def board(self) -> Boards:
        """The position (cells,) from the perspective of the side to move."""
        return self.rules.parse(self.position)

    def prompt(self, notation: str = "grid", legal: bool = False) -> str:
        """Return the prompt for the position; see `tttenv.text.prompt`."""
        return prompt(self.rules, self.board, notation, legal)

    def verdict(self, answer: str) -> Verdict:
        """Compare the move in an answer with perfect play; see `tttenv.text.verdict`."""
        return verdict(self.rules, self.board, answer)


def tasks(rules: Rules, split: str = "train", seed: int = 0) -> list[Task]:
    """Return one task per symmetry class of undecided positions (627 in all on 3,3,3).

    Args:
        rules: the game.
        split: "train", four classes in five; "test", the others; "all". Which class belongs to
            which split depends on the rules alone: no test position is the image of a training
            position, whatever the seeds.
        seed: for the order of the tasks, and the image that stands for each class.

    Raises:
        ValueError: for an unknown split, a negative seed, or a game of more than 15 cells.
    """
    one_of("split", split, SPLITS)
    require_enumerable(rules)
    if seed < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {seed}")
    game, solution = positions(rules), solve(rules)
    classes, _ = orbits(rules, game.boards[game.decisions])
    chosen = np.arange(len(classes))
    if split != "all":
        chosen = np.flatnonzero(held_out_classes(rules, len(classes)) == (split == "test"))
    rng, images = np.random.default_rng(seed), maps(rules)
    chosen = rng.permutation(chosen)
    turned = images[rng.integers(len(images), size=len(chosen))]
    boards = np.take_along_axis(classes[chosen], turned, axis=1)
    rows = game.index(boards)
    return [
        Task(rules, rules.format(board), int(value), tuple(np.flatnonzero(best).tolist()))
        for board, value, best in zip(
            boards, solution.values[rows], solution.fastest[rows], strict=True
        )
    ]
