"""Checks that a policy is pure: asked about the same board again, it gives the same probabilities.

An exact result is computed from one answer to each board. It is wrong for a policy that samples its
move, remembers earlier boards, adds noise, or answers depending on the other boards of a batch.
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

TOGETHER, ALONE = 16, 2  # boards asked about again: in one batch in another order, and one by one
# How far the probabilities of the same board may differ, as in `tttenv.testing.check_policy`. A
# network in single precision with logits of 100 rounds a board alone 1e-5 apart from a batch.
TOLERANCE = 1e-4
LONGEST_NAME = 80  # characters of a player's name in a message
CELLS_SHOWN = 3  # cells of each of two different answers that a message names


def tabulate_pure(rules: Rules, policy: Policy, name: str = "") -> Tabulated:
    """`tabulate`, and then a check on some positions that the policy gives the same answers again.

    Args:
        rules: a game that can be enumerated.
        policy: the player.
        name: of the player, for messages; by default that of its function or class.

    Raises:
        ValueError: if the game is too large, the policy breaks the laws of one, or it does not
            give the same board the same answer twice.
    """
    require_solvable(rules)
    table = tabulate(rules, policy)
    if not known_pure(policy):
        game = positions(rules)
        which = _chosen_positions(game)
        if which.size:
            require_answers_again(
                rules, policy, game.boards[which], table.at(which), display_name(name or policy)
            )
    return table


def require_same_answers(rules: Rules, policy: Policy, seat: int) -> None:
    """Raise unless the policy gives some boards of a seat the same answer twice.

    Args:
        rules: a game that can be enumerated.
        policy: the player.
        seat: who is to move on the boards: 0 for X, 1 for O.

    Raises:
        ValueError: if the policy breaks the laws of one, or its second answer is another.
    """
    require_solvable(rules)
    if known_pure(policy):
        return
    game = positions(rules)
    which = _chosen_positions(game, seat)
    if not which.size:
        return
    boards = game.boards[which]
    require_answers_again(rules, policy, boards, ask(boards, policy), display_name(policy))


def known_pure(policy: Any) -> bool:
    """Whether a policy is pure by construction: a constant table, or the random player."""
    return isinstance(policy, Tabulated | Mixture) or policy is policies.uniform


def display_name(something: Any) -> str:
    """The name of a player for messages: its spec, or the name of its function or class."""
    if isinstance(something, str):
        return shown(something, LONGEST_NAME)
    name = getattr(something, "__qualname__", None)
    name = name if isinstance(name, str) else type(something).__qualname__
    return shown(name.replace("<locals>.", ""), LONGEST_NAME)


def _chosen_positions(game: Positions, seat: int | None = None) -> NDArray[np.int64]:
    """The numbers of positions to ask about again, evenly from the plies of one or both seats.

    The last ply is left out: it has one legal move, so that every answer is the same.
    """
    cells, ends = game.rules.cells, np.searchsorted(game.decisions, game.plies)
    plies = [p for p in range(min(cells - 1, len(ends) - 1)) if seat is None or p % 2 == seat]
    of_ply = [game.decisions[ends[p] : ends[p + 1]] for p in plies]
    each = max(1, TOGETHER // max(1, len(plies)))
    found = [rows[middles(len(rows), each)] for rows in of_ply]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def middles(count: int, parts: int) -> NDArray[np.int64]:
    """The middle numbers of `parts` equal parts of range(count), without repetitions."""
    if not count:
        return np.zeros(0, np.int64)
    return np.unique(((np.arange(parts) + 0.5) / parts * count).astype(np.int64))


def require_answers_again(
    rules: Rules, policy: Policy, boards: Boards, first: Probs, name: str
) -> None:
    """Ask about boards again, in another order and alone, and compare with the first answers.

    Args:
        rules: the game.
        policy: the player.
        boards: undecided boards (batch, cells), at least one.
        first: what the policy answered, (batch, cells).
        name: of the player, for messages.

    Raises:
        ValueError: at the first answer that differs.
    """
    backwards = np.resize(np.arange(len(boards))[::-1], TOGETHER)  # repeats boards if there are few
    _require_close(
        rules, policy, boards[backwards], first[backwards], f"{name}, asked in another order,"
    )
    for row in middles(len(boards), ALONE):
        _require_close(
            rules, policy, boards[[row]], first[[row]], f"{name}, asked about a board alone,"
        )


def _require_close(rules: Rules, policy: Policy, boards: Boards, first: Probs, who: str) -> None:
    try:
        again = ask(boards, policy)
    except ValueError as error:  # its first answer obeyed the laws of a policy
        raise ValueError(f"{who} answers otherwise than before: {error}") from None
    off = np.abs(again - first).max(axis=1)
    row = int(off.argmax())
    if off[row] > TOLERANCE:
        gaps = np.abs(again[row] - first[row])
        cells = [cell for cell in np.argsort(-gaps, kind="stable").tolist() if gaps[cell] > 0]
        before, now = _shown_probs(first[row], cells), _shown_probs(again[row], cells)
        raise ValueError(
            f"{who} answers otherwise than before: on {rules.format(boards[row])} first"
            f" {before}, now {now}; exact results are of players that always answer alike"
        )


def ask(boards: Boards, policy: Policy) -> Probs:
    """The policy's validated answer; it gets a copy of the boards, so that it may change them.

    A policy with the attribute `one_by_one` is asked about one board at a time.
    """
    copies = boards.copy()
    if getattr(policy, "one_by_one", False) and len(boards):
        return policies.validated(boards, np.concatenate([policy(one[None]) for one in copies]))
    return policies.validated(boards, policy(copies))


def _shown_probs(probs: Probs, cells: list[int]) -> str:
    """The probabilities (cells,) of the first few of `cells` as text, like "4:0.5 0:0.25"."""
    return " ".join(f"{cell}:{probs[cell]:.7g}" for cell in cells[:CELLS_SHOWN])
