"""The laws of a policy: legal, summing to one, pure whatever the batch, memoryless."""

from typing import Any

import numpy as np

from tttenv import policy as policies
from tttenv.exact import enumerable, positions
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards
from tttenv.policy import Policy


class LawBrokenError(AssertionError):
    """A player or environment breaks a law, which the message names."""


def require(holds: Any, law: str) -> None:
    """Raise unless `holds`.

    Args:
        holds: whether the law holds.
        law: in a few words, for the message.

    Raises:
        LawBrokenError: naming the law.
    """
    if not holds:
        raise LawBrokenError(law)


def some_boards(rules: Rules, count: int = 500, seed: int = 0) -> Boards:
    """Undecided boards (count or fewer, cells), sampled from all of a small game, else by play."""
    rng = np.random.default_rng(seed)
    if enumerable(rules):
        game = positions(rules)
        chosen = rng.permutation(game.decisions)[:count]
        some: Boards = game.boards[np.sort(chosen)]
        return some
    boards, found = rules.start(32), [rules.start(1)]
    while sum(map(len, found)) < count and len(boards):
        cells = policies.sample(policies.uniform(boards), rng.random(len(boards)))
        boards = rules.play(boards, cells)
        boards = boards[~rules.over(boards)]
        found.append(boards)
    return np.concatenate(found)[:count]


def check_policy(policy: Policy, rules: Rules, tolerance: float = 1e-6, count: int = 500) -> None:
    """Check the laws of a policy: legal, summing to one, pure whatever the batch, memoryless.

    Args:
        policy: the player.
        rules: the game.
        tolerance: how far the same board's probabilities may differ from batch to batch.
        count: of the boards that the policy is asked about.

    Raises:
        LawBrokenError: at the first broken law.
    """
    boards = some_boards(rules, count)
    given = boards.copy()
    try:
        probs = policies.validated(boards, policy(given))
    except ValueError as error:
        raise LawBrokenError(str(error)) from None
    require((given == boards).all(), "a policy leaves the boards it is given as they are")
    order = np.random.default_rng(1).permutation(len(boards))
    again = np.asarray(policy(boards[order].copy()))
    require(_near(again, probs[order], tolerance), "the order of the boards makes no difference")
    alone = np.concatenate([np.asarray(policy(boards[i : i + 1].copy())) for i in order[:50]])
    require(_near(alone, probs[order[:50]], tolerance), "a board alone is answered as in a batch")
    require(_near(np.asarray(policy(given)), probs, tolerance), "a policy remembers nothing")


def _near(first: Any, second: Any, tolerance: float) -> bool:
    # The sum of an answer may differ from one by 1e-4; so may probabilities after division by it.
    return first.shape == second.shape and bool((np.abs(first - second) <= tolerance + 1e-4).all())
