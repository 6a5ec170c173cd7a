"""A player under test: its validated outputs, the boards on which it is tested, its strength."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from tttenv import Rules
from tttenv.exact import (
    SEATS,
    PlayPolicy,
    Tabulated,
    backward_induction,
    best_response,
    enumerable,
    positions,
    score,
    solve,
    worst_case,
)
from tttenv.game.types import Boards, Mask, Numbers, Probs
from tttenv.policy import (
    OBSERVATIONS,
    Observed,
    Player,
    first_best,
    masked_normalise,
    sample,
    uniform,
)
from tttenv.testing.findings import SubjectError, failing
from tttenv.utils.arrays import answered_numbers

NETWORK = (
    "return one number per cell for each observation; --obs chooses the observations (onehot, board"
    " or dict), --kind what the numbers are (logits, values or probs)"
)
FUNCTION = (
    "answer move probabilities (batch, cells); for other answers, or observations instead of"
    " boards, hand in the function with --obs and --kind"
)
SOME = 500  # boards for repeated queries, and of a game that is too large to enumerate


@dataclass(frozen=True)
class CheckedPlayer:
    """A player under test, with validated outputs."""

    rules: Rules
    policy: Player  # unchanged, valid or not
    network: Observed | None = None  # its network, if known
    masks: bool = True  # whether its own library masks its moves
    count: int | None = None  # boards to test; None: all, or 500 of a large game
    near: float = 1e-4  # tolerance: a network's rounding depends on the batch
    unbeatable_at: int | None = None  # the first step of its training at which it was, if known

    @cached_property
    def boards(self) -> Boards:
        """The undecided boards on which to query the player."""
        if self.count is None and enumerable(self.rules):
            game = positions(self.rules)
            return game.boards[game.decisions]
        return some_boards(self.rules, self.count or SOME)

    @cached_property
    def some(self) -> Boards:
        """A sample of `boards`, for repeated queries."""
        return self.boards[:: max(1, len(self.boards) // SOME)]

    @cached_property
    def output(self) -> Numbers:
        """The player's output on all boards, from the first query."""
        return self.query(self.boards)

    @cached_property
    def table(self) -> Tabulated:
        """The player's moves on an enumerable board as a table, masked and renormalized."""
        return self.tabulated(masked_normalise(self.output, self.boards == 0))

    @cached_property
    def most_probable(self) -> Tabulated:
        """The player's most probable legal moves as a table, for a network those of its numbers."""
        numbers = self.output if self.network is None else self.of_network("numbers")
        return self.tabulated(first_best(numbers, self.boards == 0))

    def tabulated(self, probs: Probs) -> Tabulated:
        """Return a table with `probs` (boards, cells) on all undecided boards."""
        game = positions(self.rules)
        every = np.zeros((len(game), self.rules.cells))
        every[game.decisions] = probs
        return Tabulated(self.rules, every)

    @cached_property
    def strength(self) -> "tuple[Strength, ...]":
        """The player's exact strength as X and as O, on enumerable boards."""
        return strength(self.rules, self.table)

    @property
    def expected(self) -> str:
        """Description of the output required from the player."""
        return FUNCTION if self.network is None else NETWORK

    def query(self, boards: Boards) -> Numbers:
        """Return the player's validated output on boards."""
        given = boards.copy()
        with self._named_failures(boards):
            numbers = answered_numbers(self.policy(given), "it")
        if (given != boards).any():
            raise SubjectError("changes the boards on which it is queried", "work on a copy")
        if numbers.shape != boards.shape:
            told = f"answers {numbers.shape} numbers about {boards.shape} cells"
            raise SubjectError(told, self.expected)
        return numbers

    def of_network(self, what: str) -> Numbers:
        """Return the network's "numbers", its raw outputs, or "unmasked" probabilities."""
        with self._named_failures(self.boards):
            numbers: Numbers = getattr(self.network, what)(self.boards)
            return numbers

    def _named_failures(self, boards: Boards) -> AbstractContextManager[None]:
        if self.network is None:
            return failing(f"given boards of shape {boards.shape}", self.expected)
        seen = OBSERVATIONS[self.network.obs](boards)
        parts = seen.values() if isinstance(seen, dict) else [seen]
        shapes = " and ".join(str(part.shape) for part in parts)
        given = f"given observations of shape {shapes} (--obs {self.network.obs})"
        return failing(given, self.expected)


def some_boards(rules: Rules, count: int = SOME, seed: int = 0) -> Boards:
    """Return at most `count` undecided boards, from random games if not enumerable."""
    rng = np.random.default_rng(seed)
    if enumerable(rules):
        game = positions(rules)
        chosen = rng.permutation(game.decisions)[:count]
        some: Boards = game.boards[np.sort(chosen)]
        return some
    boards, found = rules.start(32), [rules.start(1)]
    while sum(map(len, found)) < count and len(boards):
        cells = sample(uniform(boards), rng.random(len(boards)))
        boards = rules.play(boards, cells)
        boards = boards[~rules.over(boards)]
        found.append(boards)
    return np.concatenate(found)[:count]


@dataclass(frozen=True)
class Strength:
    """A player's exact strength in one seat.

    Fields named "optimal" count positions where a mistake is possible, and are 1 if there is none.
    """

    gain: float  # progress from random play (0) to a best response to it (1)
    optimal: float  # mean probability of optimal moves
    optimal_by_chance: float  # the same of random moves
    wins: float  # how often it plays an available winning move
    wins_by_chance: float  # the same of random moves
    beatable: bool  # whether some opponent gets more than the value of the game


def strength(rules: Rules, player: Tabulated) -> tuple[Strength, ...]:
    """Measure a player's strength as X and as O."""
    game, solution = positions(rules), solve(rules)
    legal: Mask = game.successors >= 0
    critical = np.asarray((legal & ~solution.optimal).any(axis=1))
    wins: Mask = legal & game.lost[game.successors]
    winnable = np.asarray(wins.any(axis=1) & ~game.over)
    chances = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
    worst, found = worst_case(rules, player), []
    for seat, name in enumerate(SEATS):

        def share(table: Probs, moves: Mask, rows: Mask, seat: int = seat) -> float:
            own = rows & (game.seats == seat)
            return float((table * moves).sum(axis=1)[own].mean()) if own.any() else 1.0

        sign, seats = 1 - 2 * seat, (player, uniform) if seat == 0 else (uniform, player)
        low, high = _random_and_best(rules, seat)
        found.append(
            Strength(
                gain=(sign * score(rules, *seats).value - low) / max(high - low, 1e-9),
                optimal=share(player.table, solution.optimal, critical),
                optimal_by_chance=share(chances, solution.optimal, critical),
                wins=share(player.table, wins, winnable),
                wins_by_chance=share(chances, wins, winnable),
                beatable=worst[name] < sign * solution.value - 1e-9,
            )
        )
    return tuple(found)


@cache
def _random_and_best(rules: Rules, seat: int) -> tuple[float, float]:
    """Return the values of random play and of a best response to random play, in a seat."""
    random, sign = PlayPolicy(uniform), 1 - 2 * seat
    sides = (best_response, random) if seat == 0 else (random, best_response)
    win, _, loss = backward_induction(rules, *sides)[0][0]
    return sign * score(rules, uniform, uniform).value, sign * float(win - loss)
