"""Checks of what an environment pays, and of when and how its games end."""

import numpy as np

from tttenv.testing.failing import PatientError
from tttenv.testing.findings import Finding, ok, problem, skipped
from tttenv.testing.recorded_games import Game, Moment, Record
from tttenv.testing.shown_board import empty
from tttenv.testing.strength import SEATS


def rewards(record: Record) -> Finding:
    """A win pays the agent, a loss costs it, a draw is between; in both seats."""
    for game in record.games:
        result = _result(record, game.last)
        if result is None or not game.last.over:
            continue
        paid, seat = game.last.reward, SEATS[_payee(record, game)]
        if np.sign(paid) != result and (result or abs(paid) >= 1):
            name = {1: "a win", 0: "a draw", -1: "a loss"}[result]
            return problem(
                f"as {seat} {name} pays {paid:g}: {record.rules.format(game.last.board)}",
                "pay the agent its own result, +1, 0 or -1, whoever made the last move",
            )
    early = [now.reward for _, now in record.moments if now.reward]
    ended = "the end is paid as it should be"
    return ok(f"{ended}; {len(early)} rewards before it" if early else ended)


def _result(record: Record, last: Moment) -> int | None:
    """The result for the one who is paid; None while the game is not over, or cannot be known."""
    if not last.whole:
        return None
    board = -last.board if record.alone else last.board  # in the view of the one who is paid
    if record.rules.lost(-board):
        return 1
    if record.rules.lost(board):
        return -1
    return None if (board == 0).any() else 0


def _payee(record: Record, game: Game) -> int:
    stones = np.count_nonzero(game.last.board)
    return int((stones - 1) % 2) if record.alone else game.seat


def endings(record: Record) -> Finding:
    """A game is over when it is won, lost or full, and not before."""
    for game in record.games:
        for now in game.moments:
            done, shown = _result(record, now) is not None, record.rules.format(now.board)
            if now.whole and done and not now.over:
                return problem(f"goes on after the end: {shown}", "set terminated at the end")
            if now.whole and now.over and not done:
                return problem(f"ends before the end: {shown}", "set terminated at the end only")
            if now.truncated:
                return problem(f"is truncated: {shown}", "games end by themselves: no time limit")
    return ok(f"{len(record.games)} games end when they are over")


def illegal(record: Record) -> Finding:
    """A taken cell is refused, or costs something."""
    if rewards(record).status == "problem":
        return skipped("what it pays is wrong anyway")
    env, rng = record.env, np.random.default_rng(2)
    for _ in range(5):
        observed, _ = env.reset()
        if len(empty(observed, record.rules)) == record.rules.cells:
            observed = env.step(int(rng.integers(record.rules.cells)))[0]
        taken = np.setdiff1d(np.arange(record.rules.cells), empty(observed, record.rules))
        if not taken.size:
            return skipped("it shows no taken cell")
        try:
            _, reward, over, _, _ = env.step(int(taken[0]))
        except PatientError as failure:
            if failure.__cause__ is None:
                raise
            return ok(f"an illegal move is refused: {type(failure.__cause__).__name__}")
        if reward >= 0:
            told = "ends the game" if over else "changes nothing"
            return problem(
                f"an illegal move pays {reward:g} and {told}",
                "let it lose, or refuse it: else an agent without masks learns to play there",
            )
    return ok("an illegal move costs something")
