"""Checks for environments: interface, masks, observations, rewards and episode ends.

Games are recorded step by step, and the checks look at the record. The owner of a stone is inferred
from the cells played, not from the observation, so that an observation in the wrong view is
detected. `check_env` raises the first violated invariant; the doctor reports every finding.
"""

import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env as gymnasium_check

from tttenv.exact import SEATS
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.testing.findings import (
    Checks,
    Finding,
    LawBrokenError,
    SubjectError,
    describe_error,
    examine,
    failing,
    mistake,
    raise_first,
)
from tttenv.utils.arrays import integers_from

LONGEST = 1000  # steps before a game counts as endless
WRAPPED = "different from the unwrapped version"  # obvious to users of wrappers


@dataclass
class Moment:
    """Return values of an environment at one step, and the true state of the game."""

    shown: Boards | None  # the observed board, (cells,); None: not understood
    mask: Mask | None  # the reported legal cells
    reward: float = 0.0
    over: bool = False
    truncated: bool = False
    board: Boards = field(default_factory=lambda: np.zeros(0, np.int8))  # 1: agent or mover
    whole: bool = True  # whether no stone is missing


class CheckedEnv:
    """An environment under test, whose failures become `SubjectError`s; by default of its rules."""

    def __init__(self, raw: Any, rules: Rules | None = None) -> None:
        known = getattr(getattr(raw, "unwrapped", raw), "rules", None)
        self.raw, self.rules = raw, rules or (known if isinstance(known, Rules) else Rules())

    def reset(self, seed: int | None = None) -> Moment:
        """Start a new game."""
        with failing("reset", "reset"):
            observed, info = self.raw.reset(seed=seed)
            info = dict(info)
        return Moment(board_of(observed, self.rules.cells), self._mask(observed, info))

    def step(self, cell: int) -> Moment:
        """Play a cell."""
        with failing("stepped", "step"):
            observed, reward, over, cut, info = self.raw.step(cell)
            paid, over, cut, info = float(reward), bool(over), bool(cut), dict(info)
        shown, mask = board_of(observed, self.rules.cells), self._mask(observed, info)
        return Moment(shown, mask, paid, over or cut, cut)

    def _mask(self, observed: Any, info: dict[str, Any]) -> Mask | None:
        """Return the action mask from the info, the observation or `action_masks()`, or None."""
        mask, bare = info.get("action_mask"), getattr(self.raw, "unwrapped", self.raw)
        if mask is None and isinstance(observed, dict):
            mask = observed.get("action_mask", observed.get("mask"))
        with failing("queried for its mask", "action_masks"):
            if mask is None and callable(getattr(bare, "action_masks", None)):
                mask = bare.action_masks()
            return None if mask is None else np.asarray(mask).astype(bool).reshape(-1)


def board_of(observed: Any, cells: int) -> Boards | None:
    """Decode the board from an observation.

    Args:
        observed: any observation: an array of one-hot planes or of a board, or a dict with one.
        cells: the number of cells.

    Returns:
        The board (cells,) of 1, -1 and 0 as it is shown, or None if the format is unknown.
    """
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
    alone: bool = False
    games: list[Game] = field(default_factory=list)
    failure: SubjectError | None = None  # why no games could be played

    @property
    def moments(self) -> list[tuple[Game, Moment]]:
        """All moments in which the agent is to move, with their games."""
        every = [(game, now) for game in self.games for now in game.moments if not now.over]
        return [(game, now) for game, now in every if not _finished(now.board, self.env.rules)]


def record(env: CheckedEnv, games: int, seed: int) -> Record:
    """Play and record games of random legal moves, or record why that failed.

    Args:
        env: the environment.
        games: the number of games.
        seed: the seed of the environment and of the moves.

    Raises:
        ValueError: if the observation is not a board of the game.
    """
    rng = np.random.default_rng(seed)
    try:
        _first_board(env, seed)
        alone = _moves_for_both(env, rng)
        seeds = [seed, *[None] * (games - 1)]
        return Record(env, alone, [_play(env, alone, rng, s) for s in seeds])
    except SubjectError as failure:
        return Record(env, failure=failure)


def _finished(board: Boards, rules: Rules) -> bool:
    """Return whether a board (cells,) is finished, in the view of either side."""
    return bool(rules.over(board) or rules.over(-board))


def _first_board(env: CheckedEnv, seed: int | None = None) -> Boards:
    """Return the board (cells,) of a new game."""
    board = env.reset(seed).shown
    if board is None:
        raise ValueError(
            f"the observation is not a board of {env.rules}: (cells,) of 1 mine, -1 theirs, 0"
            " empty, or (3 * cells,) planes of mine, theirs, empty; other games need --rules"
        )
    return board


def _moves_for_both(env: CheckedEnv, rng: np.random.Generator) -> bool:
    """Return whether a step adds one stone instead of two, so that there is no opponent."""
    for _ in range(20):
        before = _first_board(env)
        if _finished(before, env.rules):
            continue
        now = env.step(int(rng.choice(np.flatnonzero(before == 0))))
        if now.shown is not None and not now.over:
            return bool(np.count_nonzero(now.shown) - np.count_nonzero(before) == 1)
    return False


def _play(env: CheckedEnv, alone: bool, rng: np.random.Generator, seed: int | None) -> Game:
    first = env.reset(seed)
    board = np.zeros(env.rules.cells, np.int8) if first.shown is None else first.shown
    if np.count_nonzero(board) == 1:  # a single stone is always the opponent's
        board = -np.abs(board)
    first.board, moments = board, [first]
    # A game that the environment does not end is ended here.
    while not moments[-1].over and not _finished(board, env.rules) and len(moments) < LONGEST:
        cell = int(rng.choice(np.flatnonzero(board == 0)))
        now, board = env.step(cell), board.copy()
        board[cell] = 1
        now.whole = now.shown is not None and bool((now.shown[board != 0] != 0).all())
        if now.shown is not None and now.whole:
            board[(now.shown != 0) & (board == 0)] = -1
        now.board = board = -board if alone else board
        moments.append(now)
    return Game(int(np.count_nonzero(moments[0].board) % 2), moments)


def interface(record: Record) -> Finding:
    """Check that games can be played at all, and run Gymnasium's own checker.

    Raises:
        SubjectError: if no games could be played.
    """
    if record.failure is not None:
        raise record.failure
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:  # closing is checked on a second environment, which not every wrapper allows
            gymnasium_check(record.env.raw, skip_render_check=True, skip_close_check=True)
        except Exception as error:  # including what the environment raises
            broken = isinstance(error, AssertionError | gymnasium.error.Error) and bool(str(error))
            text = _plain(error) if broken else describe_error(error)
            return mistake("interface", law=broken, error=text)
    notes = [_plain(one.message) for one in heard if WRAPPED not in str(one.message)]
    return Finding("ok", f"passes; Gymnasium notes: {notes[0]}" if notes else "passes")


def _plain(message: Any) -> str:
    """Return a warning as a single line without colours."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(message)).split()).removeprefix("WARN: ")


def masks(record: Record) -> Finding:
    """Check that masks mark exactly the empty cells."""
    every = [(now.mask, now.board == 0, now) for _, now in record.moments]
    if all(mask is None for mask, _, _ in every):
        none = 'it tells no mask: not in info["action_mask"], nor by action_masks()'
        return Finding("skipped", none)
    for mask, left, now in every:
        shown = record.env.rules.format(now.board)
        if mask is None or mask.shape != left.shape:
            return mistake("masks", what=f"gives no mask of {left.size} cells", board=shown)
        if (mask != left).any():
            wrong = f"wrong about the cells {np.flatnonzero(mask != left).tolist()}"
            how = "all zeros" if not mask.any() else "inverted" if (mask == ~left).all() else wrong
            return mistake("masks", what=f"the mask is {how}", board=shown)
    return Finding("ok", f"masks mark the empty cells, {len(every)} times")


def view(record: Record) -> Finding:
    """Check that observations are from the perspective of the side to move."""
    wrong: dict[int, Moment] = {}  # by seat: the first one
    for game, now in record.moments:
        if now.shown is None or (now.shown != now.board).any():
            seat = int(np.count_nonzero(now.board) % 2) if record.alone else game.seat
            wrong.setdefault(seat, now)
    if not wrong:
        return Finding("ok", "observations show the stones of the agent to move as its own")
    now = wrong[min(wrong)]
    swapped = now.shown is not None and (now.shown == -now.board).all()
    return mistake(
        "view",
        seats=" and ".join(SEATS[seat] for seat in sorted(wrong)),
        what="mine and theirs swapped" if swapped else "another board",
        board=record.env.rules.format(now.board),
    )


def seats(record: Record) -> Finding:
    """Check that the agent plays in both seats."""
    if record.alone:
        return Finding("ok", "the agent moves for both sides")
    as_o, games = sum(game.seat for game in record.games), len(record.games)
    if 0 < as_o < games or games < 20:
        return Finding("ok", f"the agent is O in {as_o} of {games} games")
    return mistake("seats", seat=SEATS[as_o > 0])


def rewards(record: Record) -> Finding:
    """Check that rewards have the right signs in both seats, and draws pay between -1 and 1."""
    for game in record.games:
        last, result = game.last, _result(record, game.last)
        if result is None or not last.over:
            continue
        if np.sign(last.reward) != result and (result or abs(last.reward) >= 1):
            mover = int((np.count_nonzero(last.board) - 1) % 2) if record.alone else game.seat
            name = {1: "a win", 0: "a draw", -1: "a loss"}[result]
            about = {"seat": SEATS[mover], "reward": last.reward, "result": name}
            shown, law = record.env.rules.format(last.board), bool(result or abs(last.reward) > 1)
            return mistake("rewards", law=law, board=shown, **about)
    early = sum(bool(now.reward) for _, now in record.moments)
    more = f"; {early} rewards before it" if early else ""
    return Finding("ok", f"the end is paid as it should be{more}")


def _result(record: Record, last: Moment) -> int | None:
    """Return the result for the rewarded side; None if the game is not over or it is unknown."""
    if not last.whole:
        return None
    board = -last.board if record.alone else last.board  # in the view of the rewarded side
    mine, theirs = record.env.rules.outcomes([board, -board])
    return None if mine == theirs == GOING else int(VALUES[mine]) - int(VALUES[theirs])


def endings(record: Record) -> Finding:
    """Check that a game terminates exactly when it is over, and shows the finished board then."""
    if lost := sum(game.last.over and not game.last.whole for game in record.games):
        return mistake("endings.lost", lost=lost, games=len(record.games))
    for game in record.games:
        for now in game.moments:
            done, shown = _result(record, now) is not None, record.env.rules.format(now.board)
            if now.truncated:
                return mistake("endings.truncated", board=shown)
            if now.whole and done and not now.over:
                return mistake("endings.late", board=shown)
            if now.whole and now.over and not done:
                return mistake("endings.early", board=shown)
    return Finding("ok", f"{len(record.games)} games end, and show it, when they are over")


def illegal(record: Record) -> Finding:
    """Check that an illegal move raises an error, or is penalized and changes nothing else.

    Raises:
        SubjectError: if the environment returns what cannot be understood.
    """
    if "problem" in (rewards(record).status, endings(record).status):
        return Finding("skipped", "its rewards or endings are wrong anyway")
    env, rng = record.env, np.random.default_rng(2)
    found = Finding("skipped", "it shows no taken cell")
    for whose in (-1, 1) * 3:  # illegal moves on their stones and on its own
        now = env.reset()
        for _ in range(2 if record.alone else 1):  # a stone of each side
            if not now.over:
                taken = np.zeros(env.rules.cells) if now.shown is None else now.shown
                now = env.step(int(rng.choice(np.flatnonzero(taken == 0))))
        before = now.shown
        if now.over or before is None or whose not in before:
            continue
        try:
            now = env.step(int(np.argmax(before == whose)))
        except SubjectError as failure:
            if failure.__cause__ is None:
                raise
            kind = type(failure.__cause__).__name__
            return Finding("ok", f"an illegal move is refused: {kind}")
        change = "" if now.over else _change(record, before, now.shown, rng)
        if now.reward >= 0:
            effect = "ends the game" if now.over else change or "changes nothing"
            return mistake("illegal.pays", reward=now.reward, effect=effect)
        if change:
            shown = record.env.rules.format(before)
            return mistake("illegal.changes", cost=-now.reward, effect=change, board=shown)
        found = Finding("ok", "an illegal move costs something")
    return found


def _change(record: Record, before: Boards, shown: Boards | None, rng: np.random.Generator) -> str:
    """Return what an illegal move on a board changed, or an empty string, by one more step."""
    if shown is None or (abs(shown) != abs(before)).any():
        return "adds or removes stones"
    if (shown != before).any():
        return "swaps mine and theirs" if (shown == -before).all() else "overwrites a stone"
    expected, cell = before.copy(), int(rng.choice(np.flatnonzero(before == 0)))
    expected[cell] = 1
    now = record.env.step(cell)
    if now.over or now.shown is None:
        return ""
    board = -now.shown if record.alone else now.shown
    same = (board == expected)[expected != 0].all() and ((board == 1) == (expected == 1)).all()
    stones = np.count_nonzero(board) - np.count_nonzero(expected)
    return "" if same and stones == (not record.alone) else "shows its change in the next step"


# To add a check, write a function from the record of games to a finding and add it here.
ENVIRONMENT: Checks = {
    check.__name__: check for check in (interface, masks, view, seats, rewards, endings, illegal)
}


def check_env(env: Any, games: int = 200, seed: int = 0) -> None:
    """Check a single-game environment like `TicTacToe-v0`: masks, rewards, views and endings.

    Args:
        env: an environment of the game `env.unwrapped.rules`, or of 3,3,3 without that attribute.
        games: the number of games to play, with random legal moves.
        seed: the seed of the environment and of the moves.

    Raises:
        LawBrokenError: at the first violated invariant.
        ValueError: for fewer than one game.
    """
    integers_from(1, games=games)
    try:
        found = record(CheckedEnv(env), games, seed)
    except ValueError as error:
        raise LawBrokenError(str(error)) from None
    raise_first(examine(found, ENVIRONMENT))
