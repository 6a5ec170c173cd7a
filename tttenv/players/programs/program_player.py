"""Player that queries a program once per board and caches its answers.

`external` sends the messages of our own protocol, `gomocup` those that many engines know.
"""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.players.programs.program import Program, ProgramError
from tttenv.players.search.search_result import at_least
from tttenv.policy import Player, Traits
from tttenv.utils.arrays import one_at_a_time
from tttenv.utils.untrusted import MEBIBYTE

ENTRY = 120  # bytes of a cached answer besides its board and its numbers


class ProgramPlayer(Player):
    """A player backed by a program; `close` ends the program, and the next query restarts it.

    Subclasses define the messages. Their failures raise `ProgramError`.

    Args:
        rules: the game.
        command: the program and its arguments.
        memory: maximum megabytes of cached answers.
        forfeits: whether an answer may be a forfeit.
    """

    def __init__(self, rules: Rules, command: str, memory: int, forfeits: bool = False) -> None:
        at_least(1, memory=memory)
        super().__init__(rules, Traits(searches=True, one_by_one=True, forfeits=forfeits))
        self.command = command
        self.memory, self.taken = memory, 0  # megabytes allowed, bytes used
        self.program: Program | None = None
        self.cache: dict[bytes, bytes] = {}  # answers to boards, packed

    @abstractmethod
    def launch(self) -> Program:
        """Start the program."""

    @abstractmethod
    def handshake(self, program: Program) -> None:
        """Send the messages that precede the first board."""

    @abstractmethod
    def ask(self, program: Program, board: Boards) -> NDArray[np.float64]:
        """Query the program for its validated move probabilities (cells,) on a board (cells,)."""

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells).

        Raises:
            ValueError: if the program fails, saying how and on which board.
        """
        return np.array([self.answer(board) for board in boards], np.float64).reshape(boards.shape)

    @one_at_a_time
    def answer(self, board: Boards) -> NDArray[np.float64]:
        """Return the program's probabilities (cells,) for a board (cells,), cached if possible.

        Raises:
            ValueError: if the program fails, or the stored answers take too much memory.
        """
        key = np.asarray(board, np.int8).tobytes()
        if key not in self.cache:
            if self.taken > self.memory * MEBIBYTE:
                raise ValueError(
                    f"{self.command!r} has answered {len(self.cache):,} boards; storing more"
                    f" would take over {self.memory} MB, the limit set by memory="
                )
            packed = pack(self._query(board))
            self.cache[key] = packed
            self.taken += ENTRY + len(key) + len(packed)
        return unpack(self.cache[key], len(board))

    def close(self) -> None:
        """End the program if it is running, killing it if necessary."""
        if self.program is not None:
            self.program.close()
        self.program = None

    def _query(self, board: Boards) -> NDArray[np.float64]:
        """Query the program for its probabilities (cells,) on a board (cells,)."""
        try:
            if self.program is None:
                self.program = self.launch()
                self.handshake(self.program)
            return self.ask(self.program, board)
        except BaseException as error:  # including an interrupt, since an answer would be pending
            if self.program is not None:
                self.program.kill()
            self.program = None
            if isinstance(error, ProgramError):
                side, shown = "XO"[int(self.rules.seat(board))], self.rules.format(board)
                verdict = f"{self.command!r} {error}: {side} to move on {shown}"
                raise ValueError(verdict) from None
            raise


def pack(probs: NDArray[np.float64]) -> bytes:
    """Pack probabilities (cells,) into a few bytes: the nonzero cells, then their probabilities."""
    cells = np.flatnonzero(probs)
    return cells.astype(np.uint16).tobytes() + probs[cells].tobytes()


def unpack(packed: bytes, cells: int) -> NDArray[np.float64]:
    """Unpack the probabilities (cells,) packed by `pack`."""
    count = len(packed) // 10  # two bytes and eight a cell
    probs: NDArray[np.float64] = np.zeros(cells)
    numbers = np.frombuffer(packed, np.uint16, count)
    probs[numbers] = np.frombuffer(packed, np.float64, count, offset=2 * count)
    return probs
