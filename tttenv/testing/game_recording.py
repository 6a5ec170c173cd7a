"""Recording games, step by step, in an environment under test.

The owner of a stone is inferred from the cells played, not from the observation, so that an
observation in the wrong view is detected.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells, Mask
from tttenv.testing.findings import SubjectError, failing

LONGEST = 1000  # steps before a game counts as endless
RESET = "reset(self, *, seed=None, options=None) begins a game and returns observation and info"
STEP = (
    "step(self, action) plays a legal cell and returns observation, reward, terminated, truncated"
    " and info (in old Gym there were four of them)"
)


class CheckedEnv:
    """An environment under test, whose failures become `SubjectError`s."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game and return its observation and info."""
        with failing("reset", RESET):
            observed, info = self.raw.reset(seed=seed)
            return observed, dict(info)

    def step(self, cell: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a cell and return observation, reward, terminated, truncated and info."""
        with failing("stepped", STEP):
            observed, reward, over, cut, info = self.raw.step(cell)
            return observed, float(reward), bool(over), bool(cut), dict(info)

    def mask(self, observed: Any, info: dict[str, Any]) -> Mask | None:
        """Return the action mask from the info, the observation or `action_masks()`, or None."""
        mask, bare = info.get("action_mask"), getattr(self.raw, "unwrapped", self.raw)
        if mask is None and isinstance(observed, dict):
            mask = observed.get("action_mask", observed.get("mask"))
        with failing("queried for its mask", "a mask is an array with a 0 or 1 for each cell"):
            if mask is None and callable(getattr(bare, "action_masks", None)):
                mask = bare.action_masks()
            return None if mask is None else np.asarray(mask).astype(bool).reshape(-1)


@dataclass
class Moment:
    """The environment's return values at one step, and the true state of the game."""

    shown: Boards | None  # the observed board, (cells,); None: not understood
    mask: Mask | None  # the reported legal cells
    board: Boards  # the true board: 1 is the agent, or the side to move if alone
    reward: float = 0.0
    over: bool = False
    truncated: bool = False
    whole: bool = True  # whether no stone is missing


@dataclass
class Game:
    """The moments of one game, from the first observation to the last."""

    seat: int  # the agent's, or the first mover's if alone: 0 for X, 1 for O
    moments: list[Moment]

    @property
    def last(self) -> Moment:
        """The last moment of the game."""
        return self.moments[-1]


@dataclass
class Record:
    """All recorded games; `alone` if the agent moves for both sides."""

    env: CheckedEnv
    rules: Rules
    alone: bool = False
    games: list[Game] = field(default_factory=list)
    failure: SubjectError | None = None  # why no games could be played

    @property
    def moments(self) -> list[tuple[Game, Moment]]:
        """All moments in which the agent is to move, with their games."""
        every = [(game, now) for game in self.games for now in game.moments if not now.over]
        return [(game, now) for game, now in every if not finished(now.board, self.rules)]


def board_of(observed: Any, cells: int) -> Boards | None:
    """Decode the board (cells,) from an observation; return None if its format is unknown."""
    if isinstance(observed, dict):
        observed = observed.get("observation", observed.get("obs"))
    try:
        flat = np.asarray(observed).reshape(-1)
    except ValueError:  # ragged rows
        return None
    if flat.dtype == object or flat.size not in (cells, 3 * cells):
        return None
    if flat.size == cells:
        return flat.astype(np.int8) if np.isin(flat, (-1, 0, 1)).all() else None
    mine, theirs, empty = flat.reshape(3, cells)
    board: Boards = (mine - theirs).astype(np.int8)
    good = np.isin(flat, (0, 1)).all() and (mine + theirs + empty == 1).all()
    return board if good else None


def empty_cells(observed: Any, rules: Rules) -> Cells:
    """Return the cells that an observation shows as empty, or all cells if unknown."""
    board = board_of(observed, rules.cells)
    return np.flatnonzero(board == 0) if board is not None else np.arange(rules.cells)


def finished(board: Boards, rules: Rules) -> bool:
    """Return whether a board (cells,) is finished, in the view of either side."""
    return bool(rules.over(board) or rules.over(-board))


def record(env: Any, rules: Rules, games: int, seed: int) -> Record:
    """Play and record games of random legal moves, or record why that failed."""
    rng, checked = np.random.default_rng(seed), CheckedEnv(env)
    try:
        _first_board(checked, rules, seed)
        alone = _moves_for_both(checked, rules, rng)
        seeds = [seed, *[None] * (games - 1)]
        return Record(checked, rules, alone, [_play(checked, rules, alone, rng, s) for s in seeds])
    except SubjectError as failure:
        return Record(checked, rules, failure=failure)


def _first_board(env: CheckedEnv, rules: Rules, seed: int | None = None) -> Boards:
    """Return the board (cells,) of a new game."""
    board = board_of(env.reset(seed)[0], rules.cells)
    if board is None:
        raise ValueError(
            f"the observation is not a board of {rules}: (cells,) of 1 mine, -1 theirs, 0 empty,"
            " or (3 * cells,) planes of mine, theirs, empty; other games need --rules"
        )
    return board


def _moves_for_both(env: CheckedEnv, rules: Rules, rng: np.random.Generator) -> bool:
    """Return whether a step adds one stone instead of two, so that there is no opponent."""
    for _ in range(20):
        before = _first_board(env, rules)
        if finished(before, rules):
            continue
        observed, _, over, cut, _ = env.step(int(rng.choice(np.flatnonzero(before == 0))))
        after = board_of(observed, rules.cells)
        if after is not None and not over and not cut:
            return bool(np.count_nonzero(after) - np.count_nonzero(before) == 1)
    return False


def _play(
    env: CheckedEnv, rules: Rules, alone: bool, rng: np.random.Generator, seed: int | None
) -> Game:
    observed, info = env.reset(seed)
    shown = board_of(observed, rules.cells)
    board = np.zeros(rules.cells, np.int8) if shown is None else shown
    if np.count_nonzero(board) == 1:  # a single stone is always the opponent's
        board = -np.abs(board)
    moments = [Moment(shown, env.mask(observed, info), board)]
    # A game that the environment does not end is ended here.
    while not moments[-1].over and not finished(board, rules) and len(moments) < LONGEST:
        cell = int(rng.choice(np.flatnonzero(board == 0)))
        observed, reward, over, cut, info = env.step(cell)
        shown, board = board_of(observed, rules.cells), board.copy()
        board[cell] = 1
        whole = shown is not None and bool((shown[board != 0] != 0).all())
        if shown is not None and whole:
            board[(shown != 0) & (board == 0)] = -1
        board = -board if alone else board
        mask = env.mask(observed, info)
        moments.append(Moment(shown, mask, board, reward, over or cut, cut, whole))
    return Game(int(np.count_nonzero(moments[0].board) % 2), moments)
