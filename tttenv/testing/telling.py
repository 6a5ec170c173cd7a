"""Checks of what an environment tells: its masks, observations, seats and seeds."""

from typing import Any

import numpy as np

from tttenv.testing.findings import Finding, ok, problem, skipped
from tttenv.testing.recorded_games import LONGEST, Game, Moment, Record
from tttenv.testing.shown_board import empty, finished
from tttenv.testing.strength import SEATS

MASK = "make the mask from the board of the observation it goes with: 1 where a cell is empty"


def masks(record: Record) -> Finding:
    """Masks mark the empty cells, all of them and no others."""
    told = [(now.mask, now.board == 0, now) for _, now in record.moments]
    if all(mask is None for mask, _, _ in told):
        return skipped('it tells no mask: not in info["action_mask"], nor by action_masks()')
    for mask, left, now in told:
        shown = record.rules.format(now.board)
        if mask is None or mask.shape != left.shape:
            return problem(f"tells no mask of {left.size} cells on {shown}", MASK)
        if not mask.any():
            return problem(f"the mask is all zeros on {shown}, where moves are left", MASK)
        if (mask == ~left).all():
            return problem(f"the mask is inverted: it marks the taken cells on {shown}", MASK)
        if (mask != left).any():
            wrong = np.flatnonzero(mask != left).tolist()
            return problem(f"the mask is wrong about the cells {wrong} on {shown}", MASK)
    return ok(f"masks mark the empty cells, {len(told)} times")


def view(record: Record) -> Finding:
    """Observations show the stones of the side to move as its own."""
    wrong = {
        seat: [
            now for game, now in record.moments if _mover(record, game, now) == seat and _off(now)
        ]
        for seat in (0, 1)
    }
    if not any(wrong.values()):
        return ok("observations show the stones of the agent to move as its own")
    seats = " and ".join(SEATS[seat] for seat in wrong if wrong[seat])
    now = next(now for rows in wrong.values() for now in rows)
    swapped = now.shown is not None and (now.shown == -now.board).all()
    return problem(
        f"as {seats} it shows {'mine and theirs swapped' if swapped else 'another board'} on"
        f" {record.rules.format(now.board)}",
        "show every board in the view of the side to move: 1 and the first plane are its own",
    )


def _off(now: Moment) -> bool:
    return now.shown is None or bool((now.shown != now.board).any())


def _mover(record: Record, game: Game, now: Moment) -> int:
    return int(np.count_nonzero(now.board) % 2) if record.alone else game.seat


def finals(record: Record) -> Finding:
    """The last observation is the finished board, not the next game's first."""
    lost = [game for game in record.games if game.last.over and not game.last.whole]
    if not lost:
        return ok("the last observation is the finished board")
    return problem(
        f"the last observation is no finished board in {len(lost)} of {len(record.games)} games",
        "return the finished board from step, and deal a new game in reset only",
    )


def seats(record: Record) -> Finding:
    """The agent plays in both seats."""
    if record.alone:
        return ok("the agent moves for both sides")
    as_o = sum(game.seat for game in record.games)
    if 0 < as_o < len(record.games) or len(record.games) < 20:
        return ok(f"the agent is O in {as_o} of {len(record.games)} games")
    return problem(
        f"the agent is {SEATS[as_o > 0]} in all games: it will be near random in the other seat",
        'deal both seats: seat="random"',
    )


def seeding(record: Record) -> Finding:
    """The same seed and the same moves give the same games."""
    first, second = (_replay(record) for _ in range(2))
    if first == second:
        return ok("the same seed gives the same games")
    return problem(
        "the same seed and moves give different games",
        "draw all chance from self.np_random, and call super().reset(seed=seed) in reset",
    )


def _replay(record: Record) -> list[Any]:
    rng, env, told = np.random.default_rng(1), record.env, []
    for game in range(10):
        observed, _ = env.reset(record.seed if game == 0 else None)
        for _ in range(LONGEST):
            if finished(observed, record.rules):
                break
            cell = int(rng.choice(empty(observed, record.rules)))
            observed, reward, over, cut, info = env.step(cell)
            told.append((repr(observed), reward, over, repr(info)))
            if over or cut:
                break
    return told
