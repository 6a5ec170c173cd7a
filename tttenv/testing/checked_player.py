"""A player under test, with its validated outputs and the boards on which it is tested."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tttenv import Rules
from tttenv import policy as policies
from tttenv.exact import Tabulated, enumerable, positions
from tttenv.game.types import Boards, Numbers, Probs
from tttenv.policy import OBSERVATIONS, Observed, Player, first_best, masked_normalise
from tttenv.testing.findings import SubjectError, failing
from tttenv.testing.strength import Strength, strength
from tttenv.utils.arrays import answered_numbers

NETWORK = (
    "return one number per cell for each observation; --obs chooses the observations (onehot, board"
    " or dict), --kind what the numbers are (logits, values or probs)"
)
FUNCTION = (
    "answer move probabilities (batch, cells); for other answers, or observations instead of"
    " boards, hand in the function with --obs and --kind"
)


@dataclass(frozen=True)
class CheckedPlayer:
    """A player under test, with validated outputs."""

    name: str
    rules: Rules
    policy: Player  # unchanged, valid or not
    network: Observed | None = None  # its network, if known
    masks: bool = True  # whether its own library masks its moves
    count: int | None = None  # boards to test; None: all, or 500 of a large game
    near: float = 1e-4  # tolerance: a network's rounding depends on the batch

    @cached_property
    def boards(self) -> Boards:
        """The undecided boards on which to query the player."""
        usual = 10**6 if enumerable(self.rules) else 500
        return some_boards(self.rules, usual if self.count is None else self.count)

    @cached_property
    def some(self) -> Boards:
        """A sample of about 500 of `boards`, for repeated queries."""
        return self.boards[:: max(1, len(self.boards) // 500)]

    @cached_property
    def output(self) -> Numbers:
        """The player's output on all boards, from the first query."""
        return self.query(self.boards)

    @cached_property
    def table(self) -> Tabulated:
        """The player's moves as a table, masked and renormalized."""
        return self._tabulated(masked_normalise(self.output, self.boards == 0))

    @cached_property
    def most_probable(self) -> Tabulated:
        """The player's most probable legal moves as a table, for a network those of its numbers."""
        numbers = self.output if self.network is None else self.numbers(self.boards)
        return self._tabulated(first_best(numbers, self.boards == 0))

    def _tabulated(self, probs: Probs) -> Tabulated:
        """Return a table with `probs` (boards, cells) on all undecided boards."""
        order = np.zeros((len(positions(self.rules)), self.rules.cells))
        order[positions(self.rules).index(self.boards)] = probs
        return Tabulated(self.rules, order)

    @cached_property
    def strength(self) -> tuple[Strength, ...]:
        """The player's exact strength as X and as O, on enumerable boards."""
        return strength(self.rules, self.table)

    @property
    def expected(self) -> str:
        """Description of the output required from the player."""
        return FUNCTION if self.network is None else NETWORK

    def query(self, boards: Boards) -> Numbers:
        """Return the player's validated output on boards.

        Raises:
            SubjectError: if it raises, changes the boards, or returns anything but one number per
                cell.
        """
        given = boards.copy()
        with self._named_failures(boards):
            numbers = answered_numbers(self.policy(given), "it")
        if (given != boards).any():
            raise SubjectError("changes the boards on which it is queried", "work on a copy")
        if numbers.shape != boards.shape:
            told = f"answers {numbers.shape} numbers about {boards.shape} cells"
            raise SubjectError(told, self.expected)
        return numbers

    def unmasked(self, boards: Boards) -> Numbers:
        """Return the network's probabilities (batch, cells) without a mask."""
        assert self.network is not None
        with self._named_failures(boards):
            return self.network.unmasked(boards)

    def numbers(self, boards: Boards) -> Numbers:
        """Return the network's raw outputs (batch, cells)."""
        assert self.network is not None
        with self._named_failures(boards):
            return self.network.numbers(boards)

    def _named_failures(self, boards: Boards) -> AbstractContextManager[None]:
        return failing(f"given {self._described(boards)}", self.expected)

    def _described(self, boards: Boards) -> str:
        """Describe the player's input for boards: its kind and shape."""
        if self.network is None:
            return f"boards of shape {boards.shape}"
        seen = OBSERVATIONS[self.network.obs](boards)
        parts = seen.values() if isinstance(seen, dict) else [seen]
        shapes = " and ".join(str(part.shape) for part in parts)
        return f"observations of shape {shapes} (--obs {self.network.obs})"


def some_boards(rules: Rules, count: int = 500, seed: int = 0) -> Boards:
    """Return at most `count` undecided boards, from random games if not enumerable."""
    rng = np.random.default_rng(seed)
    if enumerable(rules):
        game = positions(rules)
        chosen = rng.permutation(game.decisions)[:count]
        some: Boards = game.boards[np.sort(chosen)]
        return some
    boards, found = rules.start(32), [rules.start(1)]
    while sum(map(len, found)) < count and len(boards):
        cells = policies.sample(policies.uniform(boards), rng.random(len(boards)))
        boards = rules.play(boards, cells)
        boards = boards[~rules.over(boards)]
        found.append(boards)
    return np.concatenate(found)[:count]
