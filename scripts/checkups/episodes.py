"""Games played in an environment that is examined, written down step by step.

Whose a stone is follows from the cells that were played, not from what the observation says, so
that an observation in the wrong view shows.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tttenv.rules import Rules
from tttenv.types import Boards, Cells, Mask

LONGEST = 1000  # steps a game may take before it counts as endless


@dataclass
class Moment:
    """What an environment told at one time, and how the game stood."""

    shown: Boards | None  # the board its observation shows, (cells,); None: not understood
    mask: Mask | None  # of the legal cells, as told
    board: Boards  # as it stood, 1 the stones of the agent, or of the next to move if alone
    reward: float = 0.0
    over: bool = False
    truncated: bool = False
    whole: bool = True  # whether all stones are there that should be


@dataclass
class Game:
    """One game: its moments, from the first observation to the last."""

    seat: int  # the agent's, or the opener's if alone: 0 for X, 1 for O
    moments: list[Moment] = field(default_factory=list)

    @property
    def last(self) -> Moment:
        """How it ended."""
        return self.moments[-1]


@dataclass
class Record:
    """All games; `alone` if the agent moves for both sides."""

    env: Any
    rules: Rules
    seed: int
    alone: bool
    games: list[Game]

    @property
    def moments(self) -> list[tuple[Game, Moment]]:
        """All moments at which the agent is to move, with their games."""
        every = [(game, now) for game in self.games for now in game.moments if not now.over]
        return [(game, now) for game, now in every if not finished(now.board, self.rules)]


def record(env: Any, rules: Rules, games: int, seed: int) -> Record:
    """Play games of random legal moves and write them down.

    Raises:
        ValueError: if the observations show no board.
    """
    rng = np.random.default_rng(seed)
    observed, _ = env.reset(seed=seed)
    if board_of(observed, rules.cells) is None:
        raise ValueError(
            f"the observation shows no board of {rules}: what is understood is (cells,) of 1 mine,"
            " -1 theirs, 0 empty, or (3 * cells,) planes: mine, theirs, empty; --rules names others"
        )
    alone = _moves_for_both(env, rules, rng)
    found = [_play(env, rules, alone, rng, seed if game == 0 else None) for game in range(games)]
    return Record(env, rules, seed, alone, found)


def board_of(observed: Any, cells: int) -> Boards | None:
    """The board (cells,) that an observation of any `obs` shows; None if it is not understood."""
    if isinstance(observed, dict):
        observed = observed.get("observation", observed.get("obs"))
    shown = np.asarray(observed)
    if shown.dtype == object or shown.size not in (cells, 3 * cells):
        return None
    flat = shown.reshape(-1)
    if flat.size == cells:
        return flat.astype(np.int8) if np.isin(flat, (-1, 0, 1)).all() else None
    mine, theirs, empty = flat.reshape(3, cells)
    board: Boards = (mine - theirs).astype(np.int8)
    good = np.isin(flat, (0, 1)).all() and (mine + theirs + empty == 1).all()
    return board if good else None


def empty(observed: Any, rules: Rules) -> Cells:
    """The cells that an observation shows empty; all where it is not understood."""
    board = board_of(observed, rules.cells)
    return np.flatnonzero(board == 0) if board is not None else np.arange(rules.cells)


def finished(observed: Any, rules: Rules) -> bool:
    """Whether an observation shows a board on which nothing is left to play for, in any view."""
    board = board_of(observed, rules.cells)
    return board is None or bool(rules.over(board) or rules.lost(-board))


def mask_of(env: Any, observed: Any, info: dict[str, Any]) -> Mask | None:
    """The mask an environment tells, wherever it tells it."""
    told = info.get("action_mask")
    if told is None and isinstance(observed, dict):
        told = observed.get("action_mask", observed.get("mask"))
    if told is None and callable(getattr(env.unwrapped, "action_masks", None)):
        told = env.unwrapped.action_masks()
    return None if told is None else np.asarray(told).astype(bool).reshape(-1)


def _moves_for_both(env: Any, rules: Rules, rng: np.random.Generator) -> bool:
    """Whether one stone is put in a step, rather than two: then nobody answers."""
    for _ in range(20):
        before = board_of(env.reset()[0], rules.cells)
        assert before is not None  # as the first one
        observed, _, over, cut, _ = env.step(rng.choice(np.flatnonzero(before == 0)))
        after = board_of(observed, rules.cells)
        if after is not None and not over and not cut:
            return np.count_nonzero(after) - np.count_nonzero(before) == 1
    return False


def _play(env: Any, rules: Rules, alone: bool, rng: np.random.Generator, seed: int | None) -> Game:
    observed, info = env.reset(seed=seed)
    shown = board_of(observed, rules.cells)
    board = np.zeros(rules.cells, np.int8) if shown is None else shown
    if np.count_nonzero(board) == 1:  # whatever it is shown as, the one stone is the opponent's
        board = -np.abs(board)
    game = Game(int(np.count_nonzero(board) % 2))
    game.moments.append(Moment(shown, mask_of(env, observed, info), board))
    while not game.last.over and len(game.moments) < LONGEST:
        now = game.last.board
        if finished(now, rules):
            break  # the environment has not noticed
        cell = int(rng.choice(np.flatnonzero(now == 0)))
        game.moments.append(_step(env, rules, alone, now, cell))
    return game


def _step(env: Any, rules: Rules, alone: bool, before: Boards, cell: int) -> Moment:
    observed, reward, over, truncated, info = env.step(cell)
    shown = board_of(observed, rules.cells)
    board = before.copy()
    board[cell] = 1
    whole = shown is not None and bool((shown[board != 0] != 0).all())
    if shown is not None and whole:
        board[(shown != 0) & (board == 0)] = -1
    board = -board if alone else board
    mask = mask_of(env, observed, info)
    ended = bool(over or truncated)
    return Moment(shown, mask, board, float(reward), ended, bool(truncated), whole)
