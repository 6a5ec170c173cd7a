"""One walk over the graph of positions, ply by ply, on which all its visitors rest.

A visitor takes each ply in turn, queries players on its positions, and follows what their moves
lead to. The number of positions at each of a player's moves, for example, which counts symmetric
ones once if the player is equivariant::

    from tttenv.reach import Graph
    from tttenv.reach.walk import first_boards, walk

    def positions_by_move(player: Player, seat: str) -> list[int]:
        graph, counts = Graph(player.rules, player.traits.equivariant), []
        for ply in walk(graph, graph.encode(first_boards(player.rules, seat))):
            counts.append(len(ply.codes))
            for visit in ply.query(player):
                for _, replies in visit.replies():
                    ply.follow(replies.codes)
        return counts
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask, Probs
from tttenv.policy import Player, ask
from tttenv.reach import Graph, distinct, with_numbers
from tttenv.reach.moves_kernel import Codes, Moves

BATCH = 2**15  # boards in one query of a player; fewer on large boards
SHORT_BATCH = 2**6  # the same for a player that is slow to answer
NUMBERS = 2**21  # maximum probabilities in the output of one query


class TooManyPositionsError(ValueError):
    """Raised by a walk that reaches more positions than its limit."""


class Visit(NamedTuple):
    """Positions of a ply on which a player was queried together, with its output."""

    graph: Graph
    rows: NDArray[np.int64]  # (batch,): their indices in the ply
    boards: Boards  # (batch, cells)
    probs: Probs  # (batch, cells)

    @property
    def forfeited(self) -> Mask:
        """Mask (batch,) of the positions on which the player forfeits."""
        return np.asarray(~self.probs.any(axis=1))

    def moves(self) -> Moves:
        """Return the player's moves of nonzero probability, whose origins index the batch."""
        return self.graph.moves(self.boards, self.probs > 0)

    def replies(self) -> Iterator[tuple[Moves, Moves]]:
        """Yield the player's moves and every reply to them, in parts; see `Graph.replies`."""
        return self.graph.replies(self.boards, self.probs)


def visits(
    graph: Graph,
    player: Player,
    codes: Codes,
    rows: NDArray[np.int64],
    size: int | None = None,
    *,
    ask: Callable[[Boards, Player], Probs] = ask,
    before: Callable[[int], None] = lambda waiting: None,
) -> Iterator[Visit]:
    """Query a player on positions, batch by batch.

    Args:
        graph: the graph of the player's game.
        player: the player.
        codes: the positions (positions, words), perhaps with labels before the words.
        rows: the indices (queried,) of those to query, in order.
        size: the boards of a batch; by default as many as suit the player and the board.
        ask: queries the player on boards, and validates its output.
        before: called before each query with the number of positions that wait for one.

    Yields:
        A visit for each batch.
    """
    if size is None:
        slow = player.traits.one_by_one or player.traits.costly
        size = min(SHORT_BATCH if slow else BATCH, max(1, NUMBERS // graph.rules.cells))
    for first in range(0, len(rows), size):
        before(len(rows) - first)
        which = rows[first : first + size]
        boards = graph.decode(codes[which])
        yield Visit(graph, which, boards, ask(boards, player))


class Ply:
    """Distinct positions that a walk has reached after the same number of plies.

    `codes` (positions, words) are sorted, and `numbers` (followed,) the index among them of each
    code that was followed from the ply before, in that order. Codes may have labels before their
    words, such as the player to move; positions with other labels are other positions.
    """

    def __init__(self, graph: Graph, number: int, start: Codes, most: int | None = None) -> None:
        self.graph, self.number, self.most = graph, number, most
        self.codes, self.numbers = with_numbers(start)
        self.followed: list[Codes] = []
        self._counted: list[Codes] = []  # the same without some of the duplicates

    def query(self, player: Player, size: int | None = None) -> Iterator[Visit]:
        """Query a player on all positions, in batches of `size`; see `visits`.

        Args:
            player: of the graph's game; to merge symmetric positions it has to be equivariant.
            size: the boards of a batch; by default as many as suit the player and the board.

        Yields:
            A visit for each batch, in the order of the positions.
        """
        return visits(self.graph, player, self.codes, np.arange(len(self.codes)), size)

    def follow(self, codes: Codes) -> None:
        """Add these positions, duplicates included, to the next ply.

        Raises:
            TooManyPositionsError: if it would have more distinct ones than the limit allows.
        """
        self.followed.append(codes)
        if self.most is None:
            return
        self._counted.append(codes)
        if sum(map(len, self._counted)) > 2 * self.most:
            self._counted = [distinct(np.concatenate(self._counted))]
            require_room(self._counted[0], self.most)


def require_room(codes: Codes, most: int | None) -> None:
    """Refuse more positions (positions, words) than a limit, if there is one.

    Raises:
        TooManyPositionsError: if there are more than `most`.
    """
    if most is not None and len(codes) > most:
        raise TooManyPositionsError("more positions are reached than the limit allows")


def walk(graph: Graph, start: Codes, most: int | None = None) -> Iterator[Ply]:
    """Walk over positions, ply by ply, until nothing is followed.

    Args:
        graph: the graph of the game; symmetric positions are merged if it merges them.
        start: the first positions (positions, words), duplicates included.
        most: the limit of distinct positions in all plies; by default none.

    Yields:
        Each ply with the positions that were followed from the one before it.

    Raises:
        TooManyPositionsError: if more positions than `most` are reached.
    """
    followed, number = [start], 0
    while followed:
        ply = Ply(graph, number, np.concatenate(followed))
        require_room(ply.codes, most)
        if not len(ply.codes):
            return
        if most is not None:
            most -= len(ply.codes)
        ply.most = most
        yield ply
        followed, number = ply.followed, number + 1


def first_boards(rules: Rules, seat: str) -> Boards:
    """Return the boards (boards, cells) of the first move of seat "X" or "O", seen by it."""
    return rules.start(1) if seat == "X" else -np.eye(rules.cells, dtype=np.int8)
