"""Checks that a policy is pure: repeated queries of a board return the same probabilities.

An exact result is computed from a single query of each board. If there are few boards and none of
them takes a search, all are queried again, otherwise a random sample. If the output differs on 1 %
of all boards, the sample contains one of them with a probability of 99 %.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.enumeration import Positions, positions
from tttenv.exact.tabular import Tabulated, table_of
from tttenv.game.rules import name_of
from tttenv.game.types import Boards, Probs
from tttenv.policy import Player, ask, display_name, hidden_by_mask

CHEAP = 5_000  # up to this many boards, all are queried again, such as 3,3,3's 4,298 with a choice
SAMPLED = 460  # else; this finds at least one board of 1 % of them: 1 - 0.99**460 > 99 %
SEED = 460  # of the generator that samples them
SPREAD = 16  # boards from all plies that are always queried again
BATCH = 100  # boards per repeated query
TOGETHER, ALONE = 16, 2  # boards queried again: at least this many in one batch, and one by one
# Tolerated difference between probabilities of the same board; single precision may need 1e-5.
TOLERANCE = 1e-4
ALWAYS = -1.0  # below every random key


def tabulate_pure(player: Player, name: str = "") -> Tabulated:
    """Tabulate a player, then check that repeated queries give the same output.

    Args:
        player: plays a game of up to 16 cells.
        name: what messages call it; by default its own name.

    Returns:
        The table. Its `queried_twice` says how many positions were checked, and its `illegal_mass`
        and `only_illegal` what a mask hides of the player.

    Raises:
        ValueError: if the game is larger, or the output is invalid or not the same again.
    """
    game, table = positions(player.rules), table_of(player)
    boards = game.boards[game.decisions]
    if (unmasked := player.unmasked(boards)) is not None:
        hidden = hidden_by_mask(boards, unmasked, table.at(game.decisions))
        table.illegal_mass, table.only_illegal = hidden
    if not player.traits.pure:
        which = _chosen_positions(game, player)
        boards, first = game.boards[which], table.at(which)
        require_answers_again(player, boards, first, name or display_name(player))
        table.queried_twice = len(which)
    return table


def require_same_answers(player: Player, seat: int) -> None:
    """Raise unless repeated queries on a sample of a seat's boards give the same output.

    Args:
        player: the player, which is not queried if it is pure.
        seat: 0 for X, 1 for O.

    Raises:
        ValueError: if a probability differs by more than 1e-4.
    """
    if player.traits.pure:
        return
    game = positions(player.rules)
    boards = game.boards[_chosen_positions(game, player, seat)]
    require_answers_again(player, boards, ask(boards, player), display_name(player))


def _chosen_positions(
    game: Positions, player: Player, seat: int | None = None
) -> NDArray[np.int64]:
    """Return the indices of positions with a choice to query again, for one or both seats."""
    cells, ends = game.rules.cells, np.searchsorted(game.decisions, game.plies)
    plies = [p for p in range(min(cells - 1, len(ends) - 1)) if seat is None or p % 2 == seat]
    if not plies:
        return np.zeros(0, np.int64)
    drawn = Drawn(player)
    for p in plies:
        rows = game.decisions[ends[p] : ends[p + 1]]
        drawn.add(rows, always=middles(len(rows), max(1, SPREAD // len(plies))))
    (which,) = drawn.taken()
    return np.sort(which)


class Drawn:
    """A random sample of the rows added to it, to be queried again; see the module.

    `sampled` replaces its usual size, and `state` is that of a sample to continue.
    """

    def __init__(
        self, player: Player, sampled: int | None = None, state: Mapping[str, Any] | None = None
    ) -> None:
        self.sampled = SAMPLED if sampled is None else sampled
        self.cheap = 0 if sampled is not None else SAMPLED if player.traits.searches else CHEAP
        known = state or {"added": 0, "keys": np.zeros(0), "kept": ()}
        self.added: int = known["added"]  # rows; one number of 64 bits was drawn for each
        self.rng = np.random.Generator(np.random.PCG64(SEED).advance(self.added))
        # Random keys of the rows kept, ascending; ALWAYS comes first.
        self.keys: NDArray[np.float64] = known["keys"]
        self.kept: Sequence[NDArray[Any]] = known["kept"]

    @property
    def state(self) -> dict[str, Any]:
        """The sample so far."""
        return {"added": self.added, "keys": self.keys, "kept": self.kept}

    def add(self, *rows: NDArray[Any], always: NDArray[np.int64]) -> None:
        """Add rows, given as arrays (added, ...); those at indices `always` are always sampled."""
        keys = self.rng.random(len(rows[0]))
        keys[always] = ALWAYS
        self.added += len(keys)
        room = max(self.sampled, self.cheap)
        full = len(self.keys) == room + np.count_nonzero(self.keys == ALWAYS)
        new = keys < (self.keys[-1] if full else 1.0)
        old = self.kept or [part[:0] for part in rows]
        keys = np.concatenate([self.keys, keys[new]])
        order = np.argsort(keys, kind="stable")[: room + np.count_nonzero(keys == ALWAYS)]
        self.keys = keys[order]
        pairs = zip(old, rows, strict=True)
        self.kept = [np.concatenate([one, part[new]])[order] for one, part in pairs]

    def taken(self) -> tuple[NDArray[Any], ...]:
        """Return the sampled rows of each array; at least one row must have been added."""
        count = len(self.keys)
        if self.added > self.cheap:
            count = min(count, self.sampled + int(np.count_nonzero(self.keys == ALWAYS)))
        return tuple(part[:count] for part in self.kept)


def middles(count: int, parts: int) -> NDArray[np.int64]:
    """Return the middle indices of `parts` equal parts of range(count), without duplicates."""
    if not count:
        return np.zeros(0, np.int64)
    return np.unique(((np.arange(parts) + 0.5) / parts * count).astype(np.int64))


def require_answers_again(player: Player, boards: Boards, first: Probs, name: str) -> None:
    """Query boards again, reordered and one by one, and compare with the first output.

    Args:
        player: the player.
        boards: the boards (batch, cells).
        first: its first output (batch, cells).
        name: what messages call it.

    Raises:
        ValueError: if a probability differs by more than 1e-4, or the output is now invalid.
    """
    backwards = np.arange(len(boards))[::-1]
    batches = -(-len(boards) // BATCH)
    for number in range(batches):
        # Boards of one batch are now in different batches; small batches repeat boards.
        rows = backwards[number::batches]
        rows = np.resize(rows, max(len(rows), TOGETHER))
        who = f"{name}, asked in another order,"
        _require_close(player, boards[rows], first[rows], who)
    for row in middles(len(boards), ALONE):
        _require_close(player, boards[[row]], first[[row]], f"{name}, asked about a board alone,")


def _require_close(player: Player, boards: Boards, first: Probs, who: str) -> None:
    try:
        again = ask(boards, player)
    except ValueError as error:  # although its first output was valid
        raise ValueError(f"{who} gives different answers to the same board: {error}") from None
    off = np.abs(again - first)
    row, cell = divmod(int(off.argmax()), off.shape[1])
    if off[row, cell] > TOLERANCE:
        raise ValueError(
            f"{who} gives different answers to the same board: on"
            f" {player.rules.format(boards[row])} it plays {name_of(player.rules, cell)} with"
            f" probability {first[row, cell]:.7g}, then with {again[row, cell]:.7g}; exact results"
            " need players that always give the same answer"
        )
