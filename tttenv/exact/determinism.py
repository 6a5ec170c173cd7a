"""Checks that a policy is pure: repeated queries of a board return the same probabilities.

An exact result is computed from one answer to each board. It is wrong for a policy that samples its
move, remembers earlier boards, adds noise, or answers depending on the other boards of a batch.

Where there are few boards, and none of them takes a search, the policy is asked about all of them
again. Elsewhere it is asked about a random sample, which is large enough to contain, with a
probability of 99 %, a board that is answered otherwise if 1 % of all boards are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv import policy as policies
from tttenv.exact.enumeration import Positions, positions, require_solvable
from tttenv.exact.tabular import Mixture, Tabulated, tabulate
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import Blend, BoardFunction, Policy
from tttenv.utils.untrusted import shown

CHEAP = 5_000  # up to so many boards are all asked about again, as the 4,298 with a choice of 3,3,3
SAMPLED = 460  # of more boards; at least one of 1 % of them is then found: 1 - 0.99**460 > 99 %
SEED = 460  # of the generator that draws them
SPREAD = 16  # boards that are always asked about again, from all plies
BATCH = 100  # boards in one question of those again
TOGETHER, ALONE = 16, 2  # boards again: in one question at the least, and one by one
# How far the probabilities of the same board may differ, as in `tttenv.testing.check_policy`. A
# network in single precision with logits of 100 rounds a board alone 1e-5 apart from a batch.
TOLERANCE = 1e-4
LONGEST_NAME = 80  # characters of a player's name in a message
CELLS_SHOWN = 3  # cells of each of two different answers that a message names


def tabulate_pure(rules: Rules, policy: Policy, name: str = "") -> Tabulated:
    """Tabulate a policy, then check that repeated queries give the same output.

    The table's `queried_twice` says how many positions were checked.

    Args:
        rules: a game that can be enumerated.
        policy: the player.
        name: of the player, for messages; by default that of its function or class.

    Raises:
        ValueError: if the game is too large, the policy's output is invalid, or it does not
            give the same board the same answer twice.
    """
    require_solvable(rules)
    table = tabulate(rules, policy)
    if not known_pure(policy):
        game = positions(rules)
        which = _chosen_positions(game, policy)
        boards, first = game.boards[which], table.at(which)
        require_answers_again(rules, policy, boards, first, display_name(name or policy))
        table.queried_twice = len(which)
    return table


def require_same_answers(rules: Rules, policy: Policy, seat: int) -> None:
    """Raise unless repeated queries of some boards of a seat give the same output.

    Args:
        rules: a game that can be enumerated.
        policy: the player.
        seat: who is to move on the boards: 0 for X, 1 for O.

    Raises:
        ValueError: if the policy's output is invalid, or its second answer is another.
    """
    require_solvable(rules)
    if known_pure(policy):
        return
    game = positions(rules)
    boards = game.boards[_chosen_positions(game, policy, seat)]
    require_answers_again(rules, policy, boards, ask(boards, policy), display_name(policy))


def known_pure(policy: Any) -> bool:
    """Return whether a policy is pure by construction: a table, our network, the random player."""
    if isinstance(policy, Blend):
        return known_pure(policy.first) and known_pure(policy.second)
    return isinstance(policy, Tabulated | Mixture | BoardFunction) or policy is policies.uniform


def searches(policy: Any) -> bool:
    """Return whether a player declares that each move takes a search or a program's reply."""
    if isinstance(policy, Blend):
        return searches(policy.first) or searches(policy.second)
    declared = ("search", "board_by_board", "one_by_one")
    return any(bool(getattr(policy, name, False)) for name in declared)


def display_name(something: Any) -> str:
    """Return a player's name for messages: its spec, or the name of its function or class."""
    if isinstance(something, str):
        return shown(something, LONGEST_NAME)
    name = getattr(something, "__qualname__", None)
    name = name if isinstance(name, str) else type(something).__qualname__
    return shown(name.replace("<locals>.", ""), LONGEST_NAME)


def _chosen_positions(
    game: Positions, policy: Policy, seat: int | None = None
) -> NDArray[np.int64]:
    """Return the indices of positions of one or both seats to query again, in order.

    The last ply is left out: it has one legal move, so that every answer is the same.
    """
    cells, ends = game.rules.cells, np.searchsorted(game.decisions, game.plies)
    plies = [p for p in range(min(cells - 1, len(ends) - 1)) if seat is None or p % 2 == seat]
    if not plies:
        return np.zeros(0, np.int64)
    drawn = Drawn(policy)
    for p in plies:
        rows = game.decisions[ends[p] : ends[p + 1]]
        drawn.add(rows, always=middles(len(rows), max(1, SPREAD // len(plies))))
    (which,) = drawn.taken()
    return np.sort(which)


class Drawn:
    """Random sample of rows to query again, out of all rows added; see the module.

    Args:
        policy: all rows are taken, up to 5,000, unless it searches.
        sampled: how many of more rows are drawn.
        cheap: instead of 5,000.
    """

    def __init__(self, policy: Policy, sampled: int = SAMPLED, cheap: int | None = None) -> None:
        self.sampled = sampled
        usual = sampled if searches(policy) else max(sampled, CHEAP)
        self.cheap = usual if cheap is None else cheap
        self.rng = np.random.default_rng(SEED)
        self.added = 0
        self.always: list[tuple[NDArray[Any], ...]] = []
        self.keys = np.zeros(0)  # of the rows kept besides those, ascending
        self.kept: tuple[NDArray[Any], ...] = ()

    def add(self, *rows: NDArray[Any], always: NDArray[np.int64]) -> None:
        """Add rows of arrays (added, ...); the rows with indices `always` are always sampled."""
        count = len(rows[0])
        self.added += count
        self.always.append(tuple(part[always] for part in rows))
        keys = self.rng.random(count)
        room = max(self.sampled, self.cheap)
        new = keys < (self.keys[-1] if len(self.keys) == room else 1.0)
        new[always] = False
        kept = self.kept or tuple(part[:0] for part in rows)
        keys = np.concatenate([self.keys, keys[new]])
        order = np.argsort(keys, kind="stable")[:room]
        self.keys = keys[order]
        self.kept = tuple(
            np.concatenate([old, part[new]])[order] for old, part in zip(kept, rows, strict=True)
        )

    def taken(self) -> tuple[NDArray[Any], ...]:
        """Return the sampled rows of each array, after at least one row was added."""
        count = len(self.keys) if self.added <= self.cheap else self.sampled
        every = [*self.always, tuple(part[:count] for part in self.kept)]
        return tuple(np.concatenate(parts) for parts in zip(*every, strict=True))


def middles(count: int, parts: int) -> NDArray[np.int64]:
    """Return the middle indices of `parts` equal parts of range(count), without duplicates."""
    if not count:
        return np.zeros(0, np.int64)
    return np.unique(((np.arange(parts) + 0.5) / parts * count).astype(np.int64))


def require_answers_again(
    rules: Rules, policy: Policy, boards: Boards, first: Probs, name: str
) -> None:
    """Query boards again, reordered and one by one, and compare with the first output.

    Args:
        rules: the game.
        policy: the player.
        boards: undecided boards (batch, cells).
        first: what the policy answered, (batch, cells).
        name: of the player, for messages.

    Raises:
        ValueError: at the first answer that differs.
    """
    backwards = np.arange(len(boards))[::-1]
    batches = -(-len(boards) // BATCH)
    for number in range(batches):
        # Boards that stood together before are asked about apart; few boards are repeated.
        rows = backwards[number::batches]
        rows = np.resize(rows, max(len(rows), TOGETHER))
        who = f"{name}, asked in another order,"
        _require_close(rules, policy, boards[rows], first[rows], who)
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
        different, all_boards = (
            len(np.unique(b, axis=0)) for b in (boards[off > TOLERANCE], boards)
        )
        share = f", on {different:,} of {all_boards:,} boards in all" if all_boards > 1 else ""
        raise ValueError(
            f"{who} answers otherwise than before: on {rules.format(boards[row])} first"
            f" {before}, now {now}{share}; exact results are of players that always answer alike"
        )


def ask(boards: Boards, policy: Policy) -> Probs:
    """Return the policy's validated output on a copy of the boards.

    A policy with the attribute `one_by_one` is asked about one board at a time.
    """
    copies = boards.copy()
    if getattr(policy, "one_by_one", False) and len(boards):
        answers = np.concatenate([policy(one[None]) for one in copies])
        return policies.validated(boards, answers, policies.forfeits(policy))
    return policies.validated(boards, policy(copies), policies.forfeits(policy))


def _shown_probs(probs: Probs, cells: list[int]) -> str:
    """Format the probabilities (cells,) of the first few of `cells`, like "4:0.5 0:0.25"."""
    return " ".join(f"{cell}:{probs[cell]:.7g}" for cell in cells[:CELLS_SHOWN])
