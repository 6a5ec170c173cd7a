"""Player in one seat of a game, and the games that it loses there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.exact.evaluation import SEATS
from tttenv.game.outcomes_kernel import GOING, WIN
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards
from tttenv.policy import Player, ask
from tttenv.reach import Graph, contains, distinct
from tttenv.reach.moves_kernel import Codes
from tttenv.reach.walk import first_boards


@dataclass(frozen=True, eq=False)
class SeatedPlayer:
    """A player in one seat of a game; its output depends only on the board."""

    rules: Rules
    policy: Player
    seat: str  # "X" or "O"
    name: str  # the player's name in messages

    def __post_init__(self) -> None:
        require_line_wins(self.rules, "a search for lost games")

    def first_boards(self) -> Boards:
        """Return the boards (boards, cells) of its first move."""
        return first_boards(self.rules, self.seat)

    def own(self, line: list[int]) -> list[int]:
        """Return the player's moves among the cells of a game."""
        return line[SEATS.index(self.seat) :: 2]

    def own_moves(self, line: list[int]) -> tuple[Boards, list[int]]:
        """Return the boards (boards, cells) on which it moves, or forfeits last, and its moves."""
        first, own = SEATS.index(self.seat), self.own(line)
        boards = np.zeros((len(own) + 1, self.rules.cells), np.int8)
        for stones, cell in enumerate(line):
            boards[(stones - first) // 2 + 1 :, cell] = 1 if stones % 2 == first else -1
        forfeits = len(line) % 2 == first and not self.rules.over(boards[-1])
        return boards[: len(own) + forfeits], own

    def another_answer(self, board: Boards) -> ValueError:
        """Return the error for a player that does not repeat its moves near a board (cells,)."""
        near = self.rules.format(board)
        return ValueError(f"{self.name} gives different answers to the same board: near {near}")


def lost_game(
    player: SeatedPlayer, graph: Graph, rounds: list[Codes], lost: NDArray[np.int64]
) -> list[int]:
    """Return a lost game, as cells, from its last position's code and those of earlier rounds.

    Args:
        player: the player that loses.
        graph: the graph of the search, which has found the loss.
        rounds: the sorted codes (positions, words) of the rounds before the last position's.
        lost: the code (words,) of the last position before the loss.

    Returns:
        The cells of both sides in turn.

    Raises:
        ValueError: if the player does not repeat its moves.
    """
    chain = [lost]
    for among in reversed(rounds):  # the position before is one with a stone of each side less
        board = graph.decode(chain[0][None])[0]
        own, other = (np.flatnonzero(board == stone) for stone in (1, -1))
        pairs = np.array([(a, b) for a in own for b in other])
        boards = np.repeat(board[None], len(pairs), axis=0)
        np.put_along_axis(boards, pairs, 0, axis=1)
        codes = distinct(graph.encode(boards))
        codes = codes[[contains(among, one) for one in codes]]
        row, _, _ = _step(player, graph, graph.decode(codes), chain[0])
        chain.insert(0, codes[row])
    boards = player.first_boards()
    board = boards[int((graph.encode(boards) == chain[0]).all(axis=1).argmax())]
    line = np.flatnonzero(board).tolist()
    for wanted in [*chain[1:], None]:
        _, *cells = _step(player, graph, board[None], wanted)
        board[cells] = (1, -1)[: len(cells)]
        line += cells
    return line


def _step(
    player: SeatedPlayer, graph: Graph, boards: Boards, wanted: NDArray[np.int64] | None
) -> tuple[int, ...]:
    """Return the first board, likeliest move and reply that lead to a code, or None: to a loss."""
    probs = ask(boards, player.policy)
    if wanted is None and not probs.any():
        return (0,)
    for moves, replies in graph.replies(boards, probs):
        if wanted is None:
            fits = np.flatnonzero(replies.end == WIN)
        else:
            going = np.flatnonzero(replies.end == GOING)
            fits = going[(replies.codes == wanted).all(axis=1)]
        if len(fits):
            played = replies.origin[fits]
            rows, own = moves.origin[played], moves.cell[played]
            best = np.lexsort((-probs[rows, own], rows))[0]
            return int(rows[best]), int(own[best]), int(replies.cell[fits[best]])
    raise player.another_answer(boards[0])
