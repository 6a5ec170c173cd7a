"""Whether a player always answers alike: some boards are asked about again, in other company.

An exact result is of one answer to each board. It tells nothing of a player that draws its move,
remembers what it was asked, adds noise, or answers a board alone otherwise than among others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.exact.enumeration import Positions, positions, require_solvable
from tttenv.exact.tabular import Mixture, Tabulated, tabulate
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards, Probs
from tttenv.policy import Policy
from tttenv.untrusted import shown

TOGETHER, ALONE = 16, 2  # boards asked about again, together in another order and each by itself
# How far the probabilities of the same board may differ, as in `tttenv.testing.check_policy`. A
# network in single precision with logits of 100 rounds a board alone 1e-5 apart from a batch.
TOLERANCE = 1e-4
LONGEST_NAME = 80  # characters of a player's name in a message
CELLS_SHOWN = 3  # of each of two answers that differ


def tabulated(rules: Rules, policy: Policy, name: str = "") -> Tabulated:
    """What a player answers to every undecided position, if it answers some of them alike again.

    Raises:
        ValueError: if the game is too large, the policy breaks the laws of one, or it answers
            otherwise when it is asked again.
    """
    require_solvable(rules)
    table = tabulate(rules, policy)
    if not looked_up(policy):
        game = positions(rules)
        which = _some(game)
        if which.size:
            _require_alike(game, policy, which, table.at(which), called(name or policy))
    return table


def require_alike(rules: Rules, policy: Policy, seat: int) -> None:
    """Let a policy pass that answers some boards of a seat alike when it is asked twice.

    Args:
        rules: a game that can be enumerated.
        policy: the player.
        seat: whose boards: 0 for X, 1 for O.

    Raises:
        ValueError: if the policy breaks the laws of one, or answers otherwise the second time.
    """
    require_solvable(rules)
    if looked_up(policy):
        return
    game = positions(rules)
    which = _some(game, seat)
    if not which.size:
        return
    first = _answer(game.boards[which], policy)
    _require_alike(game, policy, which, first, called(policy))


def looked_up(policy: Any) -> bool:
    """Whether a policy's answers are read from a table that nothing changes."""
    return isinstance(policy, Tabulated | Mixture) or policy is policies.uniform


def called(something: Any) -> str:
    """What a player is called: its spec, or the name of its function or class."""
    if isinstance(something, str):
        return shown(something, LONGEST_NAME)
    name = getattr(something, "__qualname__", None)
    name = name if isinstance(name, str) else type(something).__qualname__
    return shown(name.replace("<locals>.", ""), LONGEST_NAME)


def _some(game: Positions, seat: int | None = None) -> NDArray[np.int64]:
    """Some positions where there is a choice, evenly spread over the plies of one or both seats."""
    cells, ends = game.rules.cells, np.searchsorted(game.decisions, game.plies)
    plies = [p for p in range(min(cells - 1, len(ends) - 1)) if seat is None or p % 2 == seat]
    of_ply = [game.decisions[ends[p] : ends[p + 1]] for p in plies]
    each = max(1, TOGETHER // max(1, len(plies)))
    found = [rows[_middles(len(rows), each)] for rows in of_ply]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _middles(count: int, parts: int) -> NDArray[np.int64]:
    """The middles of so many equal parts of range(count), each once."""
    if not count:
        return np.zeros(0, np.int64)
    return np.unique(((np.arange(parts) + 0.5) / parts * count).astype(np.int64))


def _require_alike(
    game: Positions, policy: Policy, which: NDArray[np.int64], first: Probs, name: str
) -> None:
    """Ask about the positions `which` again, where the answers were `first`, and compare."""
    backwards = np.resize(np.arange(len(which))[::-1], TOGETHER)  # few boards: several times each
    _compare(game, policy, which[backwards], first[backwards], f"{name}, asked in another order,")
    for row in _middles(len(which), ALONE):
        _compare(game, policy, which[[row]], first[[row]], f"{name}, asked about a board alone,")


def _compare(
    game: Positions, policy: Policy, which: NDArray[np.int64], first: Probs, who: str
) -> None:
    boards = game.boards[which]
    try:
        again = _answer(boards, policy)
    except ValueError as error:  # lawful at first, but not now
        raise ValueError(f"{who} answers otherwise than before: {error}") from None
    off = np.abs(again - first).max(axis=1)
    row = int(off.argmax())
    if off[row] > TOLERANCE:
        gaps = np.abs(again[row] - first[row])
        cells = [cell for cell in np.argsort(-gaps, kind="stable").tolist() if gaps[cell] > 0]
        before, now = _told(first[row], cells), _told(again[row], cells)
        raise ValueError(
            f"{who} answers otherwise than before: on {game.rules.format(boards[row])} first"
            f" {before}, now {now}; exact results are of players that always answer alike"
        )


def _answer(boards: Boards, policy: Policy) -> Probs:
    """The policy's lawful answer; it is given a copy of the boards, which it may write into."""
    return policies.validated(boards, policy(boards.copy()))


def _told(probs: Probs, cells: list[int]) -> str:
    """The probabilities (cells,) of the first few of some cells, as in "4:0.5 0:0.25"."""
    return " ".join(f"{cell}:{probs[cell]:.7g}" for cell in cells[:CELLS_SHOWN])
