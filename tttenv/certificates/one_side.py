"""Player in one seat of a game, and the games that it loses there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates.frontier import Frontier, contains, distinct
from tttenv.certificates.frontier_kernel import Codes
from tttenv.certificates.phrases import forfeited
from tttenv.exact.evaluation import SEATS
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Player


@dataclass(frozen=True, eq=False)
class SeatedPlayer:
    """A player in one seat of a game; its output depends only on the board."""

    rules: Rules
    policy: Player
    seat: str  # "X" or "O"
    name: str  # the player's name in messages

    def first_boards(self) -> Boards:
        """Return the boards (boards, cells) of the player's first move, from its perspective."""
        if self.seat == "X":
            return self.rules.start(1)
        return -np.eye(self.rules.cells, dtype=np.int8)

    def rounds(self, line: list[int]) -> int:
        """Return the round in which a game is lost; a round is a move by the player and a reply."""
        return len(line) // 2 + forfeited(self.rules, line)

    def own_moves(self, line: list[int]) -> tuple[Boards, list[int]]:
        """Return the boards on which the player moves in a game, and its moves.

        If the player forfeits at the end of the game, that board comes last, and there is one board
        (boards, cells) more than moves.
        """
        board, boards = self.rules.start(), []
        for stones, cell in enumerate(line):
            if SEATS[stones % 2] == self.seat:
                boards.append(board)
            board = self.rules.play(board, cell)
        if SEATS[len(line) % 2] == self.seat and not self.rules.over(board):
            boards.append(board)
        shape = len(boards), self.rules.cells
        return np.array(boards, np.int8).reshape(shape), line[SEATS.index(self.seat) :: 2]


@dataclass(frozen=True)
class LostGame:
    """Reconstructs a player's lost games; see `through`."""

    player: SeatedPlayer
    frontier: Frontier

    def through(self, rounds: list[Codes], lost: Codes) -> list[int]:
        """Return a game that is lost right after a given position, as the cells of both sides.

        If the player forfeits in that position, the game ends there.

        Args:
            rounds: the sorted codes (positions, words) of all earlier rounds, the player to move.
            lost: the code (1, words) of the position, in which a reply wins or the player forfeits.

        Raises:
            ValueError: if the player no longer plays the moves that led to the position.
        """
        chain = [lost]
        for among in reversed(rounds):
            chain.insert(0, self._before(chain[0], among))
        boards = self.player.first_boards()
        first = int((self.frontier.encode(boards) == chain[0]).all(axis=1).argmax())
        board, line = boards[first], np.flatnonzero(boards[first]).tolist()
        for wanted in [*chain[1:], None]:
            if wanted is None and not self.frontier.ask(board[None]).any():
                break
            own, reply = self._step(board, wanted)
            board[own], board[reply] = 1, -1
            line += [own, reply]
        return line

    def _before(self, code: Codes, among: Codes) -> Codes:
        """Return the first position (1, words) of a round from which `code` is reachable."""
        board = self.frontier.decode(code)[0]
        own, other = (np.flatnonzero(board == stone) for stone in (1, -1))
        pairs = np.array([(a, b) for a in own for b in other])
        boards = np.repeat(board[None], len(pairs), axis=0)
        np.put_along_axis(boards, pairs, 0, axis=1)
        codes = distinct(self.frontier.encode(boards))
        codes = codes[[contains(among, one) for one in codes]]
        boards = self.frontier.decode(codes)
        probs = self.frontier.ask(boards)
        for row, one in enumerate(codes):
            reached = self.frontier.expand(boards[row : row + 1], probs[row : row + 1])
            if any((part.codes == code).all(axis=1).any() for part in reached):
                return np.asarray(one[None])
        raise self._another_answer(board)

    def _step(self, board: Boards, wanted: NDArray[np.int64] | None) -> tuple[int, int]:
        """Return the player's move on a board (cells,) and a reply that leads to the code `wanted`.

        If `wanted` is None, the reply wins. The player's most likely moves are tried first.
        """
        probs = self.frontier.ask(board[None])[0]
        for own in np.argsort(-probs, kind="stable")[: np.count_nonzero(probs)]:
            after = board.copy()
            after[own] = 1
            if bool(self.player.rules.lost(-after)):
                continue  # the player wins
            replies = np.flatnonzero(after == 0)
            boards = np.repeat(after[None], len(replies), axis=0)
            boards[np.arange(len(replies)), replies] = -1
            if wanted is None:
                fits = self.player.rules.lost(boards)
            else:
                fits = (self.frontier.encode(boards) == wanted).all(axis=1)
            if fits.any():
                return int(own), int(replies[fits.argmax()])
        raise self._another_answer(board)

    def _another_answer(self, board: Boards) -> ValueError:
        where = self.player.rules.format(board)
        return ValueError(
            f"{self.player.name} gives different answers to the same board: near {where}"
        )
