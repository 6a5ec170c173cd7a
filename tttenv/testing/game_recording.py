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

    def inside(self, observed: Any) -> bool:
        """Return whether an observation lies in the environment's space; True if it has none."""
        with failing("queried for its observation_space", "give it a space of Gymnasium's"):
            space = getattr(self.raw, "observation_space", None)
            return space is None or bool(space.contains(observed))


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
    inside: bool = True  # whether the observation lies in its space


@dataclass
class Game:
    """The moments of one game, from the first observation to the last."""

    seat: int  # the agent's, or the first mover's if alone: 0 for X, 1 for O
    moments: list[Moment] = field(default_factory=list)

    @property
    def last(self) -> Moment:
        """The last moment of the game."""
        return self.moments[-1]


@dataclass
class Record:
    """All recorded games; `alone` if the agent moves for both sides."""

    env: CheckedEnv
    rules: Rules
    seed: int
    alone: bool = False
    games: list[Game] = field(default_factory=list)
    failure: SubjectError | None = None  # why no games could be played

    @property
    def everything(self) -> list[tuple[Game, Moment]]:
        """All moments, including final ones, with their games."""
        return [(game, now) for game in self.games for now in game.moments]

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
        shown = np.asarray(observed)
    except ValueError:  # ragged rows
        return None
    if shown.dtype == object or shown.size not in (cells, 3 * cells):
        return None
    flat = shown.reshape(-1)
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


def finished(observed: Any, rules: Rules) -> bool:
    """Return whether an observation shows a finished board for either side, or no known board."""
    board = board_of(observed, rules.cells)
    return board is None or bool(rules.over(board) or rules.over(-board))


def record(env: Any, rules: Rules, games: int, seed: int) -> Record:
    """Play and record games of random legal moves, or record why that failed.

    Raises:
        ValueError: if the observations show no board.
    """
    rng, asked = np.random.default_rng(seed), CheckedEnv(env)
    try:
        _first_board(asked, rules, seed)
        alone = _moves_for_both(asked, rules, rng)
        seeds = [seed, *[None] * (games - 1)]
        found = [_play(asked, rules, alone, rng, first) for first in seeds]
    except SubjectError as failure:
        return Record(asked, rules, seed, failure=failure)
    return Record(asked, rules, seed, alone, found)


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
            continue  # the new board is already finished
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
    game = Game(int(np.count_nonzero(board) % 2))
    mask = env.mask(observed, info)
    game.moments.append(Moment(shown, mask, board, inside=env.inside(observed)))
    while not game.last.over and len(game.moments) < LONGEST:
        now = game.last.board
        if finished(now, rules):
            break  # the environment did not end the game
        cell = int(rng.choice(np.flatnonzero(now == 0)))
        game.moments.append(_step(env, rules, alone, now, cell))
    return game


def _step(env: CheckedEnv, rules: Rules, alone: bool, before: Boards, cell: int) -> Moment:
    observed, reward, over, truncated, info = env.step(cell)
    shown = board_of(observed, rules.cells)
    board = before.copy()
    board[cell] = 1
    whole = shown is not None and bool((shown[board != 0] != 0).all())
    if shown is not None and whole:
        board[(shown != 0) & (board == 0)] = -1
    board = -board if alone else board
    mask, inside = env.mask(observed, info), env.inside(observed)
    return Moment(shown, mask, board, reward, over or truncated, truncated, whole, inside)
