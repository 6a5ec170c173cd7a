"""Checks of what a player answers: lawful, repeatable, masked, and about the board at all."""

import numpy as np

from tttenv.testing.findings import Finding, ok, problem, skipped
from tttenv.testing.subjects import Player

NEAR = 1e-4  # answers this near are the same: rounding in a network depends on the batch


def answers(patient: Player) -> Finding:
    """Numbers for every cell of every board, which sum to one."""
    boards, numbers = patient.boards, patient.told
    bad = np.flatnonzero(~((np.abs(numbers.sum(axis=1) - 1) <= 1e-4) & (numbers >= 0).all(axis=1)))
    if bad.size:
        shown = patient.rules.format(boards[bad[0]])
        told = np.round(numbers[bad[0]], 4).tolist()
        return problem(f"answers no probabilities on the board {shown}: {told}", patient.wanted)
    return ok(f"answers probabilities on {len(boards)} boards")


def repeatable(patient: Player) -> Finding:
    """The same answer to the same question, twice."""
    boards = patient.boards[::9]
    off = np.abs(patient.asked(boards) - patient.asked(boards)).max(axis=1)
    limit = getattr(patient.answers, "impure", None)
    if off.max() <= NEAR and not limit:
        return ok("answers the same board alike every time")
    why = f"is limited by {limit}" if limit else f"answers {share(off > NEAR)} of the boards anew"
    return problem(
        f"{why}, so what is measured of it changes",
        "give its probabilities instead of a sampled move; switch off dropout (eval()), noise and"
        " time limits; seed dice by the board",
    )


def batches(patient: Player) -> Finding:
    """A board alone is answered as among others, in any order."""
    boards = patient.boards[::9]
    together = patient.asked(boards)
    if np.abs(patient.asked(boards) - together).max() > NEAR:
        return skipped("it does not repeat itself anyway")
    order = np.random.default_rng(0).permutation(len(boards))
    alone = np.concatenate([patient.asked(boards[i : i + 1]) for i in order[:50]])
    off = max(
        np.abs(patient.asked(boards[order]) - together[order]).max(),
        np.abs(alone - together[order[:50]]).max(),
    )
    if off <= NEAR:
        return ok("answers a board alone as it does among others")
    return problem(
        f"answers a board differently, by up to {off:.2g}, depending on the boards beside it",
        "ask it in evaluation mode (batch normalisation), and normalise over cells, not the batch",
    )


def legal(patient: Player) -> Finding:
    """How much of its probability is on taken cells, with and without its mask."""
    boards = patient.boards
    played = float(patient.told[boards != 0].sum() / len(boards))
    bare = played
    if patient.network is not None:
        bare = float(patient.unmasked(boards)[boards != 0].sum() / len(boards))
    if played > 1e-6 or (bare > 1e-3 and not patient.masks):
        return problem(
            f"plays without a mask: {bare:.1%} of its probability is on taken cells",
            'mask where it plays too, not only where it trains: info["action_mask"] or'
            " env.action_masks(), MaskablePPO's predict(..., action_masks=...), or"
            " tttenv.policy.from_observations",
        )
    if bare > 1e-6:
        return ok(f"plays legal moves; without its mask {bare:.1%} would be on taken cells")
    return ok("plays legal moves only")


def all_illegal(patient: Player) -> Finding:
    """Whether its favourite cells, before any mask, are nearly always the taken ones."""
    boards = patient.boards
    told = patient.told if patient.network is None else patient.unmasked(boards)
    taken = boards[np.arange(len(boards)), told.argmax(axis=1)] != 0
    taken = taken[(boards != 0).any(axis=1)]
    if taken.mean() < 0.9:
        return ok(f"its favourite cell is taken on {share(taken)} of the boards")
    return problem(
        f"its favourite cell is a taken one on {share(taken)} of the boards",
        "look for an inverted mask, illegal moves that cost nothing, or a board seen as empty",
    )


def looks(patient: Player) -> Finding:
    """Whether a network's numbers depend on the board at all."""
    if patient.network is None:
        return skipped("looked at in networks and models only")
    numbers = patient.numbers(patient.boards)
    shown = numbers[:, np.isfinite(numbers).all(axis=0)]
    if shown.size and np.ptp(shown, axis=0).max() > 1e-6 * (1 + np.abs(shown).max()):
        return ok("its numbers depend on the board")
    return problem(
        "answers the same numbers whatever the board",
        "look for an observation that is never filled in, dead units (lower the learning rate) or"
        " weights that are not the trained ones",
    )


def share(marks: np.ndarray) -> str:
    """How many of them, in per cent."""
    return f"{marks.mean():.1%}"
