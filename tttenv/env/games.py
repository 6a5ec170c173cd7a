"""The batches of games that `Match` plays, and the arrays that their steps write."""

from collections.abc import Callable
from functools import lru_cache, partial
from operator import attrgetter
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.env import board_games_kernel, table_games_kernel
from tttenv.env.step_options_kernel import NOBODY, RANDOM, SEATS, TABLE
from tttenv.exact.enumeration import Positions, positions
from tttenv.exact.tabular import is_table
from tttenv.game.features import one_hot
from tttenv.game.outcomes_kernel import GOING, ILLEGAL, SEEN_BY_OTHER, WIN, Outcomes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask, Uniforms
from tttenv.policy import Player, Uniform, ask, sample
from tttenv.utils.arrays import read_only

KEPT = 4  # outputs in a pool
Numbers = NDArray[np.int64]  # indices of games in the batch
FEW = 12  # cells up to which the table is small enough to be fast


class TransitionTable(NamedTuple):
    """Positions of a game, their transitions and their observations, for compiled steps."""

    positions: Positions
    planes: NDArray[np.float32]  # (positions, 3 * cells), in the view of the side to move
    masks: Boards  # (positions, cells)
    showing_planes: table_games_kernel.Table  # whose views are these planes
    showing_boards: table_games_kernel.Table  # whose views are boards

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as a reference to the shared table."""
        return transition_table, (self.positions.rules,)


@lru_cache(maxsize=8)
def transition_table(rules: Rules) -> TransitionTable:
    """Return the transition table of a small game; cached."""
    known = positions(rules)
    masks = (known.successors >= 0).astype(np.int8)
    own = np.arange(len(known), dtype=np.int32)[:, None]
    to = np.where(masks, known.successors, own)
    made = np.where(masks, SEEN_BY_OTHER[known.outcomes[to]], ILLEGAL)
    transitions = ((to << table_games_kernel.BITS) + made).astype(np.uint32)
    legal_first = np.argsort(-masks, axis=1, kind="stable").astype(np.int8)
    moves = transitions, legal_first, masks.sum(axis=1, dtype=np.int8)
    planes, boards = one_hot(known.boards), known.boards
    views = np.concatenate((planes, one_hot(-boards))), np.concatenate((boards, -boards))
    allowed = records(np.concatenate((masks, np.zeros_like(masks[:1]))))
    tables = ((moves, records(view), allowed) for view in views)
    return read_only(TransitionTable(known, planes, masks, *tables))


def records(rows: NDArray[Any]) -> table_games_kernel.Rows:
    """View contiguous rows (rows, columns) as records (rows,), which are copied without a loop."""
    return np.ndarray(len(rows), _record(rows.itemsize * rows.shape[1]), rows)


@lru_cache(maxsize=32)
def _record(size: int) -> np.dtype[np.void]:
    return np.dtype([("row", np.uint8, (size,))])


class StepOutput:
    """Output arrays of a step, one row per game; `compiled` are all of them for the kernel.

    Observations are float32 planes (games, 3 * cells) or int8 boards (games, cells), masks int8
    (games, cells). `over` says whether a game ended in this step. `finals` are the last views of
    games that ended, else zeros; written only if finished games restart in the same step.
    """

    def __init__(
        self, games: int, cells: int, planes: bool, as_rows: Callable[[NDArray[Any]], NDArray[Any]]
    ) -> None:
        shape, dtype = ((games, 3 * cells), np.float32) if planes else ((games, cells), np.int8)
        self.observations: NDArray[Any] = np.empty(shape, dtype)
        self.masks, self.rewards = np.empty((games, cells), np.int8), np.empty(games)
        self.outcomes, self.over = np.empty(games, np.int8), np.empty(games, np.bool_)
        self.finals: NDArray[Any] = np.empty(shape, dtype)
        shown, final = (as_rows(self.observations), as_rows(self.masks)), as_rows(self.finals)
        self.compiled = *shown, self.rewards, self.outcomes, self.over, final


class OutputPool:
    """A pool of step outputs, since allocating a large array costs more than filling it.

    An output is used again once no other reference to its arrays is left.
    """

    _arrays = attrgetter("observations", "masks", "rewards", "outcomes", "over", "finals")

    def __init__(self, make: Callable[[], StepOutput]) -> None:
        self.make = make
        self.kept: list[tuple[StepOutput, list[int]]] = []  # and their arrays' reference counts

    def take(self) -> StepOutput:
        """Return an output with unspecified contents whose arrays are not in use elsewhere."""
        for output, unused in self.kept:
            if [*map(getrefcount, self._arrays(output))] == unused:
                return output
        output = self.make()
        if len(self.kept) < KEPT:
            self.kept.append((output, [*map(getrefcount, self._arrays(output))]))
        return output

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as an empty pool."""
        return OutputPool, (self.make,)


class GameBatch:
    """A batch of games in progress, stored as boards from the agent's perspective, for any rules.

    `TableGames` stores indices of positions instead, for games with few. Tests hold both to the
    same invariants.
    """

    kernel: Any = board_games_kernel  # the module with the compiled functions
    as_rows: Any = staticmethod(np.asarray)  # makes of an output array what the kernel writes to
    # The complete state, by game; copying into these arrays restores it.
    stored: NDArray[Any]
    flipped: Mask  # where the side to move is not the agent: only in finished games
    outcomes: Outcomes  # for the agent
    over: Mask  # at first True

    def __init__(self, rules: Rules, games: int, planes: bool = True) -> None:
        self.rules, self.planes = rules, planes
        over, outcomes = np.ones(games, np.bool_), np.full(games, GOING, np.int8)
        self.state = self._stored(rules.start(games)), np.zeros(games, np.bool_), outcomes, over
        self.stored, self.flipped, self.outcomes, self.over = self.state
        self.outputs = OutputPool(partial(StepOutput, games, rules.cells, planes, self.as_rows))

    def reply(self, opponent: Player | None, which: Numbers, uniforms: Uniforms) -> Numbers:
        """Play a Python opponent's replies.

        Args:
            opponent: the opponent; where all its probabilities are 0, it forfeits.
            which: the games (replies,) in which it is to move.
            uniforms: the random numbers (replies,) in [0, 1) by which it samples its cells.

        Returns:
            The games that go on, some of `which`.
        """
        assert opponent is not None
        probs = ask(self.boards_to_reply(which), opponent)
        if opponent.traits.forfeits:
            stays = probs.any(axis=1)
            gone, which = which[~stays], which[stays]
            self.outcomes[gone], self.over[gone], self.flipped[gone] = WIN, True, True
            probs, uniforms = probs[stays], uniforms[stays]
        return self.put(which, sample(probs, uniforms), -1)

    def restart(self, which: Numbers, key: int, opponent: Any, seat: str) -> None:
        """Restart games.

        Args:
            which: the games to restart.
            key: the key that seats and openings follow from; see Randomness in `TicTacToe`.
            opponent: as `compiled` returns it, to move first where the agent is O; None: nobody.
            seat: the agent's, "X", "O" or "random".
        """
        opponent = self.compiled(None) if opponent is None else opponent
        order = 0, np.uint64(key), opponent, SEATS.index(seat), self.known[0]
        self.kernel.restart(self.stored, self.flipped, which, *order)
        self.outcomes[which], self.over[which] = GOING, False

    def observe(self, output: StepOutput) -> None:
        """Write the observations and masks of all games; the masks of finished games are zeros."""
        observations, masks, *_ = output.compiled
        over = self.over, np.flatnonzero(self.over)
        self.kernel.observe(self.stored, self.flipped, *over, self.known, observations, masks)

    def sample(self, key: int) -> Cells:
        """Sample legal cells (games,), one for each game; all games must be in progress."""
        cells = np.empty(len(self.over), np.int64)
        self.kernel.sample_legal(self.stored, np.uint64(key), self.known[0], cells)
        return cells

    def set_boards(self, boards: Boards) -> None:
        """Continue from undecided boards (games, cells), with the agent to move."""
        self.stored[:] = self._stored(boards)
        self.flipped[:], self.over[:], self.outcomes[:] = False, False, GOING

    def board_to_move(self, game: int) -> Boards:
        """Return a game's board (cells,) from the mover's perspective, even if the game is over."""
        board: Boards = self.boards(np.array([game]))[0]
        return -board if self.flipped[game] else board

    # What `TableGames` does in another way.

    @property
    def known(self) -> Any:
        """Constants of the game for compiled functions, those for moves first."""
        return (self.rules.game,)

    def compiled(self, opponent: Player | None) -> Any:
        """Return the kernel's encoding of an opponent or of none; None if it is Python's."""
        if opponent is None or isinstance(opponent, Uniform):
            return (NOBODY if opponent is None else RANDOM,)
        return None

    def boards(self, which: Numbers | slice) -> Boards:
        """Return a copy of the boards of the games in `which`, from the agent's perspective."""
        return np.array(self.stored[which])

    def boards_to_reply(self, which: Numbers) -> Boards:
        """Return a copy of the boards of the games in `which`, from the opponent's perspective."""
        return -self.stored[which]

    def put(self, which: Numbers, cells: Cells, stone: int) -> Numbers:
        """Put a stone in each of several games; on an occupied cell it ends the game, ILLEGAL.

        Args:
            which: the games (stones,).
            cells: the cells (stones,).
            stone: whose stones these are, 1 of the agents, -1 of the opponent.

        Returns:
            The games that go on, some of `which`.
        """
        return board_games_kernel.put_stones(self.state, which, cells, stone, self.known[0])

    def _stored(self, boards: Boards) -> NDArray[Any]:
        """Convert boards (games, cells), with the agent to move, to the stored format."""
        return boards


# For opponents that are not tables; read-only, as the tables are.
NO_PROBABILITIES = read_only((np.empty((0, 0)), np.empty(0, np.int64)))


class TableGames(GameBatch):
    """A batch of games stored as position indices; see `GameBatch`."""

    kernel = table_games_kernel
    as_rows = staticmethod(records)

    def __init__(self, rules: Rules, games: int, planes: bool = True) -> None:
        self.table = transition_table(rules)
        super().__init__(rules, games, planes)

    @property
    def known(self) -> Any:
        return self.table.showing_planes if self.planes else self.table.showing_boards

    def compiled(self, opponent: Player | None) -> table_games_kernel.Opponent | None:
        if opponent is not None and is_table(opponent) and opponent.rules == self.rules:
            return TABLE, opponent.reached, opponent.last
        if opponent is None or isinstance(opponent, Uniform):
            return NOBODY if opponent is None else RANDOM, *NO_PROBABILITIES
        return None

    def boards(self, which: Numbers | slice) -> Boards:
        boards: Boards = self.table.positions.boards[self.stored[which]]
        return np.where(self.flipped[which][:, None], -boards, boards)

    def boards_to_reply(self, which: Numbers) -> Boards:
        boards: Boards = self.table.positions.boards[self.stored[which]]
        return boards

    def put(self, which: Numbers, cells: Cells, stone: int) -> Numbers:
        transitions = self.known[0][0][self.stored[which], cells]
        self.stored[which] = transitions >> table_games_kernel.BITS
        outcomes = transitions & table_games_kernel.OUTCOME
        self.over[which] = over = outcomes != GOING
        self.flipped[which] = over & (outcomes != ILLEGAL) & (stone == 1)
        self.outcomes[which] = outcomes if stone == 1 else SEEN_BY_OTHER[outcomes]
        going: Numbers = which[~over]
        return going

    def _stored(self, boards: Boards) -> NDArray[Any]:
        return self.table.positions.index(boards).astype(np.uint32)
