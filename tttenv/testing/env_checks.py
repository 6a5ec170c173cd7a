"""Checks for environments: interface, masks, observations, rewards and episode ends.

`check_env` raises the first violated invariant; the doctor reports every finding.
"""

import re
import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env as gymnasium_check

from tttenv.exact import SEATS
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.testing.findings import (
    Checks,
    Finding,
    LawBrokenError,
    SubjectError,
    describe_error,
    examine,
    problem,
    raise_first,
    require,
)
from tttenv.testing.game_recording import Moment, Record, board_of, empty_cells, record

WRAPPED = "different from the unwrapped version"  # obvious to users of wrappers
MASK = "make the mask from the board of the observation it goes with: 1 where a cell is empty"


def interface(record: Record) -> Finding:
    """Check that games can be played at all, and run Gymnasium's own checker.

    It checks spaces and seeds too. Since it plays any action, an environment that raises on illegal
    moves fails it without violating an invariant.
    """
    if record.failure is not None:
        raise record.failure
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:  # closing is checked on a second environment, which not every wrapper allows
            gymnasium_check(record.env.raw, skip_render_check=True, skip_close_check=True)
        except Exception as error:  # including what the environment raises
            broken = isinstance(error, AssertionError | gymnasium.error.Error) and bool(str(error))
            told = _plain(error) if broken else describe_error(error)
            return problem(
                f"Gymnasium's check_env fails: {told}",
                "see gymnasium.utils.env_checker.check_env and Gymnasium's manual of environments;"
                " draw all random numbers from self.np_random, and call super().reset(seed=seed)",
                law=broken,
            )
    notes = [_plain(one.message) for one in heard if WRAPPED not in str(one.message)]
    return Finding("ok", f"passes; Gymnasium notes: {notes[0]}" if notes else "passes")


def _plain(message: Any) -> str:
    """Return a warning as a single line without colours."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(message)).split()).removeprefix("WARN: ")


def masks(record: Record) -> Finding:
    """Check that masks mark exactly the empty cells."""
    told = [(now.mask, now.board == 0, now) for _, now in record.moments]
    if all(mask is None for mask, _, _ in told):
        none = 'it tells no mask: not in info["action_mask"], nor by action_masks()'
        return Finding("skipped", none)
    for mask, left, now in told:
        shown = record.rules.format(now.board)
        if mask is None or mask.shape != left.shape:
            return problem(f"gives no mask of {left.size} cells on {shown}", MASK)
        if (mask != left).any():
            wrong = f"wrong about the cells {np.flatnonzero(mask != left).tolist()}"
            how = "all zeros" if not mask.any() else "inverted" if (mask == ~left).all() else wrong
            return problem(f"the mask is {how} on {shown}", MASK)
    return Finding("ok", f"masks mark the empty cells, {len(told)} times")


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
    return problem(
        f"as {' and '.join(SEATS[seat] for seat in sorted(wrong))} it shows"
        f" {'mine and theirs swapped' if swapped else 'another board'} on"
        f" {record.rules.format(now.board)}",
        "show every board in the view of the side to move: 1 and the first plane are its own",
    )


def seats(record: Record) -> Finding:
    """Check that the agent plays in both seats."""
    if record.alone:
        return Finding("ok", "the agent moves for both sides")
    as_o, games = sum(game.seat for game in record.games), len(record.games)
    if 0 < as_o < games or games < 20:
        return Finding("ok", f"the agent is O in {as_o} of {games} games")
    return problem(
        f"the agent is {SEATS[as_o > 0]} in all games: it will be near random in the other seat",
        'deal both seats: seat="random"',
        law=False,
    )


def rewards(record: Record) -> Finding:
    """Check that rewards have the right signs in both seats, and draws pay between -1 and 1."""
    for game in record.games:
        last, result = game.last, _result(record, game.last)
        if result is None or not last.over:
            continue
        if np.sign(last.reward) != result and (result or abs(last.reward) >= 1):
            mover = int((np.count_nonzero(last.board) - 1) % 2) if record.alone else game.seat
            name = {1: "a win", 0: "a draw", -1: "a loss"}[result]
            return problem(
                f"as {SEATS[mover]} {name} pays {last.reward:g}: {record.rules.format(last.board)}",
                "pay the agent its own result, +1, 0 or -1, whoever made the last move",
                law=bool(result or abs(last.reward) > 1),
            )
    early = sum(bool(now.reward) for _, now in record.moments)
    told = "the end is paid as it should be"
    return Finding("ok", f"{told}; {early} rewards before it" if early else told)


def _result(record: Record, last: Moment) -> int | None:
    """Return the result for the rewarded side; None if the game is not over or it is unknown."""
    if not last.whole:
        return None
    board = -last.board if record.alone else last.board  # in the view of the rewarded side
    mine, theirs = record.rules.outcomes([board, -board])
    return None if mine == theirs == GOING else int(VALUES[mine]) - int(VALUES[theirs])


def endings(record: Record) -> Finding:
    """Check that a game terminates exactly when it is over, and shows the finished board then."""
    lost = sum(game.last.over and not game.last.whole for game in record.games)
    if lost:
        return problem(
            f"the last observation is not the finished board in {lost} of {len(record.games)}"
            " games",
            "return the finished board from step, and start a new game only in reset",
        )
    for game in record.games:
        for now in game.moments:
            done, shown = _result(record, now) is not None, record.rules.format(now.board)
            if now.truncated:
                return problem(f"is truncated: {shown}", "games end by themselves: no time limit")
            if now.whole and done and not now.over:
                return problem(f"goes on after the end: {shown}", "set terminated at the end")
            if now.whole and now.over and not done:
                return problem(f"ends before the end: {shown}", "set terminated only at the end")
    return Finding("ok", f"{len(record.games)} games end, and show it, when they are over")


def illegal(record: Record) -> Finding:
    """Check that an illegal move raises an error, or is penalized and changes nothing else."""
    if "problem" in (rewards(record).status, endings(record).status):
        return Finding("skipped", "its rewards or endings are wrong anyway")
    env, rules, rng = record.env, record.rules, np.random.default_rng(2)
    found = Finding("skipped", "it shows no taken cell")
    for whose in (-1, 1) * 3:  # illegal moves on their stones and on its own
        observed, over = env.reset()[0], False
        for _ in range(2 if record.alone else 1):  # a stone of each side
            if not over:
                observed, _, over, _, _ = env.step(int(rng.choice(empty_cells(observed, rules))))
        before = board_of(observed, rules.cells)
        if over or before is None or whose not in before:
            continue
        try:
            observed, reward, over, cut, _ = env.step(int(np.argmax(before == whose)))
        except SubjectError as failure:
            if failure.__cause__ is None:
                raise
            kind = type(failure.__cause__).__name__
            return Finding("ok", f"an illegal move is refused: {kind}")
        change = "" if over or cut else _change(record, before, observed, rng)
        if reward >= 0:
            told = "ends the game" if over or cut else change or "changes nothing"
            return problem(
                f"an illegal move pays {reward:g} and {told}",
                "let it lose, or refuse it: else an agent without masks learns to play there",
                law=False,
            )
        if change:
            return problem(
                f"an illegal move costs {-reward:g} and {change} on {rules.format(before)}",
                "let it end the game, or leave the board and the side to move as they are",
                law=False,
            )
        found = Finding("ok", "an illegal move costs something")
    return found


def _change(record: Record, before: Boards, observed: Any, rng: np.random.Generator) -> str:
    """Return what an illegal move on a board changed, or an empty string, by one more step."""
    shown = board_of(observed, before.size)
    if shown is None or (abs(shown) != abs(before)).any():
        return "adds or removes stones"
    if (shown != before).any():
        return "swaps mine and theirs" if (shown == -before).all() else "overwrites a stone"
    expected, cell = before.copy(), int(rng.choice(np.flatnonzero(before == 0)))
    expected[cell] = 1
    observed, _, over, cut, _ = record.env.step(cell)
    shown = board_of(observed, before.size)
    if over or cut or shown is None:
        return ""
    board = -shown if record.alone else shown
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
    """
    rules = getattr(getattr(env, "unwrapped", env), "rules", None)
    try:
        found = record(env, rules if isinstance(rules, Rules) else Rules(), games, seed)
    except ValueError as error:
        raise LawBrokenError(str(error)) from None
    raise_first(examine(found, ENVIRONMENT))


def check_mirrored(env_as_x: Any, env_as_o: Any, cells: list[int]) -> None:
    """Check that a game replayed from both seats pays each side its own result.

    Rewards must sum to zero, or a draw must pay both sides the same and less than a win.

    Args:
        env_as_x: an environment with `seat="X"` whose opponent plays O's cells of the game.
        env_as_o: one with `seat="O"` whose opponent plays X's cells.
        cells: the game, cell by cell.

    Raises:
        LawBrokenError: if an agent receives its opponent's reward.
    """
    paid = []
    for seat, env in enumerate((env_as_x, env_as_o)):
        env.reset()
        paid.append(sum(float(env.step(cell)[1]) for cell in cells[seat::2]))
    drawn = paid[0] == paid[1] and -1 < paid[0] < 1
    require(drawn or sum(paid) == 0, f"one side's win is the other's loss: paid {paid}")
